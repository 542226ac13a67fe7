//! Settings of scenarios and methods as reports read them.

use analysis::Settings;
use domain::{MethodSettings, ParameterValue, Parameters, Shared};
use spec::{Grid, Job};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The distinct settings of the jobs of each name.
fn distinct<T: PartialEq>(
    grid: &Grid,
    name: fn(&Job) -> &String,
    settings: fn(&Job) -> &T,
) -> HashMap<&String, Vec<&T>> {
    let mut seen: HashMap<&String, Vec<&T>> = HashMap::new();
    for job in &grid.jobs {
        let known = seen.entry(name(job)).or_default();
        if !known.contains(&settings(job)) {
            known.push(settings(job));
        }
    }
    seen
}

/// The settings that all jobs of a method have.
pub fn of_methods(grid: &Grid) -> BTreeMap<String, Settings> {
    let agreed = |settings: Vec<&Shared<MethodSettings>>| {
        let all = settings.into_iter().map(|method| of_method(method));
        all.reduce(common).expect("a method that jobs have has settings")
    };
    let all = distinct(grid, |job| &job.point.method, |job| &job.settings.method);
    all.into_iter().map(|(name, settings)| (name.clone(), agreed(settings))).collect()
}

/// The settings of each scenario, as the first job under it has them.
pub fn of_scenarios(grid: &Grid) -> BTreeMap<String, Parameters> {
    let all = distinct(grid, |job| &job.point.scenario, |job| &job.settings.scenario);
    let first =
        all.into_iter().filter_map(|(name, all)| Some((name.clone(), (***all.first()?).clone())));
    first.collect()
}

/// The names of settings that the jobs of a scenario do not agree on.
pub fn disputed(grid: &Grid) -> BTreeMap<String, BTreeSet<String>> {
    let all = distinct(grid, |job| &job.point.scenario, |job| &job.settings.scenario);
    let of = |settings: &[&Shared<Parameters>]| -> BTreeSet<String> {
        let names = settings.iter().flat_map(|one| one.0.keys());
        let differs =
            |name: &&String| settings.iter().any(|one| one.get(name) != settings[0].get(name));
        names.filter(differs).cloned().collect()
    };
    all.into_iter().map(|(name, settings)| (name.clone(), of(&settings))).collect()
}

fn common(mut one: Settings, other: Settings) -> Settings {
    one.numbers.retain(|name, value| other.numbers.get(name) == Some(value));
    one.words.retain(|name, value| other.words.get(name) == Some(value));
    one
}

/// The parts of a method and what they are set to.
pub fn of_method(method: &MethodSettings) -> Settings {
    let mut plain = Settings::default();
    let parts = [
        ("augment", &method.augment),
        ("resample", &method.resample),
        ("unlabelled", &method.unlabelled),
        ("negatives", &method.negatives),
    ];
    let parts = parts.into_iter().filter_map(|(slot, part)| Some((slot, part.as_ref()?)));
    for (slot, part) in parts.chain([("loss", &method.loss)]) {
        plain.words.insert(slot.to_owned(), part.kind.clone());
        add(&mut plain, &format!("{slot}."), &part.parameters);
    }
    plain
}

fn add(plain: &mut Settings, path: &str, parameters: &Parameters) {
    for (name, value) in &parameters.0 {
        let name = format!("{path}{name}");
        match value {
            ParameterValue::Integer(value) => {
                plain.numbers.insert(name, *value as f64);
            }
            ParameterValue::Real(value) => {
                plain.numbers.insert(name, *value);
            }
            ParameterValue::Part(part) => {
                add(plain, &format!("{name}."), &part.parameters);
                plain.words.insert(name, part.kind.clone());
            }
            other => {
                plain.words.insert(name, other.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Part;

    fn part(kind: &str, parameters: &[(&str, ParameterValue)]) -> Part {
        let named = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Part { kind: kind.to_owned(), parameters: Parameters(named.collect()) }
    }

    #[test]
    fn nested_parts_have_their_path() {
        let base = part("focal", &[("gamma", ParameterValue::Integer(2))]);
        let base = ("base", ParameterValue::Part(Box::new(base)));
        let loss = part("mom", &[("lambda", ParameterValue::Real(0.25)), base]);
        let method = MethodSettings {
            augment: None,
            resample: None,
            unlabelled: None,
            negatives: None,
            loss,
            digests: BTreeMap::new(),
        };
        let plain = of_method(&method);
        let numbers: Vec<_> = plain.numbers.iter().map(|(name, x)| (name.as_str(), *x)).collect();
        assert_eq!(numbers, [("loss.base.gamma", 2.0), ("loss.lambda", 0.25)]);
        assert_eq!(plain.words["loss"], "mom");
        assert_eq!(plain.words["loss.base"], "focal");
    }

    #[test]
    fn what_jobs_of_one_name_do_not_agree_on_is_left_out() {
        let of = |x: f64| Settings {
            numbers: [("a".to_owned(), x), ("b".to_owned(), 1.0)].into(),
            ..Settings::default()
        };
        let left: Vec<String> = common(of(1.0), of(2.0)).numbers.into_keys().collect();
        assert_eq!(left, ["b"]);
    }
}
