//! A scheme that fits the files where the given one does not.

use super::{Checked, Warning, problems};
use crate::remark::RemarkKind;
use crate::schemes::Scheme;
use crate::{CorpusError, Distribution, as_distributed, formats};
use domain::{ParameterValue, Part};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Another scheme must be broken so many times less often than the given one.
const CLEARLY: usize = 10;

/// The scheme that fits the files best, if the given one is broken clearly more often. A few strays
/// in a long file do not look like another scheme: under that one, all the other tags would be
/// strays.
pub(super) fn better_scheme(
    format: &Part,
    files: &BTreeMap<String, PathBuf>,
    checked: &Checked,
) -> Option<Warning> {
    let given = formats::scheme(format)?;
    let of_tags = |error: &CorpusError| {
        matches!(error, CorpusError::Tag { .. } | CorpusError::Forbidden { .. })
    };
    let broken = match &checked.distribution {
        Some(distribution) => strays(distribution),
        None => checked.errors.iter().filter(|error| of_tags(error)).count() + checked.more_errors,
    };
    if broken == 0 || (checked.distribution.is_none() && !checked.errors.iter().any(of_tags)) {
        return None;
    }
    let others = Scheme::ALL.into_iter().filter(|scheme| *scheme != given);
    let counted = others.map(|scheme| (violations(&with_scheme(format, scheme), files), scheme));
    let (left, better) = counted.min_by_key(|(violations, _)| *violations)?;
    let is_better = left.saturating_mul(CLEARLY) <= broken;
    is_better.then_some(Warning::OtherScheme { given, better, broken, left })
}

/// How many tags a format's scheme has no place for.
fn violations(format: &Part, files: &BTreeMap<String, PathBuf>) -> usize {
    match as_distributed(format, files) {
        Ok(distribution) => strays(&distribution),
        Err(error) => {
            let (errors, more) = problems(format, files, error);
            errors.len() + more
        }
    }
}

/// Tags that the scheme forbids.
fn strays(distribution: &Distribution) -> usize {
    let is_stray = |kind| matches!(kind, RemarkKind::Forbidden { .. });
    let remarks = distribution.remarks.iter().filter(|remark| is_stray(remark.kind));
    remarks.map(|remark| remark.count).sum()
}

fn with_scheme(format: &Part, scheme: Scheme) -> Part {
    let mut format = format.clone();
    let parameters = &mut format.parameters.0;
    parameters.insert("scheme".to_owned(), ParameterValue::Text(scheme.word().to_owned()));
    format
}
