//! `tailgrid explain`: what a job is, and why it is to run (again).

use super::grid::{self, KeyArgs};
use super::output::{print, shown};
use super::{CliError, Common, Exit};
use domain::{Dimension, Effort, JobKey, JobSettings, Point, Processor, Stage, TrainingVerdict};
use report::tables::Table;
use serde_json::{Value, json};
use spec::{Grid, Job};
use std::fmt::Write;
use std::path::PathBuf;
use store::{Folder, JobRecord};
use sweep::{JobState, SettingChange, changes, leaves, stopping, tuning};

/// Explain a job: its settings, where they come from, and what changed since it ran
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The beginning of a job's key, or corpus/scenario/model/method/seed
    pub job: String,
    /// The grid that the job is of; without it, a job that has been run is looked for
    #[arg(long, value_name = "GRID")]
    pub grid: Option<PathBuf>,
    #[command(flatten)]
    pub keyed: KeyArgs,
}

/// A job of which there is a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    pub key: JobKey,
    pub point: Point,
    pub settings: JobSettings,
    /// `done` or `failed`.
    pub status: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// How much the model was trained.
    pub effort: Option<Effort>,
    /// Whether it learned.
    pub verdict: Option<TrainingVerdict>,
    /// The best micro-F1 on dev of all evaluations.
    pub best_dev: Option<f64>,
    /// What ran it, when, for how long: name and value.
    pub provenance: Vec<(String, String)>,
}

/// What there is to say of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    pub key: JobKey,
    pub point: Point,
    pub settings: JobSettings,
    pub overrides: Vec<String>,
    /// The values that a search found, or will: one a line.
    pub search: Vec<String>,
    /// Why the job cannot run yet.
    pub waits: Option<String>,
    /// How planned looks leave a job that has not run, and why, where they keep it from running.
    pub looks: Option<(JobState, String)>,
    pub not_applicable: Option<String>,
    pub record: Option<Recorded>,
    /// The latest record of the same point under another key, with what differs from it.
    pub before: Option<(JobKey, Vec<SettingChange>)>,
}

/// Explains a job.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let load = |path: &PathBuf| grid::load(path, &args.keyed, common);
    let grid = args.grid.as_ref().map(load).transpose()?;
    let records = records(grid.as_ref().map(|grid| grid.name.as_str()), common)?;
    let mut explanation = explain(&args.job, grid.as_ref(), &records)?;
    explanation.looks = grid.and_then(|grid| looks(&grid, &explanation, common));
    match common.json {
        true => print(&explanation.json().to_string())?,
        false => print(&explanation.text())?,
    }
    Ok(Exit::Done)
}

/// The records of a grid's results, or of all grids' results, oldest first.
fn records(grid: Option<&str>, common: &Common) -> Result<Vec<Recorded>, CliError> {
    let folders = match grid {
        Some(name) => vec![Folder::new(&common.results, name)?],
        None => Folder::all(&common.results)?,
    };
    let mut records = Vec::new();
    for folder in folders {
        for key in folder.keys()? {
            // A damaged record explains nothing; `run` and `status` tell of it.
            records.extend(folder.read_record(&key).ok().flatten());
        }
    }
    records.sort_by(|a, b| a.timings.started_at.cmp(&b.timings.started_at));
    Ok(records.into_iter().map(Recorded::from).collect())
}

impl From<JobRecord> for Recorded {
    fn from(record: JobRecord) -> Self {
        let processor = record.provenance.processor.as_ref();
        let processor = processor.map_or("unknown".to_owned(), Processor::to_string);
        let mut provenance = vec![
            ("tailgrid".to_owned(), record.provenance.tailgrid),
            ("platform".to_owned(), record.provenance.platform),
            ("host".to_owned(), record.provenance.host),
            ("processor".to_owned(), processor),
            ("started at".to_owned(), record.timings.started_at),
            ("seconds".to_owned(), format!("{:.2}", record.timings.seconds)),
            ("attempts".to_owned(), record.attempts.to_string()),
        ];
        let outcome = record.outcome.as_ref();
        let effort = outcome.and_then(|outcome| outcome.effort);
        let verdict = outcome.and_then(|outcome| outcome.verdict);
        let scores = outcome.into_iter().flat_map(|o| o.epochs.iter().map(|e| e.dev_micro_f1));
        let best_dev = scores.reduce(f64::max);
        if let Some(outcome) = record.outcome {
            provenance.push(("backend".to_owned(), outcome.engine.backend));
        }
        Self {
            key: record.job,
            point: record.point,
            settings: record.settings,
            status: record.status.name().to_owned(),
            reason: record.failure.map(|failure| failure.to_string()),
            effort,
            verdict,
            best_dev,
            provenance,
        }
    }
}

impl Recorded {
    /// How much the model was trained and whether it learned, as people read it.
    fn training(&self) -> String {
        let verdict = self.verdict.map(|verdict| verdict.to_string());
        let best = self.best_dev.map(|f1| format!("{f1:.3}"));
        let mut rows = vec![("verdict", verdict), ("best dev micro-F1", best)];
        if let Some(Effort { budget, updates, tokens_seen, passes }) = self.effort {
            rows.push(("updates", Some(format!("{updates} of {budget}"))));
            rows.push(("tokens seen", Some(tokens_seen.to_string())));
            rows.push(("passes", Some(format!("{passes:.1}"))));
        }
        let known = rows.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
        match shown(&Table::list(known)) {
            none if none.is_empty() => none,
            known => format!("\ntraining\n{known}"),
        }
    }
}

/// Finds a job in the grid if there is one, else among the records.
pub fn explain(
    job: &str,
    grid: Option<&Grid>,
    records: &[Recorded],
) -> Result<Explanation, CliError> {
    let has_key = |key: &JobKey| !job.is_empty() && key.0.starts_with(job);
    let wanted = |key: &JobKey, point: &Point| has_key(key) || point.to_string() == job;
    let bare = |key: &JobKey, point: &Point, settings: &JobSettings| Explanation {
        key: key.clone(),
        point: point.clone(),
        settings: settings.clone(),
        overrides: Vec::new(),
        search: Vec::new(),
        waits: None,
        looks: None,
        not_applicable: None,
        record: None,
        before: None,
    };
    let mut found: Vec<Explanation> = match grid {
        Some(grid) => {
            let jobs = grid.jobs.iter().filter(|job| wanted(&job.key, &job.point)).cloned();
            // A trial goes by its key alone: its point is that of a main job.
            let trials = grid.searches.iter().flat_map(|search| {
                search.progress.trials.iter().map(|trial| search.trial(&trial.values))
            });
            jobs.chain(trials.filter(|trial| has_key(&trial.key)))
                .map(|job| Explanation {
                    overrides: job.overrides.to_vec(),
                    not_applicable: job.not_applicable.clone(),
                    search: searched(grid, &job),
                    waits: waits(grid, &job),
                    ..bare(&job.key, &job.point, &job.settings)
                })
                .collect()
        }
        None => {
            let known = records.iter().filter(|record| match record.settings.stage {
                Stage::Main => wanted(&record.key, &record.point),
                Stage::Trial => has_key(&record.key),
            });
            known.map(|record| bare(&record.key, &record.point, &record.settings)).collect()
        }
    };
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found.dedup_by(|a, b| a.key == b.key);
    let mut explanation = match found.len() {
        1 => found.remove(0),
        0 => return Err(none(job, grid)),
        _ => return Err(several(job, &found)),
    };
    explanation.look_up(records);
    Ok(explanation)
}

/// Which values a search found for a job, and with which trial.
fn searched(grid: &Grid, job: &Job) -> Vec<String> {
    let search = job.search.and_then(|search| grid.searches.get(search));
    let Some(search) = search.filter(|_| job.settings.stage.is_main()) else { return vec![] };
    let best = search.progress.best().filter(|_| !job.waits);
    let line = |(at, dimension): (usize, &Dimension)| match best {
        Some((index, trial, score)) => {
            let (path, value) = (&dimension.path, &trial.values[at]);
            let (trial, all, title) = (index + 1, search.plan.trials, search.plan.maximise.title());
            format!("{path} = {value} (trial {trial} of {all}, {title} {score:.3})")
        }
        None => format!("{}: not chosen yet", dimension.path),
    };
    search.plan.dimensions.iter().enumerate().map(line).collect()
}

fn waits(grid: &Grid, job: &Job) -> Option<String> {
    let search = job.search.and_then(|search| grid.searches.get(search));
    search.filter(|_| job.waits && job.settings.stage.is_main()).map(tuning::standing)
}

fn looks(grid: &Grid, of: &Explanation, common: &Common) -> Option<(JobState, String)> {
    let is_main = of.settings.stage.is_main() && of.not_applicable.is_none();
    grid.stopping.as_ref().filter(|_| is_main && of.record.is_none())?;
    // What cannot be read explains nothing here either.
    let standings = sweep::standings(grid, &grid::folder(grid, common).ok()?).ok()?;
    let looks = stopping::of_standings(grid, &standings);
    let reason = stopping::reason(&looks, &of.point)?;
    let job = grid.jobs.iter().find(|job| job.point == of.point)?;
    Some((stopping::state(&looks, job, JobState::Todo), reason))
}

fn none(job: &str, grid: Option<&Grid>) -> CliError {
    let help = match grid {
        Some(grid) => format!("`tailgrid plan -v` lists the jobs of `{}`", grid.name),
        None => "a job that has not been run needs its grid: `--grid GRID`".to_owned(),
    };
    CliError::new(Exit::Invalid, format!("there is no job `{job}`; {help}"))
}

fn several(job: &str, found: &[Explanation]) -> CliError {
    let mut message = format!("{} jobs go by `{job}`; write more of the key:", found.len());
    for explanation in found.iter().take(5) {
        let _ = write!(message, "\n  {}  {}", explanation.key, explanation.point);
    }
    CliError::new(Exit::Invalid, message)
}

impl Explanation {
    fn look_up(&mut self, records: &[Recorded]) {
        self.record = records.iter().rev().find(|record| record.key == self.key).cloned();
        let stage = self.settings.stage;
        let other = |record: &&Recorded| {
            let is_alike = record.point == self.point && record.settings.stage == stage;
            // Trials differ in what is searched: none comes before another.
            is_alike && stage.is_main() && record.key != self.key && self.waits.is_none()
        };
        self.before = records
            .iter()
            .rev()
            .find(other)
            .map(|old| (old.key.clone(), changes(&old.settings, &self.settings)));
    }

    fn state(&self) -> &str {
        match &self.record {
            _ if self.not_applicable.is_some() => "n/a",
            Some(record) => &record.status,
            None => self.looks.as_ref().map_or("todo", |(state, _)| state.name()),
        }
    }

    /// Why the job stands as it does, in a sentence.
    fn reason(&self) -> String {
        let failure = self.record.as_ref().and_then(|record| record.reason.clone());
        let held = self.waits.as_ref().or(self.looks.as_ref().map(|(_, reason)| reason));
        match (&self.not_applicable, failure, self.state(), &self.before) {
            (Some(reason), ..) => reason.clone(),
            _ if held.is_some() => held.cloned().unwrap_or_default(),
            (_, Some(failure), ..) => failure,
            (_, _, "done", _) => {
                "its key is the key of a finished job: it will not run again".into()
            }
            (_, _, _, Some((key, _))) => format!("its settings are not those that {key} ran with"),
            _ => "it has not been run yet".to_owned(),
        }
    }

    /// As people read it.
    pub fn text(&self) -> String {
        let mut text =
            format!("{}  {}\n{}: {}\n", self.key, self.point, self.state(), self.reason());
        if let Some((key, changes)) = &self.before {
            let _ = writeln!(text, "\nchanged since {key}");
            let rows = changes.iter().map(|change| {
                let side = |value: &Option<Value>| value.as_ref().map_or("nothing".into(), plain);
                [change.path.clone(), format!("{} → {}", side(&change.old), side(&change.new))]
            });
            text.push_str(&shown(&Table::list(rows)));
        }
        text.push_str("\nsettings\n");
        let rows = leaves(&self.settings).into_iter().map(|(path, value)| [path, plain(&value)]);
        text.push_str(&shown(&Table::list(rows)));
        if !self.search.is_empty() {
            let _ = writeln!(text, "\nby search\n  {}", self.search.join("\n  "));
        }
        if !self.overrides.is_empty() {
            let _ = writeln!(text, "\noverrides, in order\n  {}", self.overrides.join("\n  "));
        }
        if let Some(record) = &self.record {
            text.push_str(&record.training());
        }
        if let Some(record) = self.record.as_ref().filter(|record| !record.provenance.is_empty()) {
            let rows = record.provenance.iter().map(|(name, value)| [name.clone(), value.clone()]);
            text.push_str(&format!("\nprovenance\n{}", shown(&Table::list(rows))));
        }
        text
    }

    /// As other programs read it.
    pub fn json(&self) -> Value {
        let change = |c: &SettingChange| json!({"path": c.path, "old": c.old, "new": c.new});
        let before = self.before.as_ref().map(|(key, changes)| {
            json!({"key": key, "changes": changes.iter().map(change).collect::<Vec<_>>()})
        });
        let training = self.record.as_ref().map(|record| {
            json!({"verdict": record.verdict, "effort": record.effort, "best_dev_micro_f1": record.best_dev})
        });
        let provenance: serde_json::Map<String, Value> = self
            .record
            .iter()
            .flat_map(|record| &record.provenance)
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        json!({
            "key": self.key, "point": self.point, "state": self.state(), "reason": self.reason(),
            "settings": self.settings, "overrides": self.overrides, "search": self.search,
            "before": before, "provenance": provenance, "training": training,
        })
    }
}

/// A value without the quotes of JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::{LoadOptions, load};
    use std::path::Path;

    fn quickstart(sets: &[&str]) -> Grid {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/quickstart.yaml");
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let default_backend = domain::Backend::Libtorch;
        let options = LoadOptions {
            sets: &sets,
            corpora: Path::new(""),
            catalogue: None,
            tables: report::tables::registry::NAMED,
            pretrained: Path::new(""),
            engine: "1",
            default_backend,
        };
        load(&path, &options).unwrap()
    }

    fn records(grid: &Grid) -> Vec<Recorded> {
        let record = |job: &spec::Job| Recorded {
            key: job.key.clone(),
            point: job.point.clone(),
            settings: job.settings.clone(),
            status: "done".into(),
            reason: None,
            effort: Some(Effort { budget: 640, updates: 512, tokens_seen: 9000, passes: 8.0 }),
            verdict: Some(TrainingVerdict::StoppedEarly),
            best_dev: Some(0.5),
            provenance: vec![("version".into(), "0.1.0".into())],
        };
        grid.jobs.iter().map(record).collect()
    }

    const JOB: &str = "synthetic/full/bilstm-softmax/scr/2";

    #[test]
    fn a_changed_setting_is_why_a_job_runs_again() {
        let old = quickstart(&[]);
        let new = quickstart(&["training.updates=500", "models.1.hidden=60"]);
        let explanation = explain(JOB, Some(&new), &records(&old)).unwrap();
        let (_, changes) = explanation.before.as_ref().unwrap();
        let changed: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(changed, ["model.encoder.hidden", "training.updates"]);
        assert_eq!(
            changes[1],
            SettingChange {
                path: "training.updates".into(),
                old: Some(json!(1500)),
                new: Some(json!(500))
            }
        );
        assert!(
            explanation.text().contains("training.updates      1500 → 500"),
            "{}",
            explanation.text()
        );
        assert_eq!(explanation.json()["state"], "todo");
    }

    #[test]
    fn a_finished_job_says_where_it_comes_from() {
        let grid = quickstart(&[]);
        let by_point = explain(JOB, Some(&grid), &records(&grid)).unwrap();
        let by_key = explain(&by_point.key.0[..12], None, &records(&grid)).unwrap();
        assert_eq!(by_key.key, by_point.key);
        assert_eq!(by_key.before, None);
        assert!(by_key.text().contains("done: its key is the key of a finished job"));
        let text = by_key.text();
        assert!(text.contains("training\n  verdict            stopped early\n"), "{text}");
        assert!(text.contains("  updates            512 of 640\n"), "{text}");
        assert_eq!(by_key.json()["training"]["verdict"], "stopped-early");
        assert_eq!(by_key.json()["training"]["effort"]["budget"], 640);
        assert!(by_key.text().contains("provenance\n  version  0.1.0"));
    }

    #[test]
    fn what_cannot_be_found_says_how_to_find_it() {
        let grid = quickstart(&[]);
        let error = |job, grid| explain(job, grid, &[]).unwrap_err().message;
        assert!(error("feed", None).contains("--grid GRID"));
        assert!(error("", Some(&grid)).contains("tailgrid plan -v"));
        let several = records(&grid);
        let twice: Vec<Recorded> = several
            .iter()
            .take(2)
            .cloned()
            .map(|mut record| {
                record.key = JobKey(format!("aa{}", record.key));
                record
            })
            .collect();
        assert!(explain("aa", None, &twice).unwrap_err().message.starts_with("2 jobs go by `aa`"));
    }
}
