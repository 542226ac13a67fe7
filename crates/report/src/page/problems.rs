//! What is not in the tables, and why: failed jobs, jobs that have not run, combinations that make
//! no sense.

use crate::tables::html::escape;
use analysis::number;
use analysis::{GridView, Panel, Scoreboard, SeedStanding};
use std::collections::HashMap;

/// Failures beyond this are counted; `tailgrid status` lists them all.
const MOST_FAILURES: usize = 40;

/// Characters of a reason.
const LONGEST_REASON: usize = 400;

/// Jobs by standing; combinations that make no sense are not among them, nor is what planned looks
/// made superfluous.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct JobCounts {
    pub done: usize,
    pub failed: usize,
    pub missing: usize,
}

impl JobCounts {
    /// Counts.
    pub fn of(view: &GridView, board: &Scoreboard) -> Self {
        let mut counts = Self::default();
        for (standing, ..) in standings(view, board) {
            match standing {
                SeedStanding::Done(_) => counts.done += 1,
                SeedStanding::Failed(_) => counts.failed += 1,
                SeedStanding::Missing => counts.missing += 1,
                SeedStanding::Decided => {}
            }
        }
        counts
    }

    /// All of them.
    pub fn planned(&self) -> usize {
        self.done + self.failed + self.missing
    }
}

/// Every planned seed in the order of the plan.
fn standings<'a>(
    view: &'a GridView,
    board: &'a Scoreboard,
) -> impl Iterator<Item = (&'a SeedStanding, &'a domain::Point)> {
    view.jobs.iter().filter_map(move |job| {
        let point = &job.point;
        let panel = Panel { corpus: point.corpus.clone(), scenario: point.scenario.clone() };
        let standing = board.cell(&panel, &point.model, &point.method).seeds.get(&point.seed)?;
        Some((standing, point))
    })
}

/// The section; empty where everything has a score.
pub fn render(view: &GridView, board: &Scoreboard) -> String {
    let left_out = "not run: a planned look had decided";
    let parts = [
        failures(view, board),
        absent(view, board, &SeedStanding::Missing, "not run yet"),
        absent(view, board, &SeedStanding::Decided, left_out),
        not_applicable(view),
    ];
    let body: String = parts.concat();
    match body.is_empty() {
        true => String::new(),
        false => {
            format!(
                "<section class=\"card\" id=\"problems\">\n<h2>Not in the tables</h2>\n{body}</section>\n"
            )
        }
    }
}

fn failures(view: &GridView, board: &Scoreboard) -> String {
    let failed: Vec<String> = standings(view, board)
        .filter_map(|(standing, point)| match standing {
            SeedStanding::Failed(reason) => Some(format!(
                "<li><code>{}</code> {}</li>\n",
                escape(&point.to_string()),
                escape(&reason.chars().take(LONGEST_REASON).collect::<String>())
            )),
            _ => None,
        })
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    let more = match failed.len().saturating_sub(MOST_FAILURES) {
        0 => String::new(),
        n => {
            format!("<p class=\"note\">And {n} more: <code>tailgrid status</code> lists all.</p>\n")
        }
    };
    let shown = failed[..failed.len().min(MOST_FAILURES)].concat();
    let title = number::counted(failed.len(), "failed job");
    format!("<h3>{title}</h3>\n<ul class=\"plain\">\n{shown}</ul>\n{more}")
}

/// The cells that have jobs of a standing.
fn absent(view: &GridView, board: &Scoreboard, wanted: &SeedStanding, title: &str) -> String {
    let mut cells: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (standing, point) in standings(view, board) {
        if standing == wanted {
            let place =
                [&point.corpus, &point.scenario, &point.model, &point.method].map(String::as_str);
            let place = place.join("/");
            let at = *places.entry(place).or_insert_with_key(|place| {
                cells.push((place.clone(), 0));
                cells.len() - 1
            });
            cells[at].1 += 1;
        }
    }
    if cells.is_empty() {
        return String::new();
    }
    let total: usize = cells.iter().map(|(_, n)| n).sum();
    let line = |(place, n): &(String, usize)| {
        format!("<li><code>{}</code> {}</li>\n", escape(place), number::counted(*n, "seed"))
    };
    let lines: String = cells.iter().take(MOST_FAILURES).map(line).collect();
    let more = match cells.len().saturating_sub(MOST_FAILURES) {
        0 => String::new(),
        n => format!("<p class=\"note\">And {}.</p>\n", number::counted(n, "more cell")),
    };
    format!(
        "<h3>{} {title}</h3>\n<ul class=\"plain\">\n{lines}</ul>\n{more}",
        number::counted(total, "job")
    )
}

fn not_applicable(view: &GridView) -> String {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for job in view.shown_jobs() {
        if let Some(reason) = &job.not_applicable {
            let place = format!("{} with {}", job.point.method, job.point.model);
            if !reasons.iter().any(|(known, why)| *known == place && why == reason) {
                reasons.push((place, reason));
            }
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    let lines: String = reasons
        .iter()
        .map(|(place, why)| format!("<li><code>{}</code> {}</li>\n", escape(place), escape(why)))
        .collect();
    format!("<h3>Combinations that make no sense</h3>\n<ul class=\"plain\">\n{lines}</ul>\n")
}
