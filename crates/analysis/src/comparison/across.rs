//! The methods ranked across corpora: Friedman's test and Nemenyi's critical difference.
//!
//! A block is a corpus, a score the mean over the seeds that every ranked method has there: means
//! over different seeds are not compared. Only methods with a score on every corpus can be ranked;
//! the others are listed with the reason. What is not selected is not ranked: unlike a correction,
//! a rank has no meaning outside the list that is shown.

use super::ALPHA;
use crate::cautions;
use crate::view::{GridView, Panel, Scoreboard, SeedCell};
use serde::Serialize;

/// Methods and corpora that a ranking needs.
const LEAST_METHODS: usize = 3;
const LEAST_CORPORA: usize = 2;

/// The chi-squared approximation of Friedman's statistic is for more corpora and methods than these
/// (Demšar 2006, section 3.2.2).
const ENOUGH_CORPORA: usize = 10;
const ENOUGH_METHODS: usize = 5;

/// The ranking of one scenario and model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AcrossCorpora {
    pub scenario: String,
    pub model: String,
    /// The blocks.
    pub corpora: Vec<String>,
    /// For each block the seeds that every ranked method has there: what its means are over.
    pub seeds: Vec<usize>,
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
    /// Which methods never learned on which corpora: their ranks say nothing about them.
    pub cautions: Vec<String>,
    /// What so few corpora or methods cannot show, in words.
    pub caution: Option<String>,
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
        board.cell(&panel, model, method)
    };
    let mut left_out = Vec::new();
    let corpora = scored_corpora(view, &cell, &mut left_out);
    let methods = scored_methods(view, &corpora, &cell, &mut left_out);
    let blocks = blocks(&corpora, &methods, &cell, &mut left_out);
    if blocks.len() < LEAST_CORPORA || methods.len() < LEAST_METHODS {
        return None;
    }
    let scores: Vec<Vec<f64>> = blocks.iter().map(|block| block.means.clone()).collect();
    let friedman = stats::friedman(&scores)?;
    let nemenyi = stats::nemenyi(&friedman.mean_ranks, blocks.len(), ALPHA)?;
    let mean_of = |k: usize| stats::mean(&scores.iter().map(|row| row[k]).collect::<Vec<_>>());
    let mut ranked: Vec<RankedMethod> = Vec::new();
    for (k, method) in methods.iter().enumerate() {
        let (mean_rank, mean) = (friedman.mean_ranks[k], mean_of(k)?);
        ranked.push(RankedMethod { method: (*method).to_owned(), mean_rank, mean });
    }
    ranked.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    let cautions = blocks.iter().flat_map(|block| {
        let caution = |method: &&str| {
            let cell = cell(block.corpus, method);
            cautions::never_learned((model, method), block.corpus, cell.trained.values().copied())
        };
        methods.iter().filter_map(caution).collect::<Vec<String>>()
    });
    let cautions = cautions.collect();
    let names = |group: &Vec<usize>| group.iter().map(|&k| methods[k].to_owned()).collect();
    Some(AcrossCorpora {
        scenario: scenario.to_owned(),
        model: model.to_owned(),
        corpora: blocks.iter().map(|block| block.corpus.to_owned()).collect(),
        seeds: blocks.iter().map(|block| block.seeds).collect(),
        methods: ranked,
        statistic: friedman.statistic,
        df: friedman.df,
        p: friedman.p,
        critical_difference: nemenyi.critical_difference,
        alpha: ALPHA,
        groups: nemenyi.groups.iter().map(names).collect(),
        left_out,
        cautions,
        caution: caution(blocks.len(), methods.len(), nemenyi.critical_difference),
    })
}

/// What a test of so few blocks cannot show.
fn caution(corpora: usize, methods: usize, critical_difference: f64) -> Option<String> {
    if corpora > ENOUGH_CORPORA && methods > ENOUGH_METHODS {
        return None;
    }
    let farthest = methods - 1;
    let reach = match critical_difference < farthest as f64 {
        true => format!(
            "mean ranks must lie {critical_difference:.2} apart, of {farthest} at most, to be told apart"
        ),
        false => "no two methods can be told apart, however they score".to_owned(),
    };
    Some(format!(
        "With {methods} methods on {corpora} corpora {reach}; the p of Friedman's test is rough \
         unless there are more than {ENOUGH_METHODS} methods on more than {ENOUGH_CORPORA} corpora."
    ))
}

/// One corpus with the means of the ranked methods.
struct Block<'v> {
    corpus: &'v str,
    seeds: usize,
    means: Vec<f64>,
}

/// The corpora on which some seed has a score for every method.
fn blocks<'v, 'b>(
    corpora: &[&'v str],
    methods: &[&str],
    cell: &impl Fn(&str, &str) -> &'b SeedCell,
    left_out: &mut Vec<LeftOut>,
) -> Vec<Block<'v>> {
    let mut blocks = Vec::new();
    for &corpus in corpora {
        let cells: Vec<&SeedCell> = methods.iter().map(|method| cell(corpus, method)).collect();
        let seeds = common_seeds(&cells);
        let means = cells.iter().map(|cell| stats::mean(&cell.f1_of(&seeds))).collect();
        match means {
            Some(means) => blocks.push(Block { corpus, seeds: seeds.len(), means }),
            None => {
                let reason = "no seed has a score for every ranked method".to_owned();
                left_out.push(LeftOut { name: corpus.to_owned(), reason });
            }
        }
    }
    blocks
}

/// The seeds that every cell has a score for.
fn common_seeds(cells: &[&SeedCell]) -> Vec<u64> {
    let Some((first, others)) = cells.split_first() else { return Vec::new() };
    let seeds = first.scores().map(|(seed, _)| seed);
    seeds.filter(|seed| others.iter().all(|cell| cell.f1_of(&[*seed]).len() == 1)).collect()
}

/// The corpora on which some method has a score.
fn scored_corpora<'v, 'b>(
    view: &'v GridView,
    cell: &impl Fn(&str, &str) -> &'b SeedCell,
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
    cell: &impl Fn(&str, &str) -> &'b SeedCell,
    left_out: &mut Vec<LeftOut>,
) -> Vec<&'v str> {
    let mut scored = Vec::new();
    let is_shown = |method: &&String| corpora.iter().any(|corpus| cell(corpus, method).shown);
    for method in view.methods.iter().filter(is_shown) {
        let lacks = |corpus: &&&str| cell(corpus, method).scores().next().is_none();
        match corpora.iter().find(lacks) {
            None => scored.push(method.as_str()),
            Some(corpus) => {
                let cell = cell(corpus, method);
                let reason = match &cell.not_applicable {
                    Some(_) if !cell.shown => format!("it is not selected on {corpus}"),
                    Some(reason) => format!("it does not apply on {corpus}: {reason}"),
                    None => format!("it has no score on {corpus}"),
                };
                left_out.push(LeftOut { name: method.clone(), reason });
            }
        }
    }
    scored
}
