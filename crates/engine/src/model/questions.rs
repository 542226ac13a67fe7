//! Reading comprehension: each sentence is read once for every entity type, behind a question for
//! the entities of that type.

use super::reader::Reader;
use super::row::Row;
use domain::{ModelSettings, Sentence, Tokens, TypeSet};

/// A reader that asks before it reads.
#[derive(Debug)]
pub struct Questions {
    /// In the order of the types.
    asked: Vec<Tokens>,
    pub of: Box<Reader>,
}

impl Questions {
    /// One question a type: that of the settings, or the type's name.
    pub fn new(settings: &ModelSettings, types: &TypeSet, of: Reader) -> Self {
        Self { asked: texts(settings, types), of: Box::new(of) }
    }

    /// The rows of a sentence, question after question.
    pub fn read(&mut self, sentence: &Sentence) -> Vec<Row> {
        let Self { asked, of } = self;
        let rows = asked.iter().enumerate();
        rows.flat_map(|(question, text)| of.read_after(question, text, sentence)).collect()
    }
}

/// What is asked for each type, as words.
pub fn texts(settings: &ModelSettings, types: &TypeSet) -> Vec<Tokens> {
    let text = |name: &String| {
        let own = settings.queries.get(&parts::heads::mrc::query_name(name)).cloned();
        let text = own.unwrap_or_else(|| name.replace(['-', '_'], " "));
        text.split_whitespace().collect()
    };
    types.names().iter().map(text).collect()
}

impl Reader {
    /// A sentence's rows behind a question.
    fn read_after(&mut self, question: usize, asked: &Tokens, sentence: &Sentence) -> Vec<Row> {
        match self {
            Reader::Pieces(pieces) => pieces.read_after(question, asked, sentence),
            Reader::Windows { vocabulary, longest } => {
                let longest = *longest;
                let mut asked: Vec<i64> = asked.iter().map(|word| vocabulary.row(word)).collect();
                asked.truncate(longest / 2);
                let rows =
                    super::tokenisation::split(vocabulary.read(sentence), longest - asked.len());
                rows.into_iter().map(|row| row.after(question, &asked)).collect()
            }
            Reader::Words(vocabulary) => {
                let asked: Vec<i64> = asked.iter().map(|word| vocabulary.row(word)).collect();
                vec![vocabulary.read(sentence).after(question, &asked)]
            }
            // Nobody asks twice.
            Reader::Questions(questions) => questions.read(sentence),
        }
    }
}
