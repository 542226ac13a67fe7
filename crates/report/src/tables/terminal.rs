//! Tables on a terminal: columns under each other, two spaces apart.
//!
//! In files and pipes every row is one line. On a terminal no line is longer than the terminal is
//! wide, if the table can be set so: words continue in the next line of their column, and where
//! that is not enough, further columns follow below, each part with the names of its rows.

use super::{Align, Table, TextMarkup};
use domain::printable;

const INDENT: &str = "  ";
/// What is between two columns.
const GAP: &str = "  ";
/// No column of words is made narrower than this.
const NARROWEST: usize = 20;

/// Title, cautions, rows and caption, as far as the table has them; `width` is that of the
/// terminal, if there is one.
pub fn render(table: &Table, width: Option<usize>) -> String {
    let title = (!table.title.is_empty()).then(|| printable(&table.title));
    let cautions = table.cautions.iter().map(|caution| format!("{INDENT}{}", printable(caution)));
    let above: String = title.into_iter().chain(cautions).map(|line| line + "\n").collect();
    let below = match table.caption.is_empty() {
        true => String::new(),
        false => format!("\n{}\n", printable(&table.caption)),
    };
    paragraphs(&above, width) + &rows(table, INDENT, width) + &paragraphs(&below, width)
}

/// The rows under their heads and nothing else, with this before each line.
pub fn rows(table: &Table, indent: &str, width: Option<usize>) -> String {
    let mut grid = TextGrid::new(table);
    let parts = match width {
        Some(width) => grid.fit(width.saturating_sub(indent.len())),
        None => vec![(0..grid.widths.len()).collect()],
    };
    parts.iter().map(|part| grid.lines(part, indent)).collect::<Vec<_>>().join("\n")
}

/// The texts of a table, and how wide its columns are set.
struct TextGrid<'t> {
    table: &'t Table,
    /// The heads first, if there are any. A row without cells is an empty line.
    rows: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl<'t> TextGrid<'t> {
    fn new(table: &'t Table) -> Self {
        let heads: Vec<String> = table.columns.iter().map(|c| printable(&c.head)).collect();
        let mut rows: Vec<Vec<String>> = Vec::new();
        rows.extend(heads.iter().any(|head| !head.is_empty()).then_some(heads));
        for (index, row) in table.rows.iter().enumerate() {
            rows.extend((row.ruled && index > 0).then(Vec::new));
            rows.push(row.cells.iter().map(|cell| cell.text(&MARKUP)).collect());
        }
        let widest = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|t| length(t)).max();
        let widths = (0..table.columns.len()).map(|c| widest(c).unwrap_or(0)).collect();
        Self { table, rows, widths }
    }

    /// Breaks words into lines as far as that is needed, and gives the columns that are then set
    /// beside each other, part after part; all of them in one if there is room.
    fn fit(&mut self, room: usize) -> Vec<Vec<usize>> {
        let least: Vec<usize> = (0..self.widths.len()).map(|c| self.least(c)).collect();
        let whole = self.widths.clone();
        while total(&self.widths) > room {
            let wide = (0..whole.len()).filter(|c| self.widths[*c] > least[*c]);
            let Some(widest) = wide.max_by_key(|c| self.widths[*c]) else {
                // In parts below each other columns have more room.
                let names = self.names(&least, room);
                let beside = room.saturating_sub(total(&whole[..names]) + GAP.len());
                let fit = |(width, least): (&usize, &usize)| *width.min(&beside.max(*least));
                self.widths = whole.iter().zip(&least).map(fit).collect();
                return self.parts(names, room);
            };
            self.widths[widest] -= 1;
        }
        vec![(0..whole.len()).collect()]
    }

    /// The least width of a column. Numbers stay on one line, and the first column has the names of
    /// the rows.
    fn least(&self, column: usize) -> usize {
        if column == 0 || self.table.columns[column].align == Align::Right {
            return self.widths[column];
        }
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let words = cells.flat_map(|cell| cell.split(' ')).map(length);
        words.max().unwrap_or(0).max(NARROWEST)
    }

    /// How many columns name the rows: those of words before the first numbers, if each other
    /// column fits beside them.
    fn names(&self, least: &[usize], room: usize) -> usize {
        let words = self.table.columns.iter().take_while(|c| c.align == Align::Left).count();
        let others = words..self.widths.len();
        let widest = others.map(|c| self.widths[c].min(least[c])).max();
        let fits = |width| total(&self.widths[..words]) + GAP.len() + width <= room;
        if widest.is_some_and(fits) { words.max(1) } else { 1 }
    }

    /// The columns of each part; the first ones stand in every part.
    fn parts(&self, names: usize, room: usize) -> Vec<Vec<usize>> {
        let mut parts = Vec::new();
        let mut part: Vec<usize> = Vec::new();
        for column in 0..self.widths.len() {
            let with: Vec<usize> = part.iter().chain([&column]).map(|c| self.widths[*c]).collect();
            // A part of names alone would not be worth its lines.
            if total(&with) > room && part.len() > names {
                parts.push(std::mem::replace(&mut part, (0..names).collect()));
            }
            part.push(column);
        }
        parts.push(part);
        parts
    }

    fn lines(&self, columns: &[usize], indent: &str) -> String {
        let rows = self.rows.iter().map(|row| self.row(row, columns, indent));
        self.groups(columns, indent) + &rows.collect::<String>()
    }

    /// The heads of groups, each where its first column of the part begins.
    fn groups(&self, columns: &[usize], indent: &str) -> String {
        let groups = self.table.groups.iter().enumerate();
        let group_of: Vec<usize> =
            groups.flat_map(|(k, group)| std::iter::repeat_n(k, group.columns)).collect();
        let (mut line, mut start, mut before) = (String::new(), 0, None);
        for column in columns {
            let group = group_of.get(*column);
            let head = group.filter(|_| group != before).map(|k| &self.table.groups[*k].head);
            if let Some(head) = head.filter(|head| !head.is_empty()) {
                let least = if line.is_empty() { 0 } else { GAP.len() };
                let gap = start.max(length(&line) + least) - length(&line);
                line += &format!("{:gap$}{}", "", printable(head));
            }
            before = group;
            start += self.widths[*column] + GAP.len();
        }
        if line.is_empty() { line } else { format!("{indent}{line}\n") }
    }

    /// A row in as many lines as its longest cell needs.
    fn row(&self, row: &[String], columns: &[usize], indent: &str) -> String {
        let text = |c: &usize| row.get(*c).map_or("", String::as_str);
        let cells: Vec<Vec<&str>> =
            columns.iter().map(|c| broken(text(c), self.widths[*c])).collect();
        let line = |at: usize| {
            let cell = |(lines, c): (&Vec<&str>, &usize)| {
                let (text, width) = (lines.get(at).copied().unwrap_or_default(), self.widths[*c]);
                match self.table.columns[*c].align {
                    Align::Right => format!("{text:>width$}"),
                    Align::Left => format!("{text:width$}"),
                }
            };
            let cells: Vec<String> = cells.iter().zip(columns).map(cell).collect();
            format!("{}\n", format!("{indent}{}", cells.join(GAP)).trim_end())
        };
        (0..cells.iter().map(Vec::len).max().unwrap_or(0)).map(line).collect()
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// How long a line of so wide columns is.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

/// Lines of words; those that are longer than the terminal is wide are broken at spaces and
/// continue with a further indent.
pub fn paragraphs(text: &str, width: Option<usize>) -> String {
    match width {
        Some(width) => text.lines().map(|line| paragraph(line, width)).collect(),
        None => text.to_owned(),
    }
}

fn paragraph(line: &str, width: usize) -> String {
    let words = line.trim_start_matches(' ');
    let indent = &line[..line.len() - words.len()];
    let further = match indent {
        "" => String::new(),
        _ => format!("{indent}{GAP}"),
    };
    let broken = broken(words, width.saturating_sub(further.len()));
    let before = std::iter::once(indent).chain(std::iter::repeat(&*further));
    broken.iter().zip(before).map(|(part, indent)| format!("{indent}{part}\n")).collect()
}

/// A text in lines of at most so many characters, where its spaces allow that; at least one line.
fn broken(text: &str, width: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while length(rest) > width {
        let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
        let space = rest[..end].rfind(' ').filter(|_| !rest[end..].starts_with(' '));
        let end = if rest[end..].starts_with(' ') { Some(end) } else { space };
        // A word that is too long has a line of its own.
        let Some(end) = end.filter(|end| *end > 0).or_else(|| rest.find(' ').filter(|at| *at > 0))
        else {
            break;
        };
        found.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    found.push(rest);
    found
}

const MARKUP: TextMarkup =
    TextMarkup { escape: printable, ranked: |mean, _| mean, gap: |words| words };

#[cfg(test)]
mod tests {
    use super::super::Group;
    use super::*;

    const LEFT: Align = Align::Left;
    const RIGHT: Align = Align::Right;

    /// A table without heads; columns that are not named lean to the left.
    fn table(sides: &[Align], texts: &[&[&str]]) -> Table {
        let row = |row: &&[&str]| row.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let mut table = Table::list(texts.iter().map(row));
        table.columns.iter_mut().zip(sides).for_each(|(column, side)| column.align = *side);
        table
    }

    fn within(width: usize, table: &Table) -> Vec<String> {
        rows(table, INDENT, Some(width)).lines().map(str::to_owned).collect()
    }

    #[test]
    fn columns_lean_on_their_sides() {
        let texts: [&[&str]; 3] = [&["a", "1", "x"], &[], &["bc", "20", ""]];
        assert_eq!(rows(&table(&[], &texts), " ", None), " a   1   x\n\n bc  20\n");
        assert_eq!(rows(&table(&[LEFT, RIGHT], &texts), "", None), "a    1  x\n\nbc  20\n");
        assert_eq!(rows(&table(&[], &[]), "", Some(24)), "");
    }

    #[test]
    fn what_is_too_wide_continues_below_under_the_names_of_its_rows() {
        let heads = [("method", LEFT), ("mean", RIGHT), ("difference", RIGHT)];
        let texts = [["a", "1", "x"], ["bc", "20", ""]].map(|row| row.map(str::to_owned));
        let (title, cautions) = ("Title".to_owned(), vec!["caution: few seeds".to_owned()]);
        let mut table = Table { title, cautions, ..Table::of_texts(heads, texts) };
        insta::assert_snapshot!(render(&table, None), @r"
        Title
          caution: few seeds
          method  mean  difference
          a          1           x
          bc        20
        ");
        insta::assert_snapshot!(render(&table, Some(20)), @r"
        Title
          caution: few
            seeds
          method  mean
          a          1
          bc        20

          method  difference
          a                x
          bc
        ");
        // However narrow the terminal is, each part has a column.
        assert_eq!(render(&table, Some(1)).matches("method").count(), 2);
        (table.rows[1].ruled, table.caption) = (true, "Differences in points.".to_owned());
        table.groups = [("", 1), ("scores", 2)]
            .map(|(head, columns)| Group { head: head.to_owned(), columns })
            .to_vec();
        insta::assert_snapshot!(render(&table, Some(20)), @r"
        Title
          caution: few
            seeds
                  scores
          method  mean
          a          1

          bc        20

                  scores
          method  difference
          a                x

          bc

        Differences in
        points.
        ");
    }

    #[test]
    fn every_part_has_all_columns_that_name_the_rows() {
        let texts: [&[&str]; 2] =
            [&["method", "against", "mean", "verdict"], &["scr", "sc", "65.41", "above"]];
        let table = table(&[LEFT, LEFT, RIGHT, RIGHT], &texts);
        let expected = [
            "  method  against   mean",
            "  scr     sc       65.41",
            "",
            "  method  against  verdict",
            "  scr     sc         above",
        ];
        assert_eq!(within(26, &table), expected);
        assert_eq!(within(18, &table).len(), 8, "where they leave no room, the first alone");
    }

    #[test]
    fn words_go_on_in_their_column_where_a_line_would_be_too_long() {
        let texts: [&[&str]; 2] = [
            &["scr", "sentences with rare types are repeated more often", "{resample: scr}"],
            &["focal", "a loss", "{loss: focal}"],
        ];
        let table = table(&[], &texts);
        let expected = [
            "  scr    sentences with rare   {resample: scr}",
            "         types are repeated",
            "         more often",
            "  focal  a loss                {loss: focal}",
        ];
        assert_eq!(within(46, &table), expected);
        assert_eq!(within(200, &table).len(), 2);
        assert_eq!(rows(&table, INDENT, None).lines().count(), 2);
    }

    #[test]
    fn no_line_is_longer_than_the_terminal_unless_a_name_is() {
        let cells =
            ["original", "5 (2 missing)", "−9.16", "[−0.02, +19.98]", "no difference shown"];
        let row: Vec<&str> = (0..20).map(|c| cells[c % 5]).collect();
        let sides: Vec<Align> = (0..20).map(|c| if c % 5 == 0 { LEFT } else { RIGHT }).collect();
        let table = table(&sides, &[&row, &row]);
        for width in 31..200 {
            for line in within(width, &table) {
                assert!(length(&line) <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn lines_of_words_keep_their_indent() {
        assert_eq!(paragraph("  focal: a loss", 12), "  focal: a\n    loss\n");
        assert_eq!(paragraph("one two", 5), "one\ntwo\n");
        assert_eq!(paragraph("", 5), "\n");
        let line = "a line that no terminal breaks\n";
        assert_eq!(paragraphs(line, None), line);
    }

    #[test]
    fn texts_break_at_spaces() {
        assert_eq!(broken("", 5), [""]);
        assert_eq!(broken("one two", 7), ["one two"]);
        assert_eq!(broken("one two", 6), ["one", "two"]);
        assert_eq!(broken("one two", 3), ["one", "two"]);
        assert_eq!(broken("élève x", 5), ["élève", "x"]);
        assert_eq!(broken("incomprehensible a", 5), ["incomprehensible", "a"]);
    }
}
