//! How a part is declared, and a registry of parts: each once.

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
        $crate::settings! { $(#[doc = $help])+ $vis struct $Part { $($fields)* } }

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

/// Declares a registry: its `ENTRIES` in this order, and the typed settings of any of them. Each is
/// a part in a module of its own, and has a variant of its name. The first ones, up to a `;`, may
/// be a list of their own too.
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
    use crate::{Capability, Need, ParameterValue, Parameters, choice};

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
