//! Choices that are written as a word.

/// Gives a choice its words: `ALL` of it in the order of lists, and `name`, as grids, files and
/// JSON write it.
#[macro_export]
macro_rules! named {
    ($Choice:ident { $($Variant:ident = $name:literal),+ $(,)? }) => {
        impl $Choice {
            /// All of them, in the order of lists.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Variant),+];

            /// As grids, files and JSON write it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),+ }
            }
        }
    };
}
