//! `tailgrid power GRID`: how many seeds a verdict needs, and what they cost in hours.

mod plan;

use super::compare::{as_asked, baseline_of};
use super::grid::{self, GridArgs, Opened};
use super::output::{print, printable, width};
use super::{CliError, Common, Exit};
use analysis::comparison::{Question, compare};
use analysis::power::{Need, Wanted, need};
use analysis::{GridView, Scoreboard, cautions, number};
use plan::{Costs, Plan};
use report::INVENTED;
use report::tables::{Align, Table, terminal};
use serde::Serialize;
use sweep::Estimates;

/// How many seeds a verdict needs, and what they cost in hours
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// The probability with which a difference shall be shown, above 0 and below 1
    #[arg(long, value_name = "SHARE", default_value = "0.8", value_parser = share)]
    pub power: f64,
    /// The level of a family of tests, above 0 and below 1: at 0 no number of seeds shows anything
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub alpha: f64,
    /// The difference to be shown, in points of the score in %; the observed ones if not given
    #[arg(long, value_name = "POINTS", value_parser = points)]
    pub effect: Option<f64>,
    /// Compare with this method instead of the grid's baseline
    #[arg(long, value_name = "METHOD")]
    pub baseline: Option<String>,
    /// Compare by this metric instead of the grid's: macro_f1, micro_f1, macro_fixed_f1, …
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<String>,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "give a share above 0 and below 1, as 0.05 or 0.8".to_owned())
}

fn points(text: &str) -> Result<f64, String> {
    let points = text.parse().ok().filter(|points| *points > 0.0 && *points <= 100.0);
    points.ok_or_else(|| "give points of a score in %, above 0 and at most 100, as 1.5".to_owned())
}

/// What was asked, what each comparison needs, and what buys it.
#[derive(Serialize)]
struct Output<'a> {
    metric: &'a str,
    baseline: &'a str,
    power: f64,
    alpha: f64,
    /// As a fraction, as every score here.
    effect: Option<f64>,
    /// Seeds that the grid has now.
    seeds: usize,
    /// Whether the mock engine made the numbers.
    invented: bool,
    comparisons: Vec<Priced>,
    plans: Vec<Plan>,
}

/// A need and what meeting it costs: the jobs that the method and the baseline still lack.
#[derive(Serialize)]
struct Priced {
    #[serde(flatten)]
    need: Need,
    hours: Option<f64>,
}

/// Says what verdicts need.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Opened { grid, common, .. } = &args.grid.open(common)?;
    let (view, results) = grid::view(grid, common)?;
    let view = as_asked(&args.baseline, &args.metric, &Question::default(), view)?;
    let standings = sweep::standings(grid, &grid::folder(grid, common)?)?;
    let board = Scoreboard::new(&view, &results, view.metric);
    let wanted = wanted(args);
    let needs: Vec<Need> = compare(&view, &board).iter().map(|c| need(c, &wanted)).collect();
    if needs.is_empty() {
        let message = "there is nothing to compare: no other method than the baseline is selected";
        return Err(CliError::new(Exit::NothingSelected, message));
    }
    let estimates = Estimates::new(grid, &standings);
    let costs = Costs::new(&view, |point| estimates.of(point), |key| standings.get(key).into());
    let mut output = answer(&view, &wanted, needs, &costs)?;
    output.invented = report::are_invented(&view, &results);
    match common.json {
        true => {
            let json = serde_json::to_string_pretty(&output);
            print(&json.map_err(|e| CliError::new(Exit::Internal, e))?)?;
        }
        false => print(&text(&output, width()))?,
    }
    Ok(Exit::Done)
}

fn wanted(args: &Args) -> Wanted {
    let effect = args.effect.map(|points| points / 100.0);
    Wanted { power: args.power, alpha: args.alpha, effect }
}

fn answer<'a>(
    view: &'a GridView,
    wanted: &Wanted,
    needs: Vec<Need>,
    costs: &Costs,
) -> Result<Output<'a>, CliError> {
    let baseline = baseline_of(view)?;
    let plans = plan::plans(&view.seeds, &needs, costs);
    let price = |need: Need| {
        let hours = need.seeds.and_then(|seeds| costs.of_pair(&need, baseline, seeds));
        Priced { need, hours }
    };
    Ok(Output {
        metric: view.metric.name(),
        baseline,
        power: wanted.power,
        alpha: wanted.alpha,
        effect: wanted.effect,
        seeds: view.seeds.len(),
        invented: false,
        comparisons: needs.into_iter().map(price).collect(),
        plans,
    })
}

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
fn text(output: &Output<'_>, width: Option<usize>) -> String {
    let mut out = if output.invented { format!("{INVENTED}\n\n") } else { String::new() };
    let place = |p: &Priced| {
        let Need { corpus, scenario, model, .. } = &p.need;
        format!("{corpus}, {scenario}, {model}")
    };
    for family in output.comparisons.chunk_by(|a, b| place(a) == place(b)) {
        let table = table(place(&family[0]), family);
        out.push_str(&format!("{}\n", terminal::render(&table, width)));
    }
    out += &format!("{}\n", terminal::rows(&plans(&output.plans), "", width));
    out + &terminal::paragraphs(&footer(output), width)
}

fn table(title: String, family: &[Priced]) -> Table {
    let cautions = cautions::lines_of(family.iter().map(|priced| &priced.need.cautions[..]));
    Table { title, cautions, ..Table::of_texts(COLUMNS, family.iter().map(row)) }
}

fn row(Priced { need, hours }: &Priced) -> [String; 9] {
    let shown =
        |value: Option<f64>, form: fn(f64) -> String| value.map_or_else(|| "–".to_owned(), form);
    let interval = match (need.effect_low, need.effect_high) {
        (Some(low), Some(high)) => format!("[{}, {}]", number::signed(low), number::signed(high)),
        _ => "–".to_owned(),
    };
    let seeds = match (need.seeds, &need.remark) {
        (Some(seeds), _) => seeds.to_string(),
        (None, Some(remark)) => remark.clone(),
        (None, None) => "–".to_owned(),
    };
    [
        need.method.clone(),
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
fn plans(plans: &[Plan]) -> Table {
    let row = |plan: &Plan| {
        let time = match plan.hours {
            _ if plan.jobs == 0 => "nothing to run".to_owned(),
            Some(hours) => format!("{}, {}", jobs(plan.jobs), number::duration(hours * 3600.0)),
            None => format!("{}, no time is known", jobs(plan.jobs)),
        };
        [
            format!("{}:", number::counted(plan.seeds, "seed")),
            format!("{} of {} comparisons have the power", plan.comparisons, plan.of),
            time,
            plan.set.as_ref().map_or_else(String::new, |set| format!("--set {set}")),
        ]
    };
    let sides = [Align::Right, Align::Left, Align::Left, Align::Left];
    Table::of_texts(sides.map(|side| ("", side)), plans.iter().map(row))
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

#[cfg(test)]
mod tests;
