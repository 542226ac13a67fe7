//! The entities that stand on a basic phrase's line.

/// An entity as its phrase has it; without a surface it cannot be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entity {
    pub name: String,
    pub surface: String,
}

/// The entities of a line: `<NE:ORGANIZATION:京都大学>`, or as the corpus's first edition writes it,
/// `<NE type="ORGANIZATION" target="京都大学"/>`.
pub(super) fn entities(line: &str) -> Vec<Entity> {
    let mut found = vec![];
    let mut rest = line;
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        if let Some(tag) = after.strip_prefix("NE:") {
            let (content, after) = until_close(tag);
            rest = after;
            let (name, surface) = content.split_once(':').unwrap_or((&content, ""));
            found.push(Entity { name: name.to_owned(), surface: surface.to_owned() });
        } else if let Some(tag) = after.strip_prefix("NE ").or_else(|| after.strip_prefix("ne ")) {
            let (content, after) = until_close(tag);
            rest = after;
            let value = |name| attribute(&content, name).unwrap_or_default().to_owned();
            found.push(Entity { name: value("type=\""), surface: value("target=\"") });
        }
    }
    found
}

/// The content of a tag, and what comes after it. `\>` is a sign of the content.
fn until_close(tag: &str) -> (String, &str) {
    let mut content = String::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('>') {
        rest = after;
        match before.strip_suffix('\\') {
            Some(before) => content.extend([before, ">"]),
            None => {
                content.push_str(before);
                return (content, rest);
            }
        }
    }
    // Nothing closes it: the rest of the line is its content.
    content.push_str(rest);
    (content, "")
}

/// What stands between `name`, which ends in a quotation mark, and the next one.
fn attribute<'t>(content: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = content.split_once(name)?;
    after.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let show = |Entity { name, surface }| format!("{name}={surface}");
        entities(line).into_iter().map(show).collect()
    }

    #[test]
    fn entities_stand_among_other_features() {
        let relation = "+ 9D <rel type=\"ガ\" target=\"柏市\" sid=\"w-1\" id=\"4\"/>";
        assert_eq!(
            shown(&format!("{relation}<NE:DATE:平成２３年度><体言>")),
            ["DATE=平成２３年度"]
        );
        assert_eq!(shown(&format!("{relation}<NE内:DATE><NE-OPTIONAL>")), [""; 0]);
        assert_eq!(
            shown("+ 1D <NE:PERSON:太郎><NE:OPTIONAL:次郎>"),
            ["PERSON=太郎", "OPTIONAL=次郎"]
        );
    }

    #[test]
    fn a_closing_sign_may_be_part_of_the_text() {
        assert_eq!(shown(r"+ -1D <NE:OPTIONAL:html\>タグ>"), ["OPTIONAL=html>タグ"]);
        assert_eq!(
            shown(r"+ -1D <NE:ARTIFACT:バック\スラッシュ>"),
            [r"ARTIFACT=バック\スラッシュ"]
        );
        assert_eq!(shown("+ -1D <NE:OPTIONAL:<html>"), ["OPTIONAL=<html"]);
    }

    #[test]
    fn the_first_edition_writes_attributes() {
        let line =
            "+ 1D <NE type=\"ORGANIZATION\" target=\"京都大学\"/><rel type=\"ノ\" target=\"x\"/>";
        assert_eq!(shown(line), ["ORGANIZATION=京都大学"]);
        assert_eq!(shown("+ 1D <ne target=\"京都\" type=\"LOCATION\"/>"), ["LOCATION=京都"]);
    }

    #[test]
    fn what_is_broken_has_no_surface() {
        assert_eq!(shown("+ 1D <NE:DATE>"), ["DATE="]);
        assert_eq!(shown("+ 1D <NE:"), ["="]);
        assert_eq!(shown("+ 1D <NE type=\"DATE\">"), ["DATE="]);
        assert_eq!(shown("+ 1D <NE:DATE:平成"), ["DATE=平成"]);
    }
}
