//! A scheme that fits the files where the given one does not.

use super::{Checked, Warning};
use crate::corpus::remark::RemarkKind;
use crate::corpus::schemes::Scheme;
use crate::corpus::{CorpusError, Distribution, as_distributed};
use crate::domain::{ParameterValue, Part};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Another scheme, if the files break the given one and not the other. A few strays in a long file
/// do not look like another scheme: under that one, all the other tags would be strays.
pub(super) fn better_scheme(
    format: &Part,
    files: &BTreeMap<String, PathBuf>,
    checked: &Checked,
) -> Option<Warning> {
    let given = Scheme::from_name(format.parameters.text("scheme"))?;
    let of_tags = |error: &CorpusError| {
        matches!(error, CorpusError::Tag { .. } | CorpusError::Forbidden { .. })
    };
    let strays = checked.distribution.as_ref().map_or(0, strays);
    if strays == 0 && !checked.errors.iter().any(of_tags) {
        return None;
    }
    let fits = |scheme: &Scheme| {
        let read = as_distributed(&with_scheme(format, *scheme), files);
        read.is_ok_and(|distribution| self::strays(&distribution) == 0)
    };
    let better = Scheme::ALL.into_iter().filter(|scheme| *scheme != given).find(fits)?;
    Some(Warning::OtherScheme { given, better })
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
    parameters.insert("scheme".to_owned(), ParameterValue::Text(scheme.name().to_owned()));
    format
}
