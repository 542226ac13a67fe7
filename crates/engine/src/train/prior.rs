//! How many of the words without a type's annotation are of it all the same: what learning from
//! positive and unlabelled words has to be told (Peng et al. 2019).
//!
//! The paper takes it from the gold tags of train, which whoever lacks annotations does not have:
//! here that is `oracle`, to be named wherever its scores are. `estimated` reads it off dev, whose
//! annotation is complete.

use super::super::prepare::Prepared;
use domain::{Annotation, Failure, JobSettings, Sentence, Tag};
use method::loss::Loss;
use method::loss::pu::{self, Prior};

/// The share of each type.
pub fn priors(settings: &JobSettings, data: &Prepared) -> Result<Vec<f64>, Failure> {
    if let Some(message) = pu::conflict(&settings.method, &settings.scenario) {
        return Err(Failure::input(message));
    }
    let types = data.types.len();
    let train = || data.train.classes.iter().zip(&data.copies);
    let labelled = Words::count(types, train().map(|(classes, copies)| (tags(classes), *copies)));
    // Dev has no copies, so train is compared with it without.
    let once = Words::count(types, train().map(|(classes, _)| (tags(classes), 1)));
    let Loss::Pu(loss) = Loss::read(&settings.method.loss) else {
        return Ok(vec![0.0; data.types.len()]);
    };
    Ok(match loss.prior() {
        Prior::Stated(prior) => vec![prior; types],
        Prior::Estimated { least } => {
            let dev = data
                .corpus_dev
                .iter()
                .map(|sentence: &Sentence| (sentence.tags.iter().copied(), 1));
            estimated(&Words::count(types, dev), &once, least)
        }
        Prior::Oracle => {
            let masked = data.train.annotations.iter().zip(&data.copies);
            let hidden = Words::count(types, masked.map(|(one, copies)| (hidden(one), *copies)));
            let unlabelled = |place: usize| labelled.all - labelled.of[place];
            (0..types).map(|place| hidden.of[place] / unlabelled(place).max(1.0)).collect()
        }
    })
}

/// What dev has more of each type than train, as a share of the words of train that are not
/// annotated with it.
fn estimated(dev: &Words, train: &Words, least: f64) -> Vec<f64> {
    let share = |words: &Words, place: usize| words.of[place] / words.all.max(1.0);
    let missing = |place: usize| {
        let labelled = share(train, place);
        (share(dev, place) - labelled) / (1.0 - labelled)
    };
    // A share that is no number, where every word is annotated, is the least too.
    (0..dev.of.len()).map(|place| missing(place).max(least)).collect()
}

fn tags(classes: &[usize]) -> impl Iterator<Item = Tag> {
    classes.iter().map(|class| Tag::from_index(*class))
}

/// The words of a sentence's masked entities.
fn hidden(annotation: &Annotation) -> impl Iterator<Item = Tag> {
    let masked = match annotation {
        Annotation::Complete => &[][..],
        Annotation::Incomplete { masked } => masked,
    };
    masked
        .iter()
        .flat_map(|span| std::iter::repeat_n(Tag::Inside(span.entity_type), span.end - span.start))
}

/// How many words there are, and how many of each type.
struct Words {
    all: f64,
    of: Vec<f64>,
}

impl Words {
    /// Of sentences, each so many times.
    fn count<T: Iterator<Item = Tag>>(
        types: usize,
        sentences: impl Iterator<Item = (T, u32)>,
    ) -> Self {
        let mut words = Self { all: 0.0, of: vec![0.0; types] };
        for (tags, copies) in sentences {
            for tag in tags {
                words.all += f64::from(copies);
                if let Some(id) = tag.entity_type() {
                    words.of[usize::from(id.0)] += f64::from(copies);
                }
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepare;
    use crate::testing::{part, request};
    use domain::{EntitySpan, JobRequest, ParameterValue, TypeId};
    use method::loss;

    fn text(value: &str) -> ParameterValue {
        ParameterValue::Text(value.into())
    }

    fn masked(prior: &str) -> JobRequest {
        let mut request = request();
        request.settings.model.head = part(parts::heads::ENTRIES, "binary");
        request.settings.method.loss = part(loss::ENTRIES, "pu");
        request.settings.method.loss.parameters.0.insert("prior".into(), text(prior));
        let scenario = &mut request.settings.scenario.0;
        scenario.insert("mask_entities".into(), ParameterValue::Real(0.6));
        scenario.insert("expert_fraction".into(), ParameterValue::Real(0.25));
        request
    }

    #[test]
    fn what_dev_has_more_than_train_is_missing_there() {
        // Train: ten words twice, two of the first type annotated in each; dev: ten words, five of
        // the first type, one of the second, of which train has none.
        let [a, b] = [TypeId(0), TypeId(1)];
        let [train, mut dev] = [[Tag::Outside; 10]; 2].map(|mut tags| {
            (tags[0], tags[1]) = (Tag::Begin(a), Tag::Inside(a));
            tags
        });
        dev[4..7].fill(Tag::Begin(a));
        dev[9] = Tag::Begin(b);
        let count =
            |tags: [Tag; 10], copies| Words::count(3, [(tags.into_iter(), copies)].into_iter());
        let found = estimated(&count(dev, 1), &count(train, 2), 0.01);
        // (0.5 − 0.2) / 0.8; 0.1 / 1; and the least of a type that neither has.
        for (found, expected) in found.iter().zip([0.375, 0.1, 0.01]) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        let swapped = estimated(&count(train, 1), &count(dev, 1), 0.01);
        assert_eq!(swapped[0], 0.01, "train has more than dev");
    }

    #[test]
    fn an_oracle_counts_what_the_scenario_masked() {
        let masked = masked("oracle");
        let mut whole = masked.clone();
        whole.settings.scenario.0.insert("mask_entities".into(), ParameterValue::Real(0.0));
        whole.settings.scenario.0.insert("expert_fraction".into(), ParameterValue::Real(0.0));
        let [masked_data, whole] = [&masked, &whole].map(|request| prepare(request).unwrap());
        let found = priors(&masked.settings, &masked_data).unwrap();
        let count = |data: &Prepared| {
            Words::count(found.len(), data.train.classes.iter().map(|c| (tags(c), 1)))
        };
        let (gold, labelled) = (count(&whole), count(&masked_data));
        for (place, found) in found.iter().enumerate() {
            let missing = gold.of[place] - labelled.of[place];
            let expected = missing / (labelled.all - labelled.of[place]);
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        assert!(found.iter().any(|prior| *prior > 0.0), "something is masked");
    }

    #[test]
    fn copies_of_a_sentence_count_and_masked_words_are_of_their_type() {
        let span = |start, end, id| EntitySpan { start, end, entity_type: TypeId(id) };
        let one = Annotation::Incomplete { masked: vec![span(0, 3, 1), span(4, 5, 0)] };
        let words = Words::count(2, [(hidden(&one), 2)].into_iter());
        assert_eq!(words.of, [2.0, 6.0]);
        assert_eq!(hidden(&Annotation::Complete).count(), 0);
    }

    #[test]
    fn a_stated_prior_is_that_of_every_type() {
        let request = masked("stated");
        let data = prepare(&request).unwrap();
        let found = priors(&request.settings, &data).unwrap();
        assert!(found.len() > 1 && found.iter().all(|prior| *prior == 0.01), "{found:?}");
    }

    #[test]
    fn there_is_no_oracle_where_nobody_knows() {
        let mut request = masked("oracle");
        let data = prepare(&request).unwrap();
        request.settings.scenario.0.insert("extra_train".into(), text("ds"));
        let failure = priors(&request.settings, &data).unwrap_err().to_string();
        assert!(failure.contains("nobody knows the gold tags of `ds`"), "{failure}");
    }
}
