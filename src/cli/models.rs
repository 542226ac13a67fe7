//! Kept models that are missing, in words.

use domain::counted;
use sweep::KeptModels;

/// What to do about so many missing models; nothing where none is missing.
pub fn hint(missing: usize) -> Option<String> {
    (missing > 0).then(|| {
        let jobs = counted(missing, "finished job");
        format!("{jobs} with `keep_model: true` but without a model: `tailgrid run --keep-models` trains again")
    })
}

/// One line.
pub fn text(kept: &KeptModels) -> String {
    format!("{} kept after training again\n", counted(kept.kept, "model"))
}
