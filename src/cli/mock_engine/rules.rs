//! The rules that make chosen jobs misbehave.

use crate::cli::{CliError, Exit};
use domain::Point;

/// What a job does instead of its work.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Abort,
    /// Works with so many hundredths of its budget, beside what another rule asks for.
    Budget(u32),
    /// Tells that its loss is no number, after an epoch.
    Diverge,
    Exit,
    /// Leaves without a word on the first attempt only.
    Flaky,
    /// Fills its log, then works.
    Flood,
    Garbage,
    Hang,
    /// Takes memory until it is stopped, 2 GiB at most.
    Hog,
    HugeLine,
    /// Tells of a file that cannot be read on the first attempt only.
    Io,
    Kill,
    /// Finds no entity, beside what another rule asks for.
    NeverLearn,
    Panic,
    /// Works with so many hundredths more skill, beside what another rule asks for.
    Shift(i32),
    Segfault,
    /// Works, and says that more training would help, beside what another rule asks for.
    StillImprove,
    /// Leaves as if all were well, without a word.
    Silent,
    Succeed,
    /// Works, with so many milliseconds for each epoch.
    Slow(u64),
    /// Works as slowly, and does not leave when its runner is gone.
    Stubborn(u64),
}

impl Action {
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "abort" => Action::Abort,
            "diverge" => Action::Diverge,
            "exit" => Action::Exit,
            "flaky" => Action::Flaky,
            "flood" => Action::Flood,
            "garbage" => Action::Garbage,
            "hang" => Action::Hang,
            "hog" => Action::Hog,
            "huge-line" => Action::HugeLine,
            "io" => Action::Io,
            "kill" => Action::Kill,
            "never-learn" => Action::NeverLearn,
            "panic" => Action::Panic,
            "segfault" => Action::Segfault,
            "silent" => Action::Silent,
            "still-improve" => Action::StillImprove,
            "succeed" => Action::Succeed,
            _ => match text.split_once('=')? {
                ("budget", factor) => {
                    let factor = factor.parse().ok();
                    let factor = factor.filter(|factor: &f64| (0.5..=100.0).contains(factor))?;
                    Action::Budget((factor * 100.0).round() as u32)
                }
                ("shift", skill) => {
                    let skill = skill.parse().ok().filter(|skill: &f64| skill.abs() <= 1.0)?;
                    Action::Shift((skill * 100.0).round() as i32)
                }
                ("slow", milliseconds) => Action::Slow(milliseconds.parse().ok()?),
                ("stubborn", milliseconds) => Action::Stubborn(milliseconds.parse().ok()?),
                _ => return None,
            },
        })
    }

    /// Whether it changes how a job is trained, beside what it does instead.
    pub fn is_of_training(self) -> bool {
        matches!(
            self,
            Action::Shift(_) | Action::Budget(_) | Action::NeverLearn | Action::StillImprove
        )
    }

    /// The action of the first rule that fits, those of training apart.
    pub fn for_point(rules: &str, point: &Point) -> Result<Option<Self>, CliError> {
        let fitting = Self::fitting(rules, point)?;
        Ok(fitting.into_iter().find(|action| !action.is_of_training()))
    }

    /// The actions of all rules that fit.
    pub fn fitting(rules: &str, point: &Point) -> Result<Vec<Self>, CliError> {
        let mut fitting = Vec::new();
        for rule in rules.split(';').filter(|rule| !rule.trim().is_empty()) {
            let wrong = || {
                CliError::new(Exit::Usage, format!("TAILGRID_MOCK has an invalid rule `{rule}`"))
            };
            let (place, action) = rule.trim().split_once(':').ok_or_else(wrong)?;
            let action = Action::parse(action).ok_or_else(wrong)?;
            if place == "*" || is_at(point, place).ok_or_else(wrong)? {
                fitting.push(action);
            }
        }
        Ok(fitting)
    }
}

fn is_at(point: &Point, place: &str) -> Option<bool> {
    let (field, value) = place.split_once('=')?;
    Some(match field {
        "corpus" => point.corpus == value,
        "scenario" => point.scenario == value,
        "model" => point.model == value,
        "method" => point.method == value,
        "seed" => point.seed.to_string() == value,
        _ => return None,
    })
}
