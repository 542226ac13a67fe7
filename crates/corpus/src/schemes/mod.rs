//! Tag schemes: how files write entities, and the way from each of them to IOB2 and back.
//!
//! Converting never loses an entity that the scheme can express. Sequences that the scheme forbids
//! are read as the CoNLL scorer (`conlleval`, Tjong Kim Sang and Buchholz 2000) reads them, unless
//! another [`Repair`] is asked for, and counted: nothing is mended in silence.

mod repair;

pub use repair::Repair;

use domain::{Tag, TypeId, TypeSet};
use parts::{ParameterKind, choice};
use serde::{Deserialize, Serialize};

choice! {
    /// How a file marks where entities begin and end.
    #[derive(PartialOrd, Ord, Serialize, Deserialize)]
    pub enum Scheme {
        /// `B-` only where an entity follows another of its type (Ramshaw and Marcus 1995;
        /// CoNLL-2003).
        Iob1 = "iob1",
        /// `B-` on the first token of every entity.
        Iob2 = "iob2",
        /// As IOB2, with `E-` on the last token and `S-` on an only one (or `L-` and `U-`, as in
        /// BILOU; or `M-` inside and `W-`, as in BMEWO).
        Iobes = "iobes",
        /// `I-` on every token of an entity; neighbours of one type are one entity.
        Io = "io",
        /// `B`, `I` and `O` with no type: all entities are of one.
        Bare = "bare",
    }
}

/// The place of a token in its entity.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Position {
    Begin,
    Inside,
    End,
    Single,
}

/// A tag as a file has it: `None` for `O`, else the token's place and the entity's type.
pub type Label = Option<(Position, TypeId)>;

/// A tag's text taken apart: `None` for `O`, else the token's place and the name of the type,
/// which is empty in the scheme that has none.
pub type Mark<'t> = Option<(Position, &'t str)>;

/// A sentence's tags in IOB2 and where the file broke its scheme.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Converted {
    pub tags: Vec<Tag>,
    /// Indices of the tags that may not follow the one before, in order.
    pub invalid: Vec<usize>,
}

impl Scheme {
    /// Every scheme.
    pub const ALL: [Scheme; 5] =
        [Scheme::Iob1, Scheme::Iob2, Scheme::Iobes, Scheme::Io, Scheme::Bare];

    /// What others call a scheme, and its name here.
    pub const OTHER_NAMES: &[(&str, &str)] = &[
        ("bio", Scheme::Iob2.word()),
        ("bioes", Scheme::Iobes.word()),
        ("bilou", Scheme::Iobes.word()),
        ("biluo", Scheme::Iobes.word()),
        ("bmewo", Scheme::Iobes.word()),
    ];

    /// The kind of a parameter that is this scheme by default, and any other one by any of its
    /// names.
    pub const fn or_another(self) -> ParameterKind {
        let (of, others) = (Self::WORDS, Self::OTHER_NAMES);
        ParameterKind::Named { default: self.word(), of, others }
    }

    /// The scheme of a name, in upper or lower case, or of another name for it.
    pub fn from_name(name: &str) -> Option<Scheme> {
        let other = Self::OTHER_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let name = other.map_or(name, |(_, name)| name);
        Scheme::ALL.into_iter().find(|scheme| scheme.word().eq_ignore_ascii_case(name))
    }

    /// What its tags look like, for messages.
    pub const fn expected(self) -> &'static str {
        match self {
            Scheme::Iob1 | Scheme::Iob2 => "O, B-type or I-type",
            Scheme::Iobes => "O, or B-, I- (M-), E- (L-) or S- (U-, W-) and a type",
            Scheme::Io => "O or I-type",
            Scheme::Bare => "O, B or I",
        }
    }

    /// A tag taken apart, at its first hyphen only (`B-creative-work`); `Err` if the scheme has no
    /// such tag.
    pub fn parse(self, tag: &str) -> Result<Mark<'_>, NotInScheme> {
        if tag == "O" {
            return Ok(None);
        }
        let (letter, entity_type) = match self {
            Scheme::Bare => (tag, ""),
            _ => tag.split_once('-').filter(|(_, name)| !name.is_empty()).ok_or(NotInScheme)?,
        };
        let position = self.position(letter).ok_or(NotInScheme)?;
        Ok(Some((position, entity_type)))
    }

    fn position(self, letter: &str) -> Option<Position> {
        match (self, letter) {
            (_, "I") => Some(Position::Inside),
            (Scheme::Io, _) => None,
            (_, "B") => Some(Position::Begin),
            (Scheme::Iobes, "M") => Some(Position::Inside),
            (Scheme::Iobes, "E" | "L") => Some(Position::End),
            (Scheme::Iobes, "S" | "U" | "W") => Some(Position::Single),
            _ => None,
        }
    }

    /// A label as this scheme writes it.
    pub fn show(self, label: Label, types: &TypeSet) -> String {
        let Some((position, entity_type)) = label else { return "O".to_owned() };
        let letter = match position {
            Position::Begin => "B",
            Position::Inside => "I",
            Position::End => "E",
            Position::Single => "S",
        };
        match self {
            Scheme::Bare => letter.to_owned(),
            _ => format!("{letter}-{}", types.name(entity_type)),
        }
    }

    /// A sentence's labels in IOB2 with what a repair leaves of them; [`Repair::Refuse`] leaves it
    /// to the caller to refuse what is invalid.
    pub fn convert(self, labels: &[Label], repair: Repair) -> Converted {
        match repair {
            Repair::Discard => self.to_iob2_discarding(labels),
            Repair::Conlleval | Repair::Refuse => self.to_iob2(labels),
        }
    }

    /// A sentence's labels in IOB2.
    pub fn to_iob2(self, labels: &[Label]) -> Converted {
        let mut previous = None;
        let mut converted = Converted { tags: Vec::with_capacity(labels.len()), invalid: vec![] };
        for (index, &label) in labels.iter().enumerate() {
            if self.forbids(previous, label) {
                converted.invalid.push(index);
            }
            converted.tags.push(tag_after(previous, label));
            previous = label;
        }
        if self == Scheme::Iobes && is_open(previous) {
            converted.invalid.push(labels.len() - 1);
        }
        converted
    }

    /// Whether `label` may not stand after `previous` (`None` at the start of a sentence).
    fn forbids(self, previous: Label, label: Label) -> bool {
        let Some((position, _)) = label else {
            return self == Scheme::Iobes && is_open(previous);
        };
        match self {
            Scheme::Io => false,
            Scheme::Iob1 => position == Position::Begin && !same_type(previous, label),
            Scheme::Iob2 | Scheme::Bare => position == Position::Inside && starts(previous, label),
            Scheme::Iobes if is_open(previous) => starts(previous, label),
            Scheme::Iobes => matches!(position, Position::Inside | Position::End),
        }
    }

    /// The labels of valid IOB2 tags. [`Scheme::Io`] joins neighbours of one type, and
    /// [`Scheme::Bare`] drops the types when it is written.
    pub fn from_iob2(self, tags: &[Tag]) -> Vec<Label> {
        let continues = |index: usize| matches!(tags.get(index), Some(Tag::Inside(_)));
        let type_at = |index: usize| tags.get(index).and_then(|tag| tag.entity_type());
        let position = |index: usize, begins: bool| match (self, begins) {
            (Scheme::Io, _) => Position::Inside,
            (Scheme::Iob1, true) => {
                let after_its_like = index > 0 && type_at(index - 1) == type_at(index);
                if after_its_like { Position::Begin } else { Position::Inside }
            }
            (Scheme::Iobes, true) if !continues(index + 1) => Position::Single,
            (Scheme::Iobes, false) if !continues(index + 1) => Position::End,
            (_, true) => Position::Begin,
            (_, false) => Position::Inside,
        };
        let label = |(index, &tag): (usize, &Tag)| match tag {
            Tag::Outside => None,
            Tag::Begin(entity_type) => Some((position(index, true), entity_type)),
            Tag::Inside(entity_type) => Some((position(index, false), entity_type)),
        };
        tags.iter().enumerate().map(label).collect()
    }
}

/// The IOB2 tag of a label after the one before it (`None` at the start of a sentence), by the
/// rules of `conlleval`, which are the same for every scheme.
pub fn tag_after(previous: Label, label: Label) -> Tag {
    match label {
        None => Tag::Outside,
        Some((_, entity_type)) if starts(previous, label) => Tag::Begin(entity_type),
        Some((_, entity_type)) => Tag::Inside(entity_type),
    }
}

/// How a tag that no scheme has should be written, if it is one in another spelling: `B_PER`,
/// `b-per`, `o`.
pub fn respelt(tag: &str) -> Option<String> {
    let mut letters = tag.chars();
    let prefix = letters.next()?.to_ascii_uppercase();
    let rest = letters.as_str();
    let written = match (prefix, rest) {
        ('O', "") => "O".to_owned(),
        ('B' | 'I' | 'E' | 'L' | 'M' | 'S' | 'U' | 'W', "") => prefix.to_string(),
        ('B' | 'I' | 'E' | 'L' | 'M' | 'S' | 'U' | 'W', rest) => {
            let name = rest.strip_prefix(['-', '_', ':', '|', '/', '.'])?;
            if name.is_empty() {
                return None;
            }
            format!("{prefix}-{name}")
        }
        _ => return None,
    };
    (written != tag).then_some(written)
}

/// The text is no tag of the scheme.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NotInScheme;

/// Whether an entity begins at `label`, by the rules of `conlleval`.
fn starts(previous: Label, label: Label) -> bool {
    use Position::{Begin, End, Single};
    match (previous, label) {
        (_, None) => false,
        (_, Some((Begin | Single, _))) | (None | Some((End | Single, _)), _) => true,
        (Some(_), Some(_)) => !same_type(previous, label),
    }
}

/// Whether an entity in IOBES goes on after this label.
fn is_open(label: Label) -> bool {
    matches!(label, Some((Position::Begin | Position::Inside, _)))
}

fn same_type(a: Label, b: Label) -> bool {
    matches!((a, b), (Some((_, a)), Some((_, b))) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn types() -> TypeSet {
        TypeSet::new(["X", "Y-z", "W"].map(String::from))
    }

    fn labels(scheme: Scheme, text: &str) -> Vec<Label> {
        let id = |name: &str| if name.is_empty() { TypeId(0) } else { types().id(name).unwrap() };
        let label = |tag| scheme.parse(tag).unwrap().map(|(position, name)| (position, id(name)));
        text.split(' ').map(label).collect()
    }

    fn iob2(scheme: Scheme, text: &str) -> (String, Vec<usize>) {
        let Converted { tags, invalid } = scheme.to_iob2(&labels(scheme, text));
        let shown: Vec<String> = tags.iter().map(|&tag| types().show(tag).to_string()).collect();
        (shown.join(" "), invalid)
    }

    #[test]
    fn each_scheme_gives_iob2() {
        for (scheme, written, meant) in [
            (Scheme::Iob1, "I-X I-X B-X I-W O I-X", "B-X I-X B-X B-W O B-X"),
            (Scheme::Iob2, "B-X I-X B-X B-W O B-X", "B-X I-X B-X B-W O B-X"),
            (Scheme::Iobes, "B-X E-X S-X S-W O B-X I-X E-X", "B-X I-X B-X B-W O B-X I-X I-X"),
            (Scheme::Iobes, "B-X L-X U-X U-W O B-X I-X L-X", "B-X I-X B-X B-W O B-X I-X I-X"),
            (Scheme::Iobes, "B-X E-X W-X W-W O B-X M-X E-X", "B-X I-X B-X B-W O B-X I-X I-X"),
            (Scheme::Io, "I-X I-X I-W O I-X", "B-X I-X B-W O B-X"),
            (Scheme::Bare, "B I O B B", "B-W I-W O B-W B-W"),
            (Scheme::Iob2, "B-Y-z I-Y-z", "B-Y-z I-Y-z"),
        ] {
            assert_eq!(iob2(scheme, written), (meant.to_owned(), vec![]), "{scheme:?} {written}");
        }
    }

    #[test]
    fn broken_sequences_are_read_as_conlleval_does_and_counted() {
        for (scheme, written, meant, invalid) in [
            (Scheme::Iob2, "I-X I-X O I-X", "B-X I-X O B-X", vec![0, 3]),
            (Scheme::Iob2, "B-X I-W I-W", "B-X B-W I-W", vec![1]),
            (Scheme::Bare, "O I I", "O B-W I-W", vec![1]),
            (Scheme::Iob1, "B-X I-X O B-W", "B-X I-X O B-W", vec![0, 3]),
            (Scheme::Iob1, "I-X B-W", "B-X B-W", vec![1]),
            (Scheme::Iobes, "I-X E-X O E-X", "B-X I-X O B-X", vec![0, 3]),
            (Scheme::Iobes, "B-X O B-X B-X", "B-X O B-X B-X", vec![1, 3, 3]),
            (Scheme::Iobes, "B-X E-W S-X I-X", "B-X B-W B-X B-X", vec![1, 3, 3]),
            (Scheme::Iobes, "B-X E-X E-X", "B-X I-X B-X", vec![2]),
        ] {
            assert_eq!(iob2(scheme, written), (meant.to_owned(), invalid), "{scheme:?} {written}");
        }
    }

    #[test]
    fn tags_of_another_scheme_are_refused() {
        for (scheme, tag) in [
            (Scheme::Iob2, "B"),
            (Scheme::Iob2, "B-"),
            (Scheme::Iob2, "-X"),
            (Scheme::Iob2, "S-X"),
            (Scheme::Iob2, "b-X"),
            (Scheme::Iob2, "o"),
            (Scheme::Iob2, "UNK"),
            (Scheme::Iob2, ""),
            (Scheme::Iob1, "E-X"),
            (Scheme::Io, "B-X"),
            (Scheme::Iobes, "X-X"),
            (Scheme::Iob2, "M-X"),
            (Scheme::Bare, "B-X"),
            (Scheme::Bare, "S"),
        ] {
            assert_eq!(scheme.parse(tag), Err(NotInScheme), "{scheme:?} {tag}");
        }
    }

    #[test]
    fn a_type_may_hold_hyphens() {
        let mark = Scheme::Iob2.parse("B-Multi-tissue_structure");
        assert_eq!(mark, Ok(Some((Position::Begin, "Multi-tissue_structure"))));
    }

    #[test]
    fn names_are_inverse() {
        for scheme in Scheme::ALL {
            assert_eq!(Scheme::from_name(scheme.word()), Some(scheme));
        }
        for (name, scheme) in [
            ("BIO", Some(Scheme::Iob2)),
            ("IOB2", Some(Scheme::Iob2)),
            ("Bioes", Some(Scheme::Iobes)),
            ("BILOU", Some(Scheme::Iobes)),
            ("biluo", Some(Scheme::Iobes)),
            ("bmewo", Some(Scheme::Iobes)),
            ("iob", None),
        ] {
            assert_eq!(Scheme::from_name(name), scheme, "{name}");
        }
    }

    #[test]
    fn tags_in_another_spelling_are_respelt() {
        for (tag, meant) in [
            ("B_PER", Some("B-PER")),
            ("b-per", Some("B-per")),
            ("i_creative-work", Some("I-creative-work")),
            ("o", Some("O")),
            ("b", Some("B")),
            ("B-PER", None),
            ("O", None),
            ("B_", None),
            ("Best", None),
            ("PER-B", None),
            ("", None),
        ] {
            assert_eq!(respelt(tag).as_deref(), meant, "{tag}");
        }
    }

    /// Entities side by side or apart: a gap of `O`s, a length and a type each.
    fn entities() -> impl Strategy<Value = Vec<Tag>> {
        let entity = (0..3usize, 1..4usize, 0..3u16);
        prop::collection::vec(entity, 0..8).prop_map(|entities| {
            let mut tags = vec![];
            for (gap, length, entity_type) in entities {
                tags.extend(std::iter::repeat_n(Tag::Outside, gap));
                tags.push(Tag::Begin(TypeId(entity_type)));
                tags.extend(std::iter::repeat_n(Tag::Inside(TypeId(entity_type)), length - 1));
            }
            tags
        })
    }

    /// Through the text of a file and back.
    fn round_trip(scheme: Scheme, tags: &[Tag]) -> Converted {
        let texts: Vec<String> =
            scheme.from_iob2(tags).iter().map(|&label| scheme.show(label, &types())).collect();
        scheme.to_iob2(&labels(scheme, &texts.join(" ")))
    }

    proptest! {
        #[test]
        fn schemes_that_mark_boundaries_lose_nothing(tags in entities()) {
            prop_assume!(!tags.is_empty());
            for scheme in [Scheme::Iob1, Scheme::Iob2, Scheme::Iobes] {
                let expected = Converted { tags: tags.clone(), invalid: vec![] };
                prop_assert_eq!(round_trip(scheme, &tags), expected, "{:?}", scheme);
            }
        }

        #[test]
        fn io_loses_only_the_boundary_between_neighbours_of_one_type(tags in entities()) {
            prop_assume!(!tags.is_empty());
            let mut joined = tags.clone();
            for index in 1..tags.len() {
                if let Tag::Begin(entity_type) = tags[index]
                    && tags[index - 1].entity_type() == Some(entity_type)
                {
                    joined[index] = Tag::Inside(entity_type);
                }
            }
            let expected = Converted { tags: joined, invalid: vec![] };
            prop_assert_eq!(round_trip(Scheme::Io, &tags), expected);
        }

        #[test]
        fn bare_loses_only_the_types(tags in entities()) {
            prop_assume!(!tags.is_empty());
            let one_type = |tag: &Tag| match tag {
                Tag::Outside => Tag::Outside,
                Tag::Begin(_) => Tag::Begin(TypeId(0)),
                Tag::Inside(_) => Tag::Inside(TypeId(0)),
            };
            let expected = Converted { tags: tags.iter().map(one_type).collect(), invalid: vec![] };
            prop_assert_eq!(round_trip(Scheme::Bare, &tags), expected);
        }

        #[test]
        fn whatever_stands_in_a_file_becomes_valid_iob2(
            written in prop::collection::vec((0..5usize, 0..3u16), 1..30)
        ) {
            use Position::*;
            let labels: Vec<Label> = written
                .iter()
                .map(|&(position, entity_type)| {
                    let position = [None, Some(Begin), Some(Inside), Some(End), Some(Single)][position];
                    position.map(|position| (position, TypeId(entity_type)))
                })
                .collect();
            let tags = Scheme::Iobes.to_iob2(&labels).tags;
            let again = Scheme::Iob2.to_iob2(&Scheme::Iob2.from_iob2(&tags));
            prop_assert_eq!(again, Converted { tags, invalid: vec![] });
        }
    }
}
