//! Published numbers, read from CSV: what ours are shown beside.
//!
//! ```text
//! # title: Table 3 of Wang and Wang (2022): macro-F1 on WNUT 2017
//! # caveat: a single run; no spread and no test is given
//! corpus,scenario,model,method,type,metric,value,error,note
//! wnut17,full,bert-crf,scr,,macro_f1,45.06,,
//! ```
//!
//! Values are as printed: scores in percent, factors as such. Every mistake of a file is told at once, each
//! with its line; a file that is read has none.

use std::collections::HashMap;
use store::{Level, Scope};
use thiserror::Error;

/// A table of published numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Published {
    /// Of its file, without ending.
    pub name: String,
    pub title: String,
    /// What a reader should know before comparing.
    pub caveats: Vec<String>,
    pub rows: Vec<PublishedRow>,
}

/// One number. A corpus or model that is empty stands for the mean over all of them.
#[derive(Clone, PartialEq, Debug)]
pub struct PublishedRow {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    pub entity_type: Option<String>,
    pub measure: Measure,
    /// As the file writes it.
    pub printed: String,
    /// Scores and shares as fractions, factors as such.
    pub value: f64,
    /// On the same scale.
    pub error: Option<f64>,
    /// What is odd about this number.
    pub note: Option<String>,
}

/// What a number measures.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    Score {
        level: Level,
        scope: Scope,
        part: ScorePart,
    },
    SentenceFactor,
    TokenFactor,
    /// Of a type, of the training tokens.
    TokenShare,
    MissamplingRate,
}

/// Precision, recall or F1.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ScorePart {
    Precision,
    Recall,
    F1,
}

impl ScorePart {
    const ALL: [(&'static str, ScorePart); 3] =
        [("precision", ScorePart::Precision), ("recall", ScorePart::Recall), ("f1", ScorePart::F1)];
}

impl Measure {
    /// The measures that are no scores, by the name that files use.
    const OTHERS: [(&'static str, Measure); 4] = [
        ("sentence_factor", Measure::SentenceFactor),
        ("token_factor", Measure::TokenFactor),
        ("token_share", Measure::TokenShare),
        ("missampling_rate", Measure::MissamplingRate),
    ];

    /// `macro_f1`, `type_recall`, `token_outside_precision`, `token_factor`.
    fn named(name: &str) -> Option<Self> {
        if let Some((_, measure)) = Self::OTHERS.iter().find(|(known, _)| *known == name) {
            return Some(*measure);
        }
        let (level, rest) = match name.strip_prefix("token_") {
            Some(rest) => (Level::Token, rest),
            None => (Level::Span, name),
        };
        let (scope, part) = rest.rsplit_once('_')?;
        let scope = Scope::ALL.into_iter().find(|known| known.name() == scope)?;
        let part = ScorePart::ALL.iter().find(|(known, _)| *known == part)?.1;
        (scope != Scope::Outside || level == Level::Token).then_some(Measure::Score {
            level,
            scope,
            part,
        })
    }

    /// As files write it.
    pub fn name(self) -> String {
        match self {
            Measure::Score { level, scope, part } => {
                let level = if level == Level::Token { "token_" } else { "" };
                let part = ScorePart::ALL.iter().find(|(_, known)| *known == part);
                format!("{level}{}_{}", scope.name(), part.map_or("", |(name, _)| *name))
            }
            other => {
                let known = Self::OTHERS.iter().find(|(_, known)| *known == other);
                known.map_or("", |(name, _)| *name).to_owned()
            }
        }
    }

    /// In the words of captions.
    pub fn in_words(self) -> String {
        match self {
            Measure::Score { level, scope, part } => {
                let level = if level == Level::Token { "token " } else { "" };
                let scope = match scope {
                    Scope::Micro => "micro",
                    Scope::Macro => "macro",
                    Scope::MacroFixed => "macro over gold types",
                    Scope::Weighted => "weighted",
                    Scope::Type => "by type",
                    Scope::Outside => "of O",
                };
                let part = match part {
                    ScorePart::Precision => "precision",
                    ScorePart::Recall => "recall",
                    ScorePart::F1 => "F1",
                };
                format!("{level}{part} ({scope})")
            }
            Measure::SentenceFactor => "sentences after a method over those before it".to_owned(),
            Measure::TokenFactor => "tokens after a method over those before it".to_owned(),
            Measure::TokenShare => "share of training tokens".to_owned(),
            Measure::MissamplingRate => "rate of missampling".to_owned(),
        }
    }

    /// As tables write it.
    pub fn title(self) -> String {
        match self {
            Measure::Score { part: ScorePart::Precision, .. } => "P".to_owned(),
            Measure::Score { part: ScorePart::Recall, .. } => "R".to_owned(),
            Measure::Score { part: ScorePart::F1, .. } => "F1".to_owned(),
            Measure::SentenceFactor => "Sentences ×".to_owned(),
            Measure::TokenFactor => "Tokens ×".to_owned(),
            Measure::TokenShare => "Token %".to_owned(),
            Measure::MissamplingRate => "Missampling %".to_owned(),
        }
    }

    /// Whether it is told in percent.
    pub fn is_share(self) -> bool {
        !matches!(self, Measure::SentenceFactor | Measure::TokenFactor)
    }

    /// Whether it is precision, recall or F1.
    pub fn is_score(self) -> bool {
        matches!(self, Measure::Score { .. })
    }

    /// Whether a number of it is of one type.
    fn is_typed(self) -> bool {
        matches!(self, Measure::Score { scope: Scope::Type, .. } | Measure::TokenShare)
    }
}

/// A file that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", problems.iter().map(|(line, what)| format!("{file}:{line}: {what}")).collect::<Vec<_>>().join("\n"))]
pub struct PublishedError {
    pub file: String,
    /// Line, from 1, and what is wrong there.
    pub problems: Vec<(usize, String)>,
}

/// The columns of a file, and whether it can do without.
const COLUMNS: [(&str, bool); 9] = [
    ("corpus", true),
    ("scenario", false),
    ("model", true),
    ("method", true),
    ("type", false),
    ("metric", true),
    ("value", true),
    ("error", false),
    ("note", false),
];

/// Reads the text of a file that is called `file` and has the stem `name`.
pub fn read(file: &str, name: &str, text: &str) -> Result<Published, PublishedError> {
    let mut reader = Reader::default();
    for (line, text) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        reader.line(line + 1, text.trim_end_matches('\r'));
    }
    let Reader { title, caveats, columns, rows, mut problems, .. } = reader;
    if title.is_empty() {
        problems.insert(0, (1, "there is no `# title: …`".to_owned()));
    }
    if columns.is_none() {
        let names = COLUMNS.map(|(name, _)| name).join(",");
        problems.push((1, format!("there is no line of column names: `{names}`")));
    }
    match problems.is_empty() {
        true => Ok(Published { name: name.to_owned(), title, caveats, rows }),
        false => Err(PublishedError { file: file.to_owned(), problems }),
    }
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    title: String,
    caveats: Vec<String>,
    /// For each of [`COLUMNS`] its place, once the header has been read.
    columns: Option<[Option<usize>; 9]>,
    width: usize,
    rows: Vec<PublishedRow>,
    /// The line of every number, by what it is of.
    seen: HashMap<[String; 6], usize>,
    problems: Vec<(usize, String)>,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str) {
        if let Some(comment) = text.strip_prefix('#') {
            return self.comment(comment.trim());
        }
        if text.trim().is_empty() {
            return;
        }
        let fields = match fields(text) {
            Ok(fields) => fields,
            Err(problem) => return self.problems.push((line, problem.to_owned())),
        };
        match self.columns {
            None => self.header(line, &fields),
            Some(columns) => self.row(line, &columns, &fields),
        }
    }

    /// `title: …` and `caveat: …`; other comments are left alone.
    fn comment(&mut self, text: &str) {
        match text.split_once(':') {
            Some(("title", title)) => self.title = title.trim().to_owned(),
            Some(("caveat", caveat)) => self.caveats.push(caveat.trim().to_owned()),
            _ => {}
        }
    }

    fn header(&mut self, line: usize, fields: &[String]) {
        let known = COLUMNS.map(|(name, _)| name);
        for field in fields.iter().filter(|field| !known.contains(&field.as_str())) {
            let message = format!("there is no column `{field}`: use {}", known.join(", "));
            self.problems.push((line, message));
        }
        for (name, _) in COLUMNS.iter().filter(|(_, required)| *required) {
            if !fields.iter().any(|field| field == name) {
                self.problems.push((line, format!("the column `{name}` is missing")));
            }
        }
        self.width = fields.len();
        self.columns = Some(known.map(|name| fields.iter().position(|field| field == name)));
    }

    fn row(&mut self, line: usize, columns: &[Option<usize>; 9], fields: &[String]) {
        if fields.len() != self.width {
            let message = format!("{} fields where the header has {}", fields.len(), self.width);
            return self.problems.push((line, message));
        }
        let mut values =
            columns.map(|at| at.and_then(|at| fields.get(at)).map_or("", |f| f.trim()));
        if values[1].is_empty() {
            values[1] = "full";
        }
        match row(&values) {
            Ok(row) => {
                let [corpus, scenario, model, method, entity_type, metric, ..] = values;
                let key = [corpus, scenario, model, method, entity_type, metric].map(str::to_owned);
                if let Some(before) = self.seen.insert(key, line) {
                    self.problems.push((line, format!("the same number stands in line {before}")));
                }
                self.rows.push(row);
            }
            Err(problems) => self.problems.extend(problems.into_iter().map(|what| (line, what))),
        }
    }
}

/// The number of a line, or all that is wrong with it.
fn row(values: &[&str; 9]) -> Result<PublishedRow, Vec<String>> {
    let [corpus, scenario, model, method, entity_type, metric, value, error, note] = *values;
    let mut problems = Vec::new();
    let measure = Measure::named(metric);
    match measure {
        None => problems.push(format!(
            "there is no metric `{metric}`: use micro_f1, macro_precision, type_recall, token_micro_f1 and \
             their like, sentence_factor, token_factor, token_share or missampling_rate"
        )),
        Some(measure) => {
            match (measure.is_typed(), entity_type.is_empty()) {
                (true, true) => problems.push(format!("{metric} needs a type")),
                (false, false) => problems.push(format!(
                    "{metric} is of all types: leave `type` empty, or use type_f1 and its like"
                )),
                _ => {}
            }
            let places = [(corpus, "corpus"), (model, "model")];
            for (what, name) in places.into_iter().filter(|_| measure.is_share()) {
                if what.is_empty() {
                    problems.push(format!("{metric} needs a {name}"));
                }
            }
        }
    }
    if method.is_empty() {
        problems.push("there is no method".to_owned());
    }
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    if number(value).is_none() {
        problems.push(format!("`{value}` is no number"));
    }
    let is_share = measure.is_some_and(|measure| measure.is_share());
    if is_share && number(value).is_some_and(|number| !(0.0..=100.0).contains(&number)) {
        problems.push(format!("`{value}` is no percentage: scores are from 0 to 100"));
    }
    if !error.is_empty() && number(error).is_none() {
        problems.push(format!("the error `{error}` is no number"));
    }
    let (Some(measure), Some(number_), true) = (measure, number(value), problems.is_empty()) else {
        return Err(problems);
    };
    let scale = if measure.is_share() { 100.0 } else { 1.0 };
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(PublishedRow {
        corpus: corpus.to_owned(),
        scenario: scenario.to_owned(),
        model: model.to_owned(),
        method: method.to_owned(),
        entity_type: given(entity_type),
        measure,
        printed: value.to_owned(),
        value: number_ / scale,
        error: number(error).map(|error| error / scale),
        note: given(note),
    })
}

/// The fields of a line; a quoted one may have commas in it, and its quotes doubled.
fn fields(line: &str) -> Result<Vec<String>, &'static str> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' if quoted || field.is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            letter => field.push(letter),
        }
    }
    fields.push(field);
    if quoted { Err("a quotation mark is not closed") } else { Ok(fields) }
}

#[cfg(test)]
mod tests;
