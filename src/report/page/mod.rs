//! The page: one file that shows everything, opens anywhere and fetches nothing.
//!
//! Its content security policy forbids scripts and every request; every text that comes from a grid,
//! a corpus or a log is escaped.

mod problems;
mod provenance;
mod summary;

use super::comparison::Comparison;
use super::figures::{Figure, palette};
use super::tables::html::{self, escape};
use super::tables::{Table, number};
use super::view::{GridView, Scoreboard, SeedsScored};
use super::{ModelByType, Section};
use crate::store::Results;

const STYLE: &str = include_str!("style.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The whole page. `headline`, `tests` and `overall` are of the grid's metric.
pub fn render(
    view: &GridView,
    results: &Results,
    headline: &Scoreboard,
    tests: &[Comparison],
    sections: &[Section],
    (overall, searches): (&[Table], &[Figure]),
) -> String {
    let mut out = head(view);
    out.push_str(&banner(view, results, headline, tests));
    out.push_str("<main>\n");
    out.push_str(&summary_section(view, headline, tests));
    for section in sections {
        out.push_str(&panel(section, sections.len() > 1));
    }
    for over_all in overall {
        out.push_str(&table(over_all, "h2"));
    }
    for search in searches {
        out.push_str(&figure(search, &search.title, "h2"));
    }
    out.push_str(&problems::render(view, headline));
    out.push_str(&provenance::render(view, results));
    out.push_str("</main>\n");
    out.push_str(concat!(
        "<footer><p>Made by tailgrid ",
        env!("CARGO_PKG_VERSION"),
        ". Tables and figures lie beside this page as Markdown, LaTeX, CSV, SVG and PNG.</p></footer>\n",
        "</body>\n</html>\n"
    ));
    out
}

fn head(view: &GridView) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}: tailgrid report</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        escape(&view.name),
        figure_colours()
    )
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
    results: &Results,
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
    results: &Results,
    headline: &Scoreboard,
    tests: &[Comparison],
) -> Vec<(String, String)> {
    let counts = problems::Counts::of(view, headline);
    let verdicts = summary::Verdicts::of(tests);
    let axes = format!("{} × {}", view.models.len(), view.methods.len());
    vec![
        (format!("{} / {}", counts.done, counts.planned()), "jobs with a score".to_owned()),
        (axes, "models × methods".to_owned()),
        seeds_tile(headline),
        (
            format!("{} ↑ {} ↓", verdicts.better, verdicts.worse),
            format!("significant of {}", number::counted(tests.len(), "comparison")),
        ),
        (provenance::total_time(view, results), "computing time".to_owned()),
    ]
}

fn seeds_tile(headline: &Scoreboard) -> (String, String) {
    let SeedsScored { least, most } = headline.seeds_scored(None);
    let count = if least == most { most.to_string() } else { format!("{least}–{most}") };
    (count, "seeds a cell".to_owned())
}

fn summary_section(view: &GridView, headline: &Scoreboard, tests: &[Comparison]) -> String {
    let lines: String = summary::lines(view, headline, tests)
        .iter()
        .map(|(place, found)| {
            format!("<li><strong>{}.</strong> {}</li>\n", escape(place), escape(found))
        })
        .collect();
    let cautions: String = summary::cautions(view, headline, tests)
        .iter()
        .map(|line| format!("<p class=\"note\">{}</p>\n", escape(line)))
        .collect();
    let list = if lines.is_empty() { lines } else { format!("<ul>\n{lines}</ul>\n") };
    format!("<section class=\"card\">\n<h2>In short</h2>\n{list}{cautions}</section>\n")
}

fn panel(section: &Section, many: bool) -> String {
    let mut out = String::new();
    if many {
        out.push_str(&format!("<h2 class=\"panel\">{}</h2>\n", escape(&section.panel.title())));
    }
    let level = if many { "h3" } else { "h2" };
    for scores in &section.scores {
        out.push_str(&table(scores, level));
    }
    if let Some(trade) = &section.figure {
        out.push_str(&figure(trade, "What each method trades", level));
    }
    if let Some(comparisons) = &section.comparisons {
        out.push_str(&table(comparisons, level));
    }
    for further in &section.figures {
        out.push_str(&figure(further, &further.title, level));
    }
    out.push_str(&by_type(&section.by_type, level));
    out
}

/// The tables by type, folded: they are many, and long.
fn by_type(models: &[ModelByType], level: &str) -> String {
    let fold = |model: &ModelByType| {
        let tables: String = model.tables.iter().map(folded).collect();
        format!("<details>\n<summary>{}</summary>\n{tables}</details>\n", escape(&model.model))
    };
    match models.is_empty() {
        true => String::new(),
        false => format!(
            "<section class=\"card\">\n<{level}>By entity type</{level}>\n<p class=\"note\">What each method \
             does to every type, the rarest first, and to every class of tokens. Open a model:</p>\n{}\
             </section>\n",
            models.iter().map(fold).collect::<String>()
        ),
    }
}

fn folded(table: &Table) -> String {
    format!("<h4>{}</h4>\n{}", escape(&table.title), table_and_files(table))
}

fn table(table: &Table, level: &str) -> String {
    format!(
        "<section class=\"card\">\n<{level}>{}</{level}>\n{}</section>\n",
        escape(&table.title),
        table_and_files(table)
    )
}

fn table_and_files(table: &Table) -> String {
    let links = [("md", "Markdown"), ("tex", "LaTeX"), ("csv", "CSV")];
    html::render(table) + &files("tables", &table.name, &links)
}

fn figure(figure: &Figure, heading: &str, level: &str) -> String {
    // The drawing's own title would be read out a second time.
    let label = format!("role=\"img\" aria-label=\"{}\"", escape(&figure.description));
    let svg = figure.svg.replacen("role=\"img\"", &label, 1);
    format!(
        "<section class=\"card\">\n<{level}>{}</{level}>\n<figure>\n{svg}<figcaption>{}\
         </figcaption>\n</figure>\n{}</section>\n",
        escape(heading),
        escape(&figure.caption),
        files("figures", &figure.name, &[("svg", "SVG"), ("png", "PNG")])
    )
}

fn files(folder: &str, name: &str, endings: &[(&str, &str)]) -> String {
    let link = |(ending, words): &(&str, &str)| {
        format!("<a href=\"{folder}/{name}.{ending}\">{words}</a>")
    };
    let links: Vec<String> = endings.iter().map(link).collect();
    format!("<p class=\"files\">{}</p>\n", links.join(" "))
}
