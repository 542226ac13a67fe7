//! `stopping`: looks at comparisons before all seeds are there.

use super::Checker;
use super::rules::MAX_SEEDS;
use crate::node::{Node, get};
use domain::{Spending, Stopping};

/// Keys of `stopping`.
pub const STOPPING: [&str; 2] = ["looks", "spending"];
/// Looks, at most.
pub const MAX_LOOKS: usize = 20;
/// Seeds of a look, at least: a test needs two pairs.
pub const LEAST_LOOK: i64 = 2;

impl Checker<'_> {
    /// The looks and how the level is spent on them; `None` where that cannot be understood.
    pub fn stopping(&mut self, node: &Node) -> Option<Stopping> {
        let map = self.map(node, "stopping", "a mapping: `{looks: [5, 10], spending: pocock}`")?;
        for (key, _) in map.iter().filter(|(key, _)| !STOPPING.contains(&key.text.as_str())) {
            self.unknown_key(key, "stopping", &STOPPING);
        }
        let mut missing = |key: &str| {
            let error = self.at(node.at, format_args!("`stopping` has no `{key}`"));
            self.tell(node.at, error.help("write it as `{looks: [5, 10], spending: pocock}`"));
        };
        let [looks, spending] = STOPPING.map(|key| {
            let found = get(map, key);
            if found.is_none() {
                missing(key);
            }
            found
        });
        let looks = looks.map(|node| self.looks(node));
        let spending = spending.and_then(|node| self.spending(node));
        Some(Stopping { looks: looks?, spending: spending? })
    }

    /// Numbers of seeds, increasing.
    fn looks(&mut self, node: &Node) -> Vec<usize> {
        let items = self.list(node, "the list of looks");
        if items.len() > MAX_LOOKS {
            self.error(node.at, format_args!("more than {MAX_LOOKS} looks"));
        }
        let mut looks: Vec<usize> = Vec::new();
        for item in items.iter().take(MAX_LOOKS) {
            let what = "the number of seeds of a look";
            let Some(seeds) = self.integer(item, what, LEAST_LOOK, MAX_SEEDS) else { continue };
            let seeds = seeds.unsigned_abs() as usize;
            match looks.last() {
                Some(&before) if seeds <= before => {
                    let message =
                        format!("the look at {seeds} seeds stands after that at {before}");
                    self.error(item.at, message);
                }
                _ => looks.push(seeds),
            }
        }
        looks
    }

    fn spending(&mut self, node: &Node) -> Option<Spending> {
        let name = self.text(node, "the spending")?;
        let found = Spending::ALL.into_iter().find(|spending| spending.name() == name);
        if found.is_none() {
            self.unknown_name(node.at, "spending", name, &Spending::ALL.map(Spending::name));
        }
        found
    }
}
