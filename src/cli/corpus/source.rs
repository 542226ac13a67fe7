//! Which corpora a command is about: names of the catalogue, grids, or files with their format.

use super::super::{CliError, Common, Exit, offers};
use crate::cli::output::message;
use clap::builder::{PossibleValue, PossibleValuesParser};
use corpus::schemes::{Repair, Scheme};
use corpus::{self, Distribution, Remark, formats};
use spec::{self, Catalogue, Named, NamedCorpus, did_you_mean};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Corpora, and how their files are read.
#[derive(clap::Args, Clone, Debug)]
pub struct SourceArgs {
    /// Names of the catalogue, grid files (*.yaml, for all their corpora), or files of one corpus:
    /// FILE, or train=FILE dev=FILE test=FILE to say which split is which
    #[arg(required = true, value_name = "NAME|GRID|FILE")]
    pub sources: Vec<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How files are read.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ReadingArgs {
    /// The format of files; `tailgrid corpora` lists them [default: as the files tell, else
    /// columns]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// A parameter of the format, as in a grid (repeatable): --param tag=-1 --param separator=tab
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
    /// How tags mark entities, short for --param scheme=NAME
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = PossibleValuesParser::new(scheme_names()))]
    pub scheme: Option<String>,
    /// Tags that the scheme forbids: read as conlleval reads them, discard their entities, or
    /// refuse the file; short for --param repair=NAME
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Repair::WORDS.iter().copied()))]
    pub repair: Option<String>,
}

/// The schemes as an option lists them, with their other names.
pub fn scheme_names() -> [PossibleValue; 5] {
    Scheme::ALL.map(|scheme| {
        let others = Scheme::OTHER_NAMES.iter().filter(|(_, name)| *name == scheme.word());
        PossibleValue::new(scheme.word()).aliases(others.map(|(other, _)| *other))
    })
}

/// The format of files where nothing else is said.
const DEFAULT_FORMAT: &str = "columns";

impl ReadingArgs {
    /// All parameters, those of the short options too.
    pub fn parameters(&self) -> Vec<String> {
        let short = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{name}={value}"))
        };
        let short = [short("scheme", &self.scheme), short("repair", &self.repair)];
        self.parameters.iter().cloned().chain(short.into_iter().flatten()).collect()
    }

    /// The name of the format of files.
    pub fn format(&self) -> &str {
        self.format.as_deref().unwrap_or(DEFAULT_FORMAT)
    }
}

/// One of the sources as it is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    Catalogue(String),
    Grid(PathBuf),
    File { split: Option<String>, path: PathBuf },
}

impl Source {
    /// A name of the catalogue goes before a file of the same name, which can be written `./name`.
    fn new(text: &str, catalogue: &Catalogue) -> Result<Self, CliError> {
        let path = PathBuf::from(text);
        if catalogue.corpora().iter().any(|entry| entry.name == text) {
            return Ok(Source::Catalogue(text.to_owned()));
        }
        if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            return Ok(Source::Grid(path));
        }
        match text.split_once('=') {
            Some((split, file)) if is_split_name(split) && !path.exists() => {
                let split = Some(split.to_owned());
                Ok(Source::File { split, path: existing(file, catalogue)? })
            }
            _ => Ok(Source::File { split: None, path: existing(text, catalogue)? }),
        }
    }
}

fn is_split_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.chars().all(allowed)
}

/// A path that is there, or what it may have meant.
fn existing(text: &str, catalogue: &Catalogue) -> Result<PathBuf, CliError> {
    if Path::new(text).exists() {
        return Ok(text.into());
    }
    let known = catalogue.corpora().iter().map(|entry| entry.name.as_str());
    let near = did_you_mean(text, known.clone());
    let slashes = text.replace('\\', "/");
    let hint = match near {
        _ if slashes != text && Path::new(&slashes).exists() => {
            format!("did you mean `{slashes}`?")
        }
        Some(near) => format!("did you mean the corpus `{near}`?"),
        None => format!("the catalogue has {}", known.collect::<Vec<_>>().join(", ")),
    };
    let message = format!("there is no file {text}, and no corpus of this name: {hint}");
    Err(CliError::new(Exit::Invalid, message))
}

impl SourceArgs {
    /// The corpora, in the order in which they were named; all files together are one.
    pub fn corpora(&self, common: &Common) -> Result<Vec<NamedCorpus>, CliError> {
        let catalogue = offers::catalogue(common)?;
        let sources: Result<Vec<Source>, CliError> =
            self.sources.iter().map(|text| Source::new(text, &catalogue)).collect();
        let sources = sources?;
        if !common.sets.is_empty() && !sources.iter().any(|s| matches!(s, Source::Grid(_))) {
            let message = "`--set` changes a grid, and none is named: use `--param NAME=VALUE`";
            return Err(CliError::new(Exit::Usage, message));
        }
        let parameters = self.reading.parameters();
        let named = Named { catalogue: &catalogue, sets: &common.sets, parameters: &parameters };
        let (mut corpora, mut files) = (Vec::new(), Vec::new());
        for source in sources {
            match source {
                Source::Catalogue(name) => {
                    let corpus = spec::corpus_of_catalogue(&name, &named);
                    corpora.extend(corpus.transpose().map_err(|found| CliError::listed(&found))?);
                }
                Source::Grid(path) => {
                    let found = spec::corpora_of_grid(&path, &named);
                    corpora.extend(found.map_err(|found| CliError::listed(&found))?);
                }
                Source::File { split, path } => files.push((split, path)),
            }
        }
        match (files.is_empty(), &self.reading.format) {
            (false, _) => corpora.push(self.files(files)?),
            (true, Some(_)) => {
                let message =
                    "`--format` is for files: corpora of the catalogue and of grids say theirs";
                return Err(CliError::new(Exit::Usage, message));
            }
            (true, None) => {}
        }
        Ok(corpora)
    }

    /// The one corpus that is asked for.
    pub fn only(&self, common: &Common) -> Result<NamedCorpus, CliError> {
        let mut corpora = self.corpora(common)?;
        match corpora.len() {
            1 => Ok(corpora.remove(0)),
            n => {
                let message = format!("this takes one corpus at a time, and {n} are named");
                Err(CliError::new(Exit::Usage, message))
            }
        }
    }

    fn files(&self, files: Vec<(Option<String>, PathBuf)>) -> Result<NamedCorpus, CliError> {
        let format = match &self.reading.format {
            Some(format) => format,
            None => recognised(&files)?,
        };
        let format = spec::format_named(format, &self.reading.parameters())
            .map_err(|found| CliError::listed(&found))?;
        let name = corpus_name(&files);
        let mut roles = BTreeMap::new();
        for (split, path) in split_names(files) {
            if roles.contains_key(&split) {
                let message = format!("two files are called {split}: say train=FILE test=FILE");
                return Err(CliError::new(Exit::Usage, message));
            }
            roles.insert(split, path);
        }
        Ok(NamedCorpus { name, format, files: roles, counts: BTreeMap::new() })
    }
}

/// The format of files that none is named for: what folders hold and how JSON begins tells, and all
/// else is read as columns.
fn recognised(files: &[(Option<String>, PathBuf)]) -> Result<&'static str, CliError> {
    let mut found: Vec<&'static str> = Vec::new();
    for (_, path) in files {
        let format = match path.is_dir() {
            true => format_of_folder(path)?,
            false if begins_as_json(path) => "json-spans",
            false => DEFAULT_FORMAT,
        };
        if !found.contains(&format) {
            found.push(format);
        }
    }
    match found[..] {
        [one] => Ok(one),
        _ => {
            let message = format!(
                "the files seem to be of several formats ({}): say which with `--format`",
                found.join(", ")
            );
            Err(CliError::new(Exit::Usage, message))
        }
    }
}

/// The first format that reads a folder with such files. The texts of a folder are BRAT's only with
/// annotations beside them.
fn format_of_folder(folder: &Path) -> Result<&'static str, CliError> {
    let reading = || {
        formats::ENTRIES.iter().filter_map(|entry| {
            let endings = formats::reads(entry.name).folder;
            (!endings.is_empty()).then_some((entry.name, endings))
        })
    };
    let of_one_kind = |ending: &str| corpus::files_of(folder, &[ending]).is_ok();
    let fits = |endings: &[&str]| endings.iter().all(|ending| of_one_kind(ending));
    let is_text_alone = |endings: &[&str]| endings == [".txt"];
    let mut fitting = reading().filter(|(_, endings)| !is_text_alone(endings) && fits(endings));
    fitting.next().map(|(name, _)| name).ok_or_else(|| {
        let known: Vec<String> = reading()
            .map(|(name, endings)| format!("{name} ({})", endings.join(", ")))
            .collect();
        let message = format!(
            "{} is a folder, and nothing in it tells its format: say it with `--format`; formats that read \
             folders are {}",
            folder.display(),
            known.join(", ")
        );
        CliError::new(Exit::Usage, message)
    })
}

/// Whether a file ends like JSON and begins like it; a token may well be a bracket.
fn begins_as_json(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|ending| ending == "jsonl" || ending == "json");
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(1024).read_to_end(&mut start));
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start).trim_ascii_start();
    read.is_ok() && (is_named && text.starts_with(b"[") || text.starts_with(b"{\""))
}

/// A name for a corpus of files: that of the only one, or of the folder of all of them.
fn corpus_name(files: &[(Option<String>, PathBuf)]) -> String {
    let shown = |name: Option<&std::ffi::OsStr>| name.map(|name| name.display().to_string());
    let folder = |path: &Path| path.parent().map(Path::to_owned);
    let name = match files {
        [(_, only)] => shown(only.file_name()),
        [(_, first), rest @ ..] if rest.iter().all(|(_, p)| folder(p) == folder(first)) => {
            shown(folder(first).as_deref().and_then(Path::file_name))
        }
        _ => None,
    };
    name.unwrap_or_else(|| "files".to_owned())
}

/// The split of each file: as it was given, or as the file's name tells. Where two files tell the
/// same, or one tells nothing, a split is called by its file's name.
fn split_names(files: Vec<(Option<String>, PathBuf)>) -> Vec<(String, PathBuf)> {
    let file_name = |path: &Path| {
        path.file_name().map_or_else(|| path.display().to_string(), |n| n.display().to_string())
    };
    let told: Vec<Option<&str>> = files
        .iter()
        .map(|(given, path)| match given {
            Some(_) => None,
            None => told_split(&file_name(path)),
        })
        .collect();
    let times = |split: &str| {
        let given = files.iter().filter(|(given, _)| given.as_deref() == Some(split)).count();
        given + told.iter().filter(|told| **told == Some(split)).count()
    };
    let name =
        |((given, path), told): (&(Option<String>, PathBuf), &Option<&str>)| match (given, told) {
            (Some(given), _) => given.clone(),
            (None, Some(told)) if times(told) == 1 => told.to_string(),
            (None, _) => file_name(path),
        };
    let names: Vec<String> = files.iter().zip(&told).map(name).collect();
    names.into_iter().zip(files.into_iter().map(|(_, path)| path)).collect()
}

/// The split that a file's name tells, as the corpora of the field call theirs.
fn told_split(file_name: &str) -> Option<&'static str> {
    let name = file_name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
    let has_word = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if name.contains("train") {
        Some("train")
    } else if name.contains("devel") || name.contains("valid") || has_word(&["dev", "val", "testa"])
    {
        Some("dev")
    } else if name.contains("test") {
        Some("test")
    } else {
        None
    }
}

/// Reads a corpus, as its files are or as jobs see it; what its reader had to decide goes to
/// standard error.
pub fn read(
    corpus: &NamedCorpus,
    as_trained: bool,
    common: &Common,
) -> Result<Distribution, CliError> {
    let read = if as_trained { corpus::as_trained } else { corpus::as_distributed };
    let distribution =
        read(&corpus.format, &corpus.files).map_err(|error| CliError::new(Exit::Invalid, error))?;
    if !common.quiet {
        distribution.remarks.iter().for_each(tell);
    }
    Ok(distribution)
}

fn tell(remark: &Remark) {
    message!("warning: {remark}{}", remark.elsewhere());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Vec<String> {
        let file = |text: &&str| match text.split_once('=') {
            Some((split, path)) => (Some(split.to_owned()), path.into()),
            None => (None, text.into()),
        };
        split_names(paths.iter().map(file).collect()).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn splits_are_called_as_the_corpora_of_the_field_call_them() {
        for (files, splits) in [
            (
                vec!["d/wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated"],
                ["train", "dev", "test"],
            ),
            (vec!["eng.train", "eng.testa", "eng.testb"], ["train", "dev", "test"]),
            (vec!["train.tsv", "devel.tsv", "test.tsv"], ["train", "dev", "test"]),
            (vec!["AnEM.train", "AnEM.test", "notes.txt"], ["train", "test", "notes.txt"]),
            (vec!["a/train.txt", "b/train.txt", "c"], ["train.txt", "train.txt", "c"]),
            (vec!["train=x", "y.train", "test=z"], ["train", "y.train", "test"]),
        ] {
            assert_eq!(named(&files), splits, "{files:?}");
        }
    }

    #[test]
    fn a_corpus_of_files_is_called_by_its_folder_or_its_only_file() {
        let name = |paths: &[&str]| {
            corpus_name(&paths.iter().map(|path| (None, path.into())).collect::<Vec<_>>())
        };
        assert_eq!(name(&["d/train.txt"]), "train.txt");
        assert_eq!(name(&["data/mine/a", "data/mine/b"]), "mine");
        assert_eq!(name(&["a", "b"]), "files");
        assert_eq!(name(&["c/a", "d/b"]), "files");
    }

    #[test]
    fn sources_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x=1.txt");
        std::fs::write(&file, "").unwrap();
        let catalogue = Catalogue::shipped(Path::new(""));
        let source = |text: &str| Source::new(text, &catalogue).map_err(|error| error.message);
        let path = file.to_str().unwrap();
        assert_eq!(source("wnut17"), Ok(Source::Catalogue("wnut17".into())));
        assert_eq!(source("a/grid.yaml"), Ok(Source::Grid("a/grid.yaml".into())));
        assert_eq!(source(path), Ok(Source::File { split: None, path: file.clone() }));
        let split = Some("dev".to_owned());
        assert_eq!(source(&format!("dev={path}")), Ok(Source::File { split, path: file.clone() }));
        let near = source("wnut71").unwrap_err();
        assert!(near.contains("did you mean the corpus `wnut17`?"), "{near}");
        assert!(source("train=nowhere.txt").unwrap_err().contains("no file nowhere.txt"));
    }

    #[test]
    fn short_options_are_parameters() {
        let reading = ReadingArgs {
            parameters: vec!["tag=1".into()],
            scheme: Some("iob1".into()),
            repair: Some("refuse".into()),
            ..ReadingArgs::default()
        };
        assert_eq!(reading.parameters(), ["tag=1", "scheme=iob1", "repair=refuse"]);
        assert_eq!(reading.format(), "columns");
    }
}
