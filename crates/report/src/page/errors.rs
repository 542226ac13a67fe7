//! Example errors by entity type, of few jobs: what a score of 0.6 looks like.
//!
//! The words come from corpora. They are escaped, and isolated so that text of another direction
//! cannot rearrange what stands around it.

use crate::errors::{ErrorKind, Example, JobErrors, TypeErrors};
use crate::tables::html::escape;
use analysis::number;

/// What one job got wrong, with the name of its method.
pub struct MethodErrors<'a> {
    pub method: &'a str,
    pub seed: u64,
    pub errors: &'a JobErrors,
}

/// The errors of the jobs of one model on one panel, a fold a type; empty where there are none.
pub fn render(told: &[MethodErrors<'_>], level: &str, id: &str) -> String {
    let mut names: Vec<(&str, u64)> = Vec::new();
    for of_type in told.iter().flat_map(|job| &job.errors.types) {
        match names.iter_mut().find(|(name, _)| *name == of_type.name) {
            Some((_, gold)) => *gold = of_type.gold.max(*gold),
            None => names.push((&of_type.name, of_type.gold)),
        }
    }
    names.sort_by_key(|(name, gold)| (*gold, *name));
    if names.is_empty() {
        return String::new();
    }
    let types: String = names
        .iter()
        .enumerate()
        .map(|(n, (name, _))| fold(told, name, &format!("{id}-{n}")))
        .collect();
    format!(
        "<{level}>Errors by type</{level}>\n<p class=\"note\">{}</p>\n{types}",
        introduction(told)
    )
}

fn introduction(told: &[MethodErrors<'_>]) -> String {
    let job = |job: &MethodErrors<'_>| {
        let JobErrors { job: key, sentences, is_partial, .. } = job.errors;
        let first = if *is_partial { "the first " } else { "" };
        format!(
            "<bdi>{}</bdi> (seed {}, job <code>{}</code>, {first}{})",
            escape(job.method),
            job.seed,
            escape(&key.0),
            number::counted(*sentences, "test sentence")
        )
    };
    let jobs: Vec<String> = told.iter().map(job).collect();
    format!(
        "Of {}. Each entity of gold is correct, missed, of a wrong type, or has a wrong boundary; a spurious \
         prediction overlaps no entity of gold. Open a type, the rarest first, for examples.",
        jobs.join(" and ")
    )
}

fn fold(told: &[MethodErrors<'_>], name: &str, id: &str) -> String {
    let found = |job: &MethodErrors<'_>| {
        job.errors.types.iter().find(|of_type| of_type.name == name).cloned()
    };
    let jobs: Vec<(&str, TypeErrors)> =
        told.iter().map(|job| (job.method, found(job).unwrap_or_default())).collect();
    let correct = |(method, of_type): &(&str, TypeErrors)| {
        format!("<bdi>{}</bdi> {} of {}", escape(method), of_type.correct, of_type.gold)
    };
    let correct: Vec<String> = jobs.iter().map(correct).collect();
    let examples: String = jobs.iter().map(|(method, of_type)| examples(method, of_type)).collect();
    format!(
        "<details class=\"type\" id=\"{id}\">\n<summary><bdi>{}</bdi> <small>correct: {}</small></summary>\n\
         {}{examples}</details>\n",
        escape(name),
        correct.join(", "),
        counts(name, &jobs)
    )
}

/// A row a job.
fn counts(name: &str, jobs: &[(&str, TypeErrors)]) -> String {
    let heads: String = ["in gold", "correct"]
        .into_iter()
        .chain(ErrorKind::ALL.map(ErrorKind::title))
        .map(|head| format!("<th scope=\"col\" class=\"number\">{head}</th>"))
        .collect();
    let row = |(method, of_type): &(&str, TypeErrors)| {
        let numbers = [of_type.gold, of_type.correct].into_iter().chain(of_type.counts);
        let cells: String = numbers.map(|n| format!("<td class=\"number\">{n}</td>")).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(method))
    };
    let rows: String = jobs.iter().map(row).collect();
    let name = escape(name);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Errors of {name}\">\n<table>\n\
         <caption class=\"unseen\">Errors of {name}</caption>\n<thead><tr><th scope=\"col\">Method</th>{heads}\
         </tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn examples(method: &str, of_type: &TypeErrors) -> String {
    match of_type.examples.is_empty() {
        true => String::new(),
        false => format!(
            "<p class=\"who\">Examples of <bdi>{}</bdi></p>\n<ul class=\"examples\">\n{}</ul>\n",
            escape(method),
            of_type.examples.iter().map(example).collect::<String>()
        ),
    }
}

fn example(example: &Example) -> String {
    let Example { kind, before, entity, after, instead } = example;
    let instead = instead.as_ref().map_or_else(String::new, |(name, words)| match kind {
        ErrorKind::WrongType => format!(" <small>predicted as <bdi>{}</bdi></small>", escape(name)),
        _ => format!(
            " <small>predicted <bdi>“{}”</bdi> as <bdi>{}</bdi></small>",
            escape(words),
            escape(name)
        ),
    });
    format!(
        "<li><span class=\"kind\">{}</span> <span><bdi>{} <mark>{}</mark> {}</bdi>{instead}</span></li>\n",
        kind.title(),
        escape(before),
        escape(entity),
        escape(after)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::errors_of;
    use domain::JobKey;

    #[test]
    fn errors_are_told_by_type_with_hostile_words_as_words() {
        let text = "</script><img src=x onerror=a()>\tB-\"><b>\tO\n\u{202e}\u{7}x\tO\tB-p\n\ny\tB-p\tI-q\n\n";
        let errors = errors_of(&JobKey("ab".into()), text, true).expect("predictions");
        let told = [MethodErrors { method: "<i>scr", seed: 2, errors: &errors }];
        let html = render(&told, "h4", "e");
        for tag in ["<img", "<b>", "<i>", "</script"] {
            assert!(!html.contains(tag), "{tag}: {html}");
        }
        assert!(!html.contains(['\u{202e}', '\u{7}']));
        assert!(
            html.contains("<mark>&lt;/script&gt;&lt;img src=x onerror=a()&gt;</mark>"),
            "{html}"
        );
        assert!(html.contains("the first 2 test sentences"), "{html}");
        assert!(html.contains("predicted as <bdi>q</bdi>"), "{html}");
        assert_eq!(render(&[], "h4", "e"), "");
    }
}
