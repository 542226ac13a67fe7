//! A drawing as a list of shapes, in no format yet: figures make it, [`super::draw`] writes it as
//! SVG and PNG. Lengths are in units of a CSS pixel, y grows downwards.

use super::palette::{Colour, Fill, Mark, Marker, PAPER};

/// A place in a drawing.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Spot {
    pub x: f64,
    pub y: f64,
}

/// A short way to write a place.
pub fn at(x: f64, y: f64) -> Spot {
    Spot { x, y }
}

/// A whole drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

/// How something is painted.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Paint {
    pub colour: Colour,
    pub opacity: f64,
}

impl From<Colour> for Paint {
    fn from(colour: Colour) -> Self {
        Paint { colour, opacity: 1.0 }
    }
}

/// What can be drawn.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Path {
        spots: Vec<Spot>,
        width: f64,
        paint: Paint,
        /// Lengths of dash and gap in turn; none is a full line.
        dashes: &'static [f64],
    },
    Polygon {
        spots: Vec<Spot>,
        paint: Paint,
    },
    Circle {
        centre: Spot,
        radius: f64,
        paint: Paint,
    },
    Ellipse {
        ellipse: Ellipse,
        fill: Paint,
        rim: Paint,
    },
    Text(Text),
    /// Shapes that say something when they are pointed at.
    Tipped {
        tip: String,
        shapes: Vec<Shape>,
    },
}

/// A line of text.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    pub text: String,
    /// On the baseline.
    pub spot: Spot,
    pub size: f64,
    pub bold: bool,
    pub colour: Colour,
    pub anchor: Anchor,
    /// Reads from the bottom to the top.
    pub upright: bool,
}

/// Which part of a text its place is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Text {
    /// A plain text that starts at a place.
    pub fn new(text: impl Into<String>, spot: Spot, size: f64, colour: Colour) -> Self {
        let (bold, upright) = (false, false);
        Self { text: text.into(), spot, size, bold, colour, anchor: Anchor::Start, upright }
    }

    /// The same in the bold face.
    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// The same, anchored otherwise.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

impl Scene {
    /// Adds a text; nothing where it has no words.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            self.shapes.push(Shape::Text(text));
        }
    }

    /// Adds a line through places.
    pub fn path(&mut self, spots: Vec<Spot>, width: f64, paint: impl Into<Paint>) {
        self.shapes.push(Shape::Path { spots, width, paint: paint.into(), dashes: &[] });
    }

    /// Adds a line through places in a pattern of dashes and gaps.
    pub fn dashed(
        &mut self,
        spots: Vec<Spot>,
        dashes: &'static [f64],
        width: f64,
        paint: impl Into<Paint>,
    ) {
        self.shapes.push(Shape::Path { spots, width, paint: paint.into(), dashes });
    }

    /// Adds what `draw` adds, with words for whoever points at it.
    pub fn tipped(&mut self, tip: impl Into<String>, draw: impl FnOnce(&mut Scene)) {
        let first = self.shapes.len();
        draw(self);
        let shapes = self.shapes.split_off(first);
        self.shapes.push(Shape::Tipped { tip: tip.into(), shapes });
    }

    /// Adds a filled area.
    pub fn polygon(&mut self, spots: Vec<Spot>, paint: impl Into<Paint>) {
        self.shapes.push(Shape::Polygon { spots, paint: paint.into() });
    }

    /// Adds a filled rectangle.
    pub fn rectangle(&mut self, area: Area, paint: impl Into<Paint>) {
        let Area { left, top, right, bottom } = area;
        let corners = vec![at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
        self.polygon(corners, paint);
    }

    /// Adds a filled disc.
    pub fn circle(&mut self, centre: Spot, radius: f64, paint: impl Into<Paint>) {
        self.shapes.push(Shape::Circle { centre, radius, paint: paint.into() });
    }

    /// Adds an ellipse with a thin rim.
    pub fn ellipse(&mut self, ellipse: Ellipse, fill: Paint, rim: Paint) {
        self.shapes.push(Shape::Ellipse { ellipse, fill, rim });
    }

    /// Adds a mark.
    pub fn mark(&mut self, mark: Mark, centre: Spot, radius: f64) {
        let Mark { shape, fill, colour } = mark;
        self.shape(shape, centre, radius, colour);
        // What is cut out shows the ground.
        match fill {
            Fill::Solid => {}
            Fill::Hollow => self.shape(shape, centre, 0.58 * radius, PAPER),
            Fill::Dotted => {
                self.shape(shape, centre, 0.7 * radius, PAPER);
                self.shape(shape, centre, 0.36 * radius, colour);
            }
            Fill::Barred => self.cut(centre, [1.2 * radius, 0.22 * radius]),
            Fill::Split => self.cut(centre, [0.22 * radius, 1.2 * radius]),
            Fill::Quartered => {
                self.cut(centre, [1.2 * radius, 0.22 * radius]);
                self.cut(centre, [0.22 * radius, 1.2 * radius]);
            }
        }
    }

    /// Adds a mark with a thin rim of the ground's colour.
    pub fn rimmed(&mut self, mark: Mark, centre: Spot, radius: f64) {
        self.shape(mark.shape, centre, radius + 1.6, PAPER);
        self.mark(mark, centre, radius);
    }

    fn cut(&mut self, centre: Spot, [across, up]: [f64; 2]) {
        let Spot { x, y } = centre;
        let area = Area { left: x - across, right: x + across, top: y - up, bottom: y + up };
        self.rectangle(area, PAPER);
    }

    fn shape(&mut self, shape: Marker, centre: Spot, radius: f64, colour: Colour) {
        match corners(shape) {
            None => self.circle(centre, radius, colour),
            Some(corners) => {
                let spot = |[x, y]: [f64; 2]| at(centre.x + radius * x, centre.y + radius * y);
                self.polygon(corners.into_iter().map(spot).collect(), colour);
            }
        }
    }
}

/// The corners of a marker around 0, 0, as large as a disc of radius 1 looks; `None` for the disc.
fn corners(marker: Marker) -> Option<Vec<[f64; 2]>> {
    use std::f64::consts::{FRAC_PI_4, PI, TAU};
    let ring = |reaches: &[f64], turn: f64| {
        let count = reaches.len() as f64;
        let corner = |(k, reach): (usize, &f64)| {
            let (sin, cos) = (turn + TAU * k as f64 / count).sin_cos();
            [reach * sin, -reach * cos]
        };
        reaches.iter().enumerate().map(corner).collect::<Vec<_>>()
    };
    // A quarter of a plus: the outer corners of an arm and the inner one beside it.
    let (arm, inner) = (1.25f64.hypot(0.42), 0.42 * 2f64.sqrt());
    let lean = (0.42f64 / 1.25).atan();
    let plus = |turn: f64| {
        let quarter = |k: usize| {
            let middle = turn + TAU * k as f64 / 4.0;
            [(arm, middle - lean), (arm, middle + lean), (inner, middle + FRAC_PI_4)]
        };
        let corner = |(reach, angle): (f64, f64)| [reach * angle.sin(), -reach * angle.cos()];
        (0..4).flat_map(quarter).map(corner).collect::<Vec<_>>()
    };
    Some(match marker {
        Marker::Circle => return None,
        Marker::Square => ring(&[1.22; 4], FRAC_PI_4),
        Marker::Diamond => ring(&[1.3; 4], 0.0),
        Marker::Triangle => ring(&[1.35; 3], 0.0),
        Marker::Wedge => ring(&[1.35; 3], PI),
        Marker::Hexagon => ring(&[1.12; 6], 0.0),
        Marker::Star => ring(&[1.45, 0.62].repeat(5), 0.0),
        Marker::Plus => plus(0.0),
        Marker::Cross => plus(FRAC_PI_4),
        Marker::Bar => vec![[-1.3, -0.55], [1.3, -0.55], [1.3, 0.55], [-1.3, 0.55]],
    })
}

/// The texts among shapes.
pub fn texts(shapes: &[Shape]) -> Vec<&Text> {
    let mut found = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Text(text) => found.push(text),
            Shape::Tipped { shapes, .. } => found.extend(texts(shapes)),
            _ => {}
        }
    }
    found
}

impl Spot {
    /// The distance to another place.
    pub fn distance(self, other: Spot) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// The place that is `share` of the way to another one.
    pub fn towards(self, other: Spot, share: f64) -> Spot {
        at(self.x + (other.x - self.x) * share, self.y + (other.y - self.y) * share)
    }
}

/// An ellipse: the places `centre + cos t · axes[0] + sin t · axes[1]`, whatever the angle between
/// the two.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Ellipse {
    pub centre: Spot,
    pub axes: [Spot; 2],
}

impl Ellipse {
    /// Its corners where it is drawn by straight lines, the first again at the end.
    pub fn outline(&self) -> Vec<Spot> {
        const CORNERS: usize = 48;
        let Ellipse { centre, axes: [a, b] } = self;
        let corner = |k: usize| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / CORNERS as f64).sin_cos();
            at(centre.x + cos * a.x + sin * b.x, centre.y + cos * a.y + sin * b.y)
        };
        (0..=CORNERS).map(corner).collect()
    }

    /// The rectangle around it.
    pub fn area(&self) -> Area {
        let Ellipse { centre: Spot { x, y }, axes: [a, b] } = *self;
        let (across, up) = (a.x.hypot(b.x), a.y.hypot(b.y));
        Area { left: x - across, right: x + across, top: y - up, bottom: y + up }
    }

    /// Half its length and half its width, and how far the length is turned from the right,
    /// clockwise in radians: roots of the eigenvalues of `axes · axesᵀ`, and the direction of the
    /// first.
    pub fn main_axes(&self) -> ([f64; 2], f64) {
        let [a, b] = self.axes;
        let (xx, xy, yy) = (a.x * a.x + b.x * b.x, a.x * a.y + b.x * b.y, a.y * a.y + b.y * b.y);
        let (middle, reach) = ((xx + yy) / 2.0, ((xx - yy) / 2.0).hypot(xy));
        let halves = [middle + reach, middle - reach].map(|x| x.max(0.0).sqrt());
        (halves, (2.0 * xy).atan2(xx - yy) / 2.0)
    }
}

/// An upright rectangle.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// A square around a place.
    pub fn around(centre: Spot, reach: f64) -> Self {
        let Spot { x, y } = centre;
        Self { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach }
    }

    /// Its middle.
    pub fn middle(&self) -> Spot {
        at((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    /// Whether two areas share a point.
    pub fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether the other area lies inside.
    pub fn holds(&self, other: &Area) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    /// Whether a straight line passes through (Liang and Barsky's clipping).
    pub fn is_crossed_by(&self, from: Spot, to: Spot) -> bool {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let sides = [
            (-dx, from.x - self.left),
            (dx, self.right - from.x),
            (-dy, from.y - self.top),
            (dy, self.bottom - from.y),
        ];
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (p, q) in sides {
            if p == 0.0 {
                if q < 0.0 {
                    return false;
                }
            } else if p < 0.0 {
                enter = enter.max(q / p);
            } else {
                leave = leave.min(q / p);
            }
        }
        enter <= leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_areas_or_not() {
        let area = Area::around(at(0.0, 0.0), 1.0);
        assert!(area.is_crossed_by(at(-2.0, 0.0), at(2.0, 0.5)));
        assert!(!area.is_crossed_by(at(-2.0, 2.0), at(2.0, 1.5)));
        assert!(!area.is_crossed_by(at(2.0, 0.0), at(3.0, 0.0)));
    }

    #[test]
    fn the_main_axes_of_an_ellipse_meet_its_outline() {
        let ellipse = Ellipse { centre: at(3.0, -2.0), axes: [at(4.0, 1.0), at(0.5, 2.5)] };
        let ([long, short], turn) = ellipse.main_axes();
        let (sin, cos) = turn.sin_cos();
        for spot in ellipse.outline() {
            let (x, y) = (spot.x - 3.0, spot.y + 2.0);
            let (along, aside) = ((x * cos + y * sin) / long, (y * cos - x * sin) / short);
            assert!((along * along + aside * aside - 1.0).abs() < 1e-9, "{spot:?}");
            assert!(ellipse.area().holds(&Area::around(spot, 0.0)));
        }
    }
}
