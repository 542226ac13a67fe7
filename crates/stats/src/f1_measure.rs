//! Which F1 a test on two prediction files is about.

/// How the counts of types become one F1.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum F1Measure {
    /// All types together.
    Micro,
    /// The mean over the types found in gold or prediction (seqeval's macro).
    Macro,
    /// The mean over the types of the whole gold, the same list in every resample.
    MacroFixed,
}

impl F1Measure {
    /// F1 from `[correct, predicted, support]` of every type; a ratio with nothing below it is 0.
    pub(super) fn of(self, counts: impl Iterator<Item = [f64; 3]>, in_gold: &[bool]) -> f64 {
        match self {
            F1Measure::Micro => {
                let sum = |mut sum: [f64; 3], counts: [f64; 3]| {
                    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                    sum
                };
                f1(counts.fold([0.0; 3], sum))
            }
            F1Measure::Macro => mean(counts.filter(|[_, predicted, gold]| predicted + gold > 0.0)),
            F1Measure::MacroFixed => {
                mean(counts.zip(in_gold).filter_map(|(counts, &kept)| kept.then_some(counts)))
            }
        }
    }
}

fn f1([correct, predicted, support]: [f64; 3]) -> f64 {
    ratio(2.0 * correct, predicted + support)
}

fn mean(counts: impl Iterator<Item = [f64; 3]>) -> f64 {
    let (sum, types) = counts.fold((0.0, 0.0), |(sum, n), counts| (sum + f1(counts), n + 1.0));
    ratio(sum, types)
}

fn ratio(above: f64, below: f64) -> f64 {
    if below == 0.0 { 0.0 } else { above / below }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measure_counts_the_types_it_says() {
        // F1 of the types: 0.8, 0 (predicted, not in gold), absent here but in the whole gold.
        let counts = [[2.0, 2.0, 3.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
        let of = |measure: F1Measure| measure.of(counts.into_iter(), &[true, false, true]);
        assert_eq!(of(F1Measure::Micro), 4.0 / 6.0);
        assert_eq!(of(F1Measure::Macro), 0.8 / 2.0);
        assert_eq!(of(F1Measure::MacroFixed), 0.8 / 2.0);
        let nothing = [[0.0; 3]; 2].into_iter();
        assert_eq!(F1Measure::Macro.of(nothing, &[false, false]), 0.0);
    }
}
