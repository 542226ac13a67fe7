//! An LSTM in both directions.
//!
//! Each direction is a plain LSTM; the backward one reads every row turned around within its own
//! length, so padding always comes after the last real place of either and changes nothing. Parameters
//! have LibTorch's layout: on LibTorch its own kernel runs them as one node of the graph, elsewhere the
//! same arithmetic runs on Burn's operations.

use burn::module::{Module, Param};
use burn::nn::DropoutConfig;
use burn::tensor::activation::{sigmoid, tanh};
use burn::tensor::{Device, Distribution, Int, Tensor, TensorData};

/// The weights of one direction: input, forget, cell and output gate below each other.
#[derive(Module, Debug)]
pub struct Direction {
    /// 4·hidden × input
    pub input: Param<Tensor<2>>,
    /// 4·hidden × hidden
    pub hidden: Param<Tensor<2>>,
    /// 4·hidden, twice, as LibTorch has it.
    pub input_bias: Param<Tensor<1>>,
    pub hidden_bias: Param<Tensor<1>>,
}

impl Direction {
    /// Uniform in ±1/√hidden, as PyTorch initialises its LSTM.
    fn new(input: usize, hidden: usize, device: &Device) -> Self {
        let bound = 1.0 / (hidden as f64).sqrt();
        let uniform = Distribution::Uniform(-bound, bound);
        let matrix =
            |rows, columns| Param::from_tensor(Tensor::random([rows, columns], uniform, device));
        let bias = || Param::from_tensor(Tensor::random([4 * hidden], uniform, device));
        Self {
            input: matrix(4 * hidden, input),
            hidden: matrix(4 * hidden, hidden),
            input_bias: bias(),
            hidden_bias: bias(),
        }
    }
}

/// Both directions, with dropout before and after them while training.
#[derive(Module, Debug)]
pub struct Lstm {
    pub forward: Direction,
    pub backward: Direction,
    #[module(skip)]
    pub dropout: f64,
    #[module(skip)]
    hidden: usize,
}

impl Lstm {
    /// Fresh weights for `hidden` units a direction.
    pub fn new(input: usize, hidden: usize, dropout: f64, device: &Device) -> Self {
        Self {
            forward: Direction::new(input, hidden, device),
            backward: Direction::new(input, hidden, device),
            dropout,
            hidden,
        }
    }

    /// Units of both directions.
    pub fn output(&self) -> usize {
        2 * self.hidden
    }

    /// Rows × places × input to rows × places × output; [`super::Batch`] says what `reversal` is.
    pub fn states(&self, vectors: Tensor<3>, reversal: &[i64]) -> Tensor<3> {
        #[cfg(feature = "libtorch")]
        if super::device::is_libtorch(&vectors.device()) {
            return super::torch::lstm(vectors, self, reversal);
        }
        self.states_on_burn(vectors, reversal)
    }

    /// Both directions at once: the direction is one more batch dimension.
    fn states_on_burn(&self, vectors: Tensor<3>, reversal: &[i64]) -> Tensor<3> {
        let dropout = DropoutConfig::new(self.dropout).init();
        let vectors = dropout.forward(vectors);
        let device = vectors.device();
        let [rows, length, _] = vectors.dims();
        let reversal = TensorData::new(reversal.to_vec(), [rows * length]);
        let reversal = Tensor::<1, Int>::from_data(reversal, &device);
        let turned = turn_around(vectors.clone(), reversal.clone());
        let vectors = Tensor::stack::<4>(vec![vectors, turned], 0);
        let [forward, backward] = [&self.forward, &self.backward];
        let pair = |a: &Param<Tensor<2>>, b: &Param<Tensor<2>>| {
            Tensor::stack::<3>(vec![a.val().transpose(), b.val().transpose()], 0)
        };
        let bias = |direction: &Direction| direction.input_bias.val() + direction.hidden_bias.val();
        let gates = Gates {
            input: pair(&forward.input, &backward.input),
            hidden: pair(&forward.hidden, &backward.hidden),
            bias: Tensor::stack::<2>(vec![bias(forward), bias(backward)], 0).unsqueeze_dim(1),
        };
        let states = gates.run(vectors, self.hidden);
        let ahead = states.clone().narrow(0, 0, 1).squeeze_dim(0);
        let back = turn_around(states.narrow(0, 1, 1).squeeze_dim(0), reversal);
        dropout.forward(Tensor::cat(vec![ahead, back], 2))
    }
}

/// Both directions' weights: directions × from × 4·hidden.
struct Gates {
    input: Tensor<3>,
    hidden: Tensor<3>,
    bias: Tensor<3>,
}

impl Gates {
    /// Directions × rows × places × input to the hidden state after each place.
    fn run(&self, vectors: Tensor<4>, width: usize) -> Tensor<4> {
        let [directions, rows, length, _] = vectors.dims();
        let mut hidden = Tensor::<3>::zeros([directions, rows, width], &vectors.device());
        let mut cell = hidden.clone();
        let mut states = Vec::with_capacity(length);
        for step in 0..length {
            let vector = vectors.clone().narrow(2, step, 1).squeeze_dim::<3>(2);
            (hidden, cell) = self.step(vector, hidden, cell, width);
            states.push(hidden.clone());
        }
        Tensor::stack(states, 2)
    }

    fn step(
        &self,
        vector: Tensor<3>,
        hidden: Tensor<3>,
        cell: Tensor<3>,
        width: usize,
    ) -> (Tensor<3>, Tensor<3>) {
        let gates = vector.matmul(self.input.clone()) + hidden.matmul(self.hidden.clone());
        let gates = gates + self.bias.clone();
        let gate = |i: usize| gates.clone().narrow(2, i * width, width);
        let cell = sigmoid(gate(1)) * cell + sigmoid(gate(0)) * tanh(gate(2));
        let hidden = sigmoid(gate(3)) * tanh(cell.clone());
        (hidden, cell)
    }
}

/// Rearranges the places of the flattened rows.
fn turn_around(states: Tensor<3>, reversal: Tensor<1, Int>) -> Tensor<3> {
    let [rows, length, width] = states.dims();
    let flat = states.reshape([rows * length, width]);
    flat.select(0, reversal).reshape([rows, length, width])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Batch, Row};

    fn batch(rows: &[&[i64]], device: &Device) -> Batch {
        let rows: Vec<[Row; 1]> = rows.iter().map(|ids| [Row::of_words(ids.to_vec())]).collect();
        let rows: Vec<&[Row]> = rows.iter().map(|row| row.as_slice()).collect();
        Batch::new(&rows, &[], device)
    }

    #[test]
    fn turning_around_twice_changes_nothing() {
        let device = Device::flex();
        let batch = batch(&[&[2, 3, 4], &[5]], &device);
        assert_eq!(batch.reversal, [2, 1, 0, 3, 4, 5]);
        let states = Tensor::<3>::random([2, 3, 4], Distribution::Default, &device);
        let index = Tensor::from_data(TensorData::new(batch.reversal, [6]), &device);
        let twice = turn_around(turn_around(states.clone(), index.clone()), index);
        assert_eq!(twice.into_data(), states.into_data());
    }

    /// tests/peers/lstm_vectors.py: torch.nn.LSTM over packed rows of mixed lengths.
    #[test]
    fn states_and_gradients_are_those_of_torch() {
        let text = include_str!("../../tests/vectors/lstm.json");
        let known: serde_json::Value = serde_json::from_str(text).unwrap();
        let numbers = |value: &serde_json::Value| -> Vec<f32> {
            value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
        };
        let all = [crate::domain::Backend::Libtorch, crate::domain::Backend::Flex];
        for plain in all.iter().filter_map(|b| crate::model::device(*b, "cpu").ok()) {
            let device = plain.autodiff();
            let mut lstm = Lstm::new(3, 4, 0.0, &device);
            let parameter = |name: &str, kind: &str| numbers(&known["parameters"][name][kind]);
            let matrix = |name: &str, columns| {
                let data = TensorData::new(parameter(name, "value"), [16, columns]);
                Param::from_tensor(Tensor::<2>::from_data(data, &device))
            };
            let bias = |name: &str| {
                let data = TensorData::new(parameter(name, "value"), [16]);
                Param::from_tensor(Tensor::<1>::from_data(data, &device))
            };
            let direction = |end: &str| Direction {
                input: matrix(&format!("weight_ih_l0{end}"), 3),
                hidden: matrix(&format!("weight_hh_l0{end}"), 4),
                input_bias: bias(&format!("bias_ih_l0{end}")),
                hidden_bias: bias(&format!("bias_hh_l0{end}")),
            };
            lstm.forward = direction("");
            lstm.backward = direction("_reverse");
            let tensor = |value: Vec<f32>, width| {
                Tensor::<3>::from_data(TensorData::new(value, [3, 5, width]), &device)
            };
            let vectors = tensor(numbers(&known["vectors"]["value"]), 3).require_grad();
            let batch = batch(&[&[1, 1, 1, 1, 1], &[1], &[1, 1, 1]], &device);
            let states = lstm.states(vectors.clone(), &batch.reversal);
            // Behind a row's end the peer has zeros, and nothing reads ours: neither counts.
            let weights = numbers(&known["weights"]);
            let real = |i: usize| (i / 8) % 5 < [5, 1, 3][i / 40];
            let weights: Vec<f32> =
                weights.iter().enumerate().map(|(i, w)| if real(i) { *w } else { 0.0 }).collect();
            let gradients = (states.clone() * tensor(weights, 8)).sum().backward();
            let close = |what: &str, ours: Vec<f32>, theirs: Vec<f32>| {
                assert_eq!(ours.len(), theirs.len(), "{what}");
                for (a, b) in ours.iter().zip(&theirs) {
                    assert!((a - b).abs() < 1e-5, "{what}: {a} {b}");
                }
            };
            let states: Vec<f32> = states.into_data().iter::<f32>().collect();
            let kept = |all: Vec<f32>| -> Vec<f32> {
                all.into_iter().enumerate().filter(|(i, _)| real(*i)).map(|(_, x)| x).collect()
            };
            close("states", kept(states), kept(numbers(&known["states"])));
            let of_vectors = vectors.grad(&gradients).unwrap().into_data().iter::<f32>().collect();
            close("vectors", of_vectors, numbers(&known["vectors"]["gradient"]));
            for (end, direction) in [("", &lstm.forward), ("_reverse", &lstm.backward)] {
                let of = |p: &Param<Tensor<2>>| -> Vec<f32> {
                    p.val().grad(&gradients).unwrap().into_data().iter::<f32>().collect()
                };
                let of_bias = |p: &Param<Tensor<1>>| -> Vec<f32> {
                    p.val().grad(&gradients).unwrap().into_data().iter::<f32>().collect()
                };
                let found = [
                    ("weight_ih", of(&direction.input)),
                    ("weight_hh", of(&direction.hidden)),
                    ("bias_ih", of_bias(&direction.input_bias)),
                    ("bias_hh", of_bias(&direction.hidden_bias)),
                ];
                for (name, ours) in found {
                    let name = format!("{name}_l0{end}");
                    close(&name, ours, parameter(&name, "gradient"));
                }
            }
        }
    }

    /// The kernel's way and Burn's way are one model: the same outputs and the same gradients.
    #[cfg(feature = "libtorch")]
    #[test]
    fn the_libtorch_kernel_agrees_with_burns_operations() {
        let plain = crate::model::device(crate::domain::Backend::Libtorch, "cpu").unwrap();
        let device = plain.clone().autodiff();
        let lstm = Lstm::new(5, 6, 0.0, &device);
        let batch = batch(&[&[2, 3, 4, 5, 6, 7, 8], &[5], &[3, 4, 5]], &device);
        let vectors = Tensor::<3>::random([3, 7, 5], Distribution::Normal(0.0, 1.0), &device);
        let weights = Tensor::<3>::random([3, 7, 12], Distribution::Normal(0.0, 1.0), &device);
        let run = |states: &dyn Fn(Tensor<3>) -> Tensor<3>| {
            let vectors = vectors.clone().detach().require_grad();
            let output = states(vectors.clone());
            let gradients = (output.clone() * weights.clone()).sum().backward();
            let backward = &lstm.backward;
            let numbers = |t: Tensor<3>| t.into_data().try_to_vec::<f32>().unwrap();
            let of_matrix = |p: &Param<Tensor<2>>| p.val().grad(&gradients).unwrap();
            let of_bias = |p: &Param<Tensor<1>>| p.val().grad(&gradients).unwrap();
            [
                numbers(output),
                numbers(vectors.grad(&gradients).unwrap()),
                of_matrix(&lstm.forward.input).into_data().try_to_vec().unwrap(),
                of_matrix(&lstm.forward.hidden).into_data().try_to_vec().unwrap(),
                of_matrix(&backward.input).into_data().try_to_vec().unwrap(),
                of_matrix(&backward.hidden).into_data().try_to_vec().unwrap(),
                of_bias(&backward.input_bias).into_data().try_to_vec().unwrap(),
                of_bias(&backward.hidden_bias).into_data().try_to_vec().unwrap(),
            ]
        };
        let kernel = run(&|v| lstm.states(v, &batch.reversal));
        let burn = run(&|v| lstm.states_on_burn(v, &batch.reversal));
        for (which, (kernel, burn)) in kernel.iter().zip(&burn).enumerate() {
            for (a, b) in kernel.iter().zip(burn) {
                assert!((a - b).abs() < 1e-5, "value {which}: {a} {b}");
            }
        }
        // And without autodiff, as prediction runs it.
        let valid = lstm.valid();
        let plain = valid.states(vectors.clone().inner(), &batch.reversal);
        let difference = (plain - lstm.states(vectors, &batch.reversal).inner()).abs().max();
        assert!(difference.into_scalar::<f32>() < 1e-5);
    }
}
