//! Which jobs a command is about: `--only` and `--not`.
//!
//! `model=shallow* method=sc,scr seed=1`: globs, a comma is "or", a space is "and".

use super::diagnostic::did_you_mean;
use super::glob::Glob;
use domain::Point;
use thiserror::Error;

/// What an expression can ask for.
const FIELDS: [&str; 6] = ["corpus", "scenario", "model", "method", "seed", "status"];
/// What `status` can be.
pub const STATUSES: [&str; 5] = ["done", "todo", "failed", "n/a", "decided"];

/// Why an expression cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SelectionError {
    #[error("{option} `{term}` has no `=`: write it as {option} \"model=bilstm* seed=1,2\"")]
    NoEquals { option: &'static str, term: String },
    #[error(
        "{option} cannot select by `{field}`{hint}: use corpus, scenario, model, method, seed or status"
    )]
    UnknownField { option: &'static str, field: String, hint: String },
    #[error("{option} `{term}` has an empty value: name at least one, or leave the term out")]
    EmptyValue { option: &'static str, term: String },
    #[error("{option} knows no status `{value}`{hint}: use done, todo, failed, n/a or decided")]
    UnknownStatus { option: &'static str, value: String, hint: String },
    #[error("{option} selects by seed, which is a number, not `{value}`")]
    SeedIsNumber { option: &'static str, value: String },
    #[error("{option} is empty: leave it out to select every job")]
    Empty { option: &'static str },
}

/// A choice of jobs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    only: Vec<Term>,
    not: Vec<Term>,
}

/// One `field=a,b`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Term {
    field: &'static str,
    any: Vec<Glob>,
}

impl Selection {
    /// Reads the two expressions; without any, every job is selected.
    pub fn parse(only: Option<&str>, not: Option<&str>) -> Result<Self, SelectionError> {
        let read = |option, text: Option<&str>| text.map(|t| terms(option, t)).transpose();
        let only = read("--only", only)?.unwrap_or_default();
        Ok(Self { only, not: read("--not", not)?.unwrap_or_default() })
    }

    /// Whether a job is selected; `status` is one of [`STATUSES`].
    pub fn matches(&self, point: &Point, status: &str) -> bool {
        let fits = |term: &Term| term.matches(point, status);
        self.only.iter().all(fits) && (self.not.is_empty() || !self.not.iter().all(fits))
    }
}

fn terms(option: &'static str, text: &str) -> Result<Vec<Term>, SelectionError> {
    let terms = text.split_whitespace().map(|term| Term::parse(option, term));
    let terms = terms.collect::<Result<Vec<_>, _>>()?;
    if terms.is_empty() { Err(SelectionError::Empty { option }) } else { Ok(terms) }
}

impl Term {
    fn parse(option: &'static str, term: &str) -> Result<Self, SelectionError> {
        let (name, values) = term
            .split_once('=')
            .ok_or_else(|| SelectionError::NoEquals { option, term: term.to_owned() })?;
        let field = FIELDS.into_iter().find(|field| *field == name).ok_or_else(|| {
            SelectionError::UnknownField {
                option,
                field: name.to_owned(),
                hint: hint(name, &FIELDS),
            }
        })?;
        let values: Vec<&str> = values.split(',').collect();
        if values.contains(&"") {
            return Err(SelectionError::EmptyValue { option, term: term.to_owned() });
        }
        values.iter().try_for_each(|value| check(option, field, value))?;
        Ok(Self { field, any: values.into_iter().map(Glob::new).collect() })
    }

    fn matches(&self, point: &Point, status: &str) -> bool {
        let seed;
        let value = match self.field {
            "corpus" => &point.corpus,
            "scenario" => &point.scenario,
            "model" => &point.model,
            "method" => &point.method,
            "seed" => {
                seed = point.seed.to_string();
                &seed
            }
            _ => status,
        };
        self.any.iter().any(|glob| glob.matches(value))
    }
}

fn hint(typed: &str, known: &[&'static str]) -> String {
    let near = did_you_mean(typed, known.iter().copied());
    near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

fn check(option: &'static str, field: &str, value: &str) -> Result<(), SelectionError> {
    let glob = Glob::new(value);
    match field {
        "status" if !STATUSES.iter().any(|status| glob.matches(status)) => {
            let hint = hint(value, &STATUSES);
            Err(SelectionError::UnknownStatus { option, value: value.to_owned(), hint })
        }
        "seed" if !value.chars().all(|c| c.is_ascii_digit() || c == '*' || c == '?') => {
            Err(SelectionError::SeedIsNumber { option, value: value.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(model: &str, method: &str, seed: u64) -> Point {
        Point {
            corpus: "wnut17".into(),
            scenario: "full".into(),
            model: model.into(),
            method: method.into(),
            seed,
        }
    }

    fn selected(only: Option<&str>, not: Option<&str>, point: &Point) -> bool {
        Selection::parse(only, not).unwrap().matches(point, "todo")
    }

    #[test]
    fn comma_is_or_and_space_is_and() {
        let job = point("shallow-softmax", "scr", 3);
        assert!(selected(None, None, &job));
        assert!(selected(Some("model=shallow* method=sc,scr"), None, &job));
        assert!(!selected(Some("model=shallow* method=sc"), None, &job));
        assert!(selected(Some("seed=1,3 status=todo"), None, &job));
        assert!(!selected(Some("status=done"), None, &job));
        assert!(!selected(None, Some("method=scr"), &job));
        // `--not` leaves out what fits all of its terms.
        assert!(selected(None, Some("method=scr seed=1"), &job));
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |only| Selection::parse(Some(only), None).unwrap_err().to_string();
        insta::assert_snapshot!(error("bilstm"), @r#"--only `bilstm` has no `=`: write it as --only "model=bilstm* seed=1,2""#);
        insta::assert_snapshot!(error("modle=a"), @"--only cannot select by `modle` (did you mean `model`?): use corpus, scenario, model, method, seed or status");
        insta::assert_snapshot!(error("model=a,,b"), @"--only `model=a,,b` has an empty value: name at least one, or leave the term out");
        insta::assert_snapshot!(error("status=dome"), @"--only knows no status `dome` (did you mean `done`?): use done, todo, failed, n/a or decided");
        insta::assert_snapshot!(error("seed=one"), @"--only selects by seed, which is a number, not `one`");
        insta::assert_snapshot!(error("  "), @"--only is empty: leave it out to select every job");
    }
}
