//! A table of one setting of scenarios: a row a value, a group of columns a corpus, a column for
//! each model and method.

use super::conditions::{self, Competitor, Family, families, panel, several_models};
use super::pivot::{Entry, Pivot, PivotRow, Ranked};
use super::registry::Sheet;
use super::{Cell, Table, TableRow, cells};
use crate::artefact::FileNames;
use analysis::Panel;
use analysis::comparison::Comparison;
use analysis::measure;
use domain::Parameters;

/// What is swept, and the words of its tables.
pub(super) struct Sweep {
    /// The setting of scenarios, a share.
    pub setting: &'static str,
    /// Whether a scenario without it counts as one of 0.
    pub bare: bool,
    pub file: &'static str,
    /// The head of the rows.
    pub head: &'static str,
    /// After the metric's name in titles: ` by masked entities`.
    pub title: &'static str,
    /// What the values are, for the caption.
    pub caption: &'static str,
    /// Whose table it is.
    pub after: &'static str,
}

impl Sweep {
    /// A table for each family of scenarios with two values or more.
    pub fn make(&self, sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
        let mut tables = Vec::new();
        for family in families(sheet.view, &[self.setting], self.bare) {
            let groups = self.corpora(sheet, &family);
            let varies = family.scenarios.iter().any(|(_, settings)| self.value(settings) > 0.0);
            if varies && family.scenarios.len() > 1 && !groups.is_empty() {
                let name = names.name(&[self.file, &family.tag()]);
                tables.push(self.table(sheet, &family, &groups, name));
            }
        }
        tables
    }

    /// The value of a scenario; 0 where it has none.
    fn value(&self, settings: &Parameters) -> f64 {
        settings.value(self.setting).unwrap_or(0.0)
    }

    /// The corpora with those who compete on them.
    fn corpora<'v>(
        &self,
        sheet: &Sheet<'v>,
        family: &Family<'v>,
    ) -> Vec<(&'v str, Vec<Competitor<'v>>)> {
        let of_corpus = |corpus: &'v String| {
            let panels: Vec<Panel> =
                family.scenarios.iter().map(|(scenario, _)| panel(corpus, scenario)).collect();
            let who = conditions::competitors(sheet, &panels);
            (!who.is_empty()).then_some((corpus.as_str(), who))
        };
        sheet.view.corpora.iter().filter_map(of_corpus).collect()
    }

    fn table(
        &self,
        sheet: &Sheet<'_>,
        family: &Family<'_>,
        corpora: &[(&str, Vec<Competitor<'_>>)],
        name: String,
    ) -> Table {
        let mut scenarios = family.scenarios.clone();
        scenarios.sort_by(|(_, a), (_, b)| self.value(a).total_cmp(&self.value(b)));
        let rows = scenarios.iter().map(|scenario| self.row(sheet, scenario, corpora));
        let several = corpora.iter().any(|(_, who)| several_models(who));
        let head = |who: &Competitor<'_>| match several {
            true => format!("{} {}", who.model, who.method),
            false => who.method.to_owned(),
        };
        let group = |(corpus, who): &(&str, Vec<Competitor<'_>>)| {
            ((*corpus).to_owned(), who.iter().map(head).collect())
        };
        let pivot = Pivot {
            names: vec![self.head],
            groups: corpora.iter().map(group).collect(),
            blocks: vec![rows.collect()],
            ranked: Ranked::GroupOfRow,
            place: vec!["corpus", "scenario", self.setting, "model", "method", "metric"],
            further: vec![],
        };
        let (table, metric) = (pivot.table(), sheet.headline().metric);
        Table {
            name,
            title: format!("{}{}{}", measure::title(metric), self.title, family.in_words()),
            cautions: sheet.cautions(|c| shows(&scenarios, corpora, c)),
            caption: self.caption(sheet, &table.rows),
            ..table
        }
    }

    fn row(
        &self,
        sheet: &Sheet<'_>,
        (scenario, settings): &(&str, &Parameters),
        corpora: &[(&str, Vec<Competitor<'_>>)],
    ) -> PivotRow {
        let (value, metric) = (self.value(settings), sheet.headline().metric.name());
        let entry = |(corpus, who): (&str, &Competitor<'_>)| {
            let [.., f1] = conditions::parts(sheet, &panel(corpus, scenario), who);
            let value = value.to_string();
            Entry::new(f1, &[corpus, scenario, &value, who.model, who.method, metric])
        };
        let places = corpora.iter().flat_map(|(corpus, who)| who.iter().map(|w| (*corpus, w)));
        PivotRow {
            names: vec![Cell::Head(percent(value))],
            entries: places.map(entry).collect(),
            ruled: false,
        }
    }

    fn caption(&self, sheet: &Sheet<'_>, rows: &[TableRow]) -> String {
        let metric = sheet.headline().metric;
        format!(
            "Test {} in %, {}, by {}. {} Best of a row and corpus in bold, second underlined.{} After {}.",
            metric.title(),
            cells::spread_in_words(sheet.view.asked.spread, cells::seeds(rows)),
            self.caption,
            measure::definition(metric),
            conditions::marks_in_words(sheet),
            self.after
        )
    }
}

/// Whether a comparison is one of scores that the table shows.
fn shows(
    scenarios: &[(&str, &Parameters)],
    groups: &[(&str, Vec<Competitor<'_>>)],
    c: &Comparison,
) -> bool {
    let is_of = |who: &Competitor<'_>| who.model == c.model && who.method == c.method;
    let on_corpus = groups.iter().any(|(corpus, who)| *corpus == c.corpus && who.iter().any(is_of));
    on_corpus && scenarios.iter().any(|(scenario, _)| *scenario == c.scenario)
}

/// A share in percent, without the noise of binary fractions: `7 %`, `0.5 %`.
fn percent(share: f64) -> String {
    let text = format!("{:.6}", 100.0 * share);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}
