//! What looks decided, as it is told, kept and shown.

use super::looks::{Compared, LookColumn, Taken};
use super::{Gate, Looks, Seed};
use analysis::comparison::{LooksVerdict, SequentialLook};
use analysis::number;
use domain::{Point, printable};
use runner::events::Event;
use spec::Grid;
use std::fmt::Write;
use store::{ComparisonRecord, LookRecord, STOPPING_VERSION, StoppingRecord};

/// Decided comparisons beyond this are counted at the end of a run; `status` lists them all.
pub const MOST_SHOWN: usize = 20;

/// A comparison and the look that decided it.
#[derive(Clone, PartialEq, Debug)]
pub struct LookDecision {
    /// With the seed of no job.
    place: Point,
    baseline: String,
    verdict: LooksVerdict,
    look: SequentialLook,
}

impl LookDecision {
    /// Of a comparison that is decided.
    pub fn of((column, compared): Taken<'_>) -> Option<Self> {
        let look = *compared.found.decided()?;
        let LookColumn { corpus, scenario, model, baseline, .. } = column.clone();
        let method = compared.method.clone();
        let place = Point { corpus, scenario, model, method, seed: 0 };
        Some(Self { place, baseline, verdict: compared.found.verdict, look })
    }

    /// Whether a job is one of the comparison's, or of its baseline's where that counts.
    pub fn is_about(&self, point: &Point, with_baseline: bool) -> bool {
        let Point { corpus, scenario, model, method, .. } = &self.place;
        let column = point.corpus == *corpus && point.scenario == *scenario;
        let method = point.method == *method || with_baseline && point.method == self.baseline;
        column && point.model == *model && method
    }

    /// `decided at the look at 5 seeds: above, p = 0.0004`.
    pub fn in_words(&self) -> String {
        let [p, _] = self.look.p_and_level();
        format!("decided at the look at {} seeds: {}, p = {p}", self.look.seeds, self.verdict)
    }

    /// With the number of jobs that the run is spared.
    pub fn event(&self, not_run: usize) -> Event {
        let Point { corpus, scenario, model, method, .. } = self.place.clone();
        Event::ComparisonDecided {
            corpus,
            scenario,
            model,
            method,
            baseline: self.baseline.clone(),
            look: self.look.seeds,
            n: self.look.n,
            verdict: self.verdict.to_string(),
            p: self.look.p,
            level: self.look.level,
            reason: self.in_words(),
            not_run,
        }
    }
}

/// Why looks keep the job at a point from running, if they do.
pub fn reason(looks: &Looks, point: &Point) -> Option<String> {
    match looks.gate(point) {
        Gate::Free => None,
        Gate::Held(look) => Some(format!("waits for the look at {look} seeds")),
        Gate::Decided => {
            let (column, compared) = looks.comparison(point)?;
            match compared {
                Some(compared) => LookDecision::of((column, compared)).map(|it| it.in_words()),
                None => Some("every comparison with it is decided".to_owned()),
            }
        }
    }
}

/// What is kept of the looks; `None` where the grid plans none.
pub fn record(grid: &Grid, looks: &Looks) -> Option<StoppingRecord> {
    let plan = looks.plan()?;
    let of_column = |column| compared_of(column).map(move |it| comparison(looks, column, it));
    Some(StoppingRecord {
        version: STOPPING_VERSION,
        metric: grid.metric.name().to_owned(),
        baseline: grid.baseline.clone()?,
        looks: plan.looks.clone(),
        spending: plan.spending.name().to_owned(),
        comparisons: looks.columns().flat_map(of_column).collect(),
    })
}

fn compared_of(column: &LookColumn) -> impl Iterator<Item = &Compared> {
    column.comparisons.iter()
}

fn comparison(looks: &Looks, column: &LookColumn, compared: &Compared) -> ComparisonRecord {
    let found = &compared.found;
    let LookColumn { corpus, scenario, model, baseline, .. } = column.clone();
    let not_run = |method: &str, seeds: &[Seed]| -> Vec<u64> {
        let at = |seed: u64| Point {
            corpus: corpus.clone(),
            scenario: scenario.clone(),
            model: model.clone(),
            method: method.to_owned(),
            seed,
        };
        let waiting = looks.seeds().iter().zip(seeds).filter(|(_, it)| **it == Seed::Waiting);
        let seeds = waiting.map(|(seed, _)| *seed);
        seeds.filter(|seed| looks.gate(&at(*seed)) == Gate::Decided).collect()
    };
    let [own, of_baseline] =
        [not_run(&compared.method, compared.seeds()), not_run(&baseline, column.baseline_seeds())];
    let look = |look: &SequentialLook| LookRecord {
        seeds: look.seeds,
        n: look.n,
        p: look.p,
        level: look.level,
        skipped: look.skipped.map(|reason| reason.to_string()),
    };
    ComparisonRecord {
        corpus,
        scenario,
        model,
        method: compared.method.clone(),
        alpha: found.alpha,
        verdict: found.verdict.to_string(),
        decided_at: found.decided().map(|look| look.seeds),
        looks: found.looks.iter().map(look).collect(),
        next_look: found.next_look,
        waits_for: found.waits_for.clone(),
        not_run: own,
        baseline_not_run: of_baseline,
    }
}

/// The decided comparisons, at most so many of them, under a line that counts them; nothing without
/// a comparison.
pub fn text(record: &StoppingRecord, most: usize) -> String {
    let all = &record.comparisons;
    let decided: Vec<&ComparisonRecord> = all.iter().filter(|it| it.decided_at.is_some()).collect();
    if all.is_empty() {
        return String::new();
    }
    let open = all.iter().filter(|it| it.next_look.is_some()).count();
    let mut text = format!("planned looks: {} of {} comparisons decided", decided.len(), all.len());
    if open > 0 {
        let _ = write!(text, ", {open} open");
    }
    text.push('\n');
    for comparison in decided.iter().take(most) {
        let _ = writeln!(text, "  {}", printable(&line(comparison)));
    }
    if decided.len() > most {
        let _ = writeln!(text, "  and {} more: `tailgrid status` lists all", decided.len() - most);
    }
    text
}

/// `synthetic/full/bilstm/scr: above at 5 seeds, p = 0.0004; 5 seeds not run`
fn line(comparison: &ComparisonRecord) -> String {
    let ComparisonRecord { verdict, looks, not_run, .. } = comparison;
    let mut line = format!("{}: {verdict}", comparison.title());
    if let Some(look) = looks.last() {
        let _ = write!(line, " at {} seeds", look.seeds);
        if let (Some(p), Some(level)) = (look.p, look.level) {
            let [p, _] = number::p_and_level(p, level);
            let _ = write!(line, ", p = {p}");
        }
    }
    if !not_run.is_empty() {
        let _ = write!(line, "; {} not run", number::counted(not_run.len(), "seed"));
    }
    line
}
