//! `--set` and `extends`: what is laid over a grid or under it.

use super::*;

#[test]
fn set_changes_the_grid_and_is_checked_like_it() {
    let folder = Folder::new();
    let sets = [
        "training.epochs=5",
        "models.1.hidden=60",
        "models.bilstm.dropout=0.25",
        "methods.scr.variant=code",
        "seeds=[7, 8]",
    ];
    let grid = folder.load(GRID, &sets).unwrap();
    assert_eq!(grid.seeds, [7, 8]);
    assert!(grid.jobs.iter().all(|job| job.settings.training.epochs == 5));
    let scr = grid.jobs.iter().find(|job| job.point.method == "scr").unwrap();
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
    assert_eq!(
        grid.jobs.last().unwrap().settings.model.encoder.parameters.value::<i64>("hidden").unwrap(),
        60
    );
    insta::assert_snapshot!(folder.shown(
        GRID,
        &[
            "training.epoch=5",
            "models.2.hidden=5",
            "training.batch=[",
            "epochs",
            "trainig.epochs=3",
            "name.x=3",
            "seeds.0=1",
            "training..x=1",
            "models.bilstn.hidden=5",
            "=3",
            "training.patience=",
            "baseline=scrr"
        ],
    ));
}

#[test]
fn extends_takes_everything_but_the_name_from_another_grid() {
    let folder = Folder::new();
    folder.write("base.yaml", GRID);
    let grid = folder
        .load("extends: base.yaml\nname: more\nseeds: [3]\ntraining: {epochs: 2}\n", &[])
        .unwrap();
    assert_eq!((grid.name.as_str(), grid.jobs.len()), ("more", 6));
    assert_eq!(keys(&folder.load(&grid.as_run, &[]).unwrap()), keys(&grid));
    folder.write("a.yaml", "extends: grid.yaml\n");
    let cases = [
        "extends: a.yaml\nname: x\n",
        "extends: none.yaml\nname: x\n",
        "extends: [a]\nname: x\n",
        "extends: base.yaml\n",
    ];
    let all: Vec<String> = cases.iter().map(|text| folder.shown(text, &[])).collect();
    insta::assert_snapshot!(all.join("\n===\n"));
}

#[test]
fn what_is_kept_beside_the_results_is_the_file_with_its_other_layers_in_comments() {
    let folder = Folder::new();
    let text = with("corpora:", "corpora:\n  - synthetic");
    let sets = ["corpora.synthetic.seed=2", "training.epochs=\n  3\r"];
    let grid = folder.load(&text, &sets).unwrap();
    let header = "\
# run with --set corpora.synthetic.seed=2
# run with --set training.epochs=\\n  3\\r
";
    assert_eq!(grid.as_run, format!("{header}{text}"));
    assert_eq!(keys(&folder.load(&grid.as_run, &sets).unwrap()), keys(&grid));
    folder.write("base.yaml", &text);
    folder.write("between.yaml", "extends: base.yaml\r\nname: between\r\nseeds: 2\r\n");
    let text = "extends: between.yaml\nname: more\n";
    let grid = folder.load(text, &sets[..1]).unwrap();
    let between =
        "# extends between.yaml:\n# | extends: base.yaml\n# | name: between\n# | seeds: 2\n";
    let start = format!(
        "# run with --set corpora.synthetic.seed=2\n{text}{between}# extends base.yaml:\n# | "
    );
    assert!(grid.as_run.starts_with(&start), "{}", grid.as_run);
    for name in ["base.yaml", "between.yaml"] {
        folder.write(name, "version: 1\nname: another\n");
    }
    let again = folder.load(&grid.as_run, &sets[..1]).unwrap();
    assert_eq!(keys(&again), keys(&grid));
    let (of_again, of_grid) = (again.as_run.lines(), grid.as_run.lines());
    assert_eq!(of_again.skip(1).collect::<Vec<_>>(), of_grid.collect::<Vec<_>>());
}
