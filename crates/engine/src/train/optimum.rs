//! Shallow models on vectors that do not change: trained over the whole data until L-BFGS
//! converges, the method's copies of a sentence as its weight.

use super::batchwise::look;
use super::{Trained, TrainingJob};
use crate::full_batch::{Fit, Objective, fit};
use crate::lbfgs::{self, Stop};
use crate::model::Tagger;
use crate::model::shallow::{Kept, Matrix, Sentences};
use crate::prepare::Prepared;
use burn::module::Module;
use burn::tensor::Device;
use domain::{Epoch, Failure, JobSettings, Optimiser, TrainingVerdict};
use method::loss::TokenLoss;
use parts::Capability;
use parts::heads::Head;
use std::collections::BTreeMap;
use std::time::Instant;

/// How many iterations lie between two lines of the log.
const TELL_EVERY: usize = 10;

/// Whether a job is trained this way: asked for, or the model is one that can be and nobody asked
/// for another way.
pub fn is_wanted(settings: &JobSettings, loss: &dyn TokenLoss) -> bool {
    let model = &settings.model;
    let suits = || match Head::read(&model.head) {
        Head::Crf(_) => true,
        Head::Softmax(_) => loss.point().is_some(),
        _ => false,
    };
    match settings.training.optimiser {
        Optimiser::Lbfgs => true,
        Optimiser::Auto => parts::are_frozen_vectors(model) && suits(),
        Optimiser::Adam | Optimiser::AdamW | Optimiser::Pesg => false,
    }
}

/// Refuses a head that cannot be trained this way where it was asked for.
pub fn check(settings: &JobSettings) -> Result<(), Failure> {
    let head = &settings.model.head.kind;
    if settings.training.optimiser != Optimiser::Lbfgs
        || parts::heads::can(head, Capability::FullBatch)
    {
        return Ok(());
    }
    Err(Failure::input("`optimiser: lbfgs` needs the head `softmax` or `crf`"))
}

/// Trains the job's model, which is one epoch for those who hear of it.
pub fn train(job: &mut TrainingJob<'_>, loss: &dyn TokenLoss) -> Result<Trained, Failure> {
    let TrainingJob { settings, data, device, tell } = job;
    let start = Instant::now();
    let penalty = settings.training.penalty.strength(data.size.token_factor);
    let tokens = data.size.tokens.max(1) as f64;
    let fit = best(settings, data, loss, penalty, device)?;
    let tags = data.types.tag_count();
    let model = Tagger::new(&settings.model, &data.material, tags, device)
        .map_err(Failure::input)?
        .with_solution(&fit.solution, device);
    let whole = Epoch {
        epoch: 1,
        updates: 0,
        loss: fit.objective / tokens,
        dev_micro_f1: 0.0,
        dev_macro_f1: 0.0,
        added: BTreeMap::new(),
        seconds: start.elapsed().as_secs_f64(),
    };
    let (whole, dev) = look(settings, data, &model, device, whole)?;
    tell(&whole);
    let parameters = model.num_params();
    let observed = observed(&fit, penalty);
    let verdict = (dev.span.micro.support > 0).then(|| match fit.converged() {
        _ if dev.span.micro.f1 < TrainingVerdict::LEARNED => TrainingVerdict::NeverLearned,
        true => TrainingVerdict::Converged,
        false => TrainingVerdict::StillImproving,
    });
    let (epochs, effort) = (vec![whole], None);
    Ok(Trained { model, best_epoch: 1, epochs, dev, effort, verdict, parameters, observed })
}

/// What is best on the training data.
fn best(
    settings: &JobSettings,
    data: &Prepared,
    loss: &dyn TokenLoss,
    penalty: f64,
    device: &Device,
) -> Result<Fit, Failure> {
    let vectors = data.material.vectors.as_ref().ok_or_else(|| {
        Failure::input(
            "`optimiser: lbfgs` needs the encoder `shallow` on frozen, pretrained embeddings",
        )
    })?;
    let numbers: Vec<f32> = vectors.iter::<f32>().collect();
    let features = Matrix::new(&numbers, vectors.shape()[1], device);
    let (objective, stopping) = match Head::read(&settings.model.head) {
        Head::Crf(_) => {
            (Objective::Crf { c2: penalty, kept: Kept::AsCrfsuite }, lbfgs::Settings::CRFSUITE)
        }
        _ => {
            let loss = loss.point().ok_or_else(|| {
                Failure::input("`optimiser: lbfgs` needs a loss that is a sum over tokens")
            })?;
            (Objective::Softmax { loss, c: 1.0 / penalty }, lbfgs::Settings::SCIKIT_LEARN)
        }
    };
    let tokens = data.size.tokens.max(1) as f64;
    let fit = fit(&features, &sentences(data), objective, &stopping, |iteration, value| {
        if iteration % TELL_EVERY == 0 {
            eprintln!("iteration {iteration} loss {:.5}", value / tokens);
        }
        true
    });
    match fit.stop {
        Stop::NotANumber => Err(Failure::Diverged { epoch: 1, loss: fit.objective.to_string() }),
        _ => Ok(fit),
    }
}

/// The training sentences as rows of the embedding table, with their copies.
fn sentences(data: &Prepared) -> Sentences {
    let mut sentences = Sentences::default();
    let train = data.train.rows.iter().zip(&data.train.classes).zip(&data.copies);
    for ((rows, classes), copies) in train {
        let ids = rows.iter().flat_map(|row| &row.ids);
        let tokens = ids.zip(classes).map(|(id, class)| (*id as u32, *class as u32)).collect();
        sentences.push(tokens, *copies);
    }
    sentences
}

fn observed(fit: &Fit, penalty: f64) -> BTreeMap<String, f64> {
    let numbers = [
        ("iterations", fit.iterations as f64),
        ("objective", fit.objective),
        ("largest_gradient", fit.slope),
        ("penalty", penalty),
        ("converged", f64::from(fit.converged())),
    ];
    numbers.map(|(name, value)| (name.to_owned(), value)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepare;
    use crate::testing::{part, request};
    use domain::{JobRequest, ParameterValue, Penalty};
    use method::loss::{self, Question};

    /// Weights go by class, and shallow models leave out the classes that training lacks: a token's
    /// weight is that of its own class all the same.
    #[test]
    fn weights_of_classes_survive_a_class_that_training_lacks() {
        let mut request = request();
        let keep = ParameterValue::Names(vec!["LOC".into(), "PER".into()]);
        request.settings.scenario.0.insert("keep_types".into(), keep);
        let data = prepare(&request);
        let counts = data.map_or(vec![50, 4, 0, 9], |data| data.class_counts());
        let observed: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
        let wce = part(loss::ENTRIES, "wce-1");
        let [all, closed] = [&counts, &observed]
            .map(|counts| loss::build(&wce, Question::Class { counts }).unwrap());
        let places = (0..counts.len()).filter(|class| counts[*class] > 0);
        for (place, class) in places.enumerate() {
            let value = |loss: &dyn TokenLoss, classes: usize, gold: usize| {
                let mut gradient = vec![0.0; classes];
                let point = loss.point().unwrap();
                point.value_and_gradient(&vec![0.0; classes], gold, &mut gradient)
                    / (classes as f64).ln()
            };
            let [one, other] =
                [value(&*all, counts.len(), class), value(&*closed, observed.len(), place)];
            assert!((one - other).abs() < 1e-12, "{class}: {one} {other}");
        }
    }

    /// The small corpus with a vector for each of its words.
    fn on_vectors(head: &str, folder: &std::path::Path) -> JobRequest {
        let mut request = request();
        let file = folder.join("vectors.txt");
        let words = prepare(&request).unwrap();
        let words = [&words.corpus_dev, &words.corpus_test].into_iter().flatten();
        let mut words: Vec<String> =
            words.flat_map(|sentence| sentence.tokens.iter().map(str::to_owned)).collect();
        words.sort_unstable();
        words.dedup();
        let line = |(row, word): (usize, &String)| {
            let numbers = (1..=8).map(|place| (row * place * 37 % 101) as f64 / 50.0 - 1.0);
            let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
            format!("{word} {}\n", numbers.join(" "))
        };
        let lines: String = words.iter().enumerate().map(line).collect();
        std::fs::write(&file, lines).unwrap();
        let model = &mut request.settings.model;
        model.embeddings = Some(part(parts::embeddings::ENTRIES, "pretrained"));
        model.head = part(parts::heads::ENTRIES, head);
        let digest = corpus::digest_file(&file).unwrap();
        model.digests.insert("embeddings".into(), digest);
        request.model_files.insert("embeddings".into(), file);
        request
    }

    #[test]
    fn a_penalty_per_token_makes_copies_of_everything_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for head in ["softmax", "crf"] {
            let mut request = on_vectors(head, folder.path());
            let mut objective = |penalty: Penalty, copies: u32| {
                request.settings.training.penalty = penalty;
                let mut data = prepare(&request).unwrap();
                data.copies.iter_mut().for_each(|own| *own *= copies);
                data.size.token_factor *= f64::from(copies);
                let loss = loss::cross_entropy();
                let (settings, device) = (&request.settings, &Device::flex());
                let mut job = TrainingJob { settings, data: &mut data, device, tell: &mut |_| () };
                let trained = train(&mut job, &*loss).unwrap();
                assert_eq!(trained.observed["converged"], 1.0);
                trained.observed["objective"] / f64::from(copies)
            };
            let once = objective(Penalty::PER_TOKEN, 1);
            assert_eq!(once, objective(Penalty::Strength(1.0), 1), "{head}");
            let matched = objective(Penalty::PER_TOKEN, 5);
            assert!((matched / once - 1.0).abs() < 1e-3, "{head}: {matched} {once}");
            let weakened = objective(Penalty::Strength(1.0), 5);
            assert!(weakened < 0.99 * once, "{head}: {weakened} {once}");
        }
    }

    #[test]
    fn the_penalty_of_a_job_is_scaled_by_its_token_factor() {
        let folder = tempfile::tempdir().unwrap();
        let mut request = on_vectors("softmax", folder.path());
        request.settings.training.penalty = Penalty::PER_TOKEN;
        request.settings.method.resample = Some(part(method::resample::ENTRIES, "scr"));
        let mut data = prepare(&request).unwrap();
        let trained = crate::train::train(&request.settings, &mut data, &Device::flex(), |_| ());
        let observed = trained.unwrap().observed;
        assert!(data.size.token_factor > 1.5);
        assert_eq!(observed["penalty"], data.size.token_factor);
        assert!(observed["largest_gradient"] <= 1e-4 && observed["iterations"] > 1.0);
    }
}
