//! The walk over the whole grid.

use super::Checker;
use super::axes::Element;
use super::overrides::{Override, Pattern};
use super::tune::CheckedSearch;
use crate::grid::Limits;
use crate::node::{Map, Node, Value, get, merge};
use crate::source::Span;
use crate::training;
use domain::{Metric, Optimiser, ReportPlan, Stopping};
use parts::{Capability, Preset, encoders};

/// The keys of a grid with one line of help each.
pub const GRID_KEYS: &[(&str, &str)] = &[
    ("version", "the version of this form; always 1"),
    ("name", "names results/<name>/ and reports/<name>/: lower-case letters, digits and -"),
    ("extends", "another grid, relative to this one, that this one changes"),
    ("corpora", "what is learnt: names of the catalogue, or corpora in place"),
    ("scenarios", "how the corpus is changed; [full] leaves it as it is"),
    ("models", "what learns: an encoder, a head and embeddings"),
    ("methods", "what is done about imbalance: names of the catalogue, or composed in place"),
    ("seeds", "5 is 1 to 5; or a list"),
    ("baseline", "the method that every other one is compared with"),
    ("metric", "the headline of tables and tests"),
    ("training", "how models are trained; a model may carry its own"),
    ("overrides", "settings for the points whose names fit, applied in order"),
    ("exclude", "points that are left out"),
    ("limits", "what a job may use"),
    ("tune", "searches for parameters of methods on dev: one, or a list of them"),
    ("stopping", "looks at comparisons before all seeds are there"),
    ("report", "what the report shows beside what every report does"),
];

/// A grid whose every part was looked at, not yet expanded.
#[derive(Debug)]
pub struct Checked {
    pub name: String,
    pub corpora: Vec<Element>,
    pub scenarios: Vec<Element>,
    pub models: Vec<Element>,
    pub methods: Vec<Element>,
    pub seeds: Vec<u64>,
    pub baseline: Option<String>,
    pub metric: Metric,
    /// For each model: the grid's training under its own.
    pub training: Vec<Element>,
    pub overrides: Vec<Override>,
    pub exclude: Vec<(Pattern, Span)>,
    pub limits: Limits,
    pub stopping: Option<Stopping>,
    pub report: ReportPlan,
    pub searches: Vec<CheckedSearch>,
}

impl Checker<'_> {
    /// Checks everything but what overrides make of it.
    pub fn grid(&mut self, tree: &Node) -> Checked {
        let empty = Map::new();
        let map = self.map(tree, "a grid", "a mapping").unwrap_or(&empty);
        let known: Vec<&str> = GRID_KEYS.iter().map(|(key, _)| *key).collect();
        for (key, _) in map.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            self.misplaced(key, &known);
        }
        if let Some(extends) = get(map, "extends") {
            self.error(extends.at, "`extends` can only stand in a file");
        }
        let at = Span { line: 1, column: 1, length: 1, ..tree.at };
        self.version(get(map, "version"), at);
        let name = self.grid_name(get(map, "name"), at).unwrap_or_default();
        let corpora = self.axis(map, ("corpora", "corpus", at), Self::named_corpus);
        let scenarios = match get(map, "scenarios") {
            Some(node) => self.elements("scenario", node, Self::named_scenario),
            None => self.named_scenario("full", at).into_iter().map(full).collect(),
        };
        let models = self.axis(map, ("models", "model", at), Self::named_model);
        let methods = self.axis(map, ("methods", "method", at), Self::named_method);
        let names: Vec<&str> = methods.iter().map(|element| element.name.as_str()).collect();
        let checked = Checked {
            name,
            seeds: self.seeds(get(map, "seeds"), at),
            baseline: self.baseline(get(map, "baseline"), &names),
            metric: self.metric(get(map, "metric")),
            training: self.trainings(get(map, "training"), &models, at),
            overrides: get(map, "overrides").map(|n| self.overrides(n)).unwrap_or_default(),
            exclude: get(map, "exclude").map(|n| self.exclusions(n)).unwrap_or_default(),
            limits: self.limits(get(map, "limits")),
            stopping: get(map, "stopping").and_then(|n| self.stopping(n)),
            report: self.asked_report(map, [&corpora, &scenarios, &models, &methods]),
            searches: get(map, "tune").map(|n| self.tune(n, &methods)).unwrap_or_default(),
            corpora,
            scenarios,
            models,
            methods,
        };
        self.bare(&checked);
        checked
    }

    fn asked_report(&mut self, map: &Map, axes: [&[Element]; 4]) -> ReportPlan {
        let [corpora, scenarios, models, methods] = axes;
        let axes =
            [("corpus", corpora), ("scenario", scenarios), ("model", models), ("method", methods)];
        get(map, "report").map(|node| self.report(node, axes)).unwrap_or_default()
    }

    fn axis(
        &mut self,
        map: &Map,
        (key, what, grid): (&str, &str, Span),
        expand: impl Fn(&Self, &str, Span) -> Result<Node, crate::diagnostic::Diagnostic>,
    ) -> Vec<Element> {
        match get(map, key) {
            Some(node) => self.elements(what, node, expand),
            None => {
                self.error(grid, format_args!("the grid has no `{key}`: name at least one {what}"));
                Vec::new()
            }
        }
    }

    /// The training of each model.
    fn trainings(&mut self, common: Option<&Node>, models: &[Element], at: Span) -> Vec<Element> {
        let empty = Node { value: Value::Map(Map::new()), at };
        let common = match common {
            Some(node) if self.map(node, "training", "a mapping").is_some() => node.clone(),
            _ => empty,
        };
        if models.is_empty() {
            // Nobody trains, but what is written is checked all the same.
            self.training(&Element { name: String::new(), node: common.clone() }, &common);
        }
        models
            .iter()
            .map(|model| {
                let [common, own] =
                    [common.clone(), self.own_training(model)].map(training::without_auto);
                let given = merge(common, own);
                let usual = merge(usual_training(model), usual_with_optimiser(&given));
                let node = merge(usual, given);
                Element { name: model.name.clone(), node }
            })
            .collect()
    }

    /// Looks at every element as it is written, whether or not a job comes of it.
    fn bare(&mut self, checked: &Checked) {
        for element in &checked.corpora {
            self.corpus(element, &element.node);
        }
        for element in &checked.scenarios {
            self.scenario(element, &element.node);
        }
        for element in &checked.models {
            self.model(element, &element.node);
        }
        for element in &checked.methods {
            self.method(element, &element.node);
        }
        for element in &checked.training {
            self.training(element, &element.node);
        }
    }
}

/// What an encoder is usually trained with, where that differs from what all are.
fn usual_training(model: &Element) -> Node {
    let at = model.node.at;
    let encoder =
        model.node.get("encoder").and_then(|node| node.get("kind").unwrap_or(node).as_text());
    // What suits a checkpoint does not suit fresh parameters.
    let suits = |name: &&str| {
        !encoders::can(name, Capability::Pieces) || model.node.get("checkpoint").is_some()
    };
    let presets = encoder.filter(suits).map(encoders::training).unwrap_or_default().iter();
    Node::map(presets.map(|(name, preset)| ((*name).to_owned(), Node::preset(*preset, at))), at)
}

/// What an optimiser is usually run with, where that differs from what all are.
fn usual_with_optimiser(given: &Node) -> Node {
    let is_pesg = given.get("optimiser").and_then(Node::as_text) == Some(Optimiser::Pesg.word());
    let presets = if is_pesg { training::PESG } else { &[] };
    let preset =
        |(name, preset): &(&str, Preset)| ((*name).to_owned(), Node::preset(*preset, given.at));
    Node::map(presets.iter().map(preset), given.at)
}

fn full(node: Node) -> Element {
    Element { name: "full".to_owned(), node }
}
