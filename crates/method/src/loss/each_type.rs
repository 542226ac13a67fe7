//! A loss for each entity type, added up: what a head that decides yes or no for each word and type
//! is trained with.

use super::{Loss, Question, TokenLoss, Tokens};
use domain::{Part, Tag, TypeId};

/// The loss that a method names, for a yes or no by type; `priors` has for each type the share of
/// words without its annotation that are of it. `None` if it does not answer such a question.
pub fn build_for_types(part: &Part, priors: &[f64]) -> Option<Box<dyn TokenLoss>> {
    let of_type = |prior: &f64| match Loss::read(part) {
        Loss::Pu(loss) => Some(loss.with_prior(*prior)),
        loss => loss.over(Question::YesNo),
    };
    let losses = priors.iter().map(of_type).collect::<Option<Vec<_>>>()?;
    Some(Box::new(EachType(losses)))
}

/// By type; logits are tokens × types, and the class of a token is its tag.
struct EachType(Vec<Box<dyn TokenLoss>>);

impl TokenLoss for EachType {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let width = self.0.len();
        let types: Vec<Option<TypeId>> =
            tokens.gold.iter().map(|class| Tag::from_index(*class).entity_type()).collect();
        let mut column_gradient = vec![0.0; tokens.gold.len()];
        let mut sum = 0.0;
        for (id, loss) in self.0.iter().enumerate() {
            let logits: Vec<f64> = tokens.logits.iter().skip(id).step_by(width).copied().collect();
            let gold: Vec<usize> =
                types.iter().map(|of| usize::from(*of == Some(TypeId(id as u16)))).collect();
            let column = Tokens { logits: &logits, gold: &gold, sentences: tokens.sentences };
            sum += loss.batch(column, &mut column_gradient);
            let places = gradient.iter_mut().skip(id).step_by(width);
            places.zip(&column_gradient).for_each(|(place, part)| *place = *part);
        }
        sum
    }
}
