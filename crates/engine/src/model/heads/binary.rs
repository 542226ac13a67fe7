//! A yes or no for each word and entity type (Peng et al. 2019, the taggers of PU learning): is the
//! word in an entity of the type?
//!
//! Words have no beginnings and insides here (IO): a word is of the type with the highest
//! probability above one half, of none if there is none, and neighbours of one type are one entity.
//! The paper trains a tagger of its own for each type; here all types share the encoder, and each
//! has a linear layer of its own.

use super::{BatchLoss, Gold, PerToken, mean_over_tokens, numbers};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor};
use domain::{Tag, TypeId};
use parts::heads::binary::Binary as Declared;

/// A linear layer to one number a type.
#[derive(Module, Debug)]
pub struct Binary {
    linear: Linear,
}

impl Binary {
    pub fn new(_: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        Self { linear: LinearConfig::new(input, tags / 2).init(device) }
    }

    /// Tokens × input to tokens × types: the logit of yes.
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        self.linear.forward(states)
    }

    /// What the method's loss says of the decisions; classes are tags.
    pub fn loss(&self, logits: Tensor<2>, gold: Gold<'_>, loss: PerToken<'_>) -> BatchLoss {
        mean_over_tokens(logits, gold, loss)
    }

    /// The tag of each token.
    pub fn decode(&self, logits: Tensor<2>, sentences: &[usize]) -> Vec<usize> {
        let types = logits.dims()[1].max(1);
        let numbers: Vec<f32> = numbers(logits);
        let chosen: Vec<Option<TypeId>> = numbers.chunks(types).map(choice).collect();
        let mut tags = Vec::with_capacity(chosen.len());
        let mut rest = chosen.as_slice();
        for &words in sentences {
            let (sentence, after) = rest.split_at(words);
            tags.extend(entities(sentence).map(Tag::index));
            rest = after;
        }
        tags
    }
}

/// The type of the highest logit above 0, which is one half; the first of equals.
fn choice(logits: &[f32]) -> Option<TypeId> {
    let yes = logits.iter().enumerate().filter(|(_, logit)| **logit > 0.0);
    let highest = yes.reduce(|best, one| if one.1 > best.1 { one } else { best });
    highest.map(|(id, _)| TypeId(id as u16))
}

/// Neighbours of one type as one entity.
fn entities(types: &[Option<TypeId>]) -> impl Iterator<Item = Tag> {
    let before = std::iter::once(None).chain(types.iter().copied());
    types.iter().zip(before).map(|(here, before)| match *here {
        None => Tag::Outside,
        Some(id) if before == Some(id) => Tag::Inside(id),
        Some(id) => Tag::Begin(id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::TensorData;

    #[test]
    fn the_likeliest_type_wins_and_neighbours_are_one_entity() {
        let device = Device::flex();
        let head = Binary::new(&Declared {}, 2, 5, &device);
        let logits = [[1.0, 2.0], [-1.0, 0.5], [0.5, -3.0], [-1.0, -2.0], [0.1, 0.1], [3.0, 0.0]];
        let data = TensorData::new(logits.as_flattened().to_vec(), [6, 2]);
        let logits = Tensor::<2>::from_data(data, &device);
        let [a, b] = [TypeId(0), TypeId(1)];
        let expected = [
            Tag::Begin(b),
            Tag::Inside(b),
            Tag::Begin(a),
            Tag::Outside,
            Tag::Begin(a),
            // The next sentence begins here.
            Tag::Begin(a),
        ];
        assert_eq!(head.decode(logits, &[5, 1]), expected.map(Tag::index));
    }
}
