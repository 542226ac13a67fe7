//! Overrides and exclusions: rules for the points whose names fit a pattern.

use super::Checker;
use crate::diagnostic::{listed, quoted};
use crate::glob::Glob;
use crate::node::{Key, Map, Node, Value, get};
use crate::path::segments;
use crate::source::Span;
use crate::yaml;

/// What a pattern can look at.
pub const PATTERN_KEYS: [&str; 4] = ["corpus", "scenario", "model", "method"];
/// Overrides, and exclusions, of one grid.
const MAX_RULES: usize = 1000;

/// What the path of an override can begin with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Axis {
    Corpus,
    Scenario,
    Model,
    Method,
    Training,
}

impl Axis {
    /// All of them.
    pub const ALL: [Axis; 5] =
        [Axis::Corpus, Axis::Scenario, Axis::Model, Axis::Method, Axis::Training];

    /// As paths write it.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Corpus => "corpus",
            Axis::Scenario => "scenario",
            Axis::Model => "model",
            Axis::Method => "method",
            Axis::Training => "training",
        }
    }
}

/// Names that fit: for each of [`PATTERN_KEYS`] any of some globs, or anything.
#[derive(Clone, Debug, Default)]
pub struct Pattern([Option<Vec<Glob>>; 4]);

/// One entry of `overrides`.
#[derive(Clone, Debug)]
pub struct Override {
    pub when: Pattern,
    pub assignments: Vec<Assignment>,
    pub at: Span,
}

/// One path with its value.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub axis: Axis,
    /// Below the axis.
    pub path: Vec<Key>,
    pub value: Node,
    /// As `explain` shows it.
    pub shown: String,
}

impl Pattern {
    /// Whether a point's names, in the order of [`PATTERN_KEYS`], fit.
    pub fn matches(&self, names: &[&str; 4]) -> bool {
        let fits = |(globs, name): (&Option<Vec<Glob>>, &&str)| match globs {
            Some(globs) => globs.iter().any(|glob| glob.matches(name)),
            None => true,
        };
        self.0.iter().zip(names).all(fits)
    }
}

impl Checker<'_> {
    /// The entries of `overrides`.
    pub fn overrides(&mut self, node: &Node) -> Vec<Override> {
        self.rules(node, "overrides").iter().filter_map(|item| self.override_entry(item)).collect()
    }

    /// The entries of a list of rules, which may be empty. Every rule is held against every point.
    fn rules<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        let items = match &node.value {
            Value::List(items) => items,
            _ => self.list(node, what),
        };
        if items.len() > MAX_RULES {
            let message = format!("`{what}` has {} entries, more than {MAX_RULES}", items.len());
            let error =
                self.at(node.at, message).help("one pattern can name many: `model: [a, b*]`");
            self.tell(node.at, error);
        }
        &items[..items.len().min(MAX_RULES)]
    }

    fn override_entry(&mut self, item: &Node) -> Option<Override> {
        let map = self.map(item, "an override", "`{when: {…}, set: {…}}`")?;
        for (key, _) in map {
            if !["when", "set"].contains(&key.text.as_str()) {
                self.unknown_key(key, "an override", &["when", "set"]);
            }
        }
        let when = match get(map, "when") {
            Some(node) => self.pattern("when", node)?,
            None => Pattern::default(),
        };
        let Some(set) = get(map, "set") else {
            let error = self.at(item.at, "an override needs `set`");
            self.tell(item.at, error.help("for example `set: {training.epochs: 5}`"));
            return None;
        };
        let set = self.map(set, "`set`", "a mapping of paths to values")?;
        if let (Some(_), Some(updates)) =
            (get(set, "training.epochs"), get(set, "training.updates"))
        {
            let error = self
                .at(updates.at, "one override sets both `training.epochs` and `training.updates`");
            self.tell(updates.at, error.help("each says how long to train: keep one of them"));
        }
        let assignments = set.iter().filter_map(|(key, node)| self.assignment(key, node)).collect();
        Some(Override { when, assignments, at: item.at })
    }

    fn assignment(&mut self, key: &Key, value: &Node) -> Option<Assignment> {
        let mut path = segments(&key.text, key.at);
        let first = path.remove(0);
        let Some(axis) = Axis::ALL.into_iter().find(|axis| axis.name() == first.text) else {
            let message = format!("an override cannot set {}", quoted(&key.text));
            let error = self
                .at(first.at, message)
                .suggest(&first.text, Axis::ALL.map(Axis::name))
                .help("paths begin with corpus, scenario, model, method or training");
            self.tell(first.at, error);
            return None;
        };
        let second = path.first().map(|key| key.text.as_str());
        let problem = match (axis, second) {
            (_, None) => Some(format!("`{0}` needs a setting: `{0}.…`", first.text)),
            (_, Some("name")) => {
                Some("a name cannot be overridden: it is what `when` looks at".into())
            }
            (Axis::Model, Some("training")) => Some("write `training.…` without `model.`".into()),
            _ => None,
        };
        if let Some(problem) = problem {
            self.error(key.at, problem);
            return None;
        }
        let shown =
            format!("{} = {} ({})", key.text, yaml::flow(value), self.sources.place(key.at));
        Some(Assignment { axis, path, value: value.clone(), shown })
    }

    /// The entries of `exclude`.
    pub fn exclusions(&mut self, node: &Node) -> Vec<(Pattern, Span)> {
        let items = self.rules(node, "exclude");
        let pattern = |item: &Node| Some((self.pattern("exclude", item)?, item.at));
        items.iter().filter_map(pattern).collect()
    }

    fn pattern(&mut self, what: &str, node: &Node) -> Option<Pattern> {
        let map: &Map =
            self.map(node, &format!("`{what}`"), "a mapping such as `{model: shallow*}`")?;
        if map.is_empty() && what == "exclude" {
            self.error(node.at, "this would exclude every job");
        }
        let mut pattern = Pattern::default();
        for (key, value) in map {
            match PATTERN_KEYS.iter().position(|known| *known == key.text) {
                Some(index) => pattern.0[index] = self.globs(&key.text, value),
                None => self.unknown_key(key, &format!("`{what}`"), &PATTERN_KEYS),
            }
        }
        Some(pattern)
    }

    fn globs(&mut self, what: &str, node: &Node) -> Option<Vec<Glob>> {
        let what = format!("the pattern for {what}");
        match &node.value {
            Value::List(_) => {
                let texts = self.list(node, &what).iter();
                Some(texts.filter_map(|item| self.text(item, &what).map(Glob::new)).collect())
            }
            _ => self.text(node, &what).map(|text| vec![Glob::new(text)]),
        }
    }

    /// A rule that fits no job is most likely a typing error.
    pub fn idle(&mut self, at: Span, what: &str, pattern: &Pattern, names: [&[String]; 4]) {
        let mut warning = self.at(at, format_args!("{what} fits no job")).warning();
        for ((key, names), _) in
            PATTERN_KEYS.iter().zip(names).zip(&pattern.0).filter(|(_, globs)| globs.is_some())
        {
            let names = listed(names.iter().take(12).map(String::as_str));
            warning = warning.help(format_args!("the grid's {key} can be {names}"));
        }
        self.tell(at, warning);
    }
}
