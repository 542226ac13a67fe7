//! The JSON Schema of grid files, so that editors complete and check them.
//!
//! Made from the tables that the checker reads. It says what a form can say; names that belong
//! together, files and the rest are the checker's.

use super::catalogue::{Catalogue, FileEntry};
use super::check::{
    Axis, GRID_KEYS, LEAST_LOOK, LIMITS, MAX_LOOKS, MAX_RETRIES, MAX_SEEDS, MAX_TRIALS,
    PATTERN_KEYS, RANGE, REPORT, STOPPING, TUNE, TUNE_DEFAULTS,
};
use super::slots::{self, Slot};
use super::training;
use corpus::{WHOLE, formats};
use domain::{Bands, Maximised, Metric, OtherNames, Scale, Spending, Spread, TableKind};
use method::catalogue::METHODS;
use parts::embeddings::pretrained::Pretrained;
use parts::{Entry, Parameter, ParameterKind};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The schema as it is committed, for grids that can ask for these tables: JSON with sorted keys, a
/// line break at the end.
pub fn text(tables: &[TableKind]) -> String {
    let schema = sorted(schema(tables));
    format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON has a text"))
}

fn schema(tables: &[TableKind]) -> Value {
    let properties: Map<String, Value> = GRID_KEYS
        .iter()
        .map(|(key, help)| ((*key).to_owned(), described(grid_key(key, tables), help)))
        .collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "tailgrid grid file",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "anyOf": [
            {"required": ["extends", "name"]},
            {"required": ["version", "name", "corpora", "models", "methods", "seeds"]},
        ],
    })
}

fn grid_key(key: &str, tables: &[TableKind]) -> Value {
    let catalogue = Catalogue::shipped(Path::new(""));
    let text = json!({"type": "string"});
    match key {
        "version" => json!({"const": 1}),
        "name" => json!({"type": "string", "pattern": "^[a-z0-9-]{1,64}$"}),
        "corpora" => {
            let names =
                catalogue.corpora().iter().map(|entry| (entry.name.clone(), entry.help.clone()));
            axis(names.collect(), corpus())
        }
        "scenarios" => {
            let full = ("full".to_owned(), "the whole corpus as it is".to_owned());
            axis(vec![full], object(parameters(slots::SCENARIO)))
        }
        "models" => {
            let mut model = parts(slots::MODEL);
            model.insert("training".to_owned(), training());
            let vectors =
                names(catalogue.embeddings(), "a file of word vectors, relative to the grid");
            if let Some(Value::Array(forms)) = model["embeddings"].get_mut("anyOf") {
                forms.iter_mut().for_each(with_file);
                forms.extend(vectors);
            }
            let folder = "a folder with config.json, model.safetensors and its tokeniser";
            let checkpoint = json!({"anyOf": names(catalogue.checkpoints(), folder)});
            let help = "a pretrained model, for encoders that read one";
            model.insert("checkpoint".to_owned(), described(checkpoint, help));
            let help = "a file of questions of your own, for the head mrc, relative to the grid";
            model.insert("queries".to_owned(), described(json!({"type": "string"}), help));
            json!({"type": "array", "minItems": 1, "items": object(model)})
        }
        "methods" => {
            let names =
                METHODS.iter().map(|method| (method.name.to_owned(), method.help.to_owned()));
            axis(names.collect(), object(parts(slots::METHOD)))
        }
        "seeds" => json!({"anyOf": [
            {"type": "integer", "minimum": 1, "maximum": MAX_SEEDS},
            {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": "integer", "minimum": 0}},
        ]}),
        "metric" => json!({"enum": Metric::ALL.map(Metric::name)}),
        "training" => training(),
        "overrides" => overrides(),
        "exclude" => json!({"type": "array", "items": pattern()}),
        "limits" => limits(),
        "stopping" => stopping(),
        "report" => report(tables),
        "tune" => tune(),
        _ => text,
    }
}

fn described(mut schema: Value, help: &str) -> Value {
    schema["description"] = json!(help);
    schema
}

/// A list of names or mappings.
fn axis(names: Vec<(String, String)>, mapping: Value) -> Value {
    let names = names.into_iter().map(|(name, help)| json!({"const": name, "description": help}));
    let forms: Vec<Value> = names.chain([mapping]).collect();
    json!({"type": "array", "minItems": 1, "items": {"anyOf": forms}})
}

/// The names of the catalogue, and any other text.
fn names(entries: &[FileEntry], other: &str) -> Vec<Value> {
    let named = entries.iter().map(|entry| json!({"const": entry.name, "description": entry.help}));
    named.chain([json!({"type": "string", "description": other})]).collect()
}

/// Adds the file to the form of embeddings that are read from one.
fn with_file(form: &mut Value) {
    if form["properties"]["kind"]["const"] == Pretrained::NAME {
        form["properties"]["file"] =
            json!({"type": "string", "description": "relative to the grid"});
    }
}

/// A mapping with a name and these properties, and no others.
fn object(mut properties: Map<String, Value>) -> Value {
    let name = json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$"});
    properties.insert("name".to_owned(), described(name, "tables and results go by it"));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["name"],
        "additionalProperties": false,
    })
}

fn corpus() -> Value {
    let mut properties = parts(slots::CORPUS);
    for entry in slots::CORPUS.iter().flat_map(|slot| slot.entries) {
        if !entry.parameters.is_empty() {
            properties.insert(entry.name.to_owned(), described(nested(entry, false), entry.help));
        }
    }
    let file = || json!({"type": "string"});
    let further = slots::CORPUS.iter().flat_map(|slot| slot.entries);
    let further = further.flat_map(|entry| formats::reads(entry.name).roles);
    for role in ["train", "dev", "test", WHOLE].iter().chain(further) {
        let help = "a file, or a folder for formats that read one, relative to the grid";
        properties.insert((*role).to_owned(), described(file(), help));
    }
    let parts = json!({"type": "object", "additionalProperties": file()});
    properties.insert(
        "parts".to_owned(),
        described(parts, "further training parts by name, for `extra_train` of a scenario"),
    );
    object(properties)
}

/// The slots by name, and the parameters of everything that can go into them, in short form.
fn parts(slots: &[Slot]) -> Map<String, Value> {
    let entries = slots.iter().flat_map(|slot| slot.entries);
    let mut properties = parameters(entries.flat_map(|entry| entry.parameters));
    for slot in slots {
        let forms = forms(slot.entries.iter());
        properties.insert(slot.name.to_owned(), described(json!({"anyOf": forms}), slot.help));
    }
    properties
}

/// Each entry by its name, and with its parameters.
fn forms(entries: impl Iterator<Item = &'static Entry>) -> Vec<Value> {
    let both = |entry: &Entry| {
        [json!({"const": entry.name, "description": entry.help}), nested(entry, true)]
    };
    entries.flat_map(both).collect()
}

/// An entry with its parameters as a mapping, with or without its `kind`.
fn nested(entry: &Entry, with_kind: bool) -> Value {
    let mut properties = parameters(entry.parameters);
    if with_kind {
        properties.insert("kind".to_owned(), json!({"const": entry.name}));
    }
    let required: &[&str] = if with_kind { &["kind"] } else { &[] };
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Parameters by name; those of one name in several parts are alternatives.
fn parameters<'a>(table: impl IntoIterator<Item = &'a Parameter>) -> Map<String, Value> {
    let mut forms: Vec<(&str, Vec<Value>)> = Vec::new();
    for parameter in table {
        let form = form(parameter);
        match forms.iter_mut().find(|(name, _)| *name == parameter.name) {
            Some((_, known)) if known.contains(&form) => {}
            Some((_, known)) => known.push(form),
            None => forms.push((parameter.name, vec![form])),
        }
    }
    let joined = |mut forms: Vec<Value>| match forms.len() {
        1 => forms.remove(0),
        _ => json!({"anyOf": forms}),
    };
    forms.into_iter().map(|(name, forms)| (name.to_owned(), joined(forms))).collect()
}

/// A pattern for words in upper and lower case: a schema has no flag for that.
fn in_any_case<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let letter = |c: char| match c.is_ascii_alphabetic() {
        true => format!("[{}{c}]", c.to_ascii_uppercase()),
        false => c.to_string(),
    };
    let words: Vec<String> = words.map(|word| word.chars().map(letter).collect()).collect();
    format!("^({})$", words.join("|"))
}

fn form(parameter: &Parameter) -> Value {
    let mut form = match parameter.kind {
        ParameterKind::Bool { .. } => json!({"type": "boolean"}),
        ParameterKind::Integer { min, max, .. } => {
            json!({"type": "integer", "minimum": min, "maximum": max})
        }
        // JSON has no infinity: an open end is left out.
        ParameterKind::Real { min, max, .. } if max.is_infinite() => {
            json!({"type": "number", "minimum": min})
        }
        ParameterKind::Real { min, max, .. } => {
            json!({"type": "number", "minimum": min, "maximum": max})
        }
        ParameterKind::Choice { of, .. } => json!({"enum": of}),
        ParameterKind::Named { of, .. } => {
            let others = parameter.other_words();
            json!({"anyOf": [{"enum": of}, {"type": "string", "pattern": in_any_case(of.iter().copied().chain(others))}]})
        }
        ParameterKind::Text { .. } => json!({"type": "string"}),
        ParameterKind::Column { .. } => json!({"type": ["string", "integer"]}),
        ParameterKind::Count { words, min, .. } => {
            json!({"anyOf": [{"type": "integer", "minimum": min}, {"enum": words}]})
        }
        ParameterKind::Strength { words, min, max, .. } => {
            let number = json!({"type": "number", "minimum": min, "maximum": max});
            json!({"anyOf": [number, {"enum": words}]})
        }
        ParameterKind::Names => json!({"type": ["string", "array"], "items": {"type": "string"}}),
        ParameterKind::Part { .. } => json!({"anyOf": forms(parameter.choices())}),
    };
    form["default"] = json!(parameter.default_value());
    described(form, parameter.help)
}

fn training() -> Value {
    json!({
        "type": "object",
        "properties": parameters(training::PARAMETERS),
        "additionalProperties": false,
    })
}

fn pattern() -> Value {
    let globs = json!({"anyOf": [
        {"type": "string"},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
    ]});
    let properties: Map<String, Value> =
        PATTERN_KEYS.iter().map(|key| ((*key).to_owned(), globs.clone())).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn overrides() -> Value {
    let axes = Axis::ALL.map(Axis::name).join("|");
    let set = json!({
        "type": "object",
        "minProperties": 1,
        "patternProperties": {format!("^({axes})\\."): {}},
        "additionalProperties": false,
    });
    let item = json!({
        "type": "object",
        "properties": {"when": pattern(), "set": set},
        "required": ["set"],
        "additionalProperties": false,
    });
    json!({"type": "array", "items": item})
}

fn limits() -> Value {
    let form = |key: &str| match key {
        "retries" => json!({
            "type": "integer", "minimum": 0, "maximum": MAX_RETRIES,
            "description": "further tries after a failure that another try may mend",
        }),
        "time" => json!({"type": "string", "description": "of one job: 2h, 90min"}),
        _ => json!({"type": "string", "description": "of one job: 6GiB"}),
    };
    let properties: Map<String, Value> =
        LIMITS.iter().map(|key| ((*key).to_owned(), form(key))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn stopping() -> Value {
    let form = |key: &str| match key {
        "looks" => json!({
            "type": "array", "minItems": 1, "maxItems": MAX_LOOKS,
            "items": {"type": "integer", "minimum": LEAST_LOOK, "maximum": MAX_SEEDS},
            "description": "numbers of seeds, increasing",
        }),
        _ => json!({
            "enum": Spending::ALL.map(Spending::name),
            "description": "how the level of the test is spent on the looks",
        }),
    };
    let properties: Map<String, Value> =
        STOPPING.iter().map(|key| ((*key).to_owned(), form(key))).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": STOPPING,
        "additionalProperties": false,
    })
}

fn report(tables: &[TableKind]) -> Value {
    let one_or_more =
        |item: Value| json!({"anyOf": [item, {"type": "array", "minItems": 1, "items": item}]});
    let form = |key: &str| match key {
        "spread" => {
            json!({"enum": Spread::ALL.map(Spread::name), "default": Spread::default().name()})
        }
        "bands" => {
            json!({"enum": Bands::ALL.map(Bands::name), "default": Bands::default().name()})
        }
        "tables" => {
            let kinds =
                tables.iter().map(|kind| json!({"const": kind.name, "description": kind.help}));
            one_or_more(json!({"anyOf": kinds.collect::<Vec<_>>()}))
        }
        "published" => one_or_more(json!({"type": "string"})),
        "pairs" => {
            let pair = json!({
                "type": "array", "minItems": 2, "maxItems": 2,
                "items": {"type": "string", "description": "METHOD, in every model, or MODEL/METHOD"},
            });
            json!({"type": "array", "minItems": 1, "items": pair})
        }
        _ => {
            let names = json!({"type": "object", "additionalProperties": {"type": "string"}});
            let axes = OtherNames::AXES.map(|axis| (axis.to_owned(), names.clone()));
            let axes: Map<String, Value> = axes.into_iter().collect();
            json!({"type": "object", "properties": axes, "additionalProperties": false})
        }
    };
    let properties: Map<String, Value> =
        REPORT.iter().map(|(key, help)| ((*key).to_owned(), described(form(key), help))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// One search or several.
fn tune() -> Value {
    let [trials, batch, startup] = TUNE_DEFAULTS;
    let count = |default: i64, least: i64, help: &str| {
        json!({
            "type": "integer", "minimum": least, "maximum": MAX_TRIALS, "default": default,
            "description": help,
        })
    };
    let form = |key: &str| match key {
        "method" => {
            json!({"type": "string", "description": "the name of one of the grid's methods"})
        }
        "parameters" => json!({
            "type": "object", "minProperties": 1, "additionalProperties": range(),
            "description": "parameters of the method, or `training.…`, with what they may be",
        }),
        "trials" => count(trials, 1, "tries of each search"),
        "batch" => count(batch, 1, "tries that are proposed together"),
        "startup" => count(startup, 0, "tries that are left to chance before estimates are made"),
        "seed" => json!({
            "type": "integer", "minimum": 0, "default": 1, "description": "of the search",
        }),
        _ => json!({
            "enum": Maximised::ALL.map(Maximised::name), "default": Maximised::default().name(),
            "description": "the dev score that is maximised",
        }),
    };
    let properties: Map<String, Value> =
        TUNE.iter().map(|key| ((*key).to_owned(), form(key))).collect();
    let search = json!({
        "type": "object", "properties": properties, "required": TUNE[..2],
        "additionalProperties": false,
    });
    json!({"anyOf": [search, {"type": "array", "minItems": 1, "items": search}]})
}

/// What a searched parameter may be.
fn range() -> Value {
    let ends = json!({
        "type": "array", "minItems": 2, "description": "[low, high] of a number, or a list of values",
    });
    let form = |key: &str| match key {
        "range" => json!({
            "type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"},
        }),
        "values" => json!({"type": "array", "minItems": 2}),
        _ => json!({"enum": Scale::NAMES}),
    };
    let properties: Map<String, Value> =
        RANGE.iter().map(|key| ((*key).to_owned(), form(key))).collect();
    json!({"anyOf": [
        ends,
        {"type": "object", "properties": properties, "additionalProperties": false},
    ]})
}

/// The same value with the keys of every object in order, whatever serde_json's map keeps.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.into_iter().map(|(key, value)| (key, sorted(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        scalar => scalar,
    }
}
