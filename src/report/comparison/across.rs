//! The methods ranked across corpora: Friedman's test and Nemenyi's critical difference.
//!
//! A block is a corpus, a score the mean over its finished seeds. Only methods with a score on every
//! corpus can be ranked: the others are listed with the reason.

use super::ALPHA;
use crate::report::view::{Cell, GridView, Panel, Scoreboard};
use crate::stats;
use serde::Serialize;

/// Methods and corpora that a ranking needs.
const LEAST_METHODS: usize = 3;
const LEAST_CORPORA: usize = 2;

/// The ranking of one scenario and model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AcrossCorpora {
    pub scenario: String,
    pub model: String,
    /// The blocks.
    pub corpora: Vec<String>,
    /// The best first.
    pub methods: Vec<RankedMethod>,
    /// Friedman's chi-squared, with `df` degrees of freedom.
    pub statistic: f64,
    pub df: usize,
    pub p: f64,
    /// Mean ranks that differ by more differ, at the level `alpha` (Nemenyi).
    pub critical_difference: f64,
    pub alpha: f64,
    /// The largest sets of methods that cannot be told apart.
    pub groups: Vec<Vec<String>>,
    pub left_out: Vec<LeftOut>,
}

/// A method and where it stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankedMethod {
    pub method: String,
    /// Over the corpora; 1 is the best.
    pub mean_rank: f64,
    /// Over the corpora, of the means over seeds.
    pub mean: f64,
}

/// A method or corpus that could not be ranked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeftOut {
    pub name: String,
    pub reason: String,
}

/// The rankings of every scenario and model that has enough methods and corpora, in grid order.
pub fn across_corpora(view: &GridView, board: &Scoreboard) -> Vec<AcrossCorpora> {
    let places = view.scenarios.iter().flat_map(|s| view.models.iter().map(move |m| (s, m)));
    places.filter_map(|(scenario, model)| ranking(view, board, scenario, model)).collect()
}

fn ranking(
    view: &GridView,
    board: &Scoreboard,
    scenario: &str,
    model: &str,
) -> Option<AcrossCorpora> {
    let cell = |corpus: &str, method: &str| {
        let panel = Panel { corpus: corpus.to_owned(), scenario: scenario.to_owned() };
        board.planned(&panel, model, method)
    };
    let mut left_out = Vec::new();
    let corpora = scored_corpora(view, &cell, &mut left_out);
    let methods = scored_methods(view, &corpora, &cell, &mut left_out);
    let is_shown = corpora.iter().any(|c| methods.iter().any(|m| cell(c, m).shown));
    if corpora.len() < LEAST_CORPORA || methods.len() < LEAST_METHODS || !is_shown {
        return None;
    }
    let score = |corpus: &str, method: &str| stats::mean(&cell(corpus, method).f1());
    let row = |corpus: &&str| methods.iter().map(|method| score(corpus, method)).collect();
    let scores: Vec<Vec<f64>> = corpora.iter().map(row).collect::<Option<_>>()?;
    let friedman = stats::friedman(&scores)?;
    let nemenyi = stats::nemenyi(&friedman.mean_ranks, corpora.len(), ALPHA)?;
    let mean_of = |k: usize| stats::mean(&scores.iter().map(|row| row[k]).collect::<Vec<_>>());
    let mut ranked: Vec<RankedMethod> = Vec::new();
    for (k, method) in methods.iter().enumerate() {
        let (mean_rank, mean) = (friedman.mean_ranks[k], mean_of(k)?);
        ranked.push(RankedMethod { method: (*method).to_owned(), mean_rank, mean });
    }
    ranked.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    let names = |group: &Vec<usize>| group.iter().map(|&k| methods[k].to_owned()).collect();
    Some(AcrossCorpora {
        scenario: scenario.to_owned(),
        model: model.to_owned(),
        corpora: corpora.iter().map(|corpus| (*corpus).to_owned()).collect(),
        methods: ranked,
        statistic: friedman.statistic,
        df: friedman.df,
        p: friedman.p,
        critical_difference: nemenyi.critical_difference,
        alpha: ALPHA,
        groups: nemenyi.groups.iter().map(names).collect(),
        left_out,
    })
}

/// The corpora on which some method has a score.
fn scored_corpora<'v, 'b>(
    view: &'v GridView,
    cell: &impl Fn(&str, &str) -> &'b Cell,
    left_out: &mut Vec<LeftOut>,
) -> Vec<&'v str> {
    let mut scored = Vec::new();
    for corpus in &view.corpora {
        let cells = || view.methods.iter().map(|method| cell(corpus, method));
        if cells().any(|cell| cell.scores().next().is_some()) {
            scored.push(corpus.as_str());
        } else if cells().any(|cell| !cell.seeds.is_empty()) {
            let reason = "no job has finished".to_owned();
            left_out.push(LeftOut { name: corpus.clone(), reason });
        }
    }
    scored
}

/// The methods that have a score on every one of these corpora.
fn scored_methods<'v, 'b>(
    view: &'v GridView,
    corpora: &[&str],
    cell: &impl Fn(&str, &str) -> &'b Cell,
    left_out: &mut Vec<LeftOut>,
) -> Vec<&'v str> {
    let mut scored = Vec::new();
    for method in &view.methods {
        let lacks = |corpus: &&&str| cell(corpus, method).scores().next().is_none();
        match corpora.iter().find(lacks) {
            None => scored.push(method.as_str()),
            Some(corpus) => {
                let reason = match &cell(corpus, method).not_applicable {
                    Some(reason) => format!("it does not apply on {corpus}: {reason}"),
                    None => format!("it has no score on {corpus}"),
                };
                left_out.push(LeftOut { name: method.clone(), reason });
            }
        }
    }
    scored
}
