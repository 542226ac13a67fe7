//! Columns by number.

/// The place of a column: from 0, or from the end with -1 the last.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Column(pub isize);

impl Column {
    /// Its place among so many columns, if it is one of them.
    pub fn place(self, columns: usize) -> Option<usize> {
        let place = match usize::try_from(self.0) {
            Ok(index) => index,
            Err(_) => columns.checked_sub(self.0.unsigned_abs())?,
        };
        (place < columns).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_from_either_end() {
        let of = |column, columns| Column(column).place(columns);
        assert_eq!(
            (of(0, 3), of(2, 3), of(-1, 3), of(-3, 3)),
            (Some(0), Some(2), Some(2), Some(0))
        );
        assert_eq!((of(3, 3), of(-4, 3), of(0, 0), of(-1, 0)), (None, None, None, None));
        assert_eq!((of(isize::MIN, 1), of(isize::MAX, 1)), (None, None));
    }
}
