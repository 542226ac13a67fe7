use super::*;
use crate::corpus::{Statistics, load, statistics, write_columns};
use crate::domain::{ParameterValue, Part, Split, Tag};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// The corpus of some parameters, the others at their defaults.
fn corpus(set: &[(&str, f64)]) -> Result<Corpus, CorpusError> {
    let mut parameters = Parameters::defaults(ENTRY.parameters);
    for &(name, value) in set {
        let slot = parameters.0.get_mut(name).expect("a parameter of the entry");
        *slot = match slot {
            ParameterValue::Integer(_) => ParameterValue::Integer(value as i64),
            _ => ParameterValue::Real(value),
        };
    }
    let part = Part { kind: "synthetic".into(), parameters };
    load(&part, &BTreeMap::new()).map(|loaded| loaded.corpus)
}

fn numbers(corpus: &Corpus, split: Split) -> Statistics {
    statistics(&corpus.types, corpus.split(split))
}

/// Every mention of a split: its words and its type.
fn mentions(sentences: &[Sentence]) -> Vec<(Vec<&str>, Tag)> {
    let mut found: Vec<(Vec<&str>, Tag)> = vec![];
    for sentence in sentences {
        for (token, &tag) in sentence.tokens.iter().zip(&sentence.tags) {
            match tag {
                Tag::Begin(_) => found.push((vec![token], tag)),
                Tag::Inside(_) => found.last_mut().unwrap().0.push(token),
                Tag::Outside => {}
            }
        }
    }
    found
}

fn share<T>(items: &[T], has: impl Fn(&T) -> bool) -> f64 {
    items.iter().filter(|item| has(item)).count() as f64 / items.len() as f64
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance * wanted, "{found} is not near {wanted}");
}

#[test]
fn print_it() {
    for seed in 1..4 {
    let c = corpus(&[("seed", seed as f64)]).unwrap();
    for s in [Split::Train, Split::Dev, Split::Test] { println!("{}", serde_json::to_string(&numbers(&c, s)).unwrap()); 
        let n=numbers(&c,s); println!("len {}", n.tokens as f64/n.sentences as f64); }
    if seed == 1 { let mut o = vec![]; write_columns(&c.train[..6], &c.types, &mut o).unwrap(); 
      for s in c.train.iter().take(30) { println!("{}", s.tokens.iter().zip(&s.tags).map(|(t,g)| if *g==Tag::Outside {t.clone()} else {format!("{t}/{}", c.types.show(*g))}).collect::<Vec<_>>().join(" ")); } }
    }
}
