//! Which combinations of parts make sense, known before anything runs.

use crate::domain::Entry;

/// What a head gives that other parts may need. A head that is not listed gives nothing.
const HEADS: &[(&str, &str)] = &[("softmax", "a token head")];

/// Why `part` makes no sense with `head`, if it makes none.
pub fn conflict(part: &Entry, head: &Entry) -> Option<String> {
    let met = part.needs.is_empty() || HEADS.contains(&(head.name, part.needs));
    (!met).then(|| format!("`{}` needs {}, and `{}` is none", part.name, part.needs, head.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::slots;

    const FAKE: Entry =
        Entry { name: "spans", help: "", parameters: &[], needs: "a span head", source: "" };

    #[test]
    fn a_need_that_the_head_does_not_meet_is_a_reason() {
        let softmax = slots::MODEL[2].find("softmax").unwrap();
        let reason = conflict(&FAKE, softmax);
        assert_eq!(reason.as_deref(), Some("`spans` needs a span head, and `softmax` is none"));
        assert_eq!(conflict(&Entry { needs: "", ..FAKE }, softmax), None);
        assert_eq!(conflict(&Entry { needs: "a token head", ..FAKE }, softmax), None);
        assert!(conflict(&Entry { needs: "a token head", ..FAKE }, &FAKE).is_some());
    }

    #[test]
    fn every_head_of_the_table_is_in_the_registry() {
        assert!(HEADS.iter().all(|(head, _)| slots::MODEL[2].find(head).is_some()));
    }

    #[test]
    fn every_method_part_goes_with_every_head_of_today() {
        for head in slots::MODEL[2].entries {
            for part in slots::METHOD.iter().flat_map(|slot| slot.entries) {
                assert_eq!(conflict(part, head), None);
            }
        }
    }
}
