//! `tailgrid corpus stats`: what corpora look like in numbers, as text, JSON, the tables of two
//! papers, and the figure of a third.

mod json;
mod numbers;

use super::source::{self, SourceArgs};
use crate::cli::output::{message, print, printable, shown};
use crate::cli::written::write_file;
use crate::cli::{CliError, Common, Exit};
use analysis::CorpusNumbers;
use analysis::number::{grouped, percent};
use clap::ValueEnum;
use corpus::statistics::Missampling;
use domain::{Statistics, TypeStatistics};
use numbers::{Numbers, OfSplits, Repetition, UnseenEntities};
use report::figures;
use report::tables::{self, Align, Form, Table};
use spec::{Grid, NamedCorpus};
use std::path::{Path, PathBuf};

/// Count sentences, tokens, entities and types, and how imbalanced they are
///
/// Splits are counted as they are distributed. Jobs see other ones where a corpus has no dev file;
/// the statistics say so, and --as-trained counts those.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    source: SourceArgs,
    /// Count the splits as jobs get them: dev carved from train, a single file split
    #[arg(long)]
    as_trained: bool,
    /// Print this paper's Table 1 for all corpora named: types and entity tokens of train, or sizes
    /// and B/I/O shares of all splits (repeatable)
    #[arg(long = "table", value_name = "PAPER", value_enum)]
    tables: Vec<Paper>,
    /// How tables are written; without --table, both are
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Option<Written>,
    /// Draw the entities of sentences by length, with the square root of it (Figure 2 of li2022), a
    /// panel a corpus
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    plot: Option<PathBuf>,
    /// Also tell how likely negative sampling with ⌈λ·tokens⌉ negatives misses unlabelled entities
    /// (theorem 1 of li2022); λ is 0.35 where it is not given
    #[arg(
        long,
        value_name = "LAMBDA",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0.35",
        value_parser = lambda,
        conflicts_with_all = ["tables", "form"]
    )]
    missampling: Option<f64>,
    /// The probability that an entity is not labelled, for --missampling (repeatable)
    #[arg(long, value_name = "P", value_delimiter = ',', value_parser = probability, requires = "missampling")]
    mask: Vec<f64>,
    /// Write over a plot that is there already
    #[arg(long, requires = "plot")]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  tailgrid corpus stats wnut17
  tailgrid corpus stats train.txt test.txt --scheme iob1 --param tag=-1
  tailgrid corpus stats wnut17 anem --table wang2022
  tailgrid corpus stats experiments/mine.yaml --as latex > tables.tex
  tailgrid corpus stats wnut17 ec --plot lengths.svg
  tailgrid corpus stats wnut17 --missampling=0.35 --mask 0.5,0.9";

/// Whose table.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Paper {
    Wang2022,
    Nguyen2023,
}

impl Paper {
    fn table(self, corpora: &[CorpusNumbers]) -> Table {
        match self {
            Paper::Wang2022 => tables::imbalance(corpora),
            Paper::Nguyen2023 => tables::labels(corpora),
        }
    }
}

/// What a table is written as.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Written {
    Text,
    Markdown,
    Latex,
    Csv,
}

/// Counts and prints.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let tables = args.wanted_tables();
    if common.json && !tables.is_empty() {
        let message = "`--table` and `--as` print text: leave out `--json`";
        return Err(CliError::new(Exit::Usage, message));
    }
    if let Some(path) = &args.plot {
        picture_of(path)?;
    }
    let mut counted = Vec::new();
    for corpus in args.source.corpora(common)? {
        let distribution = source::read(&corpus, args.as_trained, common)?;
        let numbers = Numbers::new(&corpus, &distribution, args.as_trained);
        counted.push(match args.missampling {
            Some(lambda) => numbers.with_missampling(&distribution, lambda, &args.mask),
            None => numbers,
        });
    }
    if let Some(path) = &args.plot {
        plot(&counted, path, args.force, common)?;
    }
    if tables.contains(&Paper::Nguyen2023) && !args.as_trained && !common.quiet {
        counted.iter().filter(|numbers| numbers.lacks_splits()).for_each(|numbers| {
            let name = &numbers.corpus.name;
            message!("note: {name} comes without some splits; --as-trained counts those of jobs");
        });
    }
    let shown = match (tables.is_empty(), common.json) {
        (false, _) => args.show_tables(&tables, &counted),
        (true, true) => format!("{:#}", json::render(&counted)),
        (true, false) => counted.iter().map(text).collect::<Vec<_>>().join("\n"),
    };
    print(&shown).map(|()| Exit::Done)
}

/// The numbers of a grid's corpora as their files are, for tables of its report.
pub fn numbers_of_grid(grid: &Grid) -> Result<Vec<CorpusNumbers>, CliError> {
    let of_corpus = |name: &String| {
        let job = grid.jobs.iter().find(|job| job.point.corpus == *name)?;
        let (format, files) = (job.settings.corpus.format.clone(), (*job.files).clone());
        let counts = Default::default();
        let named = NamedCorpus { name: name.clone(), format, files, counts };
        let read = corpus::as_distributed(&named.format, &named.files);
        let read = read.map_err(|error| CliError::new(Exit::Invalid, error));
        Some(read.map(|distribution| Numbers::new(&named, &distribution, false).corpus))
    };
    grid.corpora.iter().filter_map(of_corpus).collect()
}

/// λ of the theorem: 0 < λ < 1.
fn lambda(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|lambda| *lambda > 0.0 && *lambda < 1.0);
    number.ok_or_else(|| "expected a number above 0 and below 1".to_owned())
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|p| (0.0..=1.0).contains(p));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

impl Args {
    fn wanted_tables(&self) -> Vec<Paper> {
        match (self.tables.is_empty(), self.form) {
            (true, Some(_)) => vec![Paper::Wang2022, Paper::Nguyen2023],
            _ => self.tables.clone(),
        }
    }

    fn show_tables(&self, papers: &[Paper], counted: &[Numbers]) -> String {
        let corpora: Vec<CorpusNumbers> = counted.iter().map(|n| n.corpus.clone()).collect();
        let show = |paper: &Paper| {
            let table = paper.table(&corpora);
            match self.form.unwrap_or(Written::Text) {
                Written::Text => shown(&table),
                Written::Markdown => tables::render(&table, Form::Markdown),
                Written::Latex => tables::render(&table, Form::Latex),
                Written::Csv => tables::render(&table, Form::Csv),
            }
        };
        papers.iter().map(show).collect::<Vec<_>>().join("\n")
    }
}

/// All that there is to say of a corpus: a column a split, then the types, then what else is worth
/// knowing.
fn text(numbers: &Numbers) -> String {
    let corpus = &numbers.corpus;
    let format = match &numbers.scheme {
        Some(scheme) => format!("{}, {scheme}", numbers.format),
        None => numbers.format.clone(),
    };
    let columns = columns(&corpus.splits, &corpus.whole, &corpus.further);
    let types = match types(numbers, &columns) {
        Some(types) => shown(&types),
        None => "  no entities\n".to_owned(),
    };
    let missampling = numbers.missampling.as_ref().map(missampling);
    let missampling = missampling.map_or_else(String::new, |table| format!("\n{}", shown(&table)));
    format!(
        "{} ({format})\n\n{}\n{types}\n{}{missampling}",
        printable(&corpus.name),
        shown(&splits(&columns)),
        shown(&notes(numbers))
    )
}

/// The splits with what is known of them, all of them together where they are several, and further
/// parts.
fn columns<'a, T>(
    splits: &'a [(String, T)],
    whole: &'a T,
    further: &'a [(String, T)],
) -> Vec<(&'a str, &'a T)> {
    fn named<T>(splits: &[(String, T)]) -> impl Iterator<Item = (&str, &T)> {
        splits.iter().map(|(name, of_split)| (name.as_str(), of_split))
    }
    let whole = (splits.len() > 1).then_some(("whole", whole));
    named(splits).chain(whole).chain(named(further)).collect()
}

/// Rows of numbers under the names of the splits.
fn by_split<T>(head: &str, columns: &[(&str, &T)], rows: Vec<Vec<String>>) -> Table {
    let names = columns.iter().map(|(name, _)| (*name, Align::Right));
    Table::of_texts(std::iter::once((head, Align::Left)).chain(names), rows)
}

fn splits(columns: &[(&str, &Statistics)]) -> Table {
    let mut rows = Vec::new();
    let mut row = |head: &str, show: fn(&Statistics) -> String| {
        let cells = columns.iter().map(|(_, split)| show(split));
        rows.push(std::iter::once(head.to_owned()).chain(cells).collect());
    };
    row("sentences", |s| grouped(s.sentences));
    row("tokens", |s| grouped(s.tokens));
    row("entities", |s| grouped(s.entities));
    row("types", |s| s.types.len().to_string());
    row("entity tokens", |s| grouped(s.entity_tokens));
    row("  % of tokens", |s| percent(s.entity_token_share));
    row("sentences with entities", |s| grouped(s.sentences_with_entities));
    row("  % of sentences", |s| percent(s.sentences_with_entities_share));
    row("rarest type, % of tokens", |s| percent(s.rarest_type_share));
    row("commonest type, % of tokens", |s| percent(s.commonest_type_share));
    row("B, % of tokens", |s| percent(s.begin_share));
    row("I, % of tokens", |s| percent(s.inside_share));
    row("O, % of tokens", |s| percent(s.outside_share));
    by_split("", columns, rows)
}

/// Entities of every type in every split, and how rare it is in what is learnt from; the commonest
/// first. `None` where there are none.
fn types(numbers: &Numbers, columns: &[(&str, &Statistics)]) -> Option<Table> {
    let (learnt_name, learnt) = numbers.corpus.learnt();
    let of = |split: &Statistics, name: &str| -> TypeStatistics {
        split.types.get(name).copied().unwrap_or_default()
    };
    let mut names: Vec<&String> = columns.iter().flat_map(|(_, s)| s.types.keys()).collect();
    names.sort_by_key(|name| (std::cmp::Reverse(of(learnt, name).tokens), *name));
    names.dedup();
    let row = |name: &&String| {
        let counts = columns.iter().map(|(_, split)| grouped(of(split, name).entities));
        let here = of(learnt, name);
        let rareness = match here.tokens {
            0 => "–".to_owned(),
            _ => format!("{:.2}", here.rareness),
        };
        let further = [grouped(here.tokens), percent(here.share), rareness];
        std::iter::once((*name).clone()).chain(counts).chain(further).collect::<Vec<_>>()
    };
    let tokens = format!("tokens of {learnt_name}");
    let heads = columns.iter().map(|(name, _)| *name).chain([&*tokens, "%", "rareness"]);
    let heads = heads.map(|head| (head, Align::Right));
    let heads = std::iter::once(("entities of", Align::Left)).chain(heads);
    (!names.is_empty()).then(|| Table::of_texts(heads, names.iter().map(row)))
}

fn notes(numbers: &Numbers) -> Table {
    let share = percent(numbers.corpus.lengths.beyond_root_share);
    let dense = format!("{share} % of sentences have more entities than √tokens");
    let notes = (numbers.dev.iter().map(|origin| ("dev", origin.to_string())))
        .chain(numbers.repetitions.iter().map(|found| ("repeated", repetition(found))))
        .chain(numbers.unseen.iter().map(|found| ("unseen", unseen(found))))
        .chain([("dense", dense)]);
    Table::list(notes.map(|(head, note)| [head.to_owned(), note]))
}

/// Theorem 1 of li2022, a column a split.
fn missampling(found: &OfSplits<Missampling>) -> Table {
    let columns = columns(&found.splits, &found.whole, &found.further);
    let mut rows = Vec::new();
    let mut row = |head: &str, share: &dyn Fn(&Missampling) -> f64| {
        let shares = columns.iter().map(|(_, of_split)| percent(share(of_split)));
        rows.push(std::iter::once(head.to_owned()).chain(shares).collect::<Vec<_>>());
    };
    row("sparse: entities ≤ √tokens, % of sentences", &|m| m.premise_share);
    row("  mean bound of theorem 1, %: by power", &|m| m.power_bound);
    row("    linear", &|m| m.linear_bound);
    row("    the last", &|m| m.last_bound);
    row("  the last step holds, % of sparse sentences", &|m| m.last_step_share);
    for (k, masked) in found.whole.masked.iter().enumerate() {
        let head = format!("no entity missampled, masked with {}, %", masked.mask);
        row(&head, &|m| m.masked[k].clean_probability);
        row("  of sparse sentences", &|m| m.masked[k].clean_probability_in_premise);
        row("  missampling rate, mean %", &|m| m.masked[k].missampling_rate);
        row("  of all negatives", &|m| m.masked[k].pooled_missampling_rate);
    }
    by_split(&format!("missampling, λ = {}", found.whole.lambda), &columns, rows)
}

fn repetition(found: &Repetition) -> String {
    let Repetition { split, earlier, sentences, of } = found;
    let (split, earlier) = (printable(split), printable(earlier));
    format!("{} of {} sentences of {split} stand in {earlier}", grouped(*sentences), grouped(*of))
}

fn unseen(found: &UnseenEntities) -> String {
    let counts = found.counts;
    let part = |n: u64| {
        format!("{} ({} %)", grouped(n), percent(n as f64 / counts.entities.max(1) as f64))
    };
    format!(
        "of {} entities of {}, {} do not occur in train, {} not with the same type",
        grouped(counts.entities),
        printable(&found.split),
        part(counts.surface),
        part(counts.surface_and_type),
    )
}

/// What a plot can be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Picture {
    Svg,
    Png,
}

fn picture_of(path: &Path) -> Result<Picture, CliError> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(Picture::Svg),
        Some("png") => Ok(Picture::Png),
        _ => {
            let message = format!("{}: a plot is a file that ends in .svg or .png", path.display());
            Err(CliError::new(Exit::Usage, message))
        }
    }
}

fn plot(counted: &[Numbers], path: &Path, force: bool, common: &Common) -> Result<(), CliError> {
    let corpora: Vec<CorpusNumbers> = counted.iter().map(|n| n.corpus.clone()).collect();
    let figure = figures::sparsity(&corpora, path.display().to_string())
        .map_err(|error| CliError::new(Exit::Internal, error))?;
    let bytes = match picture_of(path)? {
        Picture::Svg => figure.svg.as_bytes(),
        Picture::Png => figure.png.as_slice(),
    };
    write_file(path, force, |writer| writer.write_all(bytes))?;
    if !common.quiet {
        message!("drawn: {}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
