//! What holds of every grid, however it is written.

use super::*;
use proptest::prelude::*;

/// An entry with every parameter written out at its default, the last one first.
fn written_out(slot: &slots::Slot, kind: &str) -> String {
    let parameters = slot.find(kind).unwrap().parameters;
    format!("{{{}kind: {kind}}}", defaults(parameters))
}

fn defaults(parameters: &[parts::Parameter]) -> String {
    let written = |value: ParameterValue| match value {
        ParameterValue::Text(text) => format!("'{text}'"),
        value => value.to_string(),
    };
    let parameters = parameters.iter().rev();
    parameters.map(|p| format!("{}: {}, ", p.name, written(p.default_value()))).collect()
}

/// Ways to write the same grid.
fn rewritten(order: bool, comments: bool, written: bool, rename: bool) -> String {
    let [embeddings, encoder, head] = slots::MODEL else { panic!("three parts") };
    let [_, resample, .., loss] = slots::METHOD else { panic!("these parts") };
    let mut lines = vec!["version: 1".to_owned(), "seeds: 3".to_owned()];
    if written {
        lines.push(format!(
            "models: [{{head: {}, encoder: {}, training: {{}}, embeddings: {}, name: bilstm}}]",
            written_out(head, "softmax"),
            written_out(encoder, "bilstm"),
            written_out(embeddings, "random"),
        ));
        lines.push(format!(
            "methods: [{{name: scr, loss: {}, resample: {}}}, {{name: focal, loss: {}}}]",
            written_out(loss, "cross-entropy"),
            written_out(resample, "scr"),
            written_out(loss, "focal"),
        ));
        let usual = parts::encoders::training("bilstm");
        let general: Vec<_> = training::PARAMETERS
            .iter()
            .filter(|p| !usual.iter().any(|(name, _)| *name == p.name))
            .copied()
            .collect();
        let usual: String =
            usual.iter().map(|(name, value)| format!("{name}: {value}, ")).collect();
        lines.push(format!("training: {{{}{usual}}}", defaults(&general)));
        lines.push(format!("scenarios: [{{{}name: full}}]", defaults(slots::SCENARIO)));
        lines.push(format!(
            "corpora: [{{{}test: test.txt, train: ./train.txt, format: columns, name: mine}}]",
            defaults(slots::CORPUS[0].find("columns").unwrap().parameters),
        ));
    } else {
        lines.push("models: [{name: bilstm, encoder: bilstm, head: softmax}]".to_owned());
        lines.push("methods: [scr, focal]".to_owned());
        lines.push(
            "corpora: [{name: mine, format: columns, train: train.txt, test: test.txt}]".to_owned(),
        );
    }
    match rename {
        true => lines.push(
            "name: other\nmetric: micro_f1\nbaseline: scr\nlimits: {time: 1h}\nstopping: {looks: [5], spending: pocock}".to_owned(),
        ),
        false => lines.push("name: small".to_owned()),
    }
    if order {
        lines.reverse();
    }
    let end = if comments { "   # a comment\n\n" } else { "\n" };
    lines.iter().map(|line| line.replace('\n', end) + end).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn writing_does_not_change_keys(order: bool, comments: bool, written: bool, rename: bool) {
        let folder = Folder::new();
        let plain = keys(&folder.load(&rewritten(false, false, false, false), &[]).unwrap());
        let other = keys(&folder.load(&rewritten(order, comments, written, rename), &[]).unwrap());
        prop_assert_eq!(plain, other);
    }

    #[test]
    fn growing_an_axis_does_not_change_the_keys_of_the_rest(
        seeds in proptest::collection::btree_set(0u64..1000, 1..6),
        focal in 0.0f64..10.0,
        hidden in 1u32..500,
    ) {
        let folder = Folder::new();
        let before = keys(&folder.load(GRID, &[]).unwrap());
        let seeds: Vec<String> = [1, 2].into_iter().chain(seeds).map(|s| s.to_string()).collect();
        let mut unique = Vec::new();
        seeds.into_iter().for_each(|s| if !unique.contains(&s) { unique.push(s) });
        let text = GRID
            .replace("seeds: 2", &format!("seeds: [{}]", unique.join(", ")))
            .replace("methods: [", &format!("methods: [{{name: new, loss: focal, gamma: {focal:?}}}, "))
            .replace("models:", &format!("models:\n  - {{name: new, encoder: bilstm, head: softmax, hidden: {hidden}}}"))
            .replace("corpora:", "corpora:\n  - synthetic");
        let after = keys(&folder.load(&text, &[]).unwrap());
        prop_assert!(after.len() > before.len());
        for (point, key) in before {
            prop_assert_eq!(&after[&point], &key);
        }
    }

    #[test]
    fn paths_do_not_change_keys_and_bytes_do(name in "[a-z]{1,8}", extra in "[a-z]{1,8}") {
        let folder = Folder::new();
        let before = keys(&folder.load(GRID, &[]).unwrap());
        folder.write(&format!("{name}.conll"), "Oslo\tB-LOC\n\n");
        let moved = with("train: train.txt", &format!("train: ./{name}.conll"));
        prop_assert_eq!(&keys(&folder.load(&moved, &[]).unwrap()), &before);
        folder.write("train.txt", &format!("Oslo\tB-LOC\n\n{extra}\tO\n\n"));
        let changed = keys(&folder.load(GRID, &[]).unwrap());
        prop_assert!(before.iter().all(|(point, key)| changed[point] != *key));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-c:\\[\\]{},&*!|>#%@'\"? \n\t\u{e9}\u{feff}-]{0,60}") {
        let folder = Folder::new();
        let _ = folder.load(&text, &[]);
        let _ = folder.load(GRID, &[&text]);
        let _ = folder.shown(GRID, &[&format!("training.epochs={text}")]);
    }

    #[test]
    fn no_damage_to_a_grid_makes_it_panic(at in 0usize..400, cut in 0usize..30, put in "\\PC{0,6}") {
        let mut bytes: Vec<char> = GRID.chars().collect();
        let start = at.min(bytes.len());
        let end = (start + cut).min(bytes.len());
        bytes.splice(start..end, put.chars());
        let text: String = bytes.into_iter().collect();
        let _ = Folder::new().shown(&text, &[]);
    }
}
