//! The files that are served: those of a report and nothing else. A path is looked up in a table in
//! memory; no request reaches the file system.

use report::policy;
use report::{Artefact, Report};
use serde_json::json;
use std::collections::HashMap;

/// A file as it is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServedFile {
    pub kind: &'static str,
    pub policy: String,
    pub bytes: Vec<u8>,
}

/// The files of a report by their paths.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Site {
    pages: HashMap<String, ServedFile>,
    version: String,
}

/// What everything but the page may do: be seen.
const INERT: &str =
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

impl Site {
    /// The site of a report whose page says that it has this version.
    pub fn new(report: Report, version: &str) -> Self {
        let mut pages: HashMap<String, ServedFile> = report.files.into_iter().map(page).collect();
        if let Some(index) = pages.get("/index.html").cloned() {
            pages.insert("/".to_owned(), index);
        }
        let bytes = json!({"v": 1, "version": version}).to_string().into_bytes();
        let newest = ServedFile { kind: "application/json", policy: INERT.to_owned(), bytes };
        pages.insert("/version.json".to_owned(), newest);
        Self { pages, version: version.to_owned() }
    }

    /// What is at a path.
    pub fn page(&self, path: &str) -> Option<&ServedFile> {
        self.pages.get(path)
    }

    /// Which version of the report this is.
    pub fn version(&self) -> &str {
        &self.version
    }
}

fn page(file: Artefact) -> (String, ServedFile) {
    let Artefact { path, bytes } = file;
    let ending = path.rsplit('.').next().unwrap_or_default();
    let kind = match ending {
        "html" => "text/html; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "csv" => "text/csv; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    let policy = match ending {
        "html" => format!("{}; frame-ancestors 'none'", policy(true)),
        _ => INERT.to_owned(),
    };
    (format!("/{path}"), ServedFile { kind, policy, bytes })
}
