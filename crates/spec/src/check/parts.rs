//! Registry entries chosen by name, with their parameters in nested or short form.

use super::Checker;
use crate::diagnostic::quoted;
use crate::node::{Key, Map, Node, Value, get};
use crate::slots::{Fallback, Slot};
use crate::source::Span;
use domain::{ParameterValue, Parameters, Part};
use parts::{Entry, Parameter, ParameterKind};

/// A parameter as it was given.
type Given<'n> = (&'n Key, &'n Node);

/// A slot with the entry that goes into it.
struct Chosen<'n> {
    slot: &'static Slot,
    entry: &'static Entry,
    given: Vec<Given<'n>>,
}

/// What is left to do with a slot.
enum Choice<'n> {
    Made(Chosen<'n>),
    Absent,
    /// An error, told already.
    Failed,
}

impl Checker<'_> {
    /// The parts that `map` names, one for each filled slot; `own` are its keys that are no part.
    pub fn parts(
        &mut self,
        what: &str,
        (map, at): (&Map, Span),
        slots: &'static [Slot],
        own: &[&str],
    ) -> Option<Vec<(&'static Slot, &'static Entry, Part)>> {
        let mut chosen = Vec::new();
        let mut complete = true;
        for slot in slots {
            match self.choose(what, map, at, slot) {
                Choice::Made(choice) => chosen.push(choice),
                Choice::Absent => {}
                Choice::Failed => complete = false,
            }
        }
        // While a slot is in doubt, a parameter that nobody else has may be that slot's.
        let in_doubt = !complete;
        for (key, node) in map {
            let name = key.text.as_str();
            if !own.contains(&name) && !slots.iter().any(|slot| slot.name == name) {
                complete &= self.short_form(what, (key, node), &mut chosen, (slots, own), in_doubt);
            }
        }
        let mut parts = Vec::new();
        for Chosen { slot, entry, given } in chosen {
            let owner = format!("{} `{}`", slot.name, entry.name);
            match self.parameters(&owner, entry.parameters, &given) {
                Some(parameters) => {
                    parts.push((slot, entry, Part { kind: entry.name.to_owned(), parameters }));
                }
                None => complete = false,
            }
        }
        complete.then_some(parts)
    }

    fn choose<'n>(
        &mut self,
        what: &str,
        map: &'n Map,
        at: Span,
        slot: &'static Slot,
    ) -> Choice<'n> {
        let made = |entry, given| Choice::Made(Chosen { slot, entry, given });
        let Some(node) = get(map, slot.name) else {
            return match slot.fallback {
                Fallback::Absent => Choice::Absent,
                Fallback::Entry(name) => {
                    slot.find(name).map_or(Choice::Failed, |e| made(e, vec![]))
                }
                Fallback::Required => {
                    let known = slot.names().collect::<Vec<_>>().join(", ");
                    let message = format!("{what} needs `{}`: {}", slot.name, slot.help);
                    let error = self.at(at, message).help(format_args!("one of: {known}"));
                    self.tell(at, error);
                    Choice::Failed
                }
            };
        };
        let (kind, given) = match &node.value {
            Value::Null if slot.fallback == Fallback::Absent => return Choice::Absent,
            Value::Map(nested) => match get(nested, "kind") {
                Some(kind) => {
                    let given = nested.iter().filter(|(key, _)| key.text != "kind");
                    (kind, given.map(|(key, node)| (key, node)).collect())
                }
                None => {
                    let message = format!("{} of {what} needs its `kind`", slot.name);
                    let known = slot.names().collect::<Vec<_>>().join(", ");
                    let error = self.at(node.at, message).help(format_args!("one of: {known}"));
                    self.tell(node.at, error);
                    return Choice::Failed;
                }
            },
            _ => (node, Vec::new()),
        };
        let Some(name) = self.text(kind, &format!("{} of {what}", slot.name)) else {
            return Choice::Failed;
        };
        match slot.find(name) {
            Some(entry) => made(entry, given),
            None => {
                let known: Vec<_> = slot.names().collect();
                self.unknown_name(kind.at, slot.name, name, &known);
                Choice::Failed
            }
        }
    }

    /// A parameter that stands beside the parts: it belongs to the one part that has it. `false` if
    /// that is an error.
    fn short_form<'n>(
        &mut self,
        what: &str,
        (key, node): Given<'n>,
        chosen: &mut [Chosen<'n>],
        (slots, own): (&'static [Slot], &[&str]),
        in_doubt: bool,
    ) -> bool {
        let has = |entry: &Entry| entry.parameters.iter().any(|p| p.name == key.text);
        let owners: Vec<usize> = (0..chosen.len()).filter(|i| has(chosen[*i].entry)).collect();
        match owners[..] {
            [one] => chosen[one].given.push((key, node)),
            [] if in_doubt => {}
            [] => self.stray(what, key, chosen, (slots, own)),
            _ => {
                let nested = owners.iter().map(|i| {
                    let Chosen { slot, entry, .. } = &chosen[*i];
                    format!("`{}: {{kind: {}, {}: …}}`", slot.name, entry.name, key.text)
                });
                let help = nested.collect::<Vec<_>>().join(" or ");
                let message =
                    format!("{} of {what} can mean more than one part", quoted(&key.text));
                let error = self.at(key.at, message).help(format_args!("say which: {help}"));
                self.tell(key.at, error);
            }
        }
        owners.len() == 1
    }

    /// A key that no part of this element has.
    fn stray(
        &mut self,
        what: &str,
        key: &Key,
        chosen: &[Chosen<'_>],
        (slots, own): (&'static [Slot], &[&str]),
    ) {
        let parameters = chosen.iter().flat_map(|c| c.entry.parameters).map(|p| p.name);
        let known: Vec<&str> =
            own.iter().copied().chain(slots.iter().map(|s| s.name)).chain(parameters).collect();
        let elsewhere = slots.iter().find_map(|slot| {
            let has = |e: &&Entry| e.parameters.iter().any(|p| p.name == key.text);
            slot.entries.iter().find(has).map(|entry| (slot, entry))
        });
        let Some((slot, entry)) = elsewhere else {
            return self.unknown_key(key, what, &known);
        };
        let message = format!("{what} has no setting {}", quoted(&key.text));
        let label = format!("a parameter of {} `{}`", slot.name, entry.name);
        // A part inside a chosen one may be what is meant.
        let inner = chosen
            .iter()
            .flat_map(|chosen| chosen.entry.parameters)
            .find(|parameter| parameter.choices().any(|inner| inner.name == entry.name));
        let help = match inner {
            Some(inner) => {
                format!("write `{}: {{kind: {}, {}: …}}`", inner.name, entry.name, key.text)
            }
            None => format!("add `{}: {}`, or take it out", slot.name, entry.name),
        };
        let error = self.at(key.at, message).label(label).help(help);
        self.tell(key.at, error);
    }

    /// Values for all parameters of a table: those given, and the defaults of the rest.
    pub fn parameters(
        &mut self,
        owner: &str,
        table: &'static [Parameter],
        given: &[Given<'_>],
    ) -> Option<Parameters> {
        let mut values = parts::defaults(table);
        let mut complete = true;
        for (index, (key, node)) in given.iter().enumerate() {
            if given[..index].iter().any(|(earlier, _)| earlier.text == key.text) {
                let message = format!("{} of {owner} is set twice", quoted(&key.text));
                let error = self.at(key.at, message).help("in short and in nested form: keep one");
                self.tell(key.at, error);
                complete = false;
                continue;
            }
            match self.parameter(owner, table, key, node) {
                Some(value) => drop(values.0.insert(key.text.clone(), value)),
                None => complete = false,
            }
        }
        complete.then_some(values)
    }

    fn parameter(
        &mut self,
        owner: &str,
        table: &'static [Parameter],
        key: &Key,
        node: &Node,
    ) -> Option<ParameterValue> {
        let Some(parameter) = table.iter().find(|p| p.name == key.text) else {
            let known: Vec<_> = table.iter().map(|p| p.name).collect();
            match known.is_empty() {
                true => self.error(key.at, format_args!("{owner} has no parameters")),
                false => self.unknown_key(key, owner, &known),
            }
            return None;
        };
        if let ParameterKind::Part { .. } = parameter.kind {
            return self.nested_part(owner, parameter, key, node);
        }
        let value = plain(node).map(|value| parameter.check(value));
        if let Some(Ok(value)) = value {
            return Some(value);
        }
        let message = format!("{} of {owner} is {}", quoted(&key.text), node.describe());
        let expected = parameter.expected();
        let mut error = self.at(node.at, message).label(format_args!("expected {expected}"));
        if let (Some(text), words @ [_, ..]) = (node.as_text(), parameter.words()) {
            let expected = format_args!("expected {expected}");
            let known = words.iter().copied().chain(parameter.other_words());
            error = error.suggest(text, known).help(expected);
        }
        self.tell(node.at, error);
        None
    }

    /// An entry that is the parameter of another: its name, or a mapping with `kind`.
    fn nested_part(
        &mut self,
        owner: &str,
        parameter: &Parameter,
        key: &Key,
        node: &Node,
    ) -> Option<ParameterValue> {
        let (kind, given) = match &node.value {
            Value::Map(nested) => match get(nested, "kind") {
                Some(kind) => {
                    let given = nested.iter().filter(|(key, _)| key.text != "kind");
                    (kind, given.map(|(key, node)| (key, node)).collect())
                }
                None => {
                    let message = format!("`{}` of {owner} needs its `kind`", key.text);
                    let error = self.at(node.at, message).help(parameter.expected());
                    self.tell(node.at, error);
                    return None;
                }
            },
            _ => (node, Vec::new()),
        };
        let name = self.text(kind, &format!("`{}` of {owner}", key.text))?;
        let Some(entry) = parameter.choices().find(|entry| entry.name == name) else {
            let known: Vec<&str> = parameter.choices().map(|entry| entry.name).collect();
            self.unknown_name(kind.at, &key.text, name, &known);
            return None;
        };
        let owner = format!("{} `{}`", key.text, entry.name);
        let parameters = self.parameters(&owner, entry.parameters, &given)?;
        let part = Part { kind: entry.name.to_owned(), parameters };
        Some(ParameterValue::Part(Box::new(part)))
    }
}

/// A scalar as a parameter's value. A number that is none (`.nan`, `.inf`) is refused, and minus
/// zero is zero: it means the same and must give the same key.
pub(super) fn plain(node: &Node) -> Option<ParameterValue> {
    match &node.value {
        Value::Bool(v) => Some(ParameterValue::Bool(*v)),
        Value::Integer(v) => Some(ParameterValue::Integer(*v)),
        Value::Real(v) if v.is_finite() => Some(ParameterValue::Real(*v + 0.0)),
        Value::Text(v) => Some(ParameterValue::Text(v.clone())),
        Value::List(items) => {
            let names = items.iter().map(|item| item.as_text().map(str::to_owned));
            names.collect::<Option<_>>().map(ParameterValue::Names)
        }
        _ => None,
    }
}
