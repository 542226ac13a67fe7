//! Scenarios and methods that differ in some of their settings alone: what tables and figures over
//! a setting are made of, all by the same meaning of "alone".
//!
//! A setting that overrides change for some jobs of a scenario does not belong to the scenario:
//! tables do not mention it, and it places no scenario in a family.

use super::view::{GridView, Settings};
use domain::{ParameterValue, Parameters};
use std::collections::BTreeMap;

/// What chooses the epoch and changes nothing that is learnt from: scenarios of several sizes have
/// it with their sizes.
const OF_DEV: &str = "dev_sentences";

/// Scenarios that differ in the settings that were asked for alone, in grid order.
pub struct Family<'v> {
    pub scenarios: Vec<(&'v str, &'v Parameters)>,
    /// The settings that all of them have.
    shared: BTreeMap<String, ParameterValue>,
}

impl<'v> Family<'v> {
    /// What all scenarios have in common, as grid files write it: `merge_types: true`.
    pub fn others(&self) -> String {
        let shared = self.shared.iter().map(|(name, value)| format!("{name}: {value}"));
        shared.collect::<Vec<_>>().join(", ")
    }

    /// The same as an aside: ` (merge_types: true)`, or nothing.
    pub fn in_words(&self) -> String {
        match self.shared.is_empty() {
            true => String::new(),
            false => format!(" ({})", self.others()),
        }
    }

    /// The same for the names of files.
    pub fn tag(&self) -> String {
        let values = self.shared.iter().map(|(name, value)| format!("{name} {value}"));
        values.collect::<Vec<_>>().join(" ")
    }

    /// The scenarios by their values of a setting, the least first.
    pub fn by_value(&self, setting: &str) -> Vec<(f64, &'v str)> {
        let place =
            |(name, settings): &(&'v str, &Parameters)| Some((settings.value(setting)?, *name));
        let mut placed: Vec<(f64, &str)> = self.scenarios.iter().filter_map(place).collect();
        placed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        placed
    }
}

/// The scenarios in families. A scenario that has none of the varied settings is in no family
/// unless `bare` lets it in. `dev_sentences` parts scenarios only where nothing else tells them
/// apart.
pub fn families<'v>(view: &'v GridView, varied: &[&str], bare: bool) -> Vec<Family<'v>> {
    let members = view.scenarios.iter().filter_map(|scenario| {
        let settings = view.conditions.get(scenario)?;
        let shared = shared(view, scenario, settings, varied, bare)?;
        Some((shared, (scenario.as_str(), settings)))
    });
    let mut families = Vec::new();
    for (shared, scenarios) in grouped(members) {
        match all_differ(&scenarios, varied) {
            true => families.push(Family { scenarios, shared }),
            false => families.extend(parted_by_dev(&shared, scenarios)),
        }
    }
    families
}

/// What a scenario is set to beside the varied settings; `None` where it has no place among them.
fn shared(
    view: &GridView,
    scenario: &str,
    settings: &Parameters,
    varied: &[&str],
    bare: bool,
) -> Option<BTreeMap<String, ParameterValue>> {
    let disputed = view.disputed.get(scenario);
    let is_agreed = |name: &str| disputed.is_none_or(|names| !names.contains(name));
    let has_place = |name: &&str| is_agreed(name) && (bare || settings.get(name).is_some());
    if !varied.iter().all(has_place) {
        return None;
    }
    let mut shared = settings.0.clone();
    shared.retain(|name, _| !varied.contains(&name.as_str()) && name != OF_DEV && is_agreed(name));
    Some(shared)
}

fn all_differ(scenarios: &[(&str, &Parameters)], varied: &[&str]) -> bool {
    let values = |settings: &Parameters| -> Vec<Option<ParameterValue>> {
        varied.iter().map(|name| settings.get(name).cloned()).collect()
    };
    let values: Vec<_> = scenarios.iter().map(|(_, settings)| values(settings)).collect();
    !values.iter().enumerate().any(|(k, one)| values[..k].contains(one))
}

fn parted_by_dev<'v>(
    shared: &BTreeMap<String, ParameterValue>,
    scenarios: Vec<(&'v str, &'v Parameters)>,
) -> Vec<Family<'v>> {
    let members = scenarios.into_iter().map(|member| (member.1.get(OF_DEV).cloned(), member));
    let parted = grouped(members).into_iter().map(|(dev, scenarios)| {
        let dev = dev.map(|dev| (OF_DEV.to_owned(), dev));
        Family { scenarios, shared: shared.clone().into_iter().chain(dev).collect() }
    });
    parted.collect()
}

/// Methods that differ in one number alone.
pub struct MethodFamily<'v> {
    /// Its path (`loss.lambda`).
    pub parameter: &'v str,
    /// What else they are set to.
    pub others: Settings,
    /// By value, each once.
    pub methods: Vec<(f64, &'v str)>,
}

/// For each number of each method those that all other settings are equal of, itself among them.
pub fn of_methods(view: &GridView) -> Vec<MethodFamily<'_>> {
    let known =
        view.methods.iter().filter_map(|name| Some((name, view.method_settings.get(name)?)));
    let members = known.flat_map(|(name, settings)| {
        settings.numbers.iter().map(move |(parameter, value)| {
            let mut others = settings.clone();
            others.numbers.remove(parameter);
            ((parameter.as_str(), others), (*value, name.as_str()))
        })
    });
    let family = |((parameter, others), mut methods): ((_, _), Vec<(f64, _)>)| {
        methods.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        methods.dedup_by(|(a, _), (b, _)| a == b);
        MethodFamily { parameter, others, methods }
    };
    grouped(members).into_iter().map(family).collect()
}

/// Members under equal keys, in the order in which keys and members come.
fn grouped<K: PartialEq, T>(members: impl Iterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, member) in members {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(member),
            None => groups.push((key, vec![member])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;

    type Scenario<'a> = (&'a str, &'a [(&'a str, ParameterValue)]);

    fn view(scenarios: &[Scenario<'_>]) -> GridView {
        synthetic::conditioned(&["a"], scenarios, &["original"], &["m"]).0
    }

    fn size(n: i64) -> (&'static str, ParameterValue) {
        ("train_sentences", ParameterValue::Integer(n))
    }

    fn dev(n: i64) -> (&'static str, ParameterValue) {
        (OF_DEV, ParameterValue::Integer(n))
    }

    fn names(families: &[Family<'_>]) -> Vec<Vec<String>> {
        let of = |f: &Family<'_>| f.scenarios.iter().map(|(name, _)| (*name).to_owned()).collect();
        families.iter().map(of).collect()
    }

    #[test]
    fn dev_parts_scenarios_only_where_nothing_else_does() {
        let untyped = ("merge_types", ParameterValue::Bool(true));
        let sizes = view(&[
            ("low-50", &[size(50), dev(50)]),
            ("low-100", &[size(100), dev(100)]),
            ("untyped", &[size(100), untyped]),
            ("full", &[]),
        ]);
        let found = families(&sizes, &["train_sentences"], false);
        assert_eq!(names(&found), [vec!["low-50", "low-100"], vec!["untyped"]]);
        assert_eq!(
            (found[0].in_words(), found[1].in_words()),
            (String::new(), " (merge_types: true)".into())
        );
        let twice = view(&[
            ("a", &[size(50), dev(50)]),
            ("b", &[size(100), dev(90)]),
            ("c", &[size(100), dev(50)]),
            ("d", &[size(50), dev(90)]),
        ]);
        let found = families(&twice, &["train_sentences"], false);
        assert_eq!(names(&found), [["a", "c"], ["b", "d"]]);
        assert_eq!(found[1].others(), "dev_sentences: 90");
        assert_eq!(found[1].by_value("train_sentences"), [(50.0, "d"), (100.0, "b")]);
    }

    #[test]
    fn a_setting_that_jobs_of_a_scenario_do_not_agree_on_is_none_of_it() {
        let untyped = ("merge_types", ParameterValue::Bool(true));
        let mut sizes = view(&[("x", &[size(50), untyped]), ("y", &[size(100)])]);
        sizes.disputed.insert("x".to_owned(), ["merge_types".to_owned()].into());
        assert_eq!(names(&families(&sizes, &["train_sentences"], false)), [["x", "y"]]);
        sizes.disputed.insert("x".to_owned(), ["train_sentences".to_owned()].into());
        assert_eq!(names(&families(&sizes, &["train_sentences"], false)), [["y"]]);
        assert_eq!(names(&families(&sizes, &["train_sentences"], true)), [["y"]]);
        // Nor where the first job is one that lacks it.
        sizes.disputed.insert("y".to_owned(), ["mask_entities".to_owned()].into());
        assert_eq!(names(&families(&sizes, &["mask_entities"], true)), [["x"]]);
    }
}
