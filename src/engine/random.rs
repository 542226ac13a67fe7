//! Random numbers of a job that are drawn outside the backend.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What a stream of random numbers is for. Each purpose has its own, so that what one draws never
/// shifts another: methods of one seed share everything they can share.
#[derive(Copy, Clone, Debug)]
pub enum Purpose {
    /// The order of training sentences.
    Order = 1,
    /// Which rare words are trained as unknown ones.
    UnknownWords = 2,
    /// Which training sentences are cut into which part.
    Folds = 11,
    /// Which spans are negatives.
    Negatives = 5,
    /// Which half a training sentence is of, where there are two.
    Halves = 6,
}

/// The stream of a seed for a purpose.
pub fn stream(seed: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose as u64);
    rng
}
