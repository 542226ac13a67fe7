//! Tables as HTML, for the page.

use super::{Align, Cell, Change, Group, MeanCell, Rank, ScoreCell, Significance, Table};
use crate::figures::palette;
use analysis::comparison::STRONG;
use analysis::number;

/// A `<table>` with caption and scopes.
pub fn render(table: &Table) -> String {
    let mut out = String::from("<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    out.push_str(&format!(" aria-label=\"{}\">\n<table>\n", escape(&table.title)));
    out.push_str("<caption>");
    let caution = |text: &String| format!("<strong class=\"caution\">{}</strong> ", escape(text));
    out.extend(table.cautions.iter().map(caution));
    out.push_str(&format!("{}</caption>\n", escape(&table.caption)));
    out.extend(
        table.groups.iter().map(|g| format!("<colgroup span=\"{}\"></colgroup>", g.columns)),
    );
    out.push_str("<thead>");
    out.push_str(&groups(&table.groups));
    out.push_str("<tr>");
    for column in &table.columns {
        let class = class_of(column.align);
        out.push_str(&format!("<th scope=\"col\"{class}>{}</th>", escape(&column.head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str(if row.ruled { "<tr class=\"ruled\">" } else { "<tr>" });
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            out.push_str(&render_cell(cell, column.align));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    out
}

/// The heads over several columns.
fn groups(groups: &[Group]) -> String {
    let cell = |Group { head, columns }: &Group| match head.is_empty() {
        true => format!("<td colspan=\"{columns}\"></td>"),
        false => format!("<th scope=\"colgroup\" colspan=\"{columns}\">{}</th>", escape(head)),
    };
    match groups.is_empty() {
        true => String::new(),
        false => format!("<tr>{}</tr>\n", groups.iter().map(cell).collect::<String>()),
    }
}

fn class_of(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}

fn render_cell(cell: &Cell, align: Align) -> String {
    match cell {
        Cell::Text(text) => format!("<td{}>{}</td>", class_of(align), escape(text)),
        Cell::Head(text) => format!("<th scope=\"row\">{}</th>", escape(text)),
        Cell::Again(text) => {
            format!("<th scope=\"row\"><span class=\"unseen\">{}</span></th>", escape(text))
        }
        Cell::Method { name, look, baseline } => method(name, *look, *baseline),
        Cell::Score(score) => format!("<td class=\"number\">{}</td>", score_cell(score)),
        Cell::Mean(mean) => format!("<td class=\"number\">{}</td>", mean_cell(mean)),
        Cell::NotApplicable(reason) => {
            let reason = escape(reason);
            format!(
                "<td class=\"number absent\" title=\"{reason}\">–<span class=\"unseen\"> not applicable: \
                 {reason}</span></td>"
            )
        }
        Cell::Gap { failed, missing } => {
            format!("<td class=\"number gap\">{}</td>", super::gap(*failed, *missing))
        }
    }
}

fn method(name: &str, look: Option<usize>, baseline: bool) -> String {
    let colour = palette::method(look).css();
    let note = if baseline { " <small>baseline</small>" } else { "" };
    let class = if baseline { "swatch base" } else { "swatch" };
    format!(
        "<th scope=\"row\"><svg class=\"{class}\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><circle \
         cx=\"5\" cy=\"5\" r=\"5\" fill=\"{colour}\"/></svg>{}{note}</th>",
        escape(name)
    )
}

fn score_cell(score: &ScoreCell) -> String {
    let mean = ranked(score.mean, score.rank);
    let sd = score.spread().map_or_else(String::new, |sd| {
        format!(" <span class=\"sd\">± {}</span>", number::percent(sd))
    });
    // Before the mean, so that the digits of a column stay in line.
    let n = score
        .shortfall()
        .map_or_else(String::new, |n| format!("<small class=\"gap\">{n}</small> "));
    format!("{n}{mean}{sd}{}", mark(score.mark))
}

fn ranked(mean: f64, rank: Rank) -> String {
    let mean = number::percent(mean);
    match rank {
        Rank::Best => format!("<strong>{mean}</strong>{}", said(rank.word())),
        Rank::Second => format!("<u>{mean}</u>{}", said(rank.word())),
        Rank::Other => format!("<span>{mean}</span>"),
    }
}

/// Words for those who hear the page: letters and signs are not read out.
fn said(words: &str) -> String {
    format!("<span class=\"unseen\"> {words}</span>")
}

/// The arrow is read out as a word.
fn mean_cell(cell: &MeanCell) -> String {
    let mean = ranked(cell.mean, cell.rank);
    let (class, arrow) = match cell.change {
        Change::None => return mean,
        Change::Equal => return format!("{mean}<span class=\"arrow\"></span>"),
        Change::Up => ("up", "↑"),
        Change::Down => ("down", "↓"),
    };
    format!(
        "{mean}<span class=\"arrow {class}\" aria-hidden=\"true\">{arrow}</span>{}",
        said(cell.change.word())
    )
}

fn mark(mark: Significance) -> String {
    let (class, side, strongly) = match mark {
        Significance::None => return "<sup class=\"mark\"></sup>".to_owned(),
        Significance::Better { strongly } => ("up", "above", strongly),
        Significance::Worse { strongly } => ("down", "below", strongly),
    };
    let at = if strongly { format!(" at {STRONG}") } else { String::new() };
    let words = format!("significantly {side} the baseline{at}");
    format!(
        "<sup class=\"mark {class}\" aria-hidden=\"true\" title=\"{words}\">{}</sup>{}",
        mark.text(),
        said(&words)
    )
}

/// A text as HTML text or the value of a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(plain(c)),
        }
    }
    out
}

/// A character that can do nothing to those around it.
pub fn plain(c: char) -> char {
    match c {
        c if c.is_control() => ' ',
        // Marks that turn the reading direction would let a name rearrange the page's words.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}
