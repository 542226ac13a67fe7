//! `report`: what a report shows beside what every report does.

use super::Checker;
use super::axes::Element;
use crate::diagnostic::quoted;
use crate::node::{Node, Value, get};
use domain::{Bands, Contender, NoContender, OtherNames, ReportPlan, Spread};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Keys of `report` with one line of help each.
pub const REPORT: [(&str, &str); 6] = [
    (
        "spread",
        "what stands behind a mean: the standard deviation, or its bootstrapped standard error",
    ),
    (
        "bands",
        "what bands of figures are: 95 % intervals of the mean from the t-distribution, or by the bootstrap",
    ),
    ("tables", "kinds of tables beside those that appear by themselves"),
    ("published", "published numbers that ours are shown beside: names in published/, or files"),
    ("names", "what those files call otherwise than this grid: `{model: {theirs: ours}}`"),
    ("pairs", "who is compared with whom beside the baseline: `[[MODEL/METHOD, METHOD]]`"),
];

/// Where files of published numbers are that are given by name, beside the grid.
const FOLDER: &str = "published";

/// Pairs that are compared beside the baseline.
const MAX_PAIRS: usize = 1000;

/// An axis and the names that the grid has on it.
type Axis<'a> = (&'static str, &'a [Element]);

impl Checker<'_> {
    /// What is asked; what cannot be understood is left out.
    pub fn report(&mut self, node: &Node, axes: [Axis<'_>; 4]) -> ReportPlan {
        let example = "a mapping: `{spread: se, published: wang2022-table-03}`";
        let Some(map) = self.map(node, "report", example) else { return ReportPlan::default() };
        let known = REPORT.map(|(key, _)| key);
        for (key, _) in map.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            self.unknown_key(key, "report", &known);
        }
        let tables = get(map, "tables").map(|node| self.one_or_more(node, "the list of tables"));
        let published = get(map, "published")
            .map(|node| self.one_or_more(node, "the list of published tables"));
        ReportPlan {
            spread: get(map, "spread").and_then(|node| self.spread(node)).unwrap_or_default(),
            bands: get(map, "bands").and_then(|node| self.bands(node)).unwrap_or_default(),
            tables: tables.into_iter().flatten().filter_map(|node| self.table(node)).collect(),
            published: published
                .into_iter()
                .flatten()
                .filter_map(|node| self.published(node))
                .collect(),
            names: get(map, "names").map(|node| self.names(node, &axes)).unwrap_or_default(),
            pairs: get(map, "pairs").map(|node| self.pairs(node, &axes)).unwrap_or_default(),
        }
    }

    /// Two contenders each.
    fn pairs(&mut self, node: &Node, axes: &[Axis<'_>]) -> Vec<[Contender; 2]> {
        let pairs = self.list(node, "the list of pairs");
        if pairs.len() > MAX_PAIRS {
            self.error(node.at, format_args!("more than {MAX_PAIRS} pairs"));
        }
        pairs.iter().take(MAX_PAIRS).filter_map(|pair| self.pair(pair, axes)).collect()
    }

    fn pair(&mut self, node: &Node, axes: &[Axis<'_>]) -> Option<[Contender; 2]> {
        let sides = match &node.value {
            Value::List(sides) => sides.as_slice(),
            _ => &[],
        };
        let [a, b] = sides else {
            self.error(node.at, "a pair has two sides: `[MODEL/METHOD, MODEL/METHOD]`");
            return None;
        };
        let [a, b] = [a, b].map(|side| self.contender(side, axes));
        let pair = [a?, b?];
        if pair[0] == pair[1] {
            let name = quoted(&pair[0].to_string());
            self.error(node.at, format_args!("{name} is compared with itself"));
            return None;
        }
        Some(pair)
    }

    /// A method of the grid, with a model of it or without.
    fn contender(&mut self, node: &Node, axes: &[Axis<'_>]) -> Option<Contender> {
        let text = self.text(node, "a side of a pair")?;
        let names = |axis: &str| -> Vec<&str> {
            let of_axis = axes.iter().filter(|(name, _)| *name == axis);
            of_axis.flat_map(|(_, elements)| elements.iter().map(|e| e.name.as_str())).collect()
        };
        let [models, methods] = ["model", "method"].map(names);
        match Contender::read(text, &models, &methods) {
            Ok(contender) => return Some(contender),
            Err(NoContender::Model(name)) => {
                self.unknown_name(node.at, "model in this grid that is called", &name, &models);
            }
            Err(NoContender::Method(name)) => {
                self.unknown_name(node.at, "method in this grid that is called", &name, &methods);
            }
            Err(NoContender::ModelAlone(name)) => {
                let message = format!("{} is a model", quoted(&name));
                let error = self.at(node.at, message).help(format_args!("write `{name}/METHOD`"));
                self.tell(node.at, error);
            }
        }
        None
    }

    /// The elements of a list; a value alone is one of them.
    fn one_or_more<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.value {
            Value::List(_) => self.list(node, what),
            _ => std::slice::from_ref(node),
        }
    }

    fn spread(&mut self, node: &Node) -> Option<Spread> {
        let name = self.text(node, "the spread")?;
        let found = Spread::ALL.into_iter().find(|spread| spread.name() == name);
        if found.is_none() {
            self.unknown_name(node.at, "spread", name, &Spread::ALL.map(Spread::name));
        }
        found
    }

    fn bands(&mut self, node: &Node) -> Option<Bands> {
        let name = self.text(node, "the kind of bands")?;
        let found = Bands::ALL.into_iter().find(|bands| bands.name() == name);
        if found.is_none() {
            self.unknown_name(node.at, "kind of bands", name, &Bands::ALL.map(Bands::name));
        }
        found
    }

    fn table(&mut self, node: &Node) -> Option<String> {
        let name = self.text(node, "a kind of table")?;
        let known: Vec<&str> = self.tables.iter().map(|kind| kind.name).collect();
        if !known.contains(&name) {
            self.unknown_name(node.at, "kind of table", name, &known);
            return None;
        }
        Some(name.to_owned())
    }

    /// A file of published numbers that is there.
    fn published(&mut self, node: &Node) -> Option<PathBuf> {
        let name = self.text(node, "a published table")?;
        let base = self.sources.base(node.at);
        let folder = base.join(FOLDER);
        let path = match name.contains(['/', '\\']) || name.ends_with(".csv") {
            true => base.join(name),
            false => folder.join(format!("{name}.csv")),
        };
        if path.is_file() {
            return Some(path);
        }
        if self.without_files {
            let message = format!("the published table {} is not here and left out", quoted(name));
            let warning = self.at(node.at, message).warning();
            self.tell(node.at, warning);
            return None;
        }
        let known = known_tables(&folder);
        let error = self
            .at(node.at, format_args!("there is no published table {}", quoted(name)))
            .suggest(name, known.iter().map(String::as_str))
            .help(format_args!(
                "looked for {}; a table elsewhere is named by its path from the grid, with `.csv`",
                quoted(&path.display().to_string())
            ));
        self.tell(node.at, error);
        None
    }

    fn names(&mut self, node: &Node, axes: &[Axis<'_>]) -> OtherNames {
        let example = "a mapping: `{model: {theirs: ours}}`";
        let mut names = OtherNames::default();
        for (key, node) in self.map(node, "names", example).into_iter().flatten() {
            let Some(axis) = OtherNames::AXES.into_iter().find(|axis| *axis == key.text) else {
                self.unknown_key(key, "names", &OtherNames::AXES);
                continue;
            };
            let known = axes.iter().find(|(name, _)| *name == axis).map(|(_, elements)| *elements);
            let mut of_axis = BTreeMap::new();
            for (theirs, ours) in
                self.map(node, axis, "a mapping: `{theirs: ours}`").into_iter().flatten()
            {
                if let Some(ours) = self.own_name(ours, axis, known) {
                    of_axis.insert(theirs.text.clone(), ours);
                }
            }
            names.0.insert(axis, of_axis);
        }
        names
    }

    /// A name that the grid has; whether it has a type, only its corpora know.
    fn own_name(&mut self, node: &Node, axis: &str, known: Option<&[Element]>) -> Option<String> {
        let name = self.text(node, &format!("a {axis}'s name"))?;
        if let Some(elements) = known
            && !elements.iter().any(|element| element.name == name)
        {
            let known: Vec<&str> = elements.iter().map(|element| element.name.as_str()).collect();
            self.unknown_name(
                node.at,
                &format!("{axis} in this grid that is called"),
                name,
                &known,
            );
            return None;
        }
        Some(name.to_owned())
    }
}

/// The names of the published tables of a folder.
fn known_tables(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let stem = |entry: std::fs::DirEntry| {
        let path = entry.path();
        let is_table = path.extension().is_some_and(|ending| ending == "csv");
        is_table.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).flatten()
    };
    let mut names: Vec<String> = entries.filter_map(stem).collect();
    names.sort();
    names
}
