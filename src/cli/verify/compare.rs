//! Two outcomes of one job: everything that is not measured must be the same, to the last bit.

use super::CliError;
use crate::domain::{JobKey, Outcome};
use crate::store::{Folder, JobRecord, KeptFile};
use serde::Serialize;
use serde_json::Value;

/// How a job that was run again came out.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub(super) enum Verdict {
    Same {
        /// What kept the comparison from being a whole one.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    Differs {
        differences: Vec<Difference>,
        /// What may explain it.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// It could not be run again, and why.
    Failed { reason: String },
}

/// One thing that is not as it was.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Difference {
    /// `predictions`, or the path of a number of the outcome.
    pub what: String,
    pub recorded: String,
    pub again: String,
}

/// Compares a job's record and predictions with those of its second run.
pub(super) fn verdict(
    folder: &Folder,
    rerun: &Folder,
    key: &JobKey,
    again: &JobRecord,
) -> Result<Verdict, CliError> {
    let Some(new) = &again.outcome else {
        let reason = again.failure.as_ref().map(|failure| failure.to_string());
        return Ok(Verdict::Failed { reason: reason.unwrap_or_default() });
    };
    let recorded = folder.read_record(key)?.and_then(|record| record.outcome);
    let Some(old) = recorded else {
        return Ok(Verdict::Failed { reason: "its record is gone".to_owned() });
    };
    let mut differences = Vec::new();
    if again.settings.stage.is_main() {
        let [old, new] = [folder, rerun].map(|folder| folder.read_kept(key, KeptFile::Predictions));
        differences.extend(predictions(old?, new?.unwrap_or_default()));
    }
    differences.extend(outcomes(&old, new));
    let note = note(&old, new);
    Ok(match differences.is_empty() {
        true => Verdict::Same { note },
        false => Verdict::Differs { differences, note },
    })
}

/// The first line that differs.
fn predictions(old: Option<Vec<u8>>, new: Vec<u8>) -> Option<Difference> {
    let what = || "predictions".to_owned();
    let Some(old) = old else {
        let (recorded, again) = ("none".to_owned(), "there are some".to_owned());
        return Some(Difference { what: what(), recorded, again });
    };
    if old == new {
        return None;
    }
    let lines = |bytes: &[u8]| -> Vec<String> {
        bytes.split(|byte| *byte == b'\n').map(|l| String::from_utf8_lossy(l).into()).collect()
    };
    let (old, new) = (lines(&old), lines(&new));
    let place = (0..).find(|at| old.get(*at) != new.get(*at)).unwrap_or(0);
    let line =
        |of: &[String]| of.get(place).map_or("no such line".to_owned(), |l| format!("`{l}`"));
    let what = format!("{}, line {}", what(), place + 1);
    Some(Difference { what, recorded: line(&old), again: line(&new) })
}

/// The first difference of each part of the outcome.
fn outcomes(old: &Outcome, new: &Outcome) -> Vec<Difference> {
    let [Value::Object(old), Value::Object(new)] = [unmeasured(old, new), unmeasured(new, old)]
    else {
        return Vec::new();
    };
    let fields: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let difference = |field: &String| {
        let side = |of: &serde_json::Map<String, Value>| of.get(field).cloned();
        first_difference(field, &side(&old).unwrap_or_default(), &side(&new).unwrap_or_default())
    };
    fields.into_iter().filter_map(difference).collect()
}

/// An outcome without what is measured, and without what the other one was not asked for.
fn unmeasured(outcome: &Outcome, other: &Outcome) -> Value {
    let mut outcome = outcome.unmeasured();
    outcome.weights = outcome.weights.filter(|_| other.weights.is_some());
    // Plain structs with text keys always have a JSON form.
    serde_json::to_value(outcome).unwrap_or_default()
}

fn first_difference(path: &str, old: &Value, new: &Value) -> Option<Difference> {
    let below = |name: &dyn std::fmt::Display| format!("{path}.{name}");
    match (old, new) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(key, value)| first_difference(&below(key), value, &b[key]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(at, (a, b))| first_difference(&below(&(at + 1)), a, b))
        }
        _ => {
            // As text, which tells 0 from -0 and has every bit of a number.
            let [recorded, again] = [old, new].map(Value::to_string);
            let differs = recorded != again;
            differs.then(|| Difference { what: path.to_owned(), recorded, again })
        }
    }
}

fn note(old: &Outcome, new: &Outcome) -> Option<String> {
    if old.engine != new.engine {
        let name = |outcome: &Outcome| {
            let engine = &outcome.engine;
            format!("tailgrid-engine {}, {}", engine.version, engine.backend)
        };
        return Some(format!("recorded by {}; now {}", name(old), name(new)));
    }
    old.weights.is_none().then(|| "its record has no hash of the weights".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing;

    fn whats(change: impl FnOnce(&mut Outcome)) -> Vec<String> {
        let old = testing::outcome();
        let mut new = old.clone();
        change(&mut new);
        outcomes(&old, &new).into_iter().map(|difference| difference.what).collect()
    }

    #[test]
    fn what_is_measured_may_differ() {
        let none = whats(|o| {
            (o.train_seconds, o.peak_rss_mb, o.epochs[0].seconds) = (7.0, 8.0, 9.0);
            o.engine.backend = "another".into();
        });
        assert_eq!(none, [""; 0]);
        let mut old = testing::outcome();
        old.weights = None;
        assert_eq!(outcomes(&old, &testing::outcome()), []);
        assert!(note(&old, &testing::outcome()).unwrap().contains("no hash"));
    }

    #[test]
    fn every_other_number_counts_to_its_last_bit() {
        let next = |number: &mut f64| *number = number.next_up();
        assert_eq!(whats(|o| next(&mut o.epochs[1].loss)), ["epochs.2.loss"]);
        assert_eq!(whats(|o| next(&mut o.dev.span.micro.f1)), ["dev.span.micro.f1"]);
        let test = |o: &mut Outcome| next(&mut o.test.as_mut().unwrap().token.macro_.recall);
        assert_eq!(whats(test), ["test.token.macro.recall"]);
        assert_eq!(whats(|o| o.weights = Some("ff".into())), ["weights"]);
        assert_eq!(whats(|o| o.best_epoch = 1), ["best_epoch"]);
        assert_eq!(whats(|o| o.epochs.truncate(1)), ["epochs"]);
        let minus = whats(|o| {
            o.observed.insert("a".into(), -0.0);
        });
        assert_eq!(minus, ["observed"]);
    }

    #[test]
    fn predictions_differ_by_their_first_line() {
        let old = || Some(b"a\tO\tO\nb\tO\tO\n".to_vec());
        for (text, what, again) in [
            ("a\tO\tO\nb\tO\tB-x\n", "predictions, line 2", "`b\tO\tB-x`"),
            ("a\tO\tO\n", "predictions, line 2", "``"),
            ("a\tO\tO\nb\tO\tO", "predictions, line 3", "no such line"),
        ] {
            let difference = predictions(old(), text.into()).unwrap();
            assert_eq!((difference.what.as_str(), difference.again.as_str()), (what, again));
        }
        assert_eq!(predictions(old(), old().unwrap()), None);
        assert_eq!(predictions(None, old().unwrap()).unwrap().recorded, "none");
    }
}
