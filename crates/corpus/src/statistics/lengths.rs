//! How many entities sentences of a length have, against the square root of the length (Figure 2 of
//! li2022, whose theorem 1 assumes that there are no more).

use super::counts::share;
use domain::{LengthPoint, Lengths, Sentence};
use std::collections::BTreeMap;

/// Lengths of fewer sentences than this are left out, as in the paper.
pub const FEWEST_SENTENCES: u64 = 20;

/// Sentences of one length: how many, and the sums of their entity counts and of the squares of
/// those.
#[derive(Copy, Clone, Default)]
struct Sums {
    n: u64,
    entities: u64,
    squares: u64,
}

impl Sums {
    fn add(&mut self, entities: u64) {
        self.n += 1;
        self.entities += entities;
        self.squares += entities * entities;
    }

    /// The variance divides by n, as NumPy's does: the paper does not say.
    fn point(self, length: u64) -> LengthPoint {
        let Sums { n, entities, squares } = self;
        let mean = entities as f64 / n as f64;
        // Whole numbers up to the division: no two large numbers of doubtful digits are subtracted.
        let spread = u128::from(n) * u128::from(squares) - u128::from(entities).pow(2);
        let variance = spread as f64 / (n as f64 * n as f64);
        LengthPoint { length, sentences: n, mean, variance }
    }
}

/// Counts entities by the length of their sentence.
pub fn lengths<'s>(sentences: impl IntoIterator<Item = &'s Sentence>) -> Lengths {
    let mut by_length: BTreeMap<u64, Sums> = BTreeMap::new();
    let (mut count, mut beyond) = (0, 0);
    for sentence in sentences {
        let (length, entities) = (sentence.len() as u64, sentence.entities().count() as u64);
        count += 1;
        // m > √n in whole numbers.
        beyond += u64::from(entities * entities > length);
        by_length.entry(length).or_default().add(entities);
    }
    let often = by_length.into_iter().filter(|(_, sums)| sums.n >= FEWEST_SENTENCES);
    Lengths {
        points: often.map(|(length, sums)| sums.point(length)).collect(),
        beyond_root_share: share(beyond, count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Tag, TypeId};

    fn sentence(length: usize, entities: usize) -> Sentence {
        let tag = |index| if index < entities { Tag::Begin(TypeId(0)) } else { Tag::Outside };
        Sentence {
            tokens: (0..length).map(|_| "w").collect(),
            tags: (0..length).map(tag).collect(),
        }
    }

    #[test]
    fn means_and_variances_of_lengths_that_are_common_enough() {
        // Ten sentences with 1 and ten with 3 entities: mean 2, variance 1.
        let four = [1, 3].map(|entities| vec![sentence(4, entities); 10]).concat();
        let five = vec![sentence(5, 5); 19];
        let found = lengths(four.iter().chain(&five));
        let point = LengthPoint { length: 4, sentences: 20, mean: 2.0, variance: 1.0 };
        assert_eq!(found.points, [point]);
        assert!((found.beyond_root_share - 29.0 / 39.0).abs() < 1e-12);
    }

    #[test]
    fn as_many_as_the_root_are_not_beyond_it() {
        assert_eq!(lengths(&[sentence(4, 2), sentence(9, 3)]).beyond_root_share, 0.0);
        assert_eq!(lengths(&[sentence(3, 2)]).beyond_root_share, 1.0);
        assert_eq!(lengths(&[]), Lengths::default());
    }
}
