//! The table of token classes (Table 2 of nemoto2024): B and I merged, O as a class of its own, a
//! group of columns a method.

use super::registry::{Appears, Kind, Make};
use super::types::{PARTS, absent, over, parts, tidy_absent};
use super::{Align, Cell, Change, Column, Group, MeanCell, Rank, Row, Table, Tidy};
use analysis::by_type::{Class, Sample, TypeBoard, types_of};
use analysis::number;
use analysis::{GridView, Panel};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "token-classes",
    help: "every class of tokens, O among them, with every method (Table 2 of nemoto2024)",
    appears: Appears::ByItself,
    make: Make::Model(|sheet, panel, model, names| {
        let name = names.name(&["token-classes", &panel.corpus, &panel.scenario, model]);
        let cautions = sheet.cautions(|c| c.is_on(panel) && c.model == model);
        let table = token_classes(sheet.view, &sheet.by_type[1], panel, model, name)?;
        Some(Table { cautions, ..table })
    }),
};

/// The table of one model on one panel; `None` where no class has a score. `board` is of tokens.
pub fn token_classes(
    view: &GridView,
    board: &TypeBoard<'_>,
    panel: &Panel,
    model: &str,
    name: String,
) -> Option<Table> {
    let methods = board.methods(view, panel, model);
    let methods: Vec<Method<'_>> =
        methods.into_iter().map(|name| Method::new(board, panel, model, name)).collect();
    let types = types_of(methods.iter().map(|method| &method.sample));
    if types.is_empty() {
        return None;
    }
    let knows = |method: &Method<'_>| !method.sample.is_empty() && method.sample.knows_outside();
    let outside = methods.iter().any(knows);
    let classes = types.into_iter().chain(outside.then_some(Class::Outside));
    let averages = [Some(Class::Macro), outside.then_some(Class::MacroWithOutside)];
    let classes: Vec<Class> = classes.chain(averages.into_iter().flatten()).collect();
    Some(Table {
        name,
        title: format!("Token classes on {} with {model}", panel.title()),
        cautions: vec![],
        caption: caption(outside, &methods),
        groups: groups(view, &methods),
        columns: columns(methods.len()),
        rows: classes.iter().map(|class| row(class, &methods)).collect(),
        tidy: tidy(panel, model, &classes, &methods),
    })
}

struct Method<'a> {
    name: &'a str,
    sample: Sample<'a>,
    planned: usize,
    /// Why there are no numbers, where there are none.
    absent: Option<Cell>,
}

impl<'a> Method<'a> {
    fn new(board: &'a TypeBoard<'_>, panel: &Panel, model: &str, name: &'a str) -> Self {
        let cell = board.averages.cell(panel, model, name);
        let sample = board.sample(panel, model, name);
        Self { name, planned: cell.seeds.len(), absent: absent(cell, &sample), sample }
    }

    /// The means of a class, or why there are none.
    fn means(&self, class: &Class) -> Result<[f64; 3], Cell> {
        match (&self.absent, self.sample.mean(class)) {
            (Some(absent), _) => Err(absent.clone()),
            (None, Some(score)) => Ok(parts(score)),
            (None, None) => {
                Err(Cell::NotApplicable("the records of these jobs do not count O".to_owned()))
            }
        }
    }
}

fn row(class: &Class, methods: &[Method<'_>]) -> Row {
    let support = methods.iter().find_map(|method| method.sample.support(class));
    let support = support.map_or_else(String::new, number::grouped);
    let mut cells = vec![Cell::Head(class.title().to_owned()), Cell::Text(support)];
    let best = best_f1(class, methods);
    for method in methods {
        cells.extend(match method.means(class) {
            Ok(means) => std::array::from_fn(|part| mean(means[part], part == 2, &best)),
            Err(absent) => [absent.clone(), absent.clone(), absent],
        });
    }
    Row { cells, ruled: *class == Class::Macro }
}

fn mean(mean: f64, is_f1: bool, best: &Option<String>) -> Cell {
    let is_best = is_f1 && best.as_ref().is_some_and(|best| *best == number::percent(mean));
    let rank = if is_best { Rank::Best } else { Rank::Other };
    Cell::Mean(MeanCell { mean, rank, change: Change::None })
}

/// The best F1 of a class as it is printed; one alone is not called the best, nor is 0.
fn best_f1(class: &Class, methods: &[Method<'_>]) -> Option<String> {
    let means = methods.iter().filter_map(|method| method.means(class).ok());
    let mut all: Vec<f64> = means.map(|[_, _, f1]| f1).collect();
    all.sort_by(f64::total_cmp);
    all.last().filter(|best| all.len() > 1 && **best > 0.0).map(|best| number::percent(*best))
}

fn groups(view: &GridView, methods: &[Method<'_>]) -> Vec<Group> {
    let head = |method: &Method<'_>| match view.is_baseline(method.name) {
        true => format!("{} (baseline)", method.name),
        false => method.name.to_owned(),
    };
    let heads = std::iter::once(Group { head: String::new(), columns: 2 });
    heads.chain(methods.iter().map(|method| Group { head: head(method), columns: 3 })).collect()
}

fn columns(methods: usize) -> Vec<Column> {
    let parts = std::iter::repeat_n(PARTS, methods).flatten().map(|head| (head, Align::Right));
    let heads = [("Class", Align::Left), ("Gold", Align::Right)].into_iter().chain(parts);
    heads.map(|(head, align)| Column { head: head.to_owned(), align }).collect()
}

fn caption(outside: bool, methods: &[Method<'_>]) -> String {
    let scored = methods.iter().filter(|method| !method.sample.is_empty());
    let o = match outside {
        true => "O is a class of its own, in no average but the last row's.",
        false => "O is left out: the records of these jobs do not count it.",
    };
    format!(
        "Precision (P), recall (R) and F1 in % on test, by class of tokens, the rarest first; Gold: tokens of \
         the test split. Tokens match on their type, B and I merged (so the scorer's mode plays no part); a \
         ratio with nothing below it counts as 0, so a type that was predicted but is not in gold has 0 \
         throughout. {o} Macro: unweighted mean over the types found in gold or prediction. Best F1 of a row \
         in bold. Means over each method's seeds: {}. After Table 2 of Nemoto et al. (2024).",
        over(scored.map(|method| (method.name, method.sample.len(), method.planned)))
    )
}

const TIDY: [&str; 15] = [
    "corpus",
    "scenario",
    "model",
    "method",
    "level",
    "scope",
    "type",
    "state",
    "n",
    "planned",
    "support",
    "precision",
    "recall",
    "f1",
    "reason",
];

fn tidy(panel: &Panel, model: &str, classes: &[Class], methods: &[Method<'_>]) -> Tidy {
    let place = |method: &Method<'_>| {
        [&panel.corpus, &panel.scenario, model, method.name, "token"].map(str::to_owned)
    };
    let of_method = |method: &Method<'_>| -> Vec<Vec<String>> {
        let rows = match &method.absent {
            Some(absent) => vec![tidy_absent(absent, method.planned, 3)],
            None => classes.iter().filter_map(|class| tidy_row(class, method)).collect(),
        };
        rows.into_iter().map(|row| place(method).into_iter().chain(row).collect()).collect()
    };
    Tidy { header: TIDY.to_vec(), rows: methods.iter().flat_map(of_method).collect() }
}

/// Everything after the place; `None` where O was not counted.
fn tidy_row(class: &Class, method: &Method<'_>) -> Option<Vec<String>> {
    let means = method.means(class).ok()?;
    let support = method.sample.support(class).map_or_else(String::new, |n| n.to_string());
    let names = [class.scope(), class.entity_type().unwrap_or(""), "scored"].map(str::to_owned);
    let counts = [method.sample.len().to_string(), method.planned.to_string(), support];
    let numbers = means.iter().map(f64::to_string);
    Some(names.into_iter().chain(counts).chain(numbers).chain([String::new()]).collect())
}
