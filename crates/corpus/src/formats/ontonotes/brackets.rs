//! Entities in brackets: `(PERSON*` opens one, `*)` closes it, `(NORP)` is one of a single word.

use crate::CorpusError;
use crate::error::excerpt;
use crate::formats::rows::Rows;
use crate::remark::RemarkKind;
use crate::schemes::{Position, Repair};
use domain::TypeId;

/// The brackets of a sentence that are open.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    open: Option<Open>,
    /// How many are open inside that one.
    inner: usize,
}

/// An open entity.
#[derive(Debug)]
struct Open {
    entity_type: TypeId,
    /// Its first token and that token's line.
    first: usize,
    line: usize,
}

impl Brackets {
    /// Adds a word with what its column says.
    pub fn push(
        &mut self,
        rows: &mut Rows<'_>,
        line: usize,
        word: &str,
        column: &str,
    ) -> Result<(), CorpusError> {
        if column == "*" {
            let label = self.open.as_ref().map(|open| (Position::Inside, open.entity_type));
            rows.push_label(line, word, label);
            return Ok(());
        }
        let Some((names, closing)) = parse(column) else {
            let (path, text) = (rows.path().to_owned(), excerpt(column));
            rows.problem(CorpusError::Brackets { path, line, text });
            return Ok(());
        };
        let was_open = self.open.is_some();
        for name in names {
            self.open(rows, line, name)?;
        }
        let position = if was_open { Position::Inside } else { Position::Begin };
        let label = self.open.as_ref().map(|open| (position, open.entity_type));
        rows.push_label(line, word, label);
        for _ in 0..closing {
            self.close(rows, line);
        }
        Ok(())
    }

    fn open(&mut self, rows: &mut Rows<'_>, line: usize, name: &str) -> Result<(), CorpusError> {
        match self.open {
            Some(_) => {
                self.inner += 1;
                rows.remark(line, RemarkKind::Nested);
            }
            None => {
                let entity_type = rows.entity_type(line, name)?;
                self.open = Some(Open { entity_type, first: rows.sentence_len(), line });
            }
        }
        Ok(())
    }

    fn close(&mut self, rows: &mut Rows<'_>, line: usize) {
        match (self.inner, self.open.is_some()) {
            (0, true) => self.open = None,
            (0, false) => unbalanced(rows, line, "closes"),
            _ => self.inner -= 1,
        }
    }

    /// Closes the sentence, and what is still open in it.
    pub fn end_sentence(&mut self, rows: &mut Rows<'_>) -> Result<(), CorpusError> {
        self.inner = 0;
        if let Some(open) = self.open.take() {
            unbalanced(rows, open.line, "opens");
            if rows.repair() == Repair::Discard {
                rows.clear_labels(open.first);
            }
        }
        rows.end_sentence()
    }
}

/// Takes down or counts a bracket without a partner, which `opens` or `closes`.
fn unbalanced(rows: &mut Rows<'_>, line: usize, does: &'static str) {
    match rows.repair() {
        Repair::Refuse => {
            let path = rows.path().to_owned();
            rows.problem(CorpusError::Unbalanced { path, line, does });
        }
        repair => rows.remark(line, RemarkKind::Unbalanced { repair }),
    }
}

/// The names of the entities that a column opens, and how many it closes after its word.
fn parse(column: &str) -> Option<(impl Iterator<Item = &str>, usize)> {
    let before = column.trim_end_matches(')');
    let closing = column.len() - before.len();
    let (opening, has_star) = match before.strip_suffix('*') {
        Some(opening) => (opening, true),
        None => (before, false),
    };
    let names = opening.strip_prefix('(');
    let is_name = |name: &str| !name.is_empty() && !name.contains(['*', ')']);
    let is_well_formed = match names {
        None => opening.is_empty() && has_star,
        Some(names) => names.split('(').all(is_name) && (has_star || closing > 0),
    };
    is_well_formed.then(|| (names.into_iter().flat_map(|names| names.split('(')), closing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_what_it_opens_and_how_much_it_closes() {
        let parsed = |column| parse(column).map(|(names, n)| (names.collect::<Vec<_>>(), n));
        assert_eq!(parsed("(PERSON*"), Some((vec!["PERSON"], 0)));
        assert_eq!(parsed("*"), Some((vec![], 0)));
        assert_eq!(parsed("*)"), Some((vec![], 1)));
        assert_eq!(parsed("(NORP)"), Some((vec!["NORP"], 1)));
        assert_eq!(parsed("(WORK_OF_ART*)"), Some((vec!["WORK_OF_ART"], 1)));
        assert_eq!(parsed("(ORG(GPE*))"), Some((vec!["ORG", "GPE"], 2)));
        for column in ["", "-", ")", "(", "()", "(*", "(PERSON", "PERSON)", "**", "(A*(B*", "*)*"] {
            assert_eq!(parsed(column), None, "{column}");
        }
    }
}
