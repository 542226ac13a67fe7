//! Stub for the worktree.
use crate::domain::{Entry, Parameter, ParameterKind};

const fn integer(name: &'static str, default: i64, min: i64, max: i64) -> Parameter {
    Parameter { name, help: "a column, from 0; from the end if negative", kind: ParameterKind::Integer { default, min, max } }
}

/// Stub for the worktree.
pub const ENTRIES: &[Entry] = &[
    Entry {
        name: "columns",
        help: "one token a line, its tag in a column, a blank line after each sentence",
        parameters: &[
            integer("token", 0, -64, 64),
            integer("tag", -1, -64, 64),
            Parameter {
                name: "separator",
                help: "between columns",
                kind: ParameterKind::Choice { default: "tab", of: &["tab", "space", "whitespace"] },
            },
            Parameter {
                name: "scheme",
                help: "how entities are tagged",
                kind: ParameterKind::Choice { default: "iob2", of: &["iob1", "iob2", "iobes"] },
            },
        ],
        needs: "files: train and test, dev if there is one",
        source: "",
    },
    Entry {
        name: "synthetic",
        help: "generated from a seeded grammar",
        parameters: &[integer("train_sentences", 1000, 1, 1_000_000)],
        needs: "",
        source: "",
    },
];
