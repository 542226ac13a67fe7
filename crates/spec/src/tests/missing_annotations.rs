//! Methods for missing annotations, and what they do not go with.

use super::*;

fn reasons(model: &str, method: &str, scenario: &str, training: &str) -> Option<String> {
    let folder = Folder::new();
    let text = format!(
        "version: 1\nname: g\n\
         corpora: [{{name: c, format: columns, train: train.txt, test: test.txt, parts: {{ds: test.txt}}}}]\n\
         scenarios: [{{name: s{scenario}}}]\nmodels: [{{name: m, encoder: bilstm, head: {model}}}]\n\
         methods: [{method}]\nseeds: 1\ntraining: {{{training}}}\n"
    );
    folder.load(&text, &[]).unwrap().jobs.remove(0).not_applicable
}

#[test]
fn methods_need_their_heads() {
    let none =
        |model: &str, method: &str| reasons(model, method, ", incomplete: true", "epochs: 1");
    for (model, method) in [
        ("crf", "partial-crf"),
        ("crf", "weighted-partial-crf"),
        ("crf", "weighted-partial-crf-soft"),
        ("binary", "pu-learning"),
        ("binary", "original"),
        ("binary", "focal"),
    ] {
        assert_eq!(none(model, method), None, "{model} {method}");
    }
    for (model, method, needs) in [
        ("softmax", "partial-crf", "`partial` needs a CRF head; `softmax` is not one"),
        ("crf", "pu-learning", "`pu` needs a binary head; `crf` is not one"),
        ("binary", "dice", "`dice` needs a softmax head; `binary` is not one"),
    ] {
        assert_eq!(none(model, method).as_deref(), Some(needs));
    }
}

#[test]
fn what_cannot_be_trained_or_known_is_not_applicable_with_a_reason() {
    let anew =
        "{name: m, unlabelled: weighted-partial, augment: mention-replacement, regenerate: epoch}";
    let ranked = "{name: m, negatives: by-uncertainty, resample: bus}";
    let control = "{name: m, negatives: uniform, masked: excluded}";
    let shortened_control = "{name: m, negatives: uniform, masked: excluded, resample: bus}";
    let augmented = "{name: m, augment: mention-replacement, loss: {kind: pu, prior: oracle}}";
    let shortened = "{name: m, resample: bus, loss: {kind: pu, prior: oracle}}";
    let stated = "{name: m, loss: {kind: pu, stated_prior: 0.9}}";
    let asked = "{name: m, loss: {kind: pu, prior: stated, stated_prior: 0.9}}";
    let repeated = "{name: m, resample: sc, loss: {kind: pu, prior: oracle}}";
    let [distant, masked] = [", extra_train: ds", ", mask_entities: 0.5"];
    let [lacking, both] = [", incomplete: true", ", incomplete: true, mask_entities: 0.5"];
    for (model, method, scenario, training, reason) in [
        ("crf", "partial-crf", masked, "optimiser: lbfgs", Some("trained in batches")),
        ("crf", "partial-crf", "", "epochs: 1", Some("say `incomplete: true`")),
        ("crf", "partial-crf", distant, "epochs: 1", None),
        ("crf", anew, masked, "epochs: 1", Some("makes other ones")),
        ("span", ranked, masked, "epochs: 1", Some("which entities of a sentence are masked")),
        ("span", shortened_control, masked, "epochs: 1", Some("`masked: excluded` must know")),
        ("span", control, distant, "epochs: 1", Some("nobody knows which annotations are missing")),
        ("span", control, masked, "epochs: 1", None),
        ("span", "negative-sampling", distant, "epochs: 1", None),
        ("span", "negative-sampling", masked, "optimiser: lbfgs", Some("needs a softmax or a CRF")),
        ("binary", "pu-oracle", distant, "epochs: 1", Some("the gold tags of `ds`")),
        ("binary", "pu-learning", distant, "epochs: 1", None),
        ("binary", "pu-oracle", masked, "epochs: 1", None),
        ("binary", "pu-oracle", lacking, "epochs: 1", Some("annotations of train are missing")),
        ("binary", "pu-oracle", both, "epochs: 1", Some("annotations of train are missing")),
        ("span", "top-k", masked, "epochs: 1", None),
        ("span", "top-k", distant, "epochs: 1", Some("nobody knows which annotations")),
        ("span", "top-k", both, "epochs: 1", Some("nobody knows which annotations")),
        ("binary", augmented, masked, "epochs: 1", Some("makes other sentences")),
        ("binary", shortened, masked, "epochs: 1", Some("makes other sentences")),
        ("binary", augmented, "", "epochs: 1", None),
        ("binary", repeated, masked, "epochs: 1", None),
        ("binary", stated, masked, "epochs: 1", Some("`prior: stated` alone")),
        ("binary", asked, masked, "epochs: 1", None),
    ] {
        let found = reasons(model, method, scenario, training);
        let fits = match reason {
            Some(reason) => found.as_deref().is_some_and(|found| found.contains(reason)),
            None => found.is_none(),
        };
        assert!(fits, "{method}: {found:?}");
    }
}
