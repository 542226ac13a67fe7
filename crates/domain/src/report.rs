//! What a grid asks of its report. It chooses what is shown, never what is trained.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The `report` of a grid.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportPlan {
    pub spread: Spread,
    pub bands: Bands,
    /// Kinds of tables beside those that appear by themselves.
    pub tables: Vec<String>,
    /// Files of published numbers that ours are shown beside.
    pub published: Vec<PathBuf>,
    /// What those files call otherwise than the grid.
    pub names: OtherNames,
    /// Who is compared with whom, beside the comparisons with the baseline.
    pub pairs: Vec<[Contender; 2]>,
}

/// A kind of table that a grid can ask for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TableKind {
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
}

/// One side of a comparison that somebody names: a method with one model, or with every model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contender {
    pub model: Option<String>,
    pub method: String,
}

/// Why a text names no contender of a grid, with the name that is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoContender {
    Model(String),
    Method(String),
    /// A model is named where a method is to be.
    ModelAlone(String),
}

impl Contender {
    /// Reads `METHOD` or `MODEL/METHOD`; no name has a stroke in it.
    pub fn read(text: &str, models: &[&str], methods: &[&str]) -> Result<Self, NoContender> {
        let (model, method) = match text.split_once('/') {
            Some((model, method)) => (Some(model), method),
            None => (None, text),
        };
        match model {
            Some(model) if !models.contains(&model) => Err(NoContender::Model(model.to_owned())),
            Some(model) if method.is_empty() => Err(NoContender::ModelAlone(model.to_owned())),
            None if !methods.contains(&method) && models.contains(&method) => {
                Err(NoContender::ModelAlone(method.to_owned()))
            }
            _ if !methods.contains(&method) => Err(NoContender::Method(method.to_owned())),
            _ => Ok(Self { model: model.map(str::to_owned), method: method.to_owned() }),
        }
    }
}

impl fmt::Display for Contender {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{model}/{}", self.method),
            None => f.write_str(&self.method),
        }
    }
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

crate::named!(Spread { Sd = "sd", Se = "se" });

/// What the bands of figures are: 95 % intervals of means.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Bands {
    /// From the t-distribution.
    #[default]
    T,
    /// The middle of bootstrap means.
    Percentile,
}

crate::named!(Bands { T = "t", Percentile = "percentile" });

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
    fn a_contender_is_a_method_with_one_model_or_with_all() {
        let read = |text| Contender::read(text, &["crf", "two-task"], &["original", "auc-2t"]);
        for text in ["auc-2t", "two-task/auc-2t"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("two-task/auc-2t").unwrap().model.as_deref(), Some("two-task"));
        assert_eq!(read("auc-2t").unwrap().model, None);
        assert_eq!(read("cfr/original"), Err(NoContender::Model("cfr".into())));
        assert_eq!(read("crf/orignal"), Err(NoContender::Method("orignal".into())));
        assert_eq!(read("crf/original/1"), Err(NoContender::Method("original/1".into())));
        assert_eq!(read("crf"), Err(NoContender::ModelAlone("crf".into())));
        assert_eq!(read("crf/"), Err(NoContender::ModelAlone("crf".into())));
        assert_eq!(read("auc"), Err(NoContender::Method("auc".into())));
    }

    #[test]
    fn a_name_that_is_not_mapped_is_the_grids_own() {
        let models = BTreeMap::from([("bert-crf".to_owned(), "minilm-crf".to_owned())]);
        let names = OtherNames(BTreeMap::from([("model", models)]));
        assert_eq!(names.ours("model", "bert-crf"), "minilm-crf");
        assert_eq!(names.ours("model", "bert-softmax"), "bert-softmax");
        assert_eq!(names.ours("method", "bert-crf"), "bert-crf");
    }
}
