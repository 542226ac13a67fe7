//! Missing annotations: entities of train that nobody marked (li2022, section 3.1.2).
//!
//! Which entities are masked is drawn once a seed, not once an epoch, and remembered: the
//! missampling rate counts how often one of them was taken for a negative example.

use super::{Applied, Condition, Draw, needs};
use crate::CorpusError;
use crate::chance::Chance;
use domain::{Annotation, EntitySpan, Sentence, Tag};
use parts::Scenario;

pub(super) const CONDITION: Condition = Condition { check, apply };

fn check(scenario: &Scenario) -> Result<(), CorpusError> {
    let mask = ("mask_entities", scenario.masks());
    needs(("exact", scenario.exact), mask)?;
    needs(("expert_fraction", scenario.expert_fraction > 0.0), mask)
}

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    if !draw.scenario.masks() {
        return Ok(());
    }
    let Applied { corpus, achieved } = applied;
    let experts = experts(draw, corpus.train.len());
    let entities: Vec<(usize, EntitySpan)> = (corpus.train.iter().enumerate())
        .filter(|(index, _)| !experts[*index])
        .flat_map(|(index, sentence)| sentence.entities().map(move |span| (index, span)))
        .collect();
    let masked = masked(draw, entities.len());
    let incomplete = || Annotation::Incomplete { masked: vec![] };
    for (annotation, expert) in corpus.train_annotations().iter_mut().zip(&experts) {
        if !expert && *annotation == Annotation::Complete {
            *annotation = incomplete();
        }
    }
    let count = masked.iter().filter(|masked| **masked).count();
    for ((index, span), _) in entities.iter().zip(&masked).filter(|(_, masked)| **masked) {
        hide(&mut corpus.train[*index], *span);
        if let Annotation::Incomplete { masked } = &mut corpus.annotations[*index] {
            masked.push(*span);
        }
    }
    achieved.insert("masked_entities".to_owned(), count as f64 / entities.len().max(1) as f64);
    Ok(())
}

/// Which sentences keep their annotations.
fn experts(draw: &Draw<'_>, sentences: usize) -> Vec<bool> {
    let share = draw.scenario.expert_fraction;
    if share == 0.0 {
        return vec![false; sentences];
    }
    let n = (sentences as f64 * share).round() as usize;
    draw.chance("expert_fraction").choose(sentences, n)
}

/// Which of `n` entities are masked.
fn masked(draw: &Draw<'_>, n: usize) -> Vec<bool> {
    let probability = draw.scenario.mask_entities;
    let mut chance: Chance = draw.chance("mask_entities");
    match draw.scenario.exact {
        true => chance.choose(n, (n as f64 * probability).round() as usize),
        false => (0..n).map(|_| chance.happens(probability)).collect(),
    }
}

fn hide(sentence: &mut Sentence, span: EntitySpan) {
    sentence.tags[span.start..span.end].fill(Tag::Outside);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corpus, scenario, scenarios, shown};
    use super::super::{Applied, apply, check};
    use domain::{Annotation, EntitySpan, TypeId};

    fn many() -> domain::Corpus {
        corpus(&["B-a I-a O B-b"; 500].join(" | "))
    }

    fn masked(applied: &Applied) -> usize {
        let count = |annotation: &Annotation| match annotation {
            Annotation::Complete => 0,
            Annotation::Incomplete { masked } => masked.len(),
        };
        applied.corpus.annotations.iter().map(count).sum()
    }

    #[test]
    fn what_is_masked_is_outside_and_remembered() {
        let found = apply(corpus("B-a I-a O B-b | O"), &scenario("mask_entities", 1.0), 1).unwrap();
        assert_eq!(shown(&found.corpus, &found.corpus.train), "O O O O | O");
        assert_eq!(shown(&found.corpus, &found.corpus.dev), "B-a I-a O B-b | O");
        let span = |start, end, id| EntitySpan { start, end, entity_type: TypeId(id) };
        let spans = vec![span(0, 2, 0), span(3, 4, 1)];
        let expected =
            [Annotation::Incomplete { masked: spans }, Annotation::Incomplete { masked: vec![] }];
        assert_eq!(found.corpus.annotations, expected);
        assert_eq!(found.achieved["masked_entities"], 1.0);
    }

    #[test]
    fn about_as_many_as_asked_or_exactly() {
        let chance = apply(many(), &scenario("mask_entities", 0.7), 1).unwrap();
        let n = masked(&chance);
        // 700 on average, with a standard deviation of 14.5.
        assert!((630..770).contains(&n), "{n}");
        assert_eq!(chance.achieved["masked_entities"], n as f64 / 1000.0);
        let exact = scenarios(&[("mask_entities", 0.7.into()), ("exact", true.into())]);
        assert_eq!(masked(&apply(many(), &exact, 1).unwrap()), 700);
    }

    #[test]
    fn experts_sentences_stay_whole() {
        let half = scenarios(&[("mask_entities", 1.0.into()), ("expert_fraction", 0.5.into())]);
        let found = apply(many(), &half, 1).unwrap().corpus;
        let complete: Vec<bool> =
            found.annotations.iter().map(|one| *one == Annotation::Complete).collect();
        assert_eq!(complete.iter().filter(|complete| **complete).count(), 250);
        for (sentence, complete) in found.train.iter().zip(complete) {
            let text = shown(&found, std::slice::from_ref(sentence));
            assert_eq!(text, if complete { "B-a I-a O B-b" } else { "O O O O" });
        }
    }

    #[test]
    fn what_says_more_of_masking_needs_masking() {
        assert!(check(&scenario("exact", true)).is_err());
        assert!(check(&scenario("expert_fraction", 0.5)).is_err());
    }
}
