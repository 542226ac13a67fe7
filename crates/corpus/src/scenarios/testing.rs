//! Small corpora and scenarios for the tests of the conditions.

use domain::{Corpus, ParameterValue, Parameters, Sentence, Tag, TypeSet};

/// A value as a test writes it.
pub struct Given(ParameterValue);

impl From<i64> for Given {
    fn from(value: i64) -> Self {
        Given(ParameterValue::Integer(value))
    }
}

impl From<f64> for Given {
    fn from(value: f64) -> Self {
        Given(ParameterValue::Real(value))
    }
}

impl From<bool> for Given {
    fn from(value: bool) -> Self {
        Given(ParameterValue::Bool(value))
    }
}

impl From<&str> for Given {
    fn from(value: &str) -> Self {
        Given(ParameterValue::Text(value.to_owned()))
    }
}

impl From<&[&str]> for Given {
    fn from(value: &[&str]) -> Self {
        Given(ParameterValue::Names(value.iter().map(|name| name.to_string()).collect()))
    }
}

/// A scenario with one parameter.
pub fn scenario(name: &str, value: impl Into<Given>) -> Parameters {
    Parameters([(name.to_owned(), value.into().0)].into())
}

/// A scenario with several parameters.
pub fn scenarios(values: &[(&str, Given)]) -> Parameters {
    Parameters(values.iter().map(|(name, value)| (name.to_string(), value.0.clone())).collect())
}

/// The same sentences in every split: tags with spaces between, sentences with bars.
pub fn corpus(tags: &str) -> Corpus {
    let names = tags.split([' ', '|']).filter_map(|tag| tag.split_once('-'));
    let types = TypeSet::new(names.map(|(_, name)| name.to_owned()));
    let tag = |text: &str| match text.split_once('-') {
        Some(("B", name)) => Tag::Begin(types.id(name).unwrap()),
        Some((_, name)) => Tag::Inside(types.id(name).unwrap()),
        None => Tag::Outside,
    };
    let sentence = |text: &str| {
        let tags: Vec<Tag> = text.trim().split(' ').map(tag).collect();
        Sentence { tokens: tags.iter().map(|_| "w").collect(), tags }
    };
    let sentences: Vec<Sentence> = tags.split('|').map(sentence).collect();
    let (train, dev, test) = (sentences.clone(), sentences.clone(), sentences);
    Corpus { types, train, dev, test, ..Corpus::default() }
}

/// One-word sentences, `000` and on, in every split.
pub fn numbered(n: usize) -> Corpus {
    let mut corpus = corpus(&vec!["O"; n].join(" | "));
    for split in [&mut corpus.train, &mut corpus.dev, &mut corpus.test] {
        for (index, sentence) in split.iter_mut().enumerate() {
            sentence.tokens = [format!("{index:03}")].into_iter().collect();
        }
    }
    corpus
}

/// The first words of sentences.
pub fn words(sentences: &[Sentence]) -> Vec<String> {
    sentences.iter().map(|sentence| sentence.tokens[0].to_owned()).collect()
}

/// Tags as [`corpus`] reads them.
pub fn shown(corpus: &Corpus, sentences: &[Sentence]) -> String {
    let line = |sentence: &Sentence| {
        let tags = sentence.tags.iter().map(|tag| corpus.types.show(*tag).to_string());
        tags.collect::<Vec<_>>().join(" ")
    };
    sentences.iter().map(line).collect::<Vec<_>>().join(" | ")
}
