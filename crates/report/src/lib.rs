//! Reports: tables, figures and a page, made from what `analysis` finds in the results of a grid.
//!
//! Everything here turns values into bytes; `cli` writes them. The same grid and records give the
//! same bytes: no clock, no randomness, no path of this machine. Names are never trusted: each
//! renderer escapes them, and files are named by safe characters only.

mod artefact;
mod beside;
mod corpora;
pub mod errors;
pub mod figures;
mod leaders;
mod page;
pub mod remarks;
pub mod tables;

pub use artefact::{Artefact, ReportError};
pub use page::policy;

use analysis::by_type::TypeBoard;
use analysis::comparison::{self, Comparison, Detail};
use analysis::{GridView, Panel, ResultFrames, Scoreboard, measure};
use artefact::FileNames;
use domain::{JobKey, Split};
use figures::{Figure, FigurePlace, Material};
use std::collections::{BTreeSet, HashSet};
use store::Level;
use tables::Table;
use tables::registry::{self, Sheet};

/// Whether a kind of table that is asked for needs the numbers of corpora.
pub fn needs_corpora(tables: &[String]) -> bool {
    tables.iter().any(|name| tables::OF_CORPORA.contains(&name.as_str()))
}

/// A rendered report.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// `index.html` first.
    pub files: Vec<Artefact>,
    /// What a reader should know, in words.
    pub warnings: Vec<String>,
}

/// Everything about one corpus under one scenario.
#[derive(Clone, PartialEq, Debug)]
struct Section {
    panel: Panel,
    /// The headline's table first.
    scores: Vec<Table>,
    /// With the baseline, then of pairs that the grid names.
    comparisons: Vec<Table>,
    /// What each method trades.
    figure: Option<Figure>,
    /// Further figures of this panel.
    figures: Vec<Figure>,
    by_type: Vec<ModelByType>,
}

/// What one model does by entity type.
#[derive(Clone, PartialEq, Debug)]
struct ModelByType {
    model: String,
    /// Methods against the baseline, then classes of tokens, as far as there are scores.
    tables: Vec<Table>,
}

impl Section {
    /// Every table, in the order of the page.
    fn tables(&self) -> impl Iterator<Item = &Table> {
        let by_type = self.by_type.iter().flat_map(|model| &model.tables);
        self.scores.iter().chain(&self.comparisons).chain(by_type)
    }

    /// Every figure, in the order of the page.
    fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.figure.iter().chain(&self.figures)
    }

    /// Everything that has a caption.
    fn captions(&mut self) -> impl Iterator<Item = &mut String> {
        let by_type = self.by_type.iter_mut().flat_map(|model| &mut model.tables);
        let tables = self.scores.iter_mut().chain(&mut self.comparisons).chain(by_type);
        let figures = self.figure.iter_mut().chain(&mut self.figures);
        tables.map(|table| &mut table.caption).chain(figures.map(|figure| &mut figure.caption))
    }
}

/// What a page shows besides scores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Extras {
    /// What some jobs got wrong, see [`errors::jobs_to_read`].
    pub errors: Vec<errors::JobErrors>,
    /// The version of a page that is served and asks for later ones.
    pub live: Option<String>,
}

/// Renders every file of a report that shows scores alone.
pub fn render(view: &GridView, results: &ResultFrames) -> Result<Report, ReportError> {
    render_with(view, results, &Extras::default())
}

/// Renders every file of a report.
pub fn render_with(
    view: &GridView,
    results: &ResultFrames,
    extras: &Extras,
) -> Result<Report, ReportError> {
    let boards: Vec<Scoreboard> = measure::tabled(view.metric)
        .into_iter()
        .map(|metric| Scoreboard::new(view, results, metric))
        .collect();
    // Of what is not the headline tables show the verdicts alone.
    let details = std::iter::once(Detail::Tables).chain(std::iter::repeat(Detail::Verdict));
    let compared: Vec<Vec<Comparison>> = details
        .zip(&boards)
        .map(|(detail, board)| comparison::compare_in(detail, view, board))
        .collect();
    let by_type = Level::ALL.map(|level| TypeBoard::new(view, results, level));
    let sheet = Sheet::new(view, results, &boards, &compared, &by_type);
    let mut names = FileNames::default();
    let mut sections = Vec::new();
    for panel in view.panels() {
        sections.push(section(&sheet, panel, &mut names));
    }
    let mut overall = registry::of_grid(&sheet, &mut names);
    let material = Material {
        view,
        results,
        board: &boards[0],
        dev: &Scoreboard::of_split(view, results, view.metric, Split::Dev),
        comparisons: &compared[0],
        rankings: &comparison::across_corpora(view, &boards[0]),
        types: &by_type[0],
    };
    let drawn = figures::all(&material, &mut names)?;
    let mut overall_figures = hang(drawn, &mut sections);
    if are_invented(view, results) {
        say_invented(&mut sections, &mut overall, &mut overall_figures);
    }
    let page = page::render(&page::Contents {
        view,
        results,
        boards: &boards,
        tests: &compared[0],
        by_type: &by_type[0],
        sections: &sections,
        overall: &overall,
        figures: &overall_figures,
        errors: &extras.errors,
        live: extras.live.as_deref(),
    });
    let mut files = vec![Artefact::new("index.html", page.into_bytes())];
    files.push(page::jobs(view, results, &boards[0]));
    files.extend(files_of(&sections, &overall, &overall_figures));
    let drawn = sections.iter().flat_map(Section::figures).chain(&overall_figures);
    let mut warnings = warnings(view, results, drawn);
    warnings.extend(tables::without_counterpart(&sheet));
    warnings.extend(untrained(&compared[0]));
    Ok(Report { files, warnings })
}

/// Puts the word on invented scores before every caption.
fn say_invented(sections: &mut [Section], tables: &mut [Table], figures: &mut [Figure]) {
    let captions = sections.iter_mut().flat_map(Section::captions);
    let captions = captions.chain(tables.iter_mut().map(|table| &mut table.caption));
    let captions = captions.chain(figures.iter_mut().map(|figure| &mut figure.caption));
    captions.for_each(|caption| *caption = format!("{INVENTED} {caption}"));
}

/// The files of all tables and figures, in the order of the page.
fn files_of(sections: &[Section], tables: &[Table], figures: &[Figure]) -> Vec<Artefact> {
    let of_section = |section: &Section| -> Vec<Artefact> {
        let tables = section.tables().flat_map(tables::files);
        tables.chain(section.figures().flat_map(figures::files)).collect()
    };
    let of_sections = sections.iter().flat_map(of_section);
    let overall = tables.iter().flat_map(tables::files);
    of_sections.chain(overall).chain(figures.iter().flat_map(figures::files)).collect()
}

/// Gives each section its figures, and back those of the whole grid.
fn hang(drawn: Vec<Figure>, sections: &mut [Section]) -> Vec<Figure> {
    let mut overall = Vec::new();
    for figure in drawn {
        let here =
            |section: &&mut Section| figure.place == FigurePlace::Panel(section.panel.clone());
        match sections.iter_mut().find(here) {
            Some(section) if figure.kind == "displacement" && section.figure.is_none() => {
                section.figure = Some(figure);
            }
            Some(section) => section.figures.push(figure),
            None => overall.push(figure),
        }
    }
    overall
}

/// What every table says of invented numbers.
pub const INVENTED: &str = "These numbers are invented: they come from the mock engine.";

/// Whether results that are shown come from the mock engine, which invents them.
pub fn are_invented(view: &GridView, results: &ResultFrames) -> bool {
    let shown: HashSet<&JobKey> = view.shown_jobs().map(|job| &job.key).collect();
    let mut runs = results.runs().iter().filter(|run| shown.contains(&run.job));
    let trials = view.searches.iter().any(|search| search.ended() > 0);
    runs.any(|run| run.version.starts_with("mock")) || view.is_mock && trials
}

fn section(sheet: &Sheet<'_>, panel: Panel, names: &mut FileNames) -> Section {
    let tables = registry::of_panel(sheet, &panel, names);
    let (comparisons, scores): (Vec<_>, Vec<_>) =
        tables.into_iter().partition(|(kind, _)| ["comparisons", "pairs"].contains(kind));
    Section {
        scores: scores.into_iter().map(|(_, table)| table).collect(),
        comparisons: comparisons.into_iter().map(|(_, table)| table).collect(),
        figure: None,
        figures: vec![],
        by_type: models_by_type(sheet, &panel, names),
        panel,
    }
}

/// The tables by type of every model that has one.
fn models_by_type(sheet: &Sheet<'_>, panel: &Panel, names: &mut FileNames) -> Vec<ModelByType> {
    let models = sheet.by_type[0].averages.models(sheet.view, panel).into_iter();
    let of_model = |model: &str| ModelByType {
        model: model.to_owned(),
        tables: registry::of_model(sheet, panel, model, names),
    };
    models.map(of_model).filter(|model| !model.tables.is_empty()).collect()
}

fn warnings<'a>(
    view: &GridView,
    results: &ResultFrames,
    figures: impl Iterator<Item = &'a Figure>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if results.runs().is_empty() {
        let why = match view.jobs.iter().all(|job| job.not_applicable.is_some()) {
            true => "nothing of this grid applies: `tailgrid plan` says why",
            false => "no job of this grid has a result yet: `tailgrid run` makes them",
        };
        warnings.push(why.to_owned());
    }
    if are_invented(view, results) {
        warnings.push(INVENTED.to_owned());
    }
    if let Some((shown, all)) = view.selection() {
        warnings.push(format!(
            "this report shows {shown} of the grid's {all} jobs, in place of one that shows them all: `--reports DIR` keeps both"
        ));
    }
    let lacking: BTreeSet<char> =
        figures.flat_map(|figure| figure.lacking.iter().copied()).collect();
    if !lacking.is_empty() {
        let mut shown: String = lacking.iter().take(12).collect();
        if lacking.len() > 12 {
            shown.push('…');
        }
        warnings.push(format!(
            "the PNG figures show {} as boxes with their code points, because neither the bundled font nor one of this \
             machine has them ({shown}): install a font that does, as Debian's fonts-noto-cjk, and run `report` \
             again; the SVG figures and tables keep them",
            analysis::number::counted(lacking.len(), "character")
        ));
    }
    warnings
}

/// That some comparisons get no verdict.
fn untrained(tests: &[Comparison]) -> Option<String> {
    let lost = tests.iter().filter(|test| test.never_learned()).count();
    (lost > 0).then(|| {
        format!(
            "{} without a verdict, because one of the two never learned: `tailgrid compare` says what to do",
            if lost == 1 { "1 comparison is".to_owned() } else { format!("{lost} comparisons are") }
        )
    })
}

#[cfg(test)]
mod tests;
