//! The loss of a linear chain with its gradient, on the data that `benches/chain.rs` draws.

use super::{BenchError, best, read_numbers, read_words};
use crate::model::chain::{Chain, Evidence, loss_and_gradients};
use crate::model::set_threads;
use serde_json::{Value, json};
use std::path::Path;

/// The least milliseconds of a loss with its gradient, the loss, and the sums of the absolute
/// gradients, as `benches/peers/crf_loss.py` gives them.
pub fn measure(threads: usize, folder: &Path) -> Result<Value, BenchError> {
    let shape = folder.join("shape.txt");
    let [sentences, tokens, tags] = read_numbers(&shape)?[..] else {
        return Err(BenchError::Numbers(shape));
    };
    let emissions = read_words(&folder.join("emissions.f32"), f32::from_le_bytes)?;
    let transitions = read_words(&folder.join("transitions.f32"), f32::from_le_bytes)?;
    let gold = read_words(&folder.join("gold.u32"), |word| u32::from_le_bytes(word) as usize)?;
    let is_whole = emissions.len() == sentences * tokens * tags
        && transitions.len() == tags * tags
        && gold.len() == sentences * tokens
        && gold.iter().all(|tag| *tag < tags);
    if !is_whole {
        return Err(BenchError::Numbers(shape));
    }
    set_threads(threads);
    let lengths = vec![tokens; sentences];
    let (time, losses) = best(200, || {
        let chain = Chain::new(tags, &transitions);
        loss_and_gradients(&chain, &emissions, &lengths, Evidence::Path(&gold))
    });
    let of_emissions: f64 = losses.emissions.iter().map(|part| f64::from(part.abs())).sum();
    let of_transitions: f64 = losses.transitions.iter().map(|part| part.abs()).sum();
    Ok(json!({
        "milliseconds": 1e3 * time.as_secs_f64(),
        "loss": losses.losses.iter().sum::<f64>(),
        "gradients": [of_emissions, of_transitions],
    }))
}
