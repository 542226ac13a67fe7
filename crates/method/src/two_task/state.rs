//! a, b and α of one task, and how a step changes them: as PESG of LibAUC does (Guo et al. 2023),
//! with its decays where they are asked for.
//!
//! v ← v − η [clip(∂v, ±1) + ε₀ (v − v_ref) + w v] for a and b; then α ← α + η (2(m + b − a) − 2α)
//! with the new a and b, kept in [0, 999]. That is not α's own slope, whose means are those of the
//! batch.
//!
//! A batch without a word of a class leaves that class's variable as it is, a of positives and b of
//! negatives, its pulls too. α is about the distance of both: it moves with a batch that has both,
//! and stays where one is lacking.

/// The largest part of a slope that counts.
const CLIP: f64 = 1.0;
/// Where α ends.
const HIGHEST_ALPHA: f64 = 999.0;

/// What stands beside a task's part of the model.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct TaskState {
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

/// Means in the making, over the steps that moved each.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Past {
    sums: [f64; 2],
    steps: [u64; 2],
}

/// Derivatives of a loss with respect to a state, as far as a batch has the words that they need.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Slopes {
    /// Of a batch with positives.
    pub a: Option<f64>,
    /// Of a batch with negatives.
    pub b: Option<f64>,
    /// Of a batch with both.
    pub alpha: Option<f64>,
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

impl TaskState {
    /// Follows the slopes of a and b, then moves α if the batch had both.
    pub fn step(&mut self, slopes: &Slopes, descent: &Descent) {
        let [of_a, of_b] = self.reference;
        let a = slopes.a.map(|slope| descent.stepped(self.a, slope, of_a));
        let b = slopes.b.map(|slope| descent.stepped(self.b, slope, of_b));
        self.take([a, b]);
        self.ascend(slopes, descent);
    }

    /// Moves α by the present a and b, if the batch had words of both classes.
    pub fn ascend(&mut self, slopes: &Slopes, descent: &Descent) {
        if slopes.alpha.is_some() {
            let slope = 2.0 * (descent.margin + self.b - self.a) - 2.0 * self.alpha;
            self.alpha = (self.alpha + descent.rate * slope).clamp(0.0, HIGHEST_ALPHA);
        }
    }

    /// Takes new numbers for a and b, as far as there are some. Where they are the means of a
    /// batch, the gradient that the model gets is to be taken after this, α's move after that.
    pub fn take(&mut self, new: [Option<f64>; 2]) {
        for (place, (variable, new)) in [&mut self.a, &mut self.b].into_iter().zip(new).enumerate()
        {
            if let Some(new) = new {
                *variable = new;
                self.past.sums[place] += new;
                self.past.steps[place] += 1;
            }
        }
    }

    /// The mean since the last call becomes the reference of each that has moved since.
    pub fn refer_to_mean(&mut self) {
        let Past { sums, steps } = std::mem::take(&mut self.past);
        for ((reference, sum), steps) in self.reference.iter_mut().zip(sums).zip(steps) {
            if steps > 0 {
                *reference = sum / steps as f64;
            }
        }
    }
}

impl Descent {
    fn stepped(&self, v: f64, slope: f64, reference: f64) -> f64 {
        let slope = slope.clamp(-CLIP, CLIP);
        v - self.rate * (slope + self.epoch_decay * (v - reference) + self.weight_decay * v)
    }
}
