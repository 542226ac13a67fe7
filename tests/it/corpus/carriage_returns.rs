//! Carriage returns that end no line.

use super::*;

/// Old Mac line ends, and a stray carriage return: what follows it must not be lost in silence.
#[test]
fn carriage_returns_are_refused_with_their_line_in_every_text_format() {
    for (format, file, text, further) in [
        ("columns", "train.txt", "Ada B-per\nX I-per\nin O\n", &[][..]),
        ("csv", "train.csv", "Sentence #,Word,Tag\nSentence: 1,Ada,B-per\n,in,O\n", &[]),
        (
            "ontonotes",
            "train.gold_conll",
            "#begin document (a); part 000\na 0 0 Ada - - - - - - (PER) -\nb 0 0 sat - - - - - - * -\n",
            &[],
        ),
        ("pubtator", "train.txt", "1|t|Ada sat.\n1|a|So.\n1\t0\t3\tAda\tper\tD1\n", &[]),
        (
            "knp",
            "train.knp",
            "# S-ID:1\n* -1D\n+ -1D <NE:PERSON:Ada>\nAda Ada Ada x 6 x 5 x 0 x 0 NIL\nEOS\n",
            &[],
        ),
        (
            "tags",
            "tags.tsv",
            "id\tbytes\t0\t3\tAda\nid\tbytes\t4\t7\tsat\nid\tbytes\t7\t8\t.\n",
            &["texts=texts"],
        ),
        ("brat", "text/a.ann", "T1\tper 0 3\tAda\nT2\tper 4 7\tsat\nT3\tper 7 8\t.\n", &[]),
    ] {
        for (text, line) in [
            (text.replace('\n', "\r"), 1),
            (text.replacen('\n', "\r", 2).replacen('\r', "\n", 1), 2),
        ] {
            let place = Workspace::new();
            place.write("texts/bytes.txt", "Ada sat.");
            place.write("text/a.txt", "Ada sat.");
            place.write(file, &text);
            let named = if format == "brat" { "text" } else { file };
            let role = format!("{}={named}", if format == "tags" { "all" } else { "train" });
            let check = ["corpus", "check", &role, "--format", format];
            let said = place.expect(3, &[&check[..], further].concat());
            let said = out(&said) + &err(&said);
            let expected = format!("{file}:{line}: a carriage return (CR)");
            assert!(said.contains(&expected), "{format} {text:?}: {said}");
        }
    }
}

#[test]
fn carriage_returns_part_the_records_of_json_and_the_lines_of_texts() {
    let place = Workspace::new();
    place.write(
        "train.jsonl",
        "{\"text\": \"Ada sat\\rShe ran\", \"label\": []}\r{\"text\": \"So\", \"label\": []}\r",
    );
    place.write("text/a.txt", "Ada sat\rShe ran\rSo\r");
    place.write("text/a.ann", "T1\tper 0 3\tAda\nT2\tper 8 11\tShe\n");
    for (format, file) in [("json-spans", "train.jsonl"), ("brat", "text")] {
        let found = place.json(&["corpus", "stats", &format!("train={file}"), "--format", format]);
        let train = &found["splits"]["train"];
        assert_eq!((&train["sentences"], &train["tokens"]), (&json!(3), &json!(5)), "{format}");
    }
}

#[test]
fn score_refuses_carriage_returns_that_end_no_line() {
    let place = Workspace::new();
    place.write("mac.txt", "Ada B-per\rX I-per\rin O\r");
    place.write("stray.txt", "Ada B-per\nX\r I-per\nin O\rat O\n");
    for (file, line) in [("mac.txt", 1), ("stray.txt", 2)] {
        let said = err(&place.expect(3, &["score", file, file]));
        assert!(said.contains(&format!("{file}:{line}: a carriage return (CR)")), "{said}");
    }
    let windows = String::from_utf8(place.read("mac.txt")).unwrap().replace('\r', "\r\n");
    place.write("windows.txt", &windows);
    place.expect(0, &["score", "windows.txt", "windows.txt"]);
}
