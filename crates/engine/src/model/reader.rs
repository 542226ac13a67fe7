//! How a model reads sentences: as words of a vocabulary, or as pieces of words; for reading
//! comprehension once for every entity type, behind a question for the entities of that type.

use super::row::Row;
use super::tokenisation::{Carrier, Coverage, Tokeniser, split};
use super::vocabulary::Vocabulary;
use domain::{ModelSettings, Sentence, Tokens, TypeSet};
use parts::Capability;

/// Turns sentences into rows.
#[derive(Debug)]
pub struct Reader {
    pub units: Units,
    /// For heads that ask, what is asked before the sentence, in the order of the types.
    questions: Option<Vec<Tokens>>,
}

/// What sentences are read as.
#[derive(Debug)]
pub enum Units {
    /// Whole words, one row a sentence.
    Words(Vocabulary),
    /// Whole words, for an encoder that reads at most so many at a time.
    Windows { vocabulary: Vocabulary, longest: usize },
    /// Pieces of a checkpoint's vocabulary.
    Pieces(Pieces),
}

/// A checkpoint's vocabulary, and how it is used.
#[derive(Debug)]
pub struct Pieces {
    pub tokeniser: Tokeniser,
    /// Pieces a row, at most.
    pub longest: usize,
    pub carrier: Carrier,
    /// What it made of the words read so far.
    pub coverage: Coverage,
}

impl Units {
    /// A sentence's rows, in order.
    fn read(&mut self, sentence: &Sentence) -> Vec<Row> {
        match self {
            Units::Words(vocabulary) => vec![vocabulary.read(sentence)],
            Units::Windows { vocabulary, longest } => split(vocabulary.read(sentence), *longest),
            Units::Pieces(Pieces { tokeniser, longest, carrier, coverage }) => {
                let (mut rows, seen) = tokeniser.rows([&sentence.tokens], *longest, *carrier);
                coverage.add(seen);
                rows.pop().unwrap_or_default()
            }
        }
    }

    /// A sentence's rows behind a question.
    fn read_after(&mut self, question: usize, asked: &Tokens, sentence: &Sentence) -> Vec<Row> {
        let words = |vocabulary: &Vocabulary| -> Vec<i64> {
            asked.iter().map(|word| vocabulary.row(word)).collect()
        };
        match self {
            Units::Words(vocabulary) => {
                let asked = words(vocabulary);
                vec![vocabulary.read(sentence).after(question, &asked)]
            }
            Units::Windows { vocabulary, longest } => {
                let mut asked = words(vocabulary);
                asked.truncate(*longest / 2);
                let rows = split(vocabulary.read(sentence), *longest - asked.len());
                rows.into_iter().map(|row| row.after(question, &asked)).collect()
            }
            Units::Pieces(Pieces { tokeniser, longest, coverage, .. }) => {
                let (rows, seen) =
                    tokeniser.rows_after(question, asked, &sentence.tokens, *longest);
                // The sentence is the same for every question.
                if question == 0 {
                    coverage.add(seen);
                }
                rows
            }
        }
    }
}

/// What is asked for each type, as words: the question of the settings, or the type's name.
pub fn questions(settings: &ModelSettings, types: &TypeSet) -> Vec<Tokens> {
    let text = |name: &String| {
        let own = settings.queries.get(&parts::heads::mrc::query_name(name)).cloned();
        let text = own.unwrap_or_else(|| name.replace(['-', '_'], " "));
        text.split_whitespace().collect()
    };
    types.names().iter().map(text).collect()
}

impl Reader {
    /// A reader that asks nothing.
    pub fn new(units: Units) -> Self {
        Self { units, questions: None }
    }

    /// A sentence's rows, in order; question after question where some are asked.
    pub fn read(&mut self, sentence: &Sentence) -> Vec<Row> {
        let Self { units, questions } = self;
        let Some(questions) = questions else { return units.read(sentence) };
        let behind = |(question, asked)| units.read_after(question, asked, sentence);
        questions.iter().enumerate().flat_map(behind).collect()
    }

    /// The same reader, asking first where the model's head needs it.
    pub fn for_head(self, settings: &ModelSettings, types: &TypeSet) -> Self {
        let asks = parts::heads::can(&settings.head.kind, Capability::Questions);
        Self { questions: asks.then(|| questions(settings, types)), ..self }
    }

    /// The words that it knows, unless it cuts them into pieces.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        match &self.units {
            Units::Words(vocabulary) | Units::Windows { vocabulary, .. } => Some(vocabulary),
            Units::Pieces(_) => None,
        }
    }

    /// The same, to change it.
    pub fn vocabulary_mut(&mut self) -> Option<&mut Vocabulary> {
        match &mut self.units {
            Units::Words(vocabulary) | Units::Windows { vocabulary, .. } => Some(vocabulary),
            Units::Pieces(_) => None,
        }
    }

    /// The characters of every spelling met so far; empty if the model reads none.
    pub fn characters(&self) -> &[Vec<i64>] {
        self.vocabulary().map_or(&[], Vocabulary::characters)
    }

    /// Different characters; 0 if the model reads none.
    pub fn alphabet(&self) -> usize {
        self.vocabulary().map_or(0, Vocabulary::character_count)
    }

    /// Whether the word of this row is one that may be trained as the unknown word.
    pub fn is_singleton(&self, row: i64) -> bool {
        self.vocabulary().is_some_and(|vocabulary| vocabulary.is_singleton(row))
    }
}
