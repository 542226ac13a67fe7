//! `tailgrid init`: a folder for a newcomer's own corpus, with a small one that trains as it is.

use super::output::print;
use super::{CliError, Common, Exit};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a commented grid file and an example corpus into a folder
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The folder; it is made if it does not exist
    pub dir: PathBuf,
}

/// The grid file that is written.
const GRID: &str = include_str!("init/grid.yaml");

/// Writes the folder and says what to do next.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    write(&args.dir)?;
    if !common.quiet {
        print(&next_steps(&args.dir))?;
    }
    Ok(Exit::Done)
}

fn next_steps(dir: &Path) -> String {
    let grid = dir.join("grid.yaml");
    format!(
        "Written: {grid} and {data}, an example corpus of three files.\n\
         Put your own files in their place, or run it as it is:\n\n  \
         tailgrid plan {grid}\n  tailgrid run {grid}\n  tailgrid report {grid}\n",
        grid = grid.display(),
        data = dir.join("data").display(),
    )
}

/// Writes all files, or none if one of them is there already.
fn write(dir: &Path) -> Result<(), CliError> {
    let name = grid_name(dir);
    let files = [
        ("grid.yaml", GRID.replace("NAME", &name)),
        ("data/train.txt", columns(0..240)),
        ("data/dev.txt", columns(240..300)),
        ("data/test.txt", columns(300..400)),
    ];
    let targets = files.map(|(file, text)| (dir.join(file), text));
    if let Some((path, _)) = targets.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let message = format!(
            "{} is there already and was left as it is; give another folder",
            path.display()
        );
        return Err(CliError::new(Exit::Invalid, message));
    }
    let problem = |path: &Path, error: std::io::Error| {
        CliError::new(Exit::Invalid, format!("cannot write {}: {error}", path.display()))
    };
    let data = dir.join("data");
    fs::create_dir_all(&data).map_err(|error| problem(&data, error))?;
    for (path, text) in &targets {
        // `create_new`: a file that came in between is not overwritten either.
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| problem(path, error))?;
    }
    Ok(())
}

/// A grid's name made of the folder's.
fn grid_name(dir: &Path) -> String {
    let last =
        dir.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = last.chars().map(allowed).take(64).collect();
    match name.trim_matches('-') {
        "" => "my-grid".to_owned(),
        name => name.to_owned(),
    }
}

/// What the example's sentences say; `P`, `L` and `O` are a person, a place and an organisation.
const SENTENCES: &[&str] = &[
    "P lives in L .",
    "The train to L leaves at noon .",
    "It rained all day in L .",
    "P met P in the market of L .",
    "Nobody had seen the letter .",
    "O has opened an office in L .",
    "P will visit L next week .",
    "The weather was cold and grey .",
    "P works for O .",
    "They walked home through the rain .",
    "The road from L to L is closed .",
    "She bought bread and three apples .",
];
const PERSONS: &[&str] = &[
    "Anna Berg",
    "Tom Hale",
    "Mira",
    "Jonas Lind",
    "Ines Rocha",
    "Paul",
    "Sara Holm",
    "Leo Marsh",
    "Nora",
    "Ivan Petrov",
    "Ruth Klein",
    "Omar",
    "Lena Fox",
    "Hugo Stern",
    "Emma",
    "Karl Winter",
];
const PLACES: &[&str] = &[
    "Oslo",
    "Rome",
    "New Haven",
    "Lisbon",
    "Porto",
    "Vienna",
    "Long Bay",
    "Bergen",
    "Turin",
    "Graz",
    "Leeds",
    "Old Harbour",
    "Lyon",
    "Ghent",
    "Bern",
    "Cork",
    "Gdansk",
    "Split",
    "Malmo",
    "Riga",
];
const ORGANISATIONS: &[&str] =
    &["Northwind Bank", "Halden", "Blue River Press", "Ostara Foods", "Kestrel Air", "Union Mills"];

/// Sentences of the example in column form, with tags in IOB2. Later sentences meet names that
/// earlier ones have not: the numbers that pick them share no factor with the lists.
fn columns(numbers: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for number in numbers {
        for (place, word) in SENTENCES[number % SENTENCES.len()].split(' ').enumerate() {
            let pick = number * 7 + number / 5 + place * 3;
            match word {
                "P" => entity(PERSONS[pick % PERSONS.len()], "PER", &mut text),
                "L" => entity(PLACES[pick % PLACES.len()], "LOC", &mut text),
                "O" => entity(ORGANISATIONS[pick % ORGANISATIONS.len()], "ORG", &mut text),
                word => text.push_str(&format!("{word}\tO\n")),
            }
        }
        text.push('\n');
    }
    text
}

fn entity(name: &str, entity_type: &str, text: &mut String) {
    for (index, word) in name.split(' ').enumerate() {
        let prefix = if index == 0 { 'B' } else { 'I' };
        text.push_str(&format!("{word}\t{prefix}-{entity_type}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::{LoadOptions, load};

    #[test]
    fn the_folder_is_a_grid_without_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("My Corpus");
        write(&dir).unwrap();
        let default_backend = domain::Backend::Libtorch;
        let options = LoadOptions {
            sets: &[],
            corpora: Path::new(""),
            catalogue: None,
            tables: report::tables::registry::NAMED,
            pretrained: Path::new(""),
            engine: "1",
            default_backend,
        };
        let grid = load(&dir.join("grid.yaml"), &options).unwrap();
        assert_eq!((grid.name.as_str(), grid.warnings.len()), ("my-corpus", 0));
        assert!(next_steps(&dir).contains("tailgrid run"));
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(folder.path().join("data/test.txt"), "mine").unwrap();
        let error = write(folder.path()).unwrap_err();
        assert!(error.message.contains("test.txt is there already"), "{}", error.message);
        assert!(!folder.path().join("grid.yaml").exists());
        assert_eq!(fs::read_to_string(folder.path().join("data/test.txt")).unwrap(), "mine");
    }

    #[test]
    fn the_example_has_every_type_in_every_split_and_a_long_tail() {
        for numbers in [0..240, 240..300, 300..400] {
            let text = columns(numbers);
            let count = |tag: &str| text.lines().filter(|line| line.ends_with(tag)).count();
            assert!(count("B-LOC") > count("B-PER") && count("B-PER") > count("B-ORG"));
            assert!(count("B-ORG") > 0);
            assert!(text.lines().all(|line| line.is_empty() || line.split('\t').count() == 2));
        }
        assert_ne!(columns(0..60), columns(240..300));
    }
}
