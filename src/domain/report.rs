//! What a grid asks of its report. It chooses what is shown, never what is trained.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The `report` of a grid.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportPlan {
    pub spread: Spread,
    /// Kinds of tables beside those that appear by themselves.
    pub tables: Vec<String>,
    /// Files of published numbers that ours are shown beside.
    pub published: Vec<PathBuf>,
    /// What those files call otherwise than the grid.
    pub names: OtherNames,
}

/// What stands behind a mean.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// The standard deviation over seeds.
    #[default]
    Sd,
    /// The standard error of the mean, by the bootstrap.
    Se,
}

impl Spread {
    /// All of them.
    pub const ALL: [Spread; 2] = [Spread::Sd, Spread::Se];

    /// As grids write it.
    pub fn name(self) -> &'static str {
        match self {
            Spread::Sd => "sd",
            Spread::Se => "se",
        }
    }
}

/// For each of [`OtherNames::AXES`] the name in a file of published numbers and the grid's own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OtherNames(pub BTreeMap<&'static str, BTreeMap<String, String>>);

impl OtherNames {
    /// What has a name in such a file.
    pub const AXES: [&'static str; 5] = ["corpus", "scenario", "model", "method", "type"];

    /// The grid's name for a file's.
    pub fn ours<'a>(&'a self, axis: &str, theirs: &'a str) -> &'a str {
        self.0.get(axis).and_then(|names| names.get(theirs)).map_or(theirs, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_mapped_is_the_grids_own() {
        let models = BTreeMap::from([("bert-crf".to_owned(), "minilm-crf".to_owned())]);
        let names = OtherNames(BTreeMap::from([("model", models)]));
        assert_eq!(names.ours("model", "bert-crf"), "minilm-crf");
        assert_eq!(names.ours("model", "bert-softmax"), "bert-softmax");
        assert_eq!(names.ours("method", "bert-crf"), "bert-crf");
    }
}
