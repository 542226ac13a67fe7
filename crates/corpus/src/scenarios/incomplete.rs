//! A corpus whose own training sentences may lack annotations: nobody masked them, and nobody knows
//! which are missing.

use super::{Applied, Condition, Draw};
use crate::CorpusError;
use domain::Annotation;

pub(super) const CONDITION: Condition = Condition { check: |_| Ok(()), apply };

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    if draw.scenario.incomplete {
        let unknown = Annotation::Incomplete { masked: vec![] };
        applied.corpus.train_annotations().fill(unknown);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::super::testing::{corpus, scenario};
    use super::Annotation;

    #[test]
    fn tags_stay_and_are_trusted_less() {
        let found = apply(corpus("B-a | O"), &scenario("incomplete", true), 1).unwrap().corpus;
        assert_eq!(found.annotations, vec![Annotation::Incomplete { masked: vec![] }; 2]);
        assert_eq!(found.train, corpus("B-a | O").train);
    }
}
