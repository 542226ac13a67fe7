//! What stands beside the axes: version, name, seeds, baseline, metric, limits.

use super::Checker;
use crate::diagnostic::{did_you_mean, listed, quoted};
use crate::grid::Limits;
use crate::node::{Node, Value};
use crate::source::Span;
use domain::Metric;
use std::time::Duration;

/// Seeds of a grid, at most.
pub const MAX_SEEDS: i64 = 10_000;
/// Further tries, at most.
pub const MAX_RETRIES: i64 = 10;
/// Keys of `limits`.
pub const LIMITS: [&str; 3] = ["time", "memory", "retries"];

impl Checker<'_> {
    /// `version: 1`.
    pub fn version(&mut self, node: Option<&Node>, grid: Span) {
        match node {
            Some(Node { value: Value::Integer(1), .. }) => {}
            Some(node) => {
                let message = format!("the version of the grid is {}", node.describe());
                let error = self.at(node.at, message).label("this program reads version 1");
                self.tell(node.at, error);
            }
            None => {
                let error = self.at(grid, "the grid does not say its version");
                self.tell(grid, error.help("add `version: 1`"));
            }
        }
    }

    /// The grid's name: a folder of results goes by it.
    pub fn grid_name(&mut self, node: Option<&Node>, grid: Span) -> Option<String> {
        let Some(node) = node else {
            let error = self.at(grid, "the grid has no name");
            self.tell(grid, error.help("add `name: my-grid`: results are kept under it"));
            return None;
        };
        let name = self.text(node, "the grid's name")?;
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
            let suggestion: String = name
                .to_lowercase()
                .chars()
                .map(|c| if allowed(c) { c } else { '-' })
                .take(64)
                .collect();
            let error = self.at(node.at, format_args!("{} cannot name a grid", quoted(name)));
            let error = match suggestion.trim_matches('-') {
                "" => error,
                better => error.label(format_args!("did you mean `{better}`?")),
            };
            let help = "a folder goes by it: lower-case letters, digits and `-`, at most 64";
            self.tell(node.at, error.help(help));
        }
        Some(name.to_owned())
    }

    /// `seeds: 5` is 1 to 5; a list is taken as it is.
    pub fn seeds(&mut self, node: Option<&Node>, grid: Span) -> Vec<u64> {
        let Some(node) = node else {
            let error = self.at(grid, "the grid has no seeds");
            self.tell(grid, error.help("add `seeds: 5`: every point is run with the seeds 1 to 5"));
            return Vec::new();
        };
        let Value::List(items) = &node.value else {
            let count = self.integer(node, "the number of seeds", 1, MAX_SEEDS);
            return count.map(|n| (1..=n.unsigned_abs()).collect()).unwrap_or_default();
        };
        let mut seeds = Vec::new();
        self.list(node, "the list of seeds");
        for item in items.iter().take(MAX_SEEDS as usize) {
            let Some(seed) = self.integer(item, "a seed", 0, i64::MAX) else { continue };
            match seeds.contains(&seed.unsigned_abs()) {
                true => self.error(item.at, format_args!("the seed {seed} is here twice")),
                false => seeds.push(seed.unsigned_abs()),
            }
        }
        if items.len() > MAX_SEEDS as usize {
            self.error(node.at, format_args!("more than {MAX_SEEDS} seeds"));
        }
        seeds
    }

    /// The method that others are compared with.
    pub fn baseline(&mut self, node: Option<&Node>, methods: &[&str]) -> Option<String> {
        let node = node.filter(|node| node.value != Value::Null)?;
        let name = self.text(node, "the baseline")?;
        if !methods.contains(&name) {
            let message = format!("the baseline {} is not among the methods", quoted(name));
            let error = self.at(node.at, message).suggest(name, methods.iter().copied());
            let help = match methods.is_empty() {
                // The list of methods has errors of its own.
                true => "add it to the methods".to_owned(),
                false => format!(
                    "add it to the methods, or take one of: {}",
                    listed(methods.iter().copied())
                ),
            };
            self.tell(node.at, error.help(help));
        }
        Some(name.to_owned())
    }

    /// The headline score.
    pub fn metric(&mut self, node: Option<&Node>) -> Metric {
        let Some(node) = node else { return Metric::default() };
        let Some(name) = self.text(node, "the metric") else { return Metric::default() };
        name.parse().unwrap_or_else(|_| {
            self.unknown_name(node.at, "metric", name, &Metric::ALL.map(Metric::name));
            Metric::default()
        })
    }

    /// What a job may use.
    pub fn limits(&mut self, node: Option<&Node>) -> Limits {
        let mut limits = Limits::default();
        let Some(node) = node else { return limits };
        let Some(map) = self.map(node, "limits", "a mapping") else { return limits };
        for (key, node) in map {
            match key.text.as_str() {
                "time" => limits.time = self.time(node),
                "memory" => limits.memory = self.memory(node),
                "retries" => {
                    if let Some(n) = self.integer(node, "retries", 0, MAX_RETRIES) {
                        limits.retries = n as u32;
                    }
                }
                _ => self.unknown_key(key, "limits", &LIMITS),
            }
        }
        limits
    }

    fn time(&mut self, node: &Node) -> Option<Duration> {
        let time = node.as_text().and_then(|text| humantime::parse_duration(text).ok());
        let time = time.filter(|time| !time.is_zero());
        if time.is_none() {
            self.mismatch(node, "the time limit", "a time with its unit, such as `2h` or `90min`");
        }
        time
    }

    fn memory(&mut self, node: &Node) -> Option<u64> {
        // A bare number would be bytes, which nobody means.
        let size = node.as_text().and_then(|text| text.parse::<bytesize::ByteSize>().ok());
        let size = size.map(|size| size.as_u64()).filter(|size| *size > 0);
        if size.is_none() {
            self.mismatch(node, "the memory limit", "a size with its unit, such as `6GiB`");
        }
        size
    }

    /// The same text with the nearest known name, for keys of the grid itself.
    pub fn misplaced(&mut self, key: &crate::node::Key, known: &[&str]) {
        let nearby = did_you_mean(&key.text, known.iter().copied());
        let training = crate::training::PARAMETERS.iter().any(|p| p.name == key.text);
        if nearby.is_none() && training {
            let message = format!("a grid has no setting {}", quoted(&key.text));
            let error = self.at(key.at, message).label("a setting of `training`");
            let help = format!("write it as `training: {{{}: …}}`", key.text);
            return self.tell(key.at, error.help(help));
        }
        self.unknown_key(key, "a grid", known);
    }
}
