//! Where a job stands in the grid, in numbers: comparing and hashing them allocates nothing.

use domain::Point;
use std::collections::HashMap;

/// The axes of a place, as selections name them.
const AXES: [&str; 4] = ["corpus", "scenario", "model", "method"];
pub(super) const MODEL: usize = 2;
pub(super) const METHOD: usize = 3;

/// Corpus, scenario, model and method of a job, by number: its point but for the seed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GridPlace(pub(crate) [u32; 4]);

/// What some places have in common; where they differ, anything fits.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pattern([Option<u32>; 4]);

impl From<GridPlace> for Pattern {
    fn from(place: GridPlace) -> Self {
        Self(place.0.map(Some))
    }
}

impl Pattern {
    /// Whether a place fits.
    pub fn covers(&self, place: GridPlace) -> bool {
        self.0.iter().zip(place.0).all(|(wanted, is)| wanted.is_none_or(|wanted| wanted == is))
    }

    /// What it has in common with one more place.
    pub(super) fn common_with(self, place: GridPlace) -> Self {
        let mut axes = self.0;
        for (axis, is) in axes.iter_mut().zip(place.0) {
            *axis = axis.filter(|wanted| *wanted == is);
        }
        Self(axes)
    }

    /// On how many axes anything fits.
    pub(super) fn width(&self) -> usize {
        self.0.iter().filter(|axis| axis.is_none()).count()
    }

    /// Whether every place that fits the other fits this one.
    pub(super) fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(wanted, is)| wanted.is_none() || *wanted == is)
    }
}

/// The names behind the numbers; the same name has the same number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    /// A name's number, a new one if it was never heard.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The place of a point.
    pub fn place(&mut self, point: &Point) -> GridPlace {
        let Point { corpus, scenario, model, method, .. } = point;
        GridPlace([corpus, scenario, model, method].map(|name| self.number(name)))
    }

    /// The place of a point whose names were all heard before.
    pub fn find(&self, point: &Point) -> Option<GridPlace> {
        let Point { corpus, scenario, model, method, .. } = point;
        let number = |name: &String| self.numbers.get(name).copied();
        Some(GridPlace([number(corpus)?, number(scenario)?, number(model)?, number(method)?]))
    }

    /// A pattern as `--only` and `--not` take it: `model=bilstm method=sc`.
    pub fn expression(&self, pattern: &Pattern) -> String {
        let axes = AXES.iter().zip(pattern.0);
        let named = axes.filter_map(|(axis, number)| {
            let name = self.names.get(number? as usize)?;
            Some(format!("{axis}={name}"))
        });
        named.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::testing::point;

    #[test]
    fn patterns_are_what_places_have_in_common() {
        let mut names = Names::default();
        let [sc, scr] = ["sc", "scr"].map(|method| names.place(&point(method, 1)));
        let one = Pattern::from(sc);
        assert!(one.covers(sc) && !one.covers(scr));
        let both = one.common_with(scr);
        assert!(both.covers(sc) && both.covers(scr) && both.includes(&one) && !one.includes(&both));
        assert_eq!(names.expression(&both), "corpus=synthetic scenario=full model=shallow");
        assert_eq!(names.place(&point("sc", 7)), sc);
    }
}
