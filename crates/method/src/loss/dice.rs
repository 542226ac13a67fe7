//! Dice loss of wang2022: one minus the overlap of predicted and gold classes, `O` among them.
//!
//! The paper and its code differ. Appendix B, which it uses for shallow models, is a sum over
//! tokens and classes (`form: token`); the code of its deep models is one ratio over all real
//! tokens and classes of a batch, near to accuracy and not always stable (`form: batch`). `auto` is
//! what each of its models used.

use super::probabilities::{softmax, through_softmax};
use super::{PointLoss, TokenLoss, Tokens, weighted_sum};
use parts::{choice, part};

choice! {
    /// What a ratio is over.
    pub enum Form { Auto = "auto", Token = "token", Batch = "batch" }
}

part! {
    /// one minus the overlap of predicted and gold classes
    pub struct Dice("dice") from "wang2022, equation 20 and Appendix A.3" needs Capability::Softmax {
        /// a ratio for each token and class, or one for a whole batch; auto is token for shallow
        /// models trained over the whole data at once, else batch
        form: Form = Auto,
        /// s, added to both sides of a batch's ratio
        smoothing: f64 = 1e-5 in 1e-12..=1e6,
        /// γ, added to both sides of each token's ratio
        gamma: f64 = 1.0 in 1e-12..=1e6,
    }
}

impl Dice {
    pub fn over_classes(self) -> Box<dyn TokenLoss> {
        Box::new(Overlap {
            batch: (self.form != Form::Token).then_some(self.smoothing),
            token: (self.form != Form::Batch).then_some(ByToken { gamma: self.gamma }),
        })
    }
}

/// Probabilities of the batch's form are kept off 0 and 1, as the authors' code does.
const CLIP: f64 = 1e-6;

struct Overlap {
    /// The smoothing of the batch's form, where batches are to have it.
    batch: Option<f64>,
    /// The form for each token, where models that add up tokens are to have it.
    token: Option<ByToken>,
}

impl TokenLoss for Overlap {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        match (self.batch, &self.token) {
            (None, Some(token)) => {
                let share = 1.0 / tokens.gold.len().max(1) as f64;
                weighted_sum(token, tokens, gradient, |_, _| share)
            }
            (smoothing, _) => of_batch(tokens, smoothing.unwrap_or_default(), gradient),
        }
    }

    fn point(&self) -> Option<&dyn PointLoss> {
        self.token.as_ref().map(|token| token as &dyn PointLoss)
    }

    fn each(&self) -> Option<&dyn PointLoss> {
        self.point().filter(|_| self.batch.is_none())
    }
}

/// 1 − (2Σyp + s) / (Σp² + Σy² + s) over all tokens and classes.
fn of_batch(tokens: Tokens<'_>, smoothing: f64, gradient: &mut [f64]) -> f64 {
    let width = tokens.width().max(1);
    // First the probabilities, in the gradient's place.
    let (mut both, mut squares) = (0.0, 0.0);
    let logits = tokens.logits.chunks(width);
    for ((logits, p), &gold) in logits.zip(gradient.chunks_mut(width)).zip(tokens.gold) {
        softmax(logits, gold, p);
        both += clipped(p[gold]);
        squares += p.iter().map(|p| clipped(*p).powi(2)).sum::<f64>();
    }
    let top = 2.0 * both + smoothing;
    // Σy² counts the tokens: each has one gold class.
    let bottom = squares + tokens.gold.len() as f64 + smoothing;
    let mut slopes = vec![0.0; width];
    for (p, &gold) in gradient.chunks_mut(width).zip(tokens.gold) {
        for (class, (slope, &p)) in slopes.iter_mut().zip(&*p).enumerate() {
            let inside = p > CLIP && p < 1.0 - CLIP;
            let of_top = if class == gold { 2.0 / bottom } else { 0.0 };
            *slope = if inside { 2.0 * p * top / (bottom * bottom) - of_top } else { 0.0 };
        }
        through_softmax(p, &mut slopes);
        p.copy_from_slice(&slopes);
    }
    1.0 - top / bottom
}

fn clipped(p: f64) -> f64 {
    p.clamp(CLIP, 1.0 - CLIP)
}

/// Σⱼ 1 − (2pⱼyⱼ + γ) / (pⱼ² + yⱼ² + γ) of one token.
struct ByToken {
    gamma: f64,
}

impl PointLoss for ByToken {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        softmax(logits, gold, gradient);
        let (p, gamma) = (gradient[gold], self.gamma);
        let bottom = p * p + 1.0 + gamma;
        let mut value = 1.0 - (2.0 * p + gamma) / bottom;
        // Appendix B.2: a(p − y) − v, where vⱼ = pⱼΣb − bⱼ and b is 0 for the gold class.
        let a = 2.0 * (1.0 - p) * (1.0 + gamma + p) * p / (bottom * bottom);
        let b = |p: f64| 2.0 * gamma * p * p / (p * p + gamma).powi(2);
        let mut sum = 0.0;
        for p in others(gradient, gold) {
            value += 1.0 - gamma / (*p * *p + gamma);
            sum += b(*p);
        }
        others(gradient, gold).for_each(|p| *p = (a - sum) * *p + b(*p));
        gradient[gold] = a * (p - 1.0) - p * sum;
        value
    }
}

/// The numbers of all classes but the gold one.
fn others(numbers: &mut [f64], gold: usize) -> impl Iterator<Item = &mut f64> {
    let other = move |(class, number)| (class != gold).then_some(number);
    numbers.iter_mut().enumerate().filter_map(other)
}
