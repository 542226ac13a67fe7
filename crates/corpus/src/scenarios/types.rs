//! Other entity types: some of them only, or all of them as one.

use super::{Applied, Condition, Draw};
use crate::CorpusError;
use domain::{Corpus, Tag, TypeId, TypeSet};

pub(super) const CONDITION: Condition = Condition { check: |_| Ok(()), apply };

/// The name of the one type that all become.
const MERGED: &str = "entity";

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    let corpus = &mut applied.corpus;
    if !draw.scenario.keep_types.is_empty() {
        keep(corpus, &draw.scenario.keep_types)?;
    }
    if draw.scenario.merge_types {
        let one = TypeSet::new([MERGED.to_owned()]);
        relabel(corpus, one, |_| Some(TypeId(0)));
    }
    Ok(())
}

fn keep(corpus: &mut Corpus, kept: &[String]) -> Result<(), CorpusError> {
    if let Some(unknown) = kept.iter().find(|name| corpus.types.id(name).is_none()) {
        let known = corpus.types.names().join(", ");
        let problem = format!("the corpus has no type `{unknown}`; it has {known}");
        return Err(CorpusError::setting("keep_types", problem));
    }
    let types = TypeSet::new(kept.iter().cloned());
    let new: Vec<Option<TypeId>> = corpus.types.names().iter().map(|name| types.id(name)).collect();
    relabel(corpus, types, |TypeId(old)| new[old as usize]);
    Ok(())
}

/// Gives every entity the type that `new` says, or none.
fn relabel(corpus: &mut Corpus, types: TypeSet, new: impl Fn(TypeId) -> Option<TypeId>) {
    let splits = [&mut corpus.train, &mut corpus.dev, &mut corpus.test];
    for sentence in splits.into_iter().chain(corpus.parts.values_mut()).flatten() {
        for tag in &mut sentence.tags {
            *tag = match *tag {
                Tag::Outside => Tag::Outside,
                Tag::Begin(id) => new(id).map_or(Tag::Outside, Tag::Begin),
                Tag::Inside(id) => new(id).map_or(Tag::Outside, Tag::Inside),
            };
        }
    }
    corpus.types = types;
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corpus, scenario, shown};
    use super::super::{Applied, apply};

    #[test]
    fn other_types_become_outside_in_every_split() {
        let kept = scenario("keep_types", ["b"].as_slice());
        let Applied { corpus, .. } =
            apply(corpus("B-a I-a O B-b I-b | B-a | B-b"), &kept, 1).unwrap();
        assert_eq!(corpus.types.names(), ["b"]);
        for split in [&corpus.train, &corpus.dev, &corpus.test] {
            assert_eq!(shown(&corpus, split), "O O O B-b I-b | O | B-b");
        }
    }

    #[test]
    fn merged_types_keep_their_boundaries() {
        let merged = scenario("merge_types", true);
        let Applied { corpus, .. } = apply(corpus("B-a B-b I-b O"), &merged, 1).unwrap();
        assert_eq!(shown(&corpus, &corpus.test), "B-entity B-entity I-entity O");
        assert_eq!(corpus.types.len(), 1);
    }

    #[test]
    fn an_unknown_type_is_told_with_the_known_ones() {
        let kept = scenario("keep_types", ["c"].as_slice());
        let message = apply(corpus("B-a B-b"), &kept, 1).unwrap_err().to_string();
        assert_eq!(message, "`keep_types`: the corpus has no type `c`; it has a, b");
    }
}
