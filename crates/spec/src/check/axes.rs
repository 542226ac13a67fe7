//! The axes of a grid: their elements by name, and what each element means.

use super::Checker;
use crate::diagnostic::{Diagnostic, did_you_mean, quoted};
use crate::node::{Key, Map, Node, Value, get};
use crate::slots::{self, Slot};
use crate::source::Span;
use crate::training;
use corpus::{CorpusError, scenarios};
use domain::{
    BudgetRule, MethodSettings, ParameterValue, Parameters, Part, PrecisionProblem,
    TrainingSettings,
};
use method::catalogue::METHODS;
use parts::Entry;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// Characters of a name.
const LONGEST_NAME: usize = 64;

/// A named element of an axis, written out as a mapping.
#[derive(Clone, Debug)]
pub struct Element {
    pub name: String,
    pub node: Node,
}

/// A method, and the entries that may need something of a head.
#[derive(Clone, Debug)]
pub struct CheckedMethod {
    pub settings: MethodSettings,
    pub entries: Vec<&'static Entry>,
    /// Role to path, the roles of the settings' digests.
    pub files: BTreeMap<String, PathBuf>,
}

impl Checker<'_> {
    /// The elements of an axis. `expand` writes out an element that is only a name, or says why it
    /// cannot.
    pub fn elements(
        &mut self,
        what: &str,
        node: &Node,
        expand: impl Fn(&Self, &str, Span) -> Result<Node, Diagnostic>,
    ) -> Vec<Element> {
        let mut elements: Vec<Element> = Vec::new();
        let mut names = HashSet::new();
        for item in self.list(node, &format!("the list of {what}s")) {
            let item = match item.as_text().map(|name| expand(self, name, item.at)) {
                Some(Ok(node)) => node,
                Some(Err(diagnostic)) => {
                    self.tell(item.at, diagnostic);
                    continue;
                }
                None => item.clone(),
            };
            let Some(name) = self.name_of(what, &item) else { continue };
            if !names.insert(name.clone()) {
                self.twice(what, &name, &item);
            }
            elements.push(Element { name, node: item });
        }
        elements
    }

    fn twice(&mut self, what: &str, name: &str, item: &Node) {
        let at = item.get("name").map_or(item.at, |node| node.at);
        let many = if what == "corpus" { "corpora".to_owned() } else { format!("{what}s") };
        let message = format!("two {many} have the name {}", quoted(name));
        let error = self.at(at, message).help("give one of them another name, or take it out");
        self.tell(at, error);
    }

    fn name_of(&mut self, what: &str, item: &Node) -> Option<String> {
        let map = self.map(item, &format!("a {what}"), "a name, or a mapping that has a `name`")?;
        let Some(node) = get(map, "name") else {
            let error = self.at(item.at, format_args!("a {what} needs a `name`"));
            self.tell(item.at, error.help("tables and results go by it"));
            return None;
        };
        let name = self.text(node, &format!("the name of a {what}"))?;
        let first = name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
        let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
        if !first || !rest || name.len() > LONGEST_NAME {
            let message = format!("{} cannot be the name of a {what}", quoted(name));
            let help =
                "use letters, digits, `-`, `_`, `.` and `+`, at most 64, a letter or digit first";
            let error = self.at(node.at, message).help(help);
            self.tell(node.at, error);
        }
        // Further messages about it repeat the name, which may be as long as the file.
        Some(name.chars().take(LONGEST_NAME).collect())
    }

    /// What a corpus that is only a name stands for.
    pub fn named_corpus(&self, name: &str, at: Span) -> Result<Node, Diagnostic> {
        self.catalogue.corpus(name, at).ok_or_else(|| {
            let known: Vec<&str> =
                self.catalogue.corpora().iter().map(|entry| entry.name.as_str()).collect();
            let message = format!("there is no corpus {} in the catalogue", quoted(name));
            self.at(at, message)
                .suggest(name, known.iter().copied())
                .help(format_args!("known: {}", known.join(", ")))
                .help("your own: `{name: mine, format: columns, train: train.txt, test: test.txt}`")
        })
    }

    /// What a scenario that is only a name stands for.
    pub fn named_scenario(&self, name: &str, at: Span) -> Result<Node, Diagnostic> {
        if name == "full" {
            return Ok(Node::map([("name".to_owned(), Node::text(name, at))], at));
        }
        let message = format!("there is no scenario {}", quoted(name));
        let help = "`full` is the whole corpus; another one says what it changes: `{name: low-200, train_sentences: 200}`";
        Err(self.at(at, message).suggest(name, ["full"]).help(help))
    }

    /// Models have no names of their own.
    pub fn named_model(&self, name: &str, at: Span) -> Result<Node, Diagnostic> {
        let message = format!("the model {} does not say its parts", quoted(name));
        let name = quoted(name);
        let name = name.trim_matches('`');
        let help = format!("write it as `{{name: {name}, encoder: bilstm, head: softmax}}`");
        Err(self.at(at, message).help(help).help("`tailgrid models` lists the parts"))
    }

    /// What a method that is only a name stands for.
    pub fn named_method(&self, name: &str, at: Span) -> Result<Node, Diagnostic> {
        self.catalogue.method(name, at).ok_or_else(|| {
            let known: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
            let error = self.at(at, format_args!("there is no method {}", quoted(name)));
            match did_you_mean(name, known.iter().copied()) {
                Some(near) => error.label(format_args!("did you mean `{near}`?")),
                None => error,
            }
            .help(format_args!("known: {}", known.join(", ")))
            .help("or compose one: `{name: mine, resample: scr, loss: focal}`")
        })
    }

    /// What a scenario changes; parameters that change nothing are left out.
    pub fn scenario(&mut self, element: &Element, node: &Node) -> Option<Parameters> {
        let what = format!("scenario `{}`", element.name);
        let map = self.map(node, &what, "a mapping")?;
        let given: Vec<_> =
            map.iter().filter(|(key, _)| key.text != "name").map(|(k, n)| (k, n)).collect();
        let values = scenarios::meant(self.parameters(&what, slots::SCENARIO, &given)?);
        let Err(error) = scenarios::check(&values) else { return Some(values) };
        let at = match &error {
            CorpusError::Setting { parameter, .. } => map
                .iter()
                .find(|(key, _)| key.text == *parameter)
                .map_or(node.at, |(key, _)| key.at),
            _ => node.at,
        };
        self.error(at, format_args!("{what}, {error}"));
        None
    }

    /// The parts of a method.
    pub fn method(&mut self, element: &Element, node: &Node) -> Option<CheckedMethod> {
        let what = format!("method `{}`", element.name);
        let map = self.map(node, &what, "a mapping")?;
        let parts = self.parts(&what, (map, node.at), slots::METHOD, &["name"])?;
        let settings = MethodSettings {
            augment: part(&parts, "augment"),
            resample: part(&parts, "resample"),
            unlabelled: part(&parts, "unlabelled"),
            negatives: part(&parts, "negatives"),
            loss: part(&parts, "loss")?,
            digests: BTreeMap::new(),
        };
        let entries = parts
            .iter()
            .flat_map(|(_, entry, part)| [*entry].into_iter().chain(inner(entry, part)));
        let mut method =
            CheckedMethod { entries: entries.collect(), settings, files: BTreeMap::new() };
        let named = get(map, "synonyms").or_else(|| get(map, "augment")?.get("synonyms"));
        self.synonyms(&what, named.map_or(node.at, |node| node.at), &mut method)?;
        Some(method)
    }

    /// How a model is trained.
    pub fn training(&mut self, _model: &Element, node: &Node) -> Option<TrainingSettings> {
        let map = self.map(node, "training", "a mapping")?;
        let given: Vec<(&Key, &Node)> = map.iter().map(|(key, node)| (key, node)).collect();
        let mut values = self.parameters("training", training::PARAMETERS, &given)?;
        if get(map, "backend").is_none() {
            let backend = ParameterValue::Text(self.default_backend.word().to_owned());
            values.0.insert("backend".to_owned(), backend);
        }
        let settings = TrainingSettings::new(values);
        let device = settings.device.as_str();
        if device != "cpu" && cuda(device).is_none() {
            let at = get(map, "device").map_or(node.at, |node| node.at);
            let message = format!("there is no device {}", quoted(device));
            let error = self.at(at, message).label("expected cpu, or cuda:N with a number from 0");
            self.tell(at, error);
            return None;
        }
        self.budget(map, &settings)?;
        // Results of another machine are read here, too: whether this one has the products is for
        // `plan` to say.
        if let Some(problem) = PrecisionProblem::of(&settings, true) {
            let at = get(map, "precision").map_or(node.at, |node| node.at);
            let error = self.at(at, problem).help("write `precision: f32`, which is the default");
            self.tell(at, error);
            return None;
        }
        Some(settings)
    }

    /// Whether what is said of the length of training goes together.
    fn budget(&mut self, map: &Map, settings: &TrainingSettings) -> Option<()> {
        let place = |name: &str| map.iter().find(|(key, _)| key.text == name);
        let mut refuse = |name: &str, message: String, help: &str| {
            let (key, _) = place(name)?;
            let error = self.at(key.at, message).help(help);
            self.tell(key.at, error);
            None::<()>
        };
        let &TrainingSettings { updates, epochs, eval_every: every, .. } = settings;
        if updates.is_some() && place("epochs").is_some() {
            let message = "`updates` and `epochs` are both given, and each says how long to train";
            return refuse(training::UPDATES, message.to_owned(), "keep one of them");
        }
        if updates.is_some() && settings.budget == BudgetRule::Passes {
            let message = "`updates` is given, but `budget: passes` counts passes".to_owned();
            let help = "write `epochs`, or `budget: updates`, which is the default";
            return refuse(training::UPDATES, message, help);
        }
        let evaluations = updates.map_or(epochs, |updates| updates.min(epochs));
        if every > evaluations {
            let message = format!(
                "the budget is shorter than one evaluation: `eval_every` is {every} of {evaluations}"
            );
            let help = "lower `eval_every`, or train for longer";
            return refuse("eval_every", message, help);
        }
        Some(())
    }

    /// The training that a model carries, a mapping in any case.
    pub fn own_training(&mut self, element: &Element) -> Node {
        let empty = Node { value: Value::Map(Map::new()), at: element.node.at };
        let Some(node) = element.node.get("training") else { return empty };
        match self.map(node, &format!("training of model `{}`", element.name), "a mapping") {
            Some(_) => node.clone(),
            None => empty,
        }
    }
}

/// The entries inside an entry.
fn inner(entry: &'static Entry, part: &Part) -> impl Iterator<Item = &'static Entry> {
    entry.parameters.iter().filter_map(|parameter| {
        let ParameterValue::Part(inner) = part.parameters.get(parameter.name)? else { return None };
        parameter.choices().find(|entry| entry.name == inner.kind)
    })
}

/// The number of a graphics card: `cuda:0`.
fn cuda(device: &str) -> Option<u8> {
    device.strip_prefix("cuda:")?.parse().ok()
}

/// The part that goes into a slot.
pub fn part(parts: &[(&'static Slot, &'static Entry, Part)], slot: &str) -> Option<Part> {
    parts.iter().find(|(s, ..)| s.name == slot).map(|(_, _, part)| part.clone())
}
