//! Planned looks at comparisons before all seeds are there.

use std::fmt;

/// After how many seeds comparisons are looked at, and how the level of the test is spent on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopping {
    /// Numbers of seeds, increasing.
    pub looks: Vec<usize>,
    pub spending: Spending,
}

/// How the level is spent over the looks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Spending {
    /// About the same at every look.
    Pocock,
    /// Very little early, nearly all at the last look.
    ObrienFleming,
}

crate::named!(Spending { Pocock = "pocock", ObrienFleming = "obrien-fleming" });

impl fmt::Display for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
