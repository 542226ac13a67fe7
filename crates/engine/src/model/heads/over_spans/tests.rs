use super::*;
use crate::model::heads::biaffine::Biaffine;
use crate::model::heads::span::SpanLayers;
use burn::tensor::activation::{log_softmax, tanh};
use burn::tensor::{Distribution, TensorData};
use domain::Backend;
use method::loss::Tokens;
use serde_json::Value;

const TAGS: usize = 7;
const INPUT: usize = 6;

fn backends() -> Vec<Device> {
    let all = [Backend::Libtorch, Backend::Flex];
    all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
}

/// The head's settings with this dropout.
fn declared(span_dropout: f64) -> parts::heads::span::Span {
    parts::heads::span::Span {
        span_width: 5,
        span_dropout,
        reduction: parts::heads::span::SpanReduction::Mean,
    }
}

fn layers(device: &Device) -> SpanLayers {
    SpanLayers::new(&declared(0.0), INPUT, TAGS, device)
}

/// One whose form is not zero.
fn form(device: &Device) -> Biaffine {
    use parts::heads::biaffine as declared;
    let reduction = declared::BiaffineReduction::Sum;
    let declared = declared::Biaffine { span_width: 4, span_dropout: 0.0, reduction };
    let head = Biaffine::new(&declared, INPUT, TAGS, device);
    struct Fill(Device);
    impl burn::module::ModuleMapper for Fill {
        fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let numbers =
                Tensor::random(parameter.shape(), Distribution::Normal(0.0, 0.5), &self.0);
            Param::from_tensor(numbers)
        }
    }
    head.map(&mut Fill(device.clone()))
}

fn states(words: usize, device: &Device) -> Tensor<2> {
    Tensor::random([words, INPUT], Distribution::Normal(0.0, 1.0), device)
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().iter::<f64>().collect()
}

/// Cross-entropy as every loss gives it: the mean, and its gradient.
fn cross_entropy(tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
    let Tokens { logits, gold, .. } = tokens;
    let (width, share) = (logits.len() / gold.len(), 1.0 / gold.len() as f64);
    let each = logits.chunks(width).zip(gradient.chunks_mut(width)).zip(gold);
    let of = |((logits, gradient), gold): ((&[f64], &mut [f64]), &usize)| {
        let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
        for (label, (part, logit)) in gradient.iter_mut().zip(logits).enumerate() {
            *part = (logit.exp() / sum - f64::from(label == *gold)) * share;
        }
        (sum.ln() - logits[*gold]) * share
    };
    each.map(of).sum()
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1e-3, |largest: f64, e| largest.max(e.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() < 1e-5 * largest.max(1.0), "{what}: {f} is not {e}");
    }
}

/// Words with some entities in them: B-0 I-0 O B-2 O O B-1, over and over.
fn gold(words: usize) -> Vec<usize> {
    [1, 2, 0, 5, 0, 0, 3].into_iter().cycle().take(words).collect()
}

/// Spans with their labels: every one, or those with a label and every third of the others.
fn spans_of(sentences: &[usize], chosen: bool) -> (Places, Vec<usize>) {
    let all = Places::all(sentences).0.into_iter();
    let labels = labels(&gold(sentences.iter().sum()), sentences);
    let is_taken = |number: usize, label: usize| !chosen || label > 0 || number.is_multiple_of(3);
    let taken =
        all.zip(labels).enumerate().filter(|(number, (_, label))| is_taken(*number, *label));
    let (places, labels): (Vec<_>, Vec<_>) = taken.map(|(_, span)| span).unzip();
    assert!((0..4).all(|label| labels.contains(&label)), "{labels:?}");
    (Places(places), labels)
}

/// The loss of a head over all spans or chosen ones, and the gradients of its input and of its
/// parameters.
fn learnt<H: OverSpans + Module>(
    head: &H,
    states: &Tensor<2>,
    sentences: &[usize],
    chosen: bool,
) -> (f64, Vec<f64>, GradientsParams) {
    let leaf = states.clone().detach().require_grad();
    let loss = match chosen {
        true => {
            let (places, labels) = spans_of(sentences, true);
            head.loss_of(leaf.clone(), sentences, (&places, &labels), &cross_entropy)
        }
        false => {
            let classes = &gold(sentences.iter().sum());
            head.loss(leaf.clone(), Gold { classes, sentences }, &cross_entropy)
        }
    };
    let mut gradients = loss.tensor.backward();
    let of_states = numbers(leaf.grad_remove(&mut gradients).unwrap());
    (loss.value, of_states, GradientsParams::from_grads(gradients, head))
}

#[test]
fn a_span_is_scored_as_the_layer_over_its_four_parts_scores_it() {
    for device in backends().into_iter().map(Device::autodiff) {
        // The last of each two has more spans than are scored at once.
        let all = [(vec![3, 1, 5], false), (vec![100, 2], false)];
        for (sentences, chosen) in all.into_iter().chain([(vec![7], true), (vec![160, 2], true)]) {
            let head = layers(&device);
            let input = states(sentences.iter().sum(), &device);
            let (places, labels) = spans_of(&sentences, chosen);
            assert_eq!(places.len() > head.chunk(), sentences[0] >= 100);
            let words = head.words(input.clone(), &sentences, chosen);
            let found = numbers(head.scores(&words, &sentences, &places));

            let leaf = input.clone().require_grad();
            let (firsts, lasts) = places.words(&device);
            let (i, j) = (leaf.clone().select(0, firsts), leaf.clone().select(0, lasts));
            let four = vec![i.clone(), j.clone(), i.clone() - j.clone(), i * j];
            let weights = [&head.first, &head.last, &head.difference, &head.product];
            let weights = Tensor::cat(weights.map(Param::val).to_vec(), 0);
            let inner = Tensor::cat(four, 1).matmul(weights) + head.bias.val().unsqueeze_dim(0);
            let plain = head.outer.forward(tanh(inner));
            assert_close(&found, &numbers(plain.clone()), "scores");

            let (value, of_states, of_head) = learnt(&head, &input, &sentences, chosen);
            let gold = indices(labels, &device).unsqueeze_dim(1);
            let loss = log_softmax(plain, 1).gather(1, gold).mean().neg();
            assert_close(&[value], &numbers(loss.clone()), "loss");
            let mut gradients = loss.backward();
            let expected = numbers(leaf.grad_remove(&mut gradients).unwrap());
            assert_close(&of_states, &expected, "gradient of the states");
            let plain = GradientsParams::from_grads(gradients, &head);
            let parts = [&head.first, &head.last, &head.difference, &head.product];
            for id in parts.map(|part| part.id).into_iter().chain([head.outer.weight.id]) {
                let [found, expected] =
                    [&of_head, &plain].map(|g| numbers(g.get::<2>(id).unwrap()));
                assert_close(&found, &expected, "gradient of the weights");
            }
            for id in [head.bias.id, head.outer.bias.as_ref().unwrap().id] {
                let [found, expected] =
                    [&of_head, &plain].map(|g| numbers(g.get::<1>(id).unwrap()));
                assert_close(&found, &expected, "gradient of a bias");
            }
        }
    }
}

#[test]
fn a_biaffine_score_is_the_bilinear_form_of_both_words() {
    for device in backends() {
        let (head, sentences) = (form(&device), [3, 1, 5]);
        let places = Places::all(&sentences);
        let words = head.words(states(9, &device), &sentences, false);
        let found = numbers(head.scores(&words, &sentences, &places));
        let words: Vec<Vec<f64>> = words.into_iter().map(numbers).collect();
        let weights = numbers(head.form.val());
        let (width, side, labels) = (4, 5, 4);
        let word = |word: usize, end: usize| {
            let row = &words[end][word * width..][..width];
            row.iter().copied().chain([1.0]).collect::<Vec<f64>>()
        };
        let mut expected = Vec::new();
        for (first, last) in places.0 {
            let (begin, end) = (word(first, 0), word(last, 1));
            for label in 0..labels {
                let term = |(a, b): (usize, usize)| {
                    begin[a] * weights[a * labels * side + label * side + b] * end[b]
                };
                let pairs = (0..side).flat_map(|a| (0..side).map(move |b| (a, b)));
                expected.push(pairs.map(term).sum());
            }
        }
        assert_close(&found, &expected, "form");
    }
}

/// Central differences of the loss with respect to the states.
fn assert_gradient<H: OverSpans + Module>(head: &H, device: &Device, chosen: bool) {
    let sentences = [3, 4];
    let input = states(7, device);
    let (_, found, _) = learnt(head, &input, &sentences, chosen);
    let count = spans_of(&sentences, chosen).1.len();
    let scale = if head.sums() { count as f64 } else { 1.0 };
    let plain = numbers(input);
    let value = |changed: usize, by: f32| {
        let mut numbers: Vec<f32> = plain.iter().map(|number| *number as f32).collect();
        numbers[changed] += by;
        let input = Tensor::from_data(TensorData::new(numbers, [7, INPUT]), device);
        learnt(head, &input, &sentences, chosen).0 * scale
    };
    for (place, found) in found.iter().enumerate() {
        let by = 1e-2f32;
        let expected = (value(place, by) - value(place, -by)) / (2.0 * f64::from(by));
        let is_close = (found - expected).abs() < 2e-3 * scale;
        assert!(is_close, "chosen: {chosen}: {found} is not {expected}");
    }
    assert!(found.iter().any(|part| part.abs() > 1e-2), "chosen: {chosen}: nothing to compare");
}

#[test]
fn gradients_are_those_of_the_loss() {
    for device in backends().into_iter().map(Device::autodiff) {
        for chosen in [false, true] {
            assert_gradient(&layers(&device), &device, chosen);
            assert_gradient(&form(&device), &device, chosen);
        }
    }
}

#[test]
fn a_sentence_does_not_depend_on_what_it_was_batched_with() {
    fn check(head: &impl OverSpans, device: &Device, one_by_one: bool) {
        let all = states(10, device);
        let scores = |states: Tensor<2>, sentences: &[usize]| {
            let words = head.words(states, sentences, one_by_one);
            numbers(head.scores(&words, sentences, &Places::all(sentences)))
        };
        let alone = scores(all.clone().narrow(0, 1, 4), &[4]);
        let mixed = scores(all, &[1, 4, 5]);
        let labels = 4;
        assert_close(&mixed[labels..11 * labels], &alone, "mixed");
    }
    for device in backends() {
        for one_by_one in [false, true] {
            check(&layers(&device), &device, one_by_one);
            check(&form(&device), &device, one_by_one);
        }
    }
}

/// What is dropped here.
const SHARE: f64 = 0.4;

/// Layers with dropout whose scores of a span are the sum of tanh over what they make of it.
fn dropping(device: &Device) -> SpanLayers {
    let mut head = SpanLayers::new(&declared(SHARE), INPUT, TAGS, device);
    head.outer.weight = Param::from_tensor(Tensor::ones([5, 4], device));
    head.outer.bias = None;
    head.bias = Param::from_tensor(Tensor::zeros([5], device));
    head
}

/// The score of each span of one sentence of two words, with what was dropped this time.
fn drawn(head: &SpanLayers, input: &Tensor<2>, places: &Places, one_by_one: bool) -> Vec<f64> {
    let words = head.words(input.clone(), &[2], one_by_one);
    numbers(head.scores(&words, &[2], places)).into_iter().step_by(4).collect()
}

/// Every backend that is there, for training, with either way to score spans.
fn ways() -> impl Iterator<Item = (Device, bool)> {
    let devices = backends().into_iter().map(Device::autodiff);
    devices.flat_map(|device| [(device.clone(), false), (device, true)])
}

/// Of a sum Σ w·x of independent numbers that are dropped and scaled the mean is the sum, and its
/// variance p/(1 − p) · Σ (w·x)²: less where a part is not dropped, more where two are dropped
/// alike.
#[test]
fn dropout_keeps_the_mean_and_drops_every_part_by_itself() {
    for (device, one_by_one) in ways() {
        let mut head = dropping(&device);
        // So little that tanh is a straight line; the same for every unit of the layer.
        let column = || Tensor::random([INPUT, 1], Distribution::Uniform(1e-3, 2e-3), &device);
        let part = || Param::from_tensor(column().repeat_dim(1, 5).detach());
        (head.first, head.last, head.difference, head.product) = (part(), part(), part(), part());
        let input: Tensor<2> = Tensor::random([2, INPUT], Distribution::Uniform(1.0, 3.0), &device);
        let places = Places(vec![(0, 1)]);
        let draws = 6000;
        let scores: Vec<f64> =
            (0..draws).map(|_| drawn(&head, &input, &places, one_by_one)[0]).collect();
        let mean = scores.iter().sum::<f64>() / f64::from(draws);
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>();
        let variance = variance / f64::from(draws);

        let expected = drawn(&head.valid(), &input.clone().inner(), &places, one_by_one)[0];
        let error = (variance / f64::from(draws)).sqrt();
        assert!((mean - expected).abs() < 5.0 * error, "{mean} is not {expected}");
        let input = numbers(input);
        let (i, j) = input.split_at(INPUT);
        let of = |weights: &Param<Tensor<2>>, part: &dyn Fn(f64, f64) -> f64| -> f64 {
            let weights = numbers(weights.val()).into_iter().step_by(5);
            let terms = weights.zip(i.iter().zip(j));
            terms.map(|(weight, (i, j))| (5.0 * weight * part(*i, *j)).powi(2)).sum()
        };
        let squares = of(&head.first, &|i, _| i)
            + of(&head.last, &|_, j| j)
            + of(&head.difference, &|i, j| i - j)
            + of(&head.product, &|i, j| i * j);
        let ratio = variance / (squares * SHARE / (1.0 - SHARE));
        assert!((ratio - 1.0).abs() < 0.1, "one by one: {one_by_one}: {ratio}");
    }
}

/// With the weights of one part alone, and states of 1 and 0, what is kept can be counted.
#[test]
fn spans_that_are_scored_one_by_one_share_nothing_that_is_dropped() {
    for ((device, one_by_one), part) in
        ways().flat_map(|way| (0..4).map(move |part| (way.clone(), part)))
    {
        let mut head = dropping(&device);
        let weights = |own: usize| {
            let size = if own == part { 0.1 } else { 0.0 };
            Param::from_tensor((Tensor::ones([INPUT, 5], &device) * size).detach())
        };
        (head.first, head.last) = (weights(0), weights(1));
        (head.difference, head.product) = (weights(2), weights(3));
        // The second word is 0 for differences, so that they are 1.
        let second = if part == 2 { 0.0 } else { 1.0 };
        let input: Vec<f32> = [1.0, second].into_iter().flat_map(|n| [n; INPUT]).collect();
        let input = Tensor::from_data(TensorData::new(input, [2, INPUT]), &device);
        let places = Places(vec![(0, 0), (0, 1), (0, 1)]);
        let (mut dropped, mut unlike, draws) = (0.0, 0, 400);
        for _ in 0..draws {
            let scores = drawn(&head, &input, &places, one_by_one);
            // A word's difference from itself is 0, whatever is dropped.
            assert!(part != 2 || scores[0].abs() < 1e-5, "{scores:?}");
            // Otherwise it is as many scaled numbers as are kept.
            let kept = (scores[1] / 5.0).atanh() * 10.0 * (1.0 - SHARE);
            assert!((kept - kept.round()).abs() < 1e-3, "{kept}");
            dropped += INPUT as f64 - kept.round();
            unlike += usize::from((scores[1] - scores[2]).abs() > 1e-4);
        }
        let share = dropped / (draws * INPUT) as f64;
        assert!((share - SHARE).abs() < 0.05, "{share}");
        // In the other form a word's masks are its own, those of differences the sentence's, those
        // of products the span's.
        assert_eq!(unlike > 0, one_by_one || part == 3, "part {part}: {unlike} of {draws}");
    }
}

#[test]
fn places_are_counted_over_the_batch() {
    let sentences = [3, 0, 1, 5];
    let spans: Vec<Vec<Span>> = sentences.iter().map(|&words| Span::all(words).collect()).collect();
    assert_eq!(Places::of(&spans, &sentences), Places::all(&sentences));
    let some = [vec![Span { start: 1, end: 3 }], vec![], vec![Span { start: 0, end: 2 }]];
    assert_eq!(Places::of(&some, &[3, 1, 2]), Places(vec![(1, 2), (4, 5)]));
}

/// The vectors' spans, labels by the letters of their types, through the last step of decoding.
#[test]
fn overlapping_spans_are_decided_as_the_vectors_have_it() {
    let text = include_str!("../../../../../../tests/vectors/neg_sampling.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let types = ["LOC", "ORG", "PER"];
    let cases = vectors["greedy_decode"].as_array().unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let found = case["candidates"].as_array().unwrap().iter().map(|candidate| {
            let label = types.iter().position(|name| candidate["label"] == **name).unwrap() + 1;
            let span = (number(&candidate["span"][0]), number(&candidate["span"][1]));
            (candidate["log_prob"].as_f64().unwrap(), span, label)
        });
        let tags = flat(found.collect(), number(&case["n"]));
        let shown = tags.iter().map(|tag| match Tag::from_index(*tag) {
            Tag::Outside => "O".to_owned(),
            Tag::Begin(TypeId(id)) => format!("B-{}", types[usize::from(id)]),
            Tag::Inside(TypeId(id)) => format!("I-{}", types[usize::from(id)]),
        });
        let expected = case["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap());
        assert_eq!(shown.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}

#[test]
fn spans_are_ranked_by_log_probability_or_by_score() {
    let device = Device::flex();
    let scores = [0.0, 3.0, 2.0, -1.0];
    let sum: f64 = scores.iter().map(|score: &f32| f64::from(*score).exp()).sum();
    assert!((layers(&device).rank(&scores, 1) - (3.0 - sum.ln())).abs() < 1e-9);
    assert_eq!(form(&device).rank(&scores, 1), 3.0);
    assert_eq!(highest(&scores), 1);
    assert_eq!(highest(&[1.0, 1.0]), 0, "O where nothing is higher");
}

#[test]
fn a_batch_without_a_word_costs_nothing() {
    let device = Device::flex().autodiff();
    let leaf = states(1, &device).require_grad();
    let nothing = Gold { classes: &[0], sentences: &[] };
    let loss = layers(&device).loss(leaf, nothing, &cross_entropy);
    assert_eq!((loss.value, loss.count), (0.0, 0));
    loss.tensor.backward();
    assert!(layers(&device).decode(states(1, &device), &[]).is_empty());
}
