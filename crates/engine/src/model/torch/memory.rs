//! The memory of LibTorch's tensors, for what one pass over the numbers does better than LibTorch's
//! operations one after the other.

use burn::backend::LibTorch;
use burn::backend::libtorch::TchTensor;
use burn::tensor::Tensor;

/// A tensor of 32-bit numbers in this process's memory, one behind the other.
pub struct InPlace(TchTensor);

/// The memory of a tensor. Only 32-bit tensors of LibTorch's CPU device come here.
pub fn in_place<const D: usize>(tensor: Tensor<D>) -> InPlace {
    memory(tensor.inner().try_into_primitive::<LibTorch>().expect("a tensor of LibTorch"))
}

/// The memory of a tensor that was taken out of Burn.
pub fn memory(tensor: TchTensor) -> InPlace {
    let here = tensor.tensor.device() == tch::Device::Cpu;
    assert!(here && tensor.tensor.kind() == tch::Kind::Float, "32-bit numbers in this memory");
    if tensor.tensor.is_contiguous() {
        InPlace(tensor)
    } else {
        InPlace(TchTensor::new(tensor.tensor.contiguous()))
    }
}

/// The numbers of a contiguous 32-bit tensor in this process's memory.
pub fn numbers(tensor: &tch::Tensor) -> &[f32] {
    let here = tensor.device() == tch::Device::Cpu && tensor.is_contiguous();
    assert!(here && tensor.kind() == tch::Kind::Float, "32-bit numbers in this memory");
    if tensor.numel() == 0 {
        return &[];
    }
    // SAFETY: as just checked; the tensor keeps the memory alive, and those who hand tensors to a node hold them,
    // so that nobody changes them.
    unsafe { std::slice::from_raw_parts(tensor.data_ptr().cast(), tensor.numel()) }
}

/// A new tensor of this shape whose numbers `fill` writes.
pub fn filled(shape: &[i64], fill: impl FnOnce(&mut [f32])) -> tch::Tensor {
    let mut memory = room(shape);
    fill(memory.numbers_mut());
    memory.0.tensor
}

/// A new tensor of this shape whose numbers are all to be written.
pub fn room(shape: &[i64]) -> InPlace {
    let tensor = tch::Tensor::empty(shape, (tch::Kind::Float, tch::Device::Cpu));
    InPlace(TchTensor::new(tensor))
}

impl InPlace {
    /// The numbers.
    pub fn numbers(&self) -> &[f32] {
        let (data, length) = (self.0.tensor.data_ptr(), self.0.tensor.numel());
        if length == 0 {
            return &[];
        }
        // SAFETY: `in_place` lets in contiguous tensors of 32-bit floats in this process's memory alone, the
        // tensor keeps the memory alive, and while it is borrowed here nobody gets at it to change it.
        unsafe { std::slice::from_raw_parts(data.cast(), length) }
    }

    /// The numbers, to be changed; a copy of them where somebody else holds the tensor too.
    pub fn numbers_mut(&mut self) -> &mut [f32] {
        if !self.0.can_mut() {
            self.0 = TchTensor::new(self.0.tensor.copy());
        }
        let (data, length) = (self.0.tensor.data_ptr(), self.0.tensor.numel());
        if length == 0 {
            return &mut [];
        }
        // SAFETY: as above; and nobody else holds the memory, as Burn counts those who do.
        unsafe { std::slice::from_raw_parts_mut(data.cast(), length) }
    }

    /// The tensor, outside of Burn.
    pub fn into_inner(self) -> TchTensor {
        self.0
    }

    /// The tensor, without autodiff.
    pub fn into_tensor<const D: usize>(self) -> Tensor<D> {
        Tensor::from_primitive::<LibTorch>(self.0)
    }
}
