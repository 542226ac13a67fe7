//! What the resampling formulas see of a sentence (wang2022, section 3.2).

use domain::{Sentence, TypeSet};

/// r_t = -log2(tokens of type t / all training tokens), by type; 0 for a type that training lacks,
/// which never enters a sum.
pub fn rareness(types: &TypeSet, sentences: &[Sentence]) -> Vec<f64> {
    let mut tokens = vec![0u64; types.len()];
    let mut all = 0u64;
    for sentence in sentences {
        all += sentence.len() as u64;
        for id in sentence.tags.iter().filter_map(|tag| tag.entity_type()) {
            tokens[id.0 as usize] += 1;
        }
    }
    tokens
        .iter()
        .map(|&count| if count == 0 { 0.0 } else { -(count as f64 / all as f64).log2() })
        .collect()
}

/// c(t, s), the tokens of each type present in a sentence, with r_t; and l_s, its length.
pub struct SentenceCounts {
    /// (c, r) of each type present, in the order of types so that sums are always added alike.
    types: Vec<(f64, f64)>,
    length: f64,
}

impl SentenceCounts {
    /// Counts tokens, not mentions; B and I are merged.
    pub fn new(sentence: &Sentence, rareness: &[f64]) -> Self {
        let mut counts = vec![0u32; rareness.len()];
        for id in sentence.tags.iter().filter_map(|tag| tag.entity_type()) {
            counts[id.0 as usize] += 1;
        }
        let present = counts.iter().zip(rareness).filter(|(count, _)| **count > 0);
        let types = present.map(|(&count, &rareness)| (count as f64, rareness)).collect();
        Self { types, length: sentence.len() as f64 }
    }

    /// Whether the sentence has no entity.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Σ c(t, s)
    pub fn count(&self) -> f64 {
        self.types.iter().map(|(c, _)| c).sum()
    }

    /// Σ r_t · c(t, s)
    pub fn rare_count(&self) -> f64 {
        self.types.iter().map(|(c, r)| r * c).sum()
    }

    /// Σ r_t · √c(t, s)
    pub fn smooth_rare_count(&self) -> f64 {
        self.types.iter().map(|(c, r)| r * c.sqrt()).sum()
    }

    /// √l_s
    pub fn root_length(&self) -> f64 {
        self.length.sqrt()
    }
}
