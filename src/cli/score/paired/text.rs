//! The comparison as tables for people.

use super::super::asked::Asked;
use super::super::pass::Read;
use super::super::table::{averages_rule, mode_rule};
use super::{Kind, Tested, tests, unit};
use crate::cli::output::{Side, aligned_to, printable};
use analysis::number;
use domain::LevelScores;

/// Fewer units than this are few to draw from.
const FEW_UNITS: usize = 20;

/// Scores side by side, then a table a test.
pub fn text(asked: &Asked, read: &Read) -> String {
    let [a, b] = &read.predictions[..] else { return String::new() };
    let mut text = String::new();
    for (letter, source) in ["A", "B"].iter().zip(asked.sources.iter().skip(1)) {
        text += &format!("{letter}: {}\n", printable(&source.path.display().to_string()));
    }
    text += &format!("\n{}", side_by_side(&a.scored.scores.span, &b.scored.scores.span));
    for tested in tests(asked, read) {
        text += &format!("\n{}", test_table(asked, read, &tested));
    }
    text += &format!("\n{}\n{}\n", mode_rule(asked), averages_rule(asked));
    if asked.tests.any() {
        text += P_VALUES;
    }
    text
}

const P_VALUES: &str = "\
p is two-sided: how often chance alone gives a difference as large, were both equally good on data like
this. It says nothing of other seeds of the same systems: `tailgrid compare` does.
";

/// F1 of every type and average.
fn side_by_side(a: &LevelScores, b: &LevelScores) -> String {
    let mut rows = vec![["f1 of spans", "A", "B", "A − B"].map(str::to_owned).to_vec()];
    let mut names: Vec<&String> = a.types.keys().chain(b.types.keys()).collect();
    names.sort();
    names.dedup();
    let f1 = |level: &LevelScores, name: &String| level.types.get(name).map_or(0.0, |c| c.f1);
    rows.extend(names.iter().map(|name| difference_row(name, f1(a, name), f1(b, name))));
    if !names.is_empty() {
        rows.push(vec![]);
    }
    rows.extend([
        difference_row("micro", a.micro.f1, b.micro.f1),
        difference_row("macro", a.macro_.f1, b.macro_.f1),
        difference_row("macro_fixed", a.macro_fixed.f1, b.macro_fixed.f1),
        difference_row("weighted", a.weighted.f1, b.weighted.f1),
    ]);
    numbers(&rows)
}

fn difference_row(name: &str, a: f64, b: f64) -> Vec<String> {
    vec![printable(name), format!("{a:.4}"), format!("{b:.4}"), signed(a - b)]
}

/// Four decimals with a true minus sign.
fn signed(difference: f64) -> String {
    match format!("{difference:+.4}").as_str() {
        "-0.0000" => "+0.0000".to_owned(),
        rounded => rounded.replace('-', "−"),
    }
}

fn numbers(rows: &[Vec<String>]) -> String {
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right];
    aligned_to(rows, &sides, "")
}

fn test_table(asked: &Asked, read: &Read, tested: &Tested) -> String {
    let Tested { kind, resamples, by_measure } = tested;
    let [title, made] = kind.words();
    let Some(units) = by_measure.iter().find_map(|(_, result)| Some(result.as_ref()?.units)) else {
        return format!("{title}: no entity in any file, so there is nothing to test\n");
    };
    let mut heads = ["", "A", "B", "A − B"].map(str::to_owned).to_vec();
    heads.extend((*kind == Kind::Bootstrap).then(|| "middle 95 %".to_owned()));
    heads.push("p".to_owned());
    let mut rows = vec![heads];
    for (name, result) in by_measure {
        let Some(result) = result else { continue };
        let mut row = difference_row(name, result.a, result.b);
        let middle = result.spread.map(|spread| spread.difference.map(signed));
        row.extend(middle.map(|[low, high]| format!("[{low}, {high}]")));
        row.push(number::p_value(result.p));
        rows.push(row);
    }
    let (unit, seed) = (unit(read), asked.tests.seed);
    let may_be_too_small =
        by_measure.iter().filter_map(|(_, result)| result.as_ref()).any(|r| r.p < 1.0);
    let few = match kind {
        Kind::Bootstrap if units < FEW_UNITS && may_be_too_small => {
            format!(
                "So few {unit}s do not show how much others would vary: p comes out too small.\n"
            )
        }
        _ => String::new(),
    };
    format!(
        "{title}, {resamples} {made} of {}, seed {seed}\n{}{few}",
        number::counted(units, unit),
        numbers(&rows)
    )
}
