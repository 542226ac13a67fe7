//! a, b and α of one task, and how a step changes them: as PESG of LibAUC does (Guo et al. 2023), with its decays
//! where they are asked for.
//!
//! v ← v − η [clip(∂v, ±1) + ε₀ (v − v_ref) + w v] for a and b; then α ← α + η (2(m + b − a) − 2α) with the new a and b,
//! kept in [0, 999]. That is not α's own slope, whose means are those of the batch.

/// The largest part of a slope that counts.
const CLIP: f64 = 1.0;
/// Where α ends.
const HIGHEST_ALPHA: f64 = 999.0;

/// What stands beside a task's part of the model.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Near the mean of positive words.
    pub a: f64,
    /// Near the mean of negative words.
    pub b: f64,
    /// The dual variable of the margin.
    pub alpha: f64,
    /// What a and b are pulled towards.
    pub reference: [f64; 2],
    /// Of a and b, since the reference changed.
    pub past: Past,
}

/// A mean in the making.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Past {
    sums: [f64; 2],
    steps: u64,
}

/// Derivatives of a loss with respect to a state.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Slopes {
    pub a: f64,
    pub b: f64,
    pub alpha: f64,
}

/// How far and with what pull a step goes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Descent {
    /// η
    pub rate: f64,
    /// m of the task's loss.
    pub margin: f64,
    /// ε₀: how strongly a and b are pulled towards their reference.
    pub epoch_decay: f64,
    /// How strongly they are pulled towards 0.
    pub weight_decay: f64,
}

impl State {
    /// Follows the slopes of a and b, then moves α.
    pub fn step(&mut self, slopes: &Slopes, descent: &Descent) {
        let [of_a, of_b] = self.reference;
        self.a = descent.stepped(self.a, slopes.a, of_a);
        self.b = descent.stepped(self.b, slopes.b, of_b);
        self.ascend(descent);
    }

    /// Takes the means of a batch for a and b. The gradient that the model gets is to be taken after this, α's move
    /// after that.
    pub fn take_means(&mut self, (positive, negative): (f64, f64)) {
        (self.a, self.b) = (positive, negative);
    }

    /// Moves α by the present a and b.
    pub fn ascend(&mut self, descent: &Descent) {
        let slope = 2.0 * (descent.margin + self.b - self.a) - 2.0 * self.alpha;
        self.alpha = (self.alpha + descent.rate * slope).clamp(0.0, HIGHEST_ALPHA);
        let [of_a, of_b] = self.past.sums;
        self.past = Past { sums: [of_a + self.a, of_b + self.b], steps: self.past.steps + 1 };
    }

    /// The mean since the last call becomes the reference.
    pub fn refer_to_mean(&mut self) {
        let Past { sums, steps } = self.past;
        if steps > 0 {
            self.reference = sums.map(|sum| sum / steps as f64);
            self.past = Past::default();
        }
    }
}

impl Descent {
    fn stepped(&self, v: f64, slope: f64, reference: f64) -> f64 {
        let slope = slope.clamp(-CLIP, CLIP);
        v - self.rate * (slope + self.epoch_decay * (v - reference) + self.weight_decay * v)
    }
}
