//! Losses: what training minimises, over the real tokens of a batch.
//!
//! Padding never reaches a loss: the caller selects real tokens first. Class 0 is `O`, the
//! majority. A loss gives its value and its gradient with respect to the logits, in double
//! precision; both training by batches and training to the optimum read them. The gradient of a
//! loss here is always the derivative of its value: a test holds every entry to central
//! differences.

mod auc;
mod comauc;
mod cross_entropy;
mod dice;
mod each_type;
mod focal;
mod focal_ovr;
mod mom;
pub(super) mod probabilities;
pub mod pu;
mod self_adjusting_dice;
mod wce1;
mod wce2;
mod weighted;

#[cfg(test)]
mod tests;

pub use auc::AucVersion;
pub use each_type::build_for_types;

use crate::two_task::TwoTaskSettings;
use domain::Part;
use parts::registry;

/// What a head asks of each token.
#[derive(Copy, Clone, Debug)]
pub enum Question<'a> {
    /// Which of some classes it has, with how often each of them occurs in training; a logit a
    /// class.
    Class { counts: &'a [u64] },
    /// Yes or no: one logit, class 1 is yes.
    YesNo,
}

/// The tokens of a batch, sentence after sentence.
#[derive(Copy, Clone, Debug)]
pub struct Tokens<'a> {
    /// Tokens × classes, or one a token for yes and no.
    pub logits: &'a [f64],
    /// The class of each token.
    pub gold: &'a [usize],
    /// Tokens of each sentence.
    pub sentences: &'a [usize],
}

impl Tokens<'_> {
    /// Logits a token.
    fn width(&self) -> usize {
        self.logits.len() / self.gold.len().max(1)
    }
}

/// A loss over the tokens of a batch.
pub trait TokenLoss: Sync {
    /// The scalar to minimise; `gradient`, as long as the logits, is overwritten.
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64;

    /// The loss of a single token, where there is one: what shallow models add up.
    fn point(&self) -> Option<&dyn PointLoss> {
        None
    }

    /// The loss of a single token, where that of a batch is made of such.
    fn each(&self) -> Option<&dyn PointLoss> {
        self.point()
    }
}

/// A loss of one token.
pub trait PointLoss: Sync {
    /// The loss of a token whose class is `gold`; `gradient` is overwritten with its gradient with
    /// respect to the logits.
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64;
}

/// Cross-entropy over classes, for methods that have it beside something else.
pub fn cross_entropy() -> Box<dyn TokenLoss> {
    Box::new(Mean(cross_entropy::CrossEntropy {}))
}

/// The mean over tokens of a loss of one token.
struct Mean<L>(L);

impl<L: PointLoss> TokenLoss for Mean<L> {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let share = 1.0 / tokens.gold.len().max(1) as f64;
        weighted_sum(&self.0, tokens, gradient, |_, _| share)
    }

    fn point(&self) -> Option<&dyn PointLoss> {
        Some(&self.0)
    }
}

/// Σ weight · loss over tokens; `weight` sees a token's place and class.
fn weighted_sum(
    loss: &dyn PointLoss,
    tokens: Tokens<'_>,
    gradient: &mut [f64],
    weight: impl Fn(usize, usize) -> f64,
) -> f64 {
    let width = tokens.width().max(1);
    let each = tokens.logits.chunks(width).zip(gradient.chunks_mut(width)).zip(tokens.gold);
    let mut sum = 0.0;
    for (place, ((logits, gradient), &gold)) in each.enumerate() {
        let weight = weight(place, gold);
        sum += weight * loss.value_and_gradient(logits, gold, gradient);
        gradient.iter_mut().for_each(|part| *part *= weight);
    }
    sum
}

registry! {
    /// The settings of any loss. Those `OVER_TOKENS` are over the tokens of a batch alone; others
    /// must be told of the data first, or remember something from batch to batch, which is the
    /// engine's to keep.
    pub enum Loss {
        OVER_TOKENS: cross_entropy::CrossEntropy, wce1::Wce1, wce2::Wce2, focal::Focal, focal_ovr::FocalOvr, dice::Dice,
        self_adjusting_dice::SelfAdjustingDice, mom::Mom; pu::Pu, auc::Auc, comauc::Comauc,
    }
}

impl Loss {
    /// The loss over the tokens of a batch; `None` if it does not answer such a question.
    pub fn over(self, question: Question<'_>) -> Option<Box<dyn TokenLoss>> {
        match (self, question) {
            (Loss::CrossEntropy(loss), _) => Some(loss.over(question)),
            (Loss::Focal(loss), _) => Some(loss.over(question)),
            (Loss::SelfAdjustingDice(loss), _) => Some(loss.over(question)),
            (Loss::Mom(loss), _) => loss.over(question),
            (Loss::Wce1(loss), Question::Class { counts }) => Some(loss.over(counts)),
            (Loss::Wce2(loss), Question::Class { counts }) => Some(loss.over(counts)),
            (Loss::FocalOvr(loss), Question::Class { .. }) => Some(loss.over_classes()),
            (Loss::Dice(loss), Question::Class { .. }) => Some(loss.over_classes()),
            (Loss::Pu(loss), Question::YesNo) => loss.over_decisions(),
            (
                Loss::Wce1(_) | Loss::Wce2(_) | Loss::FocalOvr(_) | Loss::Dice(_),
                Question::YesNo,
            ) => None,
            (Loss::Pu(_), Question::Class { .. }) | (Loss::Auc(_) | Loss::Comauc(_), _) => None,
        }
    }
}

impl Loss {
    /// The settings of a loss over two tasks, if it is one.
    pub fn two_task(self) -> Option<TwoTaskSettings> {
        match self {
            Loss::Auc(loss) => Some(loss.into()),
            Loss::Comauc(loss) => Some(loss.into()),
            _ => None,
        }
    }
}

/// The loss that a method names; `None` if it does not answer such a question.
pub fn build(part: &Part, question: Question<'_>) -> Option<Box<dyn TokenLoss>> {
    Loss::read(part).over(question)
}
