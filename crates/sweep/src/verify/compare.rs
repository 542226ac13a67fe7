//! Two outcomes of one job: everything that is not measured must be the same, to the last bit;
//! where the processors are not known to be of one kind, the scores must agree.

use crate::SweepError;
use domain::{Apart, JobKey, Outcome, Processor, apart};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{Folder, JobRecord, KeptFile};

/// How a job that was run again came out.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum RerunVerdict {
    Same {
        /// What kept the comparison from being a whole one.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Not with the same bits, but the processors are not known to be of one kind and the scores
    /// agree.
    WithinTolerance { differences: Vec<Deviation>, note: String },
    Differs {
        differences: Vec<Deviation>,
        /// What may explain it.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// It could not be run again, and why.
    Failed { reason: String },
}

/// One thing that is not as it was.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Deviation {
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
) -> Result<RerunVerdict, SweepError> {
    compared(folder, rerun, key, again, true)
}

/// The same for a record that may have come from a journal, which has no predictions.
pub(crate) fn verdict_without_missing_predictions(
    folder: &Folder,
    rerun: &Folder,
    key: &JobKey,
    again: &JobRecord,
) -> Result<RerunVerdict, SweepError> {
    let has_predictions = folder.job(key)?.predictions().is_file();
    compared(folder, rerun, key, again, has_predictions)
}

fn compared(
    folder: &Folder,
    rerun: &Folder,
    key: &JobKey,
    again: &JobRecord,
    with_predictions: bool,
) -> Result<RerunVerdict, SweepError> {
    let Some(new) = &again.outcome else {
        let failure = again.failure.as_ref().expect("a record has an outcome or a failure");
        return Ok(RerunVerdict::Failed { reason: failure.to_string() });
    };
    let recorded = folder.read_record(key)?;
    let recorded = recorded.and_then(|record| Some((record.outcome?, record.provenance.processor)));
    let Some((old, processor)) = recorded else {
        return Ok(RerunVerdict::Failed { reason: "its record is gone".to_owned() });
    };
    let mut differences = Vec::new();
    if with_predictions && again.settings.stage.is_main() {
        let [old, new] = [folder, rerun].map(|folder| folder.read_kept(key, KeptFile::Predictions));
        differences.extend(predictions(old?, new?));
    }
    differences.extend(outcomes(&old, new));
    let processors = [processor.as_ref(), again.provenance.processor.as_ref()];
    Ok(judge(&old, new, processors, differences))
}

/// What differences mean: on one kind of processor there are none.
fn judge(
    old: &Outcome,
    new: &Outcome,
    processors: [Option<&Processor>; 2],
    mut differences: Vec<Deviation>,
) -> RerunVerdict {
    let note = note(old, new);
    if differences.is_empty() {
        return RerunVerdict::Same { note };
    }
    if Processor::is_one_kind(processors[0], processors[1]) {
        return RerunVerdict::Differs { differences, note };
    }
    let [recorded, now] = processors.map(kind);
    let kinds = format!("recorded on {recorded}; now {now}");
    let apart = apart(old, new);
    if apart.is_empty() {
        return RerunVerdict::WithinTolerance { differences, note: kinds };
    }
    // What another kind of processor explains comes last.
    let explains = |d: &Deviation| !apart.iter().any(|apart| d.what.starts_with(&apart.what));
    differences.retain(explains);
    let apart = apart.iter().map(|Apart { what, values, .. }| Deviation {
        what: what.clone(),
        recorded: values[0].to_string(),
        again: values[1].to_string(),
    });
    let note = [note, Some(kinds)].into_iter().flatten().collect::<Vec<_>>().join("; ");
    RerunVerdict::Differs { differences: apart.chain(differences).collect(), note: Some(note) }
}

fn kind(processor: Option<&Processor>) -> String {
    processor.map_or("an unknown processor".to_owned(), Processor::to_string)
}

/// The first line that differs.
fn predictions(old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> Option<Deviation> {
    let what = || "predictions".to_owned();
    if old == new {
        return None;
    }
    let (Some(old), Some(new)) = (&old, &new) else {
        let [recorded, again] =
            [&old, &new].map(|side| if side.is_some() { "there are some" } else { "none" });
        let (recorded, again) = (recorded.to_owned(), again.to_owned());
        return Some(Deviation { what: what(), recorded, again });
    };
    let lines = |bytes: &[u8]| -> Vec<String> {
        bytes.split(|byte| *byte == b'\n').map(|l| String::from_utf8_lossy(l).into()).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let place = (0..).find(|at| old.get(*at) != new.get(*at)).expect("the bytes differ");
    let line =
        |of: &[String]| of.get(place).map_or("no such line".to_owned(), |l| format!("`{l}`"));
    let what = format!("{}, line {}", what(), place + 1);
    Some(Deviation { what, recorded: line(&old), again: line(&new) })
}

/// The first difference of each part of the outcome.
fn outcomes(old: &Outcome, new: &Outcome) -> Vec<Deviation> {
    let [old, new] = [unmeasured(old, new), unmeasured(new, old)];
    let fields: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let difference = |field: &String| {
        let side = |of: &Map<String, Value>| of.get(field).cloned().unwrap_or(Value::Null);
        first_difference(field, &side(&old), &side(&new))
    };
    fields.into_iter().filter_map(difference).collect()
}

/// An outcome without what is measured, and without what the other one was not asked for.
fn unmeasured(outcome: &Outcome, other: &Outcome) -> Map<String, Value> {
    let mut outcome = outcome.unmeasured();
    outcome.weights = outcome.weights.filter(|_| other.weights.is_some());
    match serde_json::to_value(outcome).expect("plain structs have a JSON form") {
        Value::Object(fields) => fields,
        other => unreachable!("an outcome is an object, not {other}"),
    }
}

fn first_difference(path: &str, old: &Value, new: &Value) -> Option<Deviation> {
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
            differs.then(|| Deviation { what: path.to_owned(), recorded, again })
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
    use store::testing;

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
    fn on_another_or_an_unknown_processor_scores_may_differ_a_little() {
        let [one, other] = ["one", "other"].map(testing::processor);
        let old = testing::outcome();
        let mut new = old.clone();
        let verdict = |new: &Outcome, processors| judge(&old, new, processors, outcomes(&old, new));
        let strict = [Some(&one), Some(&one)];
        assert!(matches!(verdict(&new, [None, None]), RerunVerdict::Same { .. }));
        new.weights = Some("ff".into());
        new.dev.span.micro.f1 += 0.01;
        assert!(matches!(verdict(&new, strict), RerunVerdict::Differs { .. }));
        for processors in [[Some(&one), Some(&other)], [None, Some(&one)], [None, None]] {
            let RerunVerdict::WithinTolerance { differences, note } = verdict(&new, processors)
            else {
                panic!("{processors:?}")
            };
            assert_eq!(differences.len(), 2);
            assert!(note.starts_with("recorded on "), "{note}");
        }
        new.dev.span.macro_.f1 += 0.1;
        let RerunVerdict::Differs { differences, note } = verdict(&new, [None, Some(&other)])
        else {
            panic!("too far apart")
        };
        assert_eq!(differences[0].what, "dev.span.macro.f1");
        assert_eq!(note.as_deref(), Some("recorded on an unknown processor; now other"));
    }

    #[test]
    fn predictions_differ_by_their_first_line() {
        let old = || Some(b"a\tO\tO\nb\tO\tO\n".to_vec());
        for (text, what, again) in [
            ("a\tO\tO\nb\tO\tB-x\n", "predictions, line 2", "`b\tO\tB-x`"),
            ("a\tO\tO\n", "predictions, line 2", "``"),
            ("a\tO\tO\nb\tO\tO", "predictions, line 3", "no such line"),
        ] {
            let difference = predictions(old(), Some(text.into())).unwrap();
            assert_eq!((difference.what.as_str(), difference.again.as_str()), (what, again));
        }
        assert_eq!(predictions(old(), old()), None);
        assert_eq!(predictions(None, old()).unwrap().recorded, "none");
    }
}
