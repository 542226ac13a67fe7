//! A mean in the plane, and how sure it is.

use super::super::clip;
use super::super::frame::Frame;
use super::super::scene::{self, Paint, Scene, at};
use analysis::SeedCell;
use stats::{self, Ellipse};

/// Mean recall and precision over seeds, with their standard deviations.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PlaneMean {
    pub recall: f64,
    pub precision: f64,
    recall_sd: f64,
    precision_sd: f64,
    /// Across recall, up precision; of enough seeds.
    pub ellipse: Option<Ellipse>,
}

impl PlaneMean {
    /// How far its ellipse, or its bars, reach from it across and up.
    pub fn reach(&self) -> [f64; 2] {
        match self.ellipse {
            Some(Ellipse { axes: [a, b], .. }) => [a[0].hypot(b[0]), a[1].hypot(b[1])],
            None => [self.recall_sd, self.precision_sd],
        }
    }

    /// The mean of a cell; `None` where it has no score.
    pub fn of(cell: &SeedCell) -> Option<Self> {
        let (precision, recall): (Vec<f64>, Vec<f64>) =
            cell.scores().map(|(_, score)| (score.precision, score.recall)).unzip();
        let pairs: Vec<[f64; 2]> = recall
            .iter()
            .zip(&precision)
            .map(|(recall, precision)| [*recall, *precision])
            .collect();
        Some(Self {
            recall: stats::mean(&recall)?,
            precision: stats::mean(&precision)?,
            recall_sd: stats::sd(&recall).unwrap_or(0.0),
            precision_sd: stats::sd(&precision).unwrap_or(0.0),
            ellipse: stats::mean_ellipse(&pairs),
        })
    }

    /// Makes it a mere point.
    pub fn forget_spread(&mut self) {
        (self.recall_sd, self.precision_sd, self.ellipse) = (0.0, 0.0, None);
    }

    /// Draws its ellipse, or bars where seeds are too few; `paint` is given how strong.
    pub fn draw_spread(&self, scene: &mut Scene, plane: &Frame, paint: impl Fn(f64) -> Paint) {
        let Some(ellipse) = &self.ellipse else {
            return whiskers(scene, plane, self, paint(0.38));
        };
        let drawn = on_sheet(plane, ellipse);
        if plane.area.holds(&drawn.area()) {
            return scene.ellipse(drawn, paint(0.09), paint(0.5));
        }
        let spots = drawn.outline();
        scene.polygon(clip::polygon(spots.clone(), &plane.area), paint(0.09));
        for part in clip::path(&spots, &plane.area) {
            scene.path(part, 1.0, paint(0.5));
        }
    }
}

/// What is at a right angle in scores need not be on the sheet, whose axes have their own lengths.
fn on_sheet(plane: &Frame, ellipse: &Ellipse) -> scene::Ellipse {
    let Ellipse { centre, axes } = ellipse;
    let middle = plane.open_spot(centre[0], centre[1]);
    let axis = |[x, y]: [f64; 2]| {
        let end = plane.open_spot(centre[0] + x, centre[1] + y);
        at(end.x - middle.x, end.y - middle.y)
    };
    scene::Ellipse { centre: middle, axes: axes.map(axis) }
}

fn whiskers(scene: &mut Scene, plane: &Frame, mean: &PlaneMean, paint: Paint) {
    let PlaneMean { recall, precision, recall_sd, precision_sd, .. } = *mean;
    let across = [recall - recall_sd, recall + recall_sd].map(|r| plane.spot(r, precision));
    let up = [precision - precision_sd, precision + precision_sd].map(|p| plane.spot(recall, p));
    scene.path(across.to_vec(), 1.3, paint);
    scene.path(up.to_vec(), 1.3, paint);
}
