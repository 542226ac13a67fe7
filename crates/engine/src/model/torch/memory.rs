//! The memory of LibTorch's tensors, for what one pass over the numbers does better than LibTorch's
//! operations one after the other.

use burn::backend::LibTorch;
use burn::backend::libtorch::TchTensor;
use burn::tensor::Tensor;
use std::mem::MaybeUninit;

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
    // SAFETY: as just checked; the tensor keeps the memory alive, and those who hand tensors to a
    // node hold them, so that nobody changes them.
    unsafe { std::slice::from_raw_parts(tensor.data_ptr().cast(), tensor.numel()) }
}

/// A new tensor of this shape whose numbers `fill` changes; they are zero before.
pub fn filled(shape: &[i64], fill: impl FnOnce(&mut [f32])) -> tch::Tensor {
    let mut memory = room(shape);
    fill(memory.numbers_mut());
    memory.0.tensor
}

/// A new tensor of this shape whose numbers are zero: nobody sees what was in its memory before.
pub fn room(shape: &[i64]) -> InPlace {
    InPlace(TchTensor::new(tch::Tensor::zeros(shape, (tch::Kind::Float, tch::Device::Cpu))))
}

/// A new tensor of this shape whose numbers `write` writes, all of them: it gives back what it
/// wrote.
pub fn written(
    shape: &[i64],
    write: impl for<'a> FnOnce(&'a mut [MaybeUninit<f32>]) -> &'a mut [f32],
) -> tch::Tensor {
    let tensor = tch::Tensor::empty(shape, (tch::Kind::Float, tch::Device::Cpu));
    let length = tensor.numel();
    if length > 0 {
        // SAFETY: the tensor is new, contiguous, of 32-bit floats in this process's memory, and
        // lives longer than the slice. What its memory holds is not taken for a number before it is
        // written.
        let memory = unsafe { std::slice::from_raw_parts_mut(tensor.data_ptr().cast(), length) };
        assert_eq!(write(memory).len(), length, "every number is written");
    }
    tensor
}

impl InPlace {
    /// The numbers.
    pub fn numbers(&self) -> &[f32] {
        let (data, length) = (self.0.tensor.data_ptr(), self.0.tensor.numel());
        if length == 0 {
            return &[];
        }
        // SAFETY: `in_place` lets in contiguous tensors of 32-bit floats in this process's memory
        // alone, the tensor keeps the memory alive, and while it is borrowed here nobody gets at it
        // to change it.
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

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [i64; 2] = [100, 1000];

    /// Memory that is free again, with numbers in it.
    fn leave_numbers() {
        let ones = tch::Tensor::ones(SHAPE, (tch::Kind::Float, tch::Device::Cpu));
        assert_eq!(numbers(&ones)[0], 1.0);
    }

    #[test]
    fn new_memory_is_zero_whatever_was_in_it() {
        for _ in 0..20 {
            leave_numbers();
            assert!(room(&SHAPE).numbers().iter().all(|number| *number == 0.0));
            leave_numbers();
            let _ = filled(&SHAPE, |found| assert!(found.iter().all(|number| *number == 0.0)));
        }
    }

    #[test]
    fn a_written_tensor_has_the_numbers_that_were_written() {
        let given: Vec<f32> = (0..6).map(|n| n as f32).collect();
        let tensor = written(&[2, 3], |memory| memory.write_copy_of_slice(&given));
        assert_eq!((tensor.size(), numbers(&tensor)), (vec![2, 3], &given[..]));
        let empty = written(&[0, 3], |_| unreachable!("there is nothing to write"));
        assert_eq!(empty.size(), [0, 3]);
    }

    #[test]
    #[should_panic(expected = "every number is written")]
    fn a_tensor_that_is_written_in_part_is_not_made() {
        let _ = written(&[2, 3], |memory| memory[..5].write_copy_of_slice(&[0.0; 5]));
    }
}
