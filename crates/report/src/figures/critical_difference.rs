//! The critical-difference diagram (Demšar 2006): mean ranks of the methods across corpora on an
//! axis, bars over those that Nemenyi's test cannot tell apart.

use super::facets;
use super::font;
use super::palette::{self, INK, PAPER, QUIET};
use super::scene::{Anchor, Scene, Spot, Text, at};
use super::{Draft, FigurePlace, Material};
use analysis::GridView;
use analysis::comparison::{AcrossCorpora, RankedMethod};
use analysis::measure;

const MARGIN: f64 = 24.0;
const AXIS_WIDTH: f64 = 440.0;
/// Between lines of names, and between bars.
const LINE: f64 = 22.0;
const BAR: f64 = 9.0;
const SIZE: f64 = 12.0;
/// The widest name.
const WIDEST: f64 = 200.0;
/// The bar of the critical difference, and the axis.
const CD_TOP: f64 = 92.0;
const AXIS_TOP: f64 = 128.0;

/// One figure a ranking.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let draft = |found: &AcrossCorpora| {
        let AcrossCorpora { scenario, model, corpora, critical_difference, .. } = found;
        let metric = measure::title(material.board.metric);
        let scenario_words =
            if scenario == "full" { String::new() } else { format!(", {scenario}") };
        let title = format!("Mean ranks across corpora: {model}{scenario_words}");
        let subtitle = format!(
            "{metric} on {} corpora; methods under one bar cannot be told apart (Nemenyi, level {})",
            corpora.len(),
            found.alpha
        );
        Draft {
            parts: vec!["critical-difference".to_owned(), scenario.clone(), model.clone()],
            place: FigurePlace::Overall,
            description: description(found),
            caption: format!(
                "{}Rank 1 is the best. Mean ranks that lie more than the critical difference \
                 ({critical_difference:.2}) apart differ; bars join those that do not.{}",
                found.cautions.iter().map(|text| format!("Caution: {text}. ")).collect::<String>(),
                found.caution.as_ref().map_or_else(String::new, |caution| format!(" {caution}"))
            ),
            scene: scene(material.view, found, (&title, &subtitle)),
            title,
        }
    };
    material.rankings.iter().map(draft).collect()
}

fn description(found: &AcrossCorpora) -> String {
    let rank = |ranked: &RankedMethod| format!("{} {:.2}", ranked.method, ranked.mean_rank);
    let ranks: Vec<String> = found.methods.iter().map(rank).collect();
    format!(
        "Mean ranks over {} corpora, the best first: {}. Critical difference {:.2}.",
        found.corpora.len(),
        ranks.join(", "),
        found.critical_difference
    )
}

/// The axis of ranks.
struct RankAxis {
    left: f64,
    ranks: f64,
}

impl RankAxis {
    fn x(&self, rank: f64) -> f64 {
        self.left + (rank - 1.0) / (self.ranks - 1.0).max(1.0) * AXIS_WIDTH
    }
}

/// A bar over methods that cannot be told apart.
struct RankBar {
    from: f64,
    to: f64,
}

fn scene(view: &GridView, found: &AcrossCorpora, headings: (&str, &str)) -> Scene {
    let names: Vec<String> =
        found.methods.iter().map(|m| font::fit_name(&m.method, SIZE, false, WIDEST)).collect();
    let half = names.len().div_ceil(2);
    let widest = |names: &[String]| {
        names.iter().map(|name| font::width(name, SIZE, false)).fold(60.0, f64::max) + 56.0
    };
    let (left_room, right_room) = (widest(&names[..half]), widest(&names[half..]));
    let axis = RankAxis { left: MARGIN + left_room, ranks: names.len() as f64 };
    let bars = bars(found);
    let lines_top = AXIS_TOP + 22.0 + bars.len() as f64 * BAR;
    let mut scene = Scene {
        width: axis.left + AXIS_WIDTH + right_room + MARGIN,
        height: lines_top + half as f64 * LINE + 18.0,
        shapes: Vec::new(),
    };
    facets::headings(&mut scene, headings.0, headings.1);
    critical_difference(&mut scene, &axis, found.critical_difference);
    ticks(&mut scene, &axis);
    for (place, (ranked, name)) in found.methods.iter().zip(names).enumerate() {
        let is_left = place < half;
        // The outermost name of either side hangs highest, so that no two lines cross.
        let line = if is_left { place } else { found.methods.len() - 1 - place };
        let y = lines_top + line as f64 * LINE + 8.0;
        method(&mut scene, view, &axis, ranked, (name, is_left, y));
    }
    for (level, bar) in bars.iter().enumerate() {
        let y = AXIS_TOP + 12.0 + level as f64 * BAR;
        let (from, to) = (at(axis.x(bar.from) - 5.0, y), at(axis.x(bar.to) + 5.0, y));
        scene.path(vec![from, to], 7.0, PAPER);
        scene.path(vec![from, to], 4.0, QUIET);
    }
    scene
}

fn bars(found: &AcrossCorpora) -> Vec<RankBar> {
    let rank = |name: &String| {
        found.methods.iter().find(|m| m.method == *name).map(|method| method.mean_rank)
    };
    let bar = |group: &Vec<String>| {
        let ranks: Vec<f64> = group.iter().filter_map(rank).collect();
        let from = ranks.iter().copied().fold(f64::INFINITY, f64::min);
        RankBar { from, to: ranks.iter().copied().fold(f64::NEG_INFINITY, f64::max) }
    };
    let groups = found.groups.iter().filter(|group| group.len() > 1);
    groups.map(bar).filter(|bar| bar.from <= bar.to).collect()
}

/// How far apart ranks must lie, as a bar from the best rank on.
fn critical_difference(scene: &mut Scene, axis: &RankAxis, difference: f64) {
    let end = axis.x(1.0 + difference).min(axis.left + AXIS_WIDTH);
    let is_cut = axis.x(1.0 + difference) > axis.left + AXIS_WIDTH + 0.5;
    let (from, to) = (at(axis.left, CD_TOP), at(end, CD_TOP));
    scene.path(vec![from, to], 1.6, INK);
    let ends: &[Spot] = if is_cut { &[from] } else { &[from, to] };
    for end in ends {
        scene.path(vec![at(end.x, end.y - 4.0), at(end.x, end.y + 4.0)], 1.6, INK);
    }
    if is_cut {
        let wings = [at(to.x - 7.0, to.y - 4.0), at(to.x - 7.0, to.y + 4.0)];
        scene.polygon(vec![to, wings[0], wings[1]], INK);
    }
    let words = format!("critical difference {difference:.2}");
    let start = at(axis.left, CD_TOP - 8.0);
    scene.text(Text::new(words, start, 11.5, QUIET));
}

fn ticks(scene: &mut Scene, axis: &RankAxis) {
    let ranks = axis.ranks as usize;
    let step = ranks.div_ceil(16).max(1);
    scene.path(vec![at(axis.left, AXIS_TOP), at(axis.left + AXIS_WIDTH, AXIS_TOP)], 1.4, INK);
    for rank in (1..=ranks).filter(|rank| (rank - 1) % step == 0 || *rank == ranks) {
        let x = axis.x(rank as f64);
        scene.path(vec![at(x, AXIS_TOP - 5.0), at(x, AXIS_TOP)], 1.4, INK);
        // The last number may lie too close to the one before it.
        if rank != ranks || (ranks - 1).is_multiple_of(step) {
            let text = Text::new(rank.to_string(), at(x, AXIS_TOP - 9.0), 11.5, QUIET);
            scene.text(text.anchored(Anchor::Middle));
        }
    }
}

/// A name with its rank, and the line from it to the axis.
fn method(
    scene: &mut Scene,
    view: &GridView,
    axis: &RankAxis,
    ranked: &RankedMethod,
    (name, is_left, y): (String, bool, f64),
) {
    let look = view.look(&ranked.method);
    let x = axis.x(ranked.mean_rank);
    let end = if is_left { axis.left - 14.0 } else { axis.left + AXIS_WIDTH + 14.0 };
    let corners = vec![at(x, AXIS_TOP), at(x, y), at(end, y)];
    let tip = format!("{}: mean rank {:.2}", ranked.method, ranked.mean_rank);
    scene.tipped(tip, |scene| {
        scene.dashed(corners, palette::dashes(look), 1.6, palette::method(look));
    });
    let (anchor, away) = if is_left { (Anchor::End, -6.0) } else { (Anchor::Start, 6.0) };
    let rank = format!("{:.2}", ranked.mean_rank);
    let rank_width = font::width(&rank, 10.5, false) + 8.0;
    let start = at(end + away, y + 4.0);
    scene.text(Text::new(rank, start, 10.5, QUIET).anchored(anchor));
    let beyond = if is_left { start.x - rank_width } else { start.x + rank_width };
    scene.text(Text::new(name, at(beyond, y + 4.0), SIZE, INK).anchored(anchor));
}
