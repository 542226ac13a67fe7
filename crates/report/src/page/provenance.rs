//! Where the numbers come from: program, backend, threads, seeds, time.

use crate::tables::html::escape;
use analysis::measure;
use analysis::number;
use analysis::{GridView, ResultFrames};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use store::RunRow;

/// The section.
pub fn render(view: &GridView, results: &ResultFrames) -> String {
    let runs = runs(view, results);
    let set = |value: fn(&RunRow) -> String| -> String {
        let values: BTreeSet<String> = runs.iter().map(|run| value(run)).collect();
        match values.is_empty() {
            true => "–".to_owned(),
            false => values.into_iter().collect::<Vec<_>>().join(", "),
        }
    };
    let facts = [
        ("Engine version", set(|run| run.version.clone())),
        ("Backend", set(|run| run.backend.clone())),
        ("Threads a job", set(|run| run.threads.to_string())),
        ("Seeds", seeds(&view.seeds)),
        ("Baseline", view.baseline.clone().unwrap_or_else(|| "none".to_owned())),
        ("Headline metric", view.metric.name().to_owned()),
        ("Scores", measure::definition(view.metric).to_owned()),
        (
            "Computing time",
            format!("{} over {}", total_time(view, results), number::counted(runs.len(), "job")),
        ),
        ("Peak memory of a job", peak(&runs)),
        ("Machines", hosts(&runs)),
    ];
    let facts: String = facts
        .iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escape(value)))
        .collect();
    format!(
        "<section class=\"card\" id=\"provenance\">\n<h2>Provenance</h2>\n<dl class=\"facts\">\n{facts}</dl>\n</section>\n"
    )
}

/// The time that all jobs of the grid took together.
pub fn total_time(view: &GridView, results: &ResultFrames) -> String {
    let seconds: f64 =
        runs(view, results).iter().map(|run| run.seconds).filter(|s| s.is_finite()).sum();
    number::duration(seconds)
}

/// The recorded jobs that the grid asks for, each once: points of the same meaning share a job.
fn runs<'a>(view: &GridView, results: &'a ResultFrames) -> Vec<&'a RunRow> {
    let keys: HashSet<_> = view.shown_jobs().map(|job| &job.key).collect();
    let runs = results.runs().iter().filter(|run| keys.contains(&run.job));
    let once: BTreeMap<_, &RunRow> = runs.map(|run| (&run.job, run)).collect();
    once.into_values().collect()
}

fn seeds(seeds: &[u64]) -> String {
    let consecutive = seeds.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    match seeds {
        [first, .., last] if consecutive && seeds.len() > 2 => format!("{first} to {last}"),
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn peak(runs: &[&RunRow]) -> String {
    let peak = runs.iter().filter_map(|run| run.peak_rss_mb).filter(|mb| mb.is_finite());
    peak.reduce(f64::max).map_or_else(|| "–".to_owned(), |mb| format!("{mb:.0} MB"))
}

fn hosts(runs: &[&RunRow]) -> String {
    let hosts: HashSet<&str> = runs.iter().map(|run| run.host.as_str()).collect();
    hosts.len().to_string()
}
