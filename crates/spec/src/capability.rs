//! Which combinations of parts make sense, known before anything runs.

use domain::{Entry, MethodSettings, ModelSettings, TrainingSettings};
use method::augment;
use method::augment::synonyms::{HOW_TO_SET, NONE, VECTORS};
use parts::embeddings;

/// What a head gives that other parts may need. A head that is not listed gives nothing.
const HEADS: &[(&str, &[&str])] = &[
    ("softmax", &["a token-level head", "a softmax head"]),
    ("crf", &["a CRF head"]),
    ("mrc", &["a token-level head"]),
    ("binary", &["a token-level head", "a binary head"]),
    ("span", &["a span head"]),
    ("biaffine", &["a span head"]),
    ("two-task", &["a token-level head", "a two-task head"]),
];

/// Why `part` makes no sense with `head`, if it makes none.
pub fn conflict(part: &Entry, head: &Entry) -> Option<String> {
    let gives = |(name, given): &(&str, &[&str])| *name == head.name && given.contains(&part.needs);
    let met = part.needs.is_empty() || HEADS.iter().any(gives);
    (!met).then(|| format!("`{}` needs {}; `{}` is not one", part.name, part.needs, head.name))
}

/// Why training over the whole data at once makes no sense with `head`, if it was asked for and makes none.
pub fn without_batches(training: &TrainingSettings, head: &Entry) -> Option<String> {
    let fits = training.optimiser != "lbfgs" || ["softmax", "crf"].contains(&head.name);
    (!fits).then(|| {
        format!("`optimiser: lbfgs` needs a softmax or a CRF head; `{}` is not one", head.name)
    })
}

/// Why a method cannot have the synonyms that it asks for with this model, or makes no sense without any.
pub fn without_synonyms(method: &MethodSettings, model: &ModelSettings) -> Option<String> {
    let part = method.augment.as_ref().filter(|part| augment::uses_synonyms(&part.kind))?;
    let pretrained =
        model.embeddings.as_ref().is_some_and(|part| part.kind == embeddings::PRETRAINED);
    match part.parameters.text(augment::SYNONYMS) {
        VECTORS if !pretrained => Some(format!(
            "`synonyms: {VECTORS}` of `{}` needs a model with pretrained word vectors",
            part.kind
        )),
        NONE if augment::needs_synonyms(&part.kind) => {
            Some(format!("`{}` has no synonyms: {HOW_TO_SET}", part.kind))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots;
    use domain::{ParameterValue, Parameters, Part};

    #[test]
    fn synonyms_from_vectors_need_a_model_that_has_some() {
        let part = |kind: &str| Part { kind: kind.to_owned(), parameters: Parameters::default() };
        let model = |vectors: &str| ModelSettings {
            embeddings: Some(part(vectors)),
            encoder: part("bilstm"),
            head: part("softmax"),
            queries: Default::default(),
            digests: Default::default(),
        };
        let method = |kind: &str, source: &str| {
            let mut augment = part(kind);
            let source = ParameterValue::Text(source.to_owned());
            augment.parameters.0.insert(augment::SYNONYMS.to_owned(), source);
            MethodSettings {
                augment: Some(augment),
                resample: None,
                unlabelled: None,
                negatives: None,
                loss: part("cross-entropy"),
                digests: Default::default(),
            }
        };
        let missing = |kind: &str, source, vectors| {
            without_synonyms(&method(kind, source), &model(vectors)).is_some()
        };
        for kind in ["synonym-replacement", "one-per-sentence", "all"] {
            assert!(missing(kind, "vectors", "random"), "{kind}");
            assert!(!missing(kind, "vectors", "pretrained"), "{kind}");
            assert!(!missing(kind, "wordnet", "random"), "{kind}");
        }
        assert!(missing("synonym-replacement", "none", "pretrained"));
        assert!(!missing("all", "none", "random"), "the other operators remain");
        assert!(!missing("mention-replacement", "vectors", "random"), "it has no such parameter");
    }

    const FAKE: Entry =
        Entry { name: "spans", help: "", parameters: &[], needs: "a span head", source: "" };

    #[test]
    fn a_need_that_the_head_does_not_meet_is_a_reason() {
        let softmax = slots::MODEL[2].find("softmax").unwrap();
        let reason = conflict(&FAKE, softmax);
        assert_eq!(reason.as_deref(), Some("`spans` needs a span head; `softmax` is not one"));
        assert_eq!(conflict(&Entry { needs: "", ..FAKE }, softmax), None);
        assert_eq!(conflict(&Entry { needs: "a token-level head", ..FAKE }, softmax), None);
        assert!(conflict(&Entry { needs: "a token-level head", ..FAKE }, &FAKE).is_some());
    }

    #[test]
    fn every_head_of_the_table_is_in_the_registry() {
        assert!(HEADS.iter().all(|(head, _)| slots::MODEL[2].find(head).is_some()));
    }

    #[test]
    fn losses_on_tokens_do_not_go_with_a_head_on_sentences() {
        let [softmax, crf] = ["softmax", "crf"].map(|head| slots::MODEL[2].find(head).unwrap());
        let [cross_entropy, focal] = ["cross-entropy", "focal"]
            .map(|loss| slots::METHOD.last().unwrap().find(loss).unwrap());
        assert_eq!([cross_entropy, focal].map(|loss| conflict(loss, softmax)), [None, None]);
        assert_eq!(conflict(cross_entropy, crf), None);
        assert!(conflict(focal, crf).is_some());
    }
}
