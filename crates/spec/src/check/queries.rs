//! What the head `mrc` asks for: the shipped questions under a user's own.

use super::Checker;
use crate::diagnostic::{Diagnostics, quoted};
use crate::layers::read_text;
use crate::node::{Map, Node, Value, get};
use crate::source::{SourceText, SourceTexts};
use crate::yaml;
use parts::encoders::bert::Bert;
use parts::{Capability, heads};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The questions as they are shipped.
const SHIPPED: &str = include_str!("../../../../experiments/queries.yaml");

/// The one encoder that tells a question from the text behind it.
const ENCODER: &str = Bert::NAME;

impl Checker<'_> {
    /// The questions of a model by the types' names; none for a head that asks nothing.
    pub fn queries(
        &mut self,
        what: &str,
        map: &Map,
        (encoder, head): (&str, &str),
    ) -> Option<BTreeMap<String, String>> {
        let own = get(map, "queries");
        if !heads::can(head, Capability::Questions) {
            return match own {
                Some(node) => {
                    self.error(node.at, format_args!("the head `{head}` asks no `queries`"));
                    None
                }
                None => Some(BTreeMap::new()),
            };
        }
        if encoder != ENCODER {
            let at = get(map, "head").map_or(map[0].0.at, |node| node.at);
            let message = format!(
                "the head `{head}` needs the encoder `{ENCODER}`, and {what} has `{encoder}`"
            );
            self.error(at, message);
            return None;
        }
        // A test holds that it can be read.
        let mut queries =
            read("queries.yaml", SHIPPED.to_owned(), Path::new("")).unwrap_or_default();
        if let Some(node) = own.filter(|_| !self.without_files) {
            let name = self.text(node, &format!("`queries` of {what}"))?;
            let path: PathBuf = self.sources.base(node.at).join(name);
            let file = read_text(&path).and_then(|text| read(name, text, &path));
            match file {
                Ok(own) => queries.extend(own),
                Err(message) => {
                    let error = self.at(node.at, format_args!("{what}: {message}"));
                    let form = "a file of questions is `version: 1` and `queries: {person: names of people}`";
                    self.tell(node.at, error.help(form));
                    return None;
                }
            }
        }
        Some(queries)
    }
}

/// The questions of a file, or what is wrong with it.
fn read(name: &str, text: String, path: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut sources = SourceTexts::default();
    let base = path.parent().unwrap_or(Path::new("")).to_owned();
    let source = SourceText { name: name.to_owned(), text: text.clone(), base, is_option: false };
    let source = sources.add(source);
    let mut found = Diagnostics::default();
    let tree = yaml::read(&text, &sources, (source, 0), &mut found);
    if let Some(error) = found.kept().first() {
        return Err(format!("{} cannot be read: {}", quoted(name), error.message));
    }
    let wrong = |node: &Node, problem: &str| format!("{name}:{}: {problem}", node.at.line);
    let tree = tree.ok_or_else(|| format!("{} is empty", quoted(name)))?;
    let Value::Map(map) = &tree.value else { return Err(wrong(&tree, "this is no mapping")) };
    if let Some((key, _)) =
        map.iter().find(|(key, _)| !["version", "queries"].contains(&key.text.as_str()))
    {
        return Err(format!("{name}:{}: there is no setting {}", key.at.line, quoted(&key.text)));
    }
    match get(map, "version").map(|node| &node.value) {
        Some(Value::Integer(1)) => {}
        _ => return Err(wrong(&tree, "its `version` is not 1")),
    }
    let queries = get(map, "queries").ok_or_else(|| wrong(&tree, "it has no `queries`"))?;
    let Value::Map(entries) = &queries.value else {
        return Err(wrong(queries, "`queries` is no mapping"));
    };
    let entry = |(key, node): &(_, Node)| match node.as_text() {
        Some(text) if !text.trim().is_empty() => Ok((query_key(key), text.trim().to_owned())),
        _ => Err(wrong(node, "a question is a text")),
    };
    entries.iter().map(entry).collect()
}

fn query_key(key: &crate::node::Key) -> String {
    heads::mrc::query_name(&key.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_questions_can_be_read() {
        let queries = read("queries.yaml", SHIPPED.to_owned(), Path::new("")).unwrap();
        assert!(queries.len() > 40 && queries.contains_key("disease"));
        let by_name = |name: &str| queries.contains_key(&heads::mrc::query_name(name));
        assert!(by_name("creative-work") && by_name("Anatomical_system") && by_name("PER"));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_line() {
        let problem = |text: &str| read("q.yaml", text.to_owned(), Path::new("")).unwrap_err();
        assert_eq!(problem("version: 1\nqueries:\n  a: 3\n"), "q.yaml:3: a question is a text");
        assert_eq!(problem("version: 2\n"), "q.yaml:1: its `version` is not 1");
        assert_eq!(
            problem("version: 1\nquestions: {}\n"),
            "q.yaml:2: there is no setting `questions`"
        );
        assert!(problem("{").contains("cannot be read"));
        assert!(problem("- a\n").contains("no mapping"));
    }
}
