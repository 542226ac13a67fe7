//! The start of a job that needs word vectors.

use crate::engine::number;
use crate::wnut::Split;

/// What looking up a corpus's words may take, once the table is there.
const SECONDS: f64 = 0.05;

pub fn bench() {
    let split =
        Split::read(&["wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated"]);
    let folder = tempfile::tempdir().unwrap();
    let measured = split.look_up(folder.path());
    assert_eq!(measured["same"], true, "the table and the file have the same vectors");
    let [first, again] = ["first", "again"].map(|name| number(&measured, name));
    println!("GloVe, {} words of WNUT looked up:", split.words.len());
    println!("  the table is made  {first:8.3} s");
    println!("  the table is there {again:8.3} s");
    assert!(again < SECONDS);
}
