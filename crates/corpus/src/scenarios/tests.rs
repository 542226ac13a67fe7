//! What holds of every scenario.

use super::testing::{corpus, numbered, scenario, scenarios, words};
use super::*;
use domain::Annotation;

#[test]
fn defaults_change_nothing() {
    for scenario in [Parameters::default(), parts::defaults(PARAMETERS)] {
        let found = apply(numbered(9), &scenario, 1).unwrap();
        assert_eq!(found, Applied { corpus: numbered(9), achieved: BTreeMap::new() });
    }
}

#[test]
fn names_are_told_apart() {
    let mut names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), count), (count, 15));
}

#[test]
fn a_scenarios_own_seed_is_every_jobs() {
    let own = scenarios(&[("train_sentences", 5.into()), ("seed", 7.into())]);
    let drawn = |scenario: &Parameters, seed| {
        words(&apply(numbered(50), scenario, seed).unwrap().corpus.train)
    };
    assert_eq!(drawn(&own, 1), drawn(&own, 2));
    assert_eq!(drawn(&own, 1), drawn(&scenario("train_sentences", 5), 7));
}

#[test]
fn conditions_compose_and_annotations_follow_their_sentences() {
    let mut whole = corpus(&["B-a O B-b", "O O O", "B-b I-b O"].repeat(20).join(" | "));
    whole.parts.insert("more".to_owned(), corpus(&["O O"; 40].join(" | ")).train);
    let all = scenarios(&[
        ("keep_types", ["b"].as_slice().into()),
        ("extra_train", "more".into()),
        ("train_sentences", 30.into()),
        ("dev_sentences", 10.into()),
        ("mask_entities", 1.0.into()),
    ]);
    let Applied { corpus, achieved } = apply(whole, &all, 1).unwrap();
    assert_eq!((corpus.train.len(), corpus.dev.len(), corpus.test.len()), (30, 10, 60));
    assert_eq!(corpus.types.names(), ["b"]);
    assert_eq!(corpus.annotations.len(), 30);
    for (sentence, annotation) in corpus.train.iter().zip(&corpus.annotations) {
        let Annotation::Incomplete { masked } = annotation else { panic!("{annotation:?}") };
        assert!(masked.iter().all(|span| span.end <= sentence.len()));
        assert!(sentence.len() == 3 || masked.is_empty());
    }
    assert_eq!(achieved.keys().collect::<Vec<_>>(), ["masked_entities"]);
}
