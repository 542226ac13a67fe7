//! Gradients against differences, sums against plain loops.

use super::*;
use crate::model::chain::{Chain, Evidence, loss_and_gradients};

/// Products as plain loops.
struct Plain {
    dimension: usize,
    vectors: Vec<f64>,
}

impl Features for Plain {
    fn words(&self) -> usize {
        self.vectors.len() / self.dimension
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn scores(&self, weights: &[f64], columns: usize) -> Vec<f64> {
        let score = |vector: &[f64], k: usize| {
            vector.iter().enumerate().map(|(d, x)| x * weights[d * columns + k]).sum::<f64>()
        };
        let words = self.vectors.chunks(self.dimension);
        words.flat_map(|vector| (0..columns).map(move |k| score(vector, k))).collect()
    }

    fn pull_back(&self, scores: Vec<f64>, columns: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.dimension * columns];
        for (vector, scores) in self.vectors.chunks(self.dimension).zip(scores.chunks(columns)) {
            for (d, x) in vector.iter().enumerate() {
                (0..columns).for_each(|k| sums[d * columns + k] += x * scores[k]);
            }
        }
        sums
    }

    fn only(&self, words: &[u32]) -> Box<dyn Features> {
        let row = |word: &u32| &self.vectors[*word as usize * self.dimension..][..self.dimension];
        let vectors = words.iter().flat_map(row).copied().collect();
        Box::new(Plain { dimension: self.dimension, vectors })
    }
}

/// Numbers that look random, the same every time.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

const WORDS: usize = 300;

/// Sentences of all lengths over all words but the last, in three of five classes.
fn sentences() -> Sentences {
    let mut sentences = Sentences::default();
    for n in 0..150 {
        let token = |t: usize| ((n * 31 + t * t * 17) % (WORDS - 1), [0, 1, 4][(n + t * t) % 3]);
        let tokens = (0..1 + n % 23).map(token);
        sentences
            .push(tokens.map(|(word, class)| (word as u32, class)).collect(), 1 + n as u32 % 3);
    }
    sentences
}

fn features() -> Plain {
    Plain { dimension: 4, vectors: numbers(4 * WORDS, 1) }
}

/// Compares a gradient with differences of the value.
fn assert_gradient(point: &[f64], mut evaluate: impl FnMut(&[f64], &mut [f64]) -> f64) {
    let mut gradient = vec![0.0; point.len()];
    evaluate(point, &mut gradient);
    let mut ignored = gradient.clone();
    for (place, part) in gradient.iter().enumerate() {
        let mut at = |step: f64| {
            let mut point = point.to_vec();
            point[place] += step;
            evaluate(&point, &mut ignored)
        };
        let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((part - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{place}: {part} {slope}");
    }
}

fn squares(logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
    let target = |class| f64::from(u8::from(class == gold));
    let parts = logits.iter().enumerate().map(|(class, logit)| logit - target(class));
    gradient.iter_mut().zip(parts.clone()).for_each(|(into, part)| *into = 2.0 * part);
    parts.map(|part| part * part).sum()
}

#[test]
fn gradients_are_those_of_the_values() {
    let (features, sentences) = (features(), sentences());
    let observed = sentences.observed();
    assert_eq!(observed, [0, 1, 4]);
    let softmax = SoftmaxObjective::new(&features, &squares, &sentences, &observed, 0.7);
    assert_gradient(&numbers(softmax.parameters(), 2), |p, g| softmax.evaluate(p, g));
    let mut crf = CrfObjective::new(&features, &sentences, &observed, 0.3, Kept::All);
    assert_gradient(&numbers(crf.parameters(), 3), |p, g| crf.evaluate(p, g));
}

#[test]
fn the_objective_of_the_chain_is_that_of_its_sentences_one_by_one() {
    let (features, sentences) = (features(), sentences());
    let observed = sentences.observed();
    let mut crf = CrfObjective::new(&features, &sentences, &observed, 0.3, Kept::All);
    // The second point's scores are too far apart for factors.
    for size in [1.0, 400.0] {
        let point: Vec<f64> = numbers(crf.parameters(), 3).iter().map(|part| part * size).collect();
        let value = crf.evaluate(&point, &mut vec![0.0; point.len()]);
        let (weights, transitions) = point.split_at(4 * 3);
        let (scores, chain) = (features.scores(weights, 3), Chain::new(3, transitions));
        let mut expected = 0.3 * point.iter().map(|part| part * part).sum::<f64>();
        for (tokens, copies) in sentences.iter() {
            let row = |word: &u32| scores[*word as usize * 3..][..3].iter().map(|s| *s as f32);
            let emissions: Vec<f32> =
                sentences.words(tokens.clone()).iter().flat_map(row).collect();
            let path = &sentences.places(&observed)[tokens.clone()];
            let path: Vec<usize> = path.iter().map(|place| *place as usize).collect();
            let evidence = Evidence::Path(&path);
            let losses = loss_and_gradients(&chain, &emissions, &[tokens.len()], evidence).losses;
            expected += copies * losses[0];
        }
        assert!((value - expected).abs() < 1e-6 * expected, "{value} {expected}");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (features, sentences) = (features(), sentences());
    let observed = sentences.observed();
    let run = |threads| {
        let mut crf = CrfObjective::new(&features, &sentences, &observed, 0.3, Kept::AsCrfsuite);
        let softmax = SoftmaxObjective::new(&features, &squares, &sentences, &observed, 0.7);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (at, and) = (numbers(crf.parameters(), 3), numbers(softmax.parameters(), 2));
        let (mut first, mut second) = (at.clone(), and.clone());
        let values =
            pool.install(|| (crf.evaluate(&at, &mut first), softmax.evaluate(&and, &mut second)));
        (values, first, second)
    };
    let alone = run(1);
    assert_eq!(run(2), alone);
    assert_eq!(run(5), alone);
}

#[test]
fn crfsuites_way_drops_what_sums_below_zero() {
    let features = Plain { dimension: 2, vectors: vec![1.0, -1.0, -2.0, 3.0] };
    let mut sentences = Sentences::default();
    sentences.push(vec![(0, 0), (1, 1)], 1);
    let mut crf = CrfObjective::new(&features, &sentences, &[0, 1], 0.0, Kept::AsCrfsuite);
    let mut gradient = vec![9.0; crf.parameters()];
    crf.evaluate(&vec![0.0; crf.parameters()], &mut gradient);
    let has_weight: Vec<bool> = gradient.iter().map(|part| *part != 0.0).collect();
    let transitions = [false, true, false, false];
    assert_eq!(has_weight[..4], [true, false, false, true]);
    assert_eq!(has_weight[4..], transitions);
}

#[test]
fn words_that_do_not_occur_change_nothing() {
    let (features, sentences) = (features(), sentences());
    let (observed, occurring) = (sentences.observed(), sentences.occurring());
    assert!(occurring.len() < WORDS);
    let (fewer, renumbered) = (features.only(&occurring), sentences.renumbered(&occurring));
    let value = |features: &dyn Features, sentences: &Sentences| {
        let mut crf = CrfObjective::new(features, sentences, &observed, 0.3, Kept::AsCrfsuite);
        let point = numbers(crf.parameters(), 3);
        let mut gradient = point.clone();
        (crf.evaluate(&point, &mut gradient), gradient)
    };
    assert_eq!(value(&*fewer, &renumbered), value(&features, &sentences));
}
