//! Whose a thing of the catalogue is, and how to get it.

use super::super::check::Checker;
use super::super::diagnostic::quoted;
use super::super::node::{Map, Node, Value, get};
use super::super::source::Span;
use domain::{Client, Fingerprint, InnerPath, Member, Package, Remote, RemoteFile};
use std::collections::BTreeMap;

/// The largest file that a catalogue may name: more than any corpus or model of the field.
const LARGEST: i64 = 1 << 40;

/// Whose it is, and how to get it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provenance {
    /// What one may do with it, as its source says.
    pub licence: String,
    /// The page of those who publish it.
    pub source: String,
    pub origin: Origin,
}

/// Where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It needs no files.
    BuiltIn,
    /// `tailgrid fetch` brings it.
    Fetch(Vec<Remote>),
    /// The user brings it.
    ByHand {
        /// Whether those who publish it give it only to whom they know.
        restricted: bool,
        /// Who gives it out, and what to do.
        advice: String,
    },
}

/// The size of a split.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SplitCounts {
    pub sentences: u64,
    pub tokens: u64,
    pub entities: u64,
}

impl Checker<'_> {
    pub(super) fn provenance(
        &mut self,
        what: &str,
        (map, at): (&Map, Span),
        reads_files: bool,
    ) -> Option<Provenance> {
        let ways = ["fetch", "restricted", "by_hand"];
        let given: Vec<&str> = ways.into_iter().filter(|way| get(map, way).is_some()).collect();
        if given.len() > 1 {
            let named: Vec<String> = given.iter().map(|way| format!("`{way}`")).collect();
            let named = named.join(" and ");
            self.error(at, format_args!("{what} has {named}, which are two ways to get it"));
        }
        let by_hand = |restricted, advice| Origin::ByHand { restricted, advice };
        let origin = match given.first() {
            Some(&"fetch") => Origin::Fetch(self.remotes(what, get(map, "fetch")?)?),
            Some(way) => by_hand(*way == "restricted", self.optional(map, way, what)),
            None if reads_files => by_hand(false, String::new()),
            None => Origin::BuiltIn,
        };
        let [licence, source] = ["licence", "source"].map(|key| self.optional(map, key, what));
        Some(Provenance { licence, source, origin })
    }

    fn remotes(&mut self, what: &str, node: &Node) -> Option<Vec<Remote>> {
        let items = self.list(node, &format!("`fetch` of {what}")).iter();
        let read: Vec<Option<Remote>> = items.map(|item| self.remote(what, item)).collect();
        let remotes: Vec<Remote> = read.into_iter().collect::<Option<_>>()?;
        let mut paths: Vec<&InnerPath> =
            remotes.iter().flat_map(|remote| remote.files()).map(|file| &file.path).collect();
        paths.sort();
        if let Some(twice) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            let file = twice[0].as_str();
            self.error(node.at, format_args!("{what} fetches the file `{file}` twice"));
        }
        Some(remotes)
    }

    fn remote(&mut self, what: &str, node: &Node) -> Option<Remote> {
        let what = format!("`fetch` of {what}");
        let map = self.map(node, &what, "a mapping: {file: …, url: …, sha256: …, size: …}")?;
        let client = ["npm", "pip"].into_iter().find(|key| get(map, key).is_some());
        match client {
            Some(client) => self.package(&what, (map, node.at), client),
            None => {
                self.only(map, &what, &["file", "url", "sha256", "size"]);
                let urls = self.urls(&what, (map, node.at));
                let file = self.remote_file(&what, (map, node.at));
                Some(Remote::File { urls: urls?, file: file? })
            }
        }
    }

    fn package(&mut self, what: &str, (map, at): (&Map, Span), key: &str) -> Option<Remote> {
        self.only(map, what, &[key, "version", "sha256", "size", "members"]);
        let client = if key == "npm" { Client::Npm } else { Client::Pip };
        let name = self.required(map, key, (what, at));
        let version = self.required(map, "version", (what, at));
        let archive = self.fingerprint(what, (map, at));
        let members = match get(map, "members") {
            Some(node) => self.members(what, node),
            None => {
                self.error(at, format_args!("{what} needs the `members` of the package"));
                None
            }
        };
        let (name, version) = (name?, version?);
        let package = Package::new(client, &name, &version);
        if package.is_none() {
            let shown = quoted(&format!("{name} {version}"));
            self.error(at, format_args!("{what}: {shown} cannot be a package and its version"));
        }
        Some(Remote::Package { package: package?, archive: archive?, members: members? })
    }

    fn members(&mut self, what: &str, node: &Node) -> Option<Vec<Member>> {
        let what = format!("`members` of {what}");
        let items = self.list(node, &what).iter();
        let read: Vec<Option<Member>> = items.map(|item| self.member(&what, item)).collect();
        read.into_iter().collect()
    }

    fn member(&mut self, what: &str, node: &Node) -> Option<Member> {
        let map = self.map(node, what, "a mapping: {member: …, file: …, sha256: …, size: …}")?;
        self.only(map, what, &["member", "file", "sha256", "size"]);
        let name = self.required(map, "member", (what, node.at));
        let file = self.remote_file(what, (map, node.at));
        Some(Member { name: name?, file: file? })
    }

    fn remote_file(&mut self, what: &str, (map, at): (&Map, Span)) -> Option<RemoteFile> {
        let path = match get(map, "file") {
            Some(node) => self.inner_path(what, node),
            None => {
                self.error(at, format_args!("{what} needs a `file`"));
                None
            }
        };
        let fingerprint = self.fingerprint(what, (map, at));
        Some(RemoteFile { path: path?, fingerprint: fingerprint? })
    }

    pub(super) fn inner_path(&mut self, what: &str, node: &Node) -> Option<InnerPath> {
        let text = self.text(node, &format!("a file of {what}"))?;
        let path = InnerPath::new(text);
        if path.is_none() {
            let message = format!("{what}: {} does not stay inside a folder", quoted(text));
            let error = self.at(node.at, message);
            self.tell(node.at, error.help("write names with `/` between, none of them hidden"));
        }
        path
    }

    fn fingerprint(&mut self, what: &str, (map, at): (&Map, Span)) -> Option<Fingerprint> {
        let sha256 = self.required(map, "sha256", (what, at));
        let size = match get(map, "size") {
            Some(node) => self.integer(node, &format!("`size` of {what}"), 0, LARGEST),
            None => {
                self.error(at, format_args!("{what} needs a `size`, in bytes"));
                None
            }
        };
        let (sha256, size) = (sha256?, u64::try_from(size?).ok()?);
        let fingerprint = Fingerprint::new(&sha256, size);
        if fingerprint.is_none() {
            let at = get(map, "sha256").map_or(at, |node| node.at);
            self.error(at, format_args!("{what}: a SHA-256 has 64 hexadecimal digits"));
        }
        fingerprint
    }

    /// One address, or several that give the same file.
    fn urls(&mut self, what: &str, (map, at): (&Map, Span)) -> Option<Vec<String>> {
        let Some(node) = get(map, "url") else {
            self.error(at, format_args!("{what} needs a `url`"));
            return None;
        };
        let nodes: &[Node] = match &node.value {
            Value::List(_) => self.list(node, &format!("`url` of {what}")),
            _ => std::slice::from_ref(node),
        };
        nodes.iter().map(|node| self.url(what, node)).collect()
    }

    fn url(&mut self, what: &str, node: &Node) -> Option<String> {
        let text = self.text(node, &format!("`url` of {what}"))?;
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        let is_url = text.starts_with("https://") || text.starts_with("http://");
        if !plain || !is_url {
            self.error(node.at, format_args!("{what}: {} is no web address", quoted(text)));
            return None;
        }
        Some(text.to_owned())
    }

    /// `{train: {sentences: 3, tokens: 20, entities: 2}}`
    pub(super) fn counts(&mut self, what: &str, node: &Node) -> BTreeMap<String, SplitCounts> {
        let what = format!("`counts` of {what}");
        let splits = self.map(node, &what, "a mapping with the splits").cloned();
        let mut read = BTreeMap::new();
        for (split, node) in splits.unwrap_or_default() {
            let Some(map) = self.map(&node, &what, "a mapping").cloned() else { continue };
            self.only(&map, &what, &["sentences", "tokens", "entities"]);
            let mut count = |key: &str| {
                let number = get(&map, key).map(|n| self.integer(n, &what, 0, i64::MAX))??;
                u64::try_from(number).ok()
            };
            match (count("sentences"), count("tokens"), count("entities")) {
                (Some(sentences), Some(tokens), Some(entities)) => {
                    read.insert(split.text, SplitCounts { sentences, tokens, entities });
                }
                _ => {
                    let message = format!("{what} needs sentences, tokens and entities");
                    self.error(node.at, message);
                }
            }
        }
        read
    }

    fn only(&mut self, map: &Map, what: &str, known: &[&str]) {
        for (key, _) in map.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            self.unknown_key(key, what, known);
        }
    }

    pub(super) fn required(
        &mut self,
        map: &Map,
        key: &str,
        (what, at): (&str, Span),
    ) -> Option<String> {
        match get(map, key) {
            Some(node) => self.text(node, &format!("`{key}` of {what}")).map(str::to_owned),
            None => {
                self.error(at, format_args!("{what} needs a `{key}`"));
                None
            }
        }
    }

    /// A text, empty where there is none.
    pub(super) fn optional(&mut self, map: &Map, key: &str, what: &str) -> String {
        let node = get(map, key);
        let text = node.and_then(|node| self.text(node, &format!("`{key}` of {what}")));
        text.unwrap_or_default().to_owned()
    }
}
