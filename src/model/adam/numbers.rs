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
    /// The numbers of a tensor; the tensor again if it is in another device's memory.
    pub fn of<const D: usize>(tensor: Tensor<D>) -> Result<Self, Tensor<D>> {
        #[cfg(feature = "libtorch")]
        let tensor = match in_place(tensor) {
            Ok(memory) => return Ok(Numbers::Torch(memory)),
            Err(tensor) => tensor,
        };
        if tensor.device() == Device::flex() && tensor.dtype() == DType::F32 {
            Ok(Self::copied(tensor))
        } else {
            Err(tensor)
        }
    }

    /// The numbers of a tensor, wherever it is.
    pub fn copied<const D: usize>(tensor: Tensor<D>) -> Self {
        let device = tensor.device();
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
