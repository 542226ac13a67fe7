//! Which combinations of parts make sense, known before anything runs.

use domain::{MethodSettings, ModelSettings, Optimiser, TrainingSettings};
use method::augment::Augmentation;
use method::augment::synonyms::{HOW_TO_SET, Wanted};
use parts::{Capability, Entry, Need, embeddings};

/// Why `part` makes no sense with `head`, if it makes none.
pub fn conflict(part: &Entry, head: &Entry) -> Option<String> {
    match part.needs {
        Need::Head(needed) => unmet(part.name, needed, head),
        Need::Nothing | Need::Files(_) => None,
    }
}

/// Why training over the whole data at once makes no sense with `head`, if it was asked for and
/// makes none.
pub fn without_batches(training: &TrainingSettings, head: &Entry) -> Option<String> {
    let is_asked_for = training.optimiser == Optimiser::Lbfgs;
    is_asked_for.then(|| unmet("optimiser: lbfgs", Capability::FullBatch, head))?
}

fn unmet(what: &str, needed: Capability, head: &Entry) -> Option<String> {
    let is_met = head.gives.contains(&needed);
    (!is_met).then(|| format!("`{what}` needs {needed}; `{}` is not one", head.name))
}

/// Why a method cannot have the synonyms that it asks for with this model, or makes no sense
/// without any.
pub fn without_synonyms(method: &MethodSettings, model: &ModelSettings) -> Option<String> {
    let part = method.augment.as_ref()?;
    let augmentation = Augmentation::read(part);
    let vectors = model.embeddings.as_ref();
    match augmentation.synonyms()? {
        wanted @ Wanted::Vectors
            if !vectors.is_some_and(|e| embeddings::can(&e.kind, Capability::Pretrained)) =>
        {
            let needed = Capability::Pretrained;
            let word = wanted.word();
            Some(format!("`synonyms: {word}` of `{}` needs a model with {needed}", part.kind))
        }
        Wanted::Nothing if augmentation.needs_synonyms() => {
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
    use method::augment::{self, SYNONYMS};

    #[test]
    fn synonyms_from_vectors_need_a_model_that_has_some() {
        let part = |kind: &str| Part { kind: kind.to_owned(), parameters: Parameters::default() };
        let augmentation = |kind: &str| augment::find(kind).unwrap().part();
        let model = |vectors: &str| ModelSettings {
            embeddings: Some(part(vectors)),
            encoder: part("bilstm"),
            head: part("softmax"),
            queries: Default::default(),
            digests: Default::default(),
        };
        let method = |kind: &str, source: &str| {
            let mut augment = augmentation(kind);
            let source = ParameterValue::Text(source.to_owned());
            if let Some(synonyms) = augment.parameters.0.get_mut(SYNONYMS.name) {
                *synonyms = source;
            }
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

    const FAKE: Entry = Entry {
        name: "spans",
        help: "",
        parameters: &[],
        needs: Need::Head(Capability::Span),
        gives: &[],
        source: "",
    };

    #[test]
    fn a_need_that_the_head_does_not_meet_is_a_reason() {
        let softmax = slots::MODEL[2].find("softmax").unwrap();
        let reason = conflict(&FAKE, softmax);
        assert_eq!(reason.as_deref(), Some("`spans` needs a span head; `softmax` is not one"));
        let of_tokens = Entry { needs: Need::Head(Capability::TokenLevel), ..FAKE };
        assert_eq!(conflict(&Entry { needs: Need::Nothing, ..FAKE }, softmax), None);
        assert_eq!(conflict(&of_tokens, softmax), None);
        assert!(conflict(&of_tokens, &FAKE).is_some());
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
