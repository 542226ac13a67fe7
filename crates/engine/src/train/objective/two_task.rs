//! AUC-2T and COMAUC-2T (nguyen2023): the margin losses of both tasks, with what lasts of them from
//! batch to batch.

use super::{Lesson, Objective};
use crate::model::heads::two_task::Columns;
use crate::model::heads::{self, BatchLoss, Gold, mean_over_tokens, numbers, with_gradient};
use crate::model::pesg::{Pesg, REFERENCE_DEVIATION};
use crate::random::{Purpose, normal, stream};
use crate::train::schedule::restarts;
use domain::{JobSettings, TrainingSettings};
use method::loss::{self, Loss, TokenLoss};
use method::two_task::{Descent, Margin, TaskState, TwoTaskSettings};

/// The margin losses of all tasks, after a step of cross-entropy where the method is `comauc`.
pub struct TwoTask {
    settings: TwoTaskSettings,
    columns: Columns,
    /// One for each column of a task.
    tasks: Vec<Task>,
    /// Over the tags; `comauc` has it.
    cross_entropy: Option<Box<dyn TokenLoss>>,
    /// Without its margin and rate, which are the tasks'.
    decays: Decays,
    /// Whether PESG is at work, which slows down with its restarts.
    pulled: bool,
    /// What the rate of a, b and α is divided by.
    slowed: f64,
}

/// One of the two tasks of a type.
struct Task {
    loss: Margin,
    state: TaskState,
    /// 1, or λ of beginnings.
    weight: f64,
}

/// What PESG pulls a and b with; nothing beside Adam.
#[derive(Copy, Clone, Default)]
struct Decays {
    epoch: f64,
    weight: f64,
}

impl TwoTask {
    /// What the method's loss stands for, given how often each class occurs in training; `None` if
    /// it is another.
    pub fn new(settings: &JobSettings, counts: &[u64]) -> Option<Self> {
        let loss = Loss::read(&settings.method.loss);
        let composed = matches!(loss, Loss::Comauc(_));
        let of_loss = loss.two_task()?;
        let columns = Columns { types: counts.len() / 2 };
        let pulled = Pesg::is_wanted(&settings.training);
        let mut draws = stream(settings.seed, Purpose::TaskReference);
        let task = |column: usize| {
            let reference = [(); 2].map(|()| match pulled {
                true => REFERENCE_DEVIATION * normal(&mut draws),
                false => 0.0,
            });
            Task {
                loss: of_loss.margin_of(positives(columns, column, counts)),
                state: TaskState { reference, ..Default::default() },
                weight: if column < columns.types { 1.0 } else { of_loss.lambda },
            }
        };
        Some(Self {
            settings: of_loss,
            columns,
            tasks: (0..columns.tasks()).map(task).collect(),
            cross_entropy: composed.then(loss::cross_entropy),
            decays: if pulled { Decays::of(&settings.training) } else { Decays::default() },
            pulled,
            slowed: 1.0,
        })
    }

    /// Cross-entropy over the tags.
    fn over_tags(&self, lesson: &Lesson<'_>, loss: &dyn TokenLoss) -> BatchLoss {
        let tags = head(lesson).tag_logits(lesson.model.states(lesson.batch));
        let classes = lesson.gold();
        let gold = Gold { classes: &classes, sentences: &lesson.batch.sentences };
        mean_over_tokens(tags, gold, &|tokens, gradient| loss.batch(tokens, gradient))
    }

    /// The mean over types of AUC(entity) + λ AUC(beginning); moves a, b and α of each task, as far
    /// as the batch has the words that they need. `None` of a batch without words.
    fn over_tasks(&mut self, lesson: &Lesson<'_>) -> Option<BatchLoss> {
        let gold = lesson.gold();
        let logits = lesson.model.logits(lesson.batch);
        let (value, gradient) = self.weighed_tasks(&numbers(logits.clone()), &gold)?;
        Some(BatchLoss { tensor: with_gradient(logits, gradient), value, count: gold.len() })
    }

    /// The value of that for logits of words × columns, and its gradient.
    fn weighed_tasks(&mut self, numbers: &[f64], gold: &[usize]) -> Option<(f64, Vec<f64>)> {
        let mut gradient = vec![0.0; numbers.len()];
        let (columns, width) = (self.columns, self.columns.tasks());
        let mut sum = None;
        let share = 1.0 / columns.types.max(1) as f64;
        for column in 0..width {
            let of_words: Vec<f64> = numbers.chunks(width).map(|word| word[column]).collect();
            let yes: Vec<bool> =
                gold.iter().map(|&class| columns.says_yes(column, class)).collect();
            let mut slopes = vec![0.0; of_words.len()];
            let Some(value) = self.task(column, &of_words, &yes, &mut slopes) else { continue };
            let weight = share * self.tasks[column].weight;
            *sum.get_or_insert(0.0) += weight * value;
            for (word, slope) in gradient.chunks_mut(width).zip(slopes) {
                word[column] = weight * slope;
            }
        }
        sum.map(|sum| (sum, gradient))
    }

    /// The loss of one task, not yet weighed, and its gradient; then its a, b and α move. A batch
    /// without positives or without negatives is used for what it has, and moves only the variable
    /// of that.
    fn task(
        &mut self,
        column: usize,
        logits: &[f64],
        yes: &[bool],
        slopes: &mut [f64],
    ) -> Option<f64> {
        let descent = Descent {
            rate: self.settings.eta / self.slowed,
            margin: self.settings.margin,
            epoch_decay: self.decays.epoch,
            weight_decay: self.decays.weight,
        };
        let Task { loss, state, .. } = &mut self.tasks[column];
        if self.settings.closed_form {
            state.take(Margin::means(logits, yes));
            let found = loss.of_batch(state, logits, yes, slopes)?;
            state.ascend(&found.slopes, &descent);
            return Some(found.value);
        }
        let found = loss.of_batch(state, logits, yes, slopes)?;
        state.step(&found.slopes, &descent);
        Some(found.value)
    }
}

impl Objective for TwoTask {
    fn turns(&self) -> usize {
        1 + usize::from(self.cross_entropy.is_some())
    }

    fn begin_share(&mut self, share: usize, shares: usize) {
        if self.pulled && restarts(share, shares) {
            self.tasks.iter_mut().for_each(|task| task.state.refer_to_mean());
            self.slowed *= Pesg::SLOWING;
        }
    }

    fn loss(&mut self, lesson: &Lesson<'_>, turn: usize) -> Option<BatchLoss> {
        match &self.cross_entropy {
            Some(loss) if turn == 0 => Some(self.over_tags(lesson, &**loss)),
            _ => self.over_tasks(lesson),
        }
    }
}

impl Decays {
    fn of(training: &TrainingSettings) -> Self {
        Self { epoch: training.epoch_decay, weight: training.weight_decay }
    }
}

/// Losses over tasks need a head that has them, which is checked before a job runs.
fn head<'a>(lesson: &'a Lesson<'_>) -> &'a heads::two_task::TwoTask {
    lesson.model.two_task().expect("a head with two tasks")
}

/// The share of training words of which a task says yes.
fn positives(columns: Columns, column: usize, counts: &[u64]) -> f64 {
    let yes = (0..counts.len()).filter(|&class| columns.says_yes(column, class));
    let all: u64 = counts.iter().sum();
    yes.map(|class| counts[class]).sum::<u64>() as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests;
