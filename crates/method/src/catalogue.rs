//! The methods that grids can name: each is a name for parts of the registries, with their
//! defaults.
//!
//! A method acts on the training data and on the loss: it adds sentences (`augment`), repeats or
//! shortens those that are there then (`resample`), says what words without an annotation count as
//! (`unlabelled`) and which spans are negatives (`negatives`), and chooses what is minimised
//! (`loss`). What it does not name stays as it is in `original`, the baseline. Every treatment in
//! the tables of the four papers has its name here.

use parts::Preset;

/// A named method.
#[derive(Copy, Clone, Debug)]
pub struct Method {
    /// The name that grids use.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The parts it consists of.
    pub parts: &'static [NamedPart],
}

/// A part of a named method.
#[derive(Copy, Clone, Debug)]
pub struct NamedPart {
    /// The place, by the name of its slot: `resample`, `loss`.
    pub slot: &'static str,
    /// The entry that goes there.
    pub kind: &'static str,
    /// What is set of its parameters.
    pub presets: &'static [(&'static str, Preset)],
}

const fn part(slot: &'static str, kind: &'static str) -> NamedPart {
    NamedPart { slot, kind, presets: &[] }
}

/// All named methods, in the order of lists.
pub const METHODS: &[Method] = &[
    Method {
        name: "original",
        help: "the training data as it is, cross-entropy: what the others are compared with",
        parts: &[],
    },
    Method {
        name: "bus",
        help: "only the tokens near entities, three for each entity token",
        parts: &[part("resample", "bus")],
    },
    Method {
        name: "da",
        help: "each sentence once more, changed by an operator that is drawn for it",
        parts: &[NamedPart {
            slot: "augment",
            kind: "one-per-sentence",
            presets: &[("synonyms", Preset::Word("none"))],
        }],
    },
    Method {
        name: "sc",
        help: "sentences with more entity tokens are repeated more often",
        parts: &[part("resample", "sc")],
    },
    Method {
        name: "scr",
        help: "sc that also counts how rare an entity type is",
        parts: &[part("resample", "scr")],
    },
    Method {
        name: "scrd",
        help: "scr that also counts how dense entities are in the sentence",
        parts: &[part("resample", "scrd")],
    },
    Method {
        name: "nscrd",
        help: "scrd with less weight on repeated tokens of one type",
        parts: &[part("resample", "nscrd")],
    },
    Method {
        name: "focal",
        help: "a loss that counts tokens the model is already sure of less",
        parts: &[part("loss", "focal")],
    },
    Method {
        name: "dice",
        help: "one minus the overlap of predicted and gold tags as the loss",
        parts: &[part("loss", "dice")],
    },
    Method {
        name: "wce-1",
        help: "cross-entropy with classes weighted by their inverse frequency",
        parts: &[part("loss", "wce-1")],
    },
    Method {
        name: "wce-2",
        help: "cross-entropy with classes weighted by the logarithm of that; a larger β is milder",
        parts: &[part("loss", "wce-2")],
    },
    Method {
        name: "focal-ovr",
        help: "focal loss with each tag a decision of its own (FL of nemoto2024)",
        parts: &[part("loss", "focal-ovr")],
    },
    Method {
        name: "mom",
        help: "cross-entropy plus cross-entropy over the O tokens alone",
        parts: &[part("loss", "mom")],
    },
    Method {
        name: "focal-mrc",
        help: "focal loss as nemoto2024 has it for reading comprehension",
        parts: &[NamedPart {
            slot: "loss",
            kind: "focal",
            presets: &[("gamma", Preset::Number(3.0)), ("smoothing", Preset::Number(1e-4))],
        }],
    },
    Method {
        name: "dsc",
        help: "self-adjusting Dice loss (DL of nemoto2024)",
        parts: &[part("loss", "self-adjusting-dice")],
    },
    Method {
        name: "auc-2t",
        help: "words of entities and their beginnings ranked above the others (AUC-2T of nguyen2023)",
        parts: &[part("loss", "auc")],
    },
    Method {
        name: "comauc-2t",
        help: "auc-2t with a step of cross-entropy over the tags before each of its own",
        parts: &[part("loss", "comauc")],
    },
    Method {
        name: "mom-mrc",
        help: "mom with the λ that nemoto2024 found for reading comprehension",
        parts: &[NamedPart {
            slot: "loss",
            kind: "mom",
            presets: &[("lambda", Preset::Number(0.446))],
        }],
    },
    Method {
        name: "partial-crf",
        help: "words without an annotation may have any tag, where annotations may be missing",
        parts: &[part("unlabelled", "partial")],
    },
    Method {
        name: "weighted-partial-crf",
        help: "they have the tags that models of other parts of the data find, some rounds over",
        parts: &[part("unlabelled", "weighted-partial")],
    },
    Method {
        name: "weighted-partial-crf-soft",
        help: "the same with how likely each tag is in place of the likeliest",
        parts: &[NamedPart {
            slot: "unlabelled",
            kind: "weighted-partial",
            presets: &[("labels", Preset::Word("soft"))],
        }],
    },
    Method {
        name: "pu-learning",
        help: "learning from positive and unlabelled words, their share estimated from dev",
        parts: &[part("loss", "pu")],
    },
    Method {
        name: "pu-oracle",
        help: "the same with the true share, from the gold tags of train, as its authors have it",
        parts: &[NamedPart {
            slot: "loss",
            kind: "pu",
            presets: &[("prior", Preset::Word("oracle"))],
        }],
    },
    Method {
        name: "negative-sampling",
        help: "on a span head, a few spans drawn as negatives instead of all that are not annotated",
        parts: &[part("negatives", "uniform")],
    },
    Method {
        name: "weighted-negative-sampling",
        help: "negative-sampling that prefers spans the model is unsure of and avoids those like entities",
        parts: &[part("negatives", "weighted")],
    },
    Method {
        name: "top-k",
        help: "as negatives the spans that a model of the other half of the data is most unsure of",
        parts: &[part("negatives", "by-uncertainty")],
    },
    Method {
        name: "middle-k",
        help: "as negatives the spans around the median of that model's uncertainty",
        parts: &[NamedPart {
            slot: "negatives",
            kind: "by-uncertainty",
            presets: &[("which", Preset::Word("middle"))],
        }],
    },
    Method {
        name: "bottom-k",
        help: "as negatives the spans that a model of the other half of the data is most sure of",
        parts: &[NamedPart {
            slot: "negatives",
            kind: "by-uncertainty",
            presets: &[("which", Preset::Word("bottom"))],
        }],
    },
];

/// A method by name.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}
