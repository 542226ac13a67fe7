//! What the catalogue has, and how much of it is on this machine.

use super::{CliError, Common, Exit};
use atomic::places;
use bytesize::ByteSize;
use domain::{Remote, RemoteFile};
use fetch::{Item, Presence};
use serde_json::{Value, json};
use spec::{Catalogue, CorpusEntry, FileEntry, Origin, Provenance};
use std::path::{Path, PathBuf};

/// What a thing of the catalogue is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Corpus,
    Embeddings,
    Checkpoint,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Corpus => "corpus",
            Kind::Embeddings => "embeddings",
            Kind::Checkpoint => "checkpoint",
        }
    }
}

/// Something of the catalogue, and where it belongs.
#[derive(Clone, Debug)]
pub struct Offer {
    pub kind: Kind,
    pub name: String,
    pub help: String,
    pub provenance: Provenance,
    pub folder: PathBuf,
    /// The files that must be there, by their whole paths.
    pub files: Vec<PathBuf>,
}

/// The catalogue, with the user's own over it.
pub fn catalogue(common: &Common) -> Result<Catalogue, CliError> {
    Catalogue::with_own(&common.corpora, common.catalogue.as_deref())
        .map_err(|found| CliError::listed(&found))
}

/// Everything that the catalogue has: corpora, then embeddings, then checkpoints.
pub fn offers(common: &Common) -> Result<Vec<Offer>, CliError> {
    let catalogue = catalogue(common)?;
    let Some(cache) = places::cache() else {
        let message = "there is no home for embeddings and checkpoints: set HOME, or \
                       XDG_CACHE_HOME to a folder";
        return Err(CliError::new(Exit::Usage, message));
    };
    let of_cache = |kind, folder: &str, entries: &[FileEntry]| {
        let folder = cache.join(folder);
        entries.iter().map(|entry| files(kind, entry, &folder)).collect::<Vec<_>>()
    };
    let corpora = catalogue.corpora().iter().map(|entry| corpus(entry, &common.corpora));
    Ok(corpora
        .chain(of_cache(Kind::Embeddings, "embeddings", catalogue.embeddings()))
        .chain(of_cache(Kind::Checkpoint, "checkpoints", catalogue.checkpoints()))
        .collect())
}

/// A corpus of the catalogue, in the folder of all corpora.
pub fn corpus(entry: &CorpusEntry, corpora: &Path) -> Offer {
    Offer {
        kind: Kind::Corpus,
        name: entry.name.clone(),
        help: entry.help.clone(),
        provenance: entry.provenance.clone(),
        folder: corpora.join(&entry.name),
        files: entry.files().into_iter().map(Path::to_owned).collect(),
    }
}

fn files(kind: Kind, entry: &FileEntry, parent: &Path) -> Offer {
    let folder = parent.join(&entry.name);
    Offer {
        kind,
        name: entry.name.clone(),
        help: entry.help.clone(),
        provenance: entry.provenance.clone(),
        files: entry.files.iter().map(|file| folder.join(file.as_str())).collect(),
        folder,
    }
}

impl Offer {
    /// What is fetched for it.
    pub fn remotes(&self) -> &[Remote] {
        match &self.provenance.origin {
            Origin::Fetch(remotes) => remotes,
            Origin::BuiltIn | Origin::ByHand { .. } => &[],
        }
    }

    /// How much of it is there, at a glance.
    pub fn presence(&self) -> Presence {
        if !self.remotes().is_empty() {
            let (name, folder) = (self.name.as_str(), self.folder.as_path());
            return Item { name, folder, remotes: self.remotes() }.presence();
        }
        match self.files.iter().filter(|file| file.exists()).count() {
            count if count == self.files.len() => Presence::All,
            0 => Presence::Nothing,
            _ => Presence::Some,
        }
    }

    /// In a word or two: whether it is there, and if not, who brings it.
    pub fn standing(&self) -> &'static str {
        match (&self.provenance.origin, self.presence()) {
            (Origin::BuiltIn, _) => "built in",
            (_, Presence::All) => "there",
            (_, Presence::Some) => "partly there",
            (Origin::Fetch(_), Presence::Nothing) => "to fetch",
            (Origin::ByHand { restricted: true, .. }, Presence::Nothing) => "restricted",
            (Origin::ByHand { .. }, Presence::Nothing) => "by hand",
        }
    }

    /// What comes when it is fetched, in bytes; `None` where nobody knows.
    pub fn bytes(&self) -> Option<u64> {
        let files: Vec<&RemoteFile> = self.remotes().iter().flat_map(Remote::files).collect();
        (!files.is_empty()).then(|| files.iter().map(|file| file.fingerprint.size()).sum())
    }

    /// Two lines: name, standing and size before its help, then whose it is.
    pub fn text(&self, width: usize) -> String {
        let size = self.bytes().map(|bytes| ByteSize(bytes).to_string()).unwrap_or_default();
        let (name, standing, help) = (&self.name, self.standing(), &self.help);
        let first = format!("  {name:width$}  {standing:12}  {size:>9}  {help}\n");
        let whose = [&self.provenance.licence, &self.provenance.source];
        match whose.map(String::as_str) {
            ["", ""] => first,
            [licence, ""] => format!("{first}  {:width$}  {licence}\n", ""),
            ["", source] => format!("{first}  {:width$}  {source}\n", ""),
            [licence, source] => format!("{first}  {:width$}  {licence}; {source}\n", ""),
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let (restricted, advice) = match &self.provenance.origin {
            Origin::ByHand { restricted, advice } => (*restricted, Some(advice)),
            Origin::Fetch(_) | Origin::BuiltIn => (false, None),
        };
        json!({
            "name": self.name, "kind": self.kind.name(), "help": self.help,
            "standing": self.standing(), "bytes": self.bytes(), "folder": self.folder,
            "files": self.files, "licence": self.provenance.licence,
            "source": self.provenance.source, "restricted": restricted, "advice": advice,
        })
    }

    /// `a, b and c into data/name/`, for those that have to be put there by hand.
    pub fn belongings(&self) -> String {
        let name =
            |file: &PathBuf| file.strip_prefix(&self.folder).unwrap_or(file).display().to_string();
        let names: Vec<String> = self.files.iter().map(name).collect();
        let listed = match names.as_slice() {
            [] => "its files".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        format!("{listed} into {}", self.folder.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(origin: Origin, folder: &Path, files: &[&str]) -> Offer {
        let files = files.iter().map(|file| folder.join(file)).collect();
        let (licence, source) = ("free".to_owned(), "https://a".to_owned());
        Offer {
            kind: Kind::Corpus,
            name: "it".to_owned(),
            help: "a corpus".to_owned(),
            provenance: Provenance { licence, source, origin },
            folder: folder.to_owned(),
            files,
        }
    }

    #[test]
    fn what_is_brought_by_hand_is_there_when_its_files_are() {
        let folder = tempfile::tempdir().unwrap();
        let by_hand = Origin::ByHand { restricted: true, advice: "ask them".into() };
        let offer = offer(by_hand, folder.path(), &["a", "b", "c"]);
        assert_eq!(offer.standing(), "restricted");
        std::fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(offer.standing(), "partly there");
        for name in ["b", "c"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(offer.standing(), "there");
        let into = format!("a, b and c into {}", folder.path().display());
        assert_eq!(offer.belongings(), into);
        assert_eq!(offer.json()["advice"], "ask them");
    }

    #[test]
    fn an_entry_is_two_lines() {
        let offer = offer(Origin::BuiltIn, Path::new("none"), &[]);
        assert_eq!(
            offer.text(4),
            "  it    built in                 a corpus\n        free; https://a\n"
        );
        assert_eq!((offer.bytes(), offer.presence()), (None, Presence::All));
    }
}
