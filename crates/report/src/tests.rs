//! Whole reports: what they contain, that they are repeatable, that no name can break them.

use super::*;
use analysis::{Asked, published, synthetic};
use domain::{Contender, JobKey, Metric, Spending, Stopping};
use store::{Results, Status};

/// Names that mean something to HTML, Markdown, LaTeX, CSV, terminals or file systems.
const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "a & b | c",
    "100% _under_ ^hat~",
    "back\\slash {brace} $math$",
    "日本語 \u{10FFFD}",
    "=cmd|' /C calc'!A0",
    "\"quotes\" 'single'",
    "../../etc/passwd\n\u{1b}[31m\u{202e}red",
];

fn text<'a>(report: &'a Report, path: &str) -> &'a str {
    let file = report.files.iter().find(|file| file.path == path);
    let file = file.unwrap_or_else(|| panic!("no {path}"));
    std::str::from_utf8(&file.bytes).expect("text")
}

/// The page without its own script and the data for it.
fn without_scripts(page: &str) -> String {
    let mut rest = page.to_owned();
    for (open, close) in
        [("<script type=\"application/json\" id=\"data\">", "</script>"), ("<script>", "</script>")]
    {
        let start = rest.find(open).expect("a block");
        let end = start + rest[start..].find(close).expect("its end") + close.len();
        rest.replace_range(start..end, "");
    }
    rest
}

fn hostile() -> (GridView, Results) {
    let methods = HOSTILE.map(String::from);
    let (mut view, mut results) = synthetic::named(&methods, &methods[..2]);
    view.name = HOSTILE[0].to_owned();
    results.runs[3].status = Status::Failed;
    results.runs[3].failure = Some(HOSTILE[0].to_owned());
    view.jobs[41].not_applicable = Some(HOSTILE[0].to_owned());
    for job in &mut view.jobs {
        job.point.corpus = HOSTILE[7].to_owned();
    }
    view.corpora = vec![HOSTILE[7].to_owned()];
    (view, results)
}

#[test]
fn a_report_has_its_files() {
    let (view, results) = synthetic::grid();
    let report = render(&view, &(&results).into()).expect("rendered");
    let paths: Vec<&str> = report.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "index.html",
            "tables/jobs.csv",
            "tables/macro-f1-synthetic-full.md",
            "tables/macro-f1-synthetic-full.tex",
            "tables/macro-f1-synthetic-full.csv",
            "tables/micro-f1-synthetic-full.md",
            "tables/micro-f1-synthetic-full.tex",
            "tables/micro-f1-synthetic-full.csv",
            "tables/comparisons-synthetic-full.md",
            "tables/comparisons-synthetic-full.tex",
            "tables/comparisons-synthetic-full.csv",
            "figures/displacement-synthetic-full.svg",
            "figures/displacement-synthetic-full.png",
            "figures/displacement-synthetic-full-dark.svg",
            "figures/displacement-synthetic-full-dark.png",
            "figures/forest-synthetic-full.svg",
            "figures/forest-synthetic-full.png",
            "figures/forest-synthetic-full-dark.svg",
            "figures/forest-synthetic-full-dark.png",
            "figures/differences.svg",
            "figures/differences.png",
            "figures/differences-dark.svg",
            "figures/differences-dark.png",
            "figures/time.svg",
            "figures/time.png",
            "figures/time-dark.svg",
            "figures/time-dark.png",
        ]
    );
    assert_eq!(report.warnings, [""; 0]);
}

#[test]
fn planned_looks_have_their_table_and_every_caption_says_that_they_decide() {
    let (mut view, results) = synthetic::grid();
    view.stopping = Some(Stopping { looks: vec![3, 5], spending: Spending::Pocock });
    let report = render(&view, &(&results).into()).expect("rendered");
    let csv = text(&report, "tables/planned-looks.csv");
    assert!(
        csv.starts_with("corpus,scenario,model,method,against,alpha,verdict,next_look,look,n,p,")
    );
    let rows = |look: &str| csv.lines().filter(|line| line.split(',').nth(8) == Some(look)).count();
    assert!(rows("3") == 10 && rows("5") > 0, "a line for each look: {csv}");
    assert!(text(&report, "tables/planned-looks.md").contains("after 5 seeds"));
    assert!(text(&report, "index.html").contains(">Planned looks</h2>"));
    let follow = "planned looks at 3, 5 seeds";
    for table in ["macro-f1", "micro-f1", "comparisons"] {
        let table = text(&report, &format!("tables/{table}-synthetic-full.md"));
        assert!(table.contains(follow) && !table.contains("0.01"), "{table}");
    }
    assert!(text(&report, "index.html").contains("decided by the planned looks at 3, 5 seeds"));
    let without = render(&synthetic::grid().0, &(&results).into()).expect("rendered");
    assert!(!text(&without, "index.html").contains("lanned looks"));
}

#[test]
fn corpora_are_ranked_across_in_the_report() {
    let (view, results) = synthetic::two_corpora();
    let report = render(&view, &(&results).into()).expect("rendered");
    let csv = text(&report, "tables/ranks-full-shallow-softmax.csv");
    assert_eq!(csv.lines().count(), 1 + view.methods.len());
    assert!(csv.contains("full,shallow-softmax,macro_f1,scr,1,0.4"), "{csv}");
    assert!(text(&report, "index.html").contains("With 6 methods on 2 corpora no two methods"));
}

#[test]
fn the_same_records_give_the_same_bytes_in_any_order() {
    let (view, mut results) = synthetic::grid();
    let first = render(&view, &(&results).into()).expect("rendered");
    results.runs.reverse();
    results.metrics.reverse();
    assert!(first == render(&view, &(&results).into()).expect("rendered"));
}

#[test]
fn tables_that_are_asked_for_are_repeatable_too() {
    let size = |n| [("train_sentences", domain::ParameterValue::Integer(n))];
    let (small, large) = (size(50), size(100));
    let scenarios: [(&str, &[_]); 2] = [("low-50", &small), ("low-100", &large)];
    let methods = ["original", "sc", "scr"];
    let (mut view, mut results) =
        synthetic::conditioned(&["a", "b"], &scenarios, &methods, &["m", "n"]);
    view.asked.spread = domain::Spread::Se;
    view.asked.tables = vec!["deltas".to_owned()];
    let text = "# title: T\ncorpus,scenario,model,method,metric,value\na,low-50,m,sc,macro_f1,40\n";
    view.asked.published = vec![published::read("t.csv", "t", text).expect("no mistake")];
    let first = render(&view, &(&results).into()).expect("rendered");
    for name in ["published-t", "deltas-low-50-m", "sizes-a", "sizes-b", "ranks-low-50-m"] {
        let file = format!("tables/{name}.tex");
        assert!(first.files.iter().any(|other| other.path == file), "{file}");
    }
    results.runs.reverse();
    results.metrics.reverse();
    assert!(first == render(&view, &(&results).into()).expect("rendered"));
    view.asked = Asked::default();
    let plain = render(&view, &(&results).into()).expect("rendered");
    assert!(!plain.files.iter().any(|file| file.path.contains("deltas")));
}

#[test]
fn no_name_breaks_the_page() {
    let (view, results) = hostile();
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = without_scripts(text(&report, "index.html"));
    assert!(!page.contains("<script"), "a name became an element");
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("日本語"));
    for file in &report.files {
        assert!(!file.path.contains("..") && file.path.is_ascii(), "{}", file.path);
    }
    assert!(report.warnings.iter().any(|w| w.contains("\u{10fffd}")), "{:?}", report.warnings);
}

#[test]
fn a_part_of_a_grid_is_called_one() {
    let (mut view, results) = synthetic::grid();
    let all = view.jobs.len();
    assert!(
        !text(&render(&view, &(&results).into()).expect("rendered"), "index.html")
            .contains("a part of")
    );
    for job in view.jobs.iter_mut().filter(|job| job.point.method != "original") {
        job.shown = job.point.method == "scr";
    }
    let shown = view.jobs.iter().filter(|job| job.shown).count();
    let report = render(&view, &(&results).into()).expect("rendered");
    let told = format!("This is a part of the grid: {shown} of {all} jobs are selected.");
    assert!(text(&report, "index.html").contains(&told));
    let models: std::collections::BTreeSet<_> =
        view.jobs.iter().map(|job| job.point.model.clone()).collect();
    let axes = format!("{} × 2<", models.len());
    assert!(text(&report, "index.html").contains(&axes), "{axes}");
    assert!(
        report.warnings.iter().any(|w| w.contains(&format!("{shown} of the grid's {all} jobs")))
    );
}

#[test]
fn a_selection_without_the_baseline_is_counted_with_it_everywhere() {
    let (mut view, results) = synthetic::grid();
    let all = view.jobs.len();
    view.jobs.iter_mut().for_each(|job| job.shown = job.point.method == "scr");
    let shown = view.jobs.iter().filter(|job| job.shown).count();
    let beside = view.shown_jobs().count() - shown;
    assert!(beside > 0);
    let page = render(&view, &(&results).into()).expect("rendered");
    let page = text(&page, "index.html");
    let told = format!(
        "{shown} of {all} jobs are selected and shown beside {beside} jobs of the baseline."
    );
    assert!(page.contains(&told), "{told}");
    let models: std::collections::BTreeSet<_> =
        view.jobs.iter().map(|job| job.point.model.clone()).collect();
    assert!(page.contains(&format!("{} × 2<", models.len())), "scr and the baseline");
}

#[test]
fn a_baseline_that_finds_nothing_is_remarked_on() {
    let (view, mut results) = synthetic::grid();
    let told = "original has a macro-F1 of 0 in every seed";
    assert!(
        !text(&render(&view, &(&results).into()).expect("rendered"), "index.html").contains(told)
    );
    let original: Vec<JobKey> = (view.jobs.iter())
        .filter(|job| job.point.method == "original")
        .map(|job| job.key.clone())
        .collect();
    for row in results.metrics.iter_mut().filter(|row| original.contains(&row.job)) {
        (row.precision, row.recall, row.f1) = (0.0, 0.0, 0.0);
    }
    assert!(
        text(&render(&view, &(&results).into()).expect("rendered"), "index.html").contains(told)
    );
}

#[test]
fn a_published_table_of_other_jobs_is_warned_of_and_not_shown() {
    let (mut view, results) = synthetic::grid();
    let lines = "# title: T\ncorpus,scenario,model,method,metric,value\nconll2003,full,bert,sc,macro_f1,40\n";
    view.asked.published = vec![published::read("t.csv", "t", lines).expect("no mistake")];
    let report = render(&view, &(&results).into()).expect("rendered");
    assert!(!report.files.iter().any(|file| file.path.contains("published-t")));
    let told =
        "`t` is of a corpus, scenario, model and method of this grid, as conll2003/full/bert/sc";
    assert!(report.warnings.iter().any(|w| w.contains(told)), "{:?}", report.warnings);
    let beyond = lines.replace(",40", ",141.2");
    let mistake = published::read("t.csv", "t", &beyond).expect_err("more than all");
    assert!(format!("{mistake:?}").contains("is no percentage"), "{mistake:?}");
}

#[test]
fn the_page_asks_for_nothing_and_runs_its_own_script_alone() {
    let (view, results) = synthetic::grid();
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = text(&report, "index.html");
    assert!(
        page.contains(
            "Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
        )
    );
    // The one link keeps browsers from asking a server for an icon.
    let page = without_scripts(page).replace("<link rel=\"icon\" href=\"data:,\">", "");
    for forbidden in ["<script", "<link", "src=", "url(", "@import", "<iframe"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let addresses = page.matches("http").count();
    let namespaces = page.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(addresses, namespaces + page.matches("http-equiv").count());
}

#[test]
fn every_element_of_the_page_is_closed() {
    let (view, results) = hostile();
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = without_scripts(text(&report, "index.html"));
    for element in
        ["section", "table", "figure", "svg", "ul", "li", "dl", "main", "p", "td", "tr", "sup"]
    {
        let opened = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
    }
}

#[test]
fn a_grid_without_results_or_baseline_still_has_a_page() {
    let (mut view, results) = synthetic::grid();
    let empty = render(&view, &(&Results::default()).into()).expect("rendered");
    assert!(text(&empty, "index.html").contains("60 jobs not run yet"));
    assert!(text(&empty, "tables/macro-f1-synthetic-full.md").contains("*not run*"));
    view.baseline = None;
    let unpaired = render(&view, &(&results).into()).expect("rendered");
    assert!(!unpaired.files.iter().any(|file| file.path.contains("comparisons")));
    view.jobs.clear();
    assert_eq!(
        render(&view, &(&results).into()).expect("rendered").files.len(),
        2,
        "page and jobs"
    );
}

#[test]
fn pairs_that_the_grid_names_have_their_table() {
    let (mut view, results) = synthetic::grid();
    let plain = render(&view, &(&results).into()).expect("rendered");
    assert!(!plain.files.iter().any(|file| file.path.contains("pairs")));
    let read = |text| {
        Contender::read(text, &["shallow-softmax", "bilstm-softmax"], &["scr", "original"]).unwrap()
    };
    view.asked.pairs = vec![["bilstm-softmax/scr", "shallow-softmax/original"].map(read)];
    let report = render(&view, &(&results).into()).expect("rendered");
    let table = text(&report, "tables/pairs-synthetic-full.md");
    assert!(table.contains("| bilstm-softmax | scr | shallow-softmax | original |"), "{table}");
    assert!(table.contains("the named pairs of all models together"), "{table}");
    let csv = text(&report, "tables/pairs-synthetic-full.csv");
    assert!(csv.lines().next().is_some_and(|head| head.ends_with(",against_model")), "{csv}");
    let page = text(&report, "index.html");
    assert!(page.contains("Pairs of models and methods: synthetic"));
    let forest = text(&report, "figures/forest-pairs-synthetic-full.svg");
    assert!(forest.contains("bilstm-softmax/scr against shallow-softmax/original"), "{forest}");
    let tests = |report: &Report| text(report, "tables/comparisons-synthetic-full.md").to_owned();
    assert_eq!(tests(&plain), tests(&report), "what is asked changes no other family");
}

#[test]
fn planned_looks_at_named_pairs_are_in_the_table_of_looks() {
    let (mut view, results) = synthetic::grid();
    view.stopping = Some(Stopping { looks: vec![3, 5], spending: Spending::Pocock });
    let names = ["bilstm-softmax/scr", "shallow-softmax/original"];
    let read =
        |text| Contender::read(text, &[&text[..text.find('/').unwrap()]], &["scr", "original"]);
    view.asked.pairs = vec![names.map(|text| read(text).unwrap())];
    let report = render(&view, &(&results).into()).expect("rendered");
    let looks = text(&report, "tables/planned-looks.csv");
    assert!(looks.contains("bilstm-softmax,scr,shallow-softmax/original,"), "{looks}");
}

#[test]
fn failures_are_told_and_counted() {
    let (view, mut results) = synthetic::grid();
    results.runs[8].status = Status::Failed;
    results.runs[8].failure = Some("ran longer than its limit of 2h".to_owned());
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = text(&report, "index.html");
    assert!(page.contains("1 failed job"));
    assert!(page.contains("ran longer than its limit of 2h"));
    assert!(page.contains("59 / 60"));
    assert!(text(&report, "tables/macro-f1-synthetic-full.md").contains("(n = 4)"));
}

#[test]
fn another_headline_changes_tables_and_figure() {
    let (mut view, results) = synthetic::grid();
    view.metric = Metric::TokenMacroF1;
    let report = render(&view, &(&results).into()).expect("rendered");
    assert!(report.files.iter().any(|f| f.path == "tables/token-macro-f1-synthetic-full.md"));
    assert!(text(&report, "figures/displacement-synthetic-full.svg").contains("token macro"));
}

#[test]
fn types_are_folded_under_their_model_and_have_files() {
    let types = [("<script>", 9), ("a_b & c %", 70)];
    let models = ["shallow", "<b>bert</b>"];
    let (view, mut results) = synthetic::typed(&["original", "sc"], &models, &types);
    results.runs.iter_mut().for_each(|run| run.sentence_factor = Some(2.5));
    let report = render(&view, &(&results).into()).expect("rendered");
    let page = without_scripts(text(&report, "index.html"));
    assert_eq!(page.matches("<details id=\"types-0-").count(), 2);
    assert!(page.contains("<summary>&lt;b&gt;bert&lt;/b&gt;</summary>"));
    assert!(!page.contains("<script"));
    for element in ["details", "summary", "section", "table", "h4", "span", "th", "td", "tr"] {
        let opened = page.matches(&format!("<{element}>")).count()
            + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
    }
    for name in [
        "types-synthetic-full-shallow",
        "types-synthetic-full-b-bert-b",
        "token-classes-synthetic-full-shallow",
        "size-factors",
    ] {
        for ending in ["md", "tex", "csv"] {
            assert!(!text(&report, &format!("tables/{name}.{ending}")).is_empty());
        }
        assert!(page.contains(&format!("tables/{name}.md")), "{name}");
    }
    results.runs.iter_mut().for_each(|run| run.version = "mock-1".to_owned());
    let invented = render(&view, &(&results).into()).expect("rendered");
    for name in ["types-synthetic-full-shallow", "size-factors"] {
        assert!(text(&invented, &format!("tables/{name}.md")).contains(INVENTED), "{name}");
    }
}

#[test]
fn a_selection_of_types_leaves_out_blocks_and_keeps_numbers() {
    let (view, results) = synthetic::typed(&["original", "sc", "scr"], &["m"], &[("A", 9)]);
    let path = "tables/types-synthetic-full-m.csv";
    let whole = render(&view, &(&results).into()).expect("rendered");
    let view = synthetic::showing(view, |point| point.method == "scr");
    let report = render(&view, &(&results).into()).expect("rendered");
    let lines: Vec<&str> = text(&report, path).lines().collect();
    assert_eq!(lines.len(), 3, "a header, A and the mean of scr");
    assert!(lines.iter().all(|line| text(&whole, path).contains(line)), "no number changes");
}

#[test]
fn a_selection_leaves_out_rows_and_keeps_colours() {
    let (view, results) = synthetic::grid();
    let whole = render(&view, &(&results).into()).expect("rendered");
    let view = synthetic::showing(view, |point| {
        point.method == "focal" && point.model == "bilstm-softmax"
    });
    let report = render(&view, &(&results).into()).expect("rendered");
    let path = "tables/comparisons-synthetic-full.csv";
    let lines: Vec<&str> = text(&report, path).lines().collect();
    assert_eq!(lines.len(), 2, "a header and focal");
    assert!(lines.iter().all(|line| text(&whole, path).contains(line)), "no number changes");
    let table = text(&report, "tables/macro-f1-synthetic-full.md");
    assert!(table.contains("focal") && table.contains("original") && !table.contains("scrd"));
    assert!(!table.contains("shallow") && table.contains("not shown here"));
    let figure = text(&report, "figures/displacement-synthetic-full.svg");
    assert!(figure.contains("focal") && !figure.contains("scrd") && !figure.contains("shallow"));
    let page = text(&report, "index.html");
    assert!(page.contains("10 / 10") && !page.contains("scrd"), "{page}");
    assert_eq!(view.look("focal"), Some(4));
}

#[test]
fn keys_that_the_grid_does_not_ask_for_are_left_out_of_the_provenance() {
    let (view, mut results) = synthetic::grid();
    let mut stray = results.runs[0].clone();
    stray.job = JobKey("stray".to_owned());
    stray.backend = "abacus".to_owned();
    results.runs.push(stray);
    let report = render(&view, &(&results).into()).expect("rendered");
    assert!(!text(&report, "index.html").contains("abacus"));
}

mod speed;
