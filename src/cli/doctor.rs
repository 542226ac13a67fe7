//! `tailgrid doctor`: what is installed, which backends work, what is missing and how to get it.
//!
//! Looks and tells; it changes nothing. Ends well if the default backend works.

use super::output::print;
use super::{CliError, Common, Exit};
use bytesize::ByteSize;
use domain::{Backend, has_bf16_products};
use runner::{check_engine, default_backend, engine_path};
use serde::Serialize;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// The backend that jobs use where nothing else is said: LibTorch, where it is built in.
const DEFAULT: Backend = default_backend();

/// Arguments of `doctor`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// All that was found.
#[derive(Serialize)]
struct Findings {
    version: &'static str,
    engine: PathBuf,
    default_backend: Backend,
    backends: Vec<BackendFinding>,
    cores: usize,
    memory_bytes: Option<u64>,
    /// Whether `training.precision: bf16` runs here.
    bf16_products: bool,
    results: FolderFinding,
    corpora: CorporaFinding,
}

#[derive(Serialize)]
struct BackendFinding {
    backend: Backend,
    works: bool,
    /// What the engine says of itself, or what is wrong and the command that mends it.
    detail: String,
}

#[derive(Serialize)]
struct FolderFinding {
    path: PathBuf,
    writable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Serialize)]
struct CorporaFinding {
    path: PathBuf,
    found: Vec<String>,
}

/// Looks at everything and prints it.
pub fn run(_args: &Args, common: &Common) -> Result<Exit, CliError> {
    let findings = look(common)?;
    let text = match common.json {
        true => serde_json::to_string_pretty(&findings).map_err(internal)?,
        false => as_text(&findings),
    };
    print(&text)?;
    let works = findings.backends.iter().any(|b| b.backend == DEFAULT && b.works);
    Ok(if works { Exit::Done } else { Exit::Invalid })
}

fn internal(error: impl std::fmt::Display) -> CliError {
    CliError::new(Exit::Internal, error)
}

fn look(common: &Common) -> Result<Findings, CliError> {
    let engine = engine_path().map_err(internal)?;
    Ok(Findings {
        version: env!("CARGO_PKG_VERSION"),
        backends: [Backend::Libtorch, Backend::Flex].map(|b| look_at_backend(&engine, b)).into(),
        engine,
        default_backend: DEFAULT,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: std::fs::read_to_string("/proc/meminfo")
            .ok()
            .and_then(|text| memory_in(&text)),
        bf16_products: has_bf16_products(),
        results: look_at_folder(&common.results),
        corpora: CorporaFinding {
            path: common.corpora.clone(),
            found: folders_in(&common.corpora),
        },
    })
}

fn look_at_backend(engine: &Path, backend: Backend) -> BackendFinding {
    match check_engine(engine, backend) {
        Ok(detail) => BackendFinding { backend, works: true, detail },
        Err(problem) => BackendFinding { backend, works: false, detail: problem.to_string() },
    }
}

/// The memory that programs can still have, from the text of `/proc/meminfo`.
fn memory_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Whether files can be made in a folder, or in the nearest one above it that exists.
fn look_at_folder(path: &Path) -> FolderFinding {
    let problem = try_to_write(path).err().map(|(place, error)| {
        format!(
            "{} cannot be written to ({error}): name another folder with `--results DIR`",
            place.display()
        )
    });
    FolderFinding { path: path.to_owned(), writable: problem.is_none(), problem }
}

fn try_to_write(path: &Path) -> Result<(), (PathBuf, io::Error)> {
    let place = match path.ancestors().find(|place| place.exists()) {
        Some(place) => place,
        None => Path::new("."),
    };
    let probe = place.join(format!(".tailgrid-doctor-{}", std::process::id()));
    std::fs::File::create_new(&probe)
        .and_then(|_| std::fs::remove_file(&probe))
        .map_err(|error| (place.to_owned(), error))
}

fn folders_in(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn as_text(findings: &Findings) -> String {
    let mut text = String::new();
    let mut line = |mark: bool, name: &str, what: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{} {name:<10} {what}", if mark { "ok  " } else { "lack" });
    };
    line(true, "tailgrid", findings.version.to_owned());
    for backend in &findings.backends {
        let default = if backend.backend == findings.default_backend { "(default) " } else { "" };
        line(backend.works, backend.backend.word(), format!("{default}{}", backend.detail));
    }
    let memory =
        findings.memory_bytes.map_or_else(String::new, |b| format!(", {} free", ByteSize(b)));
    line(true, "machine", format!("{} cores{memory}", findings.cores));
    let bf16 = match findings.bf16_products {
        true => "the processor has bf16 products: `training.precision: bf16` runs here",
        false => "the processor has no bf16 products: transformers train in f32, the default",
    };
    line(true, "precision", bf16.to_owned());
    let results = &findings.results;
    let writable = || format!("{} can be written to", results.path.display());
    line(results.writable, "results", results.problem.clone().unwrap_or_else(writable));
    let devices =
        "cpu; cuda:N is accepted with a LibTorch of your own that has CUDA, and was never tested";
    line(true, "devices", devices.to_owned());
    line(true, "fonts", "built in".to_owned());
    line(true, "corpora", corpora_text(&findings.corpora));
    text
}

fn corpora_text(corpora: &CorporaFinding) -> String {
    let path = corpora.path.display();
    match corpora.found.as_slice() {
        [] => format!(
            "the synthetic one; none in {path} (`tailgrid fetch` lists what can be had; name \
             another folder with `--corpora DIR`)"
        ),
        found => format!("the synthetic one; in {path}: {}", found.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_and_odd_text_is_not() {
        assert_eq!(memory_in("MemTotal: 9 kB\nMemAvailable:   2048 kB\n"), Some(2 << 20));
        for odd in
            ["", "MemAvailable: x kB", "MemAvailable: 1", "MemAvailable: 99999999999999999999 kB"]
        {
            assert_eq!(memory_in(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_tried_in_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        let finding = look_at_folder(&folder.path().join("a/b"));
        assert!(finding.writable, "{:?}", finding.problem);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_cannot_be_written_to() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let problem = look_at_folder(&file.path().join("results")).problem.unwrap();
        assert!(problem.contains("--results DIR"), "{problem}");
    }

    #[test]
    fn corpora_are_the_folders_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["wnut17", "anem"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("README.md"), "").unwrap();
        assert_eq!(folders_in(folder.path()), ["anem", "wnut17"]);
        assert!(folders_in(&folder.path().join("none")).is_empty());
    }

    #[test]
    fn a_lack_is_marked_and_carries_its_mending() {
        let lack = |backend| BackendFinding {
            backend,
            works: false,
            detail: "run `make build`".to_owned(),
        };
        let text = as_text(&Findings {
            version: "1",
            engine: PathBuf::new(),
            default_backend: Backend::Libtorch,
            backends: vec![lack(Backend::Libtorch)],
            cores: 2,
            memory_bytes: Some(1 << 30),
            bf16_products: true,
            results: FolderFinding { path: "results".into(), writable: true, problem: None },
            corpora: CorporaFinding { path: "corpora".into(), found: vec![] },
        });
        assert!(text.contains("lack libtorch   (default) run `make build`\n"), "{text}");
        assert!(text.contains("ok   machine    2 cores, 1.0 GiB free\n"), "{text}");
        assert!(text.contains("ok   precision  the processor has bf16 products"), "{text}");
    }
}
