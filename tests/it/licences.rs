//! Every dependency has a licence that `deny.toml` allows.

use std::path::Path;
use std::process::Command;

/// The quoted licences between `allow = [` and `]`.
fn allowed(deny: &str) -> Vec<&str> {
    let list = deny.split_once("\nallow = [").map_or("", |(_, rest)| rest);
    let list = list.split_once("\n]").map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2).collect()
}

/// Whether an SPDX expression can be met with allowed licences; crates also write `/` for OR.
fn met(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace(['(', ')'], "").replace('/', " OR ");
    expression
        .split(" AND ")
        .all(|part| part.split(" OR ").any(|licence| allowed.contains(&licence.trim())))
}

/// Name and licence of a line of `cargo tree`, which marks what it has shown before.
fn package(line: &str) -> Option<(&str, &str)> {
    line.trim_end_matches(" (*)").split_once('|')
}

#[test]
fn an_expression_is_met_by_one_of_its_choices_and_all_of_its_demands() {
    let allowed = ["MIT", "Unicode-3.0"];
    assert!(met("MIT", &allowed) && met("GPL-3.0/MIT", &allowed));
    assert!(met("(MIT OR Apache-2.0) AND Unicode-3.0", &allowed));
    assert!(!met("MIT AND GPL-3.0", &allowed) && !met("", &allowed));
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let deny = std::fs::read_to_string(root.join("deny.toml")).unwrap();
    let allowed = allowed(&deny);
    assert!(allowed.contains(&"MIT"), "deny.toml was not understood: {allowed:?}");
    let tree = Command::new(env!("CARGO"))
        .current_dir(root)
        .args([
            "tree",
            "--workspace",
            "--locked",
            "--offline",
            "--prefix=none",
            "--edges=normal,build,dev",
        ])
        .arg("--format={p}|{l}")
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    let mut packages: Vec<(&str, &str)> = text.lines().filter_map(package).collect();
    packages.sort_unstable();
    packages.dedup();
    assert!(packages.len() > 100, "too few packages: {}", packages.len());
    let refused: Vec<_> = packages.iter().filter(|(_, l)| !met(l, &allowed)).collect();
    assert!(refused.is_empty(), "licences that deny.toml does not allow: {refused:#?}");
}
