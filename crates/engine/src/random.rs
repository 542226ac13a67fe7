//! Random numbers of a job that are drawn outside the backend.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a stream of random numbers is for. Each purpose has its own, so that what one draws never
/// shifts another: methods of one seed share everything they can share.
#[derive(Copy, Clone, Debug)]
pub enum Purpose {
    /// The order of training sentences.
    Order = 1,
    /// Which rare words are trained as unknown ones.
    UnknownWords = 2,
    /// What PESG pulls parameters towards.
    Reference = 3,
    /// The same for what each of two tasks has beside the model.
    TaskReference = 4,
    /// Which spans are negatives.
    Negatives = 5,
    /// Which half a training sentence is of, where there are two.
    Halves = 6,
    /// The reference of a second turn's optimiser, and of further ones.
    TurnReference = 7,
    /// Which training sentences are cut into which part.
    Folds = 11,
}

/// The stream of a seed for a purpose.
pub fn stream(seed: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose as u64);
    rng
}

/// A number of the standard normal distribution (Box and Muller 1958).
pub fn normal(draws: &mut ChaCha8Rng) -> f64 {
    // In (0, 1], so that it has a logarithm.
    let [radius, turn] = [(); 2].map(|()| 1.0 - draws.random::<f64>());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_draws_have_mean_0_and_deviation_1() {
        let mut draws = stream(1, Purpose::Reference);
        let numbers: Vec<f64> = (0..40_000).map(|_| normal(&mut draws)).collect();
        let mean =
            |power: i32| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / numbers.len() as f64;
        // Four standard errors of the moments 0, 1 and 3.
        assert!(mean(1).abs() < 0.02, "{}", mean(1));
        assert!((mean(2) - 1.0).abs() < 0.03, "{}", mean(2));
        assert!((mean(4) - 3.0).abs() < 0.2, "{}", mean(4));
    }
}
