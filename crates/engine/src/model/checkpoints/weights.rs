//! The tensors of a checkpoint.

use burn::tensor::{Device, Tensor, TensorData, bf16, f16};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use safetensors::{SafeTensorError, SafeTensors};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// There are no weights at all.
    #[error("{} has no model.safetensors", .0.display())]
    Missing(PathBuf),
    /// There are weights, but in a form that could run code.
    #[error(
        "{} has its weights as a pickle (pytorch_model.bin), which is not read because opening one runs code; convert it: python -c \"from transformers import AutoModel; AutoModel.from_pretrained('.').save_pretrained('.')\"",
        .0.display()
    )]
    Pickle(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file is not JSON.
    #[error("{} is not JSON: {source}", path.display())]
    Json { path: PathBuf, source: serde_json::Error },
    /// A file is not what its name says.
    #[error("{} is not a safetensors file: {source}", path.display())]
    Damaged { path: PathBuf, source: SafeTensorError },
    /// A setting is missing, or none that can be used.
    #[error("{}: {what}", path.display())]
    Setting { path: PathBuf, what: String },
    /// A tensor that the model needs is not there.
    #[error("{} has no tensor `{name}`", folder.display())]
    NoTensor { folder: PathBuf, name: String },
    /// A tensor has another shape than config.json says.
    #[error("the tensor `{name}` of {} is {found:?}, but config.json makes it {wanted:?}", folder.display())]
    Shape { folder: PathBuf, name: String, found: Vec<usize>, wanted: Vec<usize> },
    /// A tensor has numbers of a kind that is not read.
    #[error("the tensor `{name}` of {} has numbers of type {found}: F32, F16 and BF16 are read", folder.display())]
    Numbers { folder: PathBuf, name: String, found: String },
}

impl CheckpointError {
    /// For a file that cannot be read.
    pub fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Read { path: path.to_owned(), source }
    }
}

/// One safetensors file.
struct File {
    bytes: Vec<u8>,
    /// Where the tensors begin.
    start: usize,
    metadata: Metadata,
}

/// The tensors of a checkpoint by name.
pub struct Weights {
    folder: PathBuf,
    files: Vec<File>,
    /// What stands before every name: `bert.` where the checkpoint has a head, nothing where it has
    /// none.
    prefix: String,
}

impl Weights {
    /// Reads the files of a folder. `prefixes` are those that may stand before the names;
    /// `landmark` is a tensor that shows which does.
    pub fn open(folder: &Path, prefixes: &[&str], landmark: &str) -> Result<Self, CheckpointError> {
        let files = names(folder)?;
        let files = files.iter().map(|name| open(&folder.join(name)));
        let mut weights = Self {
            folder: folder.to_owned(),
            files: files.collect::<Result<_, _>>()?,
            prefix: String::new(),
        };
        let there = |prefix: &&&str| weights.find(&format!("{prefix}{landmark}")).is_some();
        let prefix = prefixes.iter().find(there).copied().unwrap_or_default();
        weights.prefix = prefix.to_owned();
        Ok(weights)
    }

    /// A tensor, which must have this shape.
    pub fn tensor<const D: usize>(
        &self,
        name: &str,
        shape: [usize; D],
        device: &Device,
    ) -> Result<Tensor<D>, CheckpointError> {
        let numbers = self.numbers(name, &shape)?;
        Ok(Tensor::from_data(TensorData::new(numbers, shape), device))
    }

    fn numbers(&self, name: &str, wanted: &[usize]) -> Result<Vec<f32>, CheckpointError> {
        let folder = || self.folder.clone();
        let full = format!("{}{name}", self.prefix);
        let missing = || CheckpointError::NoTensor { folder: folder(), name: full.clone() };
        let found = self.find(&full).or_else(|| self.find(&older_name(&full)));
        let (info, bytes) = found.ok_or_else(missing)?;
        if info.shape != wanted {
            let (found, wanted) = (info.shape.clone(), wanted.to_vec());
            return Err(CheckpointError::Shape { folder: folder(), name: full, found, wanted });
        }
        match info.dtype {
            Dtype::F32 => Ok(numbers(bytes, f32::from_le_bytes)),
            Dtype::F16 => Ok(numbers(bytes, |b| f16::from_le_bytes(b).to_f32())),
            Dtype::BF16 => Ok(numbers(bytes, |b| bf16::from_le_bytes(b).to_f32())),
            other => {
                let found = format!("{other:?}");
                Err(CheckpointError::Numbers { folder: folder(), name: full, found })
            }
        }
    }

    fn find(&self, name: &str) -> Option<(&TensorInfo, &[u8])> {
        self.files.iter().find_map(|file| {
            let info = file.metadata.info(name)?;
            let (from, to) = info.data_offsets;
            Some((info, file.bytes.get(file.start + from..file.start + to)?))
        })
    }
}

/// Checkpoints that come from TensorFlow name the numbers of a norm otherwise.
fn older_name(name: &str) -> String {
    name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|&chunk| number(chunk)).collect()
}

/// The names of the folder's safetensors files.
fn names(folder: &Path) -> Result<BTreeSet<String>, CheckpointError> {
    let index = folder.join("model.safetensors.index.json");
    if folder.join("model.safetensors").exists() {
        Ok(BTreeSet::from(["model.safetensors".to_owned()]))
    } else if index.exists() {
        let file = json(&index)?;
        let parts = file["weight_map"].as_object().into_iter().flat_map(|map| map.values());
        // Names of files only: an index must not lead out of its folder.
        let name = |part: &Value| Some(Path::new(part.as_str()?).file_name()?.to_str()?.to_owned());
        Ok(parts.filter_map(name).collect())
    } else if folder.join("pytorch_model.bin").exists() {
        Err(CheckpointError::Pickle(folder.to_owned()))
    } else {
        Err(CheckpointError::Missing(folder.to_owned()))
    }
}

fn open(path: &Path) -> Result<File, CheckpointError> {
    let bytes = std::fs::read(path).map_err(CheckpointError::read(path))?;
    let damaged = |source| CheckpointError::Damaged { path: path.to_owned(), source };
    let (length, metadata) = SafeTensors::read_metadata(&bytes).map_err(damaged)?;
    // The length of the header stands before it in eight bytes.
    Ok(File { start: 8 + length, bytes, metadata })
}

/// A folder's `config.json` and its path.
pub fn config(folder: &Path) -> Result<(PathBuf, Value), CheckpointError> {
    let path = folder.join("config.json");
    json(&path).map(|value| (path, value))
}

/// The text of a file beside the weights.
pub fn text(path: &Path) -> Result<String, CheckpointError> {
    std::fs::read_to_string(path).map_err(CheckpointError::read(path))
}

/// The same as JSON.
pub fn json(path: &Path) -> Result<Value, CheckpointError> {
    let failed = |source| CheckpointError::Json { path: path.to_owned(), source };
    serde_json::from_str(&text(path)?).map_err(failed)
}
