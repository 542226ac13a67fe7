//! Learning from positive and unlabelled words (Peng et al. 2019, bnPU, with the weights of their
//! code; a baseline of li2022, Table 4): for each type, words that are annotated with it are
//! positive, and all others unlabelled, some of which are of the type too.
//!
//! With ℓ(p, y) = 1 − p_y, R_P the mean over positive words of the loss towards yes, R_U the mean
//! over unlabelled words of that towards no, and π the share of unlabelled words that are of the
//! type, the risk of words that are not of it is N = R_U − π (1 − R_P), and what is minimised
//! m R_P + N. N cannot be negative but for overfitting: below β it is driven up again, by −γ N
//! alone. Both means are over a batch; without a positive word R_P is 0.

use super::probabilities::Decision;
use super::{Loss, TokenLoss, Tokens};
use crate::treatment::remakes;
use domain::{MethodSettings, Parameters};
use parts::{Scenario, choice, part};

choice! {
    /// Where the share of unlabelled words of a type comes from.
    pub enum PriorSource { Estimated = "estimated", Oracle = "oracle", Stated = "stated" }
}

part! {
    /// learning from positive and unlabelled words, type by type
    pub struct Pu("pu") from "peng2019; li2022, Table 4" needs Capability::Binary {
        /// the share of unlabelled words that are of a type: from dev, from the gold tags of train,
        /// or `stated_prior`
        prior: PriorSource = Estimated,
        /// that share for every type, with `prior: stated`
        stated_prior: f64 = 0.01 in 0.0..=1.0,
        /// what an estimated share is at least
        least_prior: f64 = 0.001 in 0.0..=1.0,
        /// weight of the risk of positive words
        m: f64 = 0.3 in 0.0..=1000.0,
        /// the risk of other words below which it is driven up again
        beta: f64 = 0.0 in -1.0..=1.0,
        /// how hard it is driven up
        gamma: f64 = 1.0 in 0.0..=1000.0,
    }
}

/// Where the share of unlabelled words of a type comes from.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Prior {
    /// What dev has more of the type than train, at least this.
    Estimated { least: f64 },
    /// The gold tags of train.
    Oracle,
    /// The same for every type.
    Stated(f64),
}

/// Why a method's prior cannot be had, if it cannot: it is stated and not asked for, or the gold
/// tags of train are unknown that an oracle wants.
pub fn conflict(method: &MethodSettings, scenario: &Parameters) -> Option<String> {
    let Loss::Pu(loss) = Loss::read(&method.loss) else { return None };
    let (prior, default) = (loss.prior(), Pu::read(&Pu::ENTRY.defaults()));
    let is_stated = loss.stated_prior != default.stated_prior;
    if is_stated && !matches!(prior, Prior::Stated(_)) {
        return Some("`stated_prior` is read with `prior: stated` alone".to_owned());
    }
    if prior != Prior::Oracle {
        return None;
    }
    let scenario = Scenario::new(scenario);
    let part = &scenario.extra_train;
    if !part.is_empty() {
        return Some(format!(
            "nobody knows the gold tags of `{part}`, which `prior: oracle` counts"
        ));
    }
    if scenario.incomplete {
        return Some(
            "nobody knows which annotations of train are missing, which `prior: oracle` counts"
                .to_owned(),
        );
    }
    let kind = &remakes(method)?.kind;
    scenario.masks().then(|| {
        format!(
            "`{kind}` makes other sentences, whose masked entities `prior: oracle` cannot count"
        )
    })
}

impl Pu {
    /// Where the share of unlabelled words comes from.
    pub fn prior(&self) -> Prior {
        match self.prior {
            PriorSource::Oracle => Prior::Oracle,
            PriorSource::Stated => Prior::Stated(self.stated_prior),
            PriorSource::Estimated => Prior::Estimated { least: self.least_prior },
        }
    }

    /// The loss of a yes or no; only a stated share is known without the data.
    pub fn over_decisions(self) -> Option<Box<dyn TokenLoss>> {
        match self.prior() {
            Prior::Stated(prior) => Some(self.with_prior(prior)),
            _ => None,
        }
    }

    /// The loss of a type with its share of unlabelled words.
    pub fn with_prior(&self, prior: f64) -> Box<dyn TokenLoss> {
        let &Self { m, beta, gamma, .. } = self;
        Box::new(PositiveUnlabelled { prior, m, beta, gamma })
    }
}

struct PositiveUnlabelled {
    prior: f64,
    m: f64,
    beta: f64,
    gamma: f64,
}

impl TokenLoss for PositiveUnlabelled {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let positive = tokens.gold.iter().filter(|class| **class == 1).count();
        let shares =
            [tokens.gold.len() - positive, positive].map(|words| 1.0 / words.max(1) as f64);
        // By class: of unlabelled and of positive words.
        let mut risks = [0.0; 2];
        for ((logit, slope), &class) in tokens.logits.iter().zip(&mut *gradient).zip(tokens.gold) {
            let Decision { right, wrong, sign, .. } = Decision::new(*logit, class == 1);
            risks[class] += shares[class] * wrong;
            *slope = -sign * shares[class] * right * wrong;
        }
        let [unlabelled, positive] = risks;
        let others = unlabelled - self.prior * (1.0 - positive);
        let (value, slopes) = match others < self.beta {
            true => (-self.gamma * others, [-self.gamma, -self.gamma * self.prior]),
            false => (self.m * positive + others, [1.0, self.m + self.prior]),
        };
        gradient.iter_mut().zip(tokens.gold).for_each(|(slope, class)| *slope *= slopes[*class]);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults() -> Pu {
        Pu::read(&Pu::ENTRY.defaults())
    }

    fn value(loss: &dyn TokenLoss, logits: &[f64], gold: &[usize]) -> f64 {
        let tokens = Tokens { logits, gold, sentences: &[gold.len()] };
        loss.batch(tokens, &mut vec![0.0; logits.len()])
    }

    /// The logit of a probability.
    fn logit(p: f64) -> f64 {
        (p / (1.0 - p)).ln()
    }

    #[test]
    fn the_risk_is_that_of_the_formula() {
        // Positive words at 0.8 and 0.6: R_P = 0.3. Unlabelled ones at 0.5, 0.3 and 0.1: R_U = 0.3.
        let logits = [0.8, 0.5, 0.6, 0.3, 0.1].map(logit);
        let gold = [1, 0, 1, 0, 0];
        let of = |prior: f64, loss: Pu| value(&*loss.with_prior(prior), &logits, &gold);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        // N = 0.3 − 0.2 · 0.7
        close(of(0.2, defaults()), 0.3 * 0.3 + 0.16);
        close(of(0.2, Pu { m: 1.0, ..defaults() }), 0.3 + 0.16);
        // N = 0.3 − 0.5 · 0.7 is below 0, and driven up.
        close(of(0.5, defaults()), 0.05);
        close(of(0.5, Pu { gamma: 3.0, ..defaults() }), 0.15);
        close(of(0.5, Pu { beta: -0.1, ..defaults() }), 0.3 * 0.3 - 0.05);
        close(value(&*defaults().with_prior(0.1), &[logit(0.3)], &[0]), 0.2);
    }

    #[test]
    fn gradients_are_the_derivatives_on_both_sides_of_the_bound() {
        let logits = [0.7, -1.2, 0.4, 2.0, -0.3, 0.1];
        let gold = [1, 0, 0, 1, 0, 0];
        for prior in [0.0, 0.1, 0.9] {
            let loss = Pu { gamma: 2.0, ..defaults() }.with_prior(prior);
            let tokens = Tokens { logits: &logits, gold: &gold, sentences: &[6] };
            let mut gradient = vec![f64::NAN; logits.len()];
            loss.batch(tokens, &mut gradient);
            for (place, slope) in gradient.iter().enumerate() {
                const STEP: f64 = 1e-5;
                let moved = |step: f64| {
                    let mut logits = logits;
                    logits[place] += step;
                    value(&*loss, &logits, &gold)
                };
                let numerical = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                assert!((slope - numerical).abs() < 1e-9, "{prior}: {slope} {numerical}");
            }
        }
    }
}
