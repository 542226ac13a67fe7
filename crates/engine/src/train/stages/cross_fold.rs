//! Tags for words without an annotation from models of other parts of the data (Jie et al. 2019,
//! the weighted partial CRF of li2022, Table 4).
//!
//! The training sentences are cut into parts. In each round a model is trained for each part on the
//! others, and tells the tags of its part: the likeliest sequence that agrees with the annotations
//! (`hard`), or how likely each tag of each word is given them (`soft`). A round ends when all
//! parts are told; the next is trained on what was told. In the first a word without an annotation
//! is `O`. No model ever tells a sentence that it was trained on, annotated words and sentences
//! whose annotation is complete keep their tags, and every model starts afresh.

use super::super::course::Course;
use super::super::objective::{Objective, Soft, Tokens};
use super::super::{Trained, TrainingJob, batchwise, token_loss};
use crate::model::chain::Evidence;
use crate::model::{Row, Tagger};
use crate::predict::in_batches;
use crate::prepare::{Encoded, Prepared};
use crate::random::{Purpose, stream};
use burn::tensor::Device;
use domain::{Epoch, Failure, JobSettings};
use method::unlabelled::{Labels, Possible, WeightedPartial};
use rand::seq::SliceRandom;

/// Trains in rounds, then on everything; only the evaluations of the last training are told.
pub fn train(
    job: &mut TrainingJob<'_>,
    part: &WeightedPartial,
    possible: Possible,
) -> Result<Trained, Failure> {
    let &WeightedPartial { rounds, folds: count, round_epochs, labels, .. } = part;
    let settings = job.settings;
    let folds = folds(job.data.train.rows.len(), count, settings.seed)?;
    let courses = Courses::new(settings, job.data, (rounds, count), round_epochs)?;
    let mut stages = Vec::with_capacity(rounds * count);
    let open = Open::new(&job.data.train, possible);
    let mut told = Told::new(labels, &job.data.train, possible.tags);
    let copies = job.data.copies.clone();
    for round in 1..=rounds {
        let mut next = told.clone();
        for (fold, sentences) in folds.iter().enumerate() {
            eprintln!(
                "round {round} of {rounds}: the model that tells part {} of {count}",
                fold + 1
            );
            job.data.copies = copies.clone();
            sentences.iter().for_each(|&sentence| job.data.copies[sentence] = 0);
            let objective = told.objective(settings, job.data)?;
            let trained =
                batchwise::train(&mut job.heard_by(&mut tell_log), objective, courses.fold)?;
            next.tell(&trained.model, &open, sentences, job.data, job.device);
            stages.push(trained.effort_of_part(&job.data.copies, &copies));
        }
        told = next;
        told.write(&mut job.data.train);
    }
    job.data.copies = copies;
    eprintln!("all parts have tags: the main training");
    let objective = told.objective(settings, job.data)?;
    let mut trained = batchwise::train(job, objective, courses.main)?;
    stages.into_iter().for_each(|effort| trained.add_effort(effort));
    Ok(trained)
}

/// What the trainings of the rounds and the main one take of the job's budget: in the proportion of
/// the sentences that they would visit on their own.
struct Courses {
    fold: Course,
    main: Course,
}

impl Courses {
    fn new(
        settings: &JobSettings,
        data: &Prepared,
        (rounds, folds): (usize, usize),
        round_epochs: usize,
    ) -> Result<Self, Failure> {
        let whole = Course::new(&settings.training, data);
        whole.check_stages(rounds * folds + 1)?;
        let main = settings.training.epochs as f64;
        let fold = round_epochs as f64 * (folds - 1) as f64 / folds as f64;
        let all = main + (rounds * folds) as f64 * fold;
        let fold = whole.part(fold / all, round_epochs);
        Ok(Self { fold, main: whole.rest(fold, rounds * folds, settings.training.epochs) })
    }
}

fn tell_log(epoch: &Epoch) {
    eprintln!("  epoch {} loss {:.5} dev F1 {:.4}", epoch.epoch, epoch.loss, epoch.dev_micro_f1);
}

/// The sentences of each part: a random cut, sizes alike.
fn folds(sentences: usize, count: usize, seed: u64) -> Result<Vec<Vec<usize>>, Failure> {
    if sentences < count {
        let message = format!("{sentences} training sentences cannot be cut into {count} folds");
        return Err(Failure::input(message));
    }
    let mut order: Vec<usize> = (0..sentences).collect();
    order.shuffle(&mut stream(seed, Purpose::Folds));
    let mut folds = vec![Vec::new(); count];
    order.into_iter().enumerate().for_each(|(place, sentence)| folds[place % count].push(sentence));
    Ok(folds)
}

/// What annotations leave open: of each sentence that may lack some.
struct Open(Vec<Option<Vec<bool>>>);

impl Open {
    fn new(train: &Encoded, possible: Possible) -> Self {
        let of = |(i, classes): (usize, &Vec<usize>)| {
            train.is_incomplete(i).then(|| possible.of(classes, false))
        };
        Self(train.classes.iter().enumerate().map(of).collect())
    }
}

/// The tags that were told, or that annotations have.
#[derive(Clone)]
enum Told {
    /// The class of each word.
    Hard(Vec<Vec<usize>>),
    /// How likely each is, words × tags.
    Soft(Vec<Vec<f32>>),
}

impl Told {
    /// What annotations have, `O` elsewhere.
    fn new(labels: Labels, train: &Encoded, tags: usize) -> Self {
        match labels {
            Labels::Soft => {
                let certain = |classes: &Vec<usize>| {
                    classes
                        .iter()
                        .flat_map(|&class| {
                            (0..tags).map(move |tag| f32::from(u8::from(tag == class)))
                        })
                        .collect()
                };
                Told::Soft(train.classes.iter().map(certain).collect())
            }
            Labels::Hard => Told::Hard(train.classes.clone()),
        }
    }

    /// What a model is to learn.
    fn objective(
        &self,
        settings: &JobSettings,
        data: &Prepared,
    ) -> Result<Box<dyn Objective>, Failure> {
        Ok(match self {
            Told::Hard(_) => Box::new(Tokens(token_loss(settings, &data.class_counts())?)),
            Told::Soft(weights) => Box::new(Soft(weights.clone())),
        })
    }

    /// Puts a model's word for the tags of those sentences that leave some open.
    fn tell(
        &mut self,
        model: &Tagger,
        open: &Open,
        sentences: &[usize],
        data: &Prepared,
        device: &Device,
    ) {
        let sentences: Vec<usize> =
            sentences.iter().copied().filter(|&sentence| open.0[sentence].is_some()).collect();
        let rows: Vec<&[Row]> = sentences.iter().map(|&i| data.train.rows[i].as_slice()).collect();
        let field = model.field().expect("the head is a random field");
        in_batches(&rows, data.material.reader.characters(), device, |places, batch| {
            let lengths = batch.sentences.as_slice();
            let batched = places.iter().map(|&place| sentences[place]);
            let possible: Vec<bool> =
                batched.clone().flat_map(|i| open.0[i].iter().flatten().copied()).collect();
            let (logits, known) = (model.logits(&batch), Evidence::Allowed(&possible));
            match self {
                Told::Hard(classes) => {
                    let found = field.best(logits, lengths, known);
                    put(classes, batched, found);
                }
                Told::Soft(weights) => {
                    let found = field.marginals(logits, lengths, known);
                    put(weights, batched, found);
                }
            }
        });
    }

    /// Writes tags down as those of the training sentences.
    fn write(&self, train: &mut Encoded) {
        if let Told::Hard(classes) = self {
            train.classes.clone_from(classes);
        }
    }
}

/// Puts what was found of some sentences, one after the other, in the place of what was there.
fn put<T>(there: &mut [Vec<T>], sentences: impl Iterator<Item = usize>, found: Vec<T>) {
    let mut found = found.into_iter();
    for sentence in sentences {
        let length = there[sentence].len();
        there[sentence] = found.by_ref().take(length).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::folds;

    #[test]
    fn every_sentence_is_in_one_part() {
        let cut = folds(11, 3, 1).unwrap();
        assert_eq!(cut.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 3]);
        let mut all = cut.concat();
        assert_ne!(all, (0..11).collect::<Vec<_>>(), "at random");
        all.sort_unstable();
        assert_eq!(all, (0..11).collect::<Vec<_>>());
        assert_eq!(cut, folds(11, 3, 1).unwrap());
        assert_ne!(cut, folds(11, 3, 2).unwrap());
    }
}
