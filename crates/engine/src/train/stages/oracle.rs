//! Negatives that are fixed by what a model says which was trained before, on the other half of the
//! sentences (li2022, Table 2).

use crate::batches::{self, Size};
use crate::model::heads::annotated;
use crate::model::{Batch, Row, Tagger};
use crate::predict::length;
use crate::prepare::Prepared;
use crate::random::{Purpose, stream};
use crate::train::course::Course;
use crate::train::negatives::objective;
use crate::train::objective::spans::{NegativesSource, by_probabilities, missing};
use crate::train::{Trained, TrainingJob, batchwise};
use burn::tensor::Device;
use domain::{Failure, Part, Span};
use method::negatives::{Number, Which, uncertainty};
use rand::seq::SliceRandom;

/// What is ranked at a time.
const BATCH: Size = Size { sentences: 64, places: 8192 };

/// Trains a model on one half of the sentences with uniform negatives, then the job's model on the
/// other half with those that the first one is so sure, or so unsure, of.
pub fn train(job: &mut TrainingJob<'_>, part: &Part, which: Which) -> Result<Trained, Failure> {
    let settings = job.settings;
    let copies = job.data.copies.clone();
    let [first, second] = halves(copies.len(), settings.seed);
    if [&first, &second].iter().any(|half| half.iter().all(|&i| copies[i] == 0)) {
        return Err(Failure::input("`by-uncertainty` needs training sentences for two halves"));
    }
    let restricted = |half: &[usize]| {
        let mut restricted = vec![0; copies.len()];
        half.iter().for_each(|&i| restricted[i] = copies[i]);
        restricted
    };
    eprintln!(
        "first a model on {} sentences, which ranks the negatives of the others",
        first.len()
    );
    job.data.copies = restricted(&first);
    let source = NegativesSource::Uniform { excludes_masked: false };
    let uniform = Box::new(objective(settings, job.data, part, source)?);
    let whole = Course::new(&settings.training, job.data);
    whole.check_stages(2)?;
    let half = whole.part(0.5, settings.training.epochs);
    let oracle = batchwise::train(&mut job.heard_by(&mut |_| ()), uniform, half)?;
    let of_oracle = oracle.effort_of_part(&job.data.copies, &copies);
    job.data.copies = restricted(&second);
    let chosen = chosen(&oracle.model, job.data, &second, (which, Number::new(part)), job.device);
    let fixed = objective(settings, job.data, part, NegativesSource::Fixed(chosen))?;
    eprintln!("ranked: the main training on {} sentences", second.len());
    let rest = whole.rest(half, 1, settings.training.epochs);
    let mut trained = batchwise::train(job, Box::new(fixed), rest)?;
    let data = &mut *job.data;
    trained.effort = trained.effort_of_part(&data.copies, &copies);
    trained.add_effort(of_oracle);
    let lengths = data.train.classes.iter().map(|classes| classes.len() as u64);
    let tokens = lengths.zip(&data.copies).map(|(words, &copies)| words * u64::from(copies)).sum();
    let sentences = data.copies.iter().map(|&copies| u64::from(copies)).sum();
    // What the model learnt from; the other half only ranked.
    data.size = data.size.of_part(sentences, tokens);
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
        let (head, states) = (oracle.head(), oracle.states(&batch));
        let entropies = by_probabilities(head, states, &batch.sentences, &candidates, uncertainty);
        for ((sentence, spans), entropies) in sentences.into_iter().zip(candidates).zip(entropies) {
            let wanted = number.of(train.classes[sentence].len());
            chosen[sentence] = which.choose(entropies.into_iter().zip(spans).collect(), wanted);
        }
    }
    chosen
}

/// The spans of a training sentence that are neither annotated nor an entity whose annotation was
/// masked.
fn candidates(data: &Prepared, sentence: usize) -> Vec<Span> {
    let gold = &data.train.classes[sentence];
    let entities: Vec<Span> = annotated(gold).map(|(span, _)| span).collect();
    let missing = missing(&data.train, sentence);
    let free = |span: &Span| !entities.contains(span) && !missing.contains(span);
    Span::all(gold.len()).filter(free).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepare;
    use crate::testing::request;
    use domain::{Annotation, ParameterValue};

    #[test]
    fn each_half_has_its_sentences_and_masked_entities_are_no_candidates() {
        let [first, second] = halves(61, 4);
        assert_eq!((first.len(), second.len()), (30, 31));
        let mut both = [first.clone(), second].concat();
        both.sort_unstable();
        assert_eq!(both, (0..61).collect::<Vec<_>>());
        assert_ne!(first, halves(61, 5)[0]);
        let mut request = request();
        let masked = ParameterValue::Real(0.5);
        request.settings.scenario.0.insert("mask_entities".into(), masked);
        let data = prepare(&request).unwrap();
        let masked = |annotation: &Annotation| match annotation {
            Annotation::Incomplete { masked } => masked.len(),
            Annotation::Complete => 0,
        };
        let sentence = data.train.annotations.iter().position(|one| masked(one) > 0).unwrap();
        let gold = &data.train.classes[sentence];
        let entities = annotated(gold).count() + masked(&data.train.annotations[sentence]);
        assert_eq!(candidates(&data, sentence).len(), Span::count(gold.len()) - entities);
    }
}
