//! How a part is declared, a choice among words, and a registry of parts: each once.

/// Declares a part: the type of its settings, with the `ENTRY` that lists, documents and checks them, and
/// `read`, which makes them of checked parameters.
///
/// ```text
/// part! {
///     /// cross-entropy that fades for sure tokens
///     pub struct Fading("fading") from "a paper" needs Capability::TokenLevel {
///         /// how fast they fade
///         gamma: f64 = 2.0 in 0.0..=10.0,
///     }
/// }
/// ```
#[macro_export]
macro_rules! part {
    (
        $(#[doc = $help:literal])+
        $vis:vis struct $Part:ident($name:literal)
        $(from $source:literal)?
        $(needs Capability::$need:ident)?
        $(reads $files:literal)?
        $(gives $(Capability::$given:ident),+)?
        { $($fields:tt)* }
    ) => {
        $crate::settings! { [$(#[doc = $help])+ $vis struct $Part] [] $($fields)* }

        impl $Part {
            /// The name that grids use.
            pub const NAME: &'static str = $name;

            /// What lists and checks know of it.
            pub const ENTRY: $crate::Entry = $crate::Entry {
                name: $name,
                help: concat!($($help),+).trim_ascii(),
                parameters: Self::PARAMETERS,
                needs: $crate::need!($($need)? $($files)?),
                gives: &[$($($crate::Capability::$given),+)?],
                source: concat!("" $(, $source)?),
            };
        }
    };
}

/// What a part needs, as `part!` has it.
#[doc(hidden)]
#[macro_export]
macro_rules! need {
    () => {
        $crate::Need::Nothing
    };
    ($need:ident) => {
        $crate::Need::Head($crate::Capability::$need)
    };
    ($files:literal) => {
        $crate::Need::Files($files)
    };
}

/// The settings of a part: a type, its `PARAMETERS` and `read`. Each field is written
///
/// - `name: f64 = 2.0 in 0.0..=10.0`, or an integer type with whole numbers, with no end of the range if it has none;
/// - `name: bool = true`, `name: String = "text"`;
/// - `name: Choice = Variant`, a type of `choice!`;
/// - `name: Vec<String>`, a set of names, empty by default;
/// - `name: Box<Registry> = "entry" of ENTRIES`, another part;
/// - `name: Type as PARAMETER`, a parameter that several parts have.
#[macro_export]
macro_rules! settings {
    (
        [$(#[doc = $help:literal])+ $vis:vis struct $Settings:ident]
        [$({ $field:ident, $type:ty, $parameter:expr })*]
    ) => {
        $(#[doc = $help])+
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $Settings {
            $(pub $field: $type),*
        }

        impl $Settings {
            /// What can be set.
            pub const PARAMETERS: &'static [$crate::Parameter] = &[$($parameter),*];

            /// From checked parameters.
            #[allow(unused_variables, reason = "some have no parameter")]
            pub fn read(parameters: &$crate::Parameters) -> Self {
                Self { $($field: $crate::value(parameters, stringify!($field))),* }
            }
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: $type:ident = $default:literal in $min:literal..=$max:literal
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, $type, $crate::parameter!(
                $field, [$($help)+], $crate::number!($type, $default, $min, $max)
            ) }]
            $($($rest)*)?
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: $type:ident = $default:literal in $min:literal..
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, $type, $crate::parameter!(
                $field, [$($help)+], $crate::number!($type, $default, $min)
            ) }]
            $($($rest)*)?
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: bool = $default:literal
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, bool, $crate::parameter!(
                $field, [$($help)+], $crate::ParameterKind::Bool { default: $default }
            ) }]
            $($($rest)*)?
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: String = $default:literal
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, String, $crate::parameter!(
                $field, [$($help)+], $crate::ParameterKind::Text { default: $default }
            ) }]
            $($($rest)*)?
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: Box<$registry:ty> = $default:literal of $entries:path
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, Box<$registry>, $crate::parameter!(
                $field, [$($help)+], $crate::ParameterKind::Part { default: $default, of: || $entries }
            ) }]
            $($($rest)*)?
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: Vec<String>
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, Vec<String>, $crate::parameter!(
                $field, [$($help)+], $crate::ParameterKind::Names
            ) }]
            $($($rest)*)?
        }
    };
    (
        $head:tt [$($done:tt)*] $(#[doc = $help:literal])+
        $field:ident: $type:ident = $default:ident
        $(, $($rest:tt)*)?
    ) => {
        $crate::settings! {
            $head [$($done)* { $field, $type, $crate::parameter!(
                $field, [$($help)+], $type::$default.kind()
            ) }]
            $($($rest)*)?
        }
    };
    ($head:tt [$($done:tt)*] $field:ident: $type:ty as $shared:expr $(, $($rest:tt)*)?) => {
        $crate::settings! { $head [$($done)* { $field, $type, $shared }] $($($rest)*)? }
    };
}

/// A parameter, as `settings!` has it.
#[doc(hidden)]
#[macro_export]
macro_rules! parameter {
    ($name:ident, [$($help:literal)+], $kind:expr) => {
        $crate::Parameter {
            name: stringify!($name),
            help: concat!($($help),+).trim_ascii(),
            kind: $kind,
        }
    };
}

/// The kind of a number, as `settings!` has it.
#[doc(hidden)]
#[macro_export]
macro_rules! number {
    (f64, $default:literal, $min:literal) => {
        $crate::ParameterKind::Real { default: $default, min: $min, max: f64::INFINITY }
    };
    (f64, $default:literal, $min:literal, $max:literal) => {
        $crate::ParameterKind::Real { default: $default, min: $min, max: $max }
    };
    ($integer:ident, $default:literal, $min:literal) => {
        $crate::ParameterKind::Integer { default: $default, min: $min, max: i64::MAX }
    };
    ($integer:ident, $default:literal, $min:literal, $max:literal) => {
        $crate::ParameterKind::Integer { default: $default, min: $min, max: $max }
    };
}

/// Declares a choice among words: an enum, its words in `WORDS`, and the `word` of each.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $help:literal])+
        $vis:vis enum $Choice:ident { $($(#[doc = $of_variant:literal])* $Variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[doc = $help])+
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        $vis enum $Choice {
            $($(#[doc = $of_variant])* $Variant),+
        }

        impl $Choice {
            /// All words.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// As grids write it.
            pub const fn word(self) -> &'static str {
                match self { $($Choice::$Variant => $word),+ }
            }

            /// The kind of a parameter that has this as its default.
            pub const fn kind(self) -> $crate::ParameterKind {
                $crate::ParameterKind::Choice { default: self.word(), of: Self::WORDS }
            }
        }

        impl $crate::Setting for $Choice {
            fn of(value: &$crate::ParameterValue) -> Option<Self> {
                match value {
                    $($crate::ParameterValue::Text(word) if word == $word => Some($Choice::$Variant),)+
                    _ => None,
                }
            }
        }
    };
}

/// Declares a registry: its `ENTRIES` in this order, and the typed settings of any of them. Each is a part
/// in a module of its own, and has a variant of its name. The first ones, up to a `;`, may be a list of
/// their own too.
#[macro_export]
macro_rules! registry {
    (
        $(#[doc = $help:literal])+
        $vis:vis enum $Registry:ident {
            $first:ident: $($module:ident::$Part:ident),+; $($later:ident::$Later:ident),+ $(,)?
        }
    ) => {
        /// The first of them.
        pub const $first: &[$crate::Entry] = &[$($module::$Part::ENTRY),+];

        $crate::registry! {
            $(#[doc = $help])+
            $vis enum $Registry { $($module::$Part,)+ $($later::$Later),+ }
        }
    };
    (
        $(#[doc = $help:literal])+
        $vis:vis enum $Registry:ident { $($module:ident::$Part:ident),+ $(,)? }
    ) => {
        /// Everything that can be chosen.
        pub const ENTRIES: &[$crate::Entry] = &[$($module::$Part::ENTRY),+];

        $(#[doc = $help])+
        #[derive(Clone, PartialEq, Debug)]
        $vis enum $Registry {
            $($Part($module::$Part)),+
        }

        /// An entry by name.
        pub fn find(name: &str) -> Option<&'static $crate::Entry> {
            ENTRIES.iter().find(|entry| entry.name == name)
        }

        /// Whether the entry of a name gives this to other parts.
        pub fn can(name: &str, capability: $crate::Capability) -> bool {
            find(name).is_some_and(|entry| entry.gives.contains(&capability))
        }

        impl $Registry {
            /// The settings of a checked part.
            pub fn read(part: &$crate::Part) -> Self {
                match part.kind.as_str() {
                    $($module::$Part::NAME => Self::$Part($module::$Part::read(&part.parameters)),)+
                    kind => panic!("parts are checked where they are read, and there is no `{kind}`"),
                }
            }
        }

        impl $crate::Registered for $Registry {
            fn read(part: &$crate::Part) -> Self {
                Self::read(part)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Capability, Need, ParameterValue, Parameters};

    choice! {
        /// Which of two forms.
        enum Form { Paper = "paper", Code = "code" }
    }

    part! {
        /// cross-entropy that fades
        /// for sure tokens
        struct Fading("fading") from "a paper" needs Capability::TokenLevel gives Capability::Span {
            /// how fast they fade
            gamma: f64 = 2.0 in 0.0..=10.0,
            /// the paper's form or the code's
            form: Form = Code,
            /// how many
            most: usize = 3 in 1..,
        }
    }

    #[test]
    fn one_declaration_gives_the_entry_and_the_typed_settings() {
        let entry = Fading::ENTRY;
        assert_eq!((Fading::NAME, entry.name, entry.source), ("fading", "fading", "a paper"));
        assert_eq!(entry.help, "cross-entropy that fades for sure tokens");
        assert_eq!(entry.needs, Need::Head(Capability::TokenLevel));
        assert_eq!(entry.gives, [Capability::Span]);
        assert_eq!(entry.parameters[1].expected(), "one of paper, code");
        assert_eq!(entry.parameters[2].expected(), "a whole number, at least 1");
        let expected = Fading { gamma: 2.0, form: Form::Code, most: 3 };
        assert_eq!(Fading::read(&entry.defaults()), expected);
    }

    #[test]
    fn settings_are_checked_before_they_are_read() {
        let entry = Fading::ENTRY;
        let with = |name: &str, value| {
            let mut parameters: Parameters = entry.defaults();
            parameters.0.insert(name.to_owned(), value);
            entry.check(&parameters).unwrap_err()
        };
        assert_eq!(entry.check(&entry.defaults()), Ok(()));
        let outside = with("gamma", ParameterValue::Real(11.0));
        assert_eq!(outside, "`gamma` is 11, expected a number from 0 to 10");
        let word = with("form", ParameterValue::Text("both".to_owned()));
        assert_eq!(word, "`form` is both, expected one of paper, code");
        assert_eq!(with("x", ParameterValue::Bool(true)), "there is no parameter `x`");
        assert_eq!(entry.check(&Parameters::default()).unwrap_err(), "`gamma` is missing");
    }
}
