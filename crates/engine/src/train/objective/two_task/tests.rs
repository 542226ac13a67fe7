use super::*;
use crate::model::device;
use crate::prepare::Prepared;
use crate::prepare::prepare;
use crate::testing::{part, request};
use crate::train::{Trained, TrainingJob, train};
use burn::tensor::Device;
use domain::{Backend, Epoch, JobRequest, ParameterValue};
use method::loss::ENTRIES;
use std::cell::RefCell;
use std::rc::Rc;

/// A small BiLSTM with two tasks on the synthetic corpus, whose types are merged.
fn job(loss: &str) -> JobRequest {
    let mut request = request();
    let settings = &mut request.settings;
    settings.scenario.0.insert("merge_types".into(), ParameterValue::Bool(true));
    settings.model.encoder = part(parts::encoders::ENTRIES, "bilstm");
    settings.model.encoder.parameters.0.insert("hidden".into(), ParameterValue::Integer(16));
    settings.model.head = part(parts::heads::ENTRIES, "two-task");
    settings.method.loss = part(ENTRIES, loss);
    settings.training.epochs = 12;
    settings.training.learning_rate = 0.02;
    request
}

fn on(request: &JobRequest, device: &Device) -> (Trained, Vec<f64>) {
    let mut data = prepare(request).unwrap();
    let mut losses = Vec::new();
    let trained = train(&request.settings, &mut data, device, |e| losses.push(e.loss));
    (trained.unwrap(), losses)
}

/// Trains by an objective of the test's.
fn by(
    request: &JobRequest,
    data: &mut Prepared,
    objective: impl Objective + 'static,
    tell: &mut dyn FnMut(&Epoch),
) -> Trained {
    let device = &Device::flex();
    let mut job = TrainingJob { settings: &request.settings, data, device, tell };
    job.by_batches(objective).unwrap()
}

#[test]
fn what_training_never_shows_is_never_found() {
    for (loss, tunes) in [("auc", false), ("comauc", false), ("auc", true)] {
        let mut request = job(loss);
        request.settings.training.epochs = 2;
        let settings = &mut request.settings;
        settings.scenario.0.insert("mask_entities".into(), ParameterValue::Real(1.0));
        let tunes = ParameterValue::Bool(tunes);
        settings.model.head.parameters.0.insert("tune_threshold".into(), tunes);
        let (trained, _) = on(&request, &Device::flex());
        assert!(trained.dev.span.micro.support > 0);
        assert_eq!(trained.dev.span.micro.predicted, 0, "{loss}");
    }
}

fn set(request: &mut JobRequest, name: &str, value: ParameterValue) {
    let old = request.settings.method.loss.parameters.0.insert(name.into(), value);
    assert!(old.is_some(), "the loss has `{name}`");
}

/// An objective, and a, b and α of every task after every batch.
struct Watched {
    inner: TwoTask,
    seen: Rc<RefCell<Vec<TaskState>>>,
}

impl Objective for Watched {
    fn turns(&self) -> usize {
        self.inner.turns()
    }

    fn begin_share(&mut self, share: usize, shares: usize) {
        self.inner.begin_share(share, shares);
    }

    fn loss(&mut self, lesson: &Lesson<'_>, turn: usize) -> Option<BatchLoss> {
        let loss = self.inner.loss(lesson, turn);
        self.seen.borrow_mut().extend(self.inner.tasks.iter().map(|task| task.state));
        loss
    }
}

fn states(request: &JobRequest) -> Vec<TaskState> {
    let mut data = prepare(request).unwrap();
    let inner = TwoTask::new(&request.settings, &data.class_counts()).unwrap();
    let seen = Rc::new(RefCell::new(Vec::new()));
    by(request, &mut data, Watched { inner, seen: seen.clone() }, &mut |_| ());
    seen.take()
}

#[test]
fn a_and_b_stay_near_probabilities_through_a_whole_training_whatever_lambda_is() {
    for loss in ["auc", "comauc"] {
        let mut request = job(loss);
        // A double step counts as two updates.
        let passes = if loss == "comauc" { 24 } else { 12 };
        request.settings.training.epochs = passes;
        assert_eq!(request.settings.method.loss.parameters.value::<f64>("lambda").unwrap(), 100.0);
        let states = states(&request);
        // Both tasks, in every update: four batches per pass.
        assert_eq!(states.len(), 2 * passes * 4, "{loss}");
        for TaskState { a, b, alpha, .. } in &states {
            assert!(a.abs() <= 1.1 && b.abs() <= 1.1, "{loss}: {a} {b}");
            assert!((0.0..=2.0).contains(alpha), "{loss}: {alpha}");
        }
        // Both tasks have learnt: the means are apart.
        for TaskState { a, b, .. } in &states[states.len() - 2..] {
            assert!(a - b > 0.5, "{loss}: {a} {b}");
        }
    }
}

#[test]
fn the_loss_falls_and_entities_are_found_on_both_backends() {
    let all: [&[&str]; 2] = [&["comauc"], &["auc", "comauc", "cross-entropy"]];
    for (backend, losses) in [Backend::Libtorch, Backend::Flex].into_iter().zip(all) {
        let Ok(device) = device(backend, "cpu") else { continue };
        for &loss in losses {
            let mut request = job(loss);
            request.settings.training.epochs = 20;
            let (trained, losses) = on(&request, &device);
            // α has to rise before the margin counts.
            let highest = losses.iter().copied().fold(0.0, f64::max);
            assert!(losses[19] < 0.5 * highest, "{loss}: {losses:?}");
            let f1 = trained.dev.span.micro.f1;
            assert!(f1 > 0.3, "{loss}: {f1}");
        }
    }
}

#[test]
fn every_version_of_auc_finds_entities_of_one_type_and_of_several() {
    let word = |text: &str| ParameterValue::Text(text.into());
    let versions = [("version", "v1_batch"), ("version", "v1_fixed"), ("ab", "closed_form")];
    let mut requests = Vec::from(versions.map(|(name, value)| {
        let mut request = job("auc");
        set(&mut request, name, word(value));
        request
    }));
    let mut typed = job("auc");
    typed.settings.scenario.0.insert("merge_types".into(), ParameterValue::Bool(false));
    requests.push(typed);
    for mut request in requests {
        request.settings.training.epochs = 40;
        let f1 = on(&request, &Device::flex()).0.dev.span.micro.f1;
        let everywhere = beginnings_everywhere(&request);
        assert!(f1 > 1.5 * everywhere, "{}: {f1} {everywhere}", request.settings.method.loss);
    }
}

/// The dev F1 of whoever calls every word the beginning of an entity of the first type.
fn beginnings_everywhere(request: &JobRequest) -> f64 {
    let data = prepare(request).unwrap();
    let begin = domain::Tag::Begin(domain::TypeId(0));
    let tags: Vec<_> =
        data.corpus_dev.iter().map(|sentence| vec![begin; sentence.tags.len()]).collect();
    data.score(&data.corpus_dev, &tags).unwrap().span.micro.f1
}

#[test]
fn lambda_weighs_what_reaches_the_model_and_nothing_else() {
    let at = |lambda: f64| {
        let mut request = job("auc");
        set(&mut request, "lambda", ParameterValue::Real(lambda));
        let mut objective = TwoTask::new(&request.settings, &[6, 2, 1]).unwrap();
        // Words × (in an entity, one begins): B, I, O, O.
        let logits = [0.4, -0.3, 1.1, -0.8, -0.2, 0.5, 0.3, -1.0];
        let (value, gradient) = objective.weighed_tasks(&logits, &[1, 2, 0, 0]).unwrap();
        let states: Vec<TaskState> = objective.tasks.iter().map(|task| task.state).collect();
        (value, gradient, states)
    };
    let ((of_one, one, states), (of_hundred, hundred, others)) = (at(1.0), at(100.0));
    assert!(states == others && of_hundred > of_one);
    for (one, hundred) in one.chunks(2).zip(hundred.chunks(2)) {
        assert!(one.iter().all(|slope| slope.abs() > 1e-6), "{one:?}");
        assert_eq!(one[0], hundred[0]);
        assert!((hundred[1] / one[1] - 100.0).abs() < 1e-9, "{one:?} {hundred:?}");
    }
}

/// The numbers of the layers over entities, beginnings and tags.
fn layers(model: &crate::model::Tagger) -> [Vec<f32>; 3] {
    let layers = model.two_task().unwrap().layers();
    layers.map(|layer| layer.weight.val().into_data().iter::<f32>().collect())
}

#[test]
fn each_turn_of_comauc_teaches_its_own_layers_alone() {
    struct OnlyTurn(TwoTask, usize);
    impl Objective for OnlyTurn {
        fn loss(&mut self, lesson: &Lesson<'_>, _: usize) -> Option<BatchLoss> {
            self.0.loss(lesson, self.1)
        }
    }
    let mut request = job("comauc");
    // Decay would move what has a gradient of zero.
    request.settings.training.optimiser = domain::Optimiser::AdamW;
    (request.settings.training.epochs, request.settings.training.weight_decay) = (1, 0.1);
    // What a turn does not touch is drawn later, so each is compared with itself at a rate of 0.
    let after = |turn: usize, rate: f64| {
        let mut request = request.clone();
        request.settings.training.learning_rate = rate;
        let mut data = prepare(&request).unwrap();
        let inner = TwoTask::new(&request.settings, &data.class_counts()).unwrap();
        assert_eq!(inner.turns(), 2);
        layers(&by(&request, &mut data, OnlyTurn(inner, turn), &mut |_| ()).model)
    };
    let changed = |turn: usize| {
        let (before, after) = (after(turn, 0.0), after(turn, 0.02));
        [0, 1, 2].map(|layer| before[layer] != after[layer])
    };
    assert_eq!(changed(0), [false, false, true]);
    assert_eq!(changed(1), [true, true, false]);
}

#[test]
fn losses_over_decisions_fall_too() {
    for loss in ["focal", "self-adjusting-dice", "mom"] {
        let (_, losses) = on(&job(loss), &Device::flex());
        assert!(losses[11] < 0.8 * losses[0], "{loss}: {losses:?}");
    }
}

/// Whatever version: with batches of one sentence most batches lack a class, and none is unused.
#[test]
fn batches_without_positives_are_used_for_their_negatives() {
    for (name, value) in
        [("version", "v2"), ("version", "v1_batch"), ("version", "v1_fixed"), ("ab", "closed_form")]
    {
        let mut request = job("auc");
        set(&mut request, name, ParameterValue::Text(value.into()));
        request.settings.training.batch = 1;
        request.settings.training.epochs = 2;
        let (_, losses) = on(&request, &Device::flex());
        assert!(losses.iter().all(|loss| loss.is_finite()), "{value}: {losses:?}");
        let inner = TwoTask::new(&request.settings, &[60, 20, 10]);
        let mut inner = inner.expect("a loss over two tasks");
        let begun = TaskState { a: 0.6, b: 0.3, alpha: 0.5, ..Default::default() };
        inner.tasks.iter_mut().for_each(|task| task.state = begun);
        // Words × (in an entity, one begins): O, O.
        let logits = [0.4, -0.3, 1.1, -0.8];
        let (value, gradient) = inner.weighed_tasks(&logits, &[0, 0]).expect("it is used");
        assert!(value.is_finite() && gradient.iter().all(|slope| *slope > 0.0), "{gradient:?}");
        for task in &inner.tasks {
            assert_eq!((task.state.a, task.state.alpha), (begun.a, begun.alpha));
            assert_ne!(task.state.b, begun.b);
        }
    }
}

#[test]
fn of_data_without_an_entity_only_b_is_learnt() {
    let mut request = job("auc");
    request.settings.training.epochs = 2;
    let mut data = prepare(&request).unwrap();
    data.train.classes.iter_mut().for_each(|classes| classes.fill(0));
    let models = [0.02, 0.0].map(|rate| {
        request.settings.training.learning_rate = rate;
        let inner = TwoTask::new(&request.settings, &data.class_counts()).unwrap();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let watched = Watched { inner, seen: seen.clone() };
        let mut losses = Vec::new();
        let trained = by(&request, &mut data, watched, &mut |epoch| losses.push(epoch.loss));
        assert!(losses.iter().all(|loss| loss.is_finite() && *loss > 0.0), "{losses:?}");
        for TaskState { a, b, alpha, .. } in seen.borrow().iter() {
            assert!((*a, *alpha) == (0.0, 0.0) && *b > 0.0 && *b < 1.0, "{a} {b} {alpha}");
        }
        layers(&trained.model)
    });
    assert!(models[0] != models[1], "the model learns from its negatives");
}

#[test]
fn pesg_pulls_a_and_b_too_and_slows_down() {
    let mut request = job("auc");
    let training = &mut request.settings.training;
    (training.optimiser, training.epochs) = (domain::Optimiser::Pesg, 8);
    (training.learning_rate, training.clip, training.weight_decay) = (0.1, 1.0, 1e-5);
    let states = states(&request);
    let (first, last) = (states[0], states[states.len() - 2]);
    assert_ne!(first.reference, [0.0; 2]);
    assert!(first.reference.iter().all(|number| number.abs() < 0.06));
    assert!((last.reference[0] - last.a).abs() < 0.2, "the mean of late steps: {last:?}");
    // Half of the epochs is over, three quarters are over: steps of a hundredth.
    let late = &states[states.len() - 8..];
    let moves = late.chunks(2).map(|tasks| tasks[0].a).collect::<Vec<_>>();
    assert!(moves.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= 0.0011), "{moves:?}");
}

#[test]
fn tuned_thresholds_never_make_dev_worse_and_are_the_models_own() {
    let mut request = job("cross-entropy");
    // So little that it is unsure of everything.
    request.settings.training.epochs = 2;
    request.settings.training.learning_rate = 0.005;
    let (plain, _) = on(&request, &Device::flex());
    let tune = ParameterValue::Bool(true);
    request.settings.model.head.parameters.0.insert("tune_threshold".into(), tune);
    let (tuned, _) = on(&request, &Device::flex());
    let [before, after] = [&plain, &tuned].map(|trained| trained.dev.span.micro.f1);
    assert!(after > before, "{after} {before}");
    let thresholds = tuned.model.two_task().unwrap().thresholds();
    assert!(thresholds.iter().any(|threshold| *threshold != 0.0), "{thresholds:?}");
    // The scores are those of the model that is handed on.
    let data = prepare(&request).unwrap();
    let characters = data.material.reader.characters();
    let device = Device::flex();
    let predicted = crate::predict::predict(&tuned.model, &data.dev, characters, &device);
    let scores = data.score(&data.corpus_dev, &predicted).unwrap();
    assert_eq!(scores.span.micro.f1, after);
}
