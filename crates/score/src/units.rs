//! Counts by sentence or document, for tests that draw such units again (bootstrap, randomisation).

use super::entities::Mode;
use super::side_by_side::side_by_side;
use super::tally::Tally;
use domain::{Tag, TypeId};

/// The counts of one prediction, sentence by sentence. Only what a sentence has is stored.
#[derive(Clone, Debug)]
pub struct SentenceTallies {
    mode: Mode,
    /// Of a type in a sentence: the sentences in order, a type once in each.
    tallies: Vec<(usize, TypeId, Tally)>,
    sentences: usize,
}

impl SentenceTallies {
    /// The counts of no sentence.
    pub fn new(mode: Mode) -> Self {
        Self { mode, tallies: Vec::new(), sentences: 0 }
    }

    /// Counts one sentence; both sides have as many tags.
    pub fn add(&mut self, gold: &[Tag], predicted: &[Tag]) {
        let (sentence, first) = (self.sentences, self.tallies.len());
        side_by_side(gold, predicted, self.mode, |found, entity| {
            let known =
                self.tallies[first..].iter().position(|(_, id, _)| *id == entity.entity_type);
            let at = known.map_or(self.tallies.len(), |place| first + place);
            if known.is_none() {
                self.tallies.push((sentence, entity.entity_type, Tally::default()));
            }
            found.count(&mut self.tallies[at].2);
        });
        self.sentences += 1;
    }

    /// The counts of a type in a unit, as far as there are some: those of one unit and type may
    /// come in parts. `unit_of` is the unit of each sentence; a sentence beyond it is left out.
    pub fn by_unit<'a>(
        &'a self,
        unit_of: &'a [usize],
    ) -> impl Iterator<Item = (usize, TypeId, Tally)> + 'a {
        let of_unit = move |&(sentence, id, tally): &(usize, TypeId, Tally)| {
            unit_of.get(sentence).map(|&unit| (unit, id, tally))
        };
        self.tallies.iter().filter_map(of_unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: TypeId = TypeId(0);
    const B: TypeId = TypeId(1);

    fn tally(support: u64, predicted: u64, correct: u64) -> Tally {
        Tally { support, predicted, correct }
    }

    #[test]
    fn sentences_are_units_or_parts_of_documents() {
        use Tag::{Begin, Outside};
        let mut counted = SentenceTallies::new(Mode::Conlleval);
        counted.add(&[Begin(A), Begin(A), Outside], &[Begin(A), Begin(B), Begin(B)]);
        counted.add(&[Outside], &[Outside]);
        counted.add(&[Begin(B)], &[Begin(B)]);
        let [a, b, last] = [tally(2, 1, 1), tally(0, 2, 0), tally(1, 1, 1)];
        let units = |unit_of: &[usize]| counted.by_unit(unit_of).collect::<Vec<_>>();
        assert_eq!(units(&[0, 1, 2]), [(0, A, a), (0, B, b), (2, B, last)]);
        assert_eq!(units(&[0, 0, 1]), [(0, A, a), (0, B, b), (1, B, last)]);
        assert_eq!(units(&[0, 0, 0]), [(0, A, a), (0, B, b), (0, B, last)]);
        assert_eq!(units(&[0, 0]), [(0, A, a), (0, B, b)]);
        assert_eq!(units(&[]), []);
    }
}
