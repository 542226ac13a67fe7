//! Differences from the baseline of every method (rows) on every corpus with every model (columns),
//! with the marks of their tests.

use super::facets;
use super::palette::{GAIN, GRID, INK, LOSS, PAPER, QUIET};
use super::scene::{Anchor, Area, Paint, Scene, Spot, Text, at};
use super::{Draft, FigurePlace, Material, cautioned, font};
use analysis::comparison::Comparison;
use analysis::number;
use analysis::{GridView, Panel};
use std::collections::{HashMap, HashSet};

/// Methods that a figure has room for.
const MOST_ROWS: usize = 120;
/// Columns of one figure.
const MOST_COLUMNS: usize = 14;
const MARGIN: f64 = 24.0;
const TOP: f64 = 76.0;
/// The height of a cell, and how wide it may be.
const CELL: f64 = 26.0;
const NARROW: f64 = 66.0;
const WIDE: f64 = 132.0;
/// So wide that cells are only as wide as their numbers.
const FULL: f64 = 900.0;
const SIZE: f64 = 11.5;
/// The widest name of a row, and the longest of a column that stands upright.
const WIDEST: f64 = 180.0;
const TALLEST: f64 = 150.0;
/// A group's title with the line below it.
const GROUP: f64 = 26.0;
/// Below the cells: the key of colours.
const BELOW: f64 = 58.0;
/// How strong the largest difference is painted: names stay readable on it.
const STRONGEST: f64 = 0.62;

/// One column.
struct MapColumn<'a> {
    panel: Panel,
    model: &'a str,
    /// What tells it from the others of its group.
    title: String,
    /// The panel, where there are several of several models; the columns of one stand side by side.
    group: Option<String>,
}

/// Comparisons with a difference by corpus, scenario, model and method.
type Tested<'a> = HashMap<[&'a str; 4], &'a Comparison>;

/// One figure for every so many columns.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let view = material.view;
    let Some(baseline) = view.baseline.as_deref() else { return Vec::new() };
    let known = material.comparisons.iter().filter(|c| c.difference.is_some());
    let tested: Tested<'_> =
        known.map(|c| ([&*c.corpus, &*c.scenario, &*c.model, &*c.method], c)).collect();
    let columns = columns(material, &tested);
    let cells = view.methods.len().saturating_sub(1) * columns.len();
    // One difference is a number, no map.
    if tested.is_empty() || cells < 2 {
        return Vec::new();
    }
    sheets(&columns)
        .into_iter()
        .map(|columns| draft(material, columns, &tested, baseline))
        .collect()
}

/// As many columns a figure as there is room for; the models of a panel stay together where they
/// can.
fn sheets<'c, 'a>(columns: &'c [MapColumn<'a>]) -> Vec<&'c [MapColumn<'a>]> {
    let mut sheets = Vec::new();
    let (mut first, mut end) = (0, 0);
    for panel in columns.chunk_by(|one, other| one.panel == other.panel) {
        if end > first && end - first + panel.len() > MOST_COLUMNS {
            sheets.extend(columns[first..end].chunks(MOST_COLUMNS));
            first = end;
        }
        end += panel.len();
    }
    sheets.extend(columns[first..end].chunks(MOST_COLUMNS));
    sheets
}

/// The models of every panel that have a difference.
fn columns<'a>(material: &Material<'a>, tested: &Tested<'_>) -> Vec<MapColumn<'a>> {
    let known: HashSet<[&str; 3]> =
        tested.keys().map(|[c, s, model, _]| [*c, *s, *model]).collect();
    let mut facets = facets::all(material.view, material.board);
    facets.retain(|f| known.contains(&[&*f.panel.corpus, &*f.panel.scenario, f.model]));
    let titles = facets::titles(&facets.iter().map(facets::Facet::parts).collect::<Vec<_>>());
    let panels = facets.iter().any(|facet| facet.panel != facets[0].panel);
    let models = facets.iter().any(|facet| facet.model != facets[0].model);
    let column = |(facet, title): (facets::Facet<'a>, String)| {
        let title = if panels && !models { title } else { facet.model.to_owned() };
        let group = (panels && models).then(|| facet.panel.title());
        MapColumn { panel: facet.panel, model: facet.model, title, group }
    };
    facets.into_iter().zip(titles.each).map(column).collect()
}

fn draft(
    material: &Material<'_>,
    columns: &[MapColumn<'_>],
    tested: &Tested<'_>,
    baseline: &str,
) -> Draft {
    let metric = material.board.metric.title();
    let title = format!("Differences in {metric} from {baseline}");
    let tests = match &material.view.stopping {
        Some(_) => "by the planned looks",
        None => "at p < 0.05 (Holm), doubled at p < 0.01",
    };
    let subtitle = format!("Points of test {metric}; * above, † below {tests}");
    let shown = |c: &&Comparison| {
        columns.iter().any(|column| c.is_on(&column.panel) && c.model == column.model)
    };
    Draft {
        parts: vec!["differences".to_owned()],
        place: FigurePlace::Overall,
        description: format!(
            "{title}: a row a method, a column for each model and corpus; significant ones are marked."
        ),
        caption: cautioned(
            material.comparisons.iter().filter(shown),
            format!(
                "Mean differences over the seeds that both methods have, in points. * above, † below {tests}, \
                 from two-sided paired t-tests; a dash is a combination that does not apply or has no score \
                 yet. A row of one colour is a method that does the same everywhere."
            ),
        ),
        scene: scene(material.view, columns, tested, (&title, &subtitle)),
        title,
    }
}

fn scene(
    view: &GridView,
    columns: &[MapColumn<'_>],
    tested: &Tested<'_>,
    (title, subtitle): (&str, &str),
) -> Scene {
    let of = |column: &MapColumn<'_>, method: &str| {
        let Panel { corpus, scenario } = &column.panel;
        tested.get(&[corpus.as_str(), scenario, column.model, method]).copied()
    };
    let has_any = |method: &&String| columns.iter().any(|column| of(column, method).is_some());
    let methods: Vec<&String> = view.methods.iter().filter(has_any).take(MOST_ROWS).collect();
    let names: Vec<String> =
        methods.iter().map(|name| font::fit_name(name, SIZE + 0.5, false, WIDEST)).collect();
    let widest = names.iter().map(|n| font::width(n, SIZE + 0.5, false)).fold(0.0, f64::max);
    let heads = heads(columns);
    let corner = at(MARGIN + widest.max(60.0) + 12.0, TOP + heads.height + 8.0);
    let (width, height) = (columns.len() as f64 * heads.cell, methods.len() as f64 * CELL);
    let least = font::width(subtitle, 12.0, false).max(font::width(title, 17.0, true));
    let mut scene = Scene {
        width: (corner.x + width + MARGIN).max(least.min(760.0) + 2.0 * MARGIN),
        height: corner.y + height + BELOW,
        shapes: Vec::new(),
    };
    facets::headings(&mut scene, title, subtitle);
    heads.draw(&mut scene, corner);
    let differences = tested.values().filter_map(|c| c.difference).map(f64::abs);
    let largest = differences.fold(0.001, f64::max);
    for (row, (method, name)) in methods.iter().zip(names).enumerate() {
        let top = corner.y + row as f64 * CELL;
        let start = at(corner.x - 10.0, top + CELL / 2.0 + 4.0);
        scene.text(Text::new(name, start, SIZE + 0.5, INK).anchored(Anchor::End));
        for (place, column) in columns.iter().enumerate() {
            let left = corner.x + place as f64 * heads.cell;
            let area = Area { left, top, right: left + heads.cell, bottom: top + CELL };
            cell(&mut scene, area, of(column, method), largest);
        }
    }
    key(&mut scene, at(corner.x, corner.y + height + 18.0), largest);
    scene
}

/// How strong a difference is painted, and in which colour.
fn paint(difference: f64, largest: f64) -> Paint {
    let colour = if difference > 0.0 { GAIN } else { LOSS };
    Paint { colour, opacity: STRONGEST * (difference.abs() / largest).min(1.0) }
}

fn cell(scene: &mut Scene, area: Area, found: Option<&Comparison>, largest: f64) {
    let middle = at(area.middle().x, area.middle().y + 4.0);
    let inner = Area {
        left: area.left + 1.0,
        top: area.top + 1.0,
        right: area.right - 1.0,
        bottom: area.bottom - 1.0,
    };
    let Some((found, difference)) = found.and_then(|c| Some((c, c.difference?))) else {
        scene.rectangle(inner, Paint { colour: GRID, opacity: 0.5 });
        scene.text(Text::new("–", middle, SIZE, QUIET).anchored(Anchor::Middle));
        return;
    };
    let mark = found.mark();
    scene.tipped(tip(found, difference), |scene| {
        scene.rectangle(inner, PAPER);
        scene.rectangle(inner, paint(difference, largest));
        let text = Text::new(number::signed_percent(difference) + mark, middle, SIZE, INK);
        let text = if mark.is_empty() { text } else { text.bold() };
        scene.text(text.anchored(Anchor::Middle));
    });
}

fn tip(found: &Comparison, difference: f64) -> String {
    let p = found.p_corrected.map_or_else(String::new, |p| {
        let p = number::p_value(p);
        if p.starts_with('<') { format!(", p {p}") } else { format!(", p = {p}") }
    });
    let Comparison { method, corpus, scenario, model, n, .. } = found;
    let difference = number::signed_percent(difference);
    let pairs = number::counted(*n, "seed");
    format!("{method} on {corpus}, {scenario}, {model}: {difference}{p}, {pairs}")
}

/// Titles above columns: in one line where they fit, else upright, and groups above them.
struct ColumnHeads {
    height: f64,
    /// How wide a column is.
    cell: f64,
    upright: bool,
    titles: Vec<String>,
    /// First and last column, and what they have in common.
    groups: Vec<(usize, usize, String)>,
}

fn heads(columns: &[MapColumn<'_>]) -> ColumnHeads {
    let width = |title: &str| font::width(title, SIZE, false);
    let widest = columns.iter().map(|column| width(&column.title)).fold(0.0, f64::max) + 14.0;
    let cell = widest.clamp(NARROW, WIDE);
    let upright = widest > WIDE || cell * columns.len() as f64 > FULL;
    let (cell, room) = if upright { (NARROW, TALLEST) } else { (cell, cell) };
    let titles: Vec<String> =
        columns.iter().map(|column| font::fit_name(&column.title, SIZE, false, room)).collect();
    let longest = titles.iter().map(|title| width(title)).fold(0.0, f64::max);
    let groups = groups(columns, cell);
    let above = if groups.is_empty() { 0.0 } else { GROUP };
    let height = above + if upright { longest + 4.0 } else { SIZE + 4.0 };
    ColumnHeads { height, cell, upright, titles, groups }
}

fn groups(columns: &[MapColumn<'_>], cell: f64) -> Vec<(usize, usize, String)> {
    let mut first = 0;
    let mut groups = Vec::new();
    for run in columns.chunk_by(|one, other| one.panel == other.panel) {
        if let Some(title) = &run[0].group {
            let room = run.len() as f64 * cell - 10.0;
            groups.push((first, first + run.len(), font::fit_name(title, SIZE, true, room)));
        }
        first += run.len();
    }
    groups
}

impl ColumnHeads {
    /// Above the cells, whose corner is given.
    fn draw(&self, scene: &mut Scene, corner: Spot) {
        for (place, title) in self.titles.iter().enumerate() {
            let middle = corner.x + (place as f64 + 0.5) * self.cell;
            let text = match self.upright {
                true => {
                    let start = at(middle + 4.0, corner.y - 8.0);
                    Text { upright: true, ..Text::new(title.clone(), start, SIZE, INK) }
                }
                false => Text::new(title.clone(), at(middle, corner.y - 8.0), SIZE, INK)
                    .anchored(Anchor::Middle),
            };
            scene.text(text);
        }
        let y = corner.y - 8.0 - self.height + GROUP;
        for (first, last, title) in &self.groups {
            let [left, right] = [*first, *last].map(|place| corner.x + place as f64 * self.cell);
            scene.path(vec![at(left + 4.0, y - 6.0), at(right - 4.0, y - 6.0)], 1.0, QUIET);
            let middle = at((left + right) / 2.0, y - 12.0);
            scene.text(Text::new(title.clone(), middle, SIZE, INK).bold().anchored(Anchor::Middle));
        }
    }
}

/// A strip from the largest loss to the largest gain.
fn key(scene: &mut Scene, corner: Spot, largest: f64) {
    const STEPS: usize = 21;
    const STEP: f64 = 9.0;
    for step in 0..STEPS {
        let difference = largest * (2.0 * step as f64 / (STEPS - 1) as f64 - 1.0);
        let left = corner.x + step as f64 * STEP;
        let area = Area { left, top: corner.y, right: left + STEP, bottom: corner.y + 10.0 };
        scene.rectangle(area, paint(difference, largest));
    }
    let width = STEPS as f64 * STEP;
    let ends =
        [(-largest, 0.0, Anchor::Start), (0.0, 0.5, Anchor::Middle), (largest, 1.0, Anchor::End)];
    for (value, share, anchor) in ends {
        let words = if value == 0.0 { "0".to_owned() } else { number::signed_percent(value) };
        let place = at(corner.x + share * width, corner.y + 25.0);
        scene.text(Text::new(words, place, 11.0, QUIET).anchored(anchor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_of_a_panel_stay_together_where_they_can() {
        let column = |(panel, models): &(usize, usize)| {
            let panel = Panel { corpus: panel.to_string(), scenario: "full".to_owned() };
            let one = || MapColumn {
                panel: panel.clone(),
                model: "m",
                title: String::new(),
                group: None,
            };
            (0..*models).map(|_| one()).collect::<Vec<_>>()
        };
        let sizes = |panels: &[(usize, usize)]| {
            let columns: Vec<MapColumn<'_>> = panels.iter().flat_map(column).collect();
            sheets(&columns).iter().map(|sheet| sheet.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[(1, 5), (2, 5), (3, 5), (4, 5)]), [10, 10]);
        assert_eq!(sizes(&[(1, 7), (2, 7), (3, 1)]), [14, 1]);
        assert_eq!(sizes(&[(1, 2), (2, 20), (3, 3)]), [2, 14, 6, 3]);
        assert!(sizes(&[]).is_empty());
    }
}
