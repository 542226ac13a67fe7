//! MoM, learning with the majority or minority (nemoto2024, equations 1 to 3): λ · L + (1 − λ) ·
//! L_MoM, where L is any other loss and L_MoM the same over the tokens of the majority class alone,
//! `O`.
//!
//! For a loss that is a mean over tokens this weighs `O` tokens with 1 and all others with λ. The
//! paper divides by the padded length of a sentence, the same for all; `reduction` says by what
//! here. The minus in front of its equation 1 is a slip: both losses are positive. A loss that is
//! one ratio over a batch is taken once over all tokens and once over the majority. For decisions
//! between yes and no (head mrc) the majority is no.

use super::{Loss, OVER_TOKENS, PointLoss, Question, TokenLoss, Tokens, weighted_sum};
use parts::{choice, part};

choice! {
    /// What sums over tokens are divided by.
    pub enum MomReduction {
        /// The tokens of the batch.
        Batch = "batch_token",
        /// The tokens of each sentence, then the sentences.
        Sentence = "sentence",
        /// The same length for each sentence, then the sentences.
        Padded = "padded",
        /// All tokens by the tokens of the batch, the majority's by their own number.
        Majority = "O_mean",
    }
}

part! {
    /// a loss plus the same loss over the O tokens alone, which are the majority
    pub struct Mom("mom") from "nemoto2024, equations 1 to 3" needs Capability::TokenLevel {
        /// λ, the share of the loss over all tokens; 1 is that loss alone
        lambda: f64 = 0.175 in 0.0..=1.0,
        /// the loss that is taken twice
        base: Box<Loss> = "cross-entropy" of OVER_TOKENS,
        /// over the batch's tokens, by sentence and then over sentences, by padded sentence, or the
        /// majority by its own number
        reduction: MomReduction = Batch,
        /// M, what a sentence is divided by with `reduction: padded`
        padded_length: usize = 128 in 1..=100_000,
    }
}

/// The majority's class.
const MAJORITY: usize = 0;

impl Mom {
    pub fn over(self, question: Question<'_>) -> Option<Box<dyn TokenLoss>> {
        let Self { lambda, base, reduction, padded_length } = self;
        let base = base.over(question)?;
        Some(Box::new(Twice { base, lambda, reduction, padded_length: padded_length as f64 }))
    }
}

/// A loss over all tokens and over the majority.
struct Twice {
    base: Box<dyn TokenLoss>,
    lambda: f64,
    reduction: MomReduction,
    padded_length: f64,
}

impl TokenLoss for Twice {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let Some(point) = self.base.each() else { return self.twice(tokens, gradient) };
        let all = tokens.gold.len().max(1) as f64;
        let divisors = self.divisors(tokens);
        let majority = tokens.gold.iter().filter(|class| **class == MAJORITY).count();
        let weight = |place: usize, class: usize| match self.reduction {
            MomReduction::Majority => {
                let of_majority = match class {
                    MAJORITY => (1.0 - self.lambda) / majority as f64,
                    _ => 0.0,
                };
                self.lambda / all + of_majority
            }
            _ => self.weight(class) / divisors[place],
        };
        weighted_sum(point, tokens, gradient, weight)
    }

    fn point(&self) -> Option<&dyn PointLoss> {
        self.base.point().map(|_| self as &dyn PointLoss)
    }

    fn each(&self) -> Option<&dyn PointLoss> {
        self.base.each().map(|_| self as &dyn PointLoss)
    }
}

impl PointLoss for Twice {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let Some(base) = self.base.point() else { return 0.0 };
        let (weight, value) = (self.weight(gold), base.value_and_gradient(logits, gold, gradient));
        gradient.iter_mut().for_each(|part| *part *= weight);
        weight * value
    }
}

impl Twice {
    fn weight(&self, class: usize) -> f64 {
        if class == MAJORITY { 1.0 } else { self.lambda }
    }

    /// What each token's loss is divided by.
    fn divisors(&self, tokens: Tokens<'_>) -> Vec<f64> {
        let sentences = tokens.sentences.len().max(1) as f64;
        let of = |length: usize| match self.reduction {
            MomReduction::Sentence => sentences * length as f64,
            MomReduction::Padded => sentences * self.padded_length,
            MomReduction::Batch | MomReduction::Majority => tokens.gold.len() as f64,
        };
        let each = tokens.sentences.iter().map(|&length| std::iter::repeat_n(of(length), length));
        each.flatten().collect()
    }

    /// The base over all tokens, and over the majority.
    fn twice(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let width = tokens.width().max(1);
        let places: Vec<usize> =
            (0..tokens.gold.len()).filter(|&place| tokens.gold[place] == MAJORITY).collect();
        let logits: Vec<f64> = places
            .iter()
            .flat_map(|&place| tokens.logits[place * width..][..width].iter().copied())
            .collect();
        let (gold, sentences) = (vec![MAJORITY; places.len()], [places.len()]);
        let majority = Tokens { logits: &logits, gold: &gold, sentences: &sentences };
        let mut of_majority = vec![0.0; logits.len()];
        let mut value = self.lambda * self.base.batch(tokens, gradient);
        gradient.iter_mut().for_each(|part| *part *= self.lambda);
        if !places.is_empty() {
            value += (1.0 - self.lambda) * self.base.batch(majority, &mut of_majority);
        }
        for (place, parts) in places.iter().zip(of_majority.chunks(width)) {
            let all = gradient[place * width..][..width].iter_mut();
            all.zip(parts).for_each(|(all, part)| *all += (1.0 - self.lambda) * part);
        }
        value
    }
}
