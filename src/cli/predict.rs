//! `tailgrid predict`: tags text with a model that a job kept.

use super::output::print_data;
use super::{CliError, Common, Exit};
use corpus::CorpusError;
use corpus::formats::{Encoding, Lines};
use domain::{Backend, JobKey, Point, Sentence, Tag, TypeSet};
use runner::{engine_command, engine_path};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use store::{Folder, JobRecord, KeptFile};

/// Tags text with a model that a job kept (`training: {keep_model: true}`)
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The job's key or enough of its beginning, or the file of a kept model
    pub model: String,
    /// Text, a sentence a line, its tokens between spaces; standard input if none is named
    pub file: Option<PathBuf>,
    /// The file has a token a line, first of its columns, and a blank line after each sentence
    #[arg(long)]
    pub columns: bool,
    /// libtorch or flex
    #[arg(long, value_name = "NAME", default_value = DEFAULT)]
    pub backend: String,
    /// Threads to use
    #[arg(long, value_name = "N", default_value = "1")]
    pub threads: NonZeroUsize,
}

/// A build without LibTorch does what it can.
const DEFAULT: &str = if cfg!(feature = "libtorch") { "libtorch" } else { "flex" };

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let backend = match args.backend.as_str() {
        "libtorch" => Backend::Libtorch,
        "flex" => Backend::Flex,
        other => {
            let message = format!("there is no backend `{other}`: libtorch or flex");
            return Err(CliError::new(Exit::Usage, message));
        }
    };
    let model = find(&args.model, &common.results)?;
    let sentences = read(args)?;
    let tags = tag(&model, &sentences, backend, args.threads)?;
    let shown = sentences.iter().zip(&tags).map(|(tokens, tags)| match common.json {
        true => as_json(tokens, tags).to_string() + "\n",
        false => as_columns(tokens, tags),
    });
    print_data(shown.collect::<String>().trim_end_matches('\n')).map(|()| Exit::Done)
}

/// The file of the model: as it is named, or of the job whose key begins like this.
fn find(model: &str, results: &Path) -> Result<PathBuf, CliError> {
    if Path::new(model).is_file() {
        return Ok(model.into());
    }
    let (mut kept, mut jobs) = (Vec::new(), Vec::new());
    for folder in Folder::all(results)? {
        for job in folder.keys()?.into_iter().filter(|key| key.0.starts_with(model)) {
            jobs.push((folder.clone(), job.clone()));
            let path = folder.job(&job)?.model();
            if path.is_file() {
                kept.push((job, path, folder.clone()));
            }
        }
    }
    let listed = |kept: &[(JobKey, PathBuf, Folder)]| {
        let lines: Vec<String> =
            kept.iter().take(10).map(|(_, path, _)| format!("  {}", path.display())).collect();
        lines.join("\n")
    };
    let several = kept.iter().any(|(job, ..)| *job != kept[0].0);
    match kept.pop() {
        Some(_) if several => {
            let message = format!(
                "more than one job that begins with `{model}` kept its model:\n{}",
                listed(&kept)
            );
            Err(CliError::new(Exit::NothingSelected, message))
        }
        Some((job, path, folder)) => {
            // A damaged model tags all the same, and wrongly.
            folder.check_kept(&job, KeptFile::Model)?;
            Ok(path)
        }
        None if !jobs.is_empty() => {
            Err(CliError::new(Exit::NothingSelected, without_model(model, &jobs)))
        }
        None => {
            let message = format!(
                "there is neither a file `{model}` nor a job in {} that begins like this",
                results.display()
            );
            Err(CliError::new(Exit::NothingSelected, message))
        }
    }
}

/// Why there is no model, with the command that keeps it.
fn without_model(model: &str, jobs: &[(Folder, JobKey)]) -> String {
    let [(folder, key)] = jobs else {
        return format!("none of the {} jobs that begin with `{model}` kept its model", jobs.len());
    };
    let grid = folder.grid();
    let record = folder.read_record(key).ok().flatten();
    let Some(JobRecord { point, .. }) = record else {
        return format!(
            "the job `{key}` of the grid `{grid}` has not finished, so it has no model"
        );
    };
    let Point { corpus, scenario, model, method, seed } = point;
    format!(
        "the job `{key}` kept no model; this trains it again and keeps its model (give the options too that its \
         grid was run with):\n  tailgrid run {grid}.yaml --keep-models --only \"corpus={corpus} \
         scenario={scenario} model={model} method={method} seed={seed}\""
    )
}

/// The sentences of the input as tokens.
fn read(args: &Args) -> Result<Vec<Vec<String>>, CliError> {
    let path = args.file.as_deref().unwrap_or(Path::new("standard input"));
    let failed = |error: io::Error| {
        CliError::new(Exit::Invalid, format!("cannot read {}: {error}", path.display()))
    };
    let reader: Box<dyn BufRead> = match &args.file {
        Some(path) => Box::new(BufReader::new(File::open(path).map_err(failed)?)),
        None => Box::new(io::stdin().lock()),
    };
    let mut lines = Lines::new(path, Encoding::Utf8, reader);
    let mut sentences: Vec<Vec<String>> = vec![Vec::new()];
    while let Some((_, line)) = lines.next_line().map_err(unreadable)? {
        let mut words = line.split_whitespace().map(str::to_owned);
        match (args.columns, sentences.last_mut()) {
            (true, Some(last)) => match words.next() {
                Some(token) => last.push(token),
                None => sentences.push(Vec::new()),
            },
            _ => sentences.push(words.collect()),
        }
    }
    sentences.retain(|tokens| !tokens.is_empty());
    Ok(sentences)
}

/// Why a line cannot be read; settings of corpora, which there are none of here, are not mentioned.
fn unreadable(error: CorpusError) -> CliError {
    let message = match &error {
        CorpusError::Encoding { path, line, .. } | CorpusError::Binary { path, line } => {
            format!("{}:{line}: not a text file in UTF-8", path.display())
        }
        other => other.to_string(),
    };
    CliError::new(Exit::Invalid, message)
}

/// Has the engine tag the sentences.
fn tag(
    model: &Path,
    sentences: &[Vec<String>],
    backend: Backend,
    threads: NonZeroUsize,
) -> Result<Vec<Vec<String>>, CliError> {
    let failed =
        |error: io::Error| CliError::new(Exit::Internal, format!("tailgrid-engine: {error}"));
    let engine = engine_path().map_err(|error| CliError::new(Exit::Internal, error))?;
    let mut child = engine_command(&engine, threads.get())
        .arg("--tag")
        .arg(model)
        .args([backend.word(), &threads.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let input = child.stdin.take();
    let (tags, status) = thread::scope(|scope| {
        // A second thread, because the engine answers while it is still being asked.
        scope.spawn(move || {
            let mut input = BufWriter::new(input?);
            for tokens in sentences {
                // An engine that has gone away says itself why.
                writeln!(input, "{}", json!(tokens)).ok()?;
            }
            input.flush().ok()
        });
        let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
        let tags: io::Result<Vec<String>> = lines.into_iter().flatten().collect();
        (tags, child.wait())
    });
    let (tags, status) = (tags.map_err(failed)?, status.map_err(failed)?);
    let tags: Result<Vec<Vec<String>>, _> =
        tags.iter().map(|line| serde_json::from_str(line)).collect();
    match tags {
        Ok(tags) if status.success() && tags.len() == sentences.len() => Ok(tags),
        // Its own words are on standard error.
        _ => Err(CliError::new(Exit::Invalid, "the model could not be used")),
    }
}

/// A token and its tag a line, a blank line after the sentence.
fn as_columns(tokens: &[String], tags: &[String]) -> String {
    let lines: String =
        tokens.iter().zip(tags).map(|(token, tag)| format!("{token}\t{tag}\n")).collect();
    lines + "\n"
}

/// Tokens, tags, and the entities that they mark.
fn as_json(tokens: &[String], tags: &[String]) -> Value {
    let mut types = TypeSet::default();
    let parsed = tags.iter().map(|tag| parse(tag, &mut types)).collect();
    let sentence = Sentence { tokens: tokens.iter().map(String::as_str).collect(), tags: parsed };
    let entities: Vec<Value> = sentence
        .entities()
        .map(|entity| {
            json!({
                "type": types.name(entity.entity_type), "start": entity.start, "end": entity.end,
                "text": tokens[entity.start..entity.end].join(" "),
            })
        })
        .collect();
    json!({"tokens": tokens, "tags": tags, "entities": entities})
}

/// A tag of a model. An entity that begins with I is one all the same, as the scorer has it.
fn parse(tag: &str, types: &mut TypeSet) -> Tag {
    match tag.split_once('-') {
        Some(("B", name)) => Tag::Begin(types.intern(name)),
        Some(("I", name)) => Tag::Inside(types.intern(name)),
        _ => Tag::Outside,
    }
}
