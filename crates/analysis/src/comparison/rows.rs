//! The comparisons of a grid as rows of `comparisons.parquet`.

use super::{Comparison, Detail, Verdict, compare_in};
use crate::frames::ResultFrames;
use crate::measure;
use crate::view::{GridView, Scoreboard};
use domain::Metric;
use store::ComparisonRow;

/// Every method against the baseline by every metric that reports show; none without a baseline.
pub fn comparison_rows(view: &GridView, results: &ResultFrames) -> Vec<ComparisonRow> {
    let rows = |metric: Metric| {
        let board = Scoreboard::new(view, results, metric);
        let compared = compare_in(Detail::Verdict, view, &board);
        compared.into_iter().map(move |comparison| row(comparison, metric))
    };
    measure::tabled(view.metric).into_iter().flat_map(rows).collect()
}

fn row(c: Comparison, metric: Metric) -> ComparisonRow {
    let verdict = c.verdict().word().to_owned();
    ComparisonRow {
        corpus: c.corpus,
        scenario: c.scenario,
        model: c.model,
        method: c.method,
        against: c.against,
        metric: metric.name().to_owned(),
        n: c.n as u64,
        missing_pairs: c.missing_pairs as u64,
        mean: c.mean,
        baseline_mean: c.baseline_mean,
        difference: c.difference,
        ci_low: c.ci_low,
        ci_high: c.ci_high,
        p: c.p,
        p_holm: c.p_holm,
        family_size: c.family_size as u64,
        wilcoxon_p: c.wilcoxon_p,
        effect_size: c.effect_size,
        verdict,
    }
}

impl Verdict {
    /// As the column `verdict` has it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Better => "above",
            Verdict::Worse => "below",
            Verdict::Open => "open",
            Verdict::Untested => "untested",
            Verdict::Untrained => "untrained",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;

    #[test]
    fn rows_have_the_numbers_of_the_comparisons() {
        let (view, results) = synthetic::grid();
        let results = ResultFrames::from(&results);
        let rows = comparison_rows(&view, &results);
        assert_eq!(rows.len(), 2 * 2 * 5, "metrics, models, methods but the baseline");
        let board = Scoreboard::new(&view, &results, Metric::MacroF1);
        let expected = super::super::compare(&view, &board);
        for (row, c) in rows.iter().zip(&expected) {
            assert_eq!((&row.method, row.n, row.p, row.p_holm), (&c.method, 5, c.p, c.p_holm));
            assert_eq!((row.difference, row.ci_low), (c.difference, c.ci_low));
        }
        assert_eq!((&*rows[0].metric, &*rows[0].verdict), ("macro_f1", "above"));
    }
}
