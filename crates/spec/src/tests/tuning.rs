//! `tune`: what is refused, what a search is, and what its trials know.

use super::{Folder, GRID};
use crate::{Grid, Job};
use domain::{ParameterValue, Range, Scale, Stage};

fn grid(tune: &str) -> String {
    format!("{}tune: {tune}\n", HEAD)
}

const HEAD: &str = "\
version: 1
name: tuned
corpora:
  - {name: mine, format: columns, train: train.txt, dev: train.txt, test: test.txt}
models:
  - {name: softmax, encoder: shallow, head: softmax}
  - {name: crf, encoder: shallow, head: crf}
methods:
  - original
  - {name: focal, loss: focal}
  - {name: both, resample: scr, loss: {kind: mom, lambda: 0.5, base: {kind: focal, gamma: 3}}}
seeds: [7, 1]
";

fn trial(grid: &Grid, values: &[f64]) -> Job {
    let values: Vec<ParameterValue> = values.iter().copied().map(ParameterValue::Real).collect();
    grid.searches[0].trial(&values)
}

#[test]
fn every_mistake_of_a_search_is_told_where_it_stands() {
    let text = grid(
        "
  - {method: focl, parameters: {gamma: [0, 5]}}
  - {parameters: {gamma: [0, 5]}, trails: 3}
  - {method: focal}
  - {method: focal, parameters: {}}
  - {method: focal, parameters: {gama: [0, 5], loss.gamma: [5, 1], training.learning_rte: [0, 1]}}
  - {method: focal, parameters: {gamma: [0, 50]}, trials: 0, batch: x, maximise: macro, seed: -1}
  - {method: focal, parameters: {gamma: {range: [0, 5], scale: log}, training.learning_rate: 0.1}}
  - {method: focal, parameters: {gamma: [a, 5], training.optimiser: [adam, adm], training.device: [cpu]}}
  - {method: focal, parameters: {training.lazy_adam: [true], training.batch: [8, 8, 16]}}
  - {method: focal, parameters: {gamma: {rnge: [0, 1]}, training.clip: {range: [1, 2], scale: lg}}}
  - {method: both, parameters: {loss.base.gama: [0, 1], loss.base: [0, 1], augment.ratio: [0, 1]}}
  - {method: original, parameters: {gamma: [0, 1]}}
  - {method: focal, parameters: {gamma: [0, 5], loss.gamma: [0, 4]}}
  - 3",
    );
    insta::assert_snapshot!(Folder::new().shown(&text, &[]));
}

#[test]
fn a_search_is_for_each_point_of_its_method_that_makes_sense() {
    let grid = Folder::new().load(&grid("{method: focal, parameters: {gamma: [0, 5]}}"), &[]);
    let grid = grid.unwrap();
    assert_eq!(grid.searches.len(), 1, "focal makes no sense with a random field");
    let search = &grid.searches[0];
    assert_eq!(search.point().to_string(), "mine/full/softmax/focal/1");
    let plan = &search.plan;
    assert_eq!((plan.trials, plan.batch, plan.startup, plan.seed), (20, 4, 10, 1));
    let dimension = &plan.dimensions[0];
    assert_eq!((dimension.path.as_str(), dimension.name.as_str()), ("method.loss.gamma", "gamma"));
    assert_eq!(dimension.range, Range::Real { low: 0.0, high: 5.0, scale: Scale::Linear });
    let waiting: Vec<String> =
        grid.jobs.iter().filter(|job| job.waits).map(|job| job.point.to_string()).collect();
    assert_eq!(waiting, ["mine/full/softmax/focal/7", "mine/full/softmax/focal/1"]);
}

#[test]
fn every_form_of_a_range_and_a_path_is_understood() {
    let text = grid(
        "
  - method: both
    parameters:
      loss.base.gamma: {range: [0.5, 4], scale: log}
      lambda: [0, 1]
      resample.variant: [paper, code]
      training.batch: [8, 64]
      training.epochs: {values: [2, 4]}
      training.learning_rate: [0.1, 0.01, 0.001]
    trials: 8
    maximise: macro_f1",
    );
    let grid = Folder::new().load(&text, &[]).unwrap();
    let shown: Vec<String> = grid.searches[0]
        .plan
        .dimensions
        .iter()
        .map(|dimension| {
            format!("{} {}", dimension.path, serde_json::to_string(&dimension.range).unwrap())
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    method.loss.base.gamma {"kind":"real","low":0.5,"high":4.0,"scale":"log"}
    method.loss.lambda {"kind":"real","low":0.0,"high":1.0,"scale":"linear"}
    method.resample.variant {"kind":"values","values":["paper","code"]}
    training.batch {"kind":"integer","low":8,"high":64,"scale":"linear"}
    training.epochs {"kind":"values","values":[2,4]}
    training.learning_rate {"kind":"values","values":[0.1,0.01,0.001]}
    "#);
}

#[test]
fn a_trial_knows_nothing_of_the_test_set() {
    let folder = Folder::new();
    let text = grid("{method: focal, parameters: {gamma: [0, 5]}}");
    let before = folder.load(&text, &[]).unwrap();
    let job = trial(&before, &[1.25]);
    assert_eq!(job.settings.stage, Stage::Trial);
    let request = serde_json::to_string(&(&job.settings, &job.files)).unwrap();
    assert!(request.contains("\"stage\":\"trial\"") && !request.contains("test"), "{request}");
    assert_eq!(job.settings.method.loss.parameters.value::<f64>("gamma").unwrap(), 1.25);
    folder.write("test.txt", "Paris\tB-CITY\n\n");
    let after = folder.load(&text, &[]).unwrap();
    assert_eq!(trial(&after, &[1.25]).key, job.key);
    assert_ne!(after.jobs[0].key, before.jobs[0].key, "main jobs do know");
    folder.write("train.txt", "Paris\tB-CITY\n\nOslo\tO\n\n");
    assert_ne!(trial(&folder.load(&text, &[]).unwrap(), &[1.25]).key, job.key);
}

#[test]
fn what_a_search_chose_gives_the_key_of_the_same_values_by_hand() {
    let folder = Folder::new();
    let mut tuned =
        folder.load(&grid("{method: focal, parameters: {gamma: [0, 5]}}"), &[]).unwrap();
    let by_hand = HEAD.replace("loss: focal}", "loss: focal, gamma: 1.25}");
    let by_hand = folder.load(&by_hand, &[]).unwrap();
    assert!(tuned.jobs.iter().zip(&by_hand.jobs).any(|(one, other)| one.key != other.key));
    tuned.choose(0, &[ParameterValue::Real(1.25)]);
    let sensible =
        tuned.jobs.iter().zip(&by_hand.jobs).filter(|(job, _)| job.not_applicable.is_none());
    for (one, other) in sensible {
        assert_eq!((&one.key, &one.settings, one.waits), (&other.key, &other.settings, false));
    }
}

#[test]
fn trials_stay_when_what_they_are_not_about_changes() {
    let folder = Folder::new();
    let load = |tune: &str, sets: &[&str]| folder.load(&grid(tune), sets).unwrap();
    let one =
        load("{method: focal, parameters: {gamma: [0, 5], training.learning_rate: [0.1, 1]}}", &[]);
    let other = load(
        "{trials: 40, batch: 2, parameters: {training.learning_rate: [0.1, 1], loss.gamma: [0, 5]}, \
         method: focal}",
        &["metric=micro_f1", "seeds=[7, 1, 2]", "training.keep_model=true", "name=other"],
    );
    assert_eq!(trial(&one, &[1.25, 0.5]).key, trial(&other, &[1.25, 0.5]).key);
    assert_ne!(trial(&one, &[1.25, 0.5]).key, trial(&one, &[1.25, 0.25]).key);
    let untuned = folder.load(HEAD, &[]).unwrap();
    let key = |grid: &Grid, at: usize| grid.jobs[at].key.clone();
    assert_eq!(key(&one, 0), key(&untuned, 0), "another method's jobs stay");
    assert!(folder.load(GRID, &[]).unwrap().searches.is_empty());
}

#[test]
fn a_kept_model_changes_no_key_and_outlives_a_search() {
    let folder = Folder::new();
    let text =
        grid("{method: focal, parameters: {gamma: [0, 5], training.learning_rate: [0.1, 1]}}");
    let mut plain = folder.load(&text, &[]).unwrap();
    let mut kept = folder.load(&text, &["training.keep_model=true"]).unwrap();
    for grid in [&mut plain, &mut kept] {
        grid.choose(0, &[ParameterValue::Real(1.25), ParameterValue::Real(0.5)]);
    }
    let keys = |grid: &Grid| grid.jobs.iter().map(|job| job.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&plain), keys(&kept));
    assert!(kept.jobs.iter().all(|job| job.settings.training.keep_model));
    assert!(!plain.jobs.iter().any(|job| job.settings.training.keep_model));
}

#[test]
fn an_override_that_takes_a_searched_parameter_away_is_told() {
    let text = format!(
        "{}overrides: [{{when: {{model: softmax}}, set: {{method.loss: cross-entropy}}}}]\n",
        grid("{method: focal, parameters: {gamma: [0, 5]}}")
    );
    let shown = Folder::new().shown(&text, &[]);
    assert!(shown.contains("an override leaves method `focal` without a parameter"), "{shown}");
}

#[test]
fn an_override_that_a_search_replaces_is_a_warning() {
    let text = format!(
        "{}overrides: [{{when: {{method: focal}}, set: {{method.gamma: 3, training.epochs: 2}}}}]\n",
        grid("{method: focal, parameters: {gamma: [0, 5]}}")
    );
    insta::assert_snapshot!(Folder::new().shown(&text, &[]));
}

#[test]
fn a_parameter_of_a_part_inside_a_part_goes_by_its_name_where_no_other_has_it() {
    let text = grid("{method: both, parameters: {gamma: [0, 5]}}");
    let grid = Folder::new().load(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(grid.searches[0].plan.dimensions[0].path, "method.loss.base.gamma");
}

#[test]
fn a_searched_number_of_updates_gives_the_key_of_the_same_number_by_hand() {
    let folder = Folder::new();
    let head = HEAD.replace(
        "{name: crf, encoder: shallow, head: crf}",
        "{name: lstm, encoder: bilstm, head: softmax}",
    ) + "training: {learning_rate: 0.01}\n";
    let tune =
        |parameters: &str| format!("{head}tune: {{method: focal, parameters: {parameters}}}\n");
    let searched = [
        ("{training.updates: {range: [100, 2000], scale: log}}", "updates: 500", 500),
        ("{training.epochs: [2, 40]}", "epochs: 7", 7),
        ("{training.eval_every: [1, 4]}", "eval_every: 3", 3),
    ];
    for (parameters, by_hand, value) in searched {
        let mut tuned = folder.load(&tune(parameters), &[]).unwrap_or_else(|e| panic!("{e}"));
        let by_hand = head.replace("0.01}", &format!("0.01, {by_hand}}}"));
        let by_hand = folder.load(&by_hand, &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(tuned.searches.len(), 2);
        for search in 0..2 {
            tuned.choose(search, &[ParameterValue::Integer(value)]);
        }
        let pairs = tuned.jobs.iter().zip(&by_hand.jobs);
        let pairs: Vec<_> = pairs.filter(|(job, _)| job.point.method == "focal").collect();
        assert_eq!(pairs.len(), 4);
        for (one, other) in pairs {
            assert_eq!((&one.settings, &one.key), (&other.settings, &other.key));
        }
    }
}

#[test]
fn searches_for_a_length_that_contradict_each_other_are_errors() {
    let shown = |tune: &str, more: &str| Folder::new().shown(&format!("{}{more}", grid(tune)), &[]);
    let both =
        "{method: focal, parameters: {training.epochs: [2, 9], training.updates: [100, 900]}}";
    let said = shown(both, "");
    assert!(said.contains("`training.epochs` and `training.updates` are both searched"), "{said}");
    let updates = "{method: focal, parameters: {training.updates: [100, 900]}}";
    let said = shown(updates, "training: {budget: passes}\n");
    assert!(said.contains("is searched, but `budget: passes` counts passes"), "{said}");
    let said = shown("{method: focal, parameters: {training.updates: [auto, 900]}}", "");
    assert!(said.contains("ends at `auto`, which is not a number"), "{said}");
    let said = shown(updates, "overrides: [{when: {model: softmax}, set: {training.epochs: 3}}]\n");
    assert!(
        said.contains("`training.updates` is searched: what the search finds replaces this"),
        "{said}"
    );
}

#[test]
fn a_search_may_leave_the_number_of_updates_to_the_epochs() {
    let text = grid("{method: focal, parameters: {training.updates: {values: [auto, 500]}}}");
    let grid = Folder::new().load(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let updates = |value| grid.searches[0].trial(&[value]).settings.training.updates;
    assert_eq!(updates(ParameterValue::Text("auto".into())), None);
    assert_eq!(updates(ParameterValue::Integer(500)), Some(500));
}
