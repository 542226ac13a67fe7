//! What a transformer's first layer reads, as one node.

use super::{draw, norm, norms, share};
use crate::model::passes::{Buffer, Normalised, normalise};
use crate::model::torch::memory::{filled, numbers};
use crate::model::torch::node::{Back, node, node_input};
use crate::model::transformer::Embeddings;
use burn::nn::Embedding;
use burn::tensor::Tensor;
use tch::Tensor as Torch;

/// What the first layer reads: pieces × width. Positions count from the beginning of each row.
pub fn embeddings(
    tables: &Embeddings,
    pieces: &Embedding,
    ids: Vec<i64>,
    segments: Option<Vec<i64>>,
    lengths: &[usize],
) -> Tensor<2> {
    let [_, width] = pieces.weight.dims();
    let offset = tables.offset;
    let look_up = LookUp {
        width,
        ids: ids.iter().map(|&id| id as usize).collect(),
        positions: lengths.iter().flat_map(|&length| offset..offset + length).collect(),
        segments: match segments.filter(|_| tables.tells_texts_apart()) {
            Some(segments) => segments.iter().map(|&segment| segment as usize).collect(),
            None => vec![0; ids.len()],
        },
        scale: tables.scale as f32,
        epsilon: tables.norm.epsilon,
        dropout: share(&tables.dropout, &pieces.weight.device()),
    };
    assert_eq!(look_up.positions.len(), ids.len(), "the lengths are those of the rows");
    let mut inputs = vec![node_input(pieces.weight.val()), node_input(tables.positions.val())];
    inputs.extend(norm(&tables.norm));
    let run = move |inputs: &[Torch], keep| look_up.forward(inputs, keep);
    match &tables.types {
        Some(types) => {
            inputs.push(node_input(types.val()));
            node::<5, 2>(inputs, run)
        }
        None => node::<4, 2>(inputs, run),
    }
}

/// What the embeddings' node computes with.
struct LookUp {
    width: usize,
    /// For each place a row of each table.
    ids: Vec<usize>,
    positions: Vec<usize>,
    segments: Vec<usize>,
    /// What a piece's vector is multiplied with.
    scale: f32,
    epsilon: f64,
    /// 0 where nothing is trained.
    dropout: f64,
}

impl LookUp {
    fn forward(self, inputs: &[Torch], keep: bool) -> (Torch, Option<Back>) {
        let (count, width) = (self.ids.len(), self.width);
        let mut sums = Buffer::of(count * width);
        let tables: Vec<&[f32]> = inputs.iter().map(numbers).collect();
        let row = |table: usize, row: usize| &tables[table][row * width..][..width];
        for (place, sum) in sums.chunks_exact_mut(width).enumerate() {
            let piece = row(0, self.ids[place]);
            let position = row(1, self.positions[place]);
            for ((sum, piece), position) in sum.iter_mut().zip(piece).zip(position) {
                *sum = piece * self.scale + position;
            }
            if tables.len() > 4 {
                let types = row(4, self.segments[place]);
                sum.iter_mut().zip(types).for_each(|(sum, number)| *sum += number);
            }
        }
        let drops = draw(self.dropout, count, width);
        let mut normalised = None;
        let output = filled(&[count as i64, width as i64], |output| {
            normalised = Some(normalise(sums, drops, norms(inputs, 2, self.epsilon), output));
        });
        let normalised = normalised.expect("`filled` calls");
        let back: Option<Back> = keep.then(|| -> Back {
            Box::new(move |gradient, inputs, wanted| {
                self.back(normalised, gradient, inputs, wanted)
            })
        });
        (output, back)
    }

    fn back(
        self,
        normalised: Normalised,
        gradient: &Torch,
        inputs: &[Torch],
        wanted: &[bool],
    ) -> Vec<Option<Torch>> {
        let scale = numbers(&inputs[2]);
        let (rows, of_scale, of_shift) = normalised.back_of_dropped(numbers(gradient), scale);
        let table = |table: usize, places: &[usize], factor: f32| {
            let table = inputs.get(table).filter(|_| wanted[table])?;
            let width = self.width;
            Some(filled(&table.size(), |sums| {
                for (row, gradient) in places.iter().zip(rows.chunks_exact(width)) {
                    let sums = &mut sums[row * width..][..width];
                    sums.iter_mut().zip(gradient).for_each(|(sum, number)| *sum += number * factor);
                }
            }))
        };
        let mut found = vec![
            table(0, &self.ids, self.scale),
            table(1, &self.positions, 1.0),
            Some(Torch::from_slice(&of_scale)),
            Some(Torch::from_slice(&of_shift)),
        ];
        if inputs.len() > 4 {
            found.push(table(4, &self.segments, 1.0));
        }
        found
    }
}
