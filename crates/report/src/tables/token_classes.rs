//! The table of token classes (Table 2 of nemoto2024): B and I merged, O as a class of its own, a
//! group of columns a method.

use super::class_lines::{self, ClassLine, ClassScores, parts};
use super::registry::{Appears, Kind, Make};
use super::types::{PARTS, absent, over};
use super::{Cell, Change, Group, MeanCell, Rank, Table, TableColumn, TableRow, Tidy};
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
    let methods: Vec<MethodSample<'_>> =
        methods.into_iter().map(|name| MethodSample::new(board, panel, model, name)).collect();
    let types = types_of(methods.iter().map(|method| &method.sample));
    if types.is_empty() {
        return None;
    }
    let knows =
        |method: &MethodSample<'_>| !method.sample.is_empty() && method.sample.knows_outside();
    let outside = methods.iter().any(knows);
    let classes = types.into_iter().chain(outside.then_some(Class::Outside));
    let averages = [Some(Class::Macro), outside.then_some(Class::MacroWithOutside)];
    let classes: Vec<Class> = classes.chain(averages.into_iter().flatten()).collect();
    Some(Table {
        name,
        title: format!("Token classes on {} with {model}", panel.title()),
        caption: caption(outside, &methods),
        groups: groups(view, &methods),
        columns: columns(methods.len()),
        rows: classes.iter().map(|class| row(class, &methods)).collect(),
        tidy: tidy(panel, model, &classes, &methods),
        ..Table::default()
    })
}

struct MethodSample<'a> {
    name: &'a str,
    sample: Sample<'a>,
    planned: usize,
    /// Why there are no numbers, where there are none.
    absent: Option<Cell>,
}

impl<'a> MethodSample<'a> {
    fn new(board: &'a TypeBoard<'_>, panel: &Panel, model: &str, name: &'a str) -> Self {
        let cell = board.averages.cell(panel, model, name);
        let sample = board.sample(panel, model, name);
        Self { name, planned: cell.seeds.len(), absent: absent(cell, &sample), sample }
    }

    fn scores<'c>(&self, class: &'c Class) -> Option<ClassScores<'c>> {
        let (own, support) = (self.sample.mean(class)?, self.sample.support(class));
        Some(ClassScores { class, n: self.sample.len(), share: None, support, baseline: None, own })
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

fn row(class: &Class, methods: &[MethodSample<'_>]) -> TableRow {
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
    TableRow { cells, ruled: *class == Class::Macro }
}

fn mean(mean: f64, is_f1: bool, best: &Option<String>) -> Cell {
    let is_best = is_f1 && best.as_ref().is_some_and(|best| *best == number::percent(mean));
    let rank = if is_best { Rank::Best } else { Rank::Other };
    Cell::Mean(MeanCell { mean, rank, change: Change::None })
}

/// The best F1 of a class as it is printed; one alone is not called the best, nor is 0.
fn best_f1(class: &Class, methods: &[MethodSample<'_>]) -> Option<String> {
    let means = methods.iter().filter_map(|method| method.means(class).ok());
    let mut all: Vec<f64> = means.map(|[_, _, f1]| f1).collect();
    all.sort_by(f64::total_cmp);
    all.last().filter(|best| all.len() > 1 && **best > 0.0).map(|best| number::percent(*best))
}

fn groups(view: &GridView, methods: &[MethodSample<'_>]) -> Vec<Group> {
    let head = |method: &MethodSample<'_>| match view.is_baseline(method.name) {
        true => format!("{} (baseline)", method.name),
        false => method.name.to_owned(),
    };
    let heads = std::iter::once(Group { head: String::new(), columns: 2 });
    heads.chain(methods.iter().map(|method| Group { head: head(method), columns: 3 })).collect()
}

fn columns(methods: usize) -> Vec<TableColumn> {
    let numbers = std::iter::once("Gold").chain(std::iter::repeat_n(PARTS, methods).flatten());
    [TableColumn::left("Class")].into_iter().chain(numbers.map(TableColumn::right)).collect()
}

fn caption(outside: bool, methods: &[MethodSample<'_>]) -> String {
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

/// Without the classes that the records of a method do not count.
fn tidy(panel: &Panel, model: &str, classes: &[Class], methods: &[MethodSample<'_>]) -> Tidy {
    let lines = methods.iter().flat_map(|of| {
        let scores: Vec<_> = match &of.absent {
            Some(absent) => vec![Err(absent)],
            None => classes.iter().filter_map(|class| of.scores(class)).map(Ok).collect(),
        };
        let (method, planned, baseline, level) = (of.name, of.planned, "", "token");
        let line =
            move |scores| ClassLine { panel, model, method, baseline, level, planned, scores };
        scores.into_iter().map(line)
    });
    class_lines::alone(lines)
}
