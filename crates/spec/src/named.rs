//! Corpora, formats and methods that the command line names outside of any job: checked as a grid
//! checks them, with every error at once.

use super::catalogue::{Catalogue, SplitCounts};
use super::check::{CheckedMethod, Checker, Element, flattened};
use super::diagnostic::{Diagnostic, Diagnostics};
use super::layers::Layers;
use super::node::{Key, Map, Node, Value, put};
use super::slots::{CORPUS, METHOD};
use super::source::{SourceText, SourceTexts, Span};
use super::yaml;
use domain::{MethodSettings, Part};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What names are looked up with.
#[derive(Copy, Clone, Debug)]
pub struct Named<'a> {
    pub catalogue: &'a Catalogue,
    /// `path=value`, changes of a grid.
    pub sets: &'a [String],
    /// `name=value`, changes of every corpus, format or method that is named.
    pub parameters: &'a [String],
}

/// A corpus with its files.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedCorpus {
    pub name: String,
    pub format: Part,
    /// By role, those of further training parts included.
    pub files: BTreeMap<String, PathBuf>,
    /// What the catalogue says is in its splits.
    pub counts: BTreeMap<String, SplitCounts>,
}

/// A method with the files that it reads.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedMethod {
    pub settings: MethodSettings,
    /// By role.
    pub files: BTreeMap<String, PathBuf>,
}

/// A corpus of the catalogue; `None` if there is none of this name.
pub fn corpus_of_catalogue(
    name: &str,
    named: &Named<'_>,
) -> Option<Result<NamedCorpus, Diagnostics>> {
    let entry = named.catalogue.corpora().iter().find(|entry| entry.name == name)?;
    let mut texts = Texts::default();
    let at = texts.add(name, 0);
    let element = Element { name: name.to_owned(), node: named.catalogue.corpus(name, at)? };
    let changes = texts.parameters(named.parameters);
    let checked = texts.check(named.catalogue, |checker| checker.named_one(&element, &changes));
    // Other settings, other counts.
    let counts = if changes.is_empty() { entry.counts.clone() } else { BTreeMap::new() };
    Some(checked.map(|corpus| NamedCorpus { counts, ..corpus }))
}

/// The corpora of a grid, as they stand under `corpora`. Overrides, which speak of jobs, are left
/// out.
pub fn corpora_of_grid(path: &Path, named: &Named<'_>) -> Result<Vec<NamedCorpus>, Diagnostics> {
    let catalogue = named.catalogue;
    let mut texts = Texts::default();
    let changes = texts.parameters(named.parameters);
    let mut layers = Layers { sources: &mut texts.sources, found: &mut texts.found };
    let Some(layered) = layers.read(path, None, named.sets, catalogue) else {
        return Err(texts.found);
    };
    texts.check(catalogue, |checker| {
        let Some(list) = layered.tree.get("corpora") else {
            checker.error(layered.tree.at, "the grid has no `corpora`");
            return None;
        };
        let elements = checker.elements("corpus", list, Checker::named_corpus);
        checker.named_corpora(&elements, &changes)
    })
}

/// A corpus format with parameters.
pub fn format_named(name: &str, parameters: &[String]) -> Result<Part, Diagnostics> {
    let mut texts = Texts::default();
    let at = texts.add(&format!("--format {name}"), "--format ".len());
    let changes = texts.parameters(parameters);
    texts.check(&Catalogue::default(), |checker| {
        let given = Node::map([("format".to_owned(), Node::text(name, at))], at);
        let map = changed(given, &changes)?;
        let (_, _, part) = checker.parts("this corpus", (&map, at), CORPUS, &[])?.pop()?;
        checker.settings("this corpus", (&map, at), &part).then_some(part)
    })
}

/// A method of the catalogue, or a part of one, with parameters.
pub fn method_named(name: &str, parameters: &[String]) -> Result<NamedMethod, Diagnostics> {
    let catalogue = Catalogue::shipped(Path::new(""));
    let mut texts = Texts::default();
    let at = texts.add(&format!("--method {name}"), "--method ".len());
    let changes = texts.parameters(parameters);
    texts.check(&catalogue, |checker| {
        let part = METHOD.iter().find(|slot| slot.find(name).is_some());
        let node = match (checker.named_method(name, at), part) {
            (Ok(node), _) => node,
            (Err(_), Some(slot)) => Node::map([(slot.name.to_owned(), Node::text(name, at))], at),
            (Err(error), None) => {
                checker.tell(at, error);
                return None;
            }
        };
        let node = Node { value: Value::Map(changed(node, &changes)?), at };
        let element = Element { name: name.to_owned(), node: node.clone() };
        let CheckedMethod { settings, files, .. } = checker.method(&element, &node)?;
        Some(NamedMethod { settings, files })
    })
}

/// A mapping with some of its values replaced.
fn changed(node: Node, changes: &[(Key, Node)]) -> Option<Map> {
    let Value::Map(map) = node.value else { return None };
    let mut map = flattened(map);
    changes.iter().for_each(|(key, node)| put(&mut map, key.clone(), node.clone()));
    Some(map)
}

impl Checker<'_> {
    /// The corpora with some of their parameters changed.
    fn named_corpora(
        &mut self,
        elements: &[Element],
        changes: &[(Key, Node)],
    ) -> Option<Vec<NamedCorpus>> {
        let corpora: Vec<_> =
            elements.iter().map(|element| self.named_one(element, changes)).collect();
        corpora.into_iter().collect()
    }

    fn named_one(&mut self, element: &Element, changes: &[(Key, Node)]) -> Option<NamedCorpus> {
        let at = element.node.at;
        let node = Node { value: Value::Map(changed(element.node.clone(), changes)?), at };
        let checked = self.corpus(element, &node)?;
        let parts = checked.parts.into_iter();
        let parts = parts.map(|(name, file)| (corpus::part_role(&name), file.path));
        Some(NamedCorpus {
            name: element.name.clone(),
            format: checked.identity.format,
            files: checked.files.into_iter().chain(parts).collect(),
            counts: BTreeMap::new(),
        })
    }
}

/// The texts of a command line, and what is wrong with them.
#[derive(Default)]
struct Texts {
    sources: SourceTexts,
    found: Diagnostics,
}

impl Texts {
    /// A piece of the command line; the place of what comes after its first `skipped` characters.
    fn add(&mut self, text: &str, skipped: usize) -> Span {
        let source = self.sources.add(SourceText {
            name: text.to_owned(),
            text: text.to_owned(),
            base: PathBuf::new(),
            is_option: true,
        });
        let length = text.chars().count().saturating_sub(skipped).max(1);
        Span { source, line: 1, column: skipped + 1, length }
    }

    /// Settings written as `name=value`.
    fn parameters(&mut self, given: &[String]) -> Vec<(Key, Node)> {
        given.iter().filter_map(|given| self.parameter(given)).collect()
    }

    fn parameter(&mut self, given: &str) -> Option<(Key, Node)> {
        const OPTION: &str = "--param ";
        let at = self.add(&format!("{OPTION}{given}"), OPTION.len());
        let Some((name, value)) = given.split_once('=') else {
            let error = Diagnostic::error("`--param` needs a name and a value");
            let error = error.at(&self.sources, at).help("write it as `--param scheme=iob1`");
            self.found.push(error);
            return None;
        };
        let length = name.chars().count();
        let key = Key { text: name.trim().to_owned(), at: Span { length: length.max(1), ..at } };
        Some((key, self.value(value, at, at.column + length)))
    }

    /// A value as YAML means it, or the text itself: `,` and `#` are good separators and no YAML.
    fn value(&self, value: &str, at: Span, before: usize) -> Node {
        let length = value.chars().count().max(1);
        let place = Span { column: before + 1, length, ..at };
        match yaml::read(value, &self.sources, (at.source, before), &mut Diagnostics::default()) {
            None | Some(Node { value: Value::Null, .. }) => Node::text(value, place),
            Some(node) => Node { at: place, ..node },
        }
    }

    /// What the checker makes of it, or everything that is wrong.
    fn check<T>(
        self,
        catalogue: &Catalogue,
        check: impl FnOnce(&mut Checker<'_>) -> Option<T>,
    ) -> Result<T, Diagnostics> {
        let Texts { sources, found } = self;
        let mut checker = Checker::new(&sources, catalogue, found);
        let checked = check(&mut checker);
        let found = checker.into_found();
        match checked {
            Some(checked) if found.errors() == 0 => Ok(checked),
            _ => Err(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ParameterValue;

    fn catalogue() -> Catalogue {
        Catalogue::shipped(Path::new("none"))
    }

    fn plain(catalogue: &Catalogue) -> Named<'_> {
        Named { catalogue, sets: &[], parameters: &[] }
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn a_format_takes_parameters_as_a_grid_does() {
        let given = strings(&["scheme=iob1", "tag=-2", "separator=,", "comment=#", "header=true"]);
        let part = format_named("columns", &given).unwrap();
        let text = |name: &str| part.parameters.value::<String>(name).unwrap();
        assert_eq!([text("scheme"), text("separator"), text("comment")], ["iob1", ",", "#"]);
        assert_eq!(
            (
                part.parameters.value::<i64>("tag").unwrap(),
                part.parameters.value::<bool>("header").unwrap()
            ),
            (-2, true)
        );
        assert_eq!(part.parameters.value::<i64>("token").unwrap(), 0, "the default");
    }

    #[test]
    fn mistakes_are_told_all_at_once_with_a_way_out() {
        let given = strings(&["shceme=iob1", "tag=last", "header"]);
        insta::assert_snapshot!(format_named("columns", &given).unwrap_err());
        insta::assert_snapshot!(
            "unknown_names",
            format!(
                "{}\n\n{}",
                format_named("colums", &[]).unwrap_err(),
                method_named("scrn", &strings(&["varaint=code"])).unwrap_err(),
            )
        );
        let stray = method_named("scr", &strings(&["gamma=2"])).unwrap_err().to_string();
        assert!(stray.contains("has no setting `gamma`"), "{stray}");
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let error = format_named("columns", &strings(&["token=-1"])).unwrap_err().to_string();
        assert!(error.contains("the tag cannot be in the token's column"), "{error}");
    }

    #[test]
    fn a_method_is_one_of_the_catalogue_or_a_function_itself() {
        let scr =
            method_named("scr", &strings(&["variant=code"])).unwrap().settings.resample.unwrap();
        assert_eq!(scr.kind, "scr");
        assert_eq!(scr.parameters.get("variant"), Some(&ParameterValue::Text("code".into())));
        assert_eq!(method_named("original", &[]).unwrap().settings.resample, None);
        assert_eq!(method_named("focal", &[]).unwrap().settings.resample, None);
    }

    #[test]
    fn a_corpus_of_the_catalogue_needs_its_files() {
        let synthetic = corpus_of_catalogue("synthetic", &plain(&catalogue())).unwrap().unwrap();
        assert_eq!((synthetic.format.kind.as_str(), synthetic.files.len()), ("synthetic", 0));
        let missing =
            corpus_of_catalogue("wnut17", &plain(&catalogue())).unwrap().unwrap_err().to_string();
        assert!(
            missing.contains("there is no folder") && missing.contains("--corpora"),
            "{missing}"
        );
        assert!(corpus_of_catalogue("none", &plain(&catalogue())).is_none());
        let (parameters, catalogue) = (strings(&["sentences=50"]), catalogue());
        let named = Named { parameters: &parameters, ..plain(&catalogue) };
        let small = corpus_of_catalogue("synthetic", &named).unwrap().unwrap();
        assert_eq!(small.format.parameters.value::<i64>("sentences").unwrap(), 50);
    }

    #[test]
    fn a_grid_gives_its_corpora_whatever_else_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let grid = folder.path().join("grid.yaml");
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.txt", "a\tB-x\n");
        let mine = "{name: mine, format: columns, columns: {tag: 1}, train: a.txt, test: a.txt, \
                    parts: {more: a.txt}}";
        write("grid.yaml", &format!("version: 1\ncorpora:\n  - synthetic\n  - {mine}\n"));
        let found = corpora_of_grid(&grid, &plain(&catalogue())).unwrap();
        let names: Vec<&str> = found.iter().map(|corpus| corpus.name.as_str()).collect();
        assert_eq!(names, ["synthetic", "mine"]);
        let roles: Vec<&String> = found[1].files.keys().collect();
        assert_eq!(roles, ["parts.more", "test", "train"]);
        write("grid.yaml", "version: 1\ncorpora: [synthetc]\n");
        let error = corpora_of_grid(&grid, &plain(&catalogue())).unwrap_err().to_string();
        assert!(error.contains("did you mean `synthetic`?"), "{error}");
        write("grid.yaml", "version: 1\n");
        assert!(corpora_of_grid(&grid, &plain(&catalogue())).is_err());
    }

    #[test]
    fn a_parameter_replaces_one_of_the_nested_form() {
        let folder = tempfile::tempdir().unwrap();
        let grid = folder.path().join("grid.yaml");
        std::fs::write(folder.path().join("a.txt"), "a\tB-x\n").unwrap();
        let mine = "{name: m, format: columns, columns: {tag: 1}, train: a.txt, test: a.txt}";
        std::fs::write(&grid, format!("version: 1\ncorpora: [{mine}]\n")).unwrap();
        let (parameters, catalogue) = (strings(&["tag=2"]), catalogue());
        let named = Named { parameters: &parameters, ..plain(&catalogue) };
        let found = corpora_of_grid(&grid, &named).unwrap();
        assert_eq!(found[0].format.parameters.value::<i64>("tag").unwrap(), 2);
    }
}
