//! The page: one file that shows everything, opens anywhere and fetches nothing.
//!
//! Everything can be read without its script, which sorts and filters tables and opens cells. The
//! content security policy allows that script by its hash and nothing else, and forbids every
//! request but, where the page is served, to its server. Every text that comes from a grid, a
//! corpus or a log is escaped. However large the grid, the page stays below [`draft::MOST_BYTES`]:
//! what does not fit lies beside it.

mod banner;
mod cards;
mod data;
mod draft;
mod errors;
mod jobs;
mod panels;
mod policy;
mod problems;
mod provenance;
mod summary;

pub use jobs::jobs;
pub use policy::policy;

use super::Section;
use super::figures::{Figure, palette};
use super::tables::Table;
use super::tables::html::escape;
use crate::errors::JobErrors;
use analysis::by_type::TypeBoard;
use analysis::comparison::Comparison;
use analysis::{GridView, ResultFrames, Scoreboard};
use cards::{offer_figure, offer_table};
use data::ShownNames;
use draft::{PageDraft, Priority};

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
    let names = ShownNames::new(view, headline);
    let mut out = PageDraft::default();
    out.push(head(view, contents.live.is_some(), sections.len() > MANY_PANELS));
    out.push(banner::render(view, results, headline, tests));
    out.push(contents_list(contents));
    out.push("<main id=\"main\" tabindex=\"-1\">\n");
    out.push(summary::render(view, headline, tests));
    for (index, section) in sections.iter().enumerate() {
        panels::push(&mut out, contents, &names, (index, section));
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
    out.push(data::render(contents, &names));
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

#[cfg(test)]
mod tests;
