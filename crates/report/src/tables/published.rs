//! The table of published numbers: ours, theirs and the difference, and what has no counterpart.

use super::registry::{Appears, Kind, Make, Sheet};
use super::{Align, Cell, Group, Table, TableColumn, TableRow, Tidy, TidyColumn, cells, field};
use crate::artefact::FileNames;
use crate::beside::{Beside, Joined, Ours, Unmatched, join};
use analysis::comparison::Comparison;
use analysis::number;
use analysis::published::{Measure, Published};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "published",
    help: "ours, the numbers of a published table and the difference, for each that the grid's report names",
    appears: Appears::ByItself,
    make: Make::Grid(make),
};

fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let table = |published: &Published| {
        let joined = join(sheet, published);
        let has_counterparts = !joined.lines.is_empty();
        has_counterparts
            .then(|| table(sheet, published, &joined, names.name(&["published", &published.name])))
    };
    sheet.view.asked.published.iter().filter_map(table).collect()
}

/// What is wrong with published tables of which no number has a counterpart in the grid.
pub fn without_counterpart(sheet: &Sheet<'_>) -> Vec<String> {
    let lone = |published: &&Published| join(sheet, published).lines.is_empty();
    let told = |published: &Published| {
        let first = published.rows.first();
        let example = first.map_or_else(String::new, |row| {
            format!(", as {}/{}/{}/{}", row.corpus, row.scenario, row.model, row.method)
        });
        format!(
            "no number of the published table `{}` is of a corpus, scenario, model and method of this grid{example}: \
             say under `report: names` what they are called here",
            published.name
        )
    };
    sheet.view.asked.published.iter().filter(lone).map(told).collect()
}

/// What a row is about. A column is about a model.
#[derive(Clone, PartialEq, Debug)]
struct RowKey<'j> {
    corpus: &'j str,
    scenario: &'j str,
    method: &'j str,
    entity_type: Option<&'j str>,
    measure: Measure,
}

impl<'j> RowKey<'j> {
    fn of(line: &'j Beside<'_>) -> Self {
        let [corpus, scenario, _, method] = line.place;
        let (entity_type, measure) = (line.entity_type, line.published.measure);
        Self { corpus, scenario, method, entity_type, measure }
    }

    /// What a block of rows shares.
    fn block(&self) -> [&'j str; 2] {
        [self.corpus, self.scenario]
    }
}

/// The values of a list, each once, in their order.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// The axes of a table: the heads that rows need, and what all rows share.
struct Axes<'j> {
    keys: Vec<RowKey<'j>>,
    models: Vec<&'j str>,
    corpora: bool,
    scenarios: bool,
    types: bool,
    measures: bool,
}

impl<'j> Axes<'j> {
    fn new(lines: &'j [Beside<'_>]) -> Self {
        let keys = distinct(lines.iter().map(RowKey::of));
        let several = |count: usize| count > 1;
        Self {
            corpora: several(distinct(keys.iter().map(|key| key.corpus)).len()),
            scenarios: several(distinct(keys.iter().map(|key| key.scenario)).len()),
            types: keys.iter().any(|key| key.entity_type.is_some()),
            measures: several(distinct(keys.iter().map(|key| key.measure)).len()),
            models: distinct(lines.iter().map(|line| line.place[2])),
            keys,
        }
    }

    fn heads(&self) -> Vec<&'static str> {
        let heads = [
            (self.corpora, "Corpus"),
            (self.scenarios, "Scenario"),
            (true, "Method"),
            (self.types, "Type"),
            (self.measures, "Measure"),
        ];
        heads.into_iter().filter(|(there, _)| *there).map(|(_, head)| head).collect()
    }
}

fn table(sheet: &Sheet<'_>, published: &Published, joined: &Joined<'_>, name: String) -> Table {
    let axes = Axes::new(&joined.lines);
    let left = axes.heads().into_iter().map(|head| (head, Align::Left));
    let numbers = axes.models.iter().flat_map(|_| ["Ours", "Published", "Δ"]);
    let columns = left.chain(numbers.map(|head| (head, Align::Right)));
    let heads = Group { head: String::new(), columns: axes.heads().len() };
    let of_model = axes.models.iter().map(|model| Group { head: (*model).to_owned(), columns: 3 });
    Table {
        name,
        title: format!("Ours beside {}", published.title),
        cautions: sheet.cautions(|c| is_beside(joined, c)),
        caption: caption(sheet, published, joined, &axes),
        groups: std::iter::once(heads).chain(of_model).collect(),
        columns: columns.map(|(head, align)| TableColumn::new(head, align)).collect(),
        rows: rows(sheet, &joined.lines, &axes),
        tidy: tidy(published, joined),
    }
}

/// Whether a comparison is one of scores that stand beside published ones.
fn is_beside(joined: &Joined<'_>, c: &Comparison) -> bool {
    // An empty name is the mean over all of the axis.
    let is_at = |place: &[&str; 4]| {
        let names = [&c.corpus, &c.scenario, &c.model, &c.method];
        place.iter().zip(names).all(|(own, name)| own.is_empty() || *own == name.as_str())
    };
    joined.lines.iter().any(|line| is_at(&line.place))
}

fn rows(sheet: &Sheet<'_>, lines: &[Beside<'_>], axes: &Axes<'_>) -> Vec<TableRow> {
    let mut rows = Vec::new();
    for (index, key) in axes.keys.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &axes.keys[before]);
        let ruled = before.is_some_and(|before| before.block() != key.block());
        let mut cells = head_cells(sheet, axes, key, before.filter(|_| !ruled));
        for model in &axes.models {
            let here = |line: &&Beside<'_>| line.place[2] == *model && RowKey::of(line) == *key;
            cells.extend(match lines.iter().find(here) {
                Some(line) => numbers(line),
                None => {
                    [(); 3].map(|()| Cell::NotApplicable("not in the published table".to_owned()))
                }
            });
        }
        rows.push(TableRow { cells, ruled });
    }
    rows
}

fn head_cells(
    sheet: &Sheet<'_>,
    axes: &Axes<'_>,
    key: &RowKey<'_>,
    before: Option<&RowKey<'_>>,
) -> Vec<Cell> {
    let head = |text: &str, again: bool| match again {
        true => Cell::Again(text.to_owned()),
        false => Cell::Head(text.to_owned()),
    };
    let same = |what: fn(&RowKey<'_>) -> String| before.is_some_and(|b| what(b) == what(key));
    let mut cells = Vec::new();
    if axes.corpora {
        cells.push(head(key.corpus, same(|key| key.corpus.to_owned())));
    }
    if axes.scenarios {
        cells.push(head(key.scenario, same(|key| key.scenario.to_owned())));
    }
    let view = sheet.view;
    cells.push(match same(|key| key.method.to_owned()) {
        true => Cell::Again(key.method.to_owned()),
        false => Cell::Method {
            name: key.method.to_owned(),
            look: view.look(key.method),
            baseline: view.is_baseline(key.method),
        },
    });
    if axes.types {
        let name = |key: &RowKey<'_>| format!("{} {:?}", key.method, key.entity_type);
        cells.push(head(key.entity_type.unwrap_or("all"), same(name)));
    }
    if axes.measures {
        cells.push(Cell::Head(key.measure.title()));
    }
    cells
}

/// What stands behind a number that is odd.
const ODD: &str = "‡";

/// Ours, theirs and the difference.
fn numbers(line: &Beside<'_>) -> [Cell; 3] {
    let published = line.published;
    let is_share = published.measure.is_share();
    let shown = |number: f64| match is_share {
        true => number::percent(number),
        false => format!("{number:.2}"),
    };
    let ours = match &line.ours {
        Ours::Score(score) => Cell::Score(score.clone()),
        Ours::Number(number) => Cell::Text(shown(*number)),
        Ours::Absent(cell) => cell.clone(),
    };
    let error = published.error.map_or_else(String::new, |error| format!(" ± {}", shown(error)));
    let odd = if published.note.is_some() { ODD } else { "" };
    let difference = match line.difference() {
        Some(difference) if is_share => Cell::Text(number::signed_percent(difference)),
        Some(difference) => Cell::Text(number::signed(difference)),
        None => Cell::Text(String::new()),
    };
    [ours, Cell::Text(format!("{}{error}{odd}", published.printed)), difference]
}

fn caption(
    sheet: &Sheet<'_>,
    published: &Published,
    joined: &Joined<'_>,
    axes: &Axes<'_>,
) -> String {
    let mut caption = format!("{}{}.", what(joined), where_(axes));
    caption.push_str(" Ours: ");
    caption.push_str(&spread(sheet, joined));
    caption.push_str("; Δ: ours minus published");
    if joined.lines.iter().any(|line| line.published.measure.is_share()) {
        caption.push_str(", in percentage points");
    }
    caption.push('.');
    caption.push_str(&closeness(joined));
    caption.push_str(&directions(sheet, joined));
    for caveat in &published.caveats {
        caption.push_str(&format!(" Published: {caveat}."));
    }
    caption.push_str(&notes(joined));
    caption.push_str(&unmatched(&joined.unmatched));
    caption.push_str(&unpublished(sheet, joined));
    caption
}

/// The measures: captions state what is compared with what.
fn what(joined: &Joined<'_>) -> String {
    let measures = distinct(joined.lines.iter().map(|line| line.published.measure));
    let names: Vec<String> = measures.iter().map(|measure| measure.in_words()).collect();
    match measures.iter().all(|measure| !measure.is_share()) {
        true => names.join(", "),
        false => format!(
            "On test, in %: {} (entities by conlleval rules; a ratio with nothing below it counts as 0)",
            names.join(", ")
        ),
    }
}

/// What all rows share and therefore none names.
fn where_(axes: &Axes<'_>) -> String {
    let Some(first) = axes.keys.first() else { return String::new() };
    let corpus =
        (!axes.corpora && !first.corpus.is_empty()).then(|| format!(" on {}", first.corpus));
    let scenario =
        (!axes.scenarios && first.scenario != "full").then(|| format!(", {}", first.scenario));
    corpus.unwrap_or_default() + &scenario.unwrap_or_default()
}

fn spread(sheet: &Sheet<'_>, joined: &Joined<'_>) -> String {
    let scores = joined.lines.iter().filter_map(|line| match &line.ours {
        Ours::Score(score) => Some(Cell::Score(score.clone())),
        _ => None,
    });
    let row = TableRow { cells: scores.collect(), ruled: false };
    cells::spread_in_words(sheet.view.asked.spread, cells::seeds(&[row]))
}

/// How far apart the scores are on the whole, each measure by itself: a mean over precision, F1 and
/// shares of tokens would be one of nothing.
fn closeness(joined: &Joined<'_>) -> String {
    let scores = joined.lines.iter().map(|line| line.published.measure).filter(|m| m.is_score());
    let apart: Vec<String> =
        distinct(scores).into_iter().filter_map(|measure| apart(joined, measure)).collect();
    match apart.is_empty() {
        true => String::new(),
        false => format!(" On average ours are away by {}.", apart.join("; ")),
    }
}

/// `−3.67 in F1 (macro), 3.67 whatever the direction (2 numbers)`
fn apart(joined: &Joined<'_>, measure: Measure) -> Option<String> {
    let of_measure = joined.lines.iter().filter(|line| line.published.measure == measure);
    let differences: Vec<f64> = of_measure.filter_map(Beside::difference).collect();
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    Some(format!(
        "{} in {}, {} whatever the direction ({})",
        number::signed_percent(stats::mean(&differences)?),
        measure.in_words(),
        number::percent(stats::mean(&sizes)?),
        number::counted(differences.len(), "number")
    ))
}

/// How often a score of a method is on the same side of the baseline in both.
fn directions(sheet: &Sheet<'_>, joined: &Joined<'_>) -> String {
    let Some(baseline) = sheet.view.baseline.as_deref() else { return String::new() };
    let (mut same, mut all) = (0, 0);
    for line in joined.lines.iter().filter(|line| line.place[3] != baseline) {
        let [corpus, scenario, model, _] = line.place;
        let base = joined.lines.iter().find(|other| {
            other.place == [corpus, scenario, model, baseline]
                && other.entity_type == line.entity_type
                && other.published.measure == line.published.measure
        });
        let Some(base) = base.filter(|_| line.published.measure.is_score()) else { continue };
        let (Some(ours), Some(our_base)) = (line.ours.mean(), base.ours.mean()) else { continue };
        all += 1;
        let side = |own: f64, base: f64| {
            let same = number::percent(own) == number::percent(base);
            if same { std::cmp::Ordering::Equal } else { own.total_cmp(&base) }
        };
        same +=
            usize::from(side(ours, our_base) == side(line.published.value, base.published.value));
    }
    match all {
        0 => String::new(),
        all => format!(
            " On the same side of {baseline} in both: {same} of {}, which is no test.",
            number::counted(all, "number")
        ),
    }
}

/// What is odd about which number.
fn notes(joined: &Joined<'_>) -> String {
    let note = |line: &Beside<'_>| {
        let note = line.published.note.as_ref()?;
        let measure = line.published.measure.title();
        let of = line.entity_type.map_or_else(String::new, |name| format!(" {name}"));
        Some(format!("{}{of} {measure}: {note}", line.published.method))
    };
    let notes = distinct(joined.lines.iter().filter_map(note));
    match notes.is_empty() {
        true => String::new(),
        false => format!(" {ODD} {}.", notes.join("; ")),
    }
}

/// What the published table has and the grid has not.
fn unmatched(unmatched: &[Unmatched]) -> String {
    let one = |left: &Unmatched| {
        format!("{} {} ({})", left.axis, left.name, number::counted(left.numbers, "number"))
    };
    let all: Vec<String> = unmatched.iter().map(one).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!(" Published but not in this grid: {}.", all.join(", ")),
    }
}

/// What the grid has and the published table has not.
fn unpublished(sheet: &Sheet<'_>, joined: &Joined<'_>) -> String {
    let view = sheet.view;
    let axes = [
        ("corpus", &view.corpora),
        ("scenario", &view.scenarios),
        ("model", &view.models),
        ("method", &view.methods),
    ];
    let mut alone = Vec::new();
    for (index, (axis, names)) in axes.into_iter().enumerate() {
        // An empty name is the mean over all of the axis.
        let has = |name: &str| {
            let mut places = joined.lines.iter().map(|line| line.place[index]);
            places.any(|known| known == name || known.is_empty())
        };
        let unknown = names.iter().filter(|name| !has(name));
        alone.extend(unknown.map(|name| format!("{axis} {name}")));
    }
    match alone.is_empty() || joined.lines.is_empty() {
        true => String::new(),
        false => format!(" In this grid but not published there: {}.", alone.join(", ")),
    }
}

fn tidy(published: &Published, joined: &Joined<'_>) -> Tidy {
    let columns: [TidyColumn<(&Published, &Beside<'_>)>; 17] = [
        ("table", |(published, _)| published.name.clone()),
        ("corpus", |(_, line)| line.place[0].to_owned()),
        ("scenario", |(_, line)| line.place[1].to_owned()),
        ("model", |(_, line)| line.place[2].to_owned()),
        ("method", |(_, line)| line.place[3].to_owned()),
        ("type", |(_, line)| field(line.entity_type)),
        ("metric", |(_, line)| line.published.measure.name()),
        ("state", |(_, line)| state(line)),
        ("n", |(_, line)| ours_field(line, 1)),
        ("planned", |(_, line)| ours_field(line, 2)),
        ("ours", |(_, line)| field(line.ours.mean())),
        ("ours_sd", |(_, line)| ours_field(line, 4)),
        ("ours_se", |(_, line)| ours_field(line, 5)),
        ("published", |(_, line)| line.published.value.to_string()),
        ("published_error", |(_, line)| field(line.published.error)),
        ("difference", |(_, line)| field(line.difference())),
        ("note", |(_, line)| field(line.published.note.as_ref())),
    ];
    Tidy::of(&columns, joined.lines.iter().map(|line| (published, line)))
}

fn state(line: &Beside<'_>) -> String {
    match ours_field(line, 0) {
        none if none.is_empty() => "scored".to_owned(),
        state => state,
    }
}

/// One of the fields of `cells::TIDY`; empty of a factor or a share.
fn ours_field(line: &Beside<'_>, index: usize) -> String {
    let cell = match &line.ours {
        Ours::Score(score) => Cell::Score(score.clone()),
        Ours::Absent(cell) => cell.clone(),
        Ours::Number(_) => return String::new(),
    };
    cells::tidy(&cell)[index].clone()
}

#[cfg(test)]
mod tests;
