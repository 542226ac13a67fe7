//! Errors from the text of a predictions file: token, gold tag, predicted tag, a blank line after
//! each sentence.

use super::kinds::{ErrorKind, Fate, fates};
use super::{Example, JobErrors, TypeErrors};
use domain::{EntitySpan, JobKey, Tag, TypeId, TypeSet};
use score::{Mode, entities};
use std::collections::BTreeMap;

/// Examples of one kind of one type.
const MOST_EXAMPLES: usize = 3;
/// Types of which there are examples; all are counted.
const MOST_TYPES: usize = 30;
/// A file with more types than this is none of ours.
const MOST_NAMES: usize = 10_000;
/// Tokens on each side of an entity, and of the entity itself.
const AROUND: usize = 8;
const INSIDE: usize = 12;
/// Characters of a token.
const LONGEST_TOKEN: usize = 40;

/// Entities of one kind of one type: place of the sentence, entity, what was predicted instead.
type Found = (usize, EntitySpan, Option<EntitySpan>);

/// What a job's predictions got wrong; `None` where the text is not one of predictions.
/// `is_partial` says that the file has more than the text.
pub fn errors_of(job: &JobKey, text: &str, is_partial: bool) -> Option<JobErrors> {
    let (types, sentences) = parse(text)?;
    let mut by_type: BTreeMap<TypeId, (TypeErrors, [Vec<Found>; 4])> = BTreeMap::new();
    for (place, sentence) in sentences.iter().enumerate() {
        let tags = [&sentence.gold, &sentence.predicted];
        let [gold, predicted] = tags.map(|tags| entities(tags, Mode::Conlleval));
        for (entity, fate) in fates(&gold, &predicted) {
            let (counted, found) = by_type.entry(entity.entity_type).or_default();
            match fate {
                Fate::Correct => counted.correct += 1,
                Fate::Wrong(kind, instead) => {
                    counted.counts[kind as usize] += 1;
                    found[kind as usize].push((place, entity, instead));
                }
            }
            counted.gold += u64::from(!matches!(fate, Fate::Wrong(ErrorKind::Spurious, _)));
        }
    }
    let mut by_type: Vec<_> = by_type.into_iter().collect();
    by_type.sort_by_key(|(id, (counted, _))| (counted.gold, types.name(*id).to_owned()));
    let finished = by_type.into_iter().enumerate().map(|(rank, (id, (mut counted, found)))| {
        counted.name = shortened(types.name(id));
        if rank < MOST_TYPES {
            counted.examples = examples(&types, &sentences, found);
        }
        counted
    });
    let types = finished.collect();
    Some(JobErrors { job: job.clone(), sentences: sentences.len(), is_partial, types })
}

struct Sentence<'a> {
    tokens: Vec<&'a str>,
    gold: Vec<Tag>,
    predicted: Vec<Tag>,
}

fn parse(text: &str) -> Option<(TypeSet, Vec<Sentence<'_>>)> {
    let mut types = TypeSet::default();
    let mut sentences = Vec::new();
    let empty = || Sentence { tokens: vec![], gold: vec![], predicted: vec![] };
    let mut sentence = empty();
    for line in text.lines() {
        if line.is_empty() {
            sentences.push(std::mem::replace(&mut sentence, empty()));
            continue;
        }
        let mut fields = line.rsplitn(3, '\t');
        let predicted = tag(fields.next()?, &mut types)?;
        let gold = tag(fields.next()?, &mut types)?;
        sentence.tokens.push(fields.next()?);
        sentence.gold.push(gold);
        sentence.predicted.push(predicted);
    }
    sentences.push(sentence);
    sentences.retain(|sentence| !sentence.tokens.is_empty());
    (!sentences.is_empty()).then_some((types, sentences))
}

fn tag(text: &str, types: &mut TypeSet) -> Option<Tag> {
    let (make, name): (fn(TypeId) -> Tag, &str) = match text.split_at_checked(2) {
        _ if text == "O" => return Some(Tag::Outside),
        Some(("B-", name)) => (Tag::Begin, name),
        Some(("I-", name)) => (Tag::Inside, name),
        _ => return None,
    };
    (types.len() < MOST_NAMES).then(|| make(types.intern(name)))
}

/// A few of each kind, drawn from the whole file by where they stand in it.
fn examples(types: &TypeSet, sentences: &[Sentence<'_>], found: [Vec<Found>; 4]) -> Vec<Example> {
    let mut examples = Vec::new();
    for (kind, mut found) in ErrorKind::ALL.into_iter().zip(found) {
        found.sort_by_key(|(place, entity, _)| (scattered(*place, entity.start), *place));
        found.truncate(MOST_EXAMPLES);
        found.sort_by_key(|(place, entity, _)| (*place, entity.start));
        let told = found.iter().map(|(place, entity, instead)| {
            example(types, &sentences[*place].tokens, kind, *entity, *instead)
        });
        examples.extend(told);
    }
    examples
}

/// A number that looks like chance and depends on its place alone (the finaliser of SplitMix64).
fn scattered(place: usize, start: usize) -> u64 {
    let mut z = (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ start as u64;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn example(
    types: &TypeSet,
    tokens: &[&str],
    kind: ErrorKind,
    entity: EntitySpan,
    instead: Option<EntitySpan>,
) -> Example {
    let from = entity.start.saturating_sub(AROUND);
    let to = (entity.end + AROUND).min(tokens.len());
    let (left, right) =
        (if from > 0 { "… " } else { "" }, if to < tokens.len() { " …" } else { "" });
    Example {
        kind,
        before: format!("{left}{}", words(&tokens[from..entity.start], AROUND)),
        entity: words(&tokens[entity.start..entity.end], INSIDE),
        after: format!("{}{right}", words(&tokens[entity.end..to], AROUND)),
        instead: instead.map(|span| {
            let name = shortened(types.name(span.entity_type));
            (name, words(&tokens[span.start..span.end], INSIDE))
        }),
    }
}

fn words(tokens: &[&str], most: usize) -> String {
    let mut shown: Vec<String> = tokens.iter().take(most).map(|token| shortened(token)).collect();
    if tokens.len() > most {
        shown.push("…".to_owned());
    }
    shown.join(" ")
}

fn shortened(token: &str) -> String {
    match token.char_indices().nth(LONGEST_TOKEN) {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.to_owned(),
    }
}
