use super::*;
use crate::domain::{Backend, ParameterValue, Parameters};
use crate::model::heads::biaffine::{self, Biaffine};
use crate::model::heads::span::{self, SpanLayers};
use burn::tensor::Distribution;
use burn::tensor::activation::{log_softmax, tanh};
use serde_json::Value;

const TAGS: usize = 7;
const INPUT: usize = 6;

fn backends() -> Vec<Device> {
    let all = [Backend::Libtorch, Backend::Flex];
    all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
}

/// The head's parameters, without dropout.
fn parameters(entry: &crate::domain::Entry, width: i64) -> Parameters {
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.0.insert("span_width".into(), ParameterValue::Integer(width));
    parameters.0.insert("span_dropout".into(), ParameterValue::Real(0.0));
    parameters
}

fn layers(device: &Device) -> SpanLayers {
    SpanLayers::new(&parameters(&span::ENTRY, 5), INPUT, TAGS, device)
}

/// One whose form is not zero.
fn form(device: &Device) -> Biaffine {
    let head = Biaffine::new(&parameters(&biaffine::ENTRY, 4), INPUT, TAGS, device);
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
fn cross_entropy(logits: &[f64], gold: &[usize], _: &[usize], gradient: &mut [f64]) -> f64 {
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

/// Spans with their labels: every one, or as few as there are words.
fn spans_of(sentences: &[usize], few: bool) -> (Places, Vec<usize>) {
    let words = sentences.iter().sum();
    let (mut places, mut labels) = (Places::all(sentences), labels(&gold(words), sentences));
    if few {
        // Every second one from the end, so that labels and lengths of all kinds are among them.
        let kept = |number: &usize| (places.len() - 1 - number).is_multiple_of(2);
        let kept: Vec<usize> = (0..places.len()).filter(kept).take(words).collect();
        labels = kept.iter().map(|&number| labels[number]).collect();
        places = Places(kept.iter().map(|&number| places.0[number]).collect());
    }
    (places, labels)
}

/// The loss of a head, and the gradients of its input and of its parameters.
fn learnt<H: OverSpans + Module>(
    head: &H,
    states: &Tensor<2>,
    sentences: &[usize],
    (places, labels): &(Places, Vec<usize>),
) -> (f64, Vec<f64>, GradientsParams) {
    let states = states.clone().detach().require_grad();
    let loss = head.loss_of(states.clone(), sentences, (places, labels), &cross_entropy);
    let mut gradients = loss.tensor.backward();
    let of_states = numbers(states.grad_remove(&mut gradients).unwrap());
    (loss.value, of_states, GradientsParams::from_grads(gradients, head))
}

#[test]
fn a_span_is_scored_as_the_layer_over_its_four_parts_scores_it() {
    for device in backends().into_iter().map(Device::autodiff) {
        // The second batch has more spans than are scored at once.
        let batches = [(vec![3, 1, 5], false), (vec![100, 2], false), (vec![3, 1, 5], true)];
        for (sentences, few) in batches {
            let head = layers(&device);
            let input = states(sentences.iter().sum(), &device);
            let spans = spans_of(&sentences, few);
            let (places, labels) = &spans;
            let words = head.words(input.clone(), &sentences, places.len());
            assert_eq!(words.len(), if few { 1 } else { 3 }, "few are scored one by one");
            let found = numbers(head.scores(&words, &sentences, places));

            let leaf = input.clone().require_grad();
            let (firsts, lasts) = places.words(&device);
            let (i, j) = (leaf.clone().select(0, firsts), leaf.clone().select(0, lasts));
            let four = vec![i.clone(), j.clone(), i.clone() - j.clone(), i * j];
            let weights = [&head.first, &head.last, &head.difference, &head.product];
            let weights = Tensor::cat(weights.map(Param::val).to_vec(), 0);
            let inner = Tensor::cat(four, 1).matmul(weights) + head.bias.val().unsqueeze_dim(0);
            let plain = head.outer.forward(tanh(inner));
            assert_close(&found, &numbers(plain.clone()), "scores");

            let (value, of_states, of_head) = learnt(&head, &input, &sentences, &spans);
            let gold = indices(labels.iter().copied(), &device).unsqueeze_dim(1);
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
        let words = head.words(states(9, &device), &sentences, places.len());
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
fn assert_gradient<H: OverSpans + Module>(head: &H, device: &Device, few: bool) {
    let sentences = [3, 4];
    let input = states(7, device);
    let spans = spans_of(&sentences, few);
    let (_, found, _) = learnt(head, &input, &sentences, &spans);
    let scale = if head.sums() { spans.1.len() as f64 } else { 1.0 };
    let plain = numbers(input);
    let value = |changed: usize, by: f32| {
        let mut numbers: Vec<f32> = plain.iter().map(|number| *number as f32).collect();
        numbers[changed] += by;
        let input = Tensor::from_data(TensorData::new(numbers, [7, INPUT]), device);
        learnt(head, &input, &sentences, &spans).0 * scale
    };
    for (place, found) in found.iter().enumerate() {
        let by = 1e-2f32;
        let expected = (value(place, by) - value(place, -by)) / (2.0 * f64::from(by));
        assert!((found - expected).abs() < 2e-3 * scale, "few: {few}: {found} is not {expected}");
    }
    assert!(found.iter().any(|part| part.abs() > 1e-2), "few: {few}: nothing to compare");
}

#[test]
fn gradients_are_those_of_the_loss() {
    for device in backends().into_iter().map(Device::autodiff) {
        for few in [false, true] {
            assert_gradient(&layers(&device), &device, few);
            assert_gradient(&form(&device), &device, few);
        }
    }
}

#[test]
fn a_sentence_does_not_depend_on_what_it_was_batched_with() {
    fn check(head: &impl OverSpans, device: &Device, spans: usize) {
        let all = states(10, device);
        let scores = |states: Tensor<2>, sentences: &[usize]| {
            let words = head.words(states, sentences, spans);
            numbers(head.scores(&words, sentences, &Places::all(sentences)))
        };
        let alone = scores(all.clone().narrow(0, 1, 4), &[4]);
        let mixed = scores(all, &[1, 4, 5]);
        let labels = 4;
        assert_close(&mixed[labels..11 * labels], &alone, "mixed");
    }
    for device in backends() {
        for spans in [0, usize::MAX] {
            check(&layers(&device), &device, spans);
            check(&form(&device), &device, spans);
        }
    }
}

/// Layers that drop 40 %, whose first score of a span is the sum of tanh over what they make of it.
fn dropping(device: &Device) -> SpanLayers {
    let mut parameters = parameters(&span::ENTRY, 5);
    parameters.0.insert("span_dropout".into(), ParameterValue::Real(0.4));
    let mut head = SpanLayers::new(&parameters, INPUT, TAGS, device);
    head.outer.weight = Param::from_tensor(Tensor::ones([5, 4], device));
    head.outer.bias = None;
    head
}

/// The first score of each span, with what was dropped this time. `spans` decides between the two forms.
fn drawn(
    head: &SpanLayers,
    input: &Tensor<2>,
    sentences: &[usize],
    (places, spans): (&Places, usize),
) -> Vec<f64> {
    let words = head.words(input.clone(), sentences, spans);
    numbers(head.scores(&words, sentences, places)).into_iter().step_by(4).collect()
}

#[test]
fn dropout_drops_while_training_and_keeps_the_mean() {
    for (device, spans) in
        backends().into_iter().flat_map(|device| [(device.clone(), 0), (device, 9)])
    {
        let autodiff = device.autodiff();
        let mut head = dropping(&autodiff);
        // So little that tanh is a straight line.
        for part in [&mut head.first, &mut head.last, &mut head.difference, &mut head.product] {
            *part = Param::from_tensor((part.val() * 1e-3).detach());
        }
        let places = Places::all(&[2]);
        let input = states(2, &autodiff);
        let draws = 3000;
        let all: Vec<Vec<f64>> =
            (0..draws).map(|_| drawn(&head, &input, &[2], (&places, spans))).collect();
        assert_ne!(all[0], all[1]);
        let expected = drawn(&head.valid(), &input.inner(), &[2], (&places, spans));
        for (place, expected) in expected.into_iter().enumerate() {
            let of = || all.iter().map(|scores| scores[place]);
            let mean = of().sum::<f64>() / f64::from(draws);
            let variance = of().map(|score| (score - mean).powi(2)).sum::<f64>() / f64::from(draws);
            let error = (variance / f64::from(draws)).sqrt();
            assert!((mean - expected).abs() < 5.0 * error + 1e-6, "{mean} is not {expected}");
        }
    }
}

/// With weights of differences alone, and states of 1 and 0, what is kept can be counted.
#[test]
fn a_difference_is_dropped_as_one_number() {
    for (device, spans) in
        backends().into_iter().flat_map(|device| [(device.clone(), 0), (device, 9)])
    {
        let device = device.autodiff();
        let mut head = dropping(&device);
        let nothing = || Param::from_tensor(Tensor::zeros([INPUT, 5], &device));
        (head.first, head.last, head.product) = (nothing(), nothing(), nothing());
        head.difference = Param::from_tensor(Tensor::ones([INPUT, 5], &device) * 0.1);
        head.bias = Param::from_tensor(Tensor::zeros([5], &device));
        let input: Vec<f32> = [1.0, 0.0].into_iter().flat_map(|n| [n; INPUT]).collect();
        let input = Tensor::from_data(TensorData::new(input, [2, INPUT]), &device);
        let places = Places(vec![(0, 0), (0, 1), (0, 1)]);
        let (mut dropped, mut unlike, draws) = (0.0, 0, 400);
        for _ in 0..draws {
            let scores = drawn(&head, &input, &[2], (&places, spans));
            // A word's difference from itself is 0, whatever is dropped.
            assert!(scores[0].abs() < 1e-5, "{scores:?}");
            // From the first word to the second it is as many scaled numbers as are kept.
            let kept = (scores[1] / 5.0).atanh() * 10.0 * 0.6;
            assert!((kept - kept.round()).abs() < 1e-3, "{kept}");
            dropped += INPUT as f64 - kept.round();
            unlike += usize::from(scores[1] != scores[2]);
        }
        let share = dropped / (draws * INPUT) as f64;
        assert!((share - 0.4).abs() < 0.05, "{share}");
        // Spans that are scored one by one have masks of their own, others that of their sentence.
        assert_eq!(unlike > 0, spans == 0, "{unlike} of {draws}");
    }
}

/// The vectors' spans, labels by the letters of their types, through the last step of decoding.
#[test]
fn overlapping_spans_are_decided_as_the_vectors_have_it() {
    let text = include_str!("../../../../tests/vectors/neg_sampling.json");
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
    let loss = layers(&device).loss(leaf, &[0], &[], &cross_entropy);
    assert_eq!((loss.value, loss.count), (0.0, 0));
    loss.tensor.backward();
    assert!(layers(&device).decode(states(1, &device), &[]).is_empty());
}
