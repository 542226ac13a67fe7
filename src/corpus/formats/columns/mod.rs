//! Column files, as CoNLL's: a token a line with its tag in one of the columns, a blank line after
//! each sentence.
//!
//! Only what the parameters say separates columns does: a token may be a space, a no-break space or
//! hold an invisible character. A line that is blank after trimming ASCII white space ends a
//! sentence, whatever it is made of.

use super::text;
use crate::corpus::error::excerpt;
use crate::corpus::load::{self, FileContent, Repaired};
use crate::corpus::schemes::{Label, NotInScheme, Scheme};
use crate::corpus::{CorpusError, Loaded};
use crate::domain::{Entry, Parameter, ParameterKind, Parameters, Sentence, TypeSet};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// What the registry says of this format.
pub(super) const ENTRY: Entry = Entry {
    name: "columns",
    help: "a token and its tag a line, a blank line after each sentence (CoNLL)",
    parameters: PARAMETERS,
    needs: "train and test files; dev is carved from train if there is none",
    source: "Tjong Kim Sang and De Meulder 2003",
};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "token",
        help: "the token's column, from 0; negative counts from the end",
        kind: ParameterKind::Integer { default: 0, min: -MOST_COLUMNS, max: MOST_COLUMNS },
    },
    Parameter {
        name: "tag",
        help: "the tag's column, from 0; negative counts from the end",
        kind: ParameterKind::Integer { default: -1, min: -MOST_COLUMNS, max: MOST_COLUMNS },
    },
    Parameter {
        name: "separator",
        help: "tab, space (each one), whitespace (runs of spaces and tabs), any other text, \
               or auto: tab if the file's first line has one, else whitespace",
        kind: ParameterKind::Text { default: "auto" },
    },
    Parameter {
        name: "scheme",
        help: "how tags mark entities; bare is B, I and O without a type",
        kind: ParameterKind::Choice { default: "iob2", of: SCHEMES },
    },
    Parameter {
        name: "entity_type",
        help: "the name of the one entity type of the scheme bare",
        kind: ParameterKind::Text { default: "entity" },
    },
    Parameter {
        name: "docstart",
        help: "-DOCSTART- lines: skip them, or count each as a sentence as some papers do",
        kind: ParameterKind::Choice { default: "skip", of: &["skip", "count"] },
    },
    load::DEV_SHARE,
    load::SEED,
];

const SCHEMES: &[&str] = &[
    Scheme::Iob1.name(),
    Scheme::Iob2.name(),
    Scheme::Iobes.name(),
    Scheme::Io.name(),
    Scheme::Bare.name(),
];

/// No column beyond this one can be asked for.
const MOST_COLUMNS: i64 = 1000;

/// More entity types than this are no entity types: the column is the wrong one.
const MOST_TYPES: usize = 1000;

/// Splits are files.
pub(super) const READS_FILES: bool = true;

/// Whether the settings go together.
pub(super) fn check(parameters: &Parameters) -> Result<(), CorpusError> {
    Layout::new(parameters).map(drop)
}

/// Loads the files of a corpus.
pub(super) fn load(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let layout = Layout::new(parameters)?;
    load::from_files(parameters, files, |path, types| {
        let text = text::read(path)?;
        Reader::new(path, &layout, &text, types).read()
    })
}

/// The parameters as meant.
struct Layout {
    token: i64,
    tag: i64,
    separator: Separator,
    scheme: Scheme,
    entity_type: String,
    skip_docstart: bool,
}

impl Layout {
    fn new(parameters: &Parameters) -> Result<Self, CorpusError> {
        let within = |name| parameters.integer(name).clamp(-MOST_COLUMNS, MOST_COLUMNS);
        let (token, tag) = (within("token"), within("tag"));
        if token == tag {
            return Err(CorpusError::setting("tag", "the tag cannot be in the token's column"));
        }
        let scheme = parameters.text("scheme");
        Ok(Self {
            token,
            tag,
            separator: Separator::new(parameters.text("separator"))?,
            scheme: Scheme::from_name(scheme).ok_or_else(|| {
                CorpusError::setting(
                    "scheme",
                    format!("`{scheme}` is none of {}", SCHEMES.join(", ")),
                )
            })?,
            entity_type: match parameters.text("entity_type") {
                "" => return Err(CorpusError::setting("entity_type", "it needs a name")),
                name => name.to_owned(),
            },
            skip_docstart: parameters.text("docstart") != "count",
        })
    }

    /// Where the token and the tag of a line with so many columns are.
    fn places(&self, columns: usize) -> Option<(usize, usize)> {
        let (token, tag) = (place(self.token, columns)?, place(self.tag, columns)?);
        (token != tag).then_some((token, tag))
    }

    /// How many columns a line needs at least.
    fn needed(&self) -> usize {
        let alone = |index: i64| if index < 0 { -index } else { index + 1 };
        let columns = alone(self.token).max(alone(self.tag)) as usize;
        if self.places(columns).is_some() { columns } else { columns + 1 }
    }
}

/// An index from the start or, if negative, from the end.
fn place(index: i64, columns: usize) -> Option<usize> {
    let index = if index < 0 { index + columns as i64 } else { index };
    usize::try_from(index).ok().filter(|&index| index < columns)
}

/// What stands between columns.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Separator {
    Auto,
    Whitespace,
    Text(String),
}

impl Separator {
    fn new(name: &str) -> Result<Self, CorpusError> {
        Ok(match name {
            "" => return Err(CorpusError::setting("separator", "it cannot be empty")),
            "auto" => Separator::Auto,
            "whitespace" => Separator::Whitespace,
            "tab" => Separator::Text("\t".to_owned()),
            "space" => Separator::Text(" ".to_owned()),
            text => Separator::Text(text.to_owned()),
        })
    }

    /// The separator of a text: `Auto` settled by its first line that holds a token.
    fn settle(&self, text: &str) -> Separator {
        let is_row = |line: &&str| !is_blank(line) && !is_docstart(line);
        match self {
            Separator::Auto => match text::lines(text).map(|(_, line)| line).find(is_row) {
                Some(line) if line.contains('\t') => Separator::Text("\t".to_owned()),
                _ => Separator::Whitespace,
            },
            settled => settled.clone(),
        }
    }

    fn split<'t>(&self, line: &'t str, fields: &mut Vec<&'t str>) {
        fields.clear();
        match self {
            Separator::Text(text) => fields.extend(line.split(text.as_str())),
            Separator::Whitespace | Separator::Auto => {
                fields.extend(line.split([' ', '\t']).filter(|field| !field.is_empty()));
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Separator::Text(text) if text == "\t" => "tabs".to_owned(),
            Separator::Text(text) if text == " " => "each space".to_owned(),
            Separator::Text(text) => format!("`{}`", excerpt(text)),
            Separator::Whitespace | Separator::Auto => "spaces and tabs".to_owned(),
        }
    }
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Whether a line only says that a document starts. `-DOCSTART-` may stand alone or with columns.
pub(in crate::corpus) fn is_docstart(line: &str) -> bool {
    let rest = line.strip_prefix("-DOCSTART-");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()))
}

/// Reads one file.
struct Reader<'a> {
    path: &'a Path,
    layout: &'a Layout,
    separator: Separator,
    text: &'a str,
    types: &'a mut TypeSet,
    /// Labels of the tags met so far: a file has few different ones.
    known: HashMap<&'a str, Label>,
    tokens: Vec<String>,
    labels: Vec<Label>,
    content: FileContent,
}

impl<'a> Reader<'a> {
    fn new(path: &'a Path, layout: &'a Layout, text: &'a str, types: &'a mut TypeSet) -> Self {
        Self {
            path,
            layout,
            separator: layout.separator.settle(text),
            text,
            types,
            known: HashMap::new(),
            tokens: vec![],
            labels: vec![],
            content: FileContent::default(),
        }
    }

    fn read(mut self) -> Result<FileContent, CorpusError> {
        let mut fields = vec![];
        let mut last = 0;
        for (line, row) in text::lines(self.text) {
            last = line;
            if is_blank(row) || (self.layout.skip_docstart && is_docstart(row)) {
                self.end_sentence(line);
                continue;
            }
            self.separator.split(row, &mut fields);
            self.row(line, row, &fields)?;
        }
        self.end_sentence(last + 1);
        match self.content.sentences.is_empty() {
            true => Err(CorpusError::Empty { path: self.path.to_owned() }),
            false => Ok(self.content),
        }
    }

    fn row(&mut self, line: usize, row: &str, fields: &[&'a str]) -> Result<(), CorpusError> {
        let path = || self.path.to_owned();
        let Some((token, tag)) = self.layout.places(fields.len()) else {
            return Err(CorpusError::Columns {
                path: path(),
                line,
                found: fields.len(),
                needed: self.layout.needed(),
                separator: self.separator.shown(),
                text: excerpt(row),
            });
        };
        let (token, tag) = (fields[token], fields[tag]);
        if token.is_empty() {
            return Err(CorpusError::EmptyToken { path: path(), line, text: excerpt(row) });
        }
        let label = self.label(line, tag.trim_ascii())?;
        self.tokens.push(token.to_owned());
        self.labels.push(label);
        Ok(())
    }

    fn label(&mut self, line: usize, tag: &'a str) -> Result<Label, CorpusError> {
        if let Some(&label) = self.known.get(tag) {
            return Ok(label);
        }
        let scheme = self.layout.scheme;
        let mark = scheme.parse(tag).map_err(|NotInScheme| CorpusError::Tag {
            path: self.path.to_owned(),
            line,
            tag: excerpt(tag),
            scheme: scheme.name(),
            expected: scheme.expected(),
        })?;
        let label = mark.map(|(position, name)| {
            let name = if name.is_empty() { &self.layout.entity_type } else { name };
            (position, self.types.intern(name))
        });
        if self.types.len() > MOST_TYPES {
            let path = self.path.to_owned();
            return Err(CorpusError::TooManyTypes { path, line, limit: MOST_TYPES });
        }
        self.known.insert(tag, label);
        Ok(label)
    }

    /// Closes the sentence whose last token is on the line before `line`.
    fn end_sentence(&mut self, line: usize) {
        if self.tokens.is_empty() {
            return;
        }
        let first_line = line - self.tokens.len();
        let converted = self.layout.scheme.to_iob2(&self.labels);
        if let Some(first) = converted.invalid.first() {
            let repaired = self.content.repaired.get_or_insert_with(|| Repaired {
                path: self.path.to_owned(),
                scheme: self.layout.scheme,
                count: 0,
                first_line: first_line + first,
            });
            repaired.count += converted.invalid.len();
        }
        self.labels.clear();
        let tokens = std::mem::take(&mut self.tokens);
        self.content.sentences.push(Sentence { tokens, tags: converted.tags });
    }
}

#[cfg(test)]
mod tests;
