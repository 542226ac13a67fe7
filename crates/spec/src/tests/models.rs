//! Word vectors and checkpoints: by name and by path, and what is wrong with them.

use super::*;

const GRID: &str = "
version: 1
name: small
corpora: [{name: mine, format: columns, train: train.txt, test: test.txt}]
methods: [original]
seeds: 1
";

fn grid(model: &str) -> String {
    format!("{GRID}models: [{{name: m, head: softmax, {model}}}]\n")
}

#[test]
fn vectors_are_named_by_the_catalogue_or_by_a_file_and_known_by_their_bytes() {
    let folder = Folder::new();
    folder.write("vectors.txt", "the 0.1 0.2\n");
    let job = |model: &str| {
        folder.load(&grid(model), &[]).unwrap_or_else(|e| panic!("{e}")).jobs.remove(0)
    };
    let short = job("encoder: shallow, embeddings: vectors.txt, frozen: false");
    let long =
        job("encoder: shallow, embeddings: {kind: pretrained, file: ./vectors.txt, frozen: false}");
    assert_eq!(short.key, long.key);
    assert_eq!(short.model_files["embeddings"].file_name().unwrap(), "vectors.txt");
    let part = short.settings.model.embeddings.as_ref().unwrap();
    assert_eq!(
        (part.kind.as_str(), part.parameters.value::<bool>("frozen").unwrap()),
        ("pretrained", false)
    );
    folder.write("vectors.txt", "the 0.1 0.3\n");
    assert_ne!(job("encoder: shallow, embeddings: vectors.txt, frozen: false").key, short.key);
}

#[test]
fn vectors_that_are_not_there_are_told_with_how_to_get_them() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.shown(&grid("encoder: shallow, embeddings: glove-100d"), &[]));
    insta::assert_snapshot!(folder.shown(&grid("encoder: shallow, embeddings: glove-10d"), &[]));
    insta::assert_snapshot!(folder.shown(&grid("encoder: shallow, embeddings: pretrained"), &[]));
    insta::assert_snapshot!(folder.shown(&grid("encoder: bilstm, checkpoint: minilm"), &[]));
}

#[test]
fn an_encoder_brings_the_training_that_suits_it_under_what_the_grid_says() {
    let folder = Folder::new();
    let training = |more: &str| {
        let text = grid("encoder: bilstm") + more;
        folder.load(&text, &[]).unwrap_or_else(|e| panic!("{e}")).jobs.remove(0).settings.training
    };
    let length = |more: &str| {
        let training = training(more);
        (training.epochs, training.updates, training.min_updates)
    };
    assert_eq!((training("").batch, training("").patience), (8, 12));
    let said = training("training: {batch: 32}");
    assert_eq!((said.batch, said.patience), (32, 12));
    // Whoever says how long gets just that, and whoever writes out that nothing is said does not.
    assert_eq!(length(""), (20, None, 1200));
    assert_eq!(length("training: {epochs: auto, updates: auto}"), (20, None, 1200));
    assert_eq!(length("training: {epochs: 20}"), (20, None, 0));
    assert_eq!(length("training: {epochs: 20, min_updates: 500}"), (20, None, 500));
    assert_eq!(length("training: {updates: 70}"), (20, Some(70), 0));
}

#[test]
fn an_optimiser_brings_its_own_under_what_the_grid_says_and_over_what_suits_the_encoder() {
    let folder = Folder::new();
    let training = |more: &str| {
        let text = grid("encoder: bilstm") + more;
        folder.load(&text, &[]).unwrap_or_else(|e| panic!("{e}")).jobs.remove(0).settings.training
    };
    let usual = training("training: {optimiser: pesg}");
    assert_eq!((usual.learning_rate, usual.weight_decay, usual.clip), (0.1, 1e-5, 1.0));
    assert_eq!((usual.epoch_decay, usual.decay, usual.patience), (0.002, 1.0, 12));
    let said = training("training: {optimiser: pesg, learning_rate: 0.01, epoch_decay: 0.0}");
    assert_eq!((said.learning_rate, said.weight_decay, said.epoch_decay), (0.01, 1e-5, 0.0));
    assert_eq!(training("training: {optimiser: adam}").learning_rate, 0.008);
}

#[test]
fn losses_over_two_tasks_need_the_head_that_has_them() {
    let folder = Folder::new();
    let reason = |head: &str, method: &str| {
        let text = grid("encoder: bilstm").replace("head: softmax", &format!("head: {head}"));
        let text = text.replace("[original]", &format!("[{method}]"));
        let mut grid = folder.load(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
        grid.jobs.remove(0).not_applicable.map(|reason| reason.to_string())
    };
    for method in ["auc-2t", "comauc-2t", "original", "focal", "dsc", "mom"] {
        assert_eq!(reason("two-task", method), None, "{method}");
    }
    assert!(reason("softmax", "auc-2t").unwrap().contains("needs a two-task head"));
    assert!(reason("crf", "comauc-2t").unwrap().contains("needs a two-task head"));
    assert!(reason("two-task", "dice").unwrap().contains("needs a softmax head"));
    let nested = "{name: m, loss: {kind: mom, base: auc}}";
    let text = grid("encoder: bilstm").replace("[original]", &format!("[{nested}]"));
    let error = folder.load(&text, &[]).unwrap_err().to_string();
    assert!(error.contains("auc"), "{error}");
}

#[test]
fn a_device_is_the_processor_or_a_numbered_card() {
    let folder = Folder::new();
    let with = |device: &str| {
        let text = grid("encoder: shallow") + &format!("training: {{device: '{device}'}}");
        folder.load(&text, &[]).map(|grid| grid.jobs[0].settings.training.device.clone())
    };
    assert_eq!(with("cpu").unwrap(), "cpu");
    assert_eq!(with("cuda:1").unwrap(), "cuda:1");
    assert!(with("gpu").is_err() && with("cuda").is_err() && with("cuda:x").is_err());
}

#[test]
fn questions_are_the_shipped_ones_under_the_users_own_and_part_of_the_key() {
    let folder = Folder::new();
    let job = |more: &str| {
        let text = grid(&format!("encoder: bert{more}")).replace("head: softmax", "head: mrc");
        folder.load(&text, &[]).unwrap_or_else(|e| panic!("{e}")).jobs.remove(0)
    };
    let shipped = job("");
    assert!(shipped.settings.model.queries["disease"].contains("disorders"));
    let same = &shipped.settings.model.queries["disease"];
    folder.write("same.yaml", &format!("version: 1\nqueries: {{Disease: '{same}'}}\n"));
    assert_eq!(job(", queries: same.yaml").key, shipped.key);
    folder.write("own.yaml", "version: 1\nqueries: {Disease: illnesses}\n");
    let own = job(", queries: own.yaml");
    assert_eq!(own.settings.model.queries["disease"], "illnesses");
    assert_ne!(own.key, shipped.key);
    let text = grid("encoder: bilstm").replace("head: softmax", "head: mrc");
    let error = folder.load(&text, &[]).unwrap_err().to_string();
    assert!(error.contains("needs the encoder `bert`"), "{error}");
    let error = folder.load(&grid("encoder: bilstm, queries: own.yaml"), &[]).unwrap_err();
    assert!(error.to_string().contains("the head `softmax` asks no `queries`"), "{error}");
}

#[test]
fn a_file_of_synonyms_is_relative_to_the_grid_and_part_of_the_key() {
    let folder = Folder::new();
    folder.write("mine.tsv", "good\tfine\n");
    let job = |method: &str| {
        let text = grid("encoder: bilstm")
            .replace("methods: [original]", &format!("methods: [{{name: m, {method}}}]"));
        folder.load(&text, &[]).map(|mut grid| grid.jobs.remove(0))
    };
    let with = |source: &str| job(&format!("augment: synonym-replacement, synonyms: {source}"));
    let file = with("mine.tsv").unwrap();
    let part = file.settings.method.augment.as_ref().unwrap();
    assert_eq!(part.parameters.value::<String>("synonyms").unwrap(), "file");
    assert!(file.settings.method.digests.contains_key("synonyms"));
    assert_eq!(file.method_files["synonyms"].file_name().unwrap(), "mine.tsv");
    folder.write("mine.tsv", "good\tgreat\n");
    assert_ne!(with("mine.tsv").unwrap().key, file.key);
    assert!(with("none").unwrap().not_applicable.unwrap().contains("has no synonyms"));
    let error = with("auto").unwrap_err().to_string();
    assert!(error.contains("write `wordnet`, `vectors`, a file or `none`"), "{error}");
    let error = with("nowhere.tsv").unwrap_err().to_string();
    assert!(error.contains("nowhere.tsv"), "{error}");
    folder.write("bad.tsv", "good\tfine\nlonely\n");
    let error = with("bad.tsv").unwrap_err().to_string();
    assert!(error.contains("bad.tsv:2: no tab in `lonely`"), "{error}");
}

#[test]
fn what_synonyms_are_drawn_from_never_depends_on_the_model() {
    let folder = Folder::new();
    folder.write("vectors.txt", "the 0.1 0.2\n");
    let jobs = |method: &str| {
        let models = "models:\n  - {name: a, head: softmax, encoder: bilstm, embeddings: vectors.txt}\n  \
                      - {name: b, head: softmax, encoder: bilstm, embeddings: random}\n";
        let text = GRID.replace("[original]", &format!("[{method}]")) + models;
        folder.load(&text, &[]).unwrap_or_else(|e| panic!("{e}")).jobs
    };
    for (method, source) in [
        ("da", "none"),
        ("{name: m, augment: all}", "none"),
        ("{name: m, augment: one-per-sentence, synonyms: vectors}", "vectors"),
    ] {
        let jobs = jobs(method);
        for job in &jobs {
            let part = job.settings.method.augment.as_ref().unwrap();
            assert_eq!(part.parameters.value::<String>("synonyms").unwrap(), source, "{method}");
        }
        assert_eq!(jobs[0].not_applicable, None, "{method}");
        let reason = jobs[1].not_applicable.as_deref().unwrap_or_default();
        let is_missing = reason.contains("needs a model with pretrained word vectors");
        assert_eq!(is_missing, source == "vectors", "{method}: {reason}");
    }
}
