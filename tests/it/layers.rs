//! Who may know whom: the paths that the source files name are the edges between modules, and these
//! are the edges that may be there. A failure names file, line and edge.

use std::fmt;
use std::path::{Path, PathBuf};

/// What each module may name of the crate; `runner::events` means that part alone. The registry of tables
/// is one of the registries that grids name things of.
const ALLOWED: &[(&str, &[&str])] = &[
    ("atomic", &[]),
    ("places", &[]),
    ("domain", &[]),
    ("stats", &[]),
    ("tune", &["domain", "stats"]),
    ("score", &["domain"]),
    ("corpus", &["domain"]),
    ("method", &["domain"]),
    ("model", &["atomic", "domain"]),
    ("store", &["atomic", "domain"]),
    ("fetch", &["atomic", "domain"]),
    ("engine", &["corpus", "domain", "method", "model", "places", "score"]),
    ("spec", &["corpus", "domain", "method", "model", "report::tables::registry"]),
    ("runner", &["domain", "spec", "store"]),
    ("report", &["domain", "score", "stats", "store"]),
    ("ui", &["domain", "runner::events"]),
    (
        "cli",
        &[
            "corpus", "domain", "engine", "fetch", "method", "model", "places", "report", "runner",
            "score", "spec", "stats", "store", "tune", "ui",
        ],
    ),
    ("main", &["cli"]),
    ("bin", &["atomic", "corpus", "domain", "engine", "method", "model", "places", "score"]),
];

/// Where a third-party crate may be named: folders or files under `src`, without the extension.
const FENCES: &[(&str, &[&str])] = &[
    ("burn", &["model", "method/loss", "method/two_task", "engine"]),
    ("burn_tch", &["model", "method/loss", "method/two_task", "engine"]),
    ("tch", &["model", "method/loss", "method/two_task", "engine"]),
    ("safetensors", &["model/checkpoints", "model/kept"]),
    ("regex", &["model/tokenisation"]),
    ("icu_normalizer", &["model/tokenisation"]),
    ("polars", &["store", "report"]),
    ("plotters", &["report/figures"]),
    ("plotters_backend", &["report/figures"]),
    ("indicatif", &["ui"]),
    ("serde_yaml", &["spec"]),
    ("clap", &["cli", "main"]),
    ("clap_complete", &["cli"]),
    ("ureq", &["fetch"]),
    ("flate2", &["fetch", "store/journal"]),
    ("tar", &["fetch"]),
    ("zip", &["fetch"]),
];

/// An edge that may not be there.
#[derive(Debug, PartialEq)]
struct Breach {
    file: String,
    line: usize,
    from: String,
    to: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Breach { file, line, from, to } = self;
        write!(f, "src/{file}:{line}: {from} may not know {to}")
    }
}

/// A path as the source names it, `use` groups written out.
#[derive(Debug, PartialEq)]
struct Named {
    line: usize,
    segments: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Sign(char),
    /// `::`
    Then,
}

/// The words and signs of a source text with their lines; comments and literals are left out.
fn tokens(source: &str) -> Vec<(usize, Token)> {
    let chars: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(&c) = chars.get(at) {
        let end = match c {
            '/' if chars.get(at + 1) == Some(&'/') => end_where(&chars, at, |c| c == '\n'),
            '/' if chars.get(at + 1) == Some(&'*') => end_of_block_comment(&chars, at),
            '"' => end_of_string(&chars, at + 1),
            'r' if raw_string_end(&chars, at).is_some() => {
                raw_string_end(&chars, at).unwrap_or(at + 1)
            }
            '\'' => end_of_quote(&chars, at),
            c if c.is_alphanumeric() || c == '_' => {
                let end = end_where(&chars, at, |c| !(c.is_alphanumeric() || c == '_'));
                found.push((line, Token::Word(chars[at..end].iter().collect())));
                end
            }
            ':' if chars.get(at + 1) == Some(&':') => {
                found.push((line, Token::Then));
                at + 2
            }
            c => {
                if !c.is_whitespace() {
                    found.push((line, Token::Sign(c)));
                }
                at + 1
            }
        };
        line += chars[at..end.min(chars.len())].iter().filter(|&&c| c == '\n').count();
        at = end;
    }
    found
}

fn end_where(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    chars[from..].iter().position(|&c| stop(c)).map_or(chars.len(), |n| from + n)
}

fn end_of_block_comment(chars: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0usize, from);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) if depth == 1 => return at + 2,
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    chars.len()
}

fn end_of_string(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// The end of `r"…"` or `r#"…"#`, if one starts here.
fn raw_string_end(chars: &[char], at: usize) -> Option<usize> {
    if at > 0 && (chars[at - 1].is_alphanumeric() && chars[at - 1] != 'b' || chars[at - 1] == '_') {
        return None;
    }
    let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    if chars.get(at + 1 + hashes) != Some(&'"') {
        return None;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = at + 2 + hashes;
    let end = chars[body..].windows(close.len()).position(|w| w == close);
    Some(end.map_or(chars.len(), |n| body + n + close.len()))
}

/// The end of a character literal, or of the quote alone where it starts a lifetime.
fn end_of_quote(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => end_where(chars, at + 3, |c| c == '\'') + 1,
        (Some(_), Some('\'')) => at + 3,
        _ => at + 1,
    }
}

/// Every path that a source text names.
fn paths(source: &str) -> Vec<Named> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        at = match &tokens[at].1 {
            Token::Word(word) if word == "use" || word == "crate" && !starts_path(&tokens, at) => {
                let before = found.len();
                let after = tree(&tokens, at + 1, &[], &mut found);
                // `use NAME;` and `extern crate NAME;` name all of it, however short.
                found[before..].iter_mut().for_each(|named| named.segments.push("self".to_owned()));
                after
            }
            Token::Word(_) => tree(&tokens, at, &[], &mut found),
            _ => at + 1,
        };
    }
    found
}

fn starts_path(tokens: &[(usize, Token)], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|(_, next)| *next == Token::Then)
}

/// Reads one path, or tree of paths in braces, and gives the place after it.
fn tree(
    tokens: &[(usize, Token)],
    from: usize,
    prefix: &[String],
    found: &mut Vec<Named>,
) -> usize {
    let mut segments = prefix.to_vec();
    let mut at = from;
    let line = tokens.get(at).map_or(0, |t| t.0);
    loop {
        match tokens.get(at).map(|t| &t.1) {
            Some(Token::Then) => at += 1,
            Some(Token::Word(word)) => {
                segments.push(word.clone());
                at += 1;
                if tokens.get(at).map(|t| &t.1) != Some(&Token::Then) {
                    break;
                }
            }
            Some(Token::Sign('{')) if at > from || !prefix.is_empty() => {
                return group(tokens, at + 1, &segments, found);
            }
            _ => break,
        }
    }
    found.push(Named { line, segments });
    at.max(from + 1)
}

/// Reads the inside of `{…}`, each part with the same beginning.
fn group(
    tokens: &[(usize, Token)],
    from: usize,
    prefix: &[String],
    found: &mut Vec<Named>,
) -> usize {
    let mut at = from;
    while let Some((_, token)) = tokens.get(at) {
        at = match token {
            Token::Sign('}') => return at + 1,
            Token::Word(word) if word == "as" => at + 2,
            Token::Word(_) | Token::Then => tree(tokens, at, prefix, found),
            _ => at + 1,
        };
    }
    at
}

/// The module path of a file under `src`: `store/lock.rs` is `[store, lock]`.
fn module_of(file: &str) -> Vec<String> {
    let stem = file.trim_end_matches(".rs").trim_end_matches("/mod");
    stem.split('/').map(str::to_owned).collect()
}

/// The path from the crate's root, if it is one of this crate: `[store, Lock]`.
fn from_root(named: &Named, module: &[String]) -> Option<Vec<String>> {
    let first = named.segments.first()?;
    let up = named.segments.iter().take_while(|s| *s == "super").count();
    match first.as_str() {
        "crate" | "tailgrid" => Some(named.segments[1..].to_vec()),
        "super" if up >= module.len() => Some(named.segments[up..].to_vec()),
        _ => None,
    }
}

fn within(file: &str, place: &str) -> bool {
    let stem = file.trim_end_matches(".rs");
    stem == place || stem.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))
}

/// The edges of one file that may not be there.
fn breaches(file: &str, source: &str) -> Vec<Breach> {
    if file == "lib.rs" {
        return Vec::new(); // the list of the modules
    }
    let module = module_of(file);
    let own = &module[0];
    let allowed = ALLOWED.iter().find(|(name, _)| name == own).map(|(_, allowed)| *allowed);
    let known = |name: &str| ALLOWED.iter().any(|(module, _)| *module == name);
    let may = |path: &[String]| {
        let begins = |allowed: &&str| {
            let mut path = path.iter();
            allowed.split("::").all(|part| path.next().is_some_and(|segment| segment == part))
        };
        allowed.unwrap_or_default().iter().any(begins)
    };
    let mut found = Vec::new();
    for named in paths(source) {
        let mut breach = |to: String| {
            found.push(Breach { file: file.to_owned(), line: named.line, from: own.clone(), to });
        };
        match from_root(&named, &module) {
            Some(path) if path.first().is_some_and(|to| to != own && known(to)) && !may(&path) => {
                let shown = path.iter().take(2).filter(|segment| *segment != "self");
                breach(shown.cloned().collect::<Vec<_>>().join("::"));
            }
            _ => {}
        }
        let first = named.segments.first().map_or("", String::as_str);
        match FENCES.iter().find(|(name, _)| *name == first) {
            // A lone word may be anything (a field, a variable); a path or a `use` is the crate.
            Some((name, places))
                if named.segments.len() > 1 && !places.iter().any(|p| within(file, p)) =>
            {
                breach((*name).to_owned());
            }
            _ => {}
        }
    }
    found
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_modules_know_only_whom_they_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    files.sort();
    let mut found = Vec::new();
    for path in &files {
        let file = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        let own = module_of(&file).remove(0);
        assert!(
            own == "lib" || ALLOWED.iter().any(|(name, _)| *name == own),
            "src/{file}: the module {own} is not in the list of tests/it/layers.rs"
        );
        found.extend(breaches(&file, &std::fs::read_to_string(path).unwrap()));
    }
    assert!(files.len() > 10, "no sources in {}", src.display());
    let text: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(text.is_empty(), "edges that may not be there:\n{}", text.join("\n"));
}

#[test]
fn a_forbidden_edge_is_caught_however_it_is_written() {
    let cases = [
        ("stats/mod.rs", "use crate::domain::Tag;", "stats may not know domain::Tag"),
        (
            "report/mod.rs",
            "use crate::{store::Results, runner::Pool};",
            "report may not know runner::Pool",
        ),
        (
            "report/a.rs",
            "use crate::{\n  domain::{Tag, Split},\n  spec as s,\n};",
            "report may not know spec",
        ),
        ("runner/worker.rs", "fn f() { crate::engine::run() }", "runner may not know engine::run"),
        ("ui/bars.rs", "use crate::runner::Pool;", "ui may not know runner::Pool"),
        ("store/mod.rs", "fn f() -> super::cli::Exit {}", "store may not know cli::Exit"),
        ("store/lock.rs", "use super::super::report;", "store may not know report"),
        ("spec/mod.rs", "fn f<'a>(x: &'a crate::cli::Common) {}", "spec may not know cli::Common"),
        ("runner/mod.rs", "use burn::tensor::Tensor;", "runner may not know burn"),
        ("method/resample/sc.rs", "use ::tch::Tensor;", "method may not know tch"),
        ("report/tables/csv.rs", "use plotters::prelude::*;", "report may not know plotters"),
        ("cli/run.rs", "let v = serde_yaml::from_str(x);", "cli may not know serde_yaml"),
        ("runner/a.rs", "#[derive(Copy, clap::ValueEnum)]", "runner may not know clap"),
        ("ui/mod.rs", "use burn as b;", "ui may not know burn"),
        ("spec/a.rs", "use crate::report::tables::Table;", "spec may not know report::tables"),
        ("ui/mod.rs", "extern crate polars;", "ui may not know polars"),
        ("main.rs", "tailgrid::engine::run();", "main may not know engine::run"),
    ];
    for (file, source, edge) in cases {
        let found = breaches(file, source);
        assert_eq!(found.len(), 1, "{file}: {source}: {found:?}");
        assert!(found[0].to_string().ends_with(edge), "{}", found[0]);
    }
}

#[test]
fn an_allowed_edge_and_a_mere_mention_are_not() {
    let cases = [
        ("score/mod.rs", "use crate::domain::{Tag, TypeId as T};"),
        ("ui/bars.rs", "use crate::runner::events::Event;"),
        ("spec/schema.rs", "use crate::report::tables::registry;"),
        ("method/loss/focal.rs", "use burn::tensor::Tensor; use tch::nn;"),
        ("method/loss.rs", "use burn::tensor::Tensor;"),
        ("report/figures/displacement.rs", "use plotters::prelude::*;"),
        ("stats/mod.rs", "//! like crate::domain\n/* crate::cli::x /* nested */ burn::x */"),
        (
            "stats/mod.rs",
            "let a = \"use crate::cli::x \\\" burn::y\"; let b = r#\"burn::x\"#; let c = '\"';",
        ),
        ("stats/t.rs", "use super::mean; mod tests { use super::super::sd; }"),
        ("stats/mod.rs", "let burn = 1; x.polars = burn;"),
        ("cli/run.rs", "use crate::{runner, store, ui};"),
        ("stats/mod.rs", "pub(crate) fn f() {} pub(crate) use x::y;"),
    ];
    for (file, source) in cases {
        assert_eq!(breaches(file, source), [], "{file}: {source}");
    }
}

#[test]
fn a_breach_names_its_line() {
    let found =
        breaches("stats/mod.rs", "//! Docs.\n\nuse std::fmt;\nuse crate::{\n    cli,\n};\n");
    assert_eq!(found.iter().map(|b| b.line).collect::<Vec<_>>(), [5]);
}
