use super::*;
use clap::Parser as _;
use spec::Provenance;

fn common(folder: &std::path::Path) -> Common {
    Common::parse_from(["tailgrid", "--corpora", &folder.display().to_string()])
}

fn by_hand(name: &str) -> Offer {
    let origin = Origin::ByHand { restricted: true, advice: "ask its authors".to_owned() };
    let source = "https://example.org".to_owned();
    Offer {
        kind: Kind::Corpus,
        name: name.to_owned(),
        help: "a corpus".to_owned(),
        provenance: Provenance { licence: "theirs".to_owned(), source, origin },
        folder: "data/it".into(),
        files: vec!["data/it/train".into(), "data/it/test".into()],
    }
}

#[test]
fn the_list_has_every_name_of_the_catalogue_and_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let common = common(folder.path());
    let offers = offers::offers(&common).unwrap();
    let text = listing(&offers, &common);
    for offer in &offers {
        assert!(text.contains(&format!("  {} ", offer.name)), "{}", offer.name);
        assert!(text.contains(&offer.provenance.licence), "{}", offer.name);
    }
    assert!(text.starts_with(&format!("Corpora, in {}/<name>/\n", folder.path().display())));
    assert!(text.contains("tailgrid/checkpoints/<name>/"), "{text}");
    let wnut = text.lines().find(|line| line.starts_with("  wnut17 ")).unwrap();
    assert!(wnut.contains("to fetch      782.2 KiB"), "{wnut}");
}

#[test]
fn an_unknown_name_stops_everything_with_the_nearest_one() {
    let offers = [by_hand("conll2003"), by_hand("wnut17")];
    let error = chosen(&offers, &["wnut17".into(), "conl2003".into()]).unwrap_err();
    assert_eq!(error.exit, Exit::Invalid);
    assert!(error.message.contains("did you mean `conll2003`?"), "{}", error.message);
    let twice = ["wnut17", "conll2003", "wnut17"].map(str::to_owned);
    let names: Vec<&str> =
        chosen(&offers, &twice).unwrap().into_iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["wnut17", "conll2003"], "each once, in the order given");
}

#[test]
fn what_is_for_the_user_to_bring_is_said_with_whom_and_where() {
    let offer = by_hand("conll2003");
    let outcome = fetch(&offer, &Options::default(), &mut |_| {});
    let text = outcome.text().unwrap_err();
    assert_eq!(
        text,
        "conll2003 cannot be fetched\n  ask its authors\n  put train and test into data/it\n  \
         its page: https://example.org"
    );
    let json = outcome.json();
    assert_eq!((&json["state"], &json["restricted"]), (&json!("by-hand"), &json!(true)));
}

#[test]
fn the_exit_code_tells_what_to_do_next() {
    let offer = by_hand("it");
    let of = |states: Vec<State>| {
        let outcome = |state| Outcome { offer: &offer, state, seconds: 0.0 };
        outcome::exit(&states.into_iter().map(outcome).collect::<Vec<_>>())
    };
    let by_hand = || State::ByHand { advice: String::new() };
    let in_use = || State::Failed(FetchError::InUse { folder: "a".into() });
    let failed = || State::Failed(FetchError::Redirects { url: "a".into() });
    assert_eq!(of(vec![State::There, State::BuiltIn, State::Unchecked]), Exit::Done);
    assert_eq!(of(vec![State::There, by_hand()]), Exit::Invalid);
    assert_eq!(of(vec![by_hand(), failed(), State::There]), Exit::SomeFailed);
    assert_eq!(of(vec![by_hand(), in_use()]), Exit::InUse);
    assert_eq!(of(vec![failed(), in_use()]), Exit::SomeFailed);
}
