//! How long reports of many jobs take. The bounds are several times what was measured
//! (docs/performance.md), for machines that are slow or busy; what they notice is work that grows
//! faster than the jobs.

use super::*;
use analysis::PlannedJob;
use domain::Split;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use std::time::Duration;
use store::{MetricRow, Results, Scope};

/// So many corpora, models, methods and seeds, with the scores of six types and O.
fn grid([corpora, models, methods, seeds]: [usize; 4]) -> (GridView, Results) {
    let names = |what: &str, n: usize| (0..n).map(|k| format!("{what}-{k}")).collect::<Vec<_>>();
    let (corpora, models, methods) =
        (names("corpus", corpora), names("model", models), names("method", methods));
    let texts = |names: &[String]| names.iter().map(|name| name.to_owned()).collect::<Vec<_>>();
    let (one, rows) = synthetic::named(&texts(&methods), &texts(&models));
    let mut view = GridView { corpora: corpora.clone(), jobs: vec![], ..one.clone() };
    view.seeds = (1..=seeds as u64).collect();
    let mut results = Results::default();
    for corpus in &corpora {
        for further in 0..seeds.div_ceil(5) as u64 {
            let place = |key: &JobKey, point: &domain::Point| {
                let seed = point.seed + 5 * further;
                let key = JobKey(format!("{corpus}-{further}-{key}"));
                (key, domain::Point { corpus: corpus.clone(), seed, ..point.clone() })
            };
            view.jobs.extend(one.jobs.iter().map(|job| {
                let (key, point) = place(&job.key, &job.point);
                PlannedJob { key, point, ..job.clone() }
            }));
            results.runs.extend(rows.runs.iter().map(|run| {
                let (job, point) = place(&run.job, &run.point);
                let token_factor = Some(if point.method == "method-1" { 2.0 } else { 1.0 });
                store::RunRow { job, point, token_factor, ..run.clone() }
            }));
            for row in &rows.metrics {
                let (job, point) = place(&row.job, &row.point);
                // Scores of seeds must differ, or there is nothing to test.
                let f1 = (row.f1 + (point.seed * 7919 % 101) as f64 / 5000.0).min(1.0);
                let row = MetricRow { job, point, f1, ..row.clone() };
                if row.split == Split::Test && row.scope == Scope::Macro {
                    results.metrics.extend(types(&row));
                }
                results.metrics.push(row);
            }
        }
    }
    (view, results)
}

fn types(row: &MetricRow) -> impl Iterator<Item = MetricRow> {
    let named = |k: usize| MetricRow {
        scope: Scope::Type,
        entity_type: Some(format!("type-{k}")),
        support: 10 + k as u64,
        ..row.clone()
    };
    let outside = MetricRow { scope: Scope::Outside, ..row.clone() };
    let outside = Some(outside).filter(|row| row.level == Level::Token);
    (0..6).map(named).chain(outside).collect::<Vec<_>>().into_iter()
}

/// How long this thread has been at work: what else a busy machine does is not the report's.
fn thread_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("the kernel tells");
    let seconds = |time: TimeVal| Duration::from_micros(time.num_microseconds() as u64);
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// What tests and tables take, without figures and page.
fn time_of_tables(size: [usize; 4]) -> Duration {
    let (view, results) = grid(size);
    let results = ResultFrames::from(&results);
    let begin = thread_time();
    let boards: Vec<Scoreboard> = measure::tabled(view.metric)
        .into_iter()
        .map(|metric| Scoreboard::new(&view, &results, metric))
        .collect();
    let at_boards = thread_time() - begin;
    let details = [Detail::Tables, Detail::Verdict];
    let compared: Vec<Vec<Comparison>> = details
        .into_iter()
        .zip(&boards)
        .map(|(detail, board)| comparison::compare_in(detail, &view, board))
        .collect();
    let at_compared = thread_time() - begin;
    let by_type = Level::ALL.map(|level| TypeBoard::new(&view, &results, level));
    let at_types = thread_time() - begin;
    let sheet = Sheet::new(&view, &results, &boards, &compared, &by_type);
    let mut names = FileNames::default();
    let mut made: Vec<Table> = Vec::new();
    for panel in view.panels() {
        made.extend(
            registry::of_panel(&sheet, &panel, &mut names).into_iter().map(|(_, table)| table),
        );
        for model in &view.models {
            made.extend(registry::of_model(&sheet, &panel, model, &mut names));
        }
    }
    let at_panels = thread_time() - begin;
    made.extend(registry::of_grid(&sheet, &mut names));
    let at_grid = thread_time() - begin;
    let files: usize = made.iter().flat_map(tables::files).map(|file| file.bytes.len()).sum();
    let tables = thread_time() - begin;
    println!(
        "{} jobs: scores {at_boards:?}, tests {at_compared:?}, types {at_types:?}, panels {at_panels:?}, grid \
         {at_grid:?}, {} tables of {files} bytes {tables:?}",
        view.jobs.len(),
        made.len()
    );
    tables
}

#[test]
fn the_tables_of_ten_thousand_jobs_are_made_in_little_time() {
    for size in [[20, 10, 10, 5], [10, 10, 10, 10], [4, 8, 10, 30]] {
        let tables = time_of_tables(size);
        assert!(tables < Duration::from_secs(6), "{size:?}: {tables:?}");
    }
}

#[test]
fn two_hundred_jobs_are_nothing() {
    let tables = time_of_tables([1, 4, 10, 5]);
    assert!(tables < Duration::from_millis(500), "{tables:?}");
}
