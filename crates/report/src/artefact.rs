//! Files of a report, as values: renderers give bytes, one place writes them.

use thiserror::Error;

/// A file under the report's folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artefact {
    /// Relative, with `/`; made of safe characters only.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Artefact {
    /// A file of the report.
    pub fn new(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes }
    }
}

/// Why a report could not be made.
#[derive(Debug, Error)]
pub enum ReportError {
    #[error("the figure {figure} could not be drawn: {message}")]
    Figure { figure: String, message: String },
}

/// File names for names: lower-case letters, digits and hyphens, each different from the others.
#[derive(Debug, Default)]
pub struct FileNames {
    taken: std::collections::BTreeSet<String>,
}

impl FileNames {
    /// A file name that reads like the parts and was not given out before.
    pub fn name(&mut self, parts: &[&str]) -> String {
        let stem = parts.iter().map(|p| slug(p)).filter(|p| !p.is_empty()).collect::<Vec<_>>();
        let stem = stem.join("-");
        let numbered = (1..).map(|n| if n == 1 { stem.clone() } else { format!("{stem}-{n}") });
        let free = numbered.into_iter().find(|name| !self.taken.contains(name));
        let name = free.unwrap_or(stem);
        self.taken.insert(name.clone());
        name
    }
}

/// At most 60 safe characters of a name.
fn slug(name: &str) -> String {
    let safe = name.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '-',
    });
    let mut slug = String::new();
    for c in safe.take(60) {
        if c != '-' || !(slug.is_empty() || slug.ends_with('-')) {
            slug.push(c);
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_never_the_same() {
        let mut names = FileNames::default();
        assert_eq!(names.name(&["macro_f1", "synthetic", "full"]), "macro-f1-synthetic-full");
        assert_eq!(names.name(&["figure", "../../etc/passwd"]), "figure-etc-passwd");
        assert_eq!(names.name(&["figure", "日本"]), "figure");
        assert_eq!(names.name(&["figure", "東京"]), "figure-2");
    }
}
