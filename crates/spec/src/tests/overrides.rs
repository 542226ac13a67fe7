//! `overrides` and `exclude`.

use super::*;

#[test]
fn overrides_are_shown_as_they_would_be_written() {
    let shown = |value: &str| {
        let set = format!("{{corpus.x: {value}}}");
        let mut sources = source::SourceTexts::default();
        let name = "g".to_owned();
        let (base, is_option) = (PathBuf::new(), false);
        let number = sources.add(source::SourceText { name, text: set.clone(), base, is_option });
        let node = yaml::read(&set, &sources, (number, 0), &mut Diagnostics::default()).unwrap();
        yaml::flow(node.get("corpus.x").unwrap())
    };
    for value in ["7", "0.001", "true", "null", "iob1", "[1, 2.5, a]", "{kind: focal, gamma: 2}"] {
        assert_eq!(shown(value), value);
    }
    let quoted = ["\"7\"", "\"true\"", "\"a b\"", "\"\"", "\"a, b\"", "\"a\\nb\"", "\"-\""];
    for value in quoted {
        assert_eq!(shown(value), value);
    }
}

#[test]
fn overrides_apply_in_order_to_the_points_that_fit() {
    let text = format!(
        "{GRID}training: {{epochs: 3}}
overrides:
  - {{when: {{model: 'bi*', method: [scr, focal*]}}, set: {{training.epochs: 7, model.hidden: 10}}}}
  - {{when: {{method: scr}}, set: {{training.epochs: 9, method.resample.variant: code}}}}
  - {{when: {{corpus: mine}}, set: {{corpus.scheme: iob1, scenario.train_sentences: 4}}}}
"
    );
    let grid = Folder::new().load(&text, &[]).unwrap();
    let job = |model: &str, method: &str| {
        grid.jobs.iter().find(|job| job.point.model == model && job.point.method == method).unwrap()
    };
    let epochs = |model, method| job(model, method).settings.training.epochs;
    assert_eq!((epochs("shallow", "original"), epochs("shallow", "scr")), (3, 9));
    assert_eq!((epochs("bilstm", "scr"), epochs("bilstm", "focal-3")), (9, 7));
    let hidden = |method| {
        job("bilstm", method).settings.model.encoder.parameters.value::<i64>("hidden").unwrap()
    };
    assert_eq!((hidden("original"), hidden("scr")), (50, 10));
    let scr = &job("bilstm", "scr");
    assert_eq!(
        scr.settings
            .method
            .resample
            .as_ref()
            .unwrap()
            .parameters
            .value::<String>("variant")
            .unwrap(),
        "code"
    );
    assert_eq!(scr.settings.corpus.format.parameters.value::<String>("scheme").unwrap(), "iob1");
    assert_eq!(scr.settings.scenario.value::<i64>("train_sentences").unwrap(), 4);
    assert_eq!(scr.overrides.len(), 6);
    assert!(scr.overrides[0].starts_with("training.epochs = 7 ("));
}

#[test]
fn wrong_overrides_are_told_once_and_idle_ones_warn() {
    let wrong = format!(
        "{GRID}overrides:\n  - {{when: {{model: '*'}}, set: {{method.gamma: 2, training.epochs: none}}}}\n"
    );
    let idle = format!(
        "{GRID}overrides:\n  - {{when: {{model: bert}}, set: {{training.epochs: 2}}}}\nexclude: [{{method: focl}}]\n"
    );
    insta::assert_snapshot!(format!("{}\n===\n{}", shown(&wrong), shown(&idle)));
}

#[test]
fn exclude_leaves_points_out() {
    let text = format!("{GRID}exclude: [{{model: shallow, method: '*c*'}}]\n");
    let grid = Folder::new().load(&text, &[]).unwrap();
    let left: Vec<&str> = grid
        .jobs
        .iter()
        .filter(|j| j.point.model == "shallow")
        .map(|j| j.point.method.as_str())
        .collect();
    assert_eq!(left, ["original", "original"]);
    assert!(shown(&format!("{GRID}exclude: [{{model: '*'}}]\n")).contains("leaves no job"));
}
