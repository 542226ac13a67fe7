//! Entities from tags.

use domain::{EntitySpan, Tag};

/// Which tags make an entity where a sequence is not valid IOB2.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// An I after O or after another type begins an entity: the conlleval script, and seqeval's
    /// default.
    #[default]
    Conlleval,
    /// An entity begins with B; an I that continues none is dropped: seqeval's strict IOB2.
    Strict,
    /// Invalid I's are read as O: SeqScore's repair of that name. In IOB2 this gives the same
    /// entities as [`Mode::Strict`]; both names stay, because users look for the one they know.
    Discard,
}

domain::named!(Mode { Conlleval = "conlleval", Strict = "strict", Discard = "discard" });

impl Mode {
    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether an I that continues nothing begins an entity.
    fn inside_may_begin(self) -> bool {
        self == Mode::Conlleval
    }
}

/// The entities of one sentence in the order of their tokens; they never overlap.
#[derive(Clone, Debug)]
pub struct Entities<'a> {
    tags: &'a [Tag],
    mode: Mode,
    position: usize,
}

impl<'a> Entities<'a> {
    /// The entities of `tags`.
    pub fn new(tags: &'a [Tag], mode: Mode) -> Self {
        Self { tags, mode, position: 0 }
    }
}

impl Iterator for Entities<'_> {
    type Item = EntitySpan;

    fn next(&mut self) -> Option<EntitySpan> {
        while let Some(&tag) = self.tags.get(self.position) {
            let start = self.position;
            self.position += 1;
            // Every I that continues an entity is taken below, so one met here continues none.
            let entity_type = match tag {
                Tag::Begin(entity_type) => entity_type,
                Tag::Inside(entity_type) if self.mode.inside_may_begin() => entity_type,
                Tag::Inside(_) | Tag::Outside => continue,
            };
            while self.tags.get(self.position) == Some(&Tag::Inside(entity_type)) {
                self.position += 1;
            }
            return Some(EntitySpan { start, end: self.position, entity_type });
        }
        None
    }
}

/// The entities of one sentence.
pub fn entities(tags: &[Tag], mode: Mode) -> Vec<EntitySpan> {
    Entities::new(tags, mode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TypeId;

    const PER: TypeId = TypeId(0);
    const LOC: TypeId = TypeId(1);

    fn spans(tags: &[Tag], mode: Mode) -> Vec<(usize, usize, TypeId)> {
        entities(tags, mode).into_iter().map(|e| (e.start, e.end, e.entity_type)).collect()
    }

    #[test]
    fn names_lead_back_to_modes() {
        assert!(Mode::ALL.into_iter().all(|mode| Mode::from_name(mode.name()) == Some(mode)));
        assert_eq!(Mode::from_name("lenient"), None);
    }

    #[test]
    fn a_type_change_inside_begins_an_entity_for_conlleval_only() {
        let tags = [Tag::Begin(PER), Tag::Inside(LOC), Tag::Inside(PER)];
        assert_eq!(spans(&tags, Mode::Conlleval), [(0, 1, PER), (1, 2, LOC), (2, 3, PER)]);
        assert_eq!(spans(&tags, Mode::Strict), [(0, 1, PER)]);
        assert_eq!(spans(&tags, Mode::Discard), [(0, 1, PER)]);
    }

    #[test]
    fn a_stray_inside_run_is_one_entity_or_none() {
        let tags = [Tag::Outside, Tag::Inside(PER), Tag::Inside(PER), Tag::Begin(PER)];
        assert_eq!(spans(&tags, Mode::Conlleval), [(1, 3, PER), (3, 4, PER)]);
        assert_eq!(spans(&tags, Mode::Strict), [(3, 4, PER)]);
        assert!(spans(&[], Mode::Conlleval).is_empty());
    }
}
