//! Training: step by step over batches, or to the optimum over the whole data at once.

mod batchwise;
mod course;
mod negatives;
mod objective;
mod optimum;
mod prior;
mod schedule;
mod stages;
mod thresholds;

use super::prepare::Prepared;
use crate::model::Tagger;
use burn::tensor::Device;
use course::Course;
use domain::{
    Effort, Epoch, Failure, JobSettings, Scores, SelectBy, TrainingSettings, TrainingVerdict,
};
use method::loss::{self, Loss, Question, TokenLoss};
use objective::{Objective, Tokens, TwoTask};
use parts::{Capability, heads};
use std::collections::BTreeMap;

/// A trained model: the parameters of its best epoch, ready to predict.
pub struct Trained {
    pub model: Tagger,
    pub best_epoch: usize,
    pub epochs: Vec<Epoch>,
    pub dev: Scores,
    /// None of full-batch training.
    pub effort: Option<Effort>,
    /// None where dev has no entity to find.
    pub verdict: Option<TrainingVerdict>,
    pub parameters: usize,
    /// What was seen of the training: iterations, priors, and the like.
    pub observed: BTreeMap<String, f64>,
}

impl Trained {
    /// What it took where it was trained on a part of the data alone: a pass over that is a part of
    /// a pass.
    fn effort_of_part(&self, part: &[u32], all: &[u32]) -> Option<Effort> {
        let sentences = |copies: &[u32]| copies.iter().copied().map(f64::from).sum::<f64>();
        let share = sentences(part) / sentences(all).max(1.0);
        self.effort.map(|effort| Effort { passes: effort.passes * share, ..effort })
    }

    /// Counts what an earlier stage took as a part of this training.
    fn add_effort(&mut self, earlier: Option<Effort>) {
        if let (Some(all), Some(earlier)) = (&mut self.effort, earlier) {
            *all += earlier;
        }
    }
}

/// What every way to train is given.
pub struct TrainingJob<'a> {
    settings: &'a JobSettings,
    data: &'a mut Prepared,
    device: &'a Device,
    /// Hears of every evaluation.
    tell: &'a mut dyn FnMut(&Epoch),
}

impl TrainingJob<'_> {
    /// One training by batches, which has the whole budget.
    fn by_batches(&mut self, objective: impl Objective + 'static) -> Result<Trained, Failure> {
        let course = Course::new(&self.settings.training, self.data);
        batchwise::train(self, Box::new(objective), course)
    }

    /// The same job, of whose evaluations somebody else hears.
    fn heard_by<'b>(&'b mut self, tell: &'b mut dyn FnMut(&Epoch)) -> TrainingJob<'b> {
        TrainingJob { settings: self.settings, data: self.data, device: self.device, tell }
    }
}

/// Trains the job's model; `tell` hears of every evaluation.
pub fn train(
    settings: &JobSettings,
    data: &mut Prepared,
    device: &Device,
    mut tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    optimum::check(settings)?;
    let job = &mut TrainingJob { settings, data, device, tell: &mut tell };
    if let Some(part) = &settings.method.unlabelled {
        return stages::unlabelled(job, part);
    }
    if heads::can(&settings.model.head.kind, Capability::Binary) {
        return by_type(job);
    }
    if let Some(part) = &settings.method.negatives {
        return negatives::train(job, part);
    }
    let counts = job.data.class_counts();
    if let Some(objective) = TwoTask::new(settings, &counts) {
        return job.by_batches(objective);
    }
    let loss = token_loss(settings, &counts)?;
    if !optimum::is_wanted(settings, &*loss) {
        return job.by_batches(Tokens(loss));
    }
    // Shallow models have no class that training lacks: the others close up, O first.
    let observed: Vec<u64> = counts.into_iter().filter(|count| *count > 0).collect();
    let question = Question::Class { counts: &observed };
    let loss = loss::build(&settings.method.loss, question).unwrap_or(loss);
    optimum::train(job, &*loss)
}

/// Trains a head that decides yes or no for each type.
fn by_type(job: &mut TrainingJob<'_>) -> Result<Trained, Failure> {
    let part = &job.settings.method.loss;
    let priors = prior::priors(job.settings, job.data)?;
    let loss = loss::build_for_types(part, &priors).ok_or_else(|| {
        Failure::input(format!("this engine has no loss `{}` for decisions on types", part.kind))
    })?;
    let mut trained = job.by_batches(Tokens(loss))?;
    if let Loss::Pu(_) = Loss::read(part) {
        let names = job.data.types.names().iter().map(|name| format!("prior_{name}"));
        trained.observed.extend(names.zip(priors));
    }
    Ok(trained)
}

/// The method's loss over tokens of these classes, or over what the model's head decides instead.
fn token_loss(settings: &JobSettings, counts: &[u64]) -> Result<Box<dyn TokenLoss>, Failure> {
    let question = match heads::can(&settings.model.head.kind, Capability::YesNo) {
        true => Question::YesNo,
        false => Question::Class { counts },
    };
    let part = &settings.method.loss;
    loss::build(part, question)
        .ok_or_else(|| Failure::input(format!("this engine has no loss `{}`", part.kind)))
}

fn selection_score(training: &TrainingSettings, dev: &Scores) -> f64 {
    match training.select_by {
        SelectBy::MacroF1 => dev.span.macro_.f1,
        // A tie counts as a gain, so the last epoch stays.
        SelectBy::Last => 0.0,
        SelectBy::MicroF1 => dev.span.micro.f1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::device;
    use crate::model::heads::{Gold, Head};
    use crate::model::shallow::Solution;
    use crate::prepare::prepare;
    use crate::testing::{part, request};
    use burn::tensor::{Tensor, TensorData};
    use domain::{Backend, BudgetRule, JobRequest, ParameterValue, Part};
    use method::loss;
    use serde_json::Value;

    fn losses(request: &JobRequest) -> Result<Vec<f64>, Failure> {
        let mut data = prepare(request)?;
        let mut losses = Vec::new();
        train(&request.settings, &mut data, &Device::flex(), |epoch| losses.push(epoch.loss))?;
        Ok(losses)
    }

    fn with_rate(learning_rate: f64) -> JobRequest {
        let mut request = request();
        request.settings.training.learning_rate = learning_rate;
        request
    }

    /// The reference vectors, on every backend.
    fn on_vectors(check: impl Fn(&Value, &Device)) {
        let text = include_str!("../../../../tests/vectors/losses.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let all = [Backend::Libtorch, Backend::Flex];
        for device in all.iter().filter_map(|&backend| device(backend, "cpu").ok()) {
            check(&vectors, &device.autodiff());
        }
    }

    /// Checks a loss through a head in single precision: its value and its gradient.
    fn check(part: &Part, question: Question<'_>, case: &Value, known: [&Value; 2], on: &Device) {
        let loss = loss::build(part, question).unwrap();
        let (value, gradient) = through_head(&*loss, case, on);
        assert_close(&[value], &numbers(known[0]), &part.kind);
        assert_close(&gradient, &numbers(known[1]), &part.kind);
    }

    fn mom(case: &Value) -> Part {
        let mut mom = part(loss::ENTRIES, "mom");
        let lambda = ParameterValue::Real(case["lambda_"].as_f64().unwrap());
        mom.parameters.0.insert("lambda".into(), lambda);
        mom
    }

    #[test]
    fn losses_over_classes_reach_the_encoder_as_the_vectors_have_them() {
        let names = [
            ("cross-entropy", "ce", ["mean", "grad_mean"]),
            ("focal", "focal_g2", ["mean", "grad_mean"]),
            ("focal-ovr", "focal_ovr_g2", ["mean", "grad_mean"]),
            ("dice", "dice_deep_batch_s1e-05", ["value", "grad"]),
            ("self-adjusting-dice", "dice_shannon_s1_a0.01_sq", ["value", "grad"]),
            ("wce-1", "wce1", ["weighted_mean_torch", "grad_weighted_mean"]),
        ];
        on_vectors(|vectors, device| {
            for case in vectors["multiclass"].as_array().unwrap() {
                let counts = numbers(&case["class_counts"]).into_iter().map(|c| c as u64);
                let question = Question::Class { counts: &counts.collect::<Vec<u64>>() };
                for (kind, name, known) in names {
                    let known = known.map(|known| &case[name][known]);
                    check(&part(loss::ENTRIES, kind), question, case, known, device);
                }
            }
            let of_entropy = |case: &&Value| case["base"] == "ce";
            for case in vectors["mom"].as_array().unwrap().iter().filter(of_entropy) {
                let known = [&case["batch_token_mean"], &case["grad_batch_token_mean"]];
                check(&mom(case), Question::Class { counts: &[1; 5] }, case, known, device);
            }
        });
    }

    #[test]
    fn losses_over_decisions_reach_the_encoder_as_the_vectors_have_them() {
        let names = [
            ("cross-entropy", "bce_mean"),
            ("focal", "focal_g2_mean"),
            ("self-adjusting-dice", "dice_s1_a0.01_sq"),
        ];
        on_vectors(|vectors, device| {
            for case in vectors["binary"].as_array().unwrap() {
                for (kind, name) in names {
                    let known = [&case[name], &case[format!("grad_{name}")]];
                    check(&part(loss::ENTRIES, kind), Question::YesNo, case, known, device);
                }
            }
            for case in vectors["mrc_mom"].as_array().unwrap() {
                let loss = loss::build(&mom(case), Question::YesNo).unwrap();
                let mut sum = 0.0;
                for row in 0..2 {
                    // The first place is masked.
                    let real =
                        |name: &str| Value::from(case[name][row].as_array().unwrap()[1..].to_vec());
                    let row = serde_json::json!({"logits": real("start_end_logits"), "labels": real("start_end_labels")});
                    let (value, gradient) = through_head(&*loss, &row, device);
                    assert_close(&gradient, &numbers(&real("grad")), "mom over decisions");
                    sum += value;
                }
                assert_close(&[sum], &numbers(&case["value"]), "mom over decisions");
            }
        });
    }

    fn numbers(value: &Value) -> Vec<f64> {
        match value {
            Value::Array(items) => items.iter().flat_map(numbers).collect(),
            number => vec![number.as_f64().unwrap()],
        }
    }

    fn assert_close(actual: &[f64], expected: &[f64], what: &str) {
        assert_eq!(actual.len(), expected.len(), "{what}");
        let largest = expected.iter().fold(0.0, |largest: f64, e| largest.max(e.abs()));
        for (a, e) in actual.iter().zip(expected) {
            assert!((a - e).abs() < 1e-5 * largest, "{what}: {a} is not {e}");
        }
    }

    /// A softmax head whose logits are its input: the loss, and its gradient with respect to the
    /// input.
    fn through_head(loss: &dyn TokenLoss, case: &Value, device: &Device) -> (f64, Vec<f64>) {
        let gold: Vec<usize> =
            numbers(&case["labels"]).iter().map(|class| *class as usize).collect();
        let logits: Vec<f32> = numbers(&case["logits"]).iter().map(|logit| *logit as f32).collect();
        let classes = logits.len() / gold.len();
        let identity = |i: usize| f64::from(i / classes == i % classes);
        let solution = Solution {
            observed: (0..classes).collect(),
            weights: (0..classes * classes).map(identity).collect(),
            bias: vec![0.0; classes],
            transitions: vec![],
        };
        let head = Head::new(&part(parts::heads::ENTRIES, "softmax"), classes, classes, device);
        let head = head.with_solution(&solution, device);
        let shape = [gold.len(), classes];
        let states = Tensor::<2>::from_data(TensorData::new(logits, shape), device).require_grad();
        let sentences = [gold.len()];
        let gold = Gold { classes: &gold, sentences: &sentences };
        let of_batch =
            |tokens: loss::Tokens<'_>, gradient: &mut [f64]| loss.batch(tokens, gradient);
        let found = head.loss(head.logits(states.clone()), gold, &of_batch);
        let gradient = states.grad(&found.tensor.backward()).unwrap();
        (found.value, gradient.into_data().iter::<f64>().collect())
    }

    #[test]
    fn the_loss_falls() {
        let losses = losses(&with_rate(0.05)).unwrap();
        assert_eq!(losses.len(), 4);
        assert!(losses[3] < 0.5 * losses[0], "{losses:?}");
    }

    #[test]
    fn dev_is_looked_at_as_often_as_asked_and_after_the_last_epoch() {
        let mut request = with_rate(0.05);
        request.settings.training.eval_every = 3;
        request.settings.training.test_curve = true;
        let mut data = prepare(&request).unwrap();
        let trained = train(&request.settings, &mut data, &Device::flex(), |_| ()).unwrap();
        let looks: Vec<usize> = trained.epochs.iter().map(|row| row.epoch).collect();
        assert_eq!(looks, [3, 4]);
        assert!(looks.contains(&trained.best_epoch));
        assert!(trained.epochs.iter().all(|row| row.added["test_micro_f1"] > 0.0));
        // The same steps, whoever looks: the row of the third epoch has the mean of three losses.
        let losses = losses(&with_rate(0.05)).unwrap();
        let mean = losses[..3].iter().sum::<f64>() / 3.0;
        assert!((trained.epochs[0].loss - mean).abs() < 1e-12, "{losses:?}");
    }

    fn effort(request: &JobRequest) -> (Effort, Vec<Epoch>, Option<TrainingVerdict>) {
        let mut data = prepare(request).unwrap();
        let trained = train(&request.settings, &mut data, &Device::flex(), |_| ()).unwrap();
        (trained.effort.unwrap(), trained.epochs, trained.verdict)
    }

    #[test]
    fn a_method_that_enlarges_the_data_gets_no_more_updates() {
        let original = with_rate(0.05);
        let mut resampled = original.clone();
        resampled.settings.method.resample = Some(part(method::resample::ENTRIES, "scr"));
        let (plain, ..) = effort(&original);
        // Sixty sentences in batches of 16, four times.
        assert_eq!((plain.budget, plain.updates, plain.passes), (16, 16, 4.0));
        let (more, rows, _) = effort(&resampled);
        assert_eq!((more.budget, more.updates), (16, 16));
        assert!(more.passes < 2.0 && more.tokens_seen > plain.tokens_seen, "{more:?}");
        let looks: Vec<(usize, u64)> = rows.iter().map(|row| (row.epoch, row.updates)).collect();
        assert_eq!(looks, [(1, 4), (2, 8), (3, 12), (4, 16)]);
        resampled.settings.training.budget = BudgetRule::Passes;
        let (more, ..) = effort(&resampled);
        assert_eq!((more.passes, more.updates), (4.0, more.budget));
        assert!(more.updates > 32, "{more:?}");
    }

    #[test]
    fn a_small_corpus_is_trained_for_as_many_updates_as_the_floor_says() {
        let mut request = with_rate(0.05);
        request.settings.training.min_updates = 50;
        let (taken, rows, _) = effort(&request);
        assert_eq!((taken.budget, taken.updates), (50, 50));
        assert_eq!(rows.iter().map(|row| row.updates).collect::<Vec<_>>(), [12, 25, 37, 50]);
        request.settings.training.updates = Some(3);
        let (taken, rows, _) = effort(&request);
        assert_eq!((taken.updates, rows.len()), (3, 3), "one look for each update");
    }

    #[test]
    fn training_stops_early_only_after_the_updates_that_patience_waits_for() {
        let mut request = with_rate(0.05);
        request.settings.training.updates = Some(200);
        (request.settings.training.epochs, request.settings.training.patience) = (20, 2);
        let (taken, rows, verdict) = effort(&request);
        assert!(taken.updates < taken.budget, "{rows:?}");
        assert_eq!(verdict, Some(TrainingVerdict::StoppedEarly));
        assert!(taken.updates < 150, "{taken:?}");
        request.settings.training.patience_updates = 150;
        let (later, ..) = effort(&request);
        assert!(later.updates >= 150, "{later:?}");
    }

    #[test]
    fn patience_counts_evaluations() {
        let mut request = with_rate(0.05);
        let training = &mut request.settings.training;
        (training.updates, training.epochs) = (Some(200), 40);
        (training.eval_every, training.patience) = (2, 2);
        let (_, rows, verdict) = effort(&request);
        assert_eq!(verdict, Some(TrainingVerdict::StoppedEarly));
        let scores: Vec<f64> = rows.iter().map(|row| row.dev_micro_f1).collect();
        let (before, last) = scores.split_at(scores.len() - 2);
        let best = before.iter().copied().fold(0.0, f64::max);
        assert!(before.last() == Some(&best), "{scores:?}");
        assert!(last.iter().all(|score| *score < best), "{scores:?}");
    }

    #[test]
    fn a_model_that_finds_nothing_never_learned() {
        let (_, rows, verdict) = effort(&with_rate(1e-8));
        assert!(rows.iter().all(|row| row.dev_micro_f1 < 0.01), "{rows:?}");
        assert_eq!(verdict, Some(TrainingVerdict::NeverLearned));
    }

    #[test]
    fn the_loss_of_a_random_field_falls_too() {
        let mut request = with_rate(0.05);
        request.settings.model.head = part(parts::heads::ENTRIES, "crf");
        let losses = losses(&request).unwrap();
        assert!(losses[3] < 0.5 * losses[0], "{losses:?}");
    }

    #[test]
    fn the_loss_of_reading_comprehension_falls_with_every_loss_that_goes_with_it() {
        let entropy = part(loss::ENTRIES, "cross-entropy");
        for kind in ["cross-entropy", "focal", "self-adjusting-dice", "mom"] {
            let mut request = with_rate(0.01);
            let model = &mut request.settings.model;
            model.embeddings = None;
            model.encoder = part(parts::encoders::ENTRIES, "bert");
            for (name, size) in [("width", 16), ("inner", 32), ("layers", 1)] {
                model.encoder.parameters.0.insert(name.into(), ParameterValue::Integer(size));
            }
            model.head = part(parts::heads::ENTRIES, "mrc");
            request.settings.method.loss = part(loss::ENTRIES, kind);
            let losses = losses(&request).unwrap();
            assert!(losses[3] < 0.9 * losses[0], "{kind}: {losses:?}");
            assert!(
                request.settings.method.loss.kind != entropy.kind || losses[3] < 0.5 * losses[0]
            );
        }
    }

    #[test]
    fn decisions_on_types_are_learnt_with_every_loss_that_goes_with_them() {
        for kind in ["cross-entropy", "focal", "self-adjusting-dice", "mom", "pu"] {
            let mut request = with_rate(0.05);
            request.settings.model.head = part(parts::heads::ENTRIES, "binary");
            request.settings.method.loss = part(loss::ENTRIES, kind);
            let masked = ParameterValue::Real(if kind == "pu" { 0.4 } else { 0.0 });
            request.settings.scenario.0.insert("mask_entities".into(), masked);
            request.settings.training.epochs = 20;
            let mut data = prepare(&request).unwrap();
            let trained = train(&request.settings, &mut data, &Device::flex(), |_| ()).unwrap();
            let losses: Vec<f64> = trained.epochs.iter().map(|epoch| epoch.loss).collect();
            assert!(losses[19] < 0.8 * losses[0], "{kind}: {losses:?}");
            assert!(trained.dev.span.micro.f1 > 0.0, "{kind} finds something");
            let priors = trained.observed.keys().filter(|name| name.starts_with("prior_"));
            let expected = if kind == "pu" { data.types.len() } else { 0 };
            assert_eq!(priors.count(), expected, "{kind}");
        }
    }

    #[test]
    fn adding_up_the_gradients_of_parts_is_training_on_the_whole() {
        let mut whole = with_rate(0.05);
        // Sixty sentences in one batch, or in four of fifteen: not the same bits, but the same
        // course.
        whole.settings.training.batch = 60;
        whole.settings.training.order = domain::Order::File;
        let mut parts = whole.clone();
        parts.settings.training.batch = 15;
        parts.settings.training.accumulate = 4;
        let (whole, parts) = (losses(&whole).unwrap(), losses(&parts).unwrap());
        for (a, b) in whole.iter().zip(&parts) {
            assert!((a - b).abs() < 0.1 * a, "{whole:?} {parts:?}");
        }
    }

    #[test]
    fn a_loss_that_is_no_number_ends_the_job_and_is_not_tried_again() {
        let failure = losses(&with_rate(1e38)).unwrap_err();
        assert!(matches!(failure, Failure::Diverged { .. }), "{failure}");
        assert!(!failure.is_retryable());
    }
}
