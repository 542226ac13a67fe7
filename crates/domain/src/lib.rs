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
mod metric;
mod named;
mod outcome;
mod parameters;
mod plausible;
mod processor;
mod remote;
mod report;
mod shared;
mod statistics;
mod stopping;
mod tag;
mod text;
mod tokens;
mod training;
mod tuning;
mod worker;

pub use agreement::{Apart, SCORE_TOLERANCE, apart};
pub use corpus::{Annotation, Corpus, EntitySpan, Sentence, Span, Split};
pub use effort::{Effort, Measured, TrainingVerdict, VerdictCounts};
pub use failure::Failure;
pub use job::{
    CorpusIdentity, JobKey, JobSettings, MethodSettings, ModelSettings, Part, Point, Stage,
};
pub use metric::{Metric, UnknownMetric};
pub use outcome::{ADDED, Counts, EngineInfo, Epoch, LevelScores, Outcome, Scores};
pub use parameters::{ParameterValue, Parameters};
pub use plausible::{are_in_order, is_plausible_time};
pub use processor::{PrecisionProblem, Processor, computes_bf16, has_bf16_products};
pub use remote::{
    Client, Fingerprint, InnerPath, Member, Package, Remote, RemoteFile, TransferEvent,
};
pub use report::{Bands, Contender, NoContender, OtherNames, ReportPlan, Spread, TableKind};
pub use shared::Shared;
pub use statistics::{LengthPoint, Lengths, Statistics, TypeStatistics};
pub use stopping::{Spending, Stopping};
pub use tag::{Tag, TypeId, TypeSet};
pub use text::{counted, escaped, is_steering, plural, printable, renamed};
pub use tokens::{Tokens, TokensBuilder};
pub use training::{
    AUTO, Backend, BudgetRule, Optimiser, Order, Penalty, Precision, Schedule, SelectBy,
    TrainingSettings,
};
pub use tuning::{Dimension, Ended, Maximised, Progress, Range, Scale, SearchPlan, Trial};
pub use worker::{
    ATTEMPT_VARIABLE, ENGINE_VERSION, ENGINE_VERSION_MARK, ForkAnswer, ForkRequest, JobRequest,
    WorkerEvent,
};
