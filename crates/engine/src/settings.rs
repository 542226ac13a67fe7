//! Settings that come from outside this process, a request or a kept model: checked once, so that
//! whatever reads them finds every parameter, and finds it allowed.

use domain::{JobSettings, ModelSettings, Part};
use parts::{Entry, Scenario, check_given, check_part};

/// What is wrong with a job's settings, if anything.
pub fn check(settings: &JobSettings) -> Result<(), String> {
    check_model(&settings.model)?;
    check_given(Scenario::PARAMETERS, &settings.scenario)
        .map_err(|wrong| format!("this engine cannot use the scenario: {wrong}"))?;
    let method = &settings.method;
    all([
        ("augment", method::augment::ENTRIES, method.augment.as_ref()),
        ("resample", method::resample::ENTRIES, method.resample.as_ref()),
        ("unlabelled", method::unlabelled::ENTRIES, method.unlabelled.as_ref()),
        ("negatives", method::negatives::ENTRIES, method.negatives.as_ref()),
        ("loss", method::loss::ENTRIES, Some(&method.loss)),
    ])
}

/// What is wrong with a model's settings, if anything.
pub fn check_model(model: &ModelSettings) -> Result<(), String> {
    all([
        ("embeddings", parts::embeddings::ENTRIES, model.embeddings.as_ref()),
        ("encoder", parts::encoders::ENTRIES, Some(&model.encoder)),
        ("head", parts::heads::ENTRIES, Some(&model.head)),
    ])
}

fn all<const N: usize>(slots: [(&str, &'static [Entry], Option<&Part>); N]) -> Result<(), String> {
    for (slot, entries, part) in slots {
        let Some(part) = part else { continue };
        check_part(entries, part)
            .map_err(|wrong| format!("this engine cannot use `{slot}: {}`: {wrong}", part.kind))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use domain::ParameterValue;

    #[test]
    fn settings_that_lack_something_or_leave_a_range_are_refused() {
        let settings = request().settings;
        assert_eq!(check(&settings), Ok(()));
        let refused = |change: &dyn Fn(&mut JobSettings)| {
            let mut settings = settings.clone();
            change(&mut settings);
            check(&settings).unwrap_err()
        };
        let unknown = refused(&|s| s.model.head.kind = "hed".into());
        assert_eq!(unknown, "this engine cannot use `head: hed`: there is no `hed`");
        let embeddings = |s: &mut JobSettings, value| {
            let part = s.model.embeddings.as_mut().unwrap();
            part.parameters.0.insert("dimension".into(), ParameterValue::Integer(value));
        };
        let outside = refused(&|s| embeddings(s, 0));
        assert!(
            outside.ends_with("`dimension` is 0, expected a whole number from 1 to 4096"),
            "{outside}"
        );
        let missing = refused(&|s| {
            s.model.embeddings.as_mut().unwrap().parameters.0.remove("frozen");
        });
        assert!(missing.ends_with("random: `frozen` is missing"), "{missing}");
        let one_name = refused(&|s| {
            s.scenario.0.insert("keep_types".into(), ParameterValue::Text("PER".into()));
        });
        assert!(one_name.contains("`keep_types` is PER, expected"), "{one_name}");
    }
}
