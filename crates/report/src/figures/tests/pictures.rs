//! Pictures for people to look at, and how long they take.

use super::super::{KINDS, all, files, sparsity};
use super::{drawn, grids, lengths, with_material};
use crate::artefact::FileNames;

/// How long the figures of a report take, with `--nocapture`.
#[test]
#[ignore = "measures"]
fn speed_of_all_figures() {
    let names =
        |kind: &str, count: usize| (0..count).map(|k| format!("{kind}-{k}")).collect::<Vec<_>>();
    for (jobs, methods, models) in [(240, 4, 1), (1200, 10, 2), (12_000, 40, 5)] {
        let (view, results) =
            grids::everything_named(&names("method", methods), &names("model", models));
        let (count, built, figures, whole) =
            with_material(&view, &results, view.metric, |material| {
                let start = std::time::Instant::now();
                let count = KINDS.iter().map(|entry| (entry.build)(material).len()).sum::<usize>();
                let built = start.elapsed();
                let figures = all(material, &mut FileNames::default()).expect("drawn");
                (count, built, figures, start.elapsed() - built)
            });
        let bytes: usize = figures.iter().flat_map(files).map(|file| file.bytes.len()).sum();
        println!(
            "{} jobs (about {jobs}): {count} drafts in {built:?}, {} figures, {} KiB in {whole:?}",
            view.jobs.len(),
            figures.len(),
            bytes / 1024
        );
    }
}

/// `cargo test … --lib -- --ignored pictures` writes them all to `target/figures`.
#[test]
#[ignore = "writes pictures for people to look at"]
fn pictures_to_look_at() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/figures");
    std::fs::create_dir_all(&folder).expect("made");
    for (number, (view, results)) in grids::all().into_iter().chain(grids::odd()).enumerate() {
        let mut seen = Vec::new();
        for figure in drawn(&view, &results) {
            seen.push(figure.kind);
            if seen.iter().filter(|kind| **kind == figure.kind).count() > 2 {
                continue;
            }
            let name = format!("{number}-{}", figure.name);
            std::fs::write(folder.join(format!("{name}.png")), &figure.png).expect("written");
            std::fs::write(folder.join(format!("{name}-dark.png")), &figure.dark_png)
                .expect("written");
        }
    }
    let corpora = [lengths("news", 60, 5.0, 4.0), lengths("tweets", 8, 0.5, 0.1)];
    let figure = sparsity(&corpora, "sparsity".to_owned()).expect("drawn");
    std::fs::write(folder.join("sparsity.png"), &figure.png).expect("written");
    std::fs::write(folder.join("sparsity-dark.png"), &figure.dark_png).expect("written");
}
