//! A further training part, as one that a dictionary annotated (EC and NEWS of li2022).

use super::{Applied, Condition, Draw};
use crate::CorpusError;
use domain::Annotation;

pub(super) const CONDITION: Condition = Condition { check: |_| Ok(()), apply };

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    let name = &draw.scenario.extra_train;
    if name.is_empty() {
        return Ok(());
    }
    let corpus = &mut applied.corpus;
    let Some(part) = corpus.parts.remove(name) else {
        let problem = format!("the corpus has no part `{name}`");
        return Err(CorpusError::setting("extra_train", problem));
    };
    let whole = corpus.train.len() + part.len();
    corpus.train_annotations().resize(whole, Annotation::Incomplete { masked: vec![] });
    corpus.train.extend(part);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::super::testing::{corpus, scenario};
    use super::Annotation;

    #[test]
    fn the_part_comes_after_train_and_is_known_to_be_incomplete() {
        let mut whole = corpus("B-a | O");
        whole.parts.insert("ds".to_owned(), corpus("O O | B-b").train);
        let found = apply(whole.clone(), &scenario("extra_train", "ds"), 1).unwrap().corpus;
        assert_eq!(found.train.len(), 4);
        let unknown = Annotation::Incomplete { masked: vec![] };
        let complete = Annotation::Complete;
        assert_eq!(found.annotations, [complete.clone(), complete, unknown.clone(), unknown]);
        let message = apply(whole, &scenario("extra_train", "no"), 1).unwrap_err().to_string();
        assert_eq!(message, "`extra_train`: the corpus has no part `no`");
    }
}
