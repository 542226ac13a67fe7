use super::super::{Grid, LoadOptions, load};
use super::*;
use corpus::statistics::statistics;
use domain::{Backend, Remote, Split, Statistics};
use std::collections::BTreeSet;

const AT: Span = Span { source: 0, line: 1, column: 1, length: 1 };
const CORPORA: [&str; 16] = [
    "synthetic",
    "wnut17",
    "anem",
    "gmb",
    "conll2003",
    "cadec",
    "n2c2-ade",
    "ontonotes5",
    "kwdlc",
    "stockmark",
    "linnaeus",
    "ncbi-disease",
    "s800",
    "ec",
    "news",
    "msra",
];

fn shipped() -> Catalogue {
    Catalogue::shipped(Path::new("corpora"))
}

#[test]
fn the_shipped_catalogue_has_no_error() {
    let (catalogue, found) = read("catalogue.yaml".into(), SHIPPED.into(), Path::new(""));
    assert!(found.is_empty(), "{found}");
    for name in CORPORA {
        assert!(catalogue.corpora().iter().any(|entry| entry.name == name), "{name}");
    }
    let wnut = shipped().corpus("wnut17", AT).unwrap();
    let train = wnut.get("train").map(|node| node.value.clone());
    assert_eq!(train, Some(Value::File("corpora/wnut17/wnut17train.conll".into())));
    assert_eq!(wnut.get("licence"), None, "what is no setting does not reach a grid");
}

/// Name, help and provenance of every entry.
fn everything(catalogue: &Catalogue) -> Vec<(&str, &str, &Provenance)> {
    let corpora =
        catalogue.corpora.iter().map(|e| (e.name.as_str(), e.help.as_str(), &e.provenance));
    let files = catalogue.embeddings.iter().chain(&catalogue.checkpoints);
    corpora.chain(files.map(|e| (e.name.as_str(), e.help.as_str(), &e.provenance))).collect()
}

#[test]
fn every_entry_says_whose_it_is_and_how_to_get_it() {
    let catalogue = shipped();
    let mut names = BTreeSet::new();
    for (name, help, provenance) in everything(&catalogue) {
        assert!(names.insert(name), "{name} is there twice, so `fetch` could not tell them apart");
        assert!(!help.is_empty() && !help.ends_with('.'), "{name}: {help}");
        match &provenance.origin {
            Origin::BuiltIn => continue,
            Origin::Fetch(remotes) => assert!(!remotes.is_empty(), "{name}"),
            Origin::ByHand { advice, .. } => {
                assert!(!advice.is_empty() && !advice.ends_with('.'), "{name}: {advice}");
            }
        }
        assert!(!provenance.licence.is_empty(), "{name} has no licence");
        assert!(provenance.source.starts_with("https://"), "{name}: {}", provenance.source);
    }
}

#[test]
fn what_is_fetched_comes_encrypted_and_of_one_version() {
    for (name, _, provenance) in everything(&shipped()) {
        let Origin::Fetch(remotes) = &provenance.origin else { continue };
        for remote in remotes {
            if let Remote::File { urls, .. } = remote {
                assert!(urls.iter().all(|url| url.starts_with("https://")), "{name}: {urls:?}");
                let moving = urls.iter().any(|u| u.contains("/master/") || u.contains("/main/"));
                assert!(!moving, "{name}: an address whose file may change: {urls:?}");
            }
        }
    }
}

#[test]
fn what_a_corpus_is_read_from_is_what_its_fetch_brings() {
    for entry in shipped().corpora() {
        let Origin::Fetch(remotes) = &entry.provenance.origin else { continue };
        let folder = Path::new("corpora").join(&entry.name);
        let brought: Vec<PathBuf> = remotes
            .iter()
            .flat_map(|remote| remote.files())
            .map(|file| folder.join(file.path.as_str()))
            .collect();
        for file in entry.files() {
            assert!(brought.iter().any(|path| path == file), "{}", file.display());
        }
        assert!(!entry.counts.is_empty(), "{}", entry.name);
    }
}

#[test]
fn no_name_is_a_corpus_and_a_method() {
    let catalogue = Catalogue::shipped(Path::new(""));
    for method in methods::METHODS {
        assert!(catalogue.corpus(method.name, AT).is_none(), "{}", method.name);
        assert!(catalogue.method(method.name, AT).is_some());
    }
}

#[test]
fn how_to_get_a_file_is_said_of_those_of_the_catalogue() {
    let catalogue = shipped();
    let of = |path: &str| catalogue.how_to_get(Path::new(path)).unwrap_or_default();
    assert_eq!(of("corpora/wnut17/wnut17train.conll"), "get it with `tailgrid fetch wnut17`");
    assert!(of("corpora/conll2003/eng.train").contains("Reuters"));
    assert_eq!(of("corpora/mine/train.txt"), "");
}

const OWN: &str = "\
version: 1
corpora:
  - {name: wnut17, help: another one, format: columns, train: a, test: b}
  - name: mine
    format: columns
    train: deep/train.txt
    test: test.txt
    licence: ours
    fetch:
      - {file: deep/train.txt, url: [\"http://a/b\", \"https://c/d\"], size: 3,
         sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad}
    counts: {train: {sentences: 1, tokens: 2, entities: 0}}
embeddings:
  - {name: vectors, files: [vectors.txt]}
";

fn with_own(text: &str) -> Result<Catalogue, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.yaml");
    std::fs::write(&path, text).unwrap();
    let read = Catalogue::with_own(Path::new("corpora"), Some(&path));
    let place = format!("{}/", folder.path().display());
    read.map_err(|found| found.to_string().replace(&place, ""))
}

#[test]
fn a_catalogue_of_ones_own_adds_and_replaces() {
    let catalogue = with_own(OWN).unwrap();
    let find = |name: &str| catalogue.corpora().iter().find(|e| e.name == name).unwrap();
    assert_eq!(find("wnut17").help, "another one");
    assert_eq!(
        find("anem").help,
        shipped().corpora.iter().find(|e| e.name == "anem").unwrap().help
    );
    let mine = find("mine");
    assert_eq!(mine.counts["train"].tokens, 2);
    assert_eq!(mine.files()[0], Path::new("corpora/mine/deep/train.txt"));
    let Origin::Fetch(remotes) = &mine.provenance.origin else { panic!("{:?}", mine.provenance) };
    assert!(matches!(&remotes[0], Remote::File { urls, .. } if urls.len() == 2));
    assert_eq!(catalogue.embeddings().last().unwrap().files[0].as_str(), "vectors.txt");
    assert!(Catalogue::with_own(Path::new(""), None).is_ok());
    let none = Catalogue::with_own(Path::new(""), Some(Path::new("none.yaml"))).unwrap_err();
    assert!(none.to_string().contains("there is no file `none.yaml`"), "{none}");
}

#[test]
fn every_error_of_ones_own_catalogue_is_told_with_its_place() {
    insta::assert_snapshot!(
        with_own(
            "corpora:
  - {help: no name}
  - {name: ../up, format: columns}
  - {name: a, fetch: [{file: ../x, url: 'ftp://x', sha256: ab, size: -1}]}
  - {name: a, fetch: []}
  - {name: b, fetch: [{file: x, url: 'https://x', sha 256: ab}], restricted: no}
  - {name: c, fetch: [{npm: --registry, version: 1.0.0, sha256: ab, size: 1, members: [{}]}]}
  - {name: d, fetch: [{pip: x, version: 1}], counts: {train: {tokens: 1}}}
embeddings:
  - {name: e, formt: x}
  - 7
checkpoint: []
"
        )
        .unwrap_err()
    );
    for odd in ["", "7", "- a", "a: [", "version: 2", "corpora: 7"] {
        assert!(with_own(odd).is_err(), "{odd}");
    }
}

/// A grid of corpora by name.
fn grid_of(names: &[&str], corpora: &Path) -> Grid {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grid.yaml");
    let text = format!(
        "{{version: 1, name: all, corpora: [{}], methods: [original], seeds: 1, \
         models: [{{name: m, encoder: shallow, head: softmax}}]}}",
        names.join(", ")
    );
    std::fs::write(&path, text).unwrap();
    let options = LoadOptions {
        sets: &[],
        corpora,
        catalogue: None,
        tables: &[],
        pretrained: Path::new(""),
        engine: "1",
        default_backend: Backend::Flex,
    };
    load(&path, &options).unwrap_or_else(|found| panic!("{found}"))
}

#[test]
fn a_grid_takes_every_corpus_whose_files_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::shipped(folder.path());
    for file in catalogue.corpora().iter().flat_map(CorpusEntry::files) {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "a file").unwrap();
    }
    let names: Vec<&str> = catalogue.corpora().iter().map(|entry| entry.name.as_str()).collect();
    let grid = grid_of(&names, folder.path());
    assert_eq!(grid.corpora, names);
    assert_eq!(grid.jobs.len(), names.len());
}

/// The folder of real corpora, whether or not it is there.
fn corpora() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    std::env::var_os("TAILGRID_CORPORA").map_or_else(beside, PathBuf::from)
}

/// Needs the real corpora, which are no part of the project.
#[test]
fn the_real_corpora_are_what_the_catalogue_says() {
    let folder = corpora();
    let catalogue = Catalogue::shipped(&folder);
    let there = catalogue.corpora().iter().filter(|entry| {
        let files = entry.files();
        !files.is_empty() && files.iter().all(|file| file.exists())
    });
    for entry in there {
        let grid = grid_of(&[&entry.name], &folder);
        let job = &grid.jobs[0];
        let loaded = corpus::load(&job.settings.corpus.format, &job.files).unwrap();
        for (split, expected) in &entry.counts {
            // A split that is carved from a file is part of the file's count.
            let splits: &[Split] = match split.as_str() {
                "train" if job.files.contains_key("dev") => &[Split::Train],
                "train" => &[Split::Train, Split::Dev],
                "dev" => &[Split::Dev],
                "test" => &[Split::Test],
                "all" => &[Split::Train, Split::Dev, Split::Test],
                _ => continue,
            };
            let found: Vec<Statistics> = splits
                .iter()
                .map(|split| statistics(&loaded.corpus.types, loaded.corpus.split(*split)))
                .collect();
            let total = |count: fn(&Statistics) -> u64| found.iter().map(count).sum();
            let found = SplitCounts {
                sentences: total(|s| s.sentences),
                tokens: total(|s| s.tokens),
                entities: total(|s| s.entities),
            };
            assert_eq!(found, *expected, "{} {split}", entry.name);
        }
        assert_eq!(fetched_differently(entry), Vec::<PathBuf>::new());
        println!("{}: as the catalogue says", entry.name);
    }
}

/// The files of a corpus that are not those that `fetch` would bring.
fn fetched_differently(entry: &CorpusEntry) -> Vec<PathBuf> {
    let Origin::Fetch(remotes) = &entry.provenance.origin else { return Vec::new() };
    let folder = corpora().join(&entry.name);
    let files = remotes.iter().flat_map(Remote::files);
    let differs = files.filter(|file| {
        let path = folder.join(file.path.as_str());
        let digest = corpus::digest("columns", &path).unwrap();
        let size = path.metadata().unwrap().len();
        (digest.as_str(), size) != (file.fingerprint.sha256(), file.fingerprint.size())
    });
    differs.map(|file| folder.join(file.path.as_str())).collect()
}
