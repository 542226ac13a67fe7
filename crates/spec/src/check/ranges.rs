//! What a searched parameter may be: `[low, high]`, a list of values, or the long form of either.

use super::Checker;
use super::parts::plain;
use crate::node::{Map, Node, Value, get};
use domain::{ParameterValue, Range, Scale};
use parts::{Parameter, ParameterKind};

/// Keys of a range in its long form.
pub const RANGE: [&str; 3] = ["range", "values", "scale"];

impl Checker<'_> {
    /// `[low, high]`, a list of values, or the long form of either.
    pub(super) fn range(
        &mut self,
        what: &str,
        parameter: &Parameter,
        node: &Node,
    ) -> Option<Range> {
        let is_number = matches!(
            parameter.kind,
            ParameterKind::Real { .. }
                | ParameterKind::Integer { .. }
                | ParameterKind::Strength { .. }
                | ParameterKind::Count { .. }
        );
        if !can_be_searched(parameter) {
            self.error(
                node.at,
                format_args!("{what} cannot be searched: it is no number, switch or choice"),
            );
            return None;
        }
        match &node.value {
            Value::List(items) if is_number && items.len() == 2 => {
                self.ends(what, parameter, (node, items), Scale::Linear)
            }
            Value::List(items) => self.values(what, parameter, (node, items)),
            Value::Map(map) => self.long_range(what, parameter, (node, map), is_number),
            _ => {
                let form = if is_number { "`[low, high]`" } else { "a list of values" };
                let message = format!("the range of {what} is {}", node.describe());
                let error = self.at(node.at, message).label(format_args!("expected {form}"));
                self.tell(node.at, error);
                None
            }
        }
    }

    fn long_range(
        &mut self,
        what: &str,
        parameter: &Parameter,
        (node, map): (&Node, &Map),
        is_number: bool,
    ) -> Option<Range> {
        for (key, _) in map.iter().filter(|(key, _)| !RANGE.contains(&key.text.as_str())) {
            self.unknown_key(key, &format!("the range of {what}"), &RANGE);
        }
        let scale = match get(map, "scale") {
            Some(node) => self.scale(node)?,
            None => Scale::Linear,
        };
        let list = |node: &'_ Node| match &node.value {
            Value::List(items) => Some(items.clone()),
            _ => None,
        };
        let (range, values) = (get(map, "range"), get(map, "values"));
        match (range.and_then(list), values.and_then(list), get(map, "scale")) {
            (Some(items), None, _) if is_number && values.is_none() && items.len() == 2 => {
                self.ends(what, parameter, (range.unwrap_or(node), &items), scale)
            }
            (None, Some(items), None) if range.is_none() => {
                self.values(what, parameter, (values.unwrap_or(node), &items))
            }
            _ => {
                let message = format!("this is no range of {what}");
                let help = match is_number {
                    true => "write `{range: [low, high], scale: log}`, or `{values: [a, b, c]}`",
                    false => "write `{values: [a, b]}`, or the list alone",
                };
                let error = self.at(node.at, message).help(help);
                self.tell(node.at, error);
                None
            }
        }
    }

    fn scale(&mut self, node: &Node) -> Option<Scale> {
        match self.text(node, "the scale")? {
            "linear" => Some(Scale::Linear),
            "log" => Some(Scale::Log),
            other => {
                self.unknown_name(node.at, "scale", other, &Scale::NAMES);
                None
            }
        }
    }

    /// The two ends of a range of numbers.
    fn ends(
        &mut self,
        what: &str,
        parameter: &Parameter,
        (node, items): (&Node, &[Node]),
        scale: Scale,
    ) -> Option<Range> {
        let mut ends = items.iter().map(|item| self.allowed(what, parameter, item));
        let (low, high) = (ends.next().flatten(), ends.next().flatten());
        let (low, high) = (low?, high?);
        let number = |value: &ParameterValue| match value {
            ParameterValue::Integer(n) => *n as f64,
            ParameterValue::Real(x) => *x,
            _ => f64::NAN,
        };
        let is_word = |value: &ParameterValue| matches!(value, ParameterValue::Text(_));
        if let Some(word) = [&low, &high].into_iter().find(|end| is_word(end)) {
            let message = format!("the range of {what} ends at `{word}`, which is not a number");
            let help = "name numbers, or write `{values: [a, b]}` to choose between values";
            let error = self.at(node.at, message).help(help);
            self.tell(node.at, error);
            return None;
        }
        if number(&low) >= number(&high) {
            let message = format!("the range of {what} goes from {low} to {high}");
            let error = self.at(node.at, message).label("expected the lower end first");
            self.tell(node.at, error);
            return None;
        }
        if scale == Scale::Log && number(&low) <= 0.0 {
            let message = format!("the range of {what} begins at {low}, which has no logarithm");
            let error = self.at(items[0].at, message);
            self.tell(items[0].at, error.help("begin above 0, or leave out `scale: log`"));
            return None;
        }
        match (low, high) {
            (ParameterValue::Integer(low), ParameterValue::Integer(high)) => {
                Some(Range::Integer { low, high, scale })
            }
            (low, high) => Some(Range::Real { low: number(&low), high: number(&high), scale }),
        }
    }

    /// Two values or more, each once.
    fn values(
        &mut self,
        what: &str,
        parameter: &Parameter,
        (node, items): (&Node, &[Node]),
    ) -> Option<Range> {
        let mut values: Vec<ParameterValue> = Vec::new();
        let mut complete = true;
        for item in items {
            match self.allowed(what, parameter, item) {
                Some(value) if values.contains(&value) => {
                    self.error(item.at, format_args!("{value} is here twice"));
                    complete = false;
                }
                Some(value) => values.push(value),
                None => complete = false,
            }
        }
        if complete && values.len() < 2 {
            self.error(
                node.at,
                format_args!("there is nothing to search: name two values of {what} or more"),
            );
            return None;
        }
        complete.then_some(Range::Values { values })
    }

    /// A value that the parameter may have.
    fn allowed(
        &mut self,
        what: &str,
        parameter: &Parameter,
        node: &Node,
    ) -> Option<ParameterValue> {
        if let Some(Ok(value)) = plain(node).map(|value| parameter.check(value)) {
            return Some(value);
        }
        let message = format!("{what} cannot be {}", node.describe());
        let mut error =
            self.at(node.at, message).label(format_args!("expected {}", parameter.expected()));
        if let (Some(text), words @ [_, ..]) = (node.as_text(), parameter.words()) {
            error = error.suggest(text, words.iter().copied());
        }
        self.tell(node.at, error);
        None
    }
}

/// Whether a parameter is a number, a switch or a choice.
pub(super) fn can_be_searched(parameter: &Parameter) -> bool {
    use ParameterKind::{Bool, Choice, Count, Integer, Real, Strength};
    matches!(
        parameter.kind,
        Bool { .. } | Integer { .. } | Count { .. } | Real { .. } | Choice { .. } | Strength { .. }
    )
}
