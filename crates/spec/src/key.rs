//! A job's key: the first 20 hexadecimal digits of SHA-256 over the canonical JSON of its settings.
//!
//! Canonical means: the keys of every object in the order of their bytes, no white space, numbers
//! in their shortest form. Settings hold no name, no path and every default, so whatever does not
//! change the meaning of a job cannot change its key. 80 bits are enough: a million jobs share one
//! with a chance of 4 in 10^13.

use domain::{JobKey, JobSettings, SearchPlan};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Hexadecimal digits of a key.
pub const DIGITS: usize = 20;

/// The key of a job's settings.
#[cfg(test)]
pub fn key(settings: &JobSettings) -> JobKey {
    Keys::new(settings).of(settings.seed)
}

/// The text that the key hashes.
#[cfg(test)]
pub fn canonical(settings: &JobSettings) -> String {
    let (before, after) = around_seed(settings);
    format!("{before}{}{after}", settings.seed)
}

/// The keys of jobs that differ in nothing but their seed: what they share is written once.
pub struct Keys {
    before: Sha256,
    after: String,
}

impl Keys {
    /// For these settings, whatever their own seed.
    pub fn new(settings: &JobSettings) -> Self {
        let (before, after) = around_seed(settings);
        Self { before: Sha256::new_with_prefix(before), after }
    }

    /// The key of one seed.
    pub fn of(&self, seed: u64) -> JobKey {
        hexadecimal(self.before.clone().chain_update(seed.to_string()).chain_update(&self.after))
    }
}

/// A key for a job that waits for a search: no job runs under it.
pub fn waiting(settings: &JobKey, plan: &SearchPlan) -> JobKey {
    let plan = serde_json::to_string(plan).expect("a plan has text keys and finite numbers");
    hexadecimal(
        Sha256::new_with_prefix("waits for a search ").chain_update(&settings.0).chain_update(plan),
    )
}

fn hexadecimal(hash: Sha256) -> JobKey {
    let mut text = hex::encode(hash.finalize());
    text.truncate(DIGITS);
    JobKey(text)
}

/// The canonical text before the seed's value and after it.
fn around_seed(settings: &JobSettings) -> (String, String) {
    let value = serde_json::to_value(settings).expect("settings are maps with text keys");
    let mut entries: Vec<_> = value.as_object().expect("settings are a map").iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    let (mut before, mut after) = ("{".to_owned(), String::new());
    for (key, value) in entries {
        match key.as_str() {
            "seed" => before.push_str("\"seed\":"),
            key if key < "seed" => {
                write_entry(key, value, &mut before);
                before.push(',');
            }
            key => {
                after.push(',');
                write_entry(key, value, &mut after);
            }
        }
    }
    after.push('}');
    (before, after)
}

fn write_entry(key: &str, value: &Value, text: &mut String) {
    let _ = write!(text, "{}:", Value::from(key));
    write(value, text);
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_entry(key, value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings() -> JobSettings {
        serde_json::from_value(json!({
            "engine": "1",
            "corpus": {
                "format": {"kind": "columns", "token": 0, "tag": -1, "separator": "tab", "scheme": "iob2"},
                "digests": {"train": "aa", "test": "bb"},
            },
            "scenario": {},
            "model": {
                "embeddings": {"kind": "pretrained", "frozen": false},
                "digests": {"embeddings": "cc"},
                "encoder": {"kind": "bilstm", "hidden": 100, "dropout": 0.5},
                "head": {"kind": "softmax"},
            },
            "method": {"loss": {"kind": "focal", "gamma": 2.0}},
            "training": {
                "epochs": 20, "batch": 32, "learning_rate": 0.001, "patience": 5,
                "select_by": "micro_f1", "threads": 1, "backend": "libtorch", "device": "cpu",
            },
            "seed": 1,
        }))
        .unwrap()
    }

    /// If this test fails, every job of every user would run again. Change the engine's version
    /// rather than this key, unless that is what is meant.
    #[test]
    fn the_key_of_known_settings_stays_as_it_is() {
        insta::assert_snapshot!(canonical(&settings()), @r#"{"corpus":{"digests":{"test":"bb","train":"aa"},"format":{"kind":"columns","scheme":"iob2","separator":"tab","tag":-1,"token":0}},"engine":"1","method":{"loss":{"gamma":2.0,"kind":"focal"}},"model":{"digests":{"embeddings":"cc"},"embeddings":{"frozen":false,"kind":"pretrained"},"encoder":{"dropout":0.5,"hidden":100,"kind":"bilstm"},"head":{"kind":"softmax"}},"scenario":{},"seed":1,"training":{"accumulate":1,"backend":"libtorch","batch":32,"budget":"updates","clip":0.0,"decay":1.0,"device":"cpu","epochs":20,"lazy_adam":false,"learning_rate":0.001,"min_updates":0,"optimiser":"auto","order":"random","patience":5,"patience_updates":0,"penalty":1.0,"precision":"f32","schedule":"constant","select_by":"micro_f1","threads":1,"tokens":0,"warm_up":0.0,"weight_decay":0.01}}"#);
        insta::assert_snapshot!(key(&settings()), @"f59b5d70aa2c419bd6cf");
    }

    #[test]
    fn the_canonical_text_is_the_settings() {
        let read: JobSettings = serde_json::from_str(&canonical(&settings())).unwrap();
        assert_eq!(read, settings());
    }

    #[test]
    fn every_setting_is_in_the_key() {
        let base = serde_json::to_value(settings()).unwrap();
        let leaves = [
            "/engine",
            "/corpus/format/scheme",
            "/corpus/digests/train",
            "/model/encoder/hidden",
            "/model/embeddings/kind",
            "/model/digests/embeddings",
            "/method/loss/gamma",
            "/training/threads",
            "/training/learning_rate",
            "/seed",
        ];
        for leaf in leaves {
            let mut changed = base.clone();
            let value = changed.pointer_mut(leaf).unwrap();
            *value = match value {
                Value::Number(n) if n.is_f64() => json!(0.25),
                Value::Number(_) => json!(7),
                _ => json!("other"),
            };
            let changed: JobSettings = serde_json::from_value(changed).unwrap();
            assert_ne!(key(&changed), key(&settings()), "{leaf}");
        }
    }
}
