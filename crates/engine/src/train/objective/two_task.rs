//! AUC-2T and COMAUC-2T (nguyen2023): the margin losses of both tasks, with what lasts of them from batch to batch.

use super::{Lesson, Objective};
use crate::model::heads::two_task::Columns;
use crate::model::heads::{self, Loss, weighed, with_gradient};
use crate::model::pesg::{Pesg, REFERENCE_DEVIATION};
use crate::random::{Purpose, normal, stream};
use crate::train::schedule::restarts;
use domain::{JobSettings, TrainingSettings};
use method::loss::{self, Loss as Losses, TokenLoss};
use method::two_task::{Descent, Margin, Settings, State};

/// The margin losses of all tasks, after a step of cross-entropy where the method is `comauc`.
pub struct TwoTask {
    settings: Settings,
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
    state: State,
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
    /// What the method's loss stands for, given how often each class occurs in training; `None` if it is another.
    pub fn new(settings: &JobSettings, counts: &[u64]) -> Option<Self> {
        let loss = Losses::read(&settings.method.loss);
        let composed = matches!(loss, Losses::Comauc(_));
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
                state: State { reference, ..Default::default() },
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
    fn over_tags(&self, lesson: &Lesson<'_>, loss: &dyn TokenLoss) -> Loss {
        let tags = head(lesson).tag_logits(lesson.model.states(lesson.batch));
        let gold = lesson.gold();
        let (tensor, value) =
            weighed(tags, &gold, &lesson.batch.sentences, &|logits, gold, sentences, gradient| {
                loss.batch(loss::Tokens { logits, gold, sentences }, gradient)
            });
        Loss { tensor, value, count: gold.len() }
    }

    /// The mean over types of AUC(entity) + λ AUC(beginning); moves a, b and α of each task, as far as the batch has the
    /// words that they need. `None` of a batch without words.
    fn over_tasks(&mut self, lesson: &Lesson<'_>) -> Option<Loss> {
        let gold = lesson.gold();
        let logits = lesson.model.logits(lesson.batch);
        let numbers: Vec<f64> = logits.to_data().iter::<f64>().collect();
        let (value, gradient) = self.weighed_tasks(&numbers, &gold)?;
        Some(Loss { tensor: with_gradient(logits, gradient), value, count: gold.len() })
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

    /// The loss of one task, not yet weighed, and its gradient; then its a, b and α move. A batch without positives or
    /// without negatives is used for what it has, and moves only the variable of that.
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
            state.take_means(Margin::means(logits, yes));
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

    fn loss(&mut self, lesson: &Lesson<'_>, turn: usize) -> Option<Loss> {
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
mod tests {
    use super::*;
    use crate::model::device;
    use crate::prepare::prepare;
    use crate::testing::{part, request};
    use crate::train::course::Course;
    use crate::train::{Trained, batchwise, train};
    use burn::tensor::Device;
    use domain::{Backend, JobRequest, ParameterValue};
    use method::loss::ENTRIES;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A small BiLSTM with two tasks on the synthetic corpus, whose types are merged.
    fn job(loss: &str) -> JobRequest {
        let mut request = request();
        let settings = &mut request.settings;
        settings.scenario.0.insert("merge_types".into(), ParameterValue::Bool(true));
        settings.model.encoder = part(parts::encoders::ENTRIES, "bilstm");
        settings.model.encoder.parameters.0.insert("hidden".into(), ParameterValue::Integer(16));
        settings.model.head = part(parts::heads::ENTRIES, "two-task");
        settings.method.loss = part(ENTRIES, loss);
        settings.training.epochs = 12;
        settings.training.learning_rate = 0.02;
        request
    }

    fn on(request: &JobRequest, device: &Device) -> (Trained, Vec<f64>) {
        let mut data = prepare(request).unwrap();
        let mut losses = Vec::new();
        let trained = train(&request.settings, &mut data, device, |e| losses.push(e.loss));
        (trained.unwrap(), losses)
    }

    #[test]
    fn what_training_never_shows_is_never_found() {
        for (loss, tunes) in [("auc", false), ("comauc", false), ("auc", true)] {
            let mut request = job(loss);
            request.settings.training.epochs = 2;
            let settings = &mut request.settings;
            settings.scenario.0.insert("mask_entities".into(), ParameterValue::Real(1.0));
            let tunes = ParameterValue::Bool(tunes);
            settings.model.head.parameters.0.insert("tune_threshold".into(), tunes);
            let (trained, _) = on(&request, &Device::flex());
            assert!(trained.dev.span.micro.support > 0);
            assert_eq!(trained.dev.span.micro.predicted, 0, "{loss}");
        }
    }

    fn set(request: &mut JobRequest, name: &str, value: ParameterValue) {
        let old = request.settings.method.loss.parameters.0.insert(name.into(), value);
        assert!(old.is_some(), "the loss has `{name}`");
    }

    /// An objective, and a, b and α of every task after every batch.
    struct Watched {
        inner: TwoTask,
        seen: Rc<RefCell<Vec<State>>>,
    }

    impl Objective for Watched {
        fn turns(&self) -> usize {
            self.inner.turns()
        }

        fn begin_share(&mut self, share: usize, shares: usize) {
            self.inner.begin_share(share, shares);
        }

        fn loss(&mut self, lesson: &Lesson<'_>, turn: usize) -> Option<Loss> {
            let loss = self.inner.loss(lesson, turn);
            self.seen.borrow_mut().extend(self.inner.tasks.iter().map(|task| task.state));
            loss
        }
    }

    fn states(request: &JobRequest) -> Vec<State> {
        let mut data = prepare(request).unwrap();
        let inner = TwoTask::new(&request.settings, &data.class_counts()).unwrap();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let watched = Box::new(Watched { inner, seen: seen.clone() });
        let course = Course::new(&request.settings.training, &data);
        batchwise::train(&request.settings, &mut data, watched, course, &Device::flex(), |_| ())
            .unwrap();
        seen.take()
    }

    #[test]
    fn a_and_b_stay_near_probabilities_through_a_whole_training_whatever_lambda_is() {
        for loss in ["auc", "comauc"] {
            let mut request = job(loss);
            // A double step counts as two updates.
            let passes = if loss == "comauc" { 24 } else { 12 };
            request.settings.training.epochs = passes;
            assert_eq!(
                request.settings.method.loss.parameters.value::<f64>("lambda").unwrap(),
                100.0
            );
            let states = states(&request);
            // Both tasks, in every update: four batches per pass.
            assert_eq!(states.len(), 2 * passes * 4, "{loss}");
            for State { a, b, alpha, .. } in &states {
                assert!(a.abs() <= 1.1 && b.abs() <= 1.1, "{loss}: {a} {b}");
                assert!((0.0..=2.0).contains(alpha), "{loss}: {alpha}");
            }
            // Both tasks have learnt: the means are apart.
            for State { a, b, .. } in &states[states.len() - 2..] {
                assert!(a - b > 0.5, "{loss}: {a} {b}");
            }
        }
    }

    #[test]
    fn the_loss_falls_and_entities_are_found_on_both_backends() {
        let all: [&[&str]; 2] = [&["comauc"], &["auc", "comauc", "cross-entropy"]];
        for (backend, losses) in [Backend::Libtorch, Backend::Flex].into_iter().zip(all) {
            let Ok(device) = device(backend, "cpu") else { continue };
            for &loss in losses {
                let mut request = job(loss);
                request.settings.training.epochs = 20;
                let (trained, losses) = on(&request, &device);
                // α has to rise before the margin counts.
                let highest = losses.iter().copied().fold(0.0, f64::max);
                assert!(losses[19] < 0.5 * highest, "{loss}: {losses:?}");
                let f1 = trained.dev.span.micro.f1;
                assert!(f1 > 0.3, "{loss}: {f1}");
            }
        }
    }

    #[test]
    fn every_version_of_auc_finds_entities_of_one_type_and_of_several() {
        let word = |text: &str| ParameterValue::Text(text.into());
        let versions = [("version", "v1_batch"), ("version", "v1_fixed"), ("ab", "closed_form")];
        let mut requests = Vec::from(versions.map(|(name, value)| {
            let mut request = job("auc");
            set(&mut request, name, word(value));
            request
        }));
        let mut typed = job("auc");
        typed.settings.scenario.0.insert("merge_types".into(), ParameterValue::Bool(false));
        requests.push(typed);
        for mut request in requests {
            request.settings.training.epochs = 40;
            let f1 = on(&request, &Device::flex()).0.dev.span.micro.f1;
            let everywhere = beginnings_everywhere(&request);
            assert!(f1 > 1.5 * everywhere, "{}: {f1} {everywhere}", request.settings.method.loss);
        }
    }

    /// The dev F1 of whoever calls every word the beginning of an entity of the first type.
    fn beginnings_everywhere(request: &JobRequest) -> f64 {
        let data = prepare(request).unwrap();
        let begin = domain::Tag::Begin(domain::TypeId(0));
        let tags: Vec<_> =
            data.corpus_dev.iter().map(|sentence| vec![begin; sentence.tags.len()]).collect();
        data.score(&data.corpus_dev, &tags).unwrap().span.micro.f1
    }

    #[test]
    fn lambda_weighs_what_reaches_the_model_and_nothing_else() {
        let at = |lambda: f64| {
            let mut request = job("auc");
            set(&mut request, "lambda", ParameterValue::Real(lambda));
            let mut objective = TwoTask::new(&request.settings, &[6, 2, 1]).unwrap();
            // Words × (in an entity, one begins): B, I, O, O.
            let logits = [0.4, -0.3, 1.1, -0.8, -0.2, 0.5, 0.3, -1.0];
            let (value, gradient) = objective.weighed_tasks(&logits, &[1, 2, 0, 0]).unwrap();
            let states: Vec<State> = objective.tasks.iter().map(|task| task.state).collect();
            (value, gradient, states)
        };
        let ((of_one, one, states), (of_hundred, hundred, others)) = (at(1.0), at(100.0));
        assert!(states == others && of_hundred > of_one);
        for (one, hundred) in one.chunks(2).zip(hundred.chunks(2)) {
            assert!(one.iter().all(|slope| slope.abs() > 1e-6), "{one:?}");
            assert_eq!(one[0], hundred[0]);
            assert!((hundred[1] / one[1] - 100.0).abs() < 1e-9, "{one:?} {hundred:?}");
        }
    }

    /// The numbers of the layers over entities, beginnings and tags.
    fn layers(model: &crate::model::Tagger) -> [Vec<f32>; 3] {
        let layers = model.two_task().unwrap().layers();
        layers.map(|layer| layer.weight.val().into_data().iter::<f32>().collect())
    }

    #[test]
    fn each_turn_of_comauc_teaches_its_own_layers_alone() {
        struct OnlyTurn(TwoTask, usize);
        impl Objective for OnlyTurn {
            fn loss(&mut self, lesson: &Lesson<'_>, _: usize) -> Option<Loss> {
                self.0.loss(lesson, self.1)
            }
        }
        let mut request = job("comauc");
        // Decay would move what has a gradient of zero.
        request.settings.training.optimiser = domain::Optimiser::AdamW;
        (request.settings.training.epochs, request.settings.training.weight_decay) = (1, 0.1);
        // What a turn does not touch is drawn later, so each is compared with itself at a rate of 0.
        let after = |turn: usize, rate: f64| {
            let mut request = request.clone();
            request.settings.training.learning_rate = rate;
            let mut data = prepare(&request).unwrap();
            let inner = TwoTask::new(&request.settings, &data.class_counts()).unwrap();
            assert_eq!(inner.turns(), 2);
            let objective = Box::new(OnlyTurn(inner, turn));
            let device = Device::flex();
            let course = Course::new(&request.settings.training, &data);
            let trained =
                batchwise::train(&request.settings, &mut data, objective, course, &device, |_| ());
            layers(&trained.unwrap().model)
        };
        let changed = |turn: usize| {
            let (before, after) = (after(turn, 0.0), after(turn, 0.02));
            [0, 1, 2].map(|layer| before[layer] != after[layer])
        };
        assert_eq!(changed(0), [false, false, true]);
        assert_eq!(changed(1), [true, true, false]);
    }

    #[test]
    fn losses_over_decisions_fall_too() {
        for loss in ["focal", "self-adjusting-dice", "mom"] {
            let (_, losses) = on(&job(loss), &Device::flex());
            assert!(losses[11] < 0.8 * losses[0], "{loss}: {losses:?}");
        }
    }

    /// Whatever version: with batches of one sentence most batches lack a class, and none is unused.
    #[test]
    fn batches_without_positives_are_used_for_their_negatives() {
        for (name, value) in [
            ("version", "v2"),
            ("version", "v1_batch"),
            ("version", "v1_fixed"),
            ("ab", "closed_form"),
        ] {
            let mut request = job("auc");
            set(&mut request, name, ParameterValue::Text(value.into()));
            request.settings.training.batch = 1;
            request.settings.training.epochs = 2;
            let (_, losses) = on(&request, &Device::flex());
            assert!(losses.iter().all(|loss| loss.is_finite()), "{value}: {losses:?}");
            let inner = TwoTask::new(&request.settings, &[60, 20, 10]);
            let mut inner = inner.expect("a loss over two tasks");
            let begun = State { a: 0.6, b: 0.3, alpha: 0.5, ..Default::default() };
            inner.tasks.iter_mut().for_each(|task| task.state = begun);
            // Words × (in an entity, one begins): O, O.
            let logits = [0.4, -0.3, 1.1, -0.8];
            let (value, gradient) = inner.weighed_tasks(&logits, &[0, 0]).expect("it is used");
            assert!(value.is_finite() && gradient.iter().all(|slope| *slope > 0.0), "{gradient:?}");
            for task in &inner.tasks {
                assert_eq!((task.state.a, task.state.alpha), (begun.a, begun.alpha));
                assert_ne!(task.state.b, begun.b);
            }
        }
    }

    #[test]
    fn of_data_without_an_entity_only_b_is_learnt() {
        let mut request = job("auc");
        request.settings.training.epochs = 2;
        let mut data = prepare(&request).unwrap();
        data.train.classes.iter_mut().for_each(|classes| classes.fill(0));
        let models = [0.02, 0.0].map(|rate| {
            request.settings.training.learning_rate = rate;
            let inner = TwoTask::new(&request.settings, &data.class_counts()).unwrap();
            let seen = Rc::new(RefCell::new(Vec::new()));
            let watched = Box::new(Watched { inner, seen: seen.clone() });
            let mut losses = Vec::new();
            let tell = |epoch: &domain::Epoch| losses.push(epoch.loss);
            let course = Course::new(&request.settings.training, &data);
            let (settings, device) = (&request.settings, Device::flex());
            let trained = batchwise::train(settings, &mut data, watched, course, &device, tell);
            assert!(losses.iter().all(|loss| loss.is_finite() && *loss > 0.0), "{losses:?}");
            for State { a, b, alpha, .. } in seen.borrow().iter() {
                assert!((*a, *alpha) == (0.0, 0.0) && *b > 0.0 && *b < 1.0, "{a} {b} {alpha}");
            }
            layers(&trained.unwrap().model)
        });
        assert!(models[0] != models[1], "the model learns from its negatives");
    }

    #[test]
    fn pesg_pulls_a_and_b_too_and_slows_down() {
        let mut request = job("auc");
        let training = &mut request.settings.training;
        (training.optimiser, training.epochs) = (domain::Optimiser::Pesg, 8);
        (training.learning_rate, training.clip, training.weight_decay) = (0.1, 1.0, 1e-5);
        let states = states(&request);
        let (first, last) = (states[0], states[states.len() - 2]);
        assert_ne!(first.reference, [0.0; 2]);
        assert!(first.reference.iter().all(|number| number.abs() < 0.06));
        assert!((last.reference[0] - last.a).abs() < 0.2, "the mean of late steps: {last:?}");
        // Half of the epochs is over, three quarters are over: steps of a hundredth.
        let late = &states[states.len() - 8..];
        let moves = late.chunks(2).map(|tasks| tasks[0].a).collect::<Vec<_>>();
        assert!(moves.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= 0.0011), "{moves:?}");
    }

    #[test]
    fn tuned_thresholds_never_make_dev_worse_and_are_the_models_own() {
        let mut request = job("cross-entropy");
        // So little that it is unsure of everything.
        request.settings.training.epochs = 2;
        request.settings.training.learning_rate = 0.005;
        let (plain, _) = on(&request, &Device::flex());
        let tune = ParameterValue::Bool(true);
        request.settings.model.head.parameters.0.insert("tune_threshold".into(), tune);
        let (tuned, _) = on(&request, &Device::flex());
        let [before, after] = [&plain, &tuned].map(|trained| trained.dev.span.micro.f1);
        assert!(after > before, "{after} {before}");
        let thresholds = tuned.model.two_task().unwrap().thresholds();
        assert!(thresholds.iter().any(|threshold| *threshold != 0.0), "{thresholds:?}");
        // The scores are those of the model that is handed on.
        let data = prepare(&request).unwrap();
        let characters = data.material.reader.characters();
        let device = Device::flex();
        let predicted = crate::predict::predict(&tuned.model, &data.dev, characters, &device);
        let scores = data.score(&data.corpus_dev, &predicted).unwrap();
        assert_eq!(scores.span.micro.f1, after);
    }
}
