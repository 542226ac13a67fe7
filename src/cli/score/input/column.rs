//! Fields of a line.

/// The place of a column: from 0, or from the end with -1 the last.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Column(pub isize);

impl Column {
    /// The field of a line without spaces around it, or how many fields the line has.
    pub fn of(self, line: &str) -> Result<&str, usize> {
        let found = match usize::try_from(self.0) {
            Ok(index) => fields(line).nth(index),
            Err(_) => fields(line).nth_back(self.0.unsigned_abs() - 1),
        };
        found.map(|field| field.trim_matches(' ')).ok_or_else(|| fields(line).count())
    }
}

/// The fields of a line. Only ASCII separates: tokens may be other white space.
pub fn fields(line: &str) -> impl DoubleEndedIterator<Item = &str> {
    let separator = if line.contains('\t') { '\t' } else { ' ' };
    line.split(separator).filter(move |field| separator == '\t' || !field.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_from_either_end() {
        let of = |column, line| Column(column).of(line);
        assert_eq!((of(0, "a  b c"), of(-1, "a  b c")), (Ok("a"), Ok("c")));
        assert_eq!((of(1, " \tO \tB"), of(0, " \tO \tB")), (Ok("O"), Ok("")));
        assert_eq!((of(3, "a b c"), of(-4, "a b c")), (Err(3), Err(3)));
        assert_eq!((of(0, ""), of(isize::MIN, "a")), (Err(0), Err(1)));
    }
}
