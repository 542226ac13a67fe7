//! A closure of LibTorch operations as one node of Burn's graph, differentiated by LibTorch's own
//! autograd.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::libtorch::TchTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, LibTorch};
use burn::tensor::Tensor;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

type Tracked = FloatTensor<Autodiff<LibTorch>>;

/// An input of a region.
pub enum Operand {
    /// Part of Burn's graph.
    Tracked(Tracked),
    /// A plain value: nothing is being trained.
    Plain(TchTensor),
}

/// Takes a tensor out of Burn. Only tensors of a LibTorch device come here.
pub fn operand<const D: usize>(tensor: Tensor<D>) -> Operand {
    if tensor.device().is_autodiff() {
        let tensor = tensor.try_into_primitive::<Autodiff<LibTorch>>();
        Operand::Tracked(tensor.expect("a tensor of LibTorch with autodiff"))
    } else {
        Operand::Plain(tensor.try_into_primitive::<LibTorch>().expect("a tensor of LibTorch"))
    }
}

/// Runs `operations` on the inputs; as one node of Burn's graph if the inputs are part of it.
pub fn region<const N: usize, const D: usize>(
    inputs: [Operand; N],
    operations: impl FnOnce(&[tch::Tensor]) -> tch::Tensor,
) -> Tensor<D> {
    let mut tracked = Vec::with_capacity(N);
    let mut plain = Vec::with_capacity(N);
    for input in inputs {
        match input {
            Operand::Tracked(tensor) => tracked.push(tensor),
            Operand::Plain(tensor) => plain.push(tensor.tensor),
        }
    }
    match <[Tracked; N]>::try_from(tracked) {
        Ok(tracked) => Tensor::from_primitive::<Autodiff<LibTorch>>(node(tracked, operations)),
        Err(tracked) => {
            assert!(tracked.is_empty(), "a region's inputs are all tracked, or none of them is");
            let output = tch::no_grad(|| operations(&plain));
            Tensor::from_primitive::<LibTorch>(TchTensor::new(output))
        }
    }
}

fn node<const N: usize>(
    inputs: [Tracked; N],
    operations: impl FnOnce(&[tch::Tensor]) -> tch::Tensor,
) -> Tracked {
    let nodes = std::array::from_fn::<_, N, _>(|i| inputs[i].node());
    let values: Vec<TchTensor> = inputs.iter().map(|input| input.primitive().clone()).collect();
    match Region.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let leaves: Vec<tch::Tensor> = values
                .iter()
                .zip(&inputs)
                .map(|(value, input)| value.tensor.detach().set_requires_grad(input.is_tracked()))
                .collect();
            let output = operations(&leaves);
            let value = TchTensor::new(output.detach());
            prepared.finish(
                State(Arc::new(Mutex::new(Tape { leaves, output, _values: values }))),
                value,
            )
        }
        OpsKind::UnTracked(prepared) => {
            let values: Vec<tch::Tensor> = values.into_iter().map(|value| value.tensor).collect();
            prepared.finish(TchTensor::new(tch::no_grad(|| operations(&values))))
        }
    }
}

/// LibTorch's graph of one region.
struct Tape {
    leaves: Vec<tch::Tensor>,
    output: tch::Tensor,
    /// Burn changes a tensor in place only while nobody else holds it: so hold the inputs.
    _values: Vec<TchTensor>,
}

#[derive(Clone)]
struct State(Arc<Mutex<Tape>>);

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LibTorch's graph of a region")
    }
}

#[derive(Debug)]
struct Region;

impl<const N: usize> Backward<LibTorch, N> for Region {
    type State = State;

    fn backward(self, ops: Ops<State, N>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<LibTorch>(&ops.node);
        let tape = ops.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        // tch's run_backward takes no gradient of the output; this scalar's gradient is the same.
        let root = (&tape.output * &gradient.tensor).sum(tch::Kind::Float);
        let parents = ops.parents.iter().zip(&tape.leaves);
        let (parents, leaves): (Vec<_>, Vec<_>) =
            parents.filter_map(|(parent, leaf)| Some((parent.as_ref()?, leaf))).unzip();
        let results = tch::Tensor::run_backward(&[&root], &leaves, false, false);
        for (parent, gradient) in parents.into_iter().zip(results) {
            gradients.register::<LibTorch>(parent.id, TchTensor::new(gradient));
        }
    }
}
