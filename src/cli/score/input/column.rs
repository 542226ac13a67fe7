//! Fields of a line.

use std::ops::Range;

/// The place of a column: from 0, or from the end with -1 the last.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Column(pub isize);

impl Column {
    /// Its place among so many columns.
    fn place(self, columns: usize) -> Option<usize> {
        match usize::try_from(self.0) {
            Ok(index) => Some(index),
            Err(_) => columns.checked_sub(self.0.unsigned_abs()),
        }
    }
}

/// Where the fields of a line are, found once a line. Columns are split at tabs, or at runs of spaces
/// in a line without a tab. Only ASCII separates: tokens may be other white space.
#[derive(Clone, Debug, Default)]
pub struct Fields(Vec<Range<usize>>);

impl Fields {
    /// Looks at another line.
    pub fn find(&mut self, line: &str) {
        self.0.clear();
        let has_tabs = line.as_bytes().contains(&b'\t');
        let separator = if has_tabs { b'\t' } else { b' ' };
        let mut start = 0;
        for (end, byte) in line.bytes().chain([separator]).enumerate() {
            if byte == separator {
                if has_tabs || start < end {
                    self.0.push(start..end);
                }
                start = end + 1;
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The first field of the line.
    pub fn first<'t>(&self, line: &'t str) -> Option<&'t str> {
        line.get(self.0.first()?.clone())
    }

    /// A field of the line without spaces around it.
    pub fn get<'t>(&self, line: &'t str, column: Column) -> Option<&'t str> {
        let place = column.place(self.count())?;
        line.get(self.0.get(place)?.clone()).map(|field| field.trim_matches(' '))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_from_either_end() {
        let of = |column, line| {
            let mut fields = Fields::default();
            fields.find(line);
            fields.get(line, Column(column))
        };
        assert_eq!((of(0, "a  b c"), of(-1, "a  b c ")), (Some("a"), Some("c")));
        assert_eq!((of(1, " \tO \tB"), of(0, " \tO \tB")), (Some("O"), Some("")));
        assert_eq!((of(3, "a b c"), of(-4, "a b c")), (None, None));
        assert_eq!((of(-1, "a\t"), of(1, "é\u{a0}\tÖ x")), (Some(""), Some("Ö x")));
        assert_eq!((of(0, ""), of(isize::MIN, "a"), of(isize::MAX, "a")), (None, None, None));
    }
}
