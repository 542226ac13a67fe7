//! A tensor's numbers in this process's memory.

use burn::tensor::{DType, Device, Tensor, TensorData};

#[cfg(feature = "libtorch")]
use crate::model::torch::{InPlace, in_place};

/// The numbers of a tensor, where they are.
pub enum Numbers {
    #[cfg(feature = "libtorch")]
    Torch(InPlace),
    /// Flex's, which gives them away without a copy.
    Data(TensorData, Device),
}

impl Numbers {
    /// Whether a tensor's numbers are in this process's memory.
    pub fn are_here<const D: usize>(tensor: &Tensor<D>) -> bool {
        let device = tensor.device();
        tensor.dtype() == DType::F32 && (device == Device::flex() || on_torch(&device))
    }

    /// The numbers of a tensor; a copy of them where they are not here.
    pub fn of<const D: usize>(tensor: Tensor<D>) -> Self {
        let device = tensor.device();
        #[cfg(feature = "libtorch")]
        if tensor.dtype() == DType::F32 && on_torch(&device) {
            return Numbers::Torch(in_place(tensor));
        }
        Numbers::Data(tensor.into_data(), device)
    }

    /// The numbers.
    pub fn get(&self) -> &[f32] {
        match self {
            #[cfg(feature = "libtorch")]
            Numbers::Torch(memory) => memory.numbers(),
            Numbers::Data(data, _) => data.as_slice().expect("32-bit numbers"),
        }
    }

    /// The numbers, to be changed.
    pub fn get_mut(&mut self) -> &mut [f32] {
        match self {
            #[cfg(feature = "libtorch")]
            Numbers::Torch(memory) => memory.numbers_mut(),
            Numbers::Data(data, _) => data.as_mut_slice().expect("32-bit numbers"),
        }
    }

    /// The tensor, without autodiff.
    pub fn into_tensor<const D: usize>(self) -> Tensor<D> {
        match self {
            #[cfg(feature = "libtorch")]
            Numbers::Torch(memory) => memory.into_tensor(),
            Numbers::Data(data, device) => Tensor::from_data(data, &device),
        }
    }
}

#[cfg(feature = "libtorch")]
fn on_torch(device: &Device) -> bool {
    crate::model::device::is_libtorch(device)
}

#[cfg(not(feature = "libtorch"))]
fn on_torch(_: &Device) -> bool {
    false
}
