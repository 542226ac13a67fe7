//! Numbers against those of packages that nobody here wrote, on random data: `make test-peers`
//! only.
//!
//! Samples are drawn here, with what tailgrid makes of them, and written as JSON, one case a line;
//! a script under `tests/peers` computes the same with the other packages and names every
//! difference.

use crate::program::{python, repository};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use stats::{self, Correction, Spending};
use std::fmt::Write;
use std::process::Command;

/// Gives cases to a script, which must find no difference and as many cases.
pub fn compare(script: &str, cases: &[Value]) {
    let mut lines = String::new();
    cases.iter().for_each(|case| writeln!(lines, "{case}").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    std::fs::write(&file, lines).unwrap();
    let script = repository().join("tests/peers").join(script);
    let done = Command::new(python("peers")).arg(&script).arg(&file).output();
    let done = done.expect("the environment is there (make test-peers makes it)");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    println!("{out}");
    assert!(done.status.success(), "{out}\n{err}");
    let compared = format!("{} cases, no difference", cases.len());
    assert!(out.contains(&compared), "not every case was compared:\n{out}\n{err}");
}

/// A sample of differences as they come: few or many, smooth or with ties, zeros and outliers.
fn differences(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let n = if rng.random_bool(0.8) { rng.random_range(2..=15) } else { rng.random_range(16..=70) };
    let (scale, shift) = (10f64.powi(rng.random_range(-3..=2)), rng.random_range(-1.0..1.0));
    let steps = rng.random_range(0..3);
    let one = |rng: &mut ChaCha8Rng| {
        let x = rng.random_range(-1.0..1.0) + shift * rng.random_range(0.0..1.0);
        match steps {
            // Scores are ratios of counts: equal differences and zeros are common.
            0 => (x * 4.0f64).round() / 4.0 * scale,
            1 => (x * 50.0f64).round() / 50.0 * scale,
            _ => x * scale,
        }
    };
    (0..n).map(|_| one(rng)).collect()
}

fn paired(rng: &mut ChaCha8Rng) -> Value {
    let differences = differences(rng);
    let t = stats::paired_t(&differences);
    let wilcoxon = stats::wilcoxon(&differences);
    let approximation = stats::wilcoxon_approximation(&differences);
    // scipy lists every pattern of signs itself: of few differences, and not of every sample.
    let listed = differences.len() <= 10 && rng.random_bool(0.2);
    let few = differences.len() <= 12;
    let flips = stats::sign_flip(&differences, 1).filter(|_| few && rng.random_bool(0.1));
    json!({
        "kind": "paired", "differences": differences,
        "zero_variance": t.map(|t| t.zero_variance),
        "t": t.and_then(|t| t.t), "p": t.and_then(|t| t.p),
        "interval": t.map(|t| [t.ci_low, t.ci_high]),
        "wilcoxon": wilcoxon.map(|w| [w.statistic, w.p]),
        "wilcoxon_exact": wilcoxon.map(|w| w.exact),
        "wilcoxon_approximation": approximation.map(|w| w.p),
        "wilcoxon_listed": listed,
        "sign_flip": flips.map(|flips| flips.p),
        "cohens_dz": stats::cohens_dz(&differences),
        "hedges_gz": stats::hedges_gz(&differences),
    })
}

fn family(rng: &mut ChaCha8Rng) -> Value {
    let n = rng.random_range(1..=20);
    let coarse = rng.random_bool(0.3);
    let p: Vec<f64> = (0..n)
        .map(|_| {
            let p = rng.random_range(0.0f64..1.0).powi(3);
            if coarse { (p * 20.0).round() / 20.0 } else { p }
        })
        .collect();
    let adjusted = Correction::ALL.map(|correction| correction.adjust(&p));
    json!({"kind": "family", "p": p, "adjusted": adjusted})
}

fn friedman(rng: &mut ChaCha8Rng) -> Value {
    let (blocks, methods) = (rng.random_range(2..=12), rng.random_range(3..=8));
    let steps: f64 = if rng.random_bool(0.5) { 8.0 } else { 1e6 };
    let mut row = || -> Vec<f64> {
        (0..methods).map(|_| (rng.random_range(0.0..1.0) * steps).round() / steps).collect()
    };
    let scores: Vec<Vec<f64>> = (0..blocks).map(|_| row()).collect();
    let found = stats::friedman(&scores).unwrap();
    json!({
        "kind": "friedman", "scores": scores, "statistic": found.statistic, "p": found.p,
        "mean_ranks": found.mean_ranks,
    })
}

fn nemenyi(rng: &mut ChaCha8Rng) -> Value {
    let (methods, blocks) = (rng.random_range(2..=20), rng.random_range(2..=40));
    let alpha = [0.01, 0.05, 0.1][rng.random_range(0..3)];
    let found = stats::nemenyi(&vec![1.0; methods], blocks, alpha).unwrap();
    let difference = found.critical_difference;
    json!({"kind": "nemenyi", "methods": methods, "blocks": blocks, "alpha": alpha, "critical_difference": difference})
}

fn power(rng: &mut ChaCha8Rng) -> Value {
    let (effect, n) = (rng.random_range(0.05..3.0), rng.random_range(2..=100usize));
    let alpha = [0.001, 0.01, 0.05, 0.1][rng.random_range(0..4)];
    let wanted = rng.random_range(0.5..0.95);
    json!({
        "kind": "power", "effect": effect, "n": n, "alpha": alpha, "wanted": wanted,
        "power": stats::power(effect, n, alpha), "needed": stats::pairs_needed(effect, wanted, alpha),
    })
}

fn effect(rng: &mut ChaCha8Rng) -> Value {
    let (t, n) = (rng.random_range(-8.0..8.0), rng.random_range(3..=40usize));
    json!({
        "kind": "effect", "t": t, "n": n, "interval": stats::effect_interval(t, n),
        "given": stats::given_effect_interval(t, n),
    })
}

fn looks(rng: &mut ChaCha8Rng) -> Value {
    let mut looks = vec![rng.random_range(2..=10usize)];
    for _ in 0..rng.random_range(0..=2) {
        looks.push(looks[looks.len() - 1] + rng.random_range(1..=10usize));
    }
    let alpha = [0.01, 0.05, 0.1][rng.random_range(0..3)];
    let (spending, name) = match rng.random_bool(0.5) {
        true => (Spending::Pocock, "pocock"),
        false => (Spending::ObrienFleming, "obrien-fleming"),
    };
    let found = stats::boundaries(&looks, &looks, spending, alpha).unwrap();
    let z: Vec<f64> = found.iter().map(|look| look.z).collect();
    json!({"kind": "looks", "looks": looks, "spending": name, "alpha": alpha, "z": z})
}

fn order(rng: &mut ChaCha8Rng) -> Value {
    // Sizes whose steps fall on the grid that deepsig sums over.
    let mut sample = |shift: f64| -> Vec<f64> {
        let n = [4, 5, 8, 10, 20][rng.random_range(0..5)];
        (0..n).map(|_| rng.random_range(0.0..1.0) + shift).collect()
    };
    let (a, b) = (sample(0.15), sample(0.0));
    let found = stats::almost_stochastic_order(&a, &b, 0.95, 1000, rng.next_u64()).unwrap();
    json!({
        "kind": "order", "a": a, "b": b, "violation": found.violation,
        "epsilon_min": found.epsilon_min, "with_bound": rng.random_bool(0.05),
    })
}

fn interval(rng: &mut ChaCha8Rng) -> Value {
    let n = rng.random_range(8..=40);
    let values: Vec<f64> = (0..n).map(|_| rng.random_range(0.0f64..1.0).powi(2)).collect();
    let resamples = 20_000;
    json!({
        "kind": "interval", "values": values,
        "percentile": stats::percentile_interval(&values, resamples, rng.next_u64()),
        "bca": stats::bca_interval(&values, resamples, rng.next_u64()),
        "standard_error": stats::bootstrap_standard_error(&values, resamples, rng.next_u64()),
    })
}

/// Makes one random case.
type Maker = fn(&mut ChaCha8Rng) -> Value;

#[test]
#[ignore = "needs other packages: make test-peers"]
fn peers_stats_find_no_difference() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let kinds: [(Maker, usize); 9] = [
        (paired, 10_000),
        (family, 2000),
        (friedman, 2000),
        (nemenyi, 20),
        (power, 300),
        (effect, 100),
        (looks, 100),
        (order, 100),
        (interval, 40),
    ];
    let mut cases = Vec::new();
    for (make, n) in kinds {
        cases.extend((0..n).map(|_| make(&mut rng)));
    }
    compare("stats.py", &cases);
}

#[test]
#[ignore = "needs other packages: make test-peers"]
fn peers_stats_notice_a_difference() {
    let mut case = json!({"kind": "family", "p": [0.01, 0.02], "adjusted": [[0.02, 0.02], [0.02, 0.04], [0.02, 0.02]]});
    compare("stats.py", std::slice::from_ref(&case));
    case["adjusted"][0][0] = json!(0.0200001);
    let noticed = std::panic::catch_unwind(|| compare("stats.py", std::slice::from_ref(&case)));
    assert!(noticed.is_err());
}
