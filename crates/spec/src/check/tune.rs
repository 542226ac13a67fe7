//! `tune`: searches for the parameters of methods.

use super::Checker;
use super::axes::Element;
use super::ranges::can_be_searched;
use crate::diagnostic::quoted;
use crate::node::{Key, Map, Node, Value, get};
use crate::path::segments;
use crate::slots::{METHOD, Slot};
use crate::source::Span;
use crate::training;
use domain::{Dimension, Maximised, SearchPlan};
use parts::{Entry, Parameter};
use serde_json::Value as Json;

/// Keys of a search.
pub const TUNE: [&str; 7] =
    ["method", "parameters", "trials", "batch", "startup", "seed", "maximise"];
/// Trials of a search, at most.
pub const MAX_TRIALS: i64 = 1_000;
/// Trials, trials a batch, and trials that are left to chance, where the grid says nothing.
pub const DEFAULTS: [i64; 3] = [20, 4, 10];

/// What shows how a search is written.
const EXAMPLE: &str = "`{method: focal, parameters: {gamma: [0, 5]}, trials: 20}`";

/// The search of one method, on every corpus, scenario and model of the grid.
#[derive(Clone, Debug)]
pub struct CheckedSearch {
    /// Its place among the methods.
    pub method: usize,
    pub plan: SearchPlan,
    /// Where each dimension is written.
    pub places: Vec<Span>,
}

/// A parameter that a path leads to.
struct Target {
    path: String,
    parameter: &'static Parameter,
    /// Whose it is, in words: "loss `focal`".
    owner: String,
}

impl Checker<'_> {
    /// One search, or a list of them.
    pub fn tune(&mut self, node: &Node, methods: &[Element]) -> Vec<CheckedSearch> {
        let items = match &node.value {
            Value::List(_) => self.list(node, "tune"),
            _ => std::slice::from_ref(node),
        };
        let mut searches: Vec<CheckedSearch> = Vec::new();
        for item in items {
            let Some(search) = self.search(item, methods) else { continue };
            match searches.iter().any(|other| other.method == search.method) {
                true => {
                    let name = quoted(&methods[search.method].name);
                    let error = self.at(item.at, format_args!("the method {name} is tuned twice"));
                    self.tell(item.at, error.help("put all its parameters into one search"));
                }
                false => searches.push(search),
            }
        }
        searches
    }

    fn search(&mut self, node: &Node, methods: &[Element]) -> Option<CheckedSearch> {
        let map = self.map(node, "a search", EXAMPLE)?;
        for (key, _) in map.iter().filter(|(key, _)| !TUNE.contains(&key.text.as_str())) {
            self.unknown_key(key, "a search", &TUNE);
        }
        let [trials, batch, startup] = ["trials", "batch", "startup"].map(|key| get(map, key));
        let [trials, batch, startup] = [
            (trials, "the number of trials", 1),
            (batch, "the batch", 1),
            (startup, "`startup`", 0),
        ]
        .map(|(node, what, least)| match node {
            Some(node) => self.integer(node, what, least, MAX_TRIALS).map(Some),
            None => Some(None),
        });
        let seed = match get(map, "seed") {
            Some(node) => self.integer(node, "the seed of a search", 0, i64::MAX),
            None => Some(1),
        };
        let maximise = self.maximised(get(map, "maximise"));
        let method = self.tuned_method(node.at, map, methods);
        let Some(parameters) = get(map, "parameters") else {
            let error = self.at(node.at, "a search needs `parameters`");
            self.tell(node.at, error.help(format_args!("write it as {EXAMPLE}")));
            return None;
        };
        let method = method?;
        let (dimensions, places) = self.dimensions(parameters, &methods[method])?;
        let count = |given: Option<i64>, default| given.unwrap_or(default).unsigned_abs() as usize;
        let plan = SearchPlan {
            dimensions,
            trials: count(trials?, DEFAULTS[0]),
            batch: count(batch?, DEFAULTS[1]),
            startup: count(startup?, DEFAULTS[2]),
            seed: seed?.unsigned_abs(),
            maximise: maximise?,
        };
        Some(CheckedSearch { method, plan, places })
    }

    fn tuned_method(&mut self, at: Span, map: &Map, methods: &[Element]) -> Option<usize> {
        let Some(node) = get(map, "method") else {
            let error = self.at(at, "a search needs its `method`");
            self.tell(at, error.help(format_args!("write it as {EXAMPLE}")));
            return None;
        };
        let name = self.text(node, "the method of a search")?;
        let found = methods.iter().position(|method| method.name == name);
        if found.is_none() {
            let known: Vec<&str> = methods.iter().map(|method| method.name.as_str()).collect();
            self.unknown_name(node.at, "method in this grid that is called", name, &known);
        }
        found
    }

    fn maximised(&mut self, node: Option<&Node>) -> Option<Maximised> {
        let Some(node) = node else { return Some(Maximised::default()) };
        let name = self.text(node, "what a search maximises")?;
        let found = Maximised::ALL.into_iter().find(|one| one.name() == name);
        if found.is_none() {
            self.unknown_name(node.at, "dev score", name, &Maximised::ALL.map(Maximised::name));
        }
        found
    }

    /// The parameters in the order of their paths, whatever that of the file.
    fn dimensions(&mut self, node: &Node, method: &Element) -> Option<(Vec<Dimension>, Vec<Span>)> {
        let map =
            self.map(node, "`parameters`", "a mapping of parameters to ranges: `{gamma: [0, 5]}`")?;
        if map.is_empty() {
            self.error(node.at, "`parameters` is empty: name at least one");
            return None;
        }
        // What is wrong with the method itself is told where it stands.
        let parts = self.method(method, &method.node)?.settings;
        let parts = serde_json::to_value(parts).ok()?;
        let mut found: Vec<(Dimension, Span)> = Vec::new();
        let mut complete = true;
        for (key, node) in map {
            match self.dimension(&parts, method, key, node) {
                Some(dimension) if found.iter().any(|(known, _)| known.path == dimension.path) => {
                    self.error(key.at, format_args!("{} is searched twice", quoted(&key.text)));
                    complete = false;
                }
                Some(dimension) => found.push((dimension, key.at)),
                None => complete = false,
            }
        }
        let of = |path: &str| found.iter().find(|(dimension, _)| dimension.path == path);
        if let (Some(_), Some((_, at))) = (of("training.epochs"), of("training.updates")) {
            let message = "`training.epochs` and `training.updates` are both searched";
            let error = self.at(*at, message).help("each says how long to train: keep one of them");
            self.tell(*at, error);
            complete = false;
        }
        found.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        complete.then(|| found.into_iter().unzip())
    }

    fn dimension(
        &mut self,
        parts: &Json,
        method: &Element,
        key: &Key,
        node: &Node,
    ) -> Option<Dimension> {
        let target = self.target(parts, method, key)?;
        let what = format!("{} of {}", quoted(target.parameter.name), target.owner);
        let range = self.range(&what, target.parameter, node)?;
        Some(Dimension { path: target.path, name: key.text.clone(), range })
    }

    /// What a path below the method, or below `training`, leads to.
    fn target(&mut self, parts: &Json, method: &Element, key: &Key) -> Option<Target> {
        let path = segments(&key.text, key.at);
        let names: Vec<&str> = path.iter().map(|segment| segment.text.as_str()).collect();
        let found: Vec<Target> = match names[..] {
            ["training", name] => training_target(name).into_iter().collect(),
            ["method", ref rest @ ..] | ref rest => method_targets(parts, rest),
        };
        match found.len() {
            1 => found.into_iter().next(),
            0 => {
                self.no_target(parts, method, key);
                None
            }
            _ => {
                let nested: Vec<String> = found
                    .iter()
                    .map(|target| format!("`{}`", target.path.trim_start_matches("method.")))
                    .collect();
                let name = quoted(&method.name);
                let message =
                    format!("{} of method {name} can mean more than one part", quoted(&key.text));
                let error = self.at(key.at, message);
                self.tell(key.at, error.help(format_args!("say which: {}", nested.join(" or "))));
                None
            }
        }
    }

    fn no_target(&mut self, parts: &Json, method: &Element, key: &Key) {
        let nested = parameters_of(parts);
        let short = nested.iter().filter_map(|path| path.rsplit('.').next());
        let training = training::PARAMETERS.iter().map(|p| format!("training.{}", p.name));
        let known: Vec<String> =
            short.map(str::to_owned).chain(nested.iter().cloned()).chain(training).collect();
        let message =
            format!("method {} has no parameter {}", quoted(&method.name), quoted(&key.text));
        let help = match nested.is_empty() {
            true => "the method has none; those of training are `training.…`".to_owned(),
            false => format!("it has {}; those of training are `training.…`", nested.join(", ")),
        };
        let error = self.at(key.at, message);
        let error = error.suggest(&key.text, known.iter().map(String::as_str)).help(help);
        self.tell(key.at, error);
    }
}

fn training_target(name: &str) -> Option<Target> {
    let parameter = training::PARAMETERS.iter().find(|parameter| parameter.name == name)?;
    Some(Target { path: format!("training.{name}"), parameter, owner: "training".to_owned() })
}

/// The parameters of this name of parts inside parts.
fn nested_targets(parts: &Json, name: &str) -> Vec<Target> {
    let paths = parameters_of(parts)
        .into_iter()
        .filter(|path| path.matches('.').count() > 1 && path.rsplit('.').next() == Some(name));
    paths.flat_map(|path| method_targets(parts, &path.split('.').collect::<Vec<_>>())).collect()
}

/// What a path below the method can mean: one parameter, or for a short form several.
fn method_targets(parts: &Json, path: &[&str]) -> Vec<Target> {
    match path {
        [name] => {
            let of_slots = METHOD.iter().filter_map(|slot| part_target(parts, slot, &[name]));
            let own: Vec<Target> = of_slots.collect();
            if own.is_empty() { nested_targets(parts, name) } else { own }
        }
        [first, rest @ ..] => {
            let slot = METHOD.iter().find(|slot| slot.name == *first);
            slot.and_then(|slot| part_target(parts, slot, rest)).into_iter().collect()
        }
        [] => Vec::new(),
    }
}

/// The parameter at a path below a slot; a part may hold another one of its slot.
fn part_target(parts: &Json, slot: &Slot, path: &[&str]) -> Option<Target> {
    let (name, inner) = path.split_last()?;
    let mut part = parts.get(slot.name)?;
    for step in inner {
        part = part.get(step)?;
    }
    let entry = entry_of(slot, part)?;
    let parameter = entry.parameters.iter().find(|parameter| parameter.name == *name)?;
    // What is in the settings can be set there.
    part.get(name)?;
    let steps: Vec<&str> = ["method", slot.name].into_iter().chain(path.iter().copied()).collect();
    let owner = format!("{} `{}`", slot.name, entry.name);
    Some(Target { path: steps.join("."), parameter, owner })
}

fn entry_of(slot: &Slot, part: &Json) -> Option<&'static Entry> {
    slot.find(part.get("kind")?.as_str()?)
}

/// Every parameter of a method that can be searched, by its path.
fn parameters_of(parts: &Json) -> Vec<String> {
    let mut found = Vec::new();
    for slot in METHOD {
        if let Some(part) = parts.get(slot.name) {
            collect(slot, part, slot.name.to_owned(), &mut found);
        }
    }
    found
}

fn collect(slot: &Slot, part: &Json, path: String, found: &mut Vec<String>) {
    let entry = entry_of(slot, part);
    let own = entry.into_iter().flat_map(|entry| entry.parameters).filter(|p| can_be_searched(p));
    found.extend(own.map(|parameter| format!("{path}.{}", parameter.name)));
    for (name, inner) in part.as_object().into_iter().flatten() {
        if inner.get("kind").is_some() {
            collect(slot, inner, format!("{path}.{name}"), found);
        }
    }
}
