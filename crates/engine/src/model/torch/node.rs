//! A node of Burn's graph that computes on LibTorch's tensors, with a backward pass by hand.

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

/// An input of a node.
pub enum NodeInput {
    /// Part of Burn's graph.
    Tracked(Tracked),
    /// A plain value: nothing is being trained.
    Plain(TchTensor),
}

/// Takes a tensor out of Burn. Only tensors of a LibTorch device come here.
pub fn node_input<const D: usize>(tensor: Tensor<D>) -> NodeInput {
    if tensor.device().is_autodiff() {
        let tensor = tensor.try_into_primitive::<Autodiff<LibTorch>>();
        NodeInput::Tracked(tensor.expect("a tensor of LibTorch with autodiff"))
    } else {
        NodeInput::Plain(tensor.try_into_primitive::<LibTorch>().expect("a tensor of LibTorch"))
    }
}

/// From the gradient of a node's output to those of its inputs, for those that are wanted.
pub type Backwards<const N: usize> =
    Box<dyn FnOnce(TchTensor, [bool; N]) -> [Option<TchTensor>; N] + Send>;

/// Runs `forward` on the inputs; as one node of Burn's graph if the inputs are part of it.
/// `forward` is given whether there will be a backward pass, which it then returns.
pub fn by_hand<const N: usize, const D: usize>(
    inputs: [NodeInput; N],
    forward: impl FnOnce([TchTensor; N], bool) -> (TchTensor, Option<Backwards<N>>),
) -> Tensor<D> {
    let mut tracked = Vec::with_capacity(N);
    let values = inputs.map(|input| match input {
        NodeInput::Tracked(tensor) => {
            let value = tensor.primitive().clone();
            tracked.push(tensor);
            value
        }
        NodeInput::Plain(tensor) => tensor,
    });
    let Ok(tracked) = <[Tracked; N]>::try_from(tracked) else {
        return Tensor::from_primitive::<LibTorch>(forward(values, false).0);
    };
    let nodes = tracked.each_ref().map(|input| input.node());
    drop(tracked);
    let output = match ByHand.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let (output, backwards) = forward(values, true);
            prepared.finish(BackwardPass(Arc::new(Mutex::new(backwards))), output)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(forward(values, false).0),
    };
    Tensor::from_primitive::<Autodiff<LibTorch>>(output)
}

/// The backward pass of a node, until it ran.
#[derive(Clone)]
struct BackwardPass<const N: usize>(Arc<Mutex<Option<Backwards<N>>>>);

impl<const N: usize> fmt::Debug for BackwardPass<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a backward pass by hand")
    }
}

#[derive(Debug)]
struct ByHand;

impl<const N: usize> Backward<LibTorch, N> for ByHand {
    type State = BackwardPass<N>;

    fn backward(
        self,
        ops: Ops<BackwardPass<N>, N>,
        gradients: &mut Gradients,
        _: &mut Checkpointer,
    ) {
        let gradient = gradients.consume::<LibTorch>(&ops.node);
        let mut pass = ops.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pass = pass.take().expect("a node is differentiated once");
        let wanted = ops.parents.each_ref().map(Option::is_some);
        for (parent, gradient) in ops.parents.iter().zip(pass(gradient, wanted)) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                gradients.register::<LibTorch>(parent.id, gradient);
            }
        }
    }
}

/// The way back: from the output's gradient and the inputs to the inputs' gradients, of those that
/// are wanted.
pub type Back =
    Box<dyn FnOnce(&tch::Tensor, &[tch::Tensor], &[bool]) -> Vec<Option<tch::Tensor>> + Send>;

/// Runs `forward` on the inputs, each contiguous; as one node of Burn's graph if the inputs are
/// part of it. Its second argument says whether the way back is wanted.
pub fn node<const N: usize, const D: usize>(
    inputs: Vec<NodeInput>,
    forward: impl FnOnce(&[tch::Tensor], bool) -> (tch::Tensor, Option<Back>),
) -> Tensor<D> {
    let inputs: Result<[NodeInput; N], _> = inputs.try_into();
    let inputs = inputs.ok().expect("as many inputs as the node has");
    by_hand(inputs, |held: [TchTensor; N], keep| {
        let values: Vec<tch::Tensor> = held.iter().map(|value| value.tensor.contiguous()).collect();
        let (output, back) = forward(&values, keep);
        let backwards = back.map(|back| -> Backwards<N> {
            Box::new(move |gradient, wanted| {
                let mut found = back(&gradient.tensor.contiguous(), &values, &wanted).into_iter();
                // Burn changes a tensor in place only while nobody else holds it: so the inputs are
                // held.
                drop(held);
                std::array::from_fn(|_| found.next().flatten().map(TchTensor::new))
            })
        });
        (TchTensor::new(output), backwards)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn numbers(numbers: [f32; 2], device: &Device) -> Tensor<1> {
        Tensor::from_data(TensorData::new(numbers.to_vec(), [2]), device)
    }

    /// 3a + b, which notes whose gradients are wanted.
    fn sum(a: Tensor<1>, b: Tensor<1>, wanted: &Arc<Mutex<Vec<[bool; 2]>>>) -> Tensor<1> {
        let wanted = Arc::clone(wanted);
        by_hand([node_input(a), node_input(b)], move |[a, b], is_trained| {
            let sum = TchTensor::new(&a.tensor * 3.0 + &b.tensor);
            let backwards = is_trained.then(|| -> Backwards<2> {
                Box::new(move |gradient, wants| {
                    wanted.lock().unwrap().push(wants);
                    let of_a = TchTensor::new(&gradient.tensor * 3.0);
                    [wants[0].then_some(of_a), wants[1].then_some(gradient)]
                })
            });
            (sum, backwards)
        })
    }

    #[test]
    fn gradients_by_hand_go_to_tracked_inputs_alone() {
        let plain = crate::model::device(domain::Backend::Libtorch, "cpu").unwrap();
        let device = plain.clone().autodiff();
        let wanted = Arc::default();
        let read = |tensor: Tensor<1>| tensor.into_data().iter::<f32>().collect::<Vec<_>>();
        let (a, b) = (numbers([1.0, 2.0], &device), numbers([5.0, 7.0], &device).require_grad());
        let output = sum(a, b.clone(), &wanted);
        assert_eq!(read(output.clone()), [8.0, 13.0]);
        let gradients = (output * numbers([1.0, 10.0], &device)).sum().backward();
        assert_eq!(read(b.grad(&gradients).unwrap()), [1.0, 10.0]);
        let a = numbers([1.0, 2.0], &device).require_grad();
        let gradients = sum(a.clone(), b.clone(), &wanted).sum().backward();
        assert_eq!(read(a.grad(&gradients).unwrap()), [3.0, 3.0]);
        assert_eq!(*wanted.lock().unwrap(), [[false, true], [true, true]]);
        // No pass is asked for where nothing is tracked.
        let [a, b] = [numbers([1.0, 2.0], &device), numbers([5.0, 7.0], &device)];
        assert_eq!(read(sum(a, b, &wanted)), [8.0, 13.0]);
        let [a, b] = [numbers([1.0, 2.0], &plain), numbers([5.0, 7.0], &plain)];
        assert_eq!(read(sum(a, b, &wanted)), [8.0, 13.0]);
    }
}
