//! Sentences that stand in two splits: what a model may have learnt by heart.

use domain::{Sentence, Tokens};
use std::collections::HashSet;

/// How many sentences of `later` have exactly the tokens of one of `earlier`.
pub fn repeated(earlier: &[Sentence], later: &[Sentence]) -> u64 {
    let known: HashSet<&Tokens> = earlier.iter().map(|sentence| &sentence.tokens).collect();
    later.iter().filter(|sentence| known.contains(&sentence.tokens)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Tag, TypeId};

    #[test]
    fn the_same_tokens_count_whatever_their_tags() {
        let sentence = |words: &[&str], tag| Sentence {
            tokens: words.iter().collect(),
            tags: vec![tag; words.len()],
        };
        let earlier = [sentence(&["a", "b"], Tag::Outside), sentence(&["c"], Tag::Outside)];
        let later = [
            sentence(&["a", "b"], Tag::Begin(TypeId(0))),
            sentence(&["a", "b"], Tag::Outside),
            sentence(&["ab"], Tag::Outside),
            sentence(&["A", "b"], Tag::Outside),
        ];
        assert_eq!(repeated(&earlier, &later), 2);
        assert_eq!(repeated(&earlier, &[]), 0);
    }
}
