//! `tailgrid methods` and `tailgrid models`: what a grid can name.

use super::output::{print, shown, width};
use super::{CliError, Common, Exit};
use method::catalogue::{METHODS, Method, NamedPart};
use parts::{Entry, Need, Parameter};
use report::tables::Table;
use report::tables::terminal::{self, paragraphs};
use serde_json::{Value, json};
use spec::slots::{Fallback, METHOD, MODEL, Slot};
use spec::training;

/// Lists the methods and the parts they are composed of.
pub fn methods(common: &Common) -> Result<Exit, CliError> {
    show(common, methods_json, methods_text)
}

/// Lists the parts of models and the settings of training.
pub fn models(common: &Common) -> Result<Exit, CliError> {
    show(common, models_json, models_text)
}

fn show(common: &Common, json: fn() -> Value, text: fn() -> String) -> Result<Exit, CliError> {
    let shown = if common.json { json().to_string() } else { text() };
    print(&shown).map(|()| Exit::Done)
}

fn methods_text() -> String {
    let row = |method: &Method| [method.name.to_owned(), method.help.to_owned(), composed(method)];
    let named = Table::list(METHODS.iter().map(row));
    let mut text = format!("Methods, for `methods:` of a grid\n{}", shown(&named));
    text.push_str(
        "\nParts, to compose others: {name: mine, resample: scr, loss: focal, gamma: 3}\n",
    );
    METHOD.iter().for_each(|slot| text.push_str(&slot_text(slot)));
    text
}

fn models_text() -> String {
    let mut text =
        "Parts of models, for `models:` of a grid: {name: mine, encoder: bilstm, head: softmax}\n"
            .to_owned();
    MODEL.iter().for_each(|slot| text.push_str(&slot_text(slot)));
    text.push_str("\ntraining: how models are trained\n");
    text + &shown(&Table::list(training::PARAMETERS.iter().map(parameter_row)))
}

/// `{resample: scr}`, nothing for the baseline.
fn composed(method: &Method) -> String {
    let parts: Vec<String> = method.parts.iter().flat_map(settings).collect();
    if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(", ")) }
}

/// A part as a grid writes it, with what is set of its parameters.
fn settings(part: &NamedPart) -> impl Iterator<Item = String> {
    let presets = part.presets.iter().map(|(name, preset)| format!("{name}: {preset}"));
    std::iter::once(format!("{}: {}", part.slot, part.kind)).chain(presets)
}

fn slot_text(slot: &Slot) -> String {
    let fallback = match slot.fallback {
        Fallback::Required => String::new(),
        Fallback::Absent => " (may be left out)".to_owned(),
        Fallback::Entry(name) => format!(" (default {name})"),
    };
    let entries: String = slot.entries.iter().map(entry_text).collect();
    let head = paragraphs(&format!("{}{fallback}: {}\n", slot.name, slot.help), width());
    format!("\n{head}{entries}")
}

fn entry_text(entry: &Entry) -> String {
    let mut notes: Vec<String> = vec![entry.help.to_owned()];
    if entry.needs != Need::Nothing {
        notes.push(format!("needs {}", entry.needs));
    }
    if !entry.source.is_empty() {
        notes.push(entry.source.to_owned());
    }
    let head = paragraphs(&format!("  {}: {}\n", entry.name, notes.join("; ")), width());
    let parameters = Table::list(entry.parameters.iter().map(parameter_row));
    head + &terminal::rows(&parameters, "      ", width())
}

fn parameter_row(parameter: &Parameter) -> [String; 3] {
    let range = format!("{} (default {})", parameter.expected(), parameter.default_value());
    [parameter.name.to_owned(), range, parameter.help.to_owned()]
}

fn methods_json() -> Value {
    let method = |method: &Method| {
        let parts = method.parts.iter();
        let parts: serde_json::Map<String, Value> =
            parts.map(|part| (part.slot.to_owned(), json!(part.kind))).collect();
        json!({"name": method.name, "help": method.help, "parts": parts})
    };
    json!({
        "methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "parts": slots_json(METHOD),
    })
}

fn models_json() -> Value {
    let training: Vec<Value> = training::PARAMETERS.iter().map(parameter_json).collect();
    json!({"parts": slots_json(MODEL), "training": training})
}

fn slots_json(slots: &[Slot]) -> Value {
    let slot = |slot: &Slot| {
        let default = match slot.fallback {
            Fallback::Entry(name) => Some(name),
            Fallback::Required | Fallback::Absent => None,
        };
        json!({
            "part": slot.name, "help": slot.help, "default": default,
            "required": slot.fallback == Fallback::Required,
            "entries": slot.entries.iter().map(entry_json).collect::<Vec<_>>(),
        })
    };
    slots.iter().map(slot).collect()
}

/// An entry of a registry, as every list has it.
pub fn entry_json(entry: &Entry) -> Value {
    json!({
        "name": entry.name, "help": entry.help, "needs": entry.needs.to_string(), "source": entry.source,
        "parameters": entry.parameters.iter().map(parameter_json).collect::<Vec<_>>(),
    })
}

/// A parameter, as every list has it.
pub fn parameter_json(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name, "help": parameter.help,
        "default": parameter.default_value(), "expected": parameter.expected(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_a_grid_can_use_is_listed() {
        let listed = methods_text() + &models_text();
        let json = methods_json().to_string() + &models_json().to_string();
        let entries = METHOD.iter().chain(MODEL).flat_map(|slot| slot.entries);
        let parameters = entries.clone().flat_map(|entry| entry.parameters).map(|p| p.name);
        let names = METHODS.iter().map(|m| m.name).chain(entries.map(|e| e.name)).chain(parameters);
        for name in names.chain(training::PARAMETERS.iter().map(|p| p.name)) {
            assert!(listed.contains(&format!("  {name}")), "{name}");
            assert!(json.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
