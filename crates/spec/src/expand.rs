//! From the checked grid to its jobs: every point with its settings and its key.
//!
//! An element is resolved once for each set of overrides that touches it, not once a job.

use super::capability::{conflict, without_batches, without_synonyms};
use super::check::{
    Assignment, Axis, Checked, CheckedCorpus, CheckedMethod, CheckedModel, Checker, Element,
};
use super::grid::Job;
use super::key::Keys;
use super::node::Node;
use super::path::Setter;
use super::search::Search;
use super::source::Span;
use super::training;
use domain::{
    BudgetRule, Dimension, JobKey, JobSettings, Parameters, Point, Precision, PrecisionProblem,
    SearchPlan, Stage, TrainingSettings,
};
use method::{loss::pu, negatives, unlabelled};
use parts::{Capability, encoders};
use std::collections::HashMap;
use std::sync::Arc;

/// Jobs of a grid, at most.
const MAX_JOBS: usize = 1_000_000;

/// What the elements of one axis mean, by index and by the overrides that touch them.
type Memo<T> = HashMap<(usize, Vec<usize>), Option<Arc<T>>>;

struct Expansion<'c, 'a> {
    checker: &'c mut Checker<'a>,
    checked: &'c Checked,
    corpora: Memo<CheckedCorpus>,
    scenarios: Memo<Parameters>,
    models: Memo<CheckedModel>,
    methods: Memo<CheckedMethod>,
    training: Memo<TrainingSettings>,
    /// What overrides set, in words: one list for all points that the same ones touch.
    shown: HashMap<Vec<usize>, Arc<[String]>>,
    /// Which of the overrides and exclusions have met a job.
    used: Vec<bool>,
    excluded: Vec<bool>,
}

/// What a grid comes to.
#[derive(Debug, Default)]
pub struct Expanded {
    pub jobs: Vec<Job>,
    pub searches: Vec<Search>,
}

/// The indices of a point but for its seed, in the order of the axes.
type Cell = [usize; 4];

/// What the elements of a point mean.
struct CellMeaning {
    corpus: Arc<CheckedCorpus>,
    scenario: Arc<Parameters>,
    model: Arc<CheckedModel>,
    method: Arc<CheckedMethod>,
    training: Arc<TrainingSettings>,
}

impl CellMeaning {
    /// Why they make no sense together, if they make none.
    fn conflict(&self) -> Option<String> {
        let Self { scenario, model, training, .. } = self;
        let method = &self.method.settings;
        let mut entries = self.method.entries.iter();
        entries
            .find_map(|part| conflict(part, model.head))
            .or_else(|| without_batches(training, model.head))
            .or_else(|| without_synonyms(method, &model.settings))
            .or_else(|| unlabelled::conflict(method, training, scenario))
            .or_else(|| negatives::conflict(method, scenario))
            .or_else(|| pu::conflict(method, scenario))
    }
}

/// All jobs, corpus by corpus, then scenario, model, method, seed.
pub fn expand(checker: &mut Checker<'_>, checked: &Checked, engine: &str) -> Expanded {
    let sizes =
        [&checked.corpora, &checked.scenarios, &checked.models, &checked.methods].map(Vec::len);
    let count = sizes.iter().try_fold(checked.seeds.len(), |n, size| n.checked_mul(*size));
    if count.is_none_or(|count| count > MAX_JOBS) {
        let at = Span { source: 0, line: 1, column: 1, length: 1 };
        checker.error(at, format_args!("the grid has more than {MAX_JOBS} jobs"));
        return Expanded::default();
    }
    let mut expansion = Expansion {
        checker,
        checked,
        corpora: Memo::new(),
        scenarios: Memo::new(),
        models: Memo::new(),
        methods: Memo::new(),
        training: Memo::new(),
        shown: HashMap::new(),
        used: vec![false; checked.overrides.len()],
        excluded: vec![false; checked.exclude.len()],
    };
    let jobs = Vec::with_capacity(count.unwrap_or(0));
    let mut expanded = Expanded { jobs, searches: Vec::new() };
    for cell in cells(sizes) {
        expansion.cell(cell, engine, &mut expanded);
    }
    expansion.idle_rules();
    expansion.twins(&expanded.jobs);
    expanded
}

fn cells([corpora, scenarios, models, methods]: Cell) -> impl Iterator<Item = Cell> {
    (0..corpora).flat_map(move |c| {
        (0..scenarios).flat_map(move |s| {
            (0..models).flat_map(move |m| (0..methods).map(move |t| [c, s, m, t]))
        })
    })
}

impl Expansion<'_, '_> {
    /// The names of a point, as patterns look at them.
    fn names(&self, [c, s, m, t]: Cell) -> [&str; 4] {
        let Checked { corpora, scenarios, models, methods, .. } = self.checked;
        [&corpora[c].name, &scenarios[s].name, &models[m].name, &methods[t].name]
    }

    fn is_excluded(&mut self, cell: Cell) -> bool {
        let names = self.names(cell);
        let fits: Vec<bool> =
            self.checked.exclude.iter().map(|(pattern, _)| pattern.matches(&names)).collect();
        self.excluded.iter_mut().zip(&fits).for_each(|(used, fits)| *used |= fits);
        fits.contains(&true)
    }

    /// The overrides that fit a point, in order.
    fn fitting(&mut self, cell: Cell) -> Vec<usize> {
        let names = self.names(cell);
        let overrides = self.checked.overrides.iter().enumerate();
        let fitting: Vec<usize> = overrides
            .filter(|(_, rule)| rule.when.matches(&names))
            .map(|(index, _)| index)
            .collect();
        fitting.iter().for_each(|index| self.used[*index] = true);
        fitting
    }

    /// The jobs of one point, a job a seed.
    fn cell(&mut self, cell: Cell, engine: &str, expanded: &mut Expanded) {
        if self.is_excluded(cell) {
            return;
        }
        let rules = self.fitting(cell);
        let Some(meaning) = self.meaning(cell, &rules) else { return };
        let [_, _, model, method] = cell;
        if meaning.training.precision == Precision::Bf16
            && !encoders::can(&meaning.model.settings.encoder.kind, Capability::Pieces)
        {
            return self.not_in_bf16(model, &rules);
        }
        let first = expanded.jobs.len();
        let template = self.template(cell, &rules, meaning, engine);
        let keys = Keys::new(&template.settings);
        expanded.jobs.extend(self.checked.seeds.iter().map(|seed| {
            let mut job = Job { key: keys.of(*seed), ..template.clone() };
            (job.settings.seed, job.point.seed) = (*seed, *seed);
            job
        }));
        if template.not_applicable.is_none() {
            self.tuned((method, &rules), &mut expanded.jobs[first..], &mut expanded.searches);
        }
    }

    /// What the elements of a point mean under some overrides; `None` if something is wrong with
    /// one.
    fn meaning(&mut self, [c, s, m, t]: Cell, rules: &[usize]) -> Option<CellMeaning> {
        let Self { checker, checked, .. } = self;
        let resolver = &mut Resolver { checker, checked, rules };
        // All of them, so that what is wrong with several is told at once.
        let corpus = resolver.of(Axis::Corpus, c, &mut self.corpora, Checker::corpus);
        let scenario = resolver.of(Axis::Scenario, s, &mut self.scenarios, Checker::scenario);
        let model = resolver.of(Axis::Model, m, &mut self.models, Checker::model);
        let method = resolver.of(Axis::Method, t, &mut self.methods, Checker::method);
        let training = resolver.of(Axis::Training, m, &mut self.training, Checker::training);
        Some(CellMeaning {
            corpus: corpus?,
            scenario: scenario?,
            model: model?,
            method: method?,
            training: training?,
        })
    }

    /// A job of a point, for any seed.
    fn template(&mut self, cell: Cell, rules: &[usize], meaning: CellMeaning, engine: &str) -> Job {
        let mut not_applicable = meaning.conflict();
        let CellMeaning { corpus, scenario, model, method, training } = meaning;
        let corpus = corpus.under(&scenario).unwrap_or_else(|reason| {
            not_applicable.get_or_insert(reason);
            (*corpus).clone()
        });
        let settings = JobSettings {
            engine: engine.to_owned(),
            corpus: corpus.identity.into(),
            scenario: scenario.into(),
            model: model.settings.clone().into(),
            method: method.settings.clone().into(),
            training: training.into(),
            seed: 0,
            stage: Stage::Main,
        };
        let [corpus_name, scenario, model_name, method_name] = self.names(cell).map(str::to_owned);
        let (corpus, model_files, method_files) =
            (corpus.files, model.files.clone(), method.files.clone());
        Job {
            key: JobKey(String::new()),
            point: Point {
                corpus: corpus_name,
                scenario,
                model: model_name,
                method: method_name,
                seed: 0,
            },
            settings,
            files: corpus.into(),
            model_files: model_files.into(),
            method_files: method_files.into(),
            not_applicable,
            overrides: self.shown(rules),
            search: None,
            waits: false,
        }
    }

    /// What overrides set, in words.
    fn shown(&mut self, rules: &[usize]) -> Arc<[String]> {
        if let Some(shown) = self.shown.get(rules) {
            return shown.clone();
        }
        let assignments = rules.iter().flat_map(|rule| &self.checked.overrides[*rule].assignments);
        let shown: Arc<[String]> = assignments.map(|set| set.shown.clone()).collect();
        self.shown.insert(rules.to_vec(), shown.clone());
        shown
    }

    /// A model whose encoder has no products in bf16, at the place that asks for them.
    fn not_in_bf16(&mut self, model: usize, rules: &[usize]) {
        let mut assignments =
            rules.iter().flat_map(|rule| &self.checked.overrides[*rule].assignments);
        let is_precision = |set: &&Assignment| {
            set.axis == Axis::Training && set.path.iter().all(|key| key.text == "precision")
        };
        let set = assignments.rfind(is_precision).map(|set| set.value.at);
        let node = &self.checked.training[model].node;
        let at = set.unwrap_or_else(|| node.get("precision").map_or(node.at, |node| node.at));
        let name = &self.checked.models[model].name;
        let message = format!("model `{name}`: {}", PrecisionProblem::Encoder);
        let error = self.checker.at(at, message);
        let help = "set it in the `training` of models with the encoder `bert` or `bart`";
        self.checker.tell(at, error.help(help));
    }

    /// Where the method is tuned: the search of this point, for which its jobs wait.
    fn tuned(
        &mut self,
        (method, rules): (usize, &[usize]),
        jobs: &mut [Job],
        searches: &mut Vec<Search>,
    ) {
        let of_method = self.checked.searches.iter().find(|search| search.method == method);
        let (Some(wanted), Some(main)) = (of_method, jobs.first()) else { return };
        let passes = main.settings.training.budget == BudgetRule::Passes;
        let mut places = wanted.plan.dimensions.iter().zip(&wanted.places);
        let updates = places.find(|(dimension, _)| dimension.path == "training.updates");
        if let (true, Some((_, at))) = (passes, updates) {
            let message = "`training.updates` is searched, but `budget: passes` counts passes";
            let help = "search `training.epochs`, or write `budget: updates`";
            let error = self.checker.at(*at, message).help(help);
            return self.checker.tell(*at, error);
        }
        let Some(search) = Search::new(wanted.plan.clone(), main) else {
            let Some(at) = wanted.places.first() else { return };
            let Point { corpus, model, method, .. } = &main.point;
            let message = format!(
                "on corpus `{corpus}` with model `{model}` an override leaves method `{method}` \
                 without a parameter that is searched"
            );
            return self.checker.error(*at, message);
        };
        self.outdone(&wanted.plan, rules);
        for job in jobs {
            job.search = Some(searches.len());
            job.waits = true;
            job.key = search.waiting_key(&job.settings);
        }
        searches.push(search);
    }

    /// Warns of overrides whose value a search replaces.
    fn outdone(&mut self, plan: &SearchPlan, rules: &[usize]) {
        let assignments = rules.iter().flat_map(|rule| &self.checked.overrides[*rule].assignments);
        for set in assignments {
            let path: Vec<&str> = set.path.iter().map(|key| key.text.as_str()).collect();
            let full = format!("{}.{}", set.axis.name(), path.join("."));
            // A short form leaves out the part: `method.gamma` is `method.loss.gamma`.
            let short = |dimension: &Dimension| {
                let mut steps = dimension.path.split('.');
                path.len() == 1
                    && set.axis == Axis::Method
                    && steps.next() == Some(Axis::Method.name())
                    && steps.next_back() == path.last().copied()
            };
            // Of `epochs` and `updates` one replaces the other.
            let replaces = |dimension: &Dimension| {
                let name = dimension.path.strip_prefix("training.").unwrap_or_default();
                set.axis == Axis::Training
                    && path.iter().any(|key| training::replaced_by(name).contains(key))
            };
            let is_searched = |dimension: &Dimension| {
                dimension.path == full || short(dimension) || replaces(dimension)
            };
            if let Some(dimension) = plan.dimensions.iter().find(|d| is_searched(d)) {
                let at = set.value.at;
                let searched = if replaces(dimension) { &dimension.path } else { &full };
                let message =
                    format!("`{searched}` is searched: what the search finds replaces this");
                let warning = self.checker.at(at, message).warning();
                self.checker.tell(at, warning);
            }
        }
    }

    fn idle_rules(&mut self) {
        let names =
            |elements: &[Element]| elements.iter().map(|e| e.name.clone()).collect::<Vec<_>>();
        let Checked { corpora, scenarios, models, methods, .. } = self.checked;
        let [c, s, m, t] = [corpora, scenarios, models, methods].map(|axis| names(axis));
        if [&c, &s, &m, &t].iter().any(|axis| axis.is_empty()) {
            return;
        }
        let overrides = self.checked.overrides.iter();
        let rules = overrides.map(|rule| (rule.at, "this override", &rule.when));
        let exclude = self.checked.exclude.iter();
        let exclude = exclude.map(|(pattern, at)| (*at, "this exclusion", pattern));
        let used = self.used.iter().chain(&self.excluded);
        let idle: Vec<_> = rules
            .chain(exclude)
            .zip(used)
            .filter(|(_, used)| !**used)
            .map(|(rule, _)| rule)
            .collect();
        for (at, what, pattern) in idle {
            self.checker.idle(at, what, pattern, [&c, &s, &m, &t]);
        }
    }

    /// Warns of points that are one job under two names.
    fn twins(&mut self, jobs: &[Job]) {
        let mut first: HashMap<&JobKey, &Point> = HashMap::with_capacity(jobs.len());
        for job in jobs {
            let Some(twin) = first.insert(&job.key, &job.point) else { continue };
            let pairs = [
                ("corpora", &twin.corpus, &job.point.corpus, &self.checked.corpora),
                ("scenarios", &twin.scenario, &job.point.scenario, &self.checked.scenarios),
                ("models", &twin.model, &job.point.model, &self.checked.models),
                ("methods", &twin.method, &job.point.method, &self.checked.methods),
            ];
            for (what, one, other, elements) in
                pairs.into_iter().filter(|(_, one, other, _)| one != other)
            {
                let Some(at) = elements.iter().find(|e| e.name == *other).map(|e| e.node.at) else {
                    continue;
                };
                let message = format!("the {what} `{one}` and `{other}` mean the same");
                let help = "their jobs are run once and shown under both names";
                let warning = self.checker.at(at, message).warning().help(help);
                self.checker.tell(at, warning);
            }
        }
    }
}

/// Finds what elements mean under some overrides.
struct Resolver<'r, 'a> {
    checker: &'r mut Checker<'a>,
    checked: &'r Checked,
    rules: &'r [usize],
}

impl<'r, 'a> Resolver<'r, 'a> {
    fn of<T>(
        &mut self,
        axis: Axis,
        index: usize,
        memo: &mut Memo<T>,
        check: impl FnOnce(&mut Checker<'a>, &Element, &Node) -> Option<T>,
    ) -> Option<Arc<T>> {
        let overrides = &self.checked.overrides;
        let touches =
            |rule: &&usize| overrides[**rule].assignments.iter().any(|set| set.axis == axis);
        let rules: Vec<usize> = self.rules.iter().filter(touches).copied().collect();
        let slot = (index, rules);
        if let Some(known) = memo.get(&slot) {
            return known.clone();
        }
        let element = self.element(axis, index);
        let node = self.overridden(axis, element, &slot.1);
        let meaning = node.and_then(|node| check(self.checker, element, &node)).map(Arc::new);
        memo.insert(slot, meaning.clone());
        meaning
    }

    fn element(&self, axis: Axis, index: usize) -> &'r Element {
        let checked = self.checked;
        match axis {
            Axis::Corpus => &checked.corpora[index],
            Axis::Scenario => &checked.scenarios[index],
            Axis::Model => &checked.models[index],
            Axis::Method => &checked.methods[index],
            Axis::Training => &checked.training[index],
        }
    }

    /// An element as the overrides leave it.
    fn overridden(&mut self, axis: Axis, element: &Element, rules: &[usize]) -> Option<Node> {
        let mut node = element.node.clone();
        let assignments = rules.iter().flat_map(|rule| &self.checked.overrides[*rule].assignments);
        for set in assignments.filter(|set| set.axis == axis) {
            let setter =
                Setter { catalogue: self.checker.catalogue, sources: self.checker.sources };
            if let Err(error) = setter.set(&mut node, &set.path, set.value.clone()) {
                self.checker.tell(set.value.at, error);
                return None;
            }
        }
        Some(node)
    }
}
