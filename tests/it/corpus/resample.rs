//! `tailgrid resample`: the data of a method, written as a file.

use super::*;

/// The sentences of the vectors as a column file.
fn vectors() -> (Value, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/resampling.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut file = String::new();
    for (index, sentence) in vectors["sentences"].as_array().unwrap().iter().enumerate() {
        for tag in sentence["tags"].as_array().unwrap() {
            file += &format!("w{index}\t{}\n", tag.as_str().unwrap());
        }
        file.push('\n');
    }
    (vectors, file)
}

/// The first token of each sentence, which tells it from the others: some of their tags are mended.
fn blocks(file: &str) -> impl Iterator<Item = &str> {
    file.split_terminator("\n\n").filter_map(|block| block.split('\t').next())
}

#[test]
fn resampling_matches_the_reference_vectors() {
    let place = Workspace::new();
    let (vectors, file) = vectors();
    place.write("train.txt", &file);
    for (method, name) in [("sc", "sC"), ("scr", "sCR"), ("scrd", "sCRD"), ("nscrd", "nsCRD")] {
        for variant in ["paper", "code"] {
            let mut arguments = vec!["resample", "--method", method, "--train", "train.txt"];
            let parameter = format!("variant={variant}");
            if method != "sc" {
                arguments.extend(["--param", &parameter]);
            }
            let printed = out(&place.expect(0, &[&arguments[..], &["--counts"]].concat()));
            let copies: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
            let sentences = vectors["sentences"].as_array().unwrap();
            let expected: Vec<u64> =
                sentences.iter().map(|s| s[variant][name].as_u64().unwrap()).collect();
            assert_eq!(copies, expected, "{variant} {name}");
            place.expect(0, &[&arguments[..], &["--out", "out.txt", "--force"]].concat());
            let expected: Vec<&str> = blocks(&file)
                .zip(&copies)
                .flat_map(|(block, &n)| std::iter::repeat_n(block, n as usize))
                .collect();
            let written = text(&place.read("out.txt"));
            assert!(blocks(&written).eq(expected), "{variant} {name}");
        }
    }
    let summed = ["resample", "--method", "scr", "--train", "train.txt", "--counts", "--json"];
    let json: Value = serde_json::from_slice(&place.expect(0, &summed).stdout).unwrap();
    let total = &vectors["aggregate"]["paper.sCR"]["total_sentences"];
    assert_eq!(&json["sentences"], total);
}

#[test]
fn a_method_that_leaves_the_data_alone_has_nothing_to_resample() {
    let place = workspace();
    let with = |method: &str| {
        ["resample", "--method", method, "--train", "data/train.txt", "--counts"].map(String::from)
    };
    let run = |code, method: &str| {
        let arguments = with(method);
        place.expect(code, &arguments.each_ref().map(String::as_str))
    };
    assert_eq!(out(&run(0, "original")), "1\n1\n1\n");
    let focal = err(&run(3, "focal"));
    assert!(
        focal.contains("leaves the training data as it is") && focal.contains("scr"),
        "{focal}"
    );
    assert!(err(&run(3, "scrr")).contains("did you mean `scr`?"));
    place.expect(2, &["resample", "--method", "scr", "--train", "data/train.txt"]);
}

#[test]
fn undersampling_matches_the_reference_vectors() {
    let place = Workspace::new();
    let (vectors, file) = vectors();
    place.write("train.txt", &file);
    let arguments = ["resample", "--method", "bus", "--train", "train.txt", "--out", "out.txt"];
    let told = err(&place.expect(0, &arguments));
    assert!(
        told.contains("bus: 30 sentences became 25 (× 0.83), 255 tokens 136 (× 0.53)"),
        "{told}"
    );
    let written = text(&place.read("out.txt"));
    let cases = vectors["sentences"].as_array().unwrap();
    let kept = cases.iter().map(|case| case["bus_R3_kept"].as_array().unwrap().len());
    let lengths = written.split_terminator("\n\n").map(|block| block.lines().count());
    assert!(lengths.eq(kept.filter(|&n| n > 0)));
    let counts = ["resample", "--method", "bus", "--train", "train.txt", "--counts"];
    assert!(err(&place.expect(2, &counts)).contains("`--out FILE`"));
}

#[test]
fn augmentations_are_written_and_drawn_by_their_seed() {
    let place = workspace();
    place.write("synonyms.tsv", "lived\tdwelt\tmade a home\nrained\tpoured\n");
    let methods = [
        ("label-wise-token-replacement", 2),
        ("mention-replacement", 2),
        ("shuffle-within-segments", 2),
        ("synonym-replacement", 2),
        ("one-per-sentence", 2),
        ("all", 5),
    ];
    for (method, factor) in methods {
        let written = |seed: &str| {
            let mut arguments = vec!["resample", "--method", method, "--train", "data/train.txt"];
            arguments.extend(["--seed", seed, "--out", "out.txt", "--force", "--param", "ratio=1"]);
            if method.starts_with("syn") || factor == 5 || method.starts_with("one") {
                arguments.extend(["--param", "synonyms=synonyms.tsv"]);
            }
            let told = err(&place.expect(0, &arguments));
            assert!(told.contains(&format!("(× {factor}.00)")), "{told}");
            text(&place.read("out.txt"))
        };
        let (one, again) = (written("1"), written("1"));
        assert_eq!(one, again, "{method}");
        assert_eq!(one.matches("\n\n").count(), 3 * factor, "{method}");
        assert!((2..20).any(|seed| written(&seed.to_string()) != one), "{method}");
    }
}

#[test]
fn synonyms_are_found_or_asked_for() {
    let place = workspace();
    let run = |code, more: &[&str]| {
        let start = ["resample", "--train", "data/train.txt", "--out", "out.txt", "--force"];
        let mut command = place.tailgrid(&[&start, more].concat());
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wordnet");
        let output = command.env("WNSEARCHDIR", fixture).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{more:?}: {}", err(&output));
        err(&output)
    };
    let told = run(0, &["--method", "synonym-replacement", "--param", "synonyms=wordnet"]);
    assert!(told.contains("synonyms: WordNet in ") && told.contains("fixtures/wordnet"), "{told}");
    let told = run(0, &["--method", "all", "--param", "synonyms=none"]);
    assert!(told.contains("without synonym replacement") && told.contains("(× 4.00)"), "{told}");
    let told = run(0, &["--method", "da"]);
    assert!(told.contains("without synonym replacement"), "not WordNet, though it is here: {told}");
    let sr = |synonyms| run(3, &["--method", "synonym-replacement", "--param", synonyms]);
    assert!(sr("synonyms=none").contains("apt install wordnet-base"));
    assert!(sr("synonyms=nowhere.tsv").contains("nowhere.tsv: there is no such file"));
    place.write("bad.tsv", "rained\tpoured\nlonely\n");
    assert!(sr("synonyms=bad.tsv").contains("bad.tsv:2: no tab in `lonely`"));
    assert!(sr("synonyms=vectors").contains("`resample` has no model"));
    assert!(sr("synonyms=embeddings").contains("it is called `vectors`"));
    assert!(sr("synonyms=auto").contains("write `wordnet`, `vectors`, a file or `none`"));
    let counts = ["resample", "--train", "data/train.txt", "--counts", "--method", "all"];
    assert!(err(&place.expect(2, &counts)).contains("makes new sentences"));
}
