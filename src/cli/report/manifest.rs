//! `files.txt` in the folder of a report: what the report wrote, so that the next one removes what
//! is out of date and nothing else.
//!
//! The list lies where anybody can change it. Whatever stands in it, only plain names of tables and
//! figures are read from it: no path of it leads elsewhere.

use report::Artefact;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Its name.
pub const NAME: &str = "files.txt";

const HEAD: &str = "# What `tailgrid report` wrote here. The next report removes tables and figures of this \
                    list that it has no more, and nothing else.";

/// Where the tables and figures of reports are, and their endings.
const PARTS: [(&str, &[&str]); 2] =
    [("tables", &["md", "tex", "csv"]), ("figures", &["svg", "png"])];

/// The list of some files.
pub fn of(files: &[Artefact]) -> Artefact {
    with(&[], files)
}

/// The list of some files, and of those of a report before.
pub fn with(before: &[String], files: &[Artefact]) -> Artefact {
    let before = before.iter().map(String::as_str);
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).chain(before).collect();
    let lines: String =
        std::iter::once(HEAD).chain(paths).map(|line| format!("{line}\n")).collect();
    Artefact::new(NAME, lines.into_bytes())
}

/// The tables and figures that the report before wrote; none where there is no list of them.
pub fn read(folder: &Path) -> Vec<String> {
    let path = folder.join(NAME);
    // Nobody waits for a pipe that is in its place.
    let text =
        fs::metadata(&path).is_ok_and(|found| found.is_file()).then(|| fs::read_to_string(&path));
    let list = text.and_then(Result::ok).unwrap_or_default();
    list.lines().filter(|path| is_ours(path)).map(str::to_owned).collect()
}

/// Whether a path is one that a report may have written.
fn is_ours(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let named = path.split_once('/').and_then(|(part, name)| Some((part, name.split_once('.')?)));
    named.is_some_and(|(part, (stem, ending))| {
        let known =
            |(folder, endings): &(&str, &[&str])| *folder == part && endings.contains(&ending);
        !stem.is_empty() && stem.chars().all(plain) && PARTS.iter().any(known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::synthetic;
    use report::render;

    #[test]
    fn a_list_can_have_what_a_report_before_wrote_too() {
        let file = |path: &str| Artefact::new(path, vec![]);
        let list =
            with(&["tables/old.md".to_owned(), "tables/b.md".to_owned()], &[file("tables/b.md")]);
        let text = String::from_utf8(list.bytes).expect("text");
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["tables/b.md", "tables/old.md"]);
    }

    #[test]
    fn what_a_report_writes_is_read_back_in_order() {
        let (view, results) = synthetic::grid();
        let report = render(&view, &(&results).into()).expect("rendered");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let list = of(&report.files);
        fs::write(folder.path().join(&list.path), &list.bytes).expect("written");
        let read = read(folder.path());
        let page = |file: &&Artefact| file.path == "index.html";
        assert_eq!(read.len() + 1, report.files.len(), "all but the page");
        assert_eq!(report.files.iter().filter(page).count(), 1);
        assert!(read.is_sorted());
    }

    #[test]
    fn no_line_leads_anywhere_but_to_tables_and_figures() {
        for ours in ["tables/macro-f1-a-2.md", "tables/jobs.csv", "figures/time-dark.png"] {
            assert!(is_ours(ours), "{ours}");
        }
        for foreign in [
            "",
            "#",
            "index.html",
            "files.txt",
            "tables",
            "tables/",
            "tables/.md",
            "tables/a",
            "tables/a.txt",
            "tables/a.svg",
            "figures/a.md",
            "tables/../a.md",
            "tables/../../a.md",
            "tables/..md",
            "tables/b/a.md",
            "tables//a.md",
            "../tables/a.md",
            "/tables/a.md",
            "./tables/a.md",
            "tables/a.md.md",
            "tables/A.md",
            "tables/a b.md",
            "tables/a\0.md",
            "tables\\a.md",
            "other/a.md",
        ] {
            assert!(!is_ours(foreign), "{foreign:?}");
        }
    }

    #[test]
    fn a_list_that_is_no_text_lists_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join(NAME), b"tables/a.md\n\xff\xfe").expect("written");
        assert!(read(folder.path()).is_empty());
        fs::remove_file(folder.path().join(NAME)).expect("removed");
        assert!(read(folder.path()).is_empty());
    }
}
