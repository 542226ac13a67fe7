//! What a transformer's first layer reads: a piece's vector, its place's and its type's, added.

use super::parts::Norm;
use super::settings::TransformerSettings;
use super::source::ParameterSource;
use crate::model::checkpoints::CheckpointError;
use burn::module::{Module, Param};
use burn::nn::{Dropout, DropoutConfig, Embedding};
use burn::tensor::{Int, Tensor, module};

/// The tables beside that of the pieces, which BART's two stacks share.
#[derive(Module, Debug)]
pub struct Embeddings {
    pub positions: Param<Tensor<2>>,
    /// A row a text: a sentence alone is the first.
    pub types: Option<Param<Tensor<2>>>,
    pub norm: Norm,
    pub dropout: Dropout,
    #[module(skip)]
    pub offset: usize,
    #[module(skip)]
    pub scale: f64,
}

/// The table of pieces.
pub fn pieces(
    source: &ParameterSource,
    name: &str,
    settings: &TransformerSettings,
) -> Result<Embedding, CheckpointError> {
    let weight = source.matrix(name, [settings.pieces, settings.width])?;
    Ok(Embedding { weight: Param::from_tensor(weight) })
}

impl Embeddings {
    /// The tables of these names.
    pub fn read(
        source: &ParameterSource,
        positions: &str,
        types: &str,
        norm: &str,
        settings: &TransformerSettings,
    ) -> Result<Self, CheckpointError> {
        let width = settings.width;
        let table = |name, rows| Ok(Param::from_tensor(source.matrix(name, [rows, width])?));
        let types = (settings.types > 0).then(|| table(types, settings.types));
        Ok(Self {
            positions: table(positions, settings.positions + settings.offset)?,
            types: types.transpose()?,
            norm: Norm::read(source, norm, width, settings.epsilon)?,
            dropout: DropoutConfig::new(settings.dropout).init(),
            offset: settings.offset,
            scale: settings.scale,
        })
    }

    /// Rows × pieces to rows × pieces × width, on Burn's operations; `segments` says of which text
    /// each piece is, where there are two.
    pub fn forward_on_burn(
        &self,
        pieces: &Embedding,
        ids: Tensor<2, Int>,
        segments: Option<Tensor<2, Int>>,
    ) -> Tensor<3> {
        let [_, length] = ids.dims();
        let places = self.positions.val().narrow(0, self.offset, length);
        let mut vectors = pieces.forward(ids) * self.scale + places.unsqueeze_dim(0);
        if let Some(types) = &self.types {
            vectors = vectors
                + match segments.filter(|_| self.tells_texts_apart()) {
                    Some(segments) => module::embedding(types.val(), segments),
                    None => types.val().narrow(0, 0, 1).unsqueeze_dim(0),
                };
        }
        self.dropout.forward(self.norm.forward(vectors))
    }

    /// Whether there is a row for a second text.
    pub fn tells_texts_apart(&self) -> bool {
        self.types.as_ref().is_some_and(|types| types.dims()[0] > 1)
    }
}
