//! What each method gains by type, against how rare the type is in training (Tables 11 to 14 of
//! wang2022 as a picture): a mark a method and type, the zero line is the baseline.

use super::facets;
use super::frame::{self, Frame};
use super::labels::{self, Labels};
use super::legend::{self, Legend, LegendSample};
use super::palette::{CONTOUR, INK, Mark, QUIET};
use super::scale::{AxisScale, AxisUnit};
use super::scene::{Area, Scene, Text, at};
use super::{Draft, FigurePlace, Material, cautioned, font};
use analysis::by_type::{self, Class};
use analysis::comparison::Comparison;
use analysis::number;
use analysis::{GridView, Panel};

/// Models of one figure.
const MOST_MODELS: usize = 4;
/// No axis of gains is shorter.
const SHORTEST: f64 = 0.04;
/// The part of a frame above the marks that is for the names of types.
const NAMES: f64 = 0.2;
const SMALL: f64 = 10.5;
const RADIUS: f64 = 3.6;

/// One type with what methods do to it.
struct TypeGains<'a> {
    name: String,
    /// Of the training tokens.
    share: f64,
    /// In F1, over the seeds that both have.
    gains: Vec<(&'a str, f64)>,
}

struct ModelGains<'a> {
    model: &'a str,
    types: Vec<TypeGains<'a>>,
}

/// One figure a panel, as far as shares of types and a baseline are known.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let view = material.view;
    let Some(baseline) = view.baseline.as_deref() else { return Vec::new() };
    let mut drafts = Vec::new();
    for panel in view.panels() {
        let models = material.types.averages.models(view, &panel);
        let of_model = |model| of_model(material, &panel, model, baseline);
        let found: Vec<ModelGains<'_>> = models.into_iter().filter_map(of_model).collect();
        drafts.extend(
            found.chunks(MOST_MODELS).map(|found| draft(material, &panel, found, baseline)),
        );
    }
    drafts
}

/// The types of one model; `None` where no gain is known.
fn of_model<'a>(
    material: &Material<'a>,
    panel: &Panel,
    model: &'a str,
    baseline: &str,
) -> Option<ModelGains<'a>> {
    let Material { view, types: board, .. } = *material;
    let base = board.sample(panel, model, baseline);
    let methods = board.methods(view, panel, model).into_iter();
    let others: Vec<_> = methods
        .filter(|method| !view.is_baseline(method))
        .map(|method| (method, board.sample(panel, model, method)))
        .collect();
    let one_type = |class: Class| {
        let share = base.share(&class).filter(|share| *share > 0.0)?;
        let gain = |(method, sample): &(&'a str, by_type::Sample<'_>)| {
            let own = sample.paired_with(&base).mean(&class)?;
            Some((*method, own.f1 - base.paired_with(sample).mean(&class)?.f1))
        };
        let gains: Vec<(&str, f64)> = others.iter().filter_map(gain).collect();
        let name = class.title().to_owned();
        (!gains.is_empty()).then_some(TypeGains { name, share, gains })
    };
    let types: Vec<TypeGains<'a>> =
        by_type::types_of([&base]).into_iter().filter_map(one_type).collect();
    (!types.is_empty()).then_some(ModelGains { model, types })
}

fn draft(
    material: &Material<'_>,
    panel: &Panel,
    found: &[ModelGains<'_>],
    baseline: &str,
) -> Draft {
    let view = material.view;
    let shown = |c: &&Comparison| c.is_on(panel) && found.iter().any(|of| of.model == c.model);
    let title = format!("Gain by rareness of the type on {}", panel.title());
    Draft {
        parts: vec!["rareness".to_owned(), panel.corpus.clone(), panel.scenario.clone()],
        description: format!(
            "Difference of each type's F1 from {baseline} (up) against the type's share of training tokens \
             (across, log scale), a mark a method, a frame a model."
        ),
        caption: cautioned(
            material.comparisons.iter().filter(shown),
            "Types left are rare. A method that helps where data is short has its marks above the line on \
             the left. Each mark is the mean over the seeds that both methods have; a type with few \
             entities in test moves in large steps."
                .to_owned(),
        ),
        scene: scene(view, found, &title, baseline),
        place: FigurePlace::Panel(panel.clone()),
        title,
    }
}

fn scene(view: &GridView, found: &[ModelGains<'_>], title: &str, baseline: &str) -> Scene {
    let types = || found.iter().flat_map(|found| &found.types);
    let shown: Vec<&str> =
        types().flat_map(|t| t.gains.iter().map(|(method, _)| *method)).collect();
    let legend = Legend::new(vec![legend::methods(view, &shown, LegendSample::Dot)]);
    let common = if let [one] = found { format!(" with {}", one.model) } else { String::new() };
    let subtitle = format!("Test F1 of each type{common}, difference from {baseline}");
    let inside = facets::inside(found.len());
    let (mut scene, areas) = facets::lay_out((title, &subtitle), found.len(), inside, &legend);
    let across = AxisScale::log(types().map(|t| t.share), AxisUnit::Percent);
    for (found, area) in found.iter().zip(areas) {
        let up = up(found);
        let frame = Frame { area, across, up };
        let heading = if common.is_empty() { found.model } else { "" };
        let titles = ("Share of training tokens (%, log scale)", "Difference in F1 (points)");
        frame.axes(&mut scene, heading, titles);
        plot(&mut scene, view, &frame, found);
    }
    scene
}

/// The gains and zero, with room above for names.
fn up(found: &ModelGains<'_>) -> AxisScale {
    let gains = found.types.iter().flat_map(|t| t.gains.iter().map(|(_, gain)| *gain));
    let scale = AxisScale::even(gains.chain([0.0]), SHORTEST, AxisUnit::Difference);
    AxisScale { high: scale.high + NAMES * (scale.high - scale.low), ..scale }
}

fn plot(scene: &mut Scene, view: &GridView, frame: &Frame, found: &ModelGains<'_>) {
    let Area { left, right, top, bottom } = frame.area;
    let zero = frame.spot(frame.across.low, 0.0).y;
    scene.path(vec![at(left, zero), at(right, zero)], 1.4, QUIET);
    let mut places = Labels::new(frame.area);
    for one in &found.types {
        let x = frame.spot(one.share, 0.0).x;
        for (_, gain) in &one.gains {
            places.keep_free(Area::around(frame.spot(one.share, *gain), RADIUS + 1.0));
        }
        let highest = one.gains.iter().map(|(_, gain)| *gain).fold(0.0, f64::max);
        let lowest = one.gains.iter().map(|(_, gain)| *gain).fold(0.0, f64::min);
        let ends = [lowest, highest].map(|gain| at(x, frame.spot(one.share, gain).y));
        scene.path(ends.to_vec(), 1.0, CONTOUR);
    }
    for one in &found.types {
        for (method, gain) in &one.gains {
            let spot = frame.spot(one.share, *gain);
            let tip = format!(
                "{method}, {}: {} at {} % of tokens",
                one.name,
                number::signed_percent(*gain),
                number::percent(one.share)
            );
            let mark = Mark::of_method(view.look(method));
            scene.tipped(tip, |scene| scene.mark(mark, spot, RADIUS));
        }
    }
    for one in &found.types {
        let x = frame.spot(one.share, 0.0).x;
        let name = font::fit_name(&one.name, SMALL, false, 110.0);
        let width = font::width(&name, SMALL, false);
        let start = (x - width / 2.0).clamp(left + 2.0, (right - width - 2.0).max(left + 2.0));
        let rows = (0..((bottom - top) / 13.0) as usize).map(|row| top + 12.0 + 13.0 * row as f64);
        let areas = rows.map(|y| labels::area_of(&name, at(start, y), SMALL, false));
        if let Some(area) = places.take(areas, 0) {
            scene.text(Text::new(name, labels::start_of(&area, SMALL), SMALL, INK));
        }
    }
    if found.types.is_empty() {
        frame::nothing(scene, &frame.area, "No type has a share");
    }
}
