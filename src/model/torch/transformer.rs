//! A transformer's layer and its embeddings, one node each.

use super::dropout::{drop_some, mask};
use super::region::{Operand, operand, region};
use crate::model::transformer::{Activation, Cross, Embeddings, Layer, Linear, Norm, Own};
use burn::backend::LibTorch;
use burn::nn::{Dropout, Embedding};
use burn::tensor::{Device, Int, Tensor};
use tch::{Kind, Tensor as Torch};

/// Inputs of a node: the states and a layer's parameters.
const OF_ENCODER: usize = 13;
/// And the encoder's states and eight parameters of the attention to them.
const OF_DECODER: usize = OF_ENCODER + 9;

/// The states after a layer; `scores` are added to the scores of attention over what may be padded.
pub fn layer(
    layer: &Layer,
    states: Tensor<3>,
    context: Option<&Tensor<3>>,
    scores: Option<Vec<f32>>,
) -> Tensor<3> {
    let device = states.device();
    let [rows, length, _] = states.dims();
    let plan = Plan {
        heads: layer.heads as i64,
        epsilon: layer.norm.epsilon,
        activation: layer.activation,
        dropout: share(&layer.dropout, &device),
        attention_dropout: share(&layer.attention_dropout, &device),
        inner_dropout: share(&layer.inner_dropout, &device),
        scores: scores.map(|s| Torch::from_slice(&s).view([rows as i64, 1, 1, length as i64])),
    };
    let mut inputs = vec![operand(states)];
    inputs.extend(own(&layer.own));
    inputs.extend(
        [linear(&layer.inner), linear(&layer.outer), norm(&layer.norm)].into_iter().flatten(),
    );
    match (&layer.cross, context) {
        (Some(attention), Some(context)) => {
            inputs.push(operand(context.clone()));
            inputs.extend(cross(attention));
            region(exactly::<OF_DECODER>(inputs), move |inputs| plan.decode(inputs))
        }
        _ => region(exactly::<OF_ENCODER>(inputs), move |inputs| plan.encode(inputs)),
    }
}

/// What the first layer reads.
pub fn embeddings(
    tables: &Embeddings,
    pieces: &Embedding,
    ids: Tensor<2, Int>,
    segments: Option<Tensor<2, Int>>,
) -> Tensor<3> {
    let [rows, length] = ids.dims();
    let (rows, length) = (rows as i64, length as i64);
    let (offset, scale, epsilon) = (tables.offset as i64, tables.scale, tables.norm.epsilon);
    let dropout = share(&tables.dropout, &ids.device());
    let torch = |numbers: Tensor<2, Int>| {
        numbers.inner().try_into_primitive::<LibTorch>().expect("a tensor of LibTorch").tensor
    };
    let segments = segments.filter(|_| tables.tells_texts_apart()).map(torch);
    let ids = torch(ids);
    let mut inputs = vec![operand(pieces.weight.val()), operand(tables.positions.val())];
    inputs.extend(norm(&tables.norm));
    let run = move |inputs: &[Torch]| {
        let vectors = Torch::embedding(&inputs[0], &ids, -1, false, false);
        let vectors = if scale == 1.0 { vectors } else { vectors * scale };
        let places = inputs[1].narrow(0, offset, length);
        let added = match (inputs.get(4), &segments) {
            (Some(types), Some(segments)) => {
                places + Torch::embedding(types, segments, -1, false, false)
            }
            (Some(types), None) => places + types.narrow(0, 0, 1),
            (None, _) => places,
        };
        let width = vectors.size()[2];
        let vectors = (vectors + added).view([rows * length, width]);
        let vectors = normalise(&vectors, &inputs[2..4], epsilon);
        drop_some(vectors, dropout).view([rows, length, width])
    };
    match &tables.types {
        Some(types) => {
            inputs.push(operand(types.val()));
            region(exactly::<5>(inputs), run)
        }
        None => region(exactly::<4>(inputs), run),
    }
}

/// What a layer's node computes with.
struct Plan {
    heads: i64,
    epsilon: f64,
    activation: Activation,
    /// 0 where nothing is trained.
    dropout: f64,
    attention_dropout: f64,
    inner_dropout: f64,
    scores: Option<Torch>,
}

impl Plan {
    /// An encoder's layer; the inputs in the order of [`layer`].
    fn encode(&self, inputs: &[Torch]) -> Torch {
        let size = inputs[0].size();
        let states = flat(&inputs[0]);
        let states = self.own(&states, &size, inputs, self.scores.as_ref(), false);
        self.feed(&states, inputs).view(size.as_slice())
    }

    /// A decoder's layer.
    fn decode(&self, inputs: &[Torch]) -> Torch {
        let size = inputs[0].size();
        let states = flat(&inputs[0]);
        let states = self.own(&states, &size, inputs, None, true);
        let states = self.cross(&states, &size, &inputs[OF_ENCODER..]);
        self.feed(&states, inputs).view(size.as_slice())
    }

    fn own(
        &self,
        states: &Torch,
        size: &[i64],
        inputs: &[Torch],
        scores: Option<&Torch>,
        causal: bool,
    ) -> Torch {
        let parts = states.linear(&inputs[1], Some(&inputs[2])).view([
            size[0],
            size[1],
            3,
            self.heads,
            size[2] / self.heads,
        ]);
        let parts = parts.permute([2, 0, 3, 1, 4]);
        let [query, key, value] = [0, 1, 2].map(|i| parts.select(0, i));
        let taken = self.attend(&query, &key, &value, scores, causal);
        let taken = taken.linear(&inputs[3], Some(&inputs[4]));
        self.add(states, taken, &inputs[5..7])
    }

    /// `inputs`: the context, then the attention's parameters.
    fn cross(&self, states: &Torch, size: &[i64], inputs: &[Torch]) -> Torch {
        let (rows, width) = (size[0], size[2] / self.heads);
        let query = states.linear(&inputs[1], Some(&inputs[2]));
        let query = query.view([rows, size[1], self.heads, width]).transpose(1, 2);
        let length = inputs[0].size()[1];
        let parts = flat(&inputs[0]).linear(&inputs[3], Some(&inputs[4]));
        let parts = parts.view([rows, length, 2, self.heads, width]).permute([2, 0, 3, 1, 4]);
        let [key, value] = [0, 1].map(|i| parts.select(0, i));
        let taken = self.attend(&query, &key, &value, self.scores.as_ref(), false);
        let taken = taken.linear(&inputs[5], Some(&inputs[6]));
        self.add(states, taken, &inputs[7..9])
    }

    /// Rows × heads × pieces × width of a head to (rows·pieces) × width.
    fn attend(
        &self,
        query: &Torch,
        key: &Torch,
        value: &Torch,
        scores: Option<&Torch>,
        causal: bool,
    ) -> Torch {
        let taken = if self.attention_dropout > 0.0 {
            self.attend_with_dropout(query, key, value, scores, causal)
        } else {
            let scale = None::<f64>;
            Torch::scaled_dot_product_attention(
                query, key, value, scores, 0.0, causal, scale, false,
            )
        };
        let size = taken.size();
        taken.transpose(1, 2).reshape([size[0] * size[2], size[1] * size[3]])
    }

    /// LibTorch's kernel for attention has no dropout, and what it falls back to is slower than this.
    fn attend_with_dropout(
        &self,
        query: &Torch,
        key: &Torch,
        value: &Torch,
        scores: Option<&Torch>,
        causal: bool,
    ) -> Torch {
        let size = query.size();
        let (batch, length, width) = (size[0] * size[1], size[2], size[3]);
        let keys = key.size()[2];
        let flat = |part: &Torch, length: i64| part.reshape([batch, length, width]);
        let scale = 1.0 / (width as f64).sqrt();
        let (query, key) = (flat(query, length), flat(key, keys).transpose(1, 2));
        let bias = match scores {
            _ if causal => Some(never_ahead(length)),
            Some(scores) => {
                let scores = scores.expand([size[0], size[1], 1, keys], false);
                Some(scores.reshape([batch, 1, keys]))
            }
            None => None,
        };
        // β·bias + α·QKᵀ in one operation.
        let scores = match &bias {
            Some(bias) => bias.baddbmm(&query, &key, 1.0, scale),
            None => Torch::zeros([1, 1, 1], (Kind::Float, tch::Device::Cpu))
                .baddbmm(&query, &key, 0.0, scale),
        };
        let shares = scores.softmax(-1, Kind::Float);
        let shares = &shares * mask(&[batch, length, keys], self.attention_dropout);
        shares.bmm(&flat(value, keys)).view([size[0], size[1], length, width])
    }

    /// The two linear layers.
    fn feed(&self, states: &Torch, inputs: &[Torch]) -> Torch {
        let inner = states.linear(&inputs[7], Some(&inputs[8]));
        let inner = match self.activation {
            Activation::Gelu => inner.gelu("none"),
            Activation::GeluTanh => inner.gelu("tanh"),
            Activation::Relu => inner.relu(),
        };
        let inner = drop_some(inner, self.inner_dropout);
        let outer = inner.linear(&inputs[9], Some(&inputs[10]));
        self.add(states, outer, &inputs[11..13])
    }

    fn add(&self, states: &Torch, taken: Torch, norm: &[Torch]) -> Torch {
        normalise(&(states + drop_some(taken, self.dropout)), norm, self.epsilon)
    }
}

/// What is added to the scores of positions after one's own.
fn never_ahead(length: i64) -> Torch {
    let ones = Torch::full([length, length], f64::NEG_INFINITY, (Kind::Float, tch::Device::Cpu));
    ones.triu(1).unsqueeze(0)
}

/// Rows × pieces × width to (rows·pieces) × width.
fn flat(states: &Torch) -> Torch {
    let size = states.size();
    states.reshape([size[0] * size[1], size[2]])
}

fn normalise(states: &Torch, norm: &[Torch], epsilon: f64) -> Torch {
    let width = states.size()[1];
    states.layer_norm([width], Some(&norm[0]), Some(&norm[1]), epsilon, false)
}

/// The share that a dropout drops on this device now.
fn share(dropout: &Dropout, device: &Device) -> f64 {
    if dropout.training.is_enabled() && device.is_autodiff() { dropout.prob } else { 0.0 }
}

fn own(attention: &Own) -> impl Iterator<Item = Operand> {
    let parts = [linear(&attention.input), linear(&attention.output), norm(&attention.norm)];
    parts.into_iter().flatten()
}

fn cross(attention: &Cross) -> impl Iterator<Item = Operand> {
    let Cross { query, context, output, norm: after } = attention;
    [linear(query), linear(context), linear(output), norm(after)].into_iter().flatten()
}

fn linear(part: &Linear) -> [Operand; 2] {
    [operand(part.weight.val()), operand(part.bias.val())]
}

fn norm(part: &Norm) -> [Operand; 2] {
    [operand(part.scale.val()), operand(part.shift.val())]
}

fn exactly<const N: usize>(inputs: Vec<Operand>) -> [Operand; N] {
    inputs.try_into().ok().expect("as many inputs as the node has")
}
