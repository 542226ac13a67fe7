//! Which rules the numbers of a table follow.

use super::super::asked::Asked;
use super::super::pass::{Prediction, Read};
use crate::cli::output::printable;
use analysis::number::counted;
use score::buckets::BUCKETINGS;
use score::{Accuracy, Mode};
use std::collections::BTreeMap;

/// What was read, and every rule that a table of one prediction depends on.
pub fn all(asked: &Asked, read: &Read, prediction: &Prediction) -> String {
    let mut lines = vec![data(read, prediction), mode_rule(asked), averages_rule(asked)];
    if prediction.scored.scores.span.types.is_empty() {
        lines.push(
            "There is no entity in gold or prediction: every score of spans is a ratio of nothing."
                .to_owned(),
        );
    }
    if prediction.matched.is_some() {
        lines.push(MATCHING.to_owned());
    }
    if prediction.buckets.is_some() {
        lines.push(buckets(read.rareness.as_ref()));
    }
    lines.join("\n") + "\n"
}

/// How much was read, and how much of it is right tag by tag.
fn data(read: &Read, prediction: &Prediction) -> String {
    let scored = &prediction.scored;
    let Accuracy { tokens, correct } = scored.accuracy;
    let documents = match read.documents {
        Some(documents) => format!(" in {}", counted(documents, "document")),
        None => String::new(),
    };
    format!(
        "{}, {}{documents}; accuracy of tags, B and I told apart: {:.4} ({correct} of {tokens})",
        counted(tokens as usize, "token"),
        counted(scored.sentences, "sentence"),
        scored.accuracy.share()
    )
}

/// The mode, and the scheme where it is not IOB2.
pub fn mode_rule(asked: &Asked) -> String {
    use corpus::schemes::Scheme;
    let rule = match (asked.scheme, asked.mode) {
        (Scheme::Iob1, _) => "a B begins an entity wherever it stands (seqeval's default)",
        (Scheme::Io, _) => "neighbours of one type are one entity",
        (Scheme::Iobes, Mode::Conlleval) => {
            "a tag that continues nothing begins an entity (seqeval's default)"
        }
        (Scheme::Iobes, _) => {
            "only B, I and E of one type, or S, are an entity (seqeval's strict IOBES)"
        }
        (_, Mode::Conlleval) => "an I that continues nothing begins an entity (seqeval's default)",
        (_, Mode::Strict) => "an I that continues nothing is dropped (seqeval's strict IOB2)",
        (_, Mode::Discard) => "an I that continues nothing is dropped (SeqScore's discard)",
    };
    let scheme = match asked.scheme {
        Scheme::Iob2 => String::new(),
        other => format!(", scheme {}", other.word()),
    };
    format!("mode {}{scheme}: {rule}", asked.mode.name())
}

/// What averages are over, and what types without support count.
pub fn averages_rule(asked: &Asked) -> String {
    let zero = asked.policy.zero_division.name();
    let fixed: Vec<String> = asked.policy.fixed_types.iter().map(|name| printable(name)).collect();
    let over = match &fixed[..] {
        [] => "the types in gold".to_owned(),
        types => types.join(", "),
    };
    format!(
        "macro: mean over the types in gold or prediction, those without support included;\n\
         macro_fixed: mean over {over}; weighted: mean weighted by support.\n\
         A ratio of nothing is {zero}."
    )
}

const MATCHING: &str = "\
matching, as nervaluate counts it: strict wants both ends and the type, exact both ends, ent_type the type
and an overlap; partial takes an overlap for half a match. Rows of a type see only entities of that type.";

fn buckets(rareness: Option<&BTreeMap<String, f64>>) -> String {
    let Some(rareness) = rareness else {
        let left_out = BUCKETINGS.iter().filter(|bucketing| bucketing.needs_training);
        let names: Vec<&str> = left_out.map(|bucketing| bucketing.name).collect();
        return format!("{DISTINCT} {} need --train FILE.", names.join(", "));
    };
    let of_types = rareness.iter().map(|(name, r)| format!("{} {r:.2}", printable(name)));
    format!(
        "{DISTINCT} Words are compared with training in lower case.\n\
         rareness of types, -log2 of their share of the training tokens: {}",
        of_types.collect::<Vec<_>>().join(", ")
    )
}

const DISTINCT: &str = "buckets: each entity, of gold or prediction, by its own attributes.";
