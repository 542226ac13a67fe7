//! The grid file: read with the place of every value, checked with every error at once, expanded
//! into jobs with stable keys.
//!
//! ```text
//! file ─marks, yaml─▶ tree ─layers─▶ tree as meant ─check─▶ checked grid ─expand─▶ jobs
//! ```
//!
//! A [`Grid`] has no error in it: nothing after this stage checks settings again. No input makes this
//! module panic, and it reads no files but the grid's own and, for their digests, those of corpora and models.

mod capability;
mod catalogue;
mod check;
mod diagnostic;
mod expand;
mod glob;
mod grid;
pub mod key;
mod layers;
mod marks;
mod named;
mod node;
mod path;
mod recorded;
pub mod schema;
mod search;
mod selection;
pub mod slots;
mod source;
pub mod training;
mod yaml;

#[cfg(test)]
mod tests;

pub use catalogue::{Catalogue, CorpusEntry, FileEntry, Origin, Provenance, SplitCounts};
pub use diagnostic::{Diagnostic, Diagnostics, Severity, did_you_mean};
pub use grid::{Grid, Job, Limits};
pub use named::{
    Named, NamedCorpus, NamedMethod, corpora_of_grid, corpus_of_catalogue, format_named,
    method_named,
};
pub use recorded::Recorded;
pub use search::Search;
pub use selection::{STATUSES, Selection, SelectionError};

use domain::{Backend, TableKind};
use std::path::Path;

/// What a grid is loaded with.
#[derive(Copy, Clone, Debug)]
pub struct LoadOptions<'a> {
    /// `path=value`, each checked like the file.
    pub sets: &'a [String],
    /// Where the catalogue's corpora are, one folder a name.
    pub corpora: &'a Path,
    /// A user's own catalogue, over the shipped one.
    pub catalogue: Option<&'a Path>,
    /// Where the catalogue's embeddings and checkpoints are: the user's cache.
    pub pretrained: &'a Path,
    /// The engine's version of what affects results: part of every key.
    pub engine: &'a str,
    /// The kinds of tables that a grid can ask for.
    pub tables: &'a [TableKind],
    /// What computes where neither the file nor a set names a backend.
    pub default_backend: Backend,
}

/// The name that a grid's own text gives it; `None` where there is none to be read.
pub fn name_in(text: &str) -> Option<String> {
    let (mut sources, mut found) = (source::SourceTexts::default(), Diagnostics::default());
    let [name, base] = [String::new(), String::new()];
    let number = sources.add(source::SourceText {
        name,
        text: text.to_owned(),
        base: base.into(),
        is_option: false,
    });
    let tree = yaml::read(text, &sources, (number, 0), &mut found)?;
    tree.get("name")?.as_text().map(str::to_owned)
}

/// Loads a grid, or tells everything that is wrong with it.
pub fn load(path: &Path, options: &LoadOptions<'_>) -> Result<Grid, Diagnostics> {
    load_with(path, None, options, Files::Digested)
}

/// Loads a grid from a text as if the file had it.
pub fn load_text(path: &Path, text: &str, options: &LoadOptions<'_>) -> Result<Grid, Diagnostics> {
    load_with(path, Some(text), options, Files::Digested)
}

/// Loads a grid without a look at the files of its corpora, models and methods, which may be
/// absent. Its keys are those of no job until [`Grid::adopt_files`] has taken from records what
/// those files were.
pub fn load_without_files(path: &Path, options: &LoadOptions<'_>) -> Result<Grid, Diagnostics> {
    load_with(path, None, options, Files::LeftAlone)
}

/// What is done with the files of corpora, models and methods.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Files {
    Digested,
    LeftAlone,
}

fn load_with(
    path: &Path,
    text: Option<&str>,
    options: &LoadOptions<'_>,
    files: Files,
) -> Result<Grid, Diagnostics> {
    let catalogue = Catalogue::with_own(options.corpora, options.catalogue)?;
    let (mut sources, mut found) = (source::SourceTexts::default(), Diagnostics::default());
    let mut layers = layers::Layers { sources: &mut sources, found: &mut found };
    let Some(layered) = layers.read(path, text, options.sets, &catalogue) else {
        return Err(found);
    };
    let mut checker = check::Checker::new(&sources, &catalogue, found);
    checker.default_backend = options.default_backend;
    checker.tables = options.tables;
    checker.pretrained = options.pretrained.to_owned();
    checker.without_files = files == Files::LeftAlone;
    let checked = checker.grid(&layered.tree);
    let expand::Expanded { jobs, searches } =
        expand::expand(&mut checker, &checked, options.engine);
    if jobs.is_empty() {
        checker.no_jobs(layered.tree.at);
    }
    let warnings = checker.into_found().into_warnings()?;
    let names = |elements: &[check::Element]| elements.iter().map(|e| e.name.clone()).collect();
    Ok(Grid {
        corpora: names(&checked.corpora),
        scenarios: names(&checked.scenarios),
        models: names(&checked.models),
        methods: names(&checked.methods),
        name: checked.name,
        as_run: layered.as_run,
        seeds: checked.seeds,
        baseline: checked.baseline,
        metric: checked.metric,
        limits: checked.limits,
        stopping: checked.stopping,
        report: checked.report,
        jobs,
        searches,
        is_without_files: files == Files::LeftAlone,
        warnings,
    })
}
