//! The parameters of a trained model, one after the other, and the one number that they make.

use super::tagger::Tagger;
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};
use sha2::{Digest, Sha256};

/// Hands out every parameter of a model in the order of its fields: its path, its shape, its
/// numbers.
pub fn for_each_parameter(model: &Tagger, each: impl FnMut(String, &[usize], TensorData)) {
    model.visit(&mut Visit { path: Vec::new(), each });
}

struct Visit<F> {
    path: Vec<String>,
    each: F,
}

impl<F: FnMut(String, &[usize], TensorData)> ModuleVisitor for Visit<F> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        let tensor = parameter.val();
        (self.each)(self.path.join("."), &tensor.dims(), tensor.into_data());
    }
}

/// Whether two trainings came to the same bits: SHA-256 in hexadecimal over every parameter, its
/// path, its shape, and its numbers as 32 bits each, little-endian.
pub fn fingerprint(model: &Tagger) -> String {
    let mut hash = Sha256::new();
    for_each_parameter(model, |path, shape, data| {
        hash.update(format!("{path} {shape:?}\n"));
        let data = data.convert::<f32>();
        let mut bytes = Vec::with_capacity(1 << 14);
        let numbers = data.as_slice::<f32>().expect("`convert` made 32-bit numbers of them");
        for numbers in numbers.chunks(1 << 12) {
            bytes.clear();
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            hash.update(&bytes);
        }
    });
    hex::encode(hash.finalize())
}
