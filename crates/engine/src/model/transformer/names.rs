//! What checkpoints call the parts of a layer.

/// The names of a layer's parts, below the layer's own.
pub struct Names {
    /// The folder of layers.
    pub layers: &'static str,
    pub own: AttentionNames,
    /// Attention to the encoder's states, where there is any.
    pub cross: AttentionNames,
    pub inner: &'static str,
    pub outer: &'static str,
    pub norm: &'static str,
}

/// The names of one attention.
pub struct AttentionNames {
    pub query: &'static str,
    pub key: &'static str,
    pub value: &'static str,
    pub output: &'static str,
    pub norm: &'static str,
}

/// BERT's and RoBERTa's.
pub const BERT: Names = Names {
    layers: "encoder.layer",
    own: AttentionNames {
        query: "attention.self.query",
        key: "attention.self.key",
        value: "attention.self.value",
        output: "attention.output.dense",
        norm: "attention.output.LayerNorm",
    },
    cross: CROSS,
    inner: "intermediate.dense",
    outer: "output.dense",
    norm: "output.LayerNorm",
};

/// Those of BART's encoder.
pub const ENCODER: Names = Names {
    layers: "encoder.layers",
    own: AttentionNames {
        query: "self_attn.q_proj",
        key: "self_attn.k_proj",
        value: "self_attn.v_proj",
        output: "self_attn.out_proj",
        norm: "self_attn_layer_norm",
    },
    cross: CROSS,
    inner: "fc1",
    outer: "fc2",
    norm: "final_layer_norm",
};

/// Those of BART's decoder.
pub const DECODER: Names = Names { layers: "decoder.layers", ..ENCODER };

const CROSS: AttentionNames = AttentionNames {
    query: "encoder_attn.q_proj",
    key: "encoder_attn.k_proj",
    value: "encoder_attn.v_proj",
    output: "encoder_attn.out_proj",
    norm: "encoder_attn_layer_norm",
};
