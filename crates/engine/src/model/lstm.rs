//! An LSTM in both directions.
//!
//! Each direction is a plain LSTM; the backward one reads every row turned around. Parameters have
//! LibTorch's layout. On LibTorch the recurrence is one node of the graph and computes no padding
//! (`torch/lstm.rs`); elsewhere the same arithmetic runs on Burn's operations over rows that are
//! padded to the longest.

use super::batch::indices;
use super::padded::Padded;
use burn::module::{Module, Param};
use burn::nn::DropoutConfig;
use burn::tensor::activation::{sigmoid, tanh};
use burn::tensor::{Device, Distribution, Tensor};

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
    /// Fresh weights for `hidden` units per direction.
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

    /// The places of rows of these lengths, one row after the other: places × input to places ×
    /// output.
    pub fn states(&self, vectors: Tensor<2>, lengths: &[usize]) -> Tensor<2> {
        #[cfg(feature = "libtorch")]
        if super::device::is_libtorch(&vectors.device()) {
            return super::torch::lstm(vectors, self, lengths);
        }
        self.states_on_burn(vectors, lengths)
    }

    /// Both directions at once: the direction is one more batch dimension.
    fn states_on_burn(&self, vectors: Tensor<2>, lengths: &[usize]) -> Tensor<2> {
        if vectors.dims()[0] == 0 {
            return Tensor::zeros([0, self.output()], &vectors.device());
        }
        let dropout = DropoutConfig::new(self.dropout).init();
        let vectors = dropout.forward(vectors);
        let reversal = indices(reversal(lengths), &vectors.device());
        let turned = vectors.clone().select(0, reversal.clone());
        let padded = Padded::new(lengths);
        let vectors = Tensor::stack::<4>(vec![padded.block(vectors), padded.block(turned)], 0);
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
        let of = |direction| padded.places(states.clone().narrow(0, direction, 1).squeeze_dim(0));
        let back = of(1).select(0, reversal);
        dropout.forward(Tensor::cat(vec![of(0), back], 1))
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

/// For each place the one that takes its place when every row is turned around. It is its own
/// inverse.
fn reversal(lengths: &[usize]) -> impl Iterator<Item = usize> {
    let ends = lengths.iter().scan(0, |end, &length| {
        *end += length;
        Some((*end - length, *end))
    });
    ends.flat_map(|(start, end)| (start..end).rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::TensorData;
    use serde_json::Value;

    #[test]
    fn every_row_is_turned_around_within_itself() {
        assert_eq!(reversal(&[3, 0, 1, 2]).collect::<Vec<_>>(), [2, 1, 0, 3, 5, 4]);
    }

    /// The lengths of the rows of tests/peers/lstm_vectors.py.
    const LENGTHS: [usize; 3] = [5, 1, 3];

    fn numbers(value: &Value) -> Vec<f32> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
    }

    /// The peer's numbers are padded to 5 places per row, which are left out here.
    fn real(value: &Value, width: usize) -> Vec<f32> {
        let is_real = |i: usize| (i / width) % 5 < LENGTHS[i / (5 * width)];
        let places = numbers(value).into_iter().enumerate();
        places.filter(|(i, _)| is_real(*i)).map(|(_, number)| number).collect()
    }

    fn close(what: &str, ours: &[f32], theirs: &[f32]) {
        assert_eq!(ours.len(), theirs.len(), "{what}");
        for (a, b) in ours.iter().zip(theirs) {
            assert!((a - b).abs() < 1e-5, "{what}: {a} {b}");
        }
    }

    /// An LSTM of four units with the peer's parameters.
    fn of_torch(known: &Value, device: &Device) -> Lstm {
        let parameter = |name: &str| numbers(&known["parameters"][name]["value"]);
        let matrix = |name: &str, columns| {
            let data = TensorData::new(parameter(name), [16, columns]);
            Param::from_tensor(Tensor::<2>::from_data(data, device))
        };
        let bias = |name: &str| {
            let data = TensorData::new(parameter(name), [16]);
            Param::from_tensor(Tensor::<1>::from_data(data, device))
        };
        let direction = |end: &str| Direction {
            input: matrix(&format!("weight_ih_l0{end}"), 3),
            hidden: matrix(&format!("weight_hh_l0{end}"), 4),
            input_bias: bias(&format!("bias_ih_l0{end}")),
            hidden_bias: bias(&format!("bias_hh_l0{end}")),
        };
        let (forward, backward) = (direction(""), direction("_reverse"));
        Lstm { forward, backward, ..Lstm::new(3, 4, 0.0, device) }
    }

    /// torch.nn.LSTM over packed rows of mixed lengths.
    #[test]
    fn states_and_gradients_are_those_of_torch() {
        let text = include_str!("../../../../tests/vectors/lstm.json");
        let known: Value = serde_json::from_str(text).unwrap();
        let all = [domain::Backend::Libtorch, domain::Backend::Flex];
        for plain in all.iter().filter_map(|b| crate::model::device(*b, "cpu").ok()) {
            let device = plain.autodiff();
            let lstm = of_torch(&known, &device);
            let tensor = |value: Vec<f32>, width| {
                Tensor::<2>::from_data(TensorData::new(value, [9, width]), &device)
            };
            let vectors = tensor(real(&known["vectors"]["value"], 3), 3).require_grad();
            let states = lstm.states(vectors.clone(), &LENGTHS);
            let weights = tensor(real(&known["weights"], 8), 8);
            let gradients = (states.clone() * weights).sum().backward();
            let states: Vec<f32> = states.into_data().iter::<f32>().collect();
            close("states", &states, &real(&known["states"], 8));
            let of = |tensor: Tensor<2>| -> Vec<f32> {
                tensor.grad(&gradients).unwrap().into_data().iter::<f32>().collect()
            };
            let of_bias = |tensor: Tensor<1>| -> Vec<f32> {
                tensor.grad(&gradients).unwrap().into_data().iter::<f32>().collect()
            };
            close("vectors", &of(vectors), &real(&known["vectors"]["gradient"], 3));
            for (end, direction) in [("", &lstm.forward), ("_reverse", &lstm.backward)] {
                let found = [
                    ("weight_ih", of(direction.input.val())),
                    ("weight_hh", of(direction.hidden.val())),
                    ("bias_ih", of_bias(direction.input_bias.val())),
                    ("bias_hh", of_bias(direction.hidden_bias.val())),
                ];
                for (name, ours) in found {
                    let name = format!("{name}_l0{end}");
                    close(&name, &ours, &numbers(&known["parameters"][&name]["gradient"]));
                }
            }
        }
    }

    /// The recurrence and Burn's operations are one model: the same outputs and the same gradients.
    #[cfg(feature = "libtorch")]
    #[test]
    fn the_recurrence_agrees_with_burns_operations() {
        let plain = crate::model::device(domain::Backend::Libtorch, "cpu").unwrap();
        let device = plain.autodiff();
        let lengths: [&[usize]; 6] = [
            &[7, 1, 3],
            &[1],
            &[1, 1, 1, 1, 1, 1, 1],
            &[4, 4, 4, 4],
            &[0, 2, 0, 5],
            &[3, 9, 1, 2, 2, 8, 4, 4, 4, 7, 1, 6, 5, 9, 9, 2, 3, 3, 1, 11],
        ];
        for ((input, hidden), lengths) in
            [(5, 6), (1, 1), (40, 16), (20, 37)].iter().flat_map(|s| lengths.map(|l| (*s, l)))
        {
            let lstm = Lstm::new(input, hidden, 0.0, &device);
            let places = lengths.iter().sum();
            let normal = Distribution::Normal(0.0, 1.0);
            let vectors = Tensor::<2>::random([places, input], normal, &device);
            let weights = Tensor::<2>::random([places, 2 * hidden], normal, &device);
            let run = |states: &dyn Fn(Tensor<2>) -> Tensor<2>| {
                let vectors = vectors.clone().detach().require_grad();
                let output = states(vectors.clone());
                let gradients = (output.clone() * weights.clone()).sum().backward();
                let of_matrix = |p: &Param<Tensor<2>>| p.val().grad(&gradients).unwrap();
                let of_bias = |p: &Param<Tensor<1>>| p.val().grad(&gradients).unwrap();
                let mut all =
                    vec![output.into_data(), vectors.grad(&gradients).unwrap().into_data()];
                for direction in [&lstm.forward, &lstm.backward] {
                    let Direction { input, hidden, input_bias, hidden_bias } = direction;
                    all.extend([input, hidden].map(|p| of_matrix(p).into_data()));
                    all.extend([input_bias, hidden_bias].map(|p| of_bias(p).into_data()));
                }
                all
            };
            let ours = run(&|v| lstm.states(v, lengths));
            let burns = run(&|v| lstm.states_on_burn(v, lengths));
            for (which, (ours, burns)) in ours.iter().zip(&burns).enumerate() {
                assert_eq!(ours.shape(), burns.shape());
                for (a, b) in ours.iter::<f32>().zip(burns.iter::<f32>()) {
                    let bound = 1e-5 * b.abs().max(1.0);
                    assert!((a - b).abs() < bound, "{lengths:?}, value {which}: {a} {b}");
                }
            }
            // And without autodiff, as prediction runs it.
            let predicted = lstm.valid().states(vectors.inner(), lengths).into_data();
            assert_eq!(predicted, ours[0]);
        }
    }
}
