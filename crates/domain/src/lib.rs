//! The words every other module speaks: tags, sentences, jobs, outcomes, failures, what can
//! be fetched.
//!
//! Plain values only: no I/O, no clock, no randomness, and no knowledge of any sibling module.

mod agreement;
mod corpus;
pub mod declare;
mod effort;
mod failure;
mod job;
mod measured;
mod metric;
mod outcome;
mod parameters;
mod plausible;
mod processor;
mod remote;
mod renamed;
mod report;
mod shared;
mod spans;
mod statistics;
mod stopping;
mod tag;
mod terminal;
mod tokens;
mod training;
mod transfer;
mod tuning;
mod words;
mod worker;

pub use agreement::{Apart, SCORE_TOLERANCE, apart};
pub use corpus::{Annotation, Corpus, EntitySpan, Sentence, Split};
pub use effort::{Effort, TrainingVerdict, VerdictCounts};
pub use failure::Failure;
pub use job::{
    CorpusIdentity, JobKey, JobSettings, MethodSettings, ModelSettings, Part, Point, Stage,
};
pub use measured::Measured;
pub use metric::{Metric, UnknownMetric};
pub use outcome::{ADDED, Counts, EngineInfo, Epoch, LevelScores, Outcome, Scores};
pub use parameters::{ParameterValue, Parameters};
pub use plausible::{are_in_order, is_plausible_time};
pub use processor::{PrecisionProblem, Processor, computes_bf16, has_bf16_products};
pub use remote::{Client, Fingerprint, InnerPath, Member, Package, Remote, RemoteFile};
pub use renamed::renamed;
pub use report::{Bands, Contender, NoContender, OtherNames, ReportPlan, Spread, TableKind};
pub use shared::Shared;
pub use spans::Span;
pub use statistics::{LengthPoint, Lengths, Statistics, TypeStatistics};
pub use stopping::{Spending, Stopping};
pub use tag::{Tag, TypeId, TypeSet};
pub use terminal::{escaped, is_steering, printable};
pub use tokens::{Tokens, TokensBuilder};
pub use training::{
    AUTO, Backend, BudgetRule, Optimiser, Order, Penalty, Precision, Schedule, SelectBy,
    TrainingSettings,
};
pub use transfer::TransferEvent;
pub use tuning::{Dimension, Ended, Maximised, Progress, Range, Scale, SearchPlan, Trial};
pub use words::{counted, plural};
pub use worker::{
    ATTEMPT_VARIABLE, ENGINE_VERSION, ENGINE_VERSION_MARK, ForkAnswer, ForkRequest, JobRequest,
    WorkerEvent,
};
