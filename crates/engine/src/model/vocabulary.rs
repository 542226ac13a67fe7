//! Words, their rows in an embedding table, and their characters.

use super::row::Row;
use domain::Sentence;
use std::collections::{BTreeMap, HashMap};

/// The words that a model knows. Row 0 is padding, row 1 every unknown word.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    rows: HashMap<String, i64>,
    /// By row: whether the word was seen just once and shall now and then be trained as unknown.
    singletons: Vec<bool>,
    /// The row of words of nothing but digits, if they are one word.
    number: Option<i64>,
    spellings: Option<SpellingTable>,
}

/// The spellings of all words that were met, and the characters of each.
#[derive(Clone, Debug, Default)]
struct SpellingTable {
    known: HashMap<String, u32>,
    characters: Vec<Vec<i64>>,
    alphabet: HashMap<char, i64>,
}

impl Vocabulary {
    /// The row of padding.
    pub const PADDING: i64 = 0;
    /// The row of unknown words.
    pub const UNKNOWN: i64 = 1;
    /// The words of the training sentences, in order of first appearance. Those seen once are now
    /// and then trained as the unknown word, which gives its row a meaning.
    pub fn of_training(sentences: &[Sentence]) -> Self {
        let mut vocabulary = Self { singletons: vec![false, false], ..Self::default() };
        for token in sentences.iter().flat_map(|sentence| sentence.tokens.iter()) {
            match vocabulary.rows.get(token) {
                Some(&row) => vocabulary.singletons[row as usize] = false,
                None => vocabulary.push(token.to_owned(), true),
            }
        }
        vocabulary
    }

    /// Words with their rows of a table of so many; `number` is the row of words of nothing but
    /// digits, if those are one word.
    pub fn with_rows(
        words: impl IntoIterator<Item = (String, i64)>,
        rows: usize,
        number: Option<i64>,
    ) -> Self {
        let (rows, singletons) = (words.into_iter().collect(), vec![false; rows]);
        Self { rows, singletons, number, spellings: None }
    }

    /// Learns further words, none of which is trained as the unknown word.
    pub fn know<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        for word in words {
            match self.rows.get(word) {
                Some(&row) => self.singletons[row as usize] = false,
                None => self.push(word.to_owned(), false),
            }
        }
    }

    fn push(&mut self, word: String, singleton: bool) {
        self.rows.insert(word, self.singletons.len() as i64);
        self.singletons.push(singleton);
    }

    /// The row of a word: as written, else in lower case, else the unknown word's.
    pub fn row(&self, token: &str) -> i64 {
        let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(row) = self.number.filter(|_| digits) {
            return row;
        }
        let found = self.rows.get(token).or_else(|| self.rows.get(&token.to_lowercase()));
        found.copied().unwrap_or(Self::UNKNOWN)
    }

    /// Whether the word of this row was seen once.
    pub fn is_singleton(&self, row: i64) -> bool {
        self.singletons.get(row as usize).copied().unwrap_or(false)
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.singletons.len()
    }

    /// The words with their rows, in the order of the words.
    pub fn words(&self) -> BTreeMap<&str, i64> {
        self.rows.iter().map(|(word, row)| (word.as_str(), *row)).collect()
    }

    /// The row of words of nothing but digits, if they are one word.
    pub fn number(&self) -> Option<i64> {
        self.number
    }

    /// Learns the alphabet of these sentences: from here on, rows have spellings.
    pub fn read_characters(&mut self, sentences: &[Sentence]) {
        let tokens = sentences.iter().flat_map(|sentence| sentence.tokens.iter());
        self.spell(tokens.flat_map(str::chars));
    }

    /// The same with an alphabet that is known.
    pub fn spell(&mut self, alphabet: impl IntoIterator<Item = char>) {
        let mut table = SpellingTable::default();
        for character in alphabet {
            let next = table.alphabet.len() as i64 + 2;
            table.alphabet.entry(character).or_insert(next);
        }
        self.spellings = Some(table);
    }

    /// The known characters in the order of their numbers, without padding and unknown.
    pub fn alphabet(&self) -> Option<Vec<char>> {
        let table = self.spellings.as_ref()?;
        let mut characters: Vec<_> = table.alphabet.iter().collect();
        characters.sort_unstable_by_key(|(_, number)| **number);
        Some(characters.into_iter().map(|(character, _)| *character).collect())
    }

    /// Different characters, with padding and the unknown one; 0 if nobody reads them.
    pub fn character_count(&self) -> usize {
        self.spellings.as_ref().map_or(0, |table| table.alphabet.len() + 2)
    }

    /// The characters of every spelling met so far; empty if nobody reads them.
    pub fn characters(&self) -> &[Vec<i64>] {
        self.spellings.as_ref().map_or(&[], |table| &table.characters)
    }

    /// A sentence as one row.
    pub fn read(&mut self, sentence: &Sentence) -> Row {
        let mut row = Row::of_words(sentence.tokens.iter().map(|token| self.row(token)).collect());
        if let Some(table) = &mut self.spellings {
            row.spellings = sentence.tokens.iter().map(|token| table.number(token)).collect();
        }
        row
    }
}

impl SpellingTable {
    /// The number of a spelling, which is then known.
    fn number(&mut self, token: &str) -> u32 {
        if let Some(number) = self.known.get(token) {
            return *number;
        }
        let number = |character| self.alphabet.get(&character).copied();
        let characters =
            token.chars().take(LONGEST_SPELLING).map(|c| number(c).unwrap_or(Vocabulary::UNKNOWN));
        self.characters.push(characters.collect());
        let index = self.characters.len() as u32 - 1;
        self.known.insert(token.to_owned(), index);
        index
    }
}

/// Characters of a token that are read at most: an address of a thousand tells no more than its
/// start.
const LONGEST_SPELLING: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(tokens: &[&str]) -> Sentence {
        Sentence { tokens: tokens.iter().copied().collect(), tags: vec![] }
    }

    #[test]
    fn words_are_found_as_written_then_in_lower_case() {
        let vocabulary = Vocabulary::of_training(&[sentence(&["the", "The", "cat", "cat"])]);
        assert_eq!(vocabulary.rows(), 5);
        assert_eq!(vocabulary.row("The"), 3);
        assert_eq!(vocabulary.row("CAT"), 4);
        assert_eq!(vocabulary.row("dog"), Vocabulary::UNKNOWN);
        assert!(vocabulary.is_singleton(2) && !vocabulary.is_singleton(4));
        assert_eq!(vocabulary.words(), [("The", 3), ("cat", 4), ("the", 2)].into());
    }

    #[test]
    fn numbers_are_one_word_where_that_is_asked_for() {
        let words = || [("the".to_owned(), 2), ("12".to_owned(), 3)];
        let apart = Vocabulary::with_rows(words(), 5, None);
        assert_eq!((apart.row("12"), apart.row("13")), (3, Vocabulary::UNKNOWN));
        let joined = Vocabulary::with_rows(words(), 5, Some(4));
        assert_eq!((joined.row("12"), joined.row("13"), joined.row("1a")), (4, 4, 1));
    }

    #[test]
    fn spellings_are_numbered_once_and_unknown_characters_are_one() {
        let train = [sentence(&["ab", "ba"])];
        let mut vocabulary = Vocabulary::of_training(&train);
        assert!(vocabulary.read(&train[0]).spellings.is_empty());
        vocabulary.read_characters(&train);
        let row = vocabulary.read(&sentence(&["ab", "xa", "ab"]));
        assert_eq!(row.spellings, [0, 1, 0]);
        assert_eq!(vocabulary.characters(), [[2, 3], [1, 2]]);
        assert_eq!(
            (vocabulary.character_count(), vocabulary.alphabet().unwrap()),
            (4, vec!['a', 'b'])
        );
    }
}
