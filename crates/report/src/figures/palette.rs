//! Colours, line patterns and marks: one look for a method everywhere, one shape for a model.
//!
//! The colours are those of Okabe and Ito, which people with any of the common colour-vision
//! deficiencies can tell apart, and a brown that is darker than all of them, so that the eight
//! treatments of wang2022 have one each. Where there are more methods than colours, the pattern of
//! a line and what is cut out of a mark tell them apart: 48 methods beside the baseline look
//! different, as lines and as marks.

/// A colour of the screen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// As CSS and SVG write it; the same letters as in the drawn figures, so that a page can find
    /// it.
    pub fn css(self) -> String {
        format!("#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// Text, axes and the baseline.
pub const INK: Colour = Colour(0x1B, 0x1F, 0x24);
/// Text of less weight.
pub const QUIET: Colour = Colour(0x5B, 0x65, 0x70);
/// Contours and their labels.
pub const CONTOUR: Colour = Colour(0xAE, 0xB6, 0xBF);
/// Grid lines and frames.
pub const GRID: Colour = Colour(0xE6, 0xE9, 0xED);
/// The ground.
pub const PAPER: Colour = Colour(0xFF, 0xFF, 0xFF);

/// What a drawing lies on. A scene is made for paper; on a dark ground its neutral colours change
/// places, and those of methods stay as they are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Theme {
    Light,
    Dark,
}

/// Neutral colours of paper, with those of the dark ground: the ones of the page's style sheet.
const DARK: [(Colour, Colour); 5] = [
    (INK, Colour(0xE9, 0xED, 0xF1)),
    (QUIET, Colour(0xA3, 0xAF, 0xBA)),
    (CONTOUR, Colour(0x6B, 0x78, 0x85)),
    (GRID, Colour(0x2A, 0x32, 0x3B)),
    (PAPER, Colour(0x1A, 0x20, 0x27)),
];

impl Theme {
    pub const ALL: [Theme; 2] = [Theme::Light, Theme::Dark];

    /// What a file of this theme has at the end of its name.
    pub fn suffix(self) -> &'static str {
        match self {
            Theme::Light => "",
            Theme::Dark => "-dark",
        }
    }

    /// A colour of a scene as it is drawn.
    pub fn colour(self, colour: Colour) -> Colour {
        let other = DARK.iter().find(|(light, _)| self == Theme::Dark && *light == colour);
        other.map_or(colour, |(_, dark)| *dark)
    }
}

/// A gain and a loss, where no method's colour is meant.
pub const GAIN: Colour = Colour(0x00, 0x72, 0xB2);
pub const LOSS: Colour = Colour(0xD5, 0x5E, 0x00);

/// Okabe and Ito's colours; yellow, the weakest on white, last but for the brown.
const METHODS: [Colour; 8] = [
    Colour(0x00, 0x72, 0xB2),
    Colour(0xD5, 0x5E, 0x00),
    Colour(0x00, 0x9E, 0x73),
    Colour(0xCC, 0x79, 0xA7),
    Colour(0xE6, 0x9F, 0x00),
    Colour(0x56, 0xB4, 0xE9),
    Colour(0xD9, 0xC2, 0x0E),
    Colour(0x9C, 0x64, 0x44),
];

/// Lengths of dash and gap in turn; the empty one is a full line.
const DASHES: [&[f64]; 6] = [
    &[],
    &[7.0, 4.0],
    &[2.5, 3.0],
    &[9.0, 3.0, 2.5, 3.0],
    &[13.0, 5.0],
    &[9.0, 3.0, 2.5, 3.0, 2.5, 3.0],
];

/// The colour of a method by its number (`GridView::look`); the baseline, which has none, is ink.
pub fn method(look: Option<usize>) -> Colour {
    look.map_or(INK, |look| METHODS[look % METHODS.len()])
}

/// The line pattern of a method by its number.
pub fn dashes(look: Option<usize>) -> &'static [f64] {
    pattern(look.unwrap_or(0) / METHODS.len())
}

/// The line patterns by number, a full line first.
pub fn pattern(number: usize) -> &'static [f64] {
    DASHES[number % DASHES.len()]
}

/// The shape that stands for a model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Marker {
    Circle,
    Square,
    Diamond,
    Triangle,
    Wedge,
    Plus,
    Star,
    Cross,
    Bar,
    Hexagon,
}

/// Those that are easily told apart first.
const MARKERS: [Marker; 10] = [
    Marker::Circle,
    Marker::Square,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Wedge,
    Marker::Plus,
    Marker::Star,
    Marker::Cross,
    Marker::Bar,
    Marker::Hexagon,
];

/// The shape of the model at a place in the grid.
pub fn marker(index: usize) -> Marker {
    MARKERS[index % MARKERS.len()]
}

/// What is cut out of a mark.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fill {
    Solid,
    Hollow,
    /// Hollow but for its middle.
    Dotted,
    /// A bar across, one down, and both.
    Barred,
    Split,
    Quartered,
}

/// As many as there are patterns of lines.
const FILLS: [Fill; DASHES.len()] =
    [Fill::Solid, Fill::Hollow, Fill::Dotted, Fill::Barred, Fill::Split, Fill::Quartered];

/// A mark: its shape is a model's, its colour and what is cut out of it a method's.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    pub shape: Marker,
    pub fill: Fill,
    pub colour: Colour,
}

impl Mark {
    /// A method's by its number, where models have no shapes.
    pub fn of_method(look: Option<usize>) -> Self {
        let fill = FILLS[look.unwrap_or(0) / METHODS.len() % FILLS.len()];
        Self { shape: Marker::Circle, fill, colour: method(look) }
    }

    /// The same of the model at a place in the grid.
    pub fn with_model(self, index: usize) -> Self {
        Self { shape: marker(index), ..self }
    }

    /// A model's by its place in the grid, where no method is meant.
    pub fn of_model(index: usize) -> Self {
        Self { shape: marker(index), fill: Fill::Solid, colour: INK }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG's ratio of the lighter to the darker luminance.
    fn contrast(one: Colour, other: Colour) -> f64 {
        let channel = |value: u8| match f64::from(value) / 255.0 {
            x if x <= 0.04045 => x / 12.92,
            x => ((x + 0.055) / 1.055).powf(2.4),
        };
        let luminance = |Colour(r, g, b): Colour| {
            0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b) + 0.05
        };
        let [a, b] = [one, other].map(luminance);
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_can_be_read_on_either_ground() {
        for theme in Theme::ALL {
            let [paper, ink, quiet] = [PAPER, INK, QUIET].map(|colour| theme.colour(colour));
            assert!(contrast(ink, paper) > 10.0 && contrast(quiet, paper) > 4.5, "{theme:?}");
        }
        assert!(METHODS.iter().all(|c| contrast(*c, Theme::Dark.colour(PAPER)) > 3.0));
        assert_eq!(Theme::Dark.colour(GAIN), GAIN);
    }

    #[test]
    fn forty_eight_methods_look_different() {
        for as_text in [
            |look| format!("{} {:?}", method(look).css(), dashes(look)),
            |look| format!("{:?}", Mark::of_method(look)),
        ] {
            let looks: std::collections::HashSet<_> = (0..48).map(Some).map(as_text).collect();
            assert_eq!(looks.len(), 48);
        }
    }
}
