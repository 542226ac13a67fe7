//! `tailgrid corpus stats`: what corpora look like in numbers, as text, JSON, the tables of two papers,
//! and the figure of a third.

mod json;
mod numbers;
mod text;

use super::source::{self, SourceArgs};
use crate::cli::output::{Side, aligned_to, message, print, printable};
use crate::cli::written::write_file;
use crate::cli::{CliError, Common, Exit};
use analysis::CorpusNumbers;
use clap::ValueEnum;
use numbers::Numbers;
use report::figures;
use report::tables::{self, Align, Cell, Form, Table};
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
    /// Print this paper's Table 1 for all corpora named: types and entity tokens of train, or sizes and
    /// B/I/O shares of all splits (repeatable)
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
        (true, false) => counted.iter().map(text::render).collect::<Vec<_>>().join("\n"),
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
                Written::Text => plain(&table),
                Written::Markdown => tables::render(&table, Form::Markdown),
                Written::Latex => tables::render(&table, Form::Latex),
                Written::Csv => tables::render(&table, Form::Csv),
            }
        };
        papers.iter().map(show).collect::<Vec<_>>().join("\n")
    }
}

/// A table for the terminal.
fn plain(table: &Table) -> String {
    let group = table.groups.iter().flat_map(|group| {
        let rest = std::iter::repeat_n(String::new(), group.columns.saturating_sub(1));
        std::iter::once(group.head.clone()).chain(rest)
    });
    let group: Vec<String> = group.collect();
    let heads = table.columns.iter().map(|column| column.head.clone()).collect();
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) => printable(text),
        _ => String::new(),
    };
    let rows = table.rows.iter().map(|row| row.cells.iter().map(cell).collect());
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
    let side = |align| if align == Align::Right { Side::Right } else { Side::Left };
    let sides: Vec<Side> = table.columns.iter().map(|column| side(column.align)).collect();
    let body = aligned_to(&rows, &sides, "  ");
    let above = match group.is_empty() {
        true => String::new(),
        false => over(&group, &rows, "  "),
    };
    format!("{}\n\n{above}{body}\n{}\n", table.title, table.caption)
}

/// The heads of groups, each where its first column begins.
fn over(group: &[String], rows: &[Vec<String>], indent: &str) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let mut line = indent.to_owned();
    let mut start = indent.chars().count();
    for (column, head) in group.iter().enumerate() {
        if !head.is_empty() {
            let gap = start.saturating_sub(line.chars().count());
            line.extend(std::iter::repeat_n(' ', gap));
            line.push_str(head);
        }
        start += width(column).unwrap_or(0) + 2;
    }
    line + "\n"
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
