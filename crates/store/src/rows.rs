//! The rows of the three frames, as plain values: the one place where a column is declared
//! (docs/results.md describes them). A frame has the columns in the order of the fields.

use super::frames::{AddedColumns, Shares, frame_row};
use domain::{JobKey, Point, Precision, Split, Stage, TrainingVerdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a job stands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Done,
    Failed,
}

impl Status {
    /// As the `status` column has it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Failed => "failed",
        }
    }
}

frame_row! {
    /// One row of `runs.parquet`: a job.
    #[derive(Clone, PartialEq, Debug)]
    pub struct RunRow {
        pub job: JobKey,
        pub grid: String,
        /// What the job is for.
        pub stage: Stage,
        /// The number of a trial of a search, from 1; `None` of a main job, and of a trial of a
        /// search that the grid does not have.
        pub trial: Option<u64>,
        pub point: Point,
        pub status: Status,
        /// Why it failed, in words.
        pub failure: Option<String>,
        pub epochs: Option<u64>,
        pub train_sentences: Option<u64>,
        pub train_tokens: Option<u64>,
        pub sentence_factor: Option<f64>,
        pub token_factor: Option<f64>,
        pub parameters: Option<u64>,
        pub backend: String,
        pub threads: u64,
        pub version: String,
        /// Optimiser steps that the job was allowed; none of full-batch training.
        pub budget: Option<u64>,
        pub updates: Option<u64>,
        pub tokens_seen: Option<u64>,
        pub passes: Option<f64>,
        pub verdict: Option<TrainingVerdict> = "training_verdict",
        pub precision: Precision,
        /// Of each type the share of training tokens; JSON in its column.
        pub type_shares: BTreeMap<String, f64> as Shares,
        /// Whether `grid.yaml` names the job; others ran with other settings, or before the grid
        /// changed.
        pub current: bool,
        pub seconds: f64,
        pub train_seconds: Option<f64>,
        pub peak_rss_mb: Option<f64>,
        pub host: String,
        pub started_at: String,
    }
}

/// Spans or tokens.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    Span,
    Token,
}

impl Level {
    /// Both, in the order of the rows.
    pub const ALL: [Level; 2] = [Level::Span, Level::Token];

    /// As the `level` column has it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Span => "span",
            Level::Token => "token",
        }
    }
}

/// What a row of scores is over.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    Micro,
    Macro,
    MacroFixed,
    Weighted,
    Type,
    /// O as a class of its own, of tokens alone.
    Outside,
}

impl Scope {
    /// Every scope, in the order of the rows.
    pub const ALL: [Scope; 6] = [
        Scope::Micro,
        Scope::Macro,
        Scope::MacroFixed,
        Scope::Weighted,
        Scope::Type,
        Scope::Outside,
    ];

    /// As the `scope` column has it.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Micro => "micro",
            Scope::Macro => "macro",
            Scope::MacroFixed => "macro_fixed",
            Scope::Weighted => "weighted",
            Scope::Type => "type",
            Scope::Outside => "outside",
        }
    }
}

frame_row! {
    /// One row of `metrics.parquet`.
    #[derive(Clone, PartialEq, Debug)]
    pub struct MetricRow {
        pub job: JobKey,
        pub point: Point,
        pub split: Split,
        pub level: Level,
        pub scope: Scope,
        /// The entity type where the scope is `Type`.
        pub entity_type: Option<String> = "type",
        pub precision: f64,
        pub recall: f64,
        pub f1: f64,
        pub support: u64,
        pub predicted: u64,
        pub correct: u64,
    }
}

frame_row! {
    /// One row of `epochs.parquet`.
    #[derive(Clone, PartialEq, Debug)]
    pub struct EpochRow {
        pub job: JobKey,
        pub epoch: u64,
        pub updates: u64,
        pub loss: f64,
        pub dev_micro_f1: f64,
        pub dev_macro_f1: f64,
        /// What the method adds, by name.
        pub added: BTreeMap<String, f64> as AddedColumns,
        pub seconds: f64,
    }
}

/// The three frames of a results folder.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Results {
    pub runs: Vec<RunRow>,
    pub metrics: Vec<MetricRow>,
    pub epochs: Vec<EpochRow>,
}

impl Results {
    /// Adds the rows of another one.
    pub fn append(&mut self, mut other: Results) {
        self.runs.append(&mut other.runs);
        self.metrics.append(&mut other.metrics);
        self.epochs.append(&mut other.epochs);
    }
}
