//! How settings are declared, and a choice among words: each once.

/// Declares settings: a type, its `PARAMETERS`, which list, document and check them, and `read`,
/// which makes them of checked parameters. Each field has its help as documentation and is written
///
/// - `name: f64 = 2.0 in 0.0..=10.0`, or an integer type with whole numbers, with no end of the
///   range if it has none;
/// - `name: bool = true`, `name: String = "text"`;
/// - `name: Choice = Variant`, a type of `choice!`;
/// - `name: Vec<String>`, a set of names, empty by default;
/// - `name: Box<Registry> = "entry" of ENTRIES`, another part;
/// - `name: Type => KIND`, any other kind of parameter;
///
/// or without help, which it has elsewhere,
///
/// - `name: Type as PARAMETER`, a parameter that several parts have;
/// - `with name: Settings`, other settings whose parameters stand among these; `with name: Settings
///   as PARAMETERS`, if only some of them do: the others are at their defaults.
#[macro_export]
macro_rules! settings {
    ($(#[$about:meta])+ $vis:vis struct $Settings:ident { $($fields:tt)* }) => {
        $crate::settings! { @fields [$(#[$about])+ $vis struct $Settings] [] $($fields)* }
    };

    // Every field is done: the type.
    (
        @fields [$(#[$about:meta])+ $vis:vis struct $Settings:ident]
        [$({ [$($attribute:tt)*] $field:ident, $type:ty, $table:expr, $read:path })*]
    ) => {
        $(#[$about])+
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $Settings {
            $($($attribute)* pub $field: $type),*
        }

        impl $Settings {
            const TABLES: &'static [&'static [$crate::declare::Parameter]] = &[$($table),*];

            /// What can be set.
            pub const PARAMETERS: &'static [$crate::declare::Parameter] = &$crate::declare::flattened::<
                { $crate::declare::length($Settings::TABLES) },
            >($Settings::TABLES);

            /// From checked parameters.
            #[allow(unused_variables, reason = "some have no parameter")]
            pub fn read(parameters: &$crate::Parameters) -> Self {
                Self { $($field: $read(parameters, stringify!($field))),* }
            }
        }

        impl $crate::declare::Declared for $Settings {
            const PARAMETERS: &'static [$crate::declare::Parameter] = $Settings::PARAMETERS;

            fn read(parameters: &$crate::Parameters) -> Self {
                $Settings::read(parameters)
            }
        }
    };

    // The next field: one that is declared elsewhere, or one with help.
    (@fields $head:tt [$($done:tt)*] with $field:ident: $type:ident $(, $($rest:tt)*)?) => {
        $crate::settings! { @fields $head [$($done)* {
            [] $field, $type, $type::PARAMETERS, $crate::declare::group
        }] $($($rest)*)? }
    };
    (@fields $head:tt [$($done:tt)*] with $field:ident: $type:ident as $table:expr $(, $($rest:tt)*)?) => {
        $crate::settings! { @fields $head [$($done)* {
            [] $field, $type, $table, $crate::declare::group
        }] $($($rest)*)? }
    };
    (@fields $head:tt [$($done:tt)*] $field:ident: $type:ty as $shared:expr $(, $($rest:tt)*)?) => {
        $crate::settings! { @fields $head [$($done)* {
            [] $field, $type, &[$shared], $crate::declare::value
        }] $($($rest)*)? }
    };
    (
        @fields $head:tt $done:tt
        $(#[doc = $help:literal])+ $(#[serde $serde:tt])? $field:ident: $($rest:tt)+
    ) => {
        $crate::settings! {
            @kind [$head $done [$(#[doc = $help])+ $(#[serde $serde])?] $field [$($help)+]] $($rest)+
        }
    };

    // Its kind.
    (@kind $of:tt $type:ident = $default:literal in $min:literal..=$max:literal $(, $($rest:tt)*)?) => {
        $crate::settings! { @add $of $type, $crate::number!($type, $default, $min, $max); $($($rest)*)? }
    };
    (@kind $of:tt $type:ident = $default:literal in $min:literal.. $(, $($rest:tt)*)?) => {
        $crate::settings! { @add $of $type, $crate::number!($type, $default, $min); $($($rest)*)? }
    };
    (@kind $of:tt bool = $default:literal $(, $($rest:tt)*)?) => {
        $crate::settings! {
            @add $of bool, $crate::declare::ParameterKind::Bool { default: $default }; $($($rest)*)?
        }
    };
    (@kind $of:tt String = $default:literal $(, $($rest:tt)*)?) => {
        $crate::settings! {
            @add $of String, $crate::declare::ParameterKind::Text { default: $default }; $($($rest)*)?
        }
    };
    (@kind $of:tt Box<$registry:ty> = $default:literal of $entries:path $(, $($rest:tt)*)?) => {
        $crate::settings! {
            @add $of Box<$registry>,
            $crate::declare::ParameterKind::Part { default: $default, of: || $entries };
            $($($rest)*)?
        }
    };
    (@kind $of:tt Vec<String> $(, $($rest:tt)*)?) => {
        $crate::settings! { @add $of Vec<String>, $crate::declare::ParameterKind::Names; $($($rest)*)? }
    };
    (@kind $of:tt $type:ident = $default:ident $(, $($rest:tt)*)?) => {
        $crate::settings! { @add $of $type, $type::$default.kind(); $($($rest)*)? }
    };
    (@kind $of:tt $type:ty => $kind:expr $(, $($rest:tt)*)?) => {
        $crate::settings! { @add $of $type, $kind; $($($rest)*)? }
    };

    (
        @add [$head:tt [$($done:tt)*] $attributes:tt $field:ident [$($help:literal)+]]
        $type:ty, $kind:expr; $($rest:tt)*
    ) => {
        $crate::settings! {
            @fields $head [$($done)* { $attributes $field, $type, &[$crate::declare::Parameter {
                name: stringify!($field),
                help: concat!($($help),+).trim_ascii(),
                kind: $kind,
            }], $crate::declare::value }]
            $($rest)*
        }
    };
}

/// The kind of a number, as `settings!` has it.
#[doc(hidden)]
#[macro_export]
macro_rules! number {
    (f64, $default:literal, $min:literal) => {
        $crate::number!(f64, $default, $min, f64::INFINITY)
    };
    (f64, $default:literal, $min:literal, $max:expr) => {
        $crate::declare::ParameterKind::Real { default: $default, min: $min, max: $max }
    };
    ($integer:ident, $default:literal, $min:literal) => {
        $crate::number!($integer, $default, $min, i64::MAX)
    };
    ($integer:ident, $default:literal, $min:literal, $max:expr) => {
        $crate::declare::ParameterKind::Integer { default: $default, min: $min, max: $max }
    };
}

/// Declares a choice among words: an enum, its words in `WORDS`, and the `word` of each. After a
/// `;` come other words for some of them.
#[macro_export]
macro_rules! choice {
    (
        $(#[$about:meta])+
        $vis:vis enum $Choice:ident {
            $($(#[$of_variant:meta])* $Variant:ident = $word:literal),+
            $(; $($Same:ident = $other:literal),+)? $(,)?
        }
    ) => {
        $(#[$about])+
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        $vis enum $Choice {
            $($(#[$of_variant])* $Variant),+
        }

        #[allow(dead_code, reason = "not every choice is written and read by its word")]
        impl $Choice {
            /// All words.
            pub const WORDS: &'static [&'static str] = &[$($word),+ $(, $($other),+)?];

            /// As grids write it.
            pub const fn word(self) -> &'static str {
                match self { $($Choice::$Variant => $word),+ }
            }

            /// The choice that a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($Choice::$Variant),)+
                    $($($other => Some($Choice::$Same),)+)?
                    _ => None,
                }
            }

            /// The kind of a parameter that has this as its default.
            pub const fn kind(self) -> $crate::declare::ParameterKind {
                $crate::declare::ParameterKind::Choice { default: self.word(), of: Self::WORDS }
            }
        }

        impl $crate::declare::Setting for $Choice {
            fn of(value: &$crate::ParameterValue) -> Option<Self> {
                match value {
                    $crate::ParameterValue::Text(word) => Self::from_word(word),
                    _ => None,
                }
            }
        }
    };
}
