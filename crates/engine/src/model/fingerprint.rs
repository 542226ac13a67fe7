//! A trained model in one number: whether two trainings came to the same bits.

use super::tagger::Tagger;
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;
use sha2::{Digest, Sha256};

/// SHA-256 in hexadecimal over every parameter, in the order of the model's fields: its path, its shape,
/// and its numbers as 32 bits each, little-endian.
pub fn fingerprint(model: &Tagger) -> String {
    let mut hash = Hash { path: Vec::new(), hash: Sha256::new() };
    model.visit(&mut hash);
    hex::encode(hash.hash.finalize())
}

struct Hash {
    path: Vec<String>,
    hash: Sha256,
}

impl ModuleVisitor for Hash {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, parameter: &Param<Tensor<D>>) {
        let tensor = parameter.val();
        self.hash.update(format!("{} {:?}\n", self.path.join("."), tensor.dims()));
        let data = tensor.into_data().convert::<f32>();
        let mut bytes = Vec::with_capacity(1 << 14);
        // `convert` made 32-bit numbers of whatever there was.
        for numbers in data.as_slice::<f32>().unwrap_or_default().chunks(1 << 12) {
            bytes.clear();
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            self.hash.update(&bytes);
        }
    }
}
