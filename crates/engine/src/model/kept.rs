//! A trained model in one file: its tensors in safetensors, and in that file's header everything
//! else that prediction needs.

use super::checkpoints::{Checkpoint, CheckpointError, text};
use super::encoders::PieceEncoder;
use super::parameters::for_each_parameter;
use super::reader::{Pieces, Reader, Units};
use super::tagger::{Material, ModelError, Tagger};
use super::tokenisation::{Coverage, Tokeniser, TokeniserError};
use super::transformer::TransformerSettings;
use super::vocabulary::Vocabulary;
use crate::settings;
use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Device, Tensor, TensorData};
use domain::{ModelSettings, Precision, TypeSet};
use parts::CHECKPOINT_FILES;
use parts::encoders::Encoder;
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use safetensors::{SafeTensors, serialize_to_file};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The form of the header. A file of another is not read.
const VERSION: u32 = 1;

/// The key of the header in the file's metadata.
const KEY: &str = "tailgrid";

/// Why a model cannot be kept, or a kept one not used.
#[derive(Debug, Error)]
pub enum KeptError {
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: SafeTensorError },
    #[error("{} is not a model kept by tailgrid: {problem}", path.display())]
    Form { path: PathBuf, problem: String },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Tokeniser(#[from] TokeniserError),
}

/// What a kept model is besides its tensors.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    settings: ModelSettings,
    types: Vec<String>,
    reading: Reading,
    /// Of a transformer's matrix products.
    #[serde(default, skip_serializing_if = "is_f32")]
    precision: Precision,
}

fn is_f32(precision: &Precision) -> bool {
    *precision == Precision::F32
}

/// How it reads sentences.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Reading {
    Words {
        words: BTreeMap<String, i64>,
        rows: usize,
        /// Numbers a word, of pretrained vectors.
        dimension: Option<usize>,
        number: Option<i64>,
        alphabet: Option<String>,
        longest: Option<usize>,
    },
    Pieces {
        /// The files of the checkpoint but for its weights.
        files: BTreeMap<String, String>,
        longest: usize,
    },
}

/// A model that is ready to predict.
pub struct KeptModel {
    pub model: Tagger,
    pub reader: Reader,
    pub types: TypeSet,
}

/// Writes a trained model to a file.
pub fn save(
    path: &Path,
    settings: &ModelSettings,
    types: &TypeSet,
    material: &Material,
    model: &Tagger,
) -> Result<(), KeptError> {
    let header = Header {
        version: VERSION,
        settings: settings.clone(),
        types: types.names().to_vec(),
        reading: Reading::of(material)?,
        precision: model.precision(),
    };
    let header = serde_json::to_string(&header).expect("plain maps, numbers and texts");
    let mut tensors = BTreeMap::new();
    for_each_parameter(model, |path, shape, data| {
        let bytes: Vec<u8> = data.iter::<f32>().flat_map(f32::to_le_bytes).collect();
        tensors.insert(path, (shape.to_vec(), bytes));
    });
    let views = tensors.iter().map(|(name, (shape, bytes))| {
        TensorView::new(Dtype::F32, shape.clone(), bytes).map(|view| (name.as_str(), view))
    });
    let failed = |source| KeptError::Write { path: path.to_owned(), source };
    let views: Vec<_> = views.collect::<Result<_, _>>().map_err(failed)?;
    let metadata = HashMap::from([(KEY.to_owned(), header)]);
    serialize_to_file(views, Some(metadata), path).map_err(failed)
}

/// Reads a model back.
pub fn load(path: &Path, device: &Device) -> Result<KeptModel, KeptError> {
    let bytes = std::fs::read(path).map_err(CheckpointError::read(path))?;
    let wrong = |problem: String| KeptError::Form { path: path.to_owned(), problem };
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|e| wrong(e.to_string()))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|e| wrong(e.to_string()))?;
    let header = metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
    let header = header.ok_or_else(|| wrong("it has no header of tailgrid's".to_owned()))?;
    let header: Header = serde_json::from_str(header).map_err(|e| wrong(e.to_string()))?;
    if header.version != VERSION {
        return Err(wrong(format!(
            "its form is {}, and this program reads {VERSION}",
            header.version
        )));
    }
    if !header.reading.is_sound(bytes.len()) {
        return Err(wrong("its words have rows that its vectors have not".to_owned()));
    }
    let folder = tempfile::tempdir().map_err(CheckpointError::read(&std::env::temp_dir()))?;
    settings::check_model(&header.settings).map_err(wrong)?;
    let types = TypeSet::new(header.types);
    let material = header.reading.material(&header.settings, folder.path())?;
    let model = Tagger::new(&header.settings, &material, types.tag_count(), device)?;
    let mut fill = Fill { tensors: &tensors, device, path: Vec::new(), missing: None };
    let model = model.map(&mut fill).with_precision(header.precision);
    match fill.missing {
        Some(problem) => Err(wrong(problem)),
        None => {
            let reader = material.reader.for_head(&header.settings, &types);
            Ok(KeptModel { model, reader, types })
        }
    }
}

impl Reading {
    fn of(material: &Material) -> Result<Self, KeptError> {
        let units = &material.reader.units;
        if let (Units::Pieces(pieces), Some(checkpoint)) = (units, &material.checkpoint) {
            let names = CHECKPOINT_FILES.iter().filter(|name| !name.contains("safetensors"));
            let mut files = BTreeMap::new();
            for path in names.map(|name| checkpoint.folder.join(name)).filter(|path| path.is_file())
            {
                let text = text(&path)?;
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.insert(name, text);
            }
            return Ok(Reading::Pieces { files, longest: pieces.longest });
        }
        let empty = Vocabulary::default();
        let vocabulary = material.reader.vocabulary().unwrap_or(&empty);
        let words = vocabulary.words().into_iter().map(|(word, row)| (word.to_owned(), row));
        Ok(Reading::Words {
            words: words.collect(),
            rows: vocabulary.rows(),
            dimension: material.vectors.as_ref().map(|vectors| vectors.shape()[1]),
            number: vocabulary.number(),
            alphabet: vocabulary.alphabet().map(|alphabet| alphabet.into_iter().collect()),
            longest: match units {
                Units::Windows { longest, .. } => Some(*longest),
                _ => None,
            },
        })
    }

    /// Whether every word has a row of the table, and a file of so many bytes can hold the table: a
    /// header is not trusted with either.
    fn is_sound(&self, bytes: usize) -> bool {
        let Reading::Words { words, rows, dimension, number, .. } = self else { return true };
        let table = rows.checked_mul(dimension.unwrap_or(1));
        let known = |row: &i64| usize::try_from(*row).is_ok_and(|row| row < *rows);
        table.is_some_and(|numbers| numbers <= bytes) && words.values().chain(number).all(known)
    }

    /// What the model was made with, but for its weights; a checkpoint's files go into `folder`.
    fn material(self, settings: &ModelSettings, folder: &Path) -> Result<Material, KeptError> {
        match self {
            Reading::Words { words, rows, dimension, number, alphabet, longest } => {
                let mut vocabulary = Vocabulary::with_rows(words, rows, number);
                if let Some(alphabet) = alphabet {
                    vocabulary.spell(alphabet.chars());
                }
                let vectors = dimension.map(|d| TensorData::zeros::<f32, _>([rows, d]));
                let units = match longest {
                    Some(longest) => Units::Windows { vocabulary, longest },
                    None => Units::Words(vocabulary),
                };
                Ok(Material { reader: Reader::new(units), vectors, checkpoint: None })
            }
            Reading::Pieces { files, longest } => {
                // Only names that a checkpoint has: a header must not write elsewhere.
                for name in CHECKPOINT_FILES.iter().filter(|name| files.contains_key(**name)) {
                    let path = folder.join(name);
                    std::fs::write(&path, &files[*name]).map_err(CheckpointError::read(&path))?;
                }
                let tokeniser =
                    Tokeniser::open(folder, TransformerSettings::of_folder(folder)?.pieces)?;
                let carrier = PieceEncoder::carrier(&Encoder::read(&settings.encoder));
                let coverage = Coverage::default();
                let units = Units::Pieces(Pieces { tokeniser, longest, carrier, coverage });
                let checkpoint = Checkpoint { folder: folder.to_owned(), has_weights: false };
                let reader = Reader::new(units);
                Ok(Material { reader, vectors: None, checkpoint: Some(checkpoint) })
            }
        }
    }
}

/// Puts every tensor into a model.
struct Fill<'a> {
    tensors: &'a SafeTensors<'a>,
    device: &'a Device,
    path: Vec<String>,
    /// The first that is not there, or not of its shape.
    missing: Option<String>,
}

impl ModuleMapper for Fill<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (name, shape) = (self.path.join("."), parameter.val().dims());
        match self.tensors.tensor(&name) {
            Ok(view) if view.shape() == shape && view.dtype() == Dtype::F32 => {
                let (numbers, _) = view.data().as_chunks::<4>();
                let numbers: Vec<f32> =
                    numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
                let tensor = Tensor::from_data(TensorData::new(numbers, shape), self.device);
                Param::from_tensor(tensor)
            }
            Ok(view) => {
                let problem =
                    format!("the tensor `{name}` is {:?}, and should be {shape:?}", view.shape());
                self.missing.get_or_insert(problem);
                parameter
            }
            Err(_) => {
                self.missing.get_or_insert(format!("it has no tensor `{name}`"));
                parameter
            }
        }
    }
}
