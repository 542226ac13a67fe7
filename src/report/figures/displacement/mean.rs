//! A mean in the plane, and how sure it is.

use super::super::clip;
use super::super::plane::{FRAME, Plane};
use super::super::scene::{Paint, Scene, Spot};
use crate::report::view::Cell;
use crate::stats::{self, Ellipse};

/// Corners of a drawn ellipse.
const CORNERS: usize = 48;

/// Mean recall and precision over seeds, with their standard deviations.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Mean {
    pub recall: f64,
    pub precision: f64,
    recall_sd: f64,
    precision_sd: f64,
    /// Across recall, up precision; of enough seeds.
    pub ellipse: Option<Ellipse>,
}

impl Mean {
    /// How far its ellipse, or its bars, reach from it across and up.
    pub fn reach(&self) -> [f64; 2] {
        match self.ellipse {
            Some(Ellipse { axes: [a, b], .. }) => [a[0].hypot(b[0]), a[1].hypot(b[1])],
            None => [self.recall_sd, self.precision_sd],
        }
    }

    /// The mean of a cell; `None` where it has no score.
    pub fn of(cell: &Cell) -> Option<Self> {
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

    /// The same as a mere point.
    pub fn without_spread(self) -> Self {
        Self { recall_sd: 0.0, precision_sd: 0.0, ellipse: None, ..self }
    }

    /// Draws its ellipse, or bars where seeds are too few; `paint` is given how strong.
    pub fn draw_spread(&self, scene: &mut Scene, plane: &Plane, paint: impl Fn(f64) -> Paint) {
        match &self.ellipse {
            Some(ellipse) => {
                let spots = outline(plane, ellipse);
                scene.polygon(clip::polygon(spots.clone(), &FRAME), paint(0.09));
                for part in clip::path(&spots, &FRAME) {
                    scene.path(part, 1.0, paint(0.5));
                }
            }
            None => whiskers(scene, plane, self, paint(0.38)),
        }
    }
}

/// The corners of an ellipse, the first again at the end.
fn outline(plane: &Plane, ellipse: &Ellipse) -> Vec<Spot> {
    let Ellipse { centre, axes: [long, short] } = ellipse;
    let corner = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / CORNERS as f64).sin_cos();
        let along = |side: usize| centre[side] + cos * long[side] + sin * short[side];
        plane.open_spot(along(0), along(1))
    };
    (0..=CORNERS).map(corner).collect()
}

fn whiskers(scene: &mut Scene, plane: &Plane, mean: &Mean, paint: Paint) {
    let Mean { recall, precision, recall_sd, precision_sd, .. } = *mean;
    let across = [recall - recall_sd, recall + recall_sd].map(|r| plane.spot(r, precision));
    let up = [precision - precision_sd, precision + precision_sd].map(|p| plane.spot(recall, p));
    scene.path(across.to_vec(), 1.3, paint);
    scene.path(up.to_vec(), 1.3, paint);
}
