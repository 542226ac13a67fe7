//! The page: one file that shows everything, opens anywhere and fetches nothing.
//!
//! Everything can be read without its script, which sorts and filters tables and opens cells. The
//! content security policy allows that script by its hash and nothing else, and forbids every request
//! but, where the page is served, to its server. Every text that comes from a grid, a corpus or a log is
//! escaped. However large the grid, the page stays below [`draft::MOST_BYTES`]: what does not fit lies
//! beside it.

mod data;
mod draft;
mod errors;
mod jobs;
mod policy;
mod problems;
mod provenance;
mod summary;

pub use jobs::jobs;
pub use policy::policy;

use super::figures::{Figure, palette};
use super::tables::Table;
use super::tables::html::{self, escape};
use super::{ModelByType, Section};
use crate::errors::JobErrors;
use analysis::by_type::TypeBoard;
use analysis::comparison::Comparison;
use analysis::number;
use analysis::{GridView, Panel, ResultFrames, Scoreboard, SeedsScored};
use data::Axes;
use draft::{PageDraft, Priority};
use std::collections::BTreeSet;

const STYLE: &str = include_str!("style.css");

/// What a page shows.
pub struct Contents<'a> {
    pub view: &'a GridView,
    pub results: &'a ResultFrames,
    /// The headline's first.
    pub boards: &'a [Scoreboard],
    /// Of the headline, as `overall` is.
    pub tests: &'a [Comparison],
    /// Of spans.
    pub by_type: &'a TypeBoard<'a>,
    pub sections: &'a [Section],
    pub overall: &'a [Table],
    pub figures: &'a [Figure],
    pub errors: &'a [JobErrors],
    /// The version of a served page, which asks for later ones.
    pub live: Option<&'a str>,
}

/// The whole page.
pub fn render(contents: &Contents<'_>) -> String {
    let Contents { view, results, boards, tests, sections, overall, figures, .. } = *contents;
    let headline = &boards[0];
    let axes = Axes::new(view, headline);
    let mut out = PageDraft::default();
    out.push(head(view, contents.live.is_some(), sections.len() > MANY_PANELS));
    out.push(banner(view, results, headline, tests));
    out.push(contents_list(contents));
    out.push("<main id=\"main\" tabindex=\"-1\">\n");
    out.push(summary_section(view, headline, tests));
    for (index, section) in sections.iter().enumerate() {
        panel(&mut out, contents, &axes, (index, section));
    }
    for (index, over_all) in overall.iter().enumerate() {
        let anchor = if index == 0 { "<div id=\"overall\"></div>\n" } else { "" };
        out.push(anchor);
        offer_table(&mut out, Priority::Overall, over_all, "h2");
    }
    for drawn in figures {
        offer_figure(&mut out, drawn, &drawn.title, "h2");
    }
    out.push(problems::render(view, headline));
    out.push(provenance::render(view, results));
    out.push("</main>\n");
    out.push(concat!(
        "<footer><p>Made by tailgrid ",
        env!("CARGO_PKG_VERSION"),
        ". Tables and figures lie beside this page as Markdown, LaTeX, CSV, SVG and PNG; \
         <a href=\"tables/jobs.csv\">tables/jobs.csv</a> has every job.</p></footer>\n",
    ));
    out.push(data::render(&data::PageSource {
        view,
        results,
        boards,
        tests,
        by_type: contents.by_type,
        sections,
        axes: &axes,
        live: contents.live,
    }));
    out.push(format!("<script>{}</script>\n</body>\n</html>\n", policy::SCRIPT));
    out.finish(draft::MOST_BYTES)
}

/// With more panels than this, cards that nobody sees are not laid out.
const MANY_PANELS: usize = 3;

fn head(view: &GridView, is_live: bool, is_large: bool) -> String {
    let class = if is_large { " class=\"large\"" } else { "" };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}: tailgrid report</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body{class}>\n\
         <a class=\"skip\" href=\"#main\">Skip to the findings</a>\n",
        policy(is_live),
        escape(&view.name),
        figure_colours()
    )
}

/// Links to the parts of the page, where it has many.
fn contents_list(contents: &Contents<'_>) -> String {
    if contents.sections.len() < 2 {
        return String::new();
    }
    let panel =
        |(index, section): (usize, &Section)| (format!("panel-{index}"), section.panel.title());
    let mut links = vec![("in-short".to_owned(), "In short".to_owned())];
    links.extend(contents.sections.iter().enumerate().map(panel));
    if !contents.overall.is_empty() {
        links.push(("overall".to_owned(), "Over all".to_owned()));
    }
    links.push(("provenance".to_owned(), "Provenance".to_owned()));
    let link = |(id, words): &(String, String)| {
        format!("<li><a href=\"#{id}\">{}</a></li>\n", escape(words))
    };
    let links: String = links.iter().map(link).collect();
    format!("<nav aria-label=\"On this page\">\n<ul>\n{links}</ul>\n</nav>\n")
}

/// Figures carry their colours as attributes; in a dark page the neutral ones follow the page.
fn figure_colours() -> String {
    let themed = [
        (palette::INK, "var(--ink)"),
        (palette::QUIET, "var(--quiet)"),
        (palette::CONTOUR, "var(--contour)"),
        (palette::GRID, "var(--grid)"),
        (palette::PAPER, "var(--card)"),
    ];
    let rule = |(colour, value): (palette::Colour, &str)| {
        let colour = colour.css();
        format!(
            "svg [fill=\"{colour}\"]{{fill:{value}}}svg [stroke=\"{colour}\"]{{stroke:{value}}}\n"
        )
    };
    themed.into_iter().map(rule).collect()
}

fn banner(
    view: &GridView,
    results: &ResultFrames,
    headline: &Scoreboard,
    tests: &[Comparison],
) -> String {
    let tiles: String = tiles(view, results, headline, tests)
        .into_iter()
        .map(|(value, words)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(&words), escape(&value))
        })
        .collect();
    format!(
        "<header>\n<p class=\"eyebrow\">tailgrid report</p>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n\
         <dl class=\"tiles\">{tiles}</dl>\n</header>\n",
        escape(&view.name),
        escape(&summary::headline(view, headline, tests))
    )
}

fn tiles(
    view: &GridView,
    results: &ResultFrames,
    headline: &Scoreboard,
    tests: &[Comparison],
) -> Vec<(String, String)> {
    let counts = problems::Counts::of(view, headline);
    let verdicts = summary::Verdicts::of(tests);
    let axes = shown_axes(view);
    vec![
        (format!("{} / {}", counts.done, counts.planned()), "jobs with a score".to_owned()),
        (axes, "models × methods".to_owned()),
        seeds_tile(headline),
        (
            format!("{} ↑ {} ↓", verdicts.better, verdicts.worse),
            format!("significant of {}", number::counted(verdicts.tested(), "tested comparison")),
        ),
        (provenance::total_time(view, results), "computing time".to_owned()),
    ]
}

/// How many models and methods are shown.
fn shown_axes(view: &GridView) -> String {
    // With the baseline, as in every other count of the page.
    let shown = || view.shown_jobs().map(|job| &job.point);
    let models: BTreeSet<&str> = shown().map(|point| point.model.as_str()).collect();
    let methods: BTreeSet<&str> = shown().map(|point| point.method.as_str()).collect();
    format!("{} × {}", models.len(), methods.len())
}

fn seeds_tile(headline: &Scoreboard) -> (String, String) {
    let SeedsScored { least, most } = headline.seeds_scored(None);
    let count = if least == most { most.to_string() } else { format!("{least}–{most}") };
    (count, "seeds a cell".to_owned())
}

/// More findings than this are folded.
const MOST_FINDINGS: usize = 12;

fn summary_section(view: &GridView, headline: &Scoreboard, tests: &[Comparison]) -> String {
    let over_panels: Vec<String> = summary::over_panels(view, tests)
        .iter()
        .map(|line| format!("<li>{}</li>\n", escape(line)))
        .collect();
    let lines: Vec<String> = summary::lines(view, headline, tests)
        .iter()
        .map(|(place, found)| {
            format!("<li><strong>{}.</strong> {}</li>\n", escape(place), escape(found))
        })
        .collect();
    let cautions: String = summary::cautions(view, headline, tests)
        .iter()
        .map(|line| format!("<p class=\"note\">{}</p>\n", escape(line)))
        .collect();
    let untrained: String = analysis::cautions::sentences(tests)
        .iter()
        .map(|line| format!("<p class=\"caution\">{}</p>\n", escape(line)))
        .collect();
    let list = |lines: &[String]| match lines.is_empty() {
        true => String::new(),
        false => format!("<ul>\n{}</ul>\n", lines.concat()),
    };
    let folded = match over_panels.len() + lines.len() > MOST_FINDINGS && !over_panels.is_empty() {
        true => format!(
            "<details id=\"by-model\">\n<summary>Model by model</summary>\n{}</details>\n",
            list(&lines)
        ),
        false => list(&lines),
    };
    format!(
        "<section class=\"card\" id=\"in-short\">\n<h2>In short</h2>\n{untrained}{}{folded}{cautions}</section>\n",
        list(&over_panels)
    )
}

fn panel(
    out: &mut PageDraft,
    contents: &Contents<'_>,
    axes: &Axes<'_>,
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
    by_type(out, contents, axes, (index, section), level);
}

/// The tables by type and the errors, folded: they are many, and long.
fn by_type(
    out: &mut PageDraft,
    contents: &Contents<'_>,
    axes: &Axes<'_>,
    (index, section): (usize, &Section),
    level: &str,
) {
    let models = axes.models.iter().enumerate();
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
fn told<'a>(contents: &Contents<'a>, panel: &Panel, model: &str) -> Vec<errors::Told<'a>> {
    let mut told: Vec<errors::Told<'a>> = Vec::new();
    for job in &contents.view.jobs {
        let at = &job.point;
        let here = at.corpus == panel.corpus && at.scenario == panel.scenario && at.model == model;
        if !here || told.iter().any(|known| known.method == at.method) {
            continue;
        }
        let errors = contents.errors.iter().find(|errors| errors.job == job.key);
        told.extend(errors.map(|errors| errors::Told {
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

fn folded(table: &Table, level: &str) -> String {
    format!(
        "<div class=\"part\" id=\"table-{}\">\n<{level}>{}</{level}>\n{}</div>\n",
        table.name,
        escape(&table.title),
        table_and_files(table)
    )
}

fn offer_table(out: &mut PageDraft, rank: Priority, table: &Table, level: &str) {
    let card = |body: String| {
        let title = escape(&table.title);
        format!(
            "<section class=\"card\" id=\"table-{}\">\n<{level}>{title}</{level}>\n{body}</section>\n",
            table.name
        )
    };
    out.offer(rank, card(table_and_files(table)), card(beside(table)));
}

fn table_and_files(table: &Table) -> String {
    html::render(table) + &table_files(table)
}

/// What stands in place of a table that is too long for the page.
fn beside(table: &Table) -> String {
    let rows = number::counted(table.rows.len(), "row");
    format!("<p class=\"note\">{rows}, too long for this page:</p>\n{}", table_files(table))
}

fn table_files(table: &Table) -> String {
    files("tables", &table.name, &[("md", "Markdown"), ("tex", "LaTeX"), ("csv", "CSV")])
}

fn offer_figure(out: &mut PageDraft, figure: &Figure, heading: &str, level: &str) {
    // The drawing's own title would be read out a second time.
    let label = format!("role=\"img\" aria-label=\"{}\"", escape(&figure.description));
    let svg = figure.svg.replacen("role=\"img\"", &label, 1);
    let card = |drawing: &str| {
        format!(
            "<section class=\"card\" id=\"figure-{}\">\n<{level}>{}</{level}>\n<figure>\n{drawing}<figcaption>{}\
             </figcaption>\n</figure>\n{}</section>\n",
            figure.name,
            escape(heading),
            escape(&figure.caption),
            files("figures", &figure.name, &[("svg", "SVG"), ("png", "PNG")])
        )
    };
    let instead = format!("<p class=\"note\">{}</p>\n", escape(&figure.description));
    // On a phone it is wider than the screen.
    let drawing = format!(
        "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{svg}</div>\n",
        escape(&figure.title)
    );
    out.offer(Priority::Figure, card(&drawing), card(&instead));
}

fn files(folder: &str, name: &str, endings: &[(&str, &str)]) -> String {
    let link = |(ending, words): &(&str, &str)| {
        format!("<a href=\"{folder}/{name}.{ending}\">{words}</a>")
    };
    let links: Vec<String> = endings.iter().map(link).collect();
    format!("<p class=\"files\">{}</p>\n", links.join(" "))
}

#[cfg(test)]
mod tests;
