//! Tables as LaTeX with booktabs, ready for `\input`.
//!
//! The file compiles whatever the names are: everything is escaped, and a character that pdfLaTeX
//! has no glyph for becomes its code point unless the document says otherwise.

use super::parts::{parts, width};
use super::{Align, Cell, Change, Group, MeanCell, Rank, ScoreCell, Significance, Table};
use analysis::number;

/// What every file begins with.
const PREAMBLE: &str = "\
% Needs \\usepackage{booktabs}.
% A character beyond Latin and Greek prints as its code point; with XeLaTeX or LuaLaTeX and a font
% that has it, put \\newcommand{\\tailgridchar}[2]{#1} into the preamble.
\\providecommand{\\tailgridchar}[2]{#2}
";

/// With more columns than this, or more characters across, a table is set small.
const ROOMY: usize = 6;
const ROOMY_WIDTH: usize = 90;
/// With more than this, smaller still.
const TIGHT: usize = 9;
const TIGHT_WIDTH: usize = 110;
/// Characters of a head that are too many for one line.
const LONG_HEAD: usize = 14;

/// The whole file: one table, or several where one would not fit a page.
pub fn render(table: &Table) -> String {
    let parts = parts(table);
    let size = parts.iter().map(Size::of).max().unwrap_or(Size::Normal);
    let part = |(index, part): (usize, &Table)| environment(part, index + 1, parts.len(), size);
    PREAMBLE.to_owned() + &parts.iter().enumerate().map(part).collect::<String>()
}

/// One table. The caption stands with the first part alone, the others say what they go on with.
fn environment(table: &Table, part: usize, of: usize, size: Size) -> String {
    let columns: String = table.columns.iter().map(|c| letter(c.align)).collect();
    let tight = size > Size::Normal;
    let heads: Vec<String> = table.columns.iter().map(|c| head(&c.head, tight)).collect();
    let caption = match part {
        1 => {
            let title = format!("{}.", table.title);
            let all = [&title].into_iter().chain(&table.cautions).chain([&table.caption]);
            all.map(|sentence| escape(sentence)).collect::<Vec<_>>().join(" ")
        }
        part => format!("{} (part {part} of {of}).", escape(&table.title)),
    };
    let label = if part == 1 { table.name.clone() } else { format!("{}-{part}", table.name) };
    let mut out = String::from("\\begin{table}[tbp]\n  \\centering\n");
    out.push_str(&format!("  \\caption{{{caption}}}\n  \\label{{tab:{label}}}\n  \\medskip\n"));
    out.push_str(size.set());
    out.push_str(&format!("  \\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n    \\toprule\n"));
    out.push_str(&groups(&table.groups));
    out.push_str(&format!("    {} \\\\\n    \\midrule\n", heads.join(" & ")));
    let tight = size == Size::Script;
    let marked = marked_columns(table);
    for (index, row) in table.rows.iter().enumerate() {
        if row.ruled && index > 0 {
            out.push_str("    \\addlinespace\n");
        }
        let cells = row.cells.iter().zip(&marked);
        let cells: Vec<String> = cells.map(|(one, marked)| cell(one, *marked, tight)).collect();
        out.push_str(&format!("    {} \\\\\n", cells.join(" & ")));
    }
    out.push_str("    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
    out
}

/// A long head of two words stands in two lines where there is little room.
fn head(text: &str, tight: bool) -> String {
    match text.split_once(' ').filter(|_| tight && text.chars().count() > LONG_HEAD) {
        Some((above, below)) => {
            format!("\\shortstack[r]{{{}\\\\{}}}", escape(above), escape(below))
        }
        None => escape(text),
    }
}

/// The letters of a table, the largest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Size {
    Normal,
    Footnote,
    /// Spreads are set smaller still.
    Script,
}

impl Size {
    /// The largest in which it fits a page.
    fn of(table: &Table) -> Self {
        match (table.columns.len(), width(table)) {
            (0..=ROOMY, 0..=ROOMY_WIDTH) => Size::Normal,
            (0..=TIGHT, 0..=TIGHT_WIDTH) => Size::Footnote,
            _ => Size::Script,
        }
    }

    fn set(self) -> &'static str {
        match self {
            Size::Normal => "",
            Size::Footnote => "  \\footnotesize\\setlength{\\tabcolsep}{3pt}\n",
            Size::Script => "  \\scriptsize\\setlength{\\tabcolsep}{3pt}\n",
        }
    }
}

/// The heads over several columns, each with a rule under it.
fn groups(groups: &[Group]) -> String {
    let (mut cells, mut rules, mut first) = (Vec::new(), String::new(), 1);
    for Group { head, columns } in groups {
        cells.push(match head.is_empty() {
            true => " & ".repeat(columns.saturating_sub(1)),
            false => format!("\\multicolumn{{{columns}}}{{c}}{{{}}}", escape(head)),
        });
        if !head.is_empty() {
            rules.push_str(&format!(" \\cmidrule(lr){{{first}-{}}}", first + columns - 1));
        }
        first += columns;
    }
    match groups.is_empty() {
        true => String::new(),
        false => format!("    {} \\\\\n   {rules}\n", cells.join(" & ")),
    }
}

fn letter(align: Align) -> char {
    match align {
        Align::Left => 'l',
        Align::Right => 'r',
    }
}

/// The columns in which some score has a mark.
fn marked_columns(table: &Table) -> Vec<bool> {
    let is_marked = |column: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        cells.any(|cell| matches!(cell, Cell::Score(score) if score.mark != Significance::None))
    };
    (0..table.columns.len()).map(is_marked).collect()
}

fn cell(cell: &Cell, marked: bool, tight: bool) -> String {
    match cell {
        Cell::Text(text) | Cell::Head(text) => escape(text),
        Cell::Again(_) => String::new(),
        Cell::Method { name, .. } => escape(name),
        Cell::Score(score) => score_cell(score, marked, tight),
        Cell::Mean(mean) => mean_cell(mean),
        Cell::NotApplicable(_) => "--".to_owned(),
        Cell::Gap { failed, missing } => format!("\\textit{{{}}}", super::gap(*failed, *missing)),
    }
}

/// In a table in the smallest letters the spread is set smaller still.
fn score_cell(score: &ScoreCell, marked: bool, tight: bool) -> String {
    let mean = ranked(score.mean, score.rank);
    let spread = score.spread().map(number::percent).map(|spread| match tight {
        true => format!("{{\\tiny\\,$\\pm${spread}}}"),
        false => format!(" $\\pm$ {spread}"),
    });
    let n = score.shortfall().map_or_else(String::new, |n| format!(" ({})", escape(&n)));
    let mark = if marked { mark(score.mark) } else { "" };
    format!("{mean}{}{mark}{n}", spread.unwrap_or_default())
}

/// The arrow takes its room in every row, as marks do.
fn mean_cell(cell: &MeanCell) -> String {
    let arrow = match cell.change {
        Change::None => "",
        Change::Equal => "\\phantom{$\\uparrow$}",
        Change::Up => "$\\uparrow$",
        Change::Down => "$\\downarrow$",
    };
    ranked(cell.mean, cell.rank) + arrow
}

fn ranked(mean: f64, rank: Rank) -> String {
    let mean = escape(&number::percent(mean));
    match rank {
        Rank::Best => format!("\\textbf{{{mean}}}"),
        Rank::Second => format!("\\underline{{{mean}}}"),
        Rank::Other => mean,
    }
}

/// The mark takes its room in every row, so that digits stay in line.
fn mark(mark: Significance) -> &'static str {
    match mark {
        Significance::None => "\\phantom{$^{**}$}",
        Significance::Better { strongly: false } => "$^{*}$\\phantom{$^{*}$}",
        Significance::Better { strongly: true } => "$^{**}$",
        Significance::Worse { strongly: false } => "$^{\\dagger}$\\phantom{$^{*}$}",
        Significance::Worse { strongly: true } => "$^{\\dagger\\dagger}$",
    }
}

/// A text that prints as itself.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = None;
    for c in text.chars() {
        let repeated = previous.replace(c) == Some(c);
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '|' => out.push_str("$|$"),
            '"' => out.push_str("\\char34{}"),
            // After the end of a row a bracket or a star would be read as an argument of it.
            '[' | ']' | '*' => out.extend(['{', c, '}']),
            // Two of these in a row would become one other character.
            '-' | '`' | '\'' if repeated => out.extend(['{', c, '}']),
            '−' => out.push_str("$-$"),
            '–' => out.push_str("--"),
            '±' => out.push_str("$\\pm$"),
            '×' => out.push_str("$\\times$"),
            '↑' => out.push_str("$\\uparrow$"),
            '↓' => out.push_str("$\\downarrow$"),
            '†' => out.push_str("$\\dagger$"),
            '‡' => out.push_str("$\\ddagger$"),
            'Δ' => out.push_str("$\\Delta$"),
            c if c.is_control() => out.push(' '),
            ' '..='~' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' => out.push(c),
            c => out.push_str(&other(c)),
        }
    }
    out
}

/// Greek as mathematics, anything else as the document decides.
fn other(c: char) -> String {
    const GREEK: [(char, &str); 14] = [
        ('α', "alpha"),
        ('β', "beta"),
        ('γ', "gamma"),
        ('δ', "delta"),
        ('ε', "epsilon"),
        ('η', "eta"),
        ('θ', "theta"),
        ('λ', "lambda"),
        ('μ', "mu"),
        ('π', "pi"),
        ('ρ', "rho"),
        ('σ', "sigma"),
        ('τ', "tau"),
        ('ω', "omega"),
    ];
    match GREEK.iter().find(|(letter, _)| *letter == c) {
        Some((_, name)) => format!("$\\{name}$"),
        None => format!("\\tailgridchar{{{c}}}{{U+{:04X}}}", c as u32),
    }
}
