//! Tags in IOB2, the one scheme used inside the program.
//!
//! Readers convert every other scheme on the way in. A tag is a small number, so sentences,
//! models and scorers never compare strings.

use std::fmt;

/// Index of an entity type in a [`TypeSet`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u16);

/// An IOB2 tag.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tag {
    /// `O`
    Outside,
    /// `B-type`
    Begin(TypeId),
    /// `I-type`
    Inside(TypeId),
}

impl Tag {
    /// The entity type, `None` for `O`.
    pub fn entity_type(self) -> Option<TypeId> {
        match self {
            Tag::Outside => None,
            Tag::Begin(id) | Tag::Inside(id) => Some(id),
        }
    }

    /// The tag's class in a model's output: 0 is `O`, then B and I of each type in turn.
    pub fn index(self) -> usize {
        match self {
            Tag::Outside => 0,
            Tag::Begin(TypeId(id)) => 1 + 2 * id as usize,
            Tag::Inside(TypeId(id)) => 2 + 2 * id as usize,
        }
    }

    /// The inverse of [`Tag::index`].
    pub fn from_index(index: usize) -> Tag {
        match index {
            0 => Tag::Outside,
            n if n % 2 == 1 => Tag::Begin(TypeId((n / 2) as u16)),
            n => Tag::Inside(TypeId((n / 2 - 1) as u16)),
        }
    }
}

/// The entity types of a corpus, in the order of their [`TypeId`]s.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TypeSet {
    names: Vec<String>,
}

impl TypeSet {
    /// A set of the given names, sorted and without repeats.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        names.dedup();
        Self { names }
    }

    /// The id of a name, which is added at the end if it is new.
    pub fn intern(&mut self, name: &str) -> TypeId {
        self.id(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            TypeId((self.names.len() - 1) as u16)
        })
    }

    /// The id of a name, if the set has it.
    pub fn id(&self, name: &str) -> Option<TypeId> {
        let position = self.names.iter().position(|known| known == name)?;
        Some(TypeId(position as u16))
    }

    /// The name of a type. Ids come from this set, so they are in range.
    pub fn name(&self, id: TypeId) -> &str {
        &self.names[id.0 as usize]
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.names.len() as u16).map(TypeId)
    }

    /// Every name, in the order of the ids.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no type.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many tags there are: `O`, and B and I for each type.
    pub fn tag_count(&self) -> usize {
        1 + 2 * self.names.len()
    }

    /// A tag as it is written in files: `O`, `B-person`, `I-person`.
    pub fn show(&self, tag: Tag) -> impl fmt::Display + '_ {
        struct Shown<'a>(&'a TypeSet, Tag);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.1 {
                    Tag::Outside => f.write_str("O"),
                    Tag::Begin(id) => write!(f, "B-{}", self.0.name(id)),
                    Tag::Inside(id) => write!(f, "I-{}", self.0.name(id)),
                }
            }
        }
        Shown(self, tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_tag_are_inverse() {
        for index in 0..41 {
            assert_eq!(Tag::from_index(index).index(), index);
        }
    }

    #[test]
    fn types_are_sorted_so_that_ids_do_not_depend_on_file_order() {
        let types = TypeSet::new(["b", "a", "b"].map(String::from));
        assert_eq!(types.names(), ["a", "b"]);
        assert_eq!(types.show(Tag::Inside(TypeId(1))).to_string(), "I-b");
    }
}
