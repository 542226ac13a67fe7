//! The start of a job that needs word vectors.

use super::best;
use super::wnut::{Split, glove};

/// What looking up a corpus's words may take, once the table is there.
const SECONDS: f64 = 0.05;

#[test]
#[ignore = "a measurement: make bench"]
fn bench_vectors() {
    let split =
        Split::read(&["wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated"]);
    let folder = tempfile::tempdir().unwrap();
    let source = glove(folder.path());
    let (first, found) = best(1, || split.look_up(&source));
    let (again, same) = best(10, || split.look_up(&source));
    assert_eq!(found, same);
    println!("GloVe, {} words of WNUT looked up:", split.words.len());
    println!("  the table is made  {:8.3} s", first.as_secs_f64());
    println!("  the table is there {:8.3} s", again.as_secs_f64());
    assert!(again.as_secs_f64() < SECONDS);
}
