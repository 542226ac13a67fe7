//! Self-adjusting Dice loss of Li et al. (2020): the ratio of Dice on q = (1 − p)^α · p, which
//! fades for what the model is already sure of.
//!
//! `variant: paper` is their equation, 1 − (2qy + s) / (q + y + s) for each token and class, added
//! up over classes. `variant: code` is their program: with squares in the denominator the same for
//! each token and class, without them each token's numerator over the sums of its class in the
//! batch. For decisions between yes and no (head mrc) it is one ratio over all of them. nemoto2024
//! has s = 1, α = 0.01, squared.

use super::probabilities::{doubt, sigmoid, softmax, through_softmax};
use super::{Mean, PointLoss, Question, TokenLoss, Tokens};
use parts::{choice, part};

choice! {
    /// Which of the two published forms.
    pub enum Variant { Paper = "paper", Code = "code" }
}

part! {
    /// one minus the overlap of predicted and gold classes, fading for what the model is sure of
    pub struct SelfAdjustingDice("self-adjusting-dice") from "li2020; nemoto2024, sections 3.2 and 3.3" needs Capability::TokenLevel {
        /// α, how fast sure tokens fade; 0 is plain Dice
        alpha: f64 = 0.01 in 0.0..=10.0,
        /// s, added to both sides of a ratio
        smoothing: f64 = 1.0 in 1e-12..=1e6,
        /// the equation of the paper, or the authors' code
        variant: Variant = Code,
        /// squares in the denominator (of the code)
        squared: bool = true,
    }
}

impl SelfAdjustingDice {
    pub fn over(self, question: Question<'_>) -> Box<dyn TokenLoss> {
        let Self { alpha, smoothing, variant, squared } = self;
        let code = variant == Variant::Code;
        let ratio = Ratio { alpha, smoothing, squared: code && squared };
        match question {
            Question::YesNo => Box::new(Decisions(ratio)),
            Question::Class { .. } if code && !ratio.squared => Box::new(ByClass(ratio)),
            Question::Class { .. } => Box::new(Mean(ratio)),
        }
    }
}

#[derive(Copy, Clone)]
struct Ratio {
    alpha: f64,
    smoothing: f64,
    squared: bool,
}

impl Ratio {
    /// q = (1 − p)^α · p, and its derivative, given p and 1 − p.
    fn fading(&self, p: f64, doubt: f64) -> (f64, f64) {
        let doubt = doubt.max(f64::MIN_POSITIVE);
        match self.alpha {
            0.0 => (p, 1.0),
            alpha => {
                let fade = doubt.powf(alpha);
                (fade * p, fade - alpha * p * fade / doubt)
            }
        }
    }

    /// What q adds to a denominator, and the derivative of that.
    fn below(&self, q: f64) -> (f64, f64) {
        if self.squared { (q * q, 2.0 * q) } else { (q, 1.0) }
    }
}

/// A ratio for each token and class.
impl PointLoss for Ratio {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        softmax(logits, gold, gradient);
        let p = gradient.to_vec();
        let mut value = 0.0;
        for (class, (slope, &probability)) in gradient.iter_mut().zip(&p).enumerate() {
            let (q, of_q) = self.fading(probability, doubt(&p, class));
            let (below, of_below) = self.below(q);
            let y = f64::from(class == gold);
            let (top, bottom) = (2.0 * q * y + self.smoothing, below + y + self.smoothing);
            value += 1.0 - top / bottom;
            *slope = of_q * (top * of_below / bottom - 2.0 * y) / bottom;
        }
        through_softmax(&p, gradient);
        value
    }
}

/// Each token's numerator over the sums of its class in the batch.
struct ByClass(Ratio);

impl TokenLoss for ByClass {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let (ratio, width) = (self.0, tokens.width().max(1));
        let share = 1.0 / tokens.gold.len().max(1) as f64;
        let mut bottoms = vec![ratio.smoothing; width];
        // Σ over tokens of each class's numerators.
        let mut tops = vec![ratio.smoothing * tokens.gold.len() as f64; width];
        let logits = tokens.logits.chunks(width);
        for ((logits, p), &gold) in logits.zip(gradient.chunks_mut(width)).zip(tokens.gold) {
            softmax(logits, gold, p);
            for (class, bottom) in bottoms.iter_mut().enumerate() {
                *bottom += ratio.fading(p[class], doubt(p, class)).0;
            }
            bottoms[gold] += 1.0;
            tops[gold] += 2.0 * ratio.fading(p[gold], doubt(p, gold)).0;
        }
        let mut slopes = vec![0.0; width];
        for (p, &gold) in gradient.chunks_mut(width).zip(tokens.gold) {
            for (class, slope) in slopes.iter_mut().enumerate() {
                let y = f64::from(class == gold);
                let of_ratio = tops[class] / bottoms[class] - 2.0 * y;
                let of_q = ratio.fading(p[class], doubt(p, class)).1;
                *slope = share * of_q * of_ratio / bottoms[class];
            }
            through_softmax(p, &mut slopes);
            p.copy_from_slice(&slopes);
        }
        let ratios = tops.iter().zip(&bottoms).map(|(top, bottom)| share * top / bottom);
        width as f64 - ratios.sum::<f64>()
    }
}

/// One ratio over all decisions between yes and no.
struct Decisions(Ratio);

impl TokenLoss for Decisions {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let ratio = self.0;
        let (mut top, mut bottom) = (ratio.smoothing, ratio.smoothing);
        for (&logit, &gold) in tokens.logits.iter().zip(tokens.gold) {
            let q = ratio.fading(sigmoid(logit), sigmoid(-logit)).0;
            top += 2.0 * q * gold as f64;
            bottom += ratio.below(q).0 + gold as f64;
        }
        for ((slope, &logit), &gold) in gradient.iter_mut().zip(tokens.logits).zip(tokens.gold) {
            let p = sigmoid(logit);
            let (q, of_q) = ratio.fading(p, sigmoid(-logit));
            let of_ratio = top * ratio.below(q).1 / bottom - 2.0 * gold as f64;
            *slope = of_q * p * sigmoid(-logit) * of_ratio / bottom;
        }
        1.0 - top / bottom
    }
}
