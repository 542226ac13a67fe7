//! What a grid asks of its report, with what was read for it.

use super::corpora::CorpusNumbers;
use super::published::Published;
use domain::{Bands, Contender, OtherNames, Spread};

/// What is asked beside what every report shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Asked {
    pub spread: Spread,
    pub bands: Bands,
    /// Kinds of tables that do not appear by themselves.
    pub tables: Vec<String>,
    pub published: Vec<Published>,
    pub names: OtherNames,
    /// Who is compared with whom, beside the comparisons with the baseline.
    pub pairs: Vec<[Contender; 2]>,
    /// The numbers of the grid's corpora, where a table of them is asked for.
    pub corpora: Vec<CorpusNumbers>,
}
