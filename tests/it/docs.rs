//! What the documentation says is so: every command in it is run (with the mock engine, in an empty
//! folder that has what the page shows), every `make` target exists, every link leads somewhere,
//! every method has its section, and pages show the committed results.

use crate::program;
use spec::Catalogue;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A fenced block: the language, and the files it stands for (```` ```yaml title=grids/mine.yaml ````,
/// several with commas between).
#[derive(Debug, PartialEq)]
struct Block {
    line: usize,
    language: String,
    title: Option<String>,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|e| e == "md")));
    pages.sort();
    pages
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in page.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                let mut words = info.split_whitespace();
                let language = words.next().unwrap_or_default().to_owned();
                let title = words.find_map(|w| w.strip_prefix("title=")).map(str::to_owned);
                found.push(Block { line: number + 1, language, title, text: String::new() });
                open = true;
            }
            None if open => {
                let block = found.last_mut().unwrap();
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a block is not closed");
    found
}

/// The commands of a block: all its lines if it is `sh`, those after `$ ` if it is `console`.
fn commands(block: &Block) -> Vec<(usize, String)> {
    let lines = block.text.lines().enumerate();
    let commands = lines.filter_map(|(n, line)| match block.language.as_str() {
        "sh" => Some((block.line + 1 + n, line)),
        "console" => line.strip_prefix("$ ").map(|line| (block.line + 1 + n, line)),
        _ => None,
    });
    let plain = commands.map(|(n, line)| {
        let end = line.find(" #").unwrap_or(line.len());
        (n, line[..end].trim().to_owned())
    });
    plain.filter(|(_, command)| !command.is_empty() && !command.starts_with('#')).collect()
}

/// The words of a command; quotes keep a word together.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut inside) = (None, false);
    for c in command.chars() {
        match (c, quote) {
            ('"' | '\'', None) => (quote, inside) = (Some(c), start_word(&mut words, inside)),
            (c, Some(q)) if c == q => quote = None,
            (c, None) if c.is_whitespace() => inside = false,
            (c, _) => {
                inside = start_word(&mut words, inside);
                words.last_mut().unwrap().push(c);
            }
        }
    }
    assert!(quote.is_none(), "a quote is not closed: {command}");
    words
}

fn start_word(words: &mut Vec<String>, inside: bool) -> bool {
    if !inside {
        words.push(String::new());
    }
    true
}

/// The targets that `make help` lists.
fn targets(makefile: &str) -> Vec<&str> {
    let rules = makefile.lines().filter(|line| line.contains(" ## "));
    rules.filter_map(|line| line.split_once(':')).map(|(target, _)| target).collect()
}

/// What is wrong with a command of the documentation, if anything.
fn problem(command: &str, place: &Path) -> Option<String> {
    let words = words(command);
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    match words[0].as_str() {
        "make" => make_problem(&arguments),
        // What comes over the network is tested elsewhere; here the names must be right.
        "tailgrid" | "target/release/tailgrid"
            if arguments.first() == Some(&"fetch") && arguments.len() > 1 =>
        {
            fetch_problem(&arguments[1..])
        }
        // The mock engine keeps no models; the tests of training tag text with a real one.
        "tailgrid" if arguments.first() == Some(&"predict") && arguments.len() > 1 => None,
        "tailgrid" | "target/release/tailgrid" => tailgrid_problem(&arguments, place),
        ".ci/run" => (!root().join(".ci/run").is_file()).then(|| "there is no .ci/run".to_owned()),
        "benches/regret" => script_problem("benches/regret", &arguments),
        // These need another place, or take too long to be run by a test of the documentation.
        "git" if arguments.first() == Some(&"clone") => None,
        "cargo" if ["test", "insta"].contains(arguments.first().unwrap_or(&"")) => None,
        other => Some(format!("no test knows how to run `{other}`")),
    }
}

fn make_problem(arguments: &[&str]) -> Option<String> {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let targets = targets(&makefile);
    let unknown = |word: &&&str| match word.split_once('=') {
        Some((variable, _)) => !makefile.contains(&format!("\n{variable} = ")),
        None => !targets.contains(*word),
    };
    arguments.iter().find(unknown).map(|word| format!("the Makefile has no {word}"))
}

/// A script that takes hours: it must exist and know the options.
fn script_problem(path: &str, arguments: &[&str]) -> Option<String> {
    let Ok(script) = fs::read_to_string(root().join(path)) else {
        return Some(format!("there is no {path}"));
    };
    let options = arguments.iter().filter(|word| word.starts_with("--"));
    let mut unknown =
        options.filter(|option| !script.contains(&format!("add_argument(\"{option}\"")));
    unknown.next().map(|option| format!("{path} has no {option}"))
}

fn tailgrid_problem(arguments: &[&str], place: &Path) -> Option<String> {
    let mut command = program::command(place);
    command.args(arguments);
    let name = arguments.first().copied().unwrap_or_default();
    // The engine is part of a job's key: whoever reads the results must name the same one.
    let with_engine = [
        "run", "demo", "plan", "status", "compare", "power", "report", "explain", "export", "gc",
        "verify", "serve",
    ];
    if with_engine.contains(&name) {
        command.args(["--engine", "mock"]);
    }
    if name == "serve" {
        return serve_problem(command);
    }
    let done = command.output().unwrap();
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Some(format!("it ended with {}:\n{said}", done.status));
    }
    let printed = String::from_utf8_lossy(&done.stdout);
    let untested = name == "compare" && !has_tests(&printed);
    untested.then(|| format!("there is no test in it:\n{printed}"))
}

/// A server does not end by itself: that it says where it is will do.
fn serve_problem(mut command: Command) -> Option<String> {
    let mut server = command.stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(server.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut said = Vec::new();
    let served = lines
        .inspect(|line| said.push(line.clone()))
        .any(|line| line.starts_with("page: http://127.0.0.1:"));
    let _ = server.kill();
    let _ = server.wait();
    (!served).then(|| format!("it served nothing:\n{}", said.join("\n")))
}

/// The names that the catalogue has.
fn catalogued() -> Vec<String> {
    let catalogue = Catalogue::shipped(Path::new("data"));
    let corpora = catalogue.corpora().iter().map(|entry| entry.name.clone());
    let files = catalogue.embeddings().iter().chain(catalogue.checkpoints());
    corpora.chain(files.map(|entry| entry.name.clone())).collect()
}

fn fetch_problem(names: &[&str]) -> Option<String> {
    let known = catalogued();
    let unknown = names.iter().find(|name| !known.iter().any(|known| known == *name));
    unknown.map(|name| format!("the catalogue has no {name}"))
}

/// Whether a comparison, in words, as a table or as JSON, has a verdict or a p-value in it.
fn has_tests(printed: &str) -> bool {
    match serde_json::from_str::<serde_json::Value>(printed) {
        Ok(json) => {
            let comparisons = json["comparisons"].as_array();
            comparisons.into_iter().flatten().any(|c| c["p_holm"].is_number())
        }
        Err(_) => printed.lines().any(|line| {
            let of_a_table = line.starts_with("| ") || line.ends_with("\\\\");
            let verdicts = ["above", "below", "no difference shown"];
            verdicts.iter().any(|verdict| line.ends_with(verdict))
                || of_a_table && line.contains(" 0.")
        }),
    }
}

/// What a shown file holds. A corpus is shown by its first sentences: as many more follow as a real
/// one would have, so that dev can be carved from it.
fn contents(block: &Block) -> String {
    match block.language.as_str() {
        "text" => format!("{}\n", block.text).repeat(50),
        _ => block.text.clone(),
    }
}

/// A folder like a clone's: the committed grids, and the files that the page shows.
fn place_for(blocks: &[Block]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("experiments")).unwrap();
    for entry in fs::read_dir(root().join("experiments")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, place.path().join("experiments").join(path.file_name().unwrap()))
                .unwrap();
        }
    }
    for block in blocks {
        for title in block.title.iter().flat_map(|titles| titles.split(',')) {
            let path = place.path().join(title);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents(block)).unwrap();
        }
    }
    place
}

#[test]
fn every_command_in_the_documentation_works() {
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages() {
        let blocks = blocks(&fs::read_to_string(&page).unwrap());
        let place = place_for(&blocks);
        for (line, command) in blocks.iter().flat_map(commands) {
            count += 1;
            if let Some(problem) = problem(&command, place.path()) {
                problems.push(format!("{}:{line}: `{command}`: {problem}", page.display()));
            }
        }
    }
    assert!(count > 10, "only {count} commands found");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn an_unknown_command_target_or_option_is_a_problem() {
    let place = tempfile::tempdir().unwrap();
    for command in [
        "make coffee",
        "make demo COLOUR=red",
        "frobnicate x",
        "tailgrid frobnicate",
        "tailgrid fetch x",
        "benches/regret --coffee",
    ] {
        assert!(problem(command, place.path()).is_some(), "{command}");
    }
    assert_eq!(problem("make demo BACKEND=flex", place.path()), None);
    assert_eq!(problem("benches/regret --table --only bilstm/wnut17/100", place.path()), None);
}

#[test]
fn a_comparison_without_results_is_a_problem() {
    let place = place_for(&[]);
    let compare =
        ["", " --json"].map(|o| format!("tailgrid compare experiments/quickstart.yaml{o}"));
    assert!(compare.iter().all(|command| problem(command, place.path()).is_some()));
    assert_eq!(problem("tailgrid run experiments/quickstart.yaml", place.path()), None);
    let problems: Vec<_> = compare.iter().map(|command| problem(command, place.path())).collect();
    assert_eq!(problems, [None, None]);
}

#[test]
fn blocks_commands_and_words_are_read_as_a_person_reads_them() {
    let page = "text\n```sh\nmake demo   # builds\n# alone\n```\n```yaml title=a/b.yaml\nx: 1\n```\n```console\n$ tailgrid plan x --only \"seed=1 model=a\"\n60 jobs\n```\n";
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 3);
    assert_eq!(blocks[1].title.as_deref(), Some("a/b.yaml"));
    assert_eq!(commands(&blocks[0]), [(3, "make demo".to_owned())]);
    assert!(commands(&blocks[1]).is_empty());
    let console = commands(&blocks[2]);
    assert_eq!(console.len(), 1);
    assert_eq!(words(&console[0].1), ["tailgrid", "plan", "x", "--only", "seed=1 model=a"]);
}

#[test]
fn every_link_of_the_documentation_leads_to_a_file() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let elsewhere = file.is_empty() || file.contains("://");
            if !elsewhere && !page.parent().unwrap().join(file).exists() {
                dead.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
}

#[test]
fn every_method_has_its_section_with_its_parameters() {
    let page = fs::read_to_string(root().join("docs/methods.md")).unwrap();
    let data = method::resample::ENTRIES.iter().chain(method::augment::ENTRIES);
    for entry in data.chain(method::loss::ENTRIES) {
        let heading = format!("\n### `{}`", entry.name);
        let section = page.split_once(&heading).map(|(_, rest)| rest);
        let section =
            section.unwrap_or_else(|| panic!("docs/methods.md has no section `{}`", entry.name));
        let section = section.split("\n### ").next().unwrap_or_default();
        for parameter in entry.parameters {
            let name = format!("`{}`", parameter.name);
            assert!(section.contains(&name), "docs/methods.md: `{}` lacks {name}", entry.name);
        }
    }
}

#[test]
fn everything_in_the_catalogue_is_in_its_page() {
    let page = fs::read_to_string(root().join("docs/corpora.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    for name in catalogued() {
        let count = rows.iter().filter(|row| row.contains(&format!("`{name}`"))).count();
        assert_eq!(count, 1, "docs/corpora.md: `{name}`");
    }
}

#[test]
fn every_bucketing_has_its_row_with_its_buckets() {
    let page = fs::read_to_string(root().join("docs/scoring.md")).unwrap();
    for bucketing in score::buckets::BUCKETINGS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", bucketing.name)));
        let buckets = format!("| {} |", bucketing.buckets.join(", "));
        assert!(row.is_some_and(|row| row.ends_with(&buckets)), "{}: {buckets}", bucketing.name);
    }
}

/// What a page shows between two markers.
fn between<'p>(page: &'p str, marker: &str) -> &'p str {
    let shown = page.split_once(&format!("<!-- {marker} -->\n")).unwrap().1;
    shown.split_once(&format!("<!-- end of {marker} -->")).unwrap().0
}

#[test]
fn the_quickstart_shows_the_committed_example() {
    let page = fs::read_to_string(root().join("docs/quickstart.md")).unwrap();
    let shown = between(&page, "example");
    let mut tables: Vec<PathBuf> = fs::read_dir(root().join("reports/example/tables"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("macro-f1-"))
        .collect();
    tables.sort();
    let table = fs::read_to_string(&tables[0]).unwrap();
    assert!(
        shown.contains(table.trim_end()),
        "the table of docs/quickstart.md is not the example's: run `make example`"
    );
    assert!(shown.contains("](../reports/example/figures/"), "docs/quickstart.md shows no picture");
}

#[test]
fn the_readme_shows_the_committed_findings() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let shown = between(&page, "findings");
    let table = fs::read_to_string(root().join("reports/findings/macro-f1-wnut17.md")).unwrap();
    assert!(
        shown.contains(table.trim_end()),
        "the README's table is not that of the findings: run `scripts/make-findings`"
    );
    let picture = "reports/findings/displacement-wnut17.png";
    assert!(
        shown.contains(picture) && root().join(picture).is_file(),
        "the README shows no picture"
    );
}
