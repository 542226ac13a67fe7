//! Every loss against the reference vectors, and its gradient against its value.

use super::*;
use domain::{ParameterValue, Parameters};
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../tests/vectors/losses.json");

/// Values agree to rounding; the gradients of the vectors are numerical ones, good to 1e-7.
const VALUE: f64 = 1e-9;
const GRADIENT: f64 = 1e-7;

fn vectors(section: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    vectors[section].as_array().unwrap().clone()
}

fn part(kind: &str, set: &[(&str, ParameterValue)]) -> Part {
    let entry = ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
    let mut parameters = entry.defaults();
    for (name, value) in set {
        assert!(parameters.0.insert((*name).into(), value.clone()).is_some(), "{kind} has {name}");
    }
    Part { kind: kind.into(), parameters }
}

fn real(value: f64) -> ParameterValue {
    ParameterValue::Real(value)
}

fn word(value: &str) -> ParameterValue {
    ParameterValue::Text(value.into())
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn close(actual: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() < tolerance * (1.0 + e.abs()), "{what}: {a} is not {e}");
    }
}

/// A case's logits, classes and sentences; one sentence if it does not say.
struct Case {
    logits: Vec<f64>,
    gold: Vec<usize>,
    sentences: Vec<usize>,
}

impl Case {
    fn new(logits: &Value, labels: &Value) -> Self {
        let gold: Vec<usize> = numbers(labels).into_iter().map(|class| class as usize).collect();
        let lengths = labels.as_array().unwrap().iter().map(|s| s.as_array().map(Vec::len));
        let sentences = lengths.collect::<Option<_>>().unwrap_or_else(|| vec![gold.len()]);
        Self { logits: numbers(logits), gold, sentences }
    }

    fn of(case: &Value) -> Self {
        Self::new(&case["logits"], &case["labels"])
    }

    fn evaluate(&self, loss: &dyn TokenLoss) -> (f64, Vec<f64>) {
        self.at(&self.logits, loss)
    }

    fn at(&self, logits: &[f64], loss: &dyn TokenLoss) -> (f64, Vec<f64>) {
        let tokens = Tokens { logits, gold: &self.gold, sentences: &self.sentences };
        let mut gradient = vec![f64::NAN; logits.len()];
        (loss.batch(tokens, &mut gradient), gradient)
    }

    /// Token by token, the sum's gradient.
    fn by_point(&self, loss: &dyn TokenLoss) -> (Vec<f64>, Vec<f64>) {
        let width = self.logits.len() / self.gold.len();
        let mut gradient = vec![f64::NAN; self.logits.len()];
        let tokens = self.logits.chunks(width).zip(gradient.chunks_mut(width)).zip(&self.gold);
        let point = loss.point().unwrap();
        let values = tokens
            .map(|((logits, gradient), gold)| point.value_and_gradient(logits, *gold, gradient));
        (values.collect(), gradient)
    }
}

/// What a name of the vectors stands for.
fn named(name: &str, case: &Value) -> Option<Part> {
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<f64>().ok();
    let shannon = |case: &Value| {
        let set = [
            ("smoothing", real(case["smooth"].as_f64()?)),
            ("alpha", real(case["alpha"].as_f64()?)),
            ("squared", ParameterValue::Bool(case["square"].as_bool()?)),
        ];
        Some(part("self-adjusting-dice", &set))
    };
    let paper = |alpha: f64| {
        part("self-adjusting-dice", &[("alpha", real(alpha)), ("variant", word("paper"))])
    };
    Some(match name {
        "ce" => part("cross-entropy", &[]),
        "wce1" => part("wce-1", &[("scale", word("raw")), ("reduction", word("tokens"))]),
        "wce2" => {
            let beta = real(case["wce2_beta"].as_f64()?);
            part("wce-2", &[("beta", beta), ("reduction", word("tokens"))])
        }
        "dsc_li2020_g1_a0.01" => paper(0.01),
        "dice_li2020_g1_a0" => paper(0.0),
        _ if name.starts_with("dice_shannon_") => shannon(&case[name])?,
        _ => {
            let batch = number("dice_deep_batch_s")
                .map(|s| part("dice", &[("form", word("batch")), ("smoothing", real(s))]));
            let token = number("dice_appendixB_g")
                .map(|g| part("dice", &[("form", word("token")), ("gamma", real(g))]));
            let focal = number("focal_g").map(|g| part("focal", &[("gamma", real(g))]));
            let ovr = number("focal_ovr_g").map(|g| part("focal-ovr", &[("gamma", real(g))]));
            batch.or(token).or(focal).or(ovr)?
        }
    })
}

#[test]
fn losses_over_classes_match_the_reference_vectors() {
    let mut compared = 0;
    for case in vectors("multiclass") {
        let tokens = Case::of(&case);
        let counts: Vec<u64> =
            numbers(&case["class_counts"]).into_iter().map(|count| count as u64).collect();
        for (name, expected) in case.as_object().unwrap().iter().filter(|(_, e)| e.is_object()) {
            let part = named(name, &case).unwrap_or_else(|| panic!("{name} is known"));
            let loss = build(&part, Question::Class { counts: &counts }).unwrap();
            let (value, gradient) = tokens.evaluate(&*loss);
            let mean = expected.get("mean").unwrap_or(&expected["value"]);
            close(&[value], &numbers(mean), VALUE, name);
            let sum = |gradient: &Value| -> Vec<f64> {
                numbers(gradient).iter().map(|part| part / tokens.gold.len() as f64).collect()
            };
            if let Some(numerical) = expected.get("grad_mean").or(expected.get("grad")) {
                close(&gradient, &numbers(numerical), GRADIENT, name);
            }
            if let Some(analytic) = expected.get("grad_sum_analytic") {
                close(&gradient, &sum(analytic), VALUE, name);
            }
            if let (Some(each), Some(_)) = (expected.get("per_token"), loss.point()) {
                close(&tokens.by_point(&*loss).0, &numbers(each), VALUE, name);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 5 * 23);
}

#[test]
fn weights_of_classes_match_the_reference_vectors() {
    for case in vectors("multiclass") {
        let tokens = Case::of(&case);
        let counts: Vec<u64> =
            numbers(&case["class_counts"]).into_iter().map(|count| count as u64).collect();
        let question = Question::Class { counts: &counts };
        let beta = ("beta", real(case["wce2_beta"].as_f64().unwrap()));
        // Divided by the sum of weights, their scale does not matter.
        let losses = [
            (part("wce-1", &[]), "wce1"),
            (part("wce-1", &[("scale", word("raw"))]), "wce1"),
            (part("wce-2", &[beta]), "wce2"),
        ];
        for (part, name) in losses {
            let loss = build(&part, question).unwrap();
            let (value, gradient) = tokens.evaluate(&*loss);
            close(&[value], &numbers(&case[name]["weighted_mean_torch"]), VALUE, name);
            if let Some(expected) = case[name].get("grad_weighted_mean") {
                close(&gradient, &numbers(expected), GRADIENT, name);
            }
        }
        let scaled = build(&part("wce-1", &[]), question).unwrap();
        let plain = build(&part("cross-entropy", &[]), question).unwrap();
        let weights = numbers(&case["wce1_weights_normalised_mean1"]);
        let expected = tokens.by_point(&*plain).0.into_iter().zip(&tokens.gold);
        let expected: Vec<f64> = expected.map(|(loss, class)| loss * weights[*class]).collect();
        close(&tokens.by_point(&*scaled).0, &expected, VALUE, "weights with a mean of 1");
    }
}

/// How much more an entity token weighs than an O, as a mean over the entity tokens.
fn entities_to_o(part: &Part, counts: &[u64]) -> f64 {
    let loss = build(part, Question::Class { counts }).unwrap();
    let classes = counts.len();
    let weight = |class: usize| {
        let mut gradient = vec![0.0; classes];
        loss.point().unwrap().value_and_gradient(&vec![0.0; classes], class, &mut gradient)
    };
    let entities = (1..classes).map(|class| counts[class] as f64 * weight(class)).sum::<f64>();
    entities / counts[1..].iter().sum::<u64>() as f64 / weight(0)
}

#[test]
fn a_larger_beta_of_wce_2_is_milder() {
    let at = |beta: f64| entities_to_o(&part("wce-2", &[("beta", real(beta))]), &[900, 60, 40]);
    assert!(at(1.0) > at(2.0) && at(2.0) > at(10.0) && at(10.0) > 1.0);
    assert_eq!(part("wce-2", &[]).parameters.value::<f64>("beta").unwrap(), 10.0);
}

/// The tags of NCBI disease; a test of the corpus counts them.
#[test]
fn wce_2_at_beta_1_weighs_the_entities_of_ncbi_more_than_wce_1() {
    let counts = [124_452, 5_134, 6_115];
    let rounded = |part: Part| format!("{:.1}", entities_to_o(&part, &counts));
    assert_eq!(rounded(part("wce-1", &[])), "22.1");
    assert_eq!(rounded(part("wce-2", &[("beta", real(1.0))])), "36.7");
    assert_eq!(rounded(part("wce-2", &[])), "1.5");
}

#[test]
fn a_class_that_training_lacks_has_no_weight() {
    let tokens = Case { logits: vec![0.5, 1.0, -1.0], gold: vec![2], sentences: vec![1] };
    for kind in ["wce-1", "wce-2"] {
        let loss = build(&part(kind, &[]), Question::Class { counts: &[9, 1, 0] }).unwrap();
        assert_eq!(tokens.evaluate(&*loss), (0.0, vec![0.0; 3]), "{kind}");
    }
}

#[test]
fn losses_over_decisions_match_the_reference_vectors() {
    for case in vectors("binary") {
        let tokens = Case::of(&case);
        let dice = |s: f64, alpha: f64, squared: bool| {
            let squared = ("squared", ParameterValue::Bool(squared));
            part("self-adjusting-dice", &[("smoothing", real(s)), ("alpha", real(alpha)), squared])
        };
        let focal = |gamma: f64, smoothing: f64| {
            part("focal", &[("gamma", real(gamma)), ("smoothing", real(smoothing))])
        };
        let losses = [
            ("bce_mean", part("cross-entropy", &[])),
            ("focal_g2_mean", focal(2.0, 0.0)),
            ("focal_g3_mean", focal(3.0, 0.0)),
            ("focal_shannon_g2_mean", focal(2.0, 1e-4)),
            ("focal_shannon_g3_mean", focal(3.0, 1e-4)),
            ("dice_s1_a0.01_sq", dice(1.0, 0.01, true)),
            ("dice_s1_a0_sq", dice(1.0, 0.0, true)),
            ("dice_s0.0001_a0_lin", dice(1e-4, 0.0, false)),
        ];
        for (name, part) in losses {
            let loss = build(&part, Question::YesNo).unwrap();
            let (value, gradient) = tokens.evaluate(&*loss);
            close(&[value], &numbers(&case[name]), VALUE, name);
            if let Some(expected) = case.get(format!("grad_{name}")) {
                close(&gradient, &numbers(expected), GRADIENT, name);
            }
        }
    }
}

fn mom(lambda: f64, base: Part, reduction: &str) -> Part {
    let base = ParameterValue::Part(Box::new(base));
    let set = [("lambda", real(lambda)), ("base", base), ("reduction", word(reduction))];
    let mut part = part("mom", &set);
    part.parameters.0.insert("padded_length".into(), ParameterValue::Integer(8));
    part
}

#[test]
fn mom_matches_the_reference_vectors() {
    let reductions = [
        ("batch_token", "batch_token_mean"),
        ("sentence", "sentence_mean_real_len"),
        ("padded", "sentence_mean_padded_M8"),
        ("O_mean", "batch_O_mean"),
    ];
    for case in vectors("mom") {
        let tokens = Case::of(&case);
        let (base, counts) = match case["base"].as_str().unwrap() {
            "ce" => (part("cross-entropy", &[]), vec![1; 5]),
            "focal2" => (part("focal", &[]), vec![1; 5]),
            // Counts whose inverse, times their sum, is the vectors' weights: see below.
            _ => (part("wce-1", &[("scale", word("raw"))]), vec![150, 20, 15, 30, 10]),
        };
        // s / s_k for these counts is 7.5 times the vectors' weights 0.2, 1.5, 2, 1, 3.
        let scale = if case["base"] == "wce" { 7.5 } else { 1.0 };
        for (reduction, name) in reductions {
            let part = mom(case["lambda_"].as_f64().unwrap(), base.clone(), reduction);
            let loss = build(&part, Question::Class { counts: &counts }).unwrap();
            let (value, gradient) = tokens.evaluate(&*loss);
            close(&[value / scale], &numbers(&case[name]), VALUE, name);
            if let Some(expected) = case.get(format!("grad_{name}")) {
                let gradient: Vec<f64> = gradient.iter().map(|part| part / scale).collect();
                close(&gradient, &numbers(expected), GRADIENT, name);
            }
        }
    }
}

#[test]
fn mom_over_decisions_matches_the_reference_vectors() {
    for case in vectors("mrc_mom") {
        let lambda = case["lambda_"].as_f64().unwrap();
        let part = mom(lambda, part("cross-entropy", &[]), "batch_token");
        let loss = build(&part, Question::YesNo).unwrap();
        let real: Vec<usize> = (0..6).filter(|i| case["mask"][i] == 1.0).collect();
        let mut sum = 0.0;
        for row in 0..2 {
            let pick = |name: &str| -> Value {
                real.iter().map(|i| case[name][row][i].clone()).collect::<Vec<_>>().into()
            };
            let tokens = Case::new(&pick("start_end_logits"), &pick("start_end_labels"));
            let (value, gradient) = tokens.evaluate(&*loss);
            sum += value;
            close(&gradient, &numbers(&pick("grad")), GRADIENT, "gradient");
        }
        close(&[sum], &numbers(&case["value"]), VALUE, "start and end");
    }
}

/// Losses of every kind that answers a question, MoM over each of the others among them.
fn all(question: Question<'_>) -> Vec<(String, Box<dyn TokenLoss>)> {
    let plain = ENTRIES.iter().map(|entry| part(entry.name, &[]));
    let forms = [
        part("dice", &[("form", word("token"))]),
        part("self-adjusting-dice", &[("variant", word("paper"))]),
        part("self-adjusting-dice", &[("squared", ParameterValue::Bool(false))]),
        part("focal", &[("gamma", real(0.5))]),
        part("focal", &[("smoothing", real(1e-4))]),
        part("pu", &[("prior", word("stated")), ("stated_prior", real(0.2))]),
    ];
    let single: Vec<Part> = plain.chain(forms).collect();
    let bases = single.iter().filter(|part| part.kind != "mom").cloned();
    let reductions = ["batch_token", "sentence", "padded", "O_mean"];
    let over = bases.flat_map(|base| reductions.map(|reduction| mom(0.3, base.clone(), reduction)));
    let parts: Vec<Part> = over.chain(single.iter().cloned()).collect();
    parts.iter().filter_map(|part| Some((part.to_string(), build(part, question)?))).collect()
}

#[test]
fn every_gradient_is_the_derivative_of_its_value() {
    let classes = Case {
        logits: vec![0.3, -1.2, 0.8, 2.0, 0.1, -0.4, -0.9, 0.2, 1.1, 0.0, 0.7, -2.0, 1.5, 0.4, 0.6],
        gold: vec![0, 2, 1, 0, 0],
        sentences: vec![3, 2],
    };
    let decisions = Case {
        logits: vec![0.3, -1.2, 0.8, 2.0, -0.1],
        gold: vec![0, 1, 1, 0, 0],
        sentences: vec![3, 2],
    };
    for (tokens, question) in
        [(classes, Question::Class { counts: &[30, 5, 2] }), (decisions, Question::YesNo)]
    {
        let losses = all(question);
        assert!(losses.len() >= 20, "{}", losses.len());
        for (name, loss) in losses {
            let (_, gradient) = tokens.evaluate(&*loss);
            const STEP: f64 = 1e-5;
            let slope = |place: usize| {
                let moved = |step: f64| {
                    let mut logits = tokens.logits.clone();
                    logits[place] += step;
                    tokens.at(&logits, &*loss).0
                };
                (moved(STEP) - moved(-STEP)) / (2.0 * STEP)
            };
            let slopes: Vec<f64> = (0..tokens.logits.len()).map(slope).collect();
            close(&gradient, &slopes, 1e-8, &name);
        }
    }
}

#[test]
fn mom_with_all_its_weight_on_the_base_is_the_base() {
    let tokens = Case {
        logits: vec![0.3, -1.2, 0.8, 2.0, 0.1, -0.4, -0.9, 0.2, 1.1],
        gold: vec![0, 2, 1],
        sentences: vec![1, 2],
    };
    let question = Question::Class { counts: &[30, 5, 2] };
    let batch = ["cross-entropy", "focal", "focal-ovr", "dice", "self-adjusting-dice"];
    let plain = batch.map(|kind| part(kind, &[]));
    // What its base divides by, MoM's own reduction replaces.
    let weighted = ["wce-1", "wce-2"].map(|kind| part(kind, &[("reduction", word("tokens"))]));
    for over in plain.into_iter().chain(weighted) {
        let (base, kind) = (build(&over, question).unwrap(), over.kind.as_str());
        for reduction in ["batch_token", "O_mean"] {
            let loss = build(&mom(1.0, over.clone(), reduction), question).unwrap();
            let (value, gradient) = tokens.evaluate(&*loss);
            let (expected, its_gradient) = tokens.evaluate(&*base);
            close(&[value], &[expected], 1e-12, kind);
            close(&gradient, &its_gradient, 1e-12, kind);
        }
    }
}

#[test]
fn focal_without_focus_is_cross_entropy_even_where_the_model_is_certain() {
    let classes = Case { logits: vec![90.0, 0.0, 0.0, 0.5], gold: vec![0, 1], sentences: vec![2] };
    let decisions = Case { logits: vec![90.0, -0.5], gold: vec![1, 0], sentences: vec![2] };
    for (tokens, question) in
        [(classes, Question::Class { counts: &[1, 1] }), (decisions, Question::YesNo)]
    {
        let focal = build(&part("focal", &[("gamma", real(0.0))]), question).unwrap();
        let (value, gradient) = tokens.evaluate(&*focal);
        let plain = build(&part("cross-entropy", &[]), question).unwrap();
        let (expected, its_gradient) = tokens.evaluate(&*plain);
        close(&[value], &[expected], 1e-12, "value");
        close(&gradient, &its_gradient, 1e-12, "gradient");
    }
}

#[test]
fn no_loss_is_lost_for_numbers_however_large() {
    let counts = [3, 1, 1];
    for logits in [[1e4, -1e4, 0.0], [-800.0, 800.0, 0.0], [0.0; 3]] {
        for gold in 0..3 {
            let tokens = Case { logits: logits.to_vec(), gold: vec![gold], sentences: vec![1] };
            for (name, loss) in all(Question::Class { counts: &counts }) {
                let (value, gradient) = tokens.evaluate(&*loss);
                assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite()), "{name}");
            }
        }
        for gold in 0..2 {
            let tokens = Case { logits: vec![logits[0]], gold: vec![gold], sentences: vec![1] };
            for (name, loss) in all(Question::YesNo) {
                let (value, gradient) = tokens.evaluate(&*loss);
                assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite()), "{name}");
            }
        }
    }
}

#[test]
fn an_unknown_name_is_refused_before_it_is_read() {
    let unknown = Part { kind: "hinge".into(), parameters: Parameters::default() };
    let refused = parts::check_part(ENTRIES, &unknown);
    assert_eq!(refused.unwrap_err(), "there is no `hinge`");
}

#[test]
fn decisions_on_types_are_the_sum_of_the_decisions_on_each() {
    // Two types, four tokens: O, B of the first, I of the second, O.
    let (gold, sentences) = (vec![0, 1, 4, 0], vec![4]);
    let logits = vec![0.3, -1.2, 0.8, 2.0, 0.1, -0.4, -0.9, 0.2];
    let tokens = Case { logits: logits.clone(), gold, sentences: sentences.clone() };
    let of_type = |id: usize, yes: [usize; 4]| Case {
        logits: logits.iter().skip(id).step_by(2).copied().collect(),
        gold: yes.to_vec(),
        sentences: sentences.clone(),
    };
    let columns = [of_type(0, [0, 1, 0, 0]), of_type(1, [0, 0, 1, 0])];
    for kind in ["cross-entropy", "focal", "self-adjusting-dice", "mom"] {
        let (value, gradient) =
            tokens.evaluate(&*build_for_types(&part(kind, &[]), &[0.0; 2]).unwrap());
        let single = build(&part(kind, &[]), Question::YesNo).unwrap();
        let [one, other] = [0, 1].map(|id| columns[id].evaluate(&*single));
        close(&[value], &[one.0 + other.0], 1e-12, kind);
        let mixed: Vec<f64> = one.1.iter().zip(&other.1).flat_map(|(a, b)| [*a, *b]).collect();
        close(&gradient, &mixed, 1e-12, kind);
    }
    // Each type has its own prior.
    let (value, _) = tokens.evaluate(&*build_for_types(&part("pu", &[]), &[0.1, 0.2]).unwrap());
    let of = |id: usize, prior: f64| {
        let Loss::Pu(pu) = Loss::read(&part("pu", &[])) else { panic!("it is another") };
        columns[id].evaluate(&*pu.with_prior(prior)).0
    };
    close(&[value], &[of(0, 0.1) + of(1, 0.2)], 1e-12, "priors");
}
