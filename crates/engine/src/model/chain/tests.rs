//! Against sums over every path, the reference vectors, and chains that a naive sum would lose.

use super::*;
use domain::{Tag, TypeId};
use serde_json::Value;

/// Numbers that look random, the same every time.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f32 / (1u64 << 24) as f32) * 4.0 - 2.0
    };
    (0..n).map(|_| next()).collect()
}

fn chain(tags: usize, seed: u64) -> Chain {
    let chain = Chain::new(tags, &numbers(tags * tags, seed));
    chain.with_ends(&numbers(tags, seed + 1), &numbers(tags, seed + 2))
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{what}: {a} is not {b}");
}

fn all_close(a: &[impl Copy + Into<f64>], b: &[impl Copy + Into<f64>], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    a.iter().zip(b).for_each(|(a, b)| close((*a).into(), (*b).into(), what));
}

/// Every path of a sentence that the evidence allows, with its score.
fn paths(chain: &Chain, emissions: &[f32], evidence: Evidence<'_>) -> Vec<(Vec<usize>, f64)> {
    let (k, n) = (chain.tags(), emissions.len() / chain.tags());
    let path = |code: usize| (0..n as u32).map(|t| code / k.pow(t) % k).collect::<Vec<usize>>();
    let score = |path: &[usize]| {
        let token = |(t, tag): (usize, &usize)| {
            f64::from(emissions[t * k + tag]) + evidence.log_weight(t, *tag, k)
        };
        let pair = |pair: &[usize]| chain.transitions()[pair[0] * k + pair[1]];
        chain.start()[path[0]]
            + chain.end()[path[n - 1]]
            + path.iter().enumerate().map(token).sum::<f64>()
            + path.windows(2).map(pair).sum::<f64>()
    };
    (0..k.pow(n as u32))
        .map(path)
        .map(|path| {
            let s = score(&path);
            (path, s)
        })
        .collect()
}

/// Sums over every path: the logarithm of them all, marginals, expected pairs.
fn counted(chain: &Chain, emissions: &[f32], evidence: Evidence<'_>) -> (f64, Vec<f64>, Vec<f64>) {
    let k = chain.tags();
    let all = paths(chain, emissions, evidence);
    let total: f64 = all.iter().map(|(_, score)| score.exp()).sum();
    let (mut tags, mut pairs) = (vec![0.0; emissions.len()], vec![0.0; k * k]);
    for (path, score) in all {
        let share = score.exp() / total;
        path.iter().enumerate().for_each(|(t, tag)| tags[t * k + tag] += share);
        path.windows(2).for_each(|pair| pairs[pair[0] * k + pair[1]] += share);
    }
    (total.ln(), tags, pairs)
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[test]
fn losses_gradients_and_paths_agree_with_every_path_counted() {
    for (k, n) in [(1, 3), (2, 1), (3, 4), (5, 3), (4, 5), (18, 2)] {
        let chain = chain(k, 1);
        let emissions = numbers(n * k, 4);
        let soft: Vec<f32> = numbers(n * k, 5).iter().map(|x| x.abs() / 2.0).collect();
        let mut allowed: Vec<bool> = numbers(n * k, 6).iter().map(|x| *x > 0.0).collect();
        (0..n).for_each(|t| allowed[t * k] = true);
        let path: Vec<usize> = (0..n).map(|t| (t * 7 + 1) % k).collect();
        let (total, tags, pairs) = counted(&chain, &emissions, Evidence::None);
        for evidence in [
            Evidence::None,
            Evidence::Path(&path),
            Evidence::Allowed(&allowed),
            Evidence::Soft(&soft),
        ] {
            let known = counted(&chain, &emissions, evidence);
            let found = loss_and_gradients(&chain, &emissions, &[n], evidence);
            close(found.losses[0], total - known.0, "loss");
            let gradient = minus(&tags, &known.1);
            all_close(&found.emissions, &gradient, "emissions");
            all_close(&found.transitions, &minus(&pairs, &known.2), "transitions");
            all_close(&found.start, &gradient[..k], "start");
            all_close(&found.end, &gradient[(n - 1) * k..], "end");
            all_close(&marginals(&chain, &emissions, &[n], evidence), &known.1, "marginals");
            let (best, score) = viterbi::best_path(&chain, &emissions, evidence);
            let all = paths(&chain, &emissions, evidence);
            let highest = all.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
            close(score, highest, "best path");
            close(all.iter().find(|(path, _)| *path == best).unwrap().1, highest, "its score");
        }
    }
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn indices(value: &Value) -> Vec<usize> {
    flat(value).into_iter().map(|number| number as usize).collect()
}

#[test]
fn the_reference_vectors_are_met() {
    let text = include_str!("../../../../../tests/vectors/crf.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    for case in vectors["cases"].as_array().unwrap() {
        let tags = case["K"].as_u64().unwrap() as usize;
        let chain = Chain::new(tags, &flat(&case["transitions_from_to"]));
        let chain = chain.with_ends(&flat(&case["start"]), &flat(&case["end"]));
        let emissions: Vec<f32> =
            flat(&case["emissions"]).into_iter().map(|score| score as f32).collect();
        let n = [emissions.len() / tags];
        let gold = indices(&case["gold"]);
        let found = loss_and_gradients(&chain, &emissions, &n, Evidence::Path(&gold));
        all_close(&found.losses, &flat(&case["nll"]), "loss");
        all_close(&found.emissions, &flat(&case["grad_nll_emissions"]), "emissions");
        all_close(&found.transitions, &flat(&case["grad_nll_transitions"]), "transitions");
        all_close(&found.start, &flat(&case["grad_nll_start"]), "start");
        all_close(&found.end, &flat(&case["grad_nll_end"]), "end");
        let likely = marginals(&chain, &emissions, &n, Evidence::None);
        all_close(&likely, &flat(&case["marginals"]), "marginals");
        let best = best_paths(&chain, &emissions, &n, Evidence::None);
        assert_eq!(best, indices(&case["viterbi"]));

        let partial = &case["partial"];
        let mut allowed = vec![false; emissions.len()];
        for (t, tags_there) in partial["allowed"].as_array().unwrap().iter().enumerate() {
            indices(tags_there).into_iter().for_each(|tag| allowed[t * tags + tag] = true);
        }
        let evidence = Evidence::Allowed(&allowed);
        let found = loss_and_gradients(&chain, &emissions, &n, evidence);
        all_close(&found.losses, &flat(&partial["partial_nll"]), "partial loss");
        all_close(&found.emissions, &flat(&partial["grad_emissions"]), "partial gradient");
        let likely = marginals(&chain, &emissions, &n, evidence);
        all_close(&likely, &flat(&partial["constrained_marginals"]), "constrained marginals");
        let best = best_paths(&chain, &emissions, &n, evidence);
        assert_eq!(best, indices(&partial["constrained_viterbi"]));

        let soft: Vec<f32> = flat(&case["soft"]["q"]).into_iter().map(|q| q as f32).collect();
        let found = loss_and_gradients(&chain, &emissions, &n, Evidence::Soft(&soft));
        all_close(&found.losses, &flat(&case["soft"]["soft_nll"]), "soft loss");
    }
}

/// Sentences of many lengths, none of a token among them.
fn many(tags: usize) -> (Vec<usize>, Vec<f32>, Vec<usize>) {
    let lengths: Vec<usize> = (0..120).map(|n| n * 7 % 31).collect();
    let tokens: usize = lengths.iter().sum();
    let gold = (0..tokens).map(|t| t * t % tags).collect();
    (lengths, numbers(tokens * tags, 9), gold)
}

#[test]
fn a_sentence_does_not_depend_on_the_others() {
    for tags in [3, 13, 16, 37] {
        let chain = chain(tags, 20);
        let (lengths, emissions, gold) = many(tags);
        let all = loss_and_gradients(&chain, &emissions, &lengths, Evidence::Path(&gold));
        let paths = best_paths(&chain, &emissions, &lengths, Evidence::None);
        let mut begin = 0;
        for (length, loss) in lengths.iter().zip(&all.losses) {
            let (tokens, places) = (begin..begin + length, begin * tags..(begin + length) * tags);
            let own = &emissions[places.clone()];
            let alone =
                loss_and_gradients(&chain, own, &[*length], Evidence::Path(&gold[tokens.clone()]));
            assert_eq!(alone.losses, [*loss]);
            assert_eq!(alone.emissions, all.emissions[places]);
            assert_eq!(best_paths(&chain, own, &[*length], Evidence::None), paths[tokens]);
            begin += length;
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (lengths, emissions, gold) = many(13);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let evidence = Evidence::Path(&gold);
        pool.install(|| loss_and_gradients(&chain(13, 3), &emissions, &lengths, evidence))
    };
    let alone = run(1);
    for threads in [2, 3, 7] {
        assert_eq!(run(threads), alone);
    }
}

#[test]
fn wider_registers_change_no_bit() {
    let (tags, n) = (37, 9);
    let factors = Factors::new(&chain(tags, 3)).unwrap();
    let mut table = vec![[0.0; LANES]; n * blocks(tags)];
    for (row, scores) in table.chunks_mut(blocks(tags)).zip(numbers(n * tags, 5).chunks(tags)) {
        spread_out(scores.iter().map(|score| f64::from(*score)), row).unwrap();
    }
    let rows: Vec<u32> = (0..n as u32).collect();
    let run = |wide: bool| {
        let mut marginals = vec![[0.0; LANES]; table.len()];
        let mut pairs = vec![[0.0; LANES]; tags * blocks(tags)];
        let (mut workspace, into) = (Workspace::default(), (&mut marginals[..], &mut pairs[..]));
        let total = match wide {
            true => workspace.sum(&factors, (&table, &rows), 1.5, into.0, into.1),
            false => workspace.sum_with_any(&factors, (&table, &rows), 1.5, into.0, into.1),
        };
        (total, marginals, pairs)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn scores_far_apart_do_not_vanish() {
    let chain = Chain::new(2, &[-2000.0, 0.0, 0.0, -2000.0]);
    // The likeliest tags may not follow each other, and all other paths are very unlikely.
    let emissions = [0.0, -1500.0, 0.0, -1500.0, 0.0, -1500.0];
    let likely = marginals(&chain, &emissions, &[3], Evidence::None);
    all_close(&likely, &[1.0f32, 0.0, 0.0, 1.0, 1.0, 0.0], "marginals");
    let found = loss_and_gradients(&chain, &emissions, &[3], Evidence::Path(&[0, 1, 0]));
    close(found.losses[0], 0.0, "loss");
    // A path that falls behind step by step, and catches up where a scaled sum has lost it.
    let chain = Chain::new(2, &[0.0, -5000.0, -5000.0, 0.0]);
    let emissions = [0.0, -800.0, -299.0, 0.0, -299.0, 0.0, -299.0, 0.0];
    let likely = marginals(&chain, &emissions, &[4], Evidence::None);
    all_close(&likely[6..], &[0.0f32, 1.0], "the later path");
}

#[test]
fn the_paths_of_a_long_sentence_are_not_too_many() {
    // 23⁴⁰⁰ paths, all with the score 0: more than a number can count.
    let (tags, n) = (23, 400);
    let chain = Chain::new(tags, &vec![0.0; tags * tags]);
    let emissions = vec![0.0; n * tags];
    let path = vec![0; n];
    let found = loss_and_gradients(&chain, &emissions, &[n], Evidence::Path(&path));
    close(found.losses[0], n as f64 * (tags as f64).ln(), "loss");
    let likely = marginals(&chain, &emissions, &[n], Evidence::None);
    assert!(likely.iter().all(|likely| (f64::from(*likely) * 23.0 - 1.0).abs() < 1e-5));
}

#[test]
fn nothing_possible_is_told() {
    let chain = Chain::new(2, &[0.0; 4]);
    let none = [false, false, true, true];
    let found = loss_and_gradients(&chain, &[0.0; 4], &[1, 1], Evidence::Allowed(&none));
    assert_eq!(found.losses, [f64::INFINITY, 0.0]);
    assert_eq!(found.emissions, [0.0; 4]);
    let found = loss_and_gradients(&chain, &[f32::NAN; 4], &[2], Evidence::Path(&[0, 1]));
    assert!(found.losses[0].is_nan());
    let found =
        loss_and_gradients(&chain, &[0.0, f32::NAN, 0.0, 0.0], &[2], Evidence::Path(&[0, 1]));
    assert!(found.losses[0].is_nan());
    let found = loss_and_gradients(&chain, &[], &[], Evidence::Path(&[]));
    assert_eq!((found.losses, found.emissions), (vec![], vec![]));
    assert!(best_paths(&chain, &[], &[0], Evidence::None).is_empty());
}

#[test]
fn a_mask_leaves_only_valid_tags() {
    let tags = 5;
    let masked = chain(tags, 3).masked(&Mask::bio(tags));
    let (lengths, emissions, _) = many(tags);
    let path = best_paths(&masked, &emissions, &lengths, Evidence::None);
    let mut begin = 0;
    for length in lengths {
        let mut before = Tag::Outside;
        for tag in &path[begin..begin + length] {
            let tag = Tag::from_index(*tag);
            if matches!(tag, Tag::Inside(_)) {
                assert_eq!(before.entity_type(), tag.entity_type());
            }
            before = tag;
        }
        begin += length;
    }
    let (b, i, other) = (Tag::Begin(TypeId(0)), Tag::Inside(TypeId(0)), Tag::Inside(TypeId(1)));
    let (emissions, n) = (&emissions[..3 * tags], [3]);
    let loss = |path: [Tag; 3]| {
        let path = path.map(Tag::index);
        loss_and_gradients(&masked, emissions, &n, Evidence::Path(&path)).losses[0]
    };
    assert!(loss([b, i, i]).is_finite());
    assert_eq!(loss([b, other, i]), f64::INFINITY);
    assert_eq!(loss([i, i, i]), f64::INFINITY);
    let (_, expected, pairs) = counted(&masked, emissions, Evidence::None);
    all_close(&marginals(&masked, emissions, &n, Evidence::None), &expected, "marginals");
    let gradients = loss_and_gradients(&masked, emissions, &n, Evidence::Path(&[0, 0, 0]));
    let mut gold = vec![0.0; tags * tags];
    gold[0] = 2.0;
    all_close(&gradients.transitions, &minus(&pairs, &gold), "transitions");
}
