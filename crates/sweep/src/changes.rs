//! What two jobs differ in, setting by setting.

use domain::JobSettings;
use serde_json::Value;

/// A setting that two jobs differ in.
#[derive(Clone, PartialEq, Debug)]
pub struct SettingChange {
    pub path: String,
    pub old: Option<Value>,
    pub new: Option<Value>,
}

/// The settings that differ, by path.
pub fn changes(old: &JobSettings, new: &JobSettings) -> Vec<SettingChange> {
    let (old, new) = (leaves(old), leaves(new));
    let value = |of: &[(String, Value)], path: &str| {
        of.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone())
    };
    let mut paths: Vec<&String> = old.iter().chain(&new).map(|(path, _)| path).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| SettingChange {
            path: path.clone(),
            old: value(&old, path),
            new: value(&new, path),
        })
        .filter(|change| change.old != change.new)
        .collect()
}

/// Every setting with its dotted path, in the order of paths.
pub fn leaves(settings: &JobSettings) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let settings = serde_json::to_value(settings).expect("plain structs have a JSON form");
    collect(String::new(), settings, &mut found);
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn collect(path: String, value: Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let dot = if path.is_empty() { "" } else { "." };
                collect(format!("{path}{dot}{key}"), value, found);
            }
        }
        value => found.push((path, value)),
    }
}
