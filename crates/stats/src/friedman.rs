//! Friedman's test of several methods over several blocks, such as corpora.

use super::without_noise;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The test of "all methods rank alike".
#[derive(Clone, PartialEq, Debug)]
pub struct Friedman {
    pub blocks: usize,
    /// Of each method over the blocks; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Chi-squared, corrected for ties; 0 where every block is one tie.
    pub statistic: f64,
    /// Methods less one.
    pub df: usize,
    pub p: f64,
}

/// Tests scores, one row a block and one column a method, higher is better (Friedman 1937; the
/// correction for ties as scipy has it). Equal scores share their mean rank.
///
/// `None` of fewer than two blocks or three methods, of rows that differ in length, or if a score
/// is not finite.
pub fn friedman(scores: &[Vec<f64>]) -> Option<Friedman> {
    let blocks = scores.len();
    let methods = scores.first()?.len();
    let whole = |row: &Vec<f64>| row.len() == methods && row.iter().all(|x| x.is_finite());
    if blocks < 2 || methods < 3 || !scores.iter().all(whole) {
        return None;
    }
    let mut sums = vec![0.0; methods];
    let mut ties = 0.0;
    for row in scores {
        ties += rank(row, &mut sums);
    }
    let (n, k) = (blocks as f64, methods as f64);
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let uncorrected = 12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
    let correction = 1.0 - ties / (n * k * (k * k - 1.0));
    let statistic = if correction > 0.0 { (uncorrected / correction).max(0.0) } else { 0.0 };
    let chi_squared = ChiSquared::new(k - 1.0).ok()?;
    Some(Friedman {
        blocks,
        mean_ranks: sums.iter().map(|sum| sum / n).collect(),
        statistic,
        df: methods - 1,
        p: chi_squared.sf(statistic).clamp(0.0, 1.0),
    })
}

/// Adds the ranks of one block, the highest score first; gives t^3 - t summed over its ties.
fn rank(row: &[f64], sums: &mut [f64]) -> f64 {
    let scores: Vec<f64> = row.iter().map(|&x| without_noise(x)).collect();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let (mut before, mut ties) = (0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let size = tied.len() as f64;
        tied.iter().for_each(|&method| sums[method] += before + (size + 1.0) / 2.0);
        ties += size.powi(3) - size;
        before += size;
    }
    ties
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_all_close, assert_close, numbers, section};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_scipy() {
        for case in section("friedman") {
            let rows = case["matrix_blocks_by_methods"].as_array().unwrap();
            let found = friedman(&rows.iter().map(numbers).collect::<Vec<_>>()).unwrap();
            assert_close(found.statistic, &case["statistic"]);
            assert_close(found.p, &case["pvalue"]);
            assert_all_close(&found.mean_ranks, &case["avg_rank_higher_better"]);
        }
    }

    #[test]
    fn ties_agree_with_scipy() {
        // scipy.stats.friedmanchisquare(*zip(*rows))
        let rows = [[0.5, 0.5, 0.4, 0.3], [0.2, 0.3, 0.3, 0.3], [0.9, 0.8, 0.8, 0.7]];
        let found = friedman(&rows.map(|row| row.to_vec())).unwrap();
        assert!((found.statistic - 2.375).abs() < 1e-12, "{found:?}");
        assert!((found.p - 0.4983053304158035).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn equal_scores_have_p_1() {
        let found = friedman(&[vec![0.3 - 0.2, 0.4 - 0.3, 0.1], vec![0.2; 3]]).unwrap();
        assert_eq!((found.statistic, found.p), (0.0, 1.0));
        assert_eq!(found.mean_ranks, [2.0, 2.0, 2.0]);
    }

    #[test]
    fn too_little_is_no_test() {
        assert_eq!(friedman(&[]), None);
        assert_eq!(friedman(&[vec![0.1, 0.2, 0.3]]), None);
        assert_eq!(friedman(&[vec![0.1, 0.2], vec![0.1, 0.2]]), None);
        assert_eq!(friedman(&[vec![0.1, 0.2, 0.3], vec![0.1, 0.2]]), None);
        assert_eq!(friedman(&[vec![0.1, 0.2, 0.3], vec![0.1, 0.2, f64::NAN]]), None);
    }

    proptest! {
        #[test]
        fn ranks_add_up_and_only_order_matters(
            rows in prop::collection::vec(prop::collection::vec(0..9i32, 4), 2..8),
        ) {
            let scores = |stretch: f64| -> Vec<Vec<f64>> {
                let row = |row: &Vec<i32>| row.iter().map(|&x| f64::from(x) * stretch).collect();
                rows.iter().map(row).collect()
            };
            let found = friedman(&scores(0.1)).unwrap();
            prop_assert!((found.mean_ranks.iter().sum::<f64>() - 10.0).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&found.p));
            prop_assert_eq!(friedman(&scores(0.7)).unwrap(), found);
        }
    }
}
