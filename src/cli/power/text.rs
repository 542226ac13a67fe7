//! What verdicts need, as people read it on a terminal.

use super::{Output, Plan, Priced};
use crate::cli::output::{Side, aligned_to, paragraphs, printable};
use analysis::cautions;
use analysis::number;
use analysis::power::Need;
use report::INVENTED;
use report::tables::{Align, Table, terminal};

const COLUMNS: [(&str, Align); 9] = [
    ("method", Align::Left),
    ("pairs", Align::Right),
    ("diff", Align::Right),
    ("sd", Align::Right),
    ("effect", Align::Right),
    ("95 % interval", Align::Right),
    ("power now", Align::Right),
    ("seeds", Align::Right),
    ("their time", Align::Right),
];

/// A table for each corpus, scenario and model, then what seeds buy.
pub(super) fn render(output: &Output<'_>, width: Option<usize>) -> String {
    let mut out = if output.invented { format!("{INVENTED}\n\n") } else { String::new() };
    let place = |p: &Priced| {
        let Need { corpus, scenario, model, .. } = &p.need;
        format!("{corpus}, {scenario}, {model}")
    };
    for family in output.comparisons.chunk_by(|a, b| place(a) == place(b)) {
        let table = table(place(&family[0]), family);
        out.push_str(&format!("{}\n", terminal::render(&table, width)));
    }
    out.push_str(&plans(&output.plans));
    out + &paragraphs(&footer(output))
}

fn table(title: String, family: &[Priced]) -> Table {
    let cautions = cautions::lines_of(family.iter().map(|priced| &priced.need.cautions[..]));
    Table::of_texts(title, cautions, COLUMNS, family.iter().map(row))
}

fn row(Priced { need, hours }: &Priced) -> Vec<String> {
    let shown =
        |value: Option<f64>, form: fn(f64) -> String| value.map_or_else(|| "–".to_owned(), form);
    let interval = match (need.effect_low, need.effect_high) {
        (Some(low), Some(high)) => format!("[{}, {}]", number::signed(low), number::signed(high)),
        _ => "–".to_owned(),
    };
    let seeds = match (need.seeds, &need.remark) {
        (Some(seeds), _) => seeds.to_string(),
        (None, Some(remark)) => printable(remark),
        (None, None) => "–".to_owned(),
    };
    vec![
        printable(&need.method),
        need.n.to_string(),
        shown(need.difference, number::signed_percent),
        shown(need.difference_sd, number::percent),
        shown(need.effect, number::signed),
        interval,
        shown(need.power, number::probability),
        seeds,
        shown(*hours, duration),
    ]
}

fn duration(hours: f64) -> String {
    if hours == 0.0 { "–".to_owned() } else { number::duration(hours * 3600.0) }
}

/// What seeds buy: a line for each number of them.
fn plans(plans: &[Plan]) -> String {
    let row = |plan: &Plan| {
        let time = match plan.hours {
            _ if plan.jobs == 0 => "nothing to run".to_owned(),
            Some(hours) => format!("{}, {}", jobs(plan.jobs), number::duration(hours * 3600.0)),
            None => format!("{}, no time is known", jobs(plan.jobs)),
        };
        vec![
            format!("{}:", number::counted(plan.seeds, "seed")),
            format!("{} of {} comparisons have the power", plan.comparisons, plan.of),
            time,
            plan.set.as_ref().map_or_else(String::new, |set| format!("--set {set}")),
        ]
    };
    let rows: Vec<Vec<String>> = plans.iter().map(row).collect();
    aligned_to(&rows, &[Side::Right], "") + "\n"
}

fn jobs(n: usize) -> String {
    number::counted(n, "job")
}

fn footer(output: &Output<'_>) -> String {
    let Output { metric, baseline, power, alpha, .. } = output;
    let effect = match output.effect {
        Some(effect) => format!(
            "Effect: {} points over the standard deviation of the differences; its interval shows how \
             little few pairs say of that deviation.",
            number::percent(effect)
        ),
        None => "Effect: the observed difference over the standard deviation of the differences, without \
                 its small-sample bias; its interval shows how little few pairs say of it."
            .to_owned(),
    };
    format!(
        "Test {metric} against {}: seeds for a power of {power} of the two-sided paired t-test, each test \
         at {alpha} over the size of its family.\n{effect}\nTimes are of recorded jobs, one after the \
         other: divide them by the jobs that run at once. A pair's own is that of the seeds that its two \
         methods still lack.\n",
        printable(baseline),
    )
}
