//! Probabilities from logits, without losing the digits of small ones.

/// The probabilities of one token's classes; log p of the gold one.
pub fn softmax(logits: &[f64], gold: usize, probabilities: &mut [f64]) -> f64 {
    let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for (probability, logit) in probabilities.iter_mut().zip(logits) {
        *probability = (logit - highest).exp();
        sum += *probability;
    }
    let share = 1.0 / sum;
    probabilities.iter_mut().for_each(|probability| *probability *= share);
    logits[gold] - highest - sum.ln()
}

/// 1 − p of a class, added up from the others so that a small difference keeps its digits.
pub fn doubt(probabilities: &[f64], class: usize) -> f64 {
    let others = probabilities.iter().enumerate().filter(|(other, _)| *other != class);
    others.map(|(_, probability)| probability).sum()
}

/// Turns the derivatives of a loss with respect to probabilities into those with respect to the
/// logits of their softmax: pⱼ (sⱼ − Σ p s).
pub fn through_softmax(probabilities: &[f64], slopes: &mut [f64]) {
    let mean: f64 = probabilities.iter().zip(&*slopes).map(|(p, slope)| p * slope).sum();
    slopes.iter_mut().zip(probabilities).for_each(|(slope, p)| *slope = p * (*slope - mean));
}

/// A decision between yes and no.
#[derive(Copy, Clone, Debug)]
pub struct Decision {
    /// The probability of what is true.
    pub right: f64,
    /// That of what is not: 1 − `right`.
    pub wrong: f64,
    /// The logarithm of `right`.
    pub log_right: f64,
    /// By which the logit enters: 1 for yes, −1 for no.
    pub sign: f64,
}

impl Decision {
    /// From the logit of yes.
    pub fn new(logit: f64, yes: bool) -> Self {
        let sign = if yes { 1.0 } else { -1.0 };
        let (right, wrong) = (sigmoid(sign * logit), sigmoid(-sign * logit));
        Self { right, wrong, log_right: log_sigmoid(sign * logit), sign }
    }
}

/// 1 / (1 + e^−x)
pub fn sigmoid(x: f64) -> f64 {
    match x >= 0.0 {
        true => 1.0 / (1.0 + (-x).exp()),
        false => x.exp() / (1.0 + x.exp()),
    }
}

fn log_sigmoid(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}
