//! Files that are made to harm: grids of a megabyte that would take all memory, and names, logs and
//! tokens that would steer the terminal.

use crate::program::{Workspace, command, text};
use std::process::Command;
use std::time::{Duration, Instant};

/// The limit of a grid file, in bytes.
const MOST: usize = 1 << 20;

const HEAD: &str = "version: 1\nname: big\ncorpora: [synthetic]\n\
                    models: [{name: m, encoder: shallow, head: softmax}]\nseeds: 1\n";

/// A list of what `entry` gives, as long as a grid can be.
fn filled(before: &str, entry: impl Fn(usize) -> String, after: &str, most: usize) -> String {
    let mut text = format!("{HEAD}{before}");
    for n in 0..most {
        let entry = entry(n);
        if text.len() + entry.len() + after.len() + 1 > MOST {
            break;
        }
        text.push_str(&entry);
    }
    text + after
}

/// What `plan` says of a grid, with 600 MB of address space and in a time that no quadratic cost
/// allows.
fn planned(grid: &str) -> (Option<i32>, String) {
    assert!(grid.len() <= MOST, "{}", grid.len());
    let place = Workspace::new();
    place.write("grid.yaml", grid);
    let plain = place.tailgrid(&["plan", "grid.yaml", "--engine", "mock"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 600000; exec \"$0\" \"$@\""]).arg(plain.get_program());
    limited.args(plain.get_args()).current_dir(place.path("."));
    limited.env("XDG_CACHE_HOME", place.path(".cache"));
    let start = Instant::now();
    let output = limited.output().expect("sh");
    let took = start.elapsed();
    let said = text(&output.stderr);
    assert!(took < Duration::from_secs(20), "{took:?}: {}", &said[..said.len().min(300)]);
    assert!(said.len() < 200_000, "{} bytes of messages", said.len());
    (output.status.code(), said)
}

#[test]
fn ten_thousand_errors_on_one_line_are_counted_and_the_first_ones_shown() {
    let methods = filled(
        "methods: [",
        |n| format!("{{name: m{n}, loss: focal, gamma: -1}}, "),
        "original]\n",
        9_999,
    );
    let (code, said) = planned(&methods);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("and 9,899 more errors"), "{said}");
    assert!(said.ends_with("9,999 errors; nothing was started\n"), "{said}");
    assert_eq!(said.matches("error: `gamma` of").count(), 100, "{said}");
    assert!(said.lines().all(|line| line.chars().count() < 200), "{said}");
}

#[test]
fn a_grid_of_a_megabyte_takes_neither_time_nor_memory() {
    let one = |_| "a, ".to_owned();
    let long = "x".repeat(500_000);
    let grids = [
        ("values", filled("methods: [", one, "a]\n", MOST)),
        ("aliases", filled("methods: [", |_| "*a, ".to_owned(), "a]\n", MOST)),
        ("anchors", filled("methods: [", |n| format!("&a{n} b, "), "a]\n", MOST)),
        ("flat", filled("methods: [", |n| format!("{{name: m{n}, k: 1}}, "), "a]\n", 9_999)),
        ("nested", HEAD.to_owned() + "methods: " + &"[".repeat(MOST - HEAD.len() - 10)),
        ("keys", filled("training: {", |n| format!("k{n}: 1, "), "z: 1}\n", MOST)),
        ("same keys", filled("training: {", |_| "k: 1, ".to_owned(), "z: 1}\n", MOST)),
        ("lines", filled("methods:\n", |n| format!("- m{n}\n"), "", MOST)),
        (
            "a long name",
            filled(
                &format!("methods:\n- {{name: {long}, "),
                |n| format!("k{n}: 1, "),
                "z: 1}\n",
                900,
            ),
        ),
        (
            "a long name among those that are near",
            filled(&format!("baseline: {long}\nmethods: ["), |n| format!("m{n}, "), "a]\n", MOST),
        ),
        (
            "overrides",
            filled(
                "methods: [original]\noverrides: [",
                |n| format!("{{when: {{method: x{n}}}, set: {{training.epochs: 5}}}}, "),
                "]\n",
                9_999,
            ),
        ),
        (
            "exclusions",
            filled(
                "methods: [original]\nexclude: [",
                |n| format!("{{method: x{n}}}, "),
                "]\n",
                990,
            ),
        ),
        (
            "pairs",
            filled(
                "methods: [original, scr]\nreport: {pairs: [",
                |n| format!("[x{n}, y{n}], "),
                "]}\n",
                9_999,
            ),
        ),
    ];
    for (name, grid) in grids {
        let (code, said) = planned(&grid);
        let expected = if name == "exclusions" { Some(0) } else { Some(3) };
        assert_eq!(code, expected, "{name}: {}", &said[..said.len().min(2000)]);
    }
}

/// What would steer a terminal: a colour, a title, another direction of reading, a bell, a C1 code.
const STEERING: &str = "\u{1b}[31mred\u{1b}]0;t\u{7}\u{202e}evil\u{9b}2J";

/// A text as YAML may hold it: steering characters escaped.
fn in_yaml(text: &str) -> String {
    let escaped = |c: char| match c.is_control() || c == '\u{202e}' {
        true => format!("\\u{:04x}", c as u32),
        false => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Nothing that a terminal would obey is in a text.
fn assert_harmless(what: &str, printed: &str) {
    let steers = |c: char| {
        c != '\n' && c != '\t' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c))
    };
    assert!(!printed.contains(steers), "{what}: {printed:?}");
}

#[test]
fn nothing_that_commands_print_steers_the_terminal() {
    let place = Workspace::new();
    let file = format!("train{STEERING}.txt").replace('\u{7}', "");
    let corpus = format!("Ada\tB-p{STEERING}\nis\tO\n\nBob\tB-p{STEERING}\nx{STEERING}\tO\n\n");
    place.write(&file, &corpus);
    for split in ["dev", "test"] {
        place.write(&format!("{split}.txt"), &corpus);
    }
    let quoted = in_yaml(&file);
    place.write(
        "grid.yaml",
        &format!(
            "version: 1\nname: hostile\ncorpora:\n  - {{name: mine, format: columns, train: {quoted}, \
             dev: dev.txt, test: test.txt, unlabelled: {}}}\nmodels: [{{name: m, encoder: shallow, head: softmax}}]\n\
             methods: [original, scr]\nseeds: 2\nbaseline: original\n",
            in_yaml(STEERING)
        ),
    );
    let ran = place.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    assert_harmless("run", &(text(&ran.stdout) + &text(&ran.stderr)));
    let plan = place.json(&["plan", "grid.yaml", "--engine", "mock"]);
    let job = plan["jobs"][0]["key"].as_str().unwrap().to_owned();
    let log = format!("results/hostile/jobs/{job}/log.txt");
    place.write(&log, &format!("a {STEERING}\n 10 %\r 20 %\r\nend\n"));
    let commands: &[&[&str]] = &[
        &["plan", "grid.yaml", "--engine", "mock", "-v"],
        &["explain", &job],
        &["logs", &job],
        &["status", "grid.yaml", "--engine", "mock", "-v"],
        &["compare", "grid.yaml", "--engine", "mock", "-v"],
        &["corpus", "check", "grid.yaml"],
        &["corpus", "check", &file],
        &["corpus", "stats", "grid.yaml"],
        &["score", "test.txt", "test.txt"],
        &["plan", "grid.yaml", "--set", &format!("models.m.{STEERING}=1").replace('\u{9b}', "")],
        &["corpus", "check", &format!("{STEERING}.txt")],
        &["explain", STEERING],
        &["logs", STEERING],
    ];
    for arguments in commands {
        for json in [false, true] {
            let mut run = place.tailgrid(arguments);
            run.args(json.then_some("--json"));
            let output = run.output().expect("tailgrid starts");
            let printed = text(&output.stdout) + &text(&output.stderr);
            assert!(!printed.is_empty(), "{arguments:?}");
            assert_harmless(&format!("{arguments:?}"), &printed);
        }
    }
    let shown = text(&place.expect(0, &["logs", &job]).stdout);
    assert!(shown.starts_with("a \\u001b[31mred"), "{shown}");
    assert!(shown.ends_with("\n 10 %\n 20 %\nend\n"), "{shown}");
    let raw = place.expect(0, &["logs", &job, "--raw"]).stdout;
    assert_eq!(raw, place.read(&log));
    // JSON is the same data, whatever is escaped in it.
    let stats = place.json(&["corpus", "stats", "grid.yaml"]);
    assert!(stats.to_string().contains('\u{202e}'), "{stats}");
}

/// Everything that a run with a failure says, on a terminal's side and in a saved record.
#[test]
fn messages_of_engines_do_not_steer_the_terminal() {
    let place = Workspace::new();
    let mut run = command(&place.path("."));
    run.args(["run", "missing\u{1b}[31m\u{202e}.yaml"]);
    let output = run.output().expect("tailgrid starts");
    assert_harmless("run", &text(&output.stderr));
}
