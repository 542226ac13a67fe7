use crate::model::device;
use crate::model::heads::annotated;
use crate::prepare::prepare;
use crate::testing::{part, request};
use crate::train::objective::spans::missing;
use crate::train::train as train_job;
use burn::tensor::Device;
use domain::{Backend, Epoch, JobRequest, ParameterValue, Span};
use method::negatives::ENTRIES;

const WAYS: [Option<&str>; 4] = [None, Some("uniform"), Some("weighted"), Some("by-uncertainty")];

/// A small job on a head over spans, with half of the entities masked.
fn job(head: &str, negatives: Option<&str>) -> JobRequest {
    let mut request = request();
    let settings = &mut request.settings;
    settings.scenario.0.insert("mask_entities".into(), ParameterValue::Real(0.5));
    settings.training.learning_rate = 0.02;
    let model = &mut settings.model;
    model.encoder = part(parts::encoders::ENTRIES, "bilstm");
    model.encoder.parameters.0.insert("hidden".into(), ParameterValue::Integer(16));
    model.encoder.parameters.0.insert("dropout".into(), ParameterValue::Real(0.1));
    model.head = part(parts::heads::ENTRIES, head);
    model.head.parameters.0.insert("span_width".into(), ParameterValue::Integer(16));
    model.head.parameters.0.insert("span_dropout".into(), ParameterValue::Real(0.1));
    settings.method.negatives = negatives.map(|kind| part(ENTRIES, kind));
    request
}

fn epochs(request: &JobRequest, device: &Device) -> Vec<Epoch> {
    let mut data = prepare(request).unwrap();
    let mut epochs = Vec::new();
    let trained =
        train_job(&request.settings, &mut data, device, |epoch| epochs.push(epoch.clone()));
    let trained = trained.unwrap();
    let is_halved =
        request.settings.method.negatives.as_ref().is_some_and(|n| n.kind == "by-uncertainty");
    assert_eq!(data.size.sentence_factor, if is_halved { 0.5 } else { 1.0 });
    assert_eq!(trained.observed.contains_key("oracle_dev_micro_f1"), is_halved);
    epochs
}

#[test]
fn the_loss_falls_on_every_head_with_all_negatives_and_some() {
    for head in ["span", "biaffine"] {
        for negatives in WAYS {
            let epochs = epochs(&job(head, negatives), &Device::flex());
            let (first, last) = (epochs[0].loss, epochs[3].loss);
            assert!(last < 0.7 * first, "{head}, {negatives:?}: {first} to {last}");
        }
    }
}

/// What uniform negatives hit depends on nothing but the seed; `tests/it/training.rs` has the rest,
/// a process a job.
#[test]
fn what_is_drawn_depends_on_the_seed_alone() {
    let hits = |seed: u64, device: &Device| -> Vec<_> {
        let mut request = job("span", Some("uniform"));
        // The masks are the same: only the draws differ.
        let masked = prepare(&request).unwrap();
        request.settings.seed = seed;
        let mut data = prepare(&request).unwrap();
        (data.train, data.copies) = (masked.train, masked.copies);
        let mut hits = Vec::new();
        let told = |epoch: &Epoch| hits.push(epoch.added["missampled_entities"]);
        train_job(&request.settings, &mut data, device, told).unwrap();
        hits
    };
    let all = [Backend::Libtorch, Backend::Flex];
    for device in all.iter().filter_map(|&backend| device(backend, "cpu").ok()) {
        assert_eq!(hits(1, &device), hits(1, &Device::flex()));
        assert_ne!(hits(1, &device), hits(2, &device));
    }
}

#[test]
fn masked_entities_are_counted_where_they_are_drawn() {
    let added = |negatives, lambda: f64| {
        let mut request = job("span", Some(negatives));
        request.settings.training.epochs = 1;
        let part = request.settings.method.negatives.as_mut().unwrap();
        part.parameters.0.insert("lambda".into(), ParameterValue::Real(lambda));
        epochs(&request, &Device::flex()).remove(0).added
    };
    for negatives in ["uniform", "weighted"] {
        // Every candidate is drawn, so every masked entity is.
        let all = added(negatives, 1e6);
        assert_eq!(all["missampled_entities"], 1.0);
        let data = prepare(&job("span", None)).unwrap();
        let rate = |sentence: usize| {
            let gold = &data.train.classes[sentence];
            let candidates = Span::count(gold.len()) - annotated(gold).count();
            missing(&data.train, sentence).len() as f64 / candidates.max(1) as f64
        };
        let rates: f64 = (0..data.train.rows.len()).map(rate).sum();
        let expected = rates / data.train.rows.len() as f64;
        assert!(expected > 0.0);
        assert!((all["missampling_rate"] - expected).abs() < 1e-12);
        assert!(all["mean_uncertainty"] > 0.0);
        let none = added(negatives, 0.0);
        assert_eq!((none["missampled_entities"], none["missampling_rate"]), (0.0, 0.0));
        assert!(!none.contains_key("mean_uncertainty"), "nothing was drawn");
    }
    let mut control = job("span", Some("uniform"));
    control.settings.training.epochs = 1;
    let part = control.settings.method.negatives.as_mut().unwrap();
    part.parameters.0.insert("lambda".into(), ParameterValue::Real(1e6));
    let excluded = ParameterValue::Text("excluded".into());
    assert!(part.parameters.0.insert("masked".into(), excluded).is_some());
    let control = epochs(&control, &Device::flex()).remove(0).added;
    assert_eq!(
        (control["missampled_entities"], control["missampling_rate"]),
        (0.0, 0.0),
        "every other span is drawn, no masked entity"
    );
    let chosen = added("by-uncertainty", 0.35);
    assert_eq!(chosen["missampled_entities"], 0.0, "masked entities are no candidates");
}

#[test]
fn nothing_is_told_of_missampling_where_nobody_knows() {
    let mut request = job("span", Some("uniform"));
    request.settings.scenario.0.insert("mask_entities".into(), ParameterValue::Real(0.0));
    request.settings.training.epochs = 1;
    let added = epochs(&request, &Device::flex()).remove(0).added;
    assert_eq!(added.keys().collect::<Vec<_>>(), ["mean_uncertainty"]);
}

#[test]
fn an_evaluation_pass_gives_the_probabilities_where_that_is_asked_for() {
    let mut request = job("span", Some("weighted"));
    request.settings.training.epochs = 2;
    let trained = epochs(&request, &Device::flex());
    let part = request.settings.method.negatives.as_mut().unwrap();
    let evaluation = ParameterValue::Text("evaluation".into());
    part.parameters.0.insert("probabilities".into(), evaluation);
    let evaluated = epochs(&request, &Device::flex());
    assert_ne!(trained[0].added, evaluated[0].added, "dropout changes what is drawn");
    assert!(evaluated[1].loss.is_finite());
}

#[test]
fn what_cannot_be_trained_is_told() {
    let told = |request: &JobRequest| {
        let mut data = prepare(request).unwrap();
        let failure =
            train_job(&request.settings, &mut data, &Device::flex(), |_| ()).err().unwrap();
        failure.to_string()
    };
    let mut request = job("span", Some("uniform"));
    request.settings.model.head = part(parts::heads::ENTRIES, "softmax");
    assert!(told(&request).contains("`softmax` is not one"));
    let mut request = job("span", Some("by-uncertainty"));
    let mut augment = part(method::augment::ENTRIES, "mention-replacement");
    augment.parameters.0.insert("regenerate".into(), ParameterValue::Text("epoch".into()));
    request.settings.method.augment = Some(augment);
    assert!(told(&request).contains("makes other sentences"));
}
