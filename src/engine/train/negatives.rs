//! Training with chosen negatives: drawn as training goes, or fixed by what a model says that was trained before on the
//! other half of the sentences (li2022, Table 2).

use super::objective::spans::{Scorer, Source, Spans, missing};
use super::{Trained, batchwise, token_loss};
use crate::domain::{Epoch, Failure, JobSettings, Part, Span};
use crate::engine::batches::{self, Size};
use crate::engine::predict::length;
use crate::engine::prepare::Prepared;
use crate::engine::random::{Purpose, stream};
use crate::method::negatives::{Number, Way, Which, uncertainty};
use crate::model::heads::annotated;
use crate::model::{Batch, Row, Tagger, heads};
use burn::tensor::Device;
use rand::seq::SliceRandom;

/// What is ranked at a time.
const BATCH: Size = Size { sentences: 64, places: 8192 };

/// Trains the job's model with the negatives that its method names.
pub fn train(
    settings: &JobSettings,
    data: &mut Prepared,
    part: &Part,
    device: &Device,
    tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let input = |message: String| Failure::Input { message };
    if !heads::is_over_spans(&settings.model.head.kind) {
        let head = &settings.model.head.kind;
        return Err(input(format!("negatives need a head over spans, and `{head}` is none")));
    }
    let way = Way::new(part, 1 + data.types.len())
        .ok_or_else(|| input(format!("this engine has no negatives `{}`", part.kind)))?;
    let source = match way {
        Way::Uniform => Source::Uniform,
        Way::Weighted { weighting, evaluates } => Source::Weighted { weighting, evaluates },
        Way::ByUncertainty(which) => {
            return after_oracle(settings, data, part, which, device, tell);
        }
    };
    batchwise::train(settings, data, objective(settings, data, part, source)?, device, tell)
}

fn objective(
    settings: &JobSettings,
    data: &Prepared,
    part: &Part,
    source: Source,
) -> Result<Box<Spans>, Failure> {
    let loss = token_loss(settings, &data.class_counts())?;
    let course = (settings.seed, settings.training.epochs);
    Ok(Box::new(Spans::new(loss, source, Number::new(part), course)))
}

/// Trains a model on one half of the sentences with uniform negatives, then the job's model on the other half with those
/// that the first one is so sure, or so unsure, of.
fn after_oracle(
    settings: &JobSettings,
    data: &mut Prepared,
    part: &Part,
    which: Which,
    device: &Device,
    tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let input = |message: &str| Failure::Input { message: message.to_owned() };
    if data.is_renewed() {
        return Err(input(
            "`by-uncertainty` chooses its negatives once, so sentences that are made anew \
            in every epoch have none: take `regenerate: once`",
        ));
    }
    let copies = data.copies.clone();
    let [first, second] = halves(copies.len(), settings.seed);
    if [&first, &second].iter().any(|half| half.iter().all(|&i| copies[i] == 0)) {
        return Err(input("`by-uncertainty` needs training sentences for two halves"));
    }
    let restricted = |half: &[usize]| {
        let mut restricted = vec![0; copies.len()];
        half.iter().for_each(|&i| restricted[i] = copies[i]);
        restricted
    };
    data.copies = restricted(&first);
    let uniform = objective(settings, data, part, Source::Uniform)?;
    let oracle = batchwise::train(settings, data, uniform, device, |_| ())?;
    data.copies = restricted(&second);
    let chosen = chosen(&oracle.model, data, &second, (which, Number::new(part)), device);
    let fixed = objective(settings, data, part, Source::Fixed(chosen))?;
    let mut trained = batchwise::train(settings, data, fixed, device, tell)?;
    data.copies = copies;
    let score = oracle.dev.span.micro.f1;
    trained.observed.insert("oracle_dev_micro_f1".to_owned(), score);
    Ok(trained)
}

/// The numbers below `count` in two halves, drawn by the seed; the second is not the smaller one.
fn halves(count: usize, seed: u64) -> [Vec<usize>; 2] {
    let mut all: Vec<usize> = (0..count).collect();
    all.shuffle(&mut stream(seed, Purpose::Halves));
    let second = all.split_off(count / 2);
    [all, second]
}

/// The negatives of each training sentence, empty for those that are not of the half.
fn chosen(
    oracle: &Tagger,
    data: &Prepared,
    half: &[usize],
    (which, number): (Which, Number),
    device: &Device,
) -> Vec<Vec<Span>> {
    let train = &data.train;
    let mut chosen = vec![Vec::new(); train.rows.len()];
    let lengths: Vec<usize> = half.iter().map(|&i| length(&train.rows[i])).collect();
    for places in batches::by_length(&lengths, BATCH) {
        let sentences: Vec<usize> = places.into_iter().map(|place| half[place]).collect();
        let rows: Vec<&[Row]> = sentences.iter().map(|&i| train.rows[i].as_slice()).collect();
        let batch = Batch::new(&rows, data.material.reader.characters(), device);
        let candidates: Vec<Vec<Span>> = sentences.iter().map(|&i| candidates(data, i)).collect();
        let scorer = Scorer::new(oracle.head().clone(), oracle.states(&batch), &batch.sentences);
        let mut entropies = Vec::new();
        scorer.probabilities(&scorer.places(&candidates), |z| entropies.push(uncertainty(z)));
        let mut entropies = entropies.into_iter();
        for (&sentence, candidates) in sentences.iter().zip(candidates) {
            let ranked = entropies.by_ref().zip(candidates).collect();
            chosen[sentence] = which.choose(ranked, number.of(train.classes[sentence].len()));
        }
    }
    chosen
}

/// The spans of a training sentence that are neither annotated nor an entity whose annotation was masked.
fn candidates(data: &Prepared, sentence: usize) -> Vec<Span> {
    let gold = &data.train.classes[sentence];
    let entities: Vec<Span> = annotated(gold).map(|(span, _)| span).collect();
    let missing = missing(&data.train, sentence);
    let free = |span: &Span| !entities.contains(span) && !missing.contains(span);
    Span::all(gold.len()).filter(free).collect()
}

#[cfg(test)]
#[path = "negatives/tests.rs"]
mod tests;
