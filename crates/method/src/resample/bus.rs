//! BUS: balanced undersampling (Akkasi et al. 2018, as the authors of wang2022 implemented it).
//!
//! Nothing is drawn: a sentence keeps its entities and what stands nearest to them.

use domain::Tag;
use parts::part;

part! {
    /// balanced undersampling: a sentence keeps its entities and the tokens around them
    pub struct Bus("bus") from "Akkasi et al. 2018; wang2022, section 4.2" {
        /// a sentence grows around its entities until it has this many tokens for each entity token
        ratio: f64 = 3.0 in 1.0..=1000.0,
        /// the first form of the authors' script, which keeps all that stands right of an entity
        legacy: bool = false,
    }
}

impl Bus {
    /// Which tokens are kept, entity tokens always. In every round each token kept so far brings in
    /// its right neighbour, then its left one, until there are `ratio` times as many tokens as
    /// entity tokens; only whole rounds are made, so there may be a few more. Without an entity
    /// nothing is kept.
    pub fn kept(&self, tags: &[Tag]) -> Vec<bool> {
        let mut mask: Vec<bool> = tags.iter().map(|tag| *tag != Tag::Outside).collect();
        let mut count = mask.iter().filter(|kept| **kept).count();
        let target = self.ratio * count as f64;
        let legacy = self.legacy;
        while (count as f64) < target && count < mask.len() {
            count += if legacy { widen_live(&mut mask) } else { widen(&mut mask) };
        }
        mask
    }
}

/// One round: neighbours of what is kept at its start. Gives how many tokens came in.
fn widen(mask: &mut [bool]) -> usize {
    let at_start: Vec<usize> = (0..mask.len()).filter(|&i| mask[i]).collect();
    let right = at_start.iter().map(|&i| i + 1).filter(|&i| i < mask.len());
    let left = at_start.iter().filter_map(|&i| i.checked_sub(1));
    let neighbours: Vec<usize> = right.chain(left).collect();
    neighbours.into_iter().filter(|&i| !std::mem::replace(&mut mask[i], true)).count()
}

/// One round of the script before its correction of 2022-06-20: it looked at the mask that it was
/// changing, so on its way to the right every new token brought in the next one.
fn widen_live(mask: &mut [bool]) -> usize {
    let mut came = 0;
    for i in 1..mask.len() {
        if mask[i - 1] && !std::mem::replace(&mut mask[i], true) {
            came += 1;
        }
    }
    for i in 1..mask.len() {
        if mask[i] && !std::mem::replace(&mut mask[i - 1], true) {
            came += 1;
        }
    }
    came
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TypeId;

    fn kept_places(tags: &str, ratio: f64, legacy: bool) -> Vec<usize> {
        let tag = |c| if c == 'O' { Tag::Outside } else { Tag::Begin(TypeId(0)) };
        let mask = Bus { ratio, legacy }.kept(&tags.chars().map(tag).collect::<Vec<_>>());
        (0..mask.len()).filter(|&i| mask[i]).collect()
    }

    #[test]
    fn only_whole_rounds_are_made() {
        assert_eq!(kept_places("OOOBOOO", 2.0, false), [2, 3, 4]);
        assert_eq!(kept_places("OOOBOOO", 1.0, false), [3]);
        assert_eq!(kept_places("OOOBOOO", 1000.0, false), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(kept_places("OOO", 3.0, false), [0; 0]);
    }

    #[test]
    fn the_first_form_keeps_all_to_the_right_and_one_to_the_left_in_a_round() {
        assert_eq!(kept_places("OOOBOOOO", 3.0, true), [2, 3, 4, 5, 6, 7]);
        assert_eq!(kept_places("OOOBO", 3.0, true), [2, 3, 4]);
        assert_eq!(kept_places("OOOOB", 3.0, true), [2, 3, 4]);
        assert_eq!(kept_places("OOO", 3.0, true), [0; 0]);
    }
}
