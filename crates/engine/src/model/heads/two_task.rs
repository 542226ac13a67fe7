//! Two tasks a type (nguyen2023): is a word in an entity, and does one begin there? A logit each,
//! decided by Algorithm 1 of the paper. The paper merges all types into one; with several, each has
//! its two tasks, and a word that is in entities of several is of the one with the highest
//! probability.
//!
//! A layer over the tags stands beside them. Only the cross-entropy steps of the loss `comauc`
//! train it, for what they teach the encoder; it decides nothing.

use super::{BatchLoss, Gold, PerToken, numbers, weighed};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Tensor, TensorData};
use domain::{Tag, TypeId};
use parts::heads::two_task::TwoTask as Declared;

/// The decisions, and a layer over the tags.
#[derive(Module, Debug)]
pub struct TwoTask {
    /// To a logit a type: in an entity of it.
    entity: Linear,
    /// To a logit a type: one of it begins.
    begin: Linear,
    tags: Linear,
    /// The logits above which a decision is yes, in the order of the columns.
    thresholds: Param<Tensor<1>>,
    #[module(skip)]
    tunes: bool,
    #[module(skip)]
    begin_weight: f64,
}

/// The logits of a word: of each type's entities, of each type's beginnings.
#[derive(Copy, Clone, Debug)]
pub struct Columns {
    pub types: usize,
}

impl Columns {
    /// Those of both tasks.
    pub fn tasks(self) -> usize {
        2 * self.types
    }

    /// Whether the decision of a task's column is yes for a word of this class.
    pub fn says_yes(self, column: usize, class: usize) -> bool {
        let tag = Tag::from_index(class);
        match column < self.types {
            true => tag.entity_type() == Some(TypeId(column as u16)),
            false => tag == Tag::Begin(TypeId((column - self.types) as u16)),
        }
    }

    /// The tag of a word by its logits (nguyen2023, algorithm 1).
    pub fn decide(self, logits: &[f32], thresholds: &[f32]) -> Tag {
        let inside = (0..self.types).filter(|&column| logits[column] > thresholds[column]);
        // The first of equals.
        let best = inside.rev().max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
        let Some(column) = best else { return Tag::Outside };
        let (id, begin) = (TypeId(column as u16), self.types + column);
        if logits[begin] > thresholds[begin] { Tag::Begin(id) } else { Tag::Inside(id) }
    }
}

impl TwoTask {
    pub fn new(declared: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        let types = tags / 2;
        let layer = |outputs| LinearConfig::new(input, outputs).init(device);
        let thresholds = Param::from_tensor(Tensor::zeros([2 * types], device));
        Self {
            entity: layer(types),
            begin: layer(types),
            tags: layer(tags),
            thresholds: thresholds.set_require_grad(false),
            tunes: declared.tune_threshold,
            begin_weight: declared.begin_weight,
        }
    }

    /// What the columns of its logits are.
    pub fn columns(&self) -> Columns {
        Columns { types: self.thresholds.dims()[0] / 2 }
    }

    /// Tokens × input to tokens × columns.
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let layers = [&self.entity, &self.begin];
        Tensor::cat(layers.map(|layer| layer.forward(states.clone())).into(), 1)
    }

    /// Tokens × input to tokens × tags, for what is taught by them.
    pub fn tag_logits(&self, states: Tensor<2>) -> Tensor<2> {
        self.tags.forward(states)
    }

    /// Those over entities, over beginnings and over tags.
    #[cfg(test)]
    pub fn layers(&self) -> [&Linear; 3] {
        [&self.entity, &self.begin, &self.tags]
    }

    /// The method's loss of both tasks, weighed and added up. A task's decisions are those of all
    /// words and types together.
    pub fn loss(&self, logits: Tensor<2>, gold: Gold<'_>, loss: PerToken<'_>) -> BatchLoss {
        let columns = self.columns();
        let types = columns.types;
        let asked: Vec<usize> = gold.sentences.iter().map(|words| words * types).collect();
        let of_task = |first: usize| {
            let decisions = logits.clone().narrow(1, first, types);
            let decisions = decisions.reshape([gold.classes.len() * types, 1]);
            let yes = gold.classes.iter().flat_map(|&class| {
                (first..first + types)
                    .map(move |column| usize::from(columns.says_yes(column, class)))
            });
            let classes = &yes.collect::<Vec<usize>>();
            weighed(decisions, Gold { classes, sentences: &asked }, loss)
        };
        let (entities, of_entities) = of_task(0);
        let (begins, of_begins) = of_task(types);
        let value = of_entities + self.begin_weight * of_begins;
        let tensor = entities + begins * self.begin_weight;
        BatchLoss { tensor, value, count: gold.classes.len() }
    }

    /// The tag of each token.
    pub fn decode(&self, logits: Tensor<2>, _: &[usize]) -> Vec<usize> {
        let (columns, thresholds) = (self.columns(), self.thresholds());
        let logits: Vec<f32> = numbers(logits);
        let words = logits.chunks(columns.tasks());
        words.map(|logits| columns.decide(logits, &thresholds).index()).collect()
    }

    /// Whether its thresholds are to be moved after training.
    pub fn tunes_thresholds(&self) -> bool {
        self.tunes
    }

    /// The logits above which a decision is yes.
    pub fn thresholds(&self) -> Vec<f32> {
        numbers(self.thresholds.val())
    }

    /// The same head, which never finds a type that no word of training has, given how often each
    /// class occurs there: `auc` leaves its tasks as they were drawn.
    pub fn of_seen_types(self, counts: &[u64]) -> Self {
        let columns = self.columns();
        let is_seen = |column| {
            (0..counts.len()).any(|class| counts[class] > 0 && columns.says_yes(column, class))
        };
        let never = |(column, old)| if is_seen(column) { old } else { f32::INFINITY };
        let thresholds: Vec<f32> = self.thresholds().into_iter().enumerate().map(never).collect();
        self.with_thresholds(&thresholds)
    }

    /// The same head with other thresholds.
    pub fn with_thresholds(self, thresholds: &[f32]) -> Self {
        let data = TensorData::new(thresholds.to_vec(), [thresholds.len()]);
        let thresholds = self.thresholds.map(|old| Tensor::from_data(data, &old.device()));
        Self { thresholds, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::Value;

    fn head(types: usize) -> TwoTask {
        let parameters = Declared::read(&Declared::ENTRY.defaults());
        TwoTask::new(&parameters, 4, 1 + 2 * types, &Device::flex())
    }

    fn decoded(head: &TwoTask, rows: &[&[f32]]) -> Vec<Tag> {
        let width = head.columns().tasks();
        let data = TensorData::new(rows.concat(), [rows.len(), width]);
        let logits = Tensor::from_data(data, &Device::flex());
        head.decode(logits, &[rows.len()]).into_iter().map(Tag::from_index).collect()
    }

    #[test]
    fn one_type_is_decided_as_the_reference_vectors_have_it() {
        let text = include_str!("../../../../../tests/vectors/neg_sampling.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let cases = vectors["two_task_tag"].as_array().unwrap();
        assert_eq!(cases.len(), 4);
        for case in cases {
            let logit = |name: &str| if case[name] == 1 { 0.2 } else { -0.2 };
            let found = decoded(&head(1), &[&[logit("en"), logit("be")]]);
            let expected = match case["tag"].as_str().unwrap() {
                "B" => Tag::Begin(TypeId(0)),
                "I" => Tag::Inside(TypeId(0)),
                _ => Tag::Outside,
            };
            assert_eq!(found, [expected], "{case}");
        }
    }

    #[test]
    fn a_word_of_several_types_is_of_the_likeliest() {
        let [a, b] = [TypeId(0), TypeId(1)];
        let rows: [&[f32]; 5] = [
            // Entities of a and of b, beginnings of a and of b.
            &[1.0, 2.0, 5.0, -1.0],
            &[2.0, 1.0, 5.0, -1.0],
            &[-1.0, 0.5, 5.0, 0.1],
            &[-1.0, -0.5, 5.0, 5.0],
            &[1.0, 1.0, -1.0, 5.0],
        ];
        let expected = [Tag::Inside(b), Tag::Begin(a), Tag::Begin(b), Tag::Outside, Tag::Inside(a)];
        assert_eq!(decoded(&head(2), &rows), expected);
        // Above its threshold alone a type can win.
        let strict = head(2).with_thresholds(&[0.0, 3.0, 6.0, 0.0]);
        assert_eq!(strict.thresholds(), [0.0, 3.0, 6.0, 0.0]);
        let expected = [Tag::Inside(a), Tag::Inside(a), Tag::Outside, Tag::Outside, Tag::Inside(a)];
        assert_eq!(decoded(&strict, &rows), expected);
    }

    #[test]
    fn a_type_that_training_never_shows_is_never_found() {
        let [a, b] = [TypeId(0), TypeId(1)];
        let rows: [&[f32]; 2] = [&[1.0, 9.0, 5.0, 9.0], &[-1.0, 9.0, -1.0, 9.0]];
        let head = |counts: [u64; 5]| head(2).of_seen_types(&counts);
        assert_eq!(decoded(&head([9, 1, 0, 1, 0]), &rows), [Tag::Begin(b), Tag::Begin(b)]);
        assert_eq!(decoded(&head([9, 1, 0, 0, 0]), &rows), [Tag::Begin(a), Tag::Outside]);
        assert_eq!(decoded(&head([9, 0, 0, 0, 0]), &rows), [Tag::Outside, Tag::Outside]);
    }

    #[test]
    fn a_tags_decisions_lead_back_to_it() {
        let columns = Columns { types: 3 };
        for class in 0..=columns.tasks() {
            let logits: Vec<f32> = (0..columns.tasks())
                .map(|column| if columns.says_yes(column, class) { 1.0 } else { -1.0 })
                .collect();
            assert_eq!(columns.decide(&logits, &[0.0; 6]).index(), class);
        }
    }

    #[test]
    fn thresholds_are_not_trained() {
        let device = Device::flex().autodiff();
        let parameters = Declared::read(&Declared::ENTRY.defaults());
        let head = TwoTask::new(&parameters, 4, 3, &device);
        assert!(!head.thresholds.val().is_require_grad());
        assert!(!head.valid().with_thresholds(&[1.0, 1.0]).thresholds.val().is_require_grad());
    }
}
