//! The table of size factors (Table 6 of wang2022): how many times as large a method makes what is
//! learnt from.

use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, Group, Table, TableColumn, TableRow, Tidy, TidyColumn, cells, field};
use analysis::cautions::Trained;
use analysis::{GridView, Panel, PlannedJob, ResultFrames};
use domain::JobKey;
use std::collections::HashMap;
use store::{RunRow, Status};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "size-factors",
    help: "how many times as large a method makes what is learnt from (Table 6 of wang2022)",
    appears: Appears::ByItself,
    make: Make::Grid(|sheet, names| {
        let name = names.name(&["size", "factors"]);
        size_factors(sheet.view, sheet.results, name).into_iter().collect()
    }),
};

/// One row a method; `None` where no method changes the size.
pub(super) fn size_factors(view: &GridView, results: &ResultFrames, name: String) -> Option<Table> {
    let panels = view.panels();
    let jobs = ShownJobs::new(view, results);
    let methods: Vec<MethodFactors<'_>> = view
        .methods
        .iter()
        .filter(|method| jobs.methods().any(|known| known == *method))
        .map(|method| MethodFactors::new(&jobs, &panels, method))
        .collect();
    let known = methods.iter().flat_map(|method| &method.panels);
    let mut known = known.filter_map(|found| found.as_ref().ok());
    if !known.clone().any(|found| found.factors != [1.0; 2]) {
        return None;
    }
    let effort = known.any(|found| cells::mean_effort(found.trained.iter()).is_some());
    Some(Table {
        name,
        title: "Size of what is learnt from".to_owned(),
        caption: caption(panels.len(), effort),
        groups: groups(&panels, effort),
        columns: columns(panels.len(), effort),
        rows: methods.iter().map(|method| method.row(view, effort)).collect(),
        tidy: tidy(&panels, &methods),
        ..Table::default()
    })
}

/// The factors of sentences and of tokens of one method under a scenario: on one corpus, or the
/// mean over all, each counted once. Or what stands in their place.
pub fn mean_factors(
    sheet: &Sheet<'_>,
    scenario: &str,
    corpus: Option<&str>,
    method: &str,
) -> Result<[f64; 2], Cell> {
    let here = |panel: &Panel| {
        panel.scenario == scenario && corpus.is_none_or(|corpus| panel.corpus == corpus)
    };
    let panels: Vec<Panel> = sheet.view.panels().into_iter().filter(here).collect();
    let jobs = ShownJobs::new(sheet.view, sheet.results);
    let factors = MethodFactors::new(&jobs, &panels, method);
    let absent = factors.panels.iter().find_map(|found| found.as_ref().err().cloned());
    let none = || Cell::NotApplicable("not in the grid".to_owned());
    factors.mean().ok_or_else(|| absent.unwrap_or_else(none))
}

/// The jobs that are shown, by corpus, scenario and method, and what is recorded of them.
struct ShownJobs<'a> {
    cells: HashMap<[&'a str; 3], Vec<&'a PlannedJob>>,
    runs: HashMap<&'a JobKey, &'a RunRow>,
}

impl<'a> ShownJobs<'a> {
    fn new(view: &'a GridView, results: &'a ResultFrames) -> Self {
        let mut cells: HashMap<[&str; 3], Vec<&PlannedJob>> = HashMap::new();
        for job in view.shown_jobs() {
            let point = &job.point;
            let place = [&*point.corpus, &*point.scenario, &*point.method];
            cells.entry(place).or_default().push(job);
        }
        Self { cells, runs: results.runs().iter().map(|run| (&run.job, run)).collect() }
    }

    fn methods(&self) -> impl Iterator<Item = &str> {
        self.cells.keys().map(|[_, _, method]| *method)
    }
}

/// The factors of one method, panel by panel.
struct MethodFactors<'a> {
    method: &'a str,
    /// Or what stands in their place.
    panels: Vec<Result<PanelFactors, Cell>>,
}

#[derive(Clone, PartialEq, Debug)]
struct PanelFactors {
    /// Of sentences and of tokens.
    factors: [f64; 2],
    /// Over so many jobs.
    jobs: usize,
    /// How they were trained.
    trained: Vec<Trained>,
}

impl<'a> MethodFactors<'a> {
    fn new(jobs: &ShownJobs<'_>, panels: &[Panel], method: &'a str) -> Self {
        let found = |panel: &Panel| {
            let here = jobs.cells.get(&[&*panel.corpus, &*panel.scenario, method]);
            factors(&jobs.runs, here.map_or(&[], Vec::as_slice))
        };
        Self { method, panels: panels.iter().map(found).collect() }
    }

    /// The mean over the panels, each counted once; `None` where one has no factors.
    fn mean(&self) -> Option<[f64; 2]> {
        let known: Option<Vec<&PanelFactors>> =
            self.panels.iter().map(|p| p.as_ref().ok()).collect();
        mean(known?.into_iter().map(|found| found.factors))
    }

    fn row(&self, view: &GridView, effort: bool) -> TableRow {
        let (name, look) = (self.method.to_owned(), view.look(self.method));
        let baseline = view.is_baseline(self.method);
        let mut cells = vec![Cell::Method { name, look, baseline }];
        for found in &self.panels {
            match found {
                Ok(found) => {
                    cells.extend(found.factors.map(written));
                    cells.extend(
                        cells::effort(found.trained.iter()).into_iter().take(width(effort) - 2),
                    );
                }
                Err(absent) => cells.extend(std::iter::repeat_n(absent.clone(), width(effort))),
            }
        }
        if self.panels.len() > 1 {
            let why = || Cell::NotApplicable("not on every corpus".to_owned());
            cells.extend(self.mean().map_or_else(|| [why(), why()], |mean| mean.map(written)));
        }
        TableRow::new(cells)
    }
}

/// Columns of one panel: the factors, and the effort where there is one.
fn width(effort: bool) -> usize {
    if effort { 5 } else { 2 }
}

fn written(factor: f64) -> Cell {
    Cell::Text(format!("{factor:.2}"))
}

/// The mean of each factor; `None` of nothing.
fn mean(factors: impl Iterator<Item = [f64; 2]>) -> Option<[f64; 2]> {
    let (sentences, tokens): (Vec<f64>, Vec<f64>) = factors.map(|[s, t]| (s, t)).unzip();
    Some([stats::mean(&sentences)?, stats::mean(&tokens)?])
}

/// The means over the jobs of one panel, or what stands in their place.
fn factors(runs: &HashMap<&JobKey, &RunRow>, jobs: &[&PlannedJob]) -> Result<PanelFactors, Cell> {
    let applicable: Vec<&&PlannedJob> =
        jobs.iter().filter(|job| job.not_applicable.is_none()).collect();
    if applicable.is_empty() {
        let reason = jobs.iter().find_map(|job| job.not_applicable.clone());
        return Err(Cell::NotApplicable(reason.unwrap_or_else(|| "not in the grid".to_owned())));
    }
    let of_job = |job: &&&PlannedJob| {
        let run = runs.get(&job.key).filter(|run| run.status == Status::Done)?;
        let factors = [run.sentence_factor?, run.token_factor?];
        factors.iter().all(|factor| factor.is_finite()).then_some(factors)
    };
    let known: Vec<[f64; 2]> = applicable.iter().filter_map(of_job).collect();
    let missing = applicable.iter().filter(|job| !runs.contains_key(&job.key)).count();
    let gap = Cell::Gap { failed: applicable.len() - missing, missing };
    let factors = mean(known.iter().copied()).ok_or(gap)?;
    let done = applicable.iter().filter_map(|job| runs.get(&job.key));
    let done = done.filter(|run| run.status == Status::Done);
    let trained = done.map(|run| Trained::new(run, None)).collect();
    Ok(PanelFactors { factors, jobs: known.len(), trained })
}

fn caption(panels: usize, effort: bool) -> String {
    let mut caption =
        "Sentences and tokens of the training data after a method over those before it: 1.00 \
                       changes nothing. Means over models and seeds."
            .to_owned();
    if panels > 1 {
        caption.push_str(
            " Mean: over the corpora, each counted once, where a method has factors on all of them.",
        );
    }
    if effort {
        caption.push_str(cells::EFFORT_IN_WORDS);
    }
    caption + " After Table 6 of Wang and Wang (2022)."
}

/// Sentences and tokens of each panel; one panel needs no head.
fn groups(panels: &[Panel], effort: bool) -> Vec<Group> {
    if panels.len() < 2 {
        return vec![];
    }
    let of_panel = |panel: &Panel| Group { head: panel.title(), columns: width(effort) };
    let mean = Group { head: "Mean".to_owned(), columns: 2 };
    let groups = panels.iter().map(of_panel).chain([mean]);
    std::iter::once(Group { head: String::new(), columns: 1 }).chain(groups).collect()
}

fn columns(panels: usize, effort: bool) -> Vec<TableColumn> {
    let factors = ["Sentences", "Tokens"];
    let of_panel = factors.into_iter().chain(cells::EFFORT_HEADS).take(width(effort));
    let of_panels = std::iter::repeat_n(of_panel, panels).flatten();
    let factors = of_panels.chain((panels > 1).then_some(factors).into_iter().flatten());
    [TableColumn::left("Method")].into_iter().chain(factors.map(TableColumn::right)).collect()
}

/// A method on a panel, with what stands there.
type Factored<'f> = (&'f Panel, &'f str, &'f Result<PanelFactors, Cell>);

fn tidy(panels: &[Panel], methods: &[MethodFactors<'_>]) -> Tidy {
    let columns: [TidyColumn<Factored<'_>>; 11] = [
        ("corpus", |(panel, ..)| panel.corpus.clone()),
        ("scenario", |(panel, ..)| panel.scenario.clone()),
        ("method", |(_, method, _)| (*method).to_owned()),
        ("state", |(.., found)| standing(found)[0].clone()),
        ("jobs", |(.., found)| found.as_ref().map_or(0, |found| found.jobs).to_string()),
        ("sentence_factor", |(.., found)| field(found.as_ref().ok().map(|f| f.factors[0]))),
        ("token_factor", |(.., found)| field(found.as_ref().ok().map(|f| f.factors[1]))),
        ("reason", |(.., found)| standing(found)[1].clone()),
        ("updates", |(.., found)| effort(found)[0].clone()),
        ("tokens_seen", |(.., found)| effort(found)[1].clone()),
        ("passes", |(.., found)| effort(found)[2].clone()),
    ];
    let lines = methods.iter().flat_map(|of| {
        panels.iter().zip(&of.panels).map(move |(panel, found)| (panel, of.method, found))
    });
    Tidy::of(&columns, lines)
}

/// The state and the reason.
fn standing(found: &Result<PanelFactors, Cell>) -> [String; 2] {
    let scored = |_: &_| ["scored".to_owned(), String::new()];
    found.as_ref().map_or_else(cells::absence, scored)
}

fn effort(found: &Result<PanelFactors, Cell>) -> [String; 3] {
    cells::effort_fields(found.iter().flat_map(|found| &found.trained))
}
