//! What is shown of one corpus under one scenario: tables, figures, and by entity type, where also
//! the errors are.

use super::Contents;
use super::cards::{beside, folded, offer_figure, offer_table};
use super::data::ShownNames;
use super::draft::{PageDraft, Priority};
use super::errors::{self, MethodErrors};
use crate::tables::html::escape;
use crate::{ModelByType, Section};
use analysis::Panel;

/// Adds the part of the page that is about one panel.
pub fn push(
    out: &mut PageDraft,
    contents: &Contents<'_>,
    names: &ShownNames<'_>,
    (index, section): (usize, &Section),
) {
    let many = contents.sections.len() > 1;
    if many {
        let title = escape(&section.panel.title());
        out.push(format!("<h2 class=\"panel\" id=\"panel-{index}\">{title}</h2>\n"));
    }
    let level = if many { "h3" } else { "h2" };
    let ranks = [Priority::Headline].into_iter().chain(std::iter::repeat(Priority::OtherMetric));
    for (scores, rank) in section.scores.iter().zip(ranks) {
        offer_table(out, rank, scores, level);
    }
    if let Some(trade) = &section.figure {
        offer_figure(out, trade, "What each method trades", level);
    }
    for comparisons in &section.comparisons {
        offer_table(out, Priority::Tests, comparisons, level);
    }
    for further in &section.figures {
        offer_figure(out, further, &further.title, level);
    }
    by_type(out, contents, names, (index, section), level);
}

/// The tables by type and the errors, folded: they are many, and long.
fn by_type(
    out: &mut PageDraft,
    contents: &Contents<'_>,
    names: &ShownNames<'_>,
    (index, section): (usize, &Section),
    level: &str,
) {
    let models = names.models.iter().enumerate();
    let folds: Vec<[String; 2]> = models
        .filter_map(|(number, model)| {
            let tables = section.by_type.iter().find(|of| of.model == **model);
            let told = told(contents, &section.panel, model);
            (tables.is_some() || !told.is_empty()).then(|| {
                let id = format!("types-{index}-{number}");
                fold(model, tables, &errors::render(&told, below(level), &id), &id, level)
            })
        })
        .collect();
    if folds.is_empty() {
        return;
    }
    out.push(format!(
        "<section class=\"card\">\n<{level}>By entity type</{level}>\n<p class=\"note\">What each method \
         does to every type, the rarest first, to every class of tokens, and examples of errors. Open a \
         model:</p>\n"
    ));
    for [whole, instead] in folds {
        out.offer(Priority::ByType, whole, instead);
    }
    out.push("</section>\n");
}

/// What a model does by type, and what stands there instead where that is too long.
fn fold(
    model: &str,
    tables: Option<&ModelByType>,
    errors: &str,
    id: &str,
    level: &str,
) -> [String; 2] {
    let tables = tables.map_or(&[][..], |of| &of.tables);
    let level = below(level);
    let whole: String = tables.iter().map(|table| folded(table, level)).collect();
    let short: String = tables
        .iter()
        .map(|table| format!("<{level}>{}</{level}>\n{}", escape(&table.title), beside(table)))
        .collect();
    [whole + errors, short].map(|body| {
        let model = escape(model);
        format!("<details id=\"{id}\">\n<summary>{model}</summary>\n{body}</details>\n")
    })
}

/// The jobs of a model on a panel whose errors are known, in the order of the methods.
fn told<'a>(contents: &Contents<'a>, panel: &Panel, model: &str) -> Vec<MethodErrors<'a>> {
    let mut told: Vec<MethodErrors<'a>> = Vec::new();
    for job in &contents.view.jobs {
        let at = &job.point;
        let here = at.corpus == panel.corpus && at.scenario == panel.scenario && at.model == model;
        if !here || told.iter().any(|known| known.method == at.method) {
            continue;
        }
        let errors = contents.errors.iter().find(|errors| errors.job == job.key);
        told.extend(errors.map(|errors| MethodErrors {
            method: &at.method,
            seed: at.seed,
            errors,
        }));
    }
    told
}

/// The level of headings under another one.
fn below(level: &str) -> &'static str {
    if level == "h2" { "h3" } else { "h4" }
}
