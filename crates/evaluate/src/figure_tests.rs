//! The figures that `--figures` writes: files that are whole, small and always the same, under the names that the documents
//! show.

use crate::{age, antispoofing, html_report::HtmlReport, matching, robustness};
use quick_xml::events::Event;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// Most bytes of a figure, and of all figures of the documents: they are read on phones, and stay in the repository.
const MAX_FIGURE_BYTES: usize = 60_000;
const MAX_BYTES_OF_ALL_FIGURES: usize = 1_000_000;

/// Drawn once for all tests: the intervals in them take seconds.
static FIGURES: LazyLock<BTreeMap<String, String>> = LazyLock::new(synthetic_figures);

/// The figures of one evaluation of each kind, with the columns that the documents' sets have.
fn synthetic_figures() -> BTreeMap<String, String> {
    let reports = [
        age::synthetic_report(25),
        age::synthetic_report(50),
        antispoofing::synthetic_report(),
        matching::synthetic_report(),
        robustness::synthetic_report(),
    ];
    reports.iter().flat_map(HtmlReport::written_figures).collect()
}

/// Refuses a figure that is no whole SVG file, has no words, loads something, or is large.
fn check_figure(name: &str, svg: &str) {
    assert!(svg.len() <= MAX_FIGURE_BYTES, "{name} has {} bytes", svg.len());
    let mut reader = quick_xml::Reader::from_str(svg);
    let (mut open, mut elements) = (Vec::new(), BTreeMap::<String, usize>::new());
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{name} is not XML: {error}")) {
            Event::Start(start) => {
                let element = String::from_utf8(start.name().as_ref().to_vec()).unwrap();
                *elements.entry(element.clone()).or_default() += 1;
                for attribute in start.attributes() {
                    attribute.unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                open.push(element);
            }
            // The reader itself holds an end against its start.
            Event::End(_) => assert!(open.pop().is_some(), "{name}"),
            Event::Empty(empty) => {
                for attribute in empty.attributes() {
                    attribute.unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                let element = String::from_utf8(empty.name().as_ref().to_vec()).unwrap();
                *elements.entry(element).or_default() += 1;
            }
            Event::Text(text) => {
                let text = String::from_utf8(text.into_inner().into_owned()).unwrap();
                assert!(
                    !text.contains("NaN") && !text.contains("inf"),
                    "{name} has a figure without a value: {text}"
                );
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "{name} ends within {open:?}");
    assert_eq!((elements.get("title"), elements.get("desc")), (Some(&1), Some(&1)), "{name} has words once");
    for other in ["image", "script", "foreignObject", "a", "style", "use"] {
        assert!(!elements.contains_key(other), "{name} has <{other}>");
    }
}

#[test]
fn every_figure_is_a_whole_file_with_words_and_always_the_same() {
    let figures = &*FIGURES;
    for (name, svg) in figures {
        assert_eq!(Path::new(name).extension().and_then(|end| end.to_str()), Some("svg"));
        check_figure(name, svg);
    }
    assert_eq!(*figures, synthetic_figures());
    for name in [
        "age-estimate-by-true-age.svg",
        "age-interval-coverage.svg",
        "age-passes-at-25-by-sex.svg",
        "age-refused-at-18-by-ethnicity.svg",
        "liveness-det.svg",
        "liveness-det-by-species.svg",
        "liveness-apcer-by-species.svg",
        "matching-det-by-ethnicity.svg",
        "matching-fmr-at-stated-rates-by-sex.svg",
        "robustness-blur-age.svg",
    ] {
        assert!(figures.contains_key(name), "{name}: {:?}", figures.keys());
    }
    assert!(!figures.contains_key("age-scatter.svg"), "each dot of it is somebody");
}

fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// What the names of figures of a set begin with that is not the only one of its kind, as `scripts/figures.sh` names them.
const FURTHER_SETS: [&str; 1] = ["fairface-"];

/// Names of the figures that the page on accuracy shows.
fn shown_figures() -> BTreeSet<String> {
    let page = std::fs::read_to_string(documents().join("ACCURACY.md")).unwrap();
    let shown =
        page.split("](figures/").skip(1).map(|rest| rest.split(')').next().unwrap_or_default().to_owned());
    shown.collect()
}

#[test]
fn the_documents_show_figures_that_an_evaluation_draws() {
    let (shown, drawn) = (shown_figures(), &*FIGURES);
    assert!(!shown.is_empty());
    let known = |name: &str| {
        let own = FURTHER_SETS.iter().find_map(|set| name.strip_prefix(set)).unwrap_or(name);
        drawn.contains_key(own)
    };
    let unknown: Vec<&String> = shown.iter().filter(|name| !known(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?} are not among {:?}", drawn.keys());
    let page = std::fs::read_to_string(documents().join("ACCURACY.md")).unwrap();
    assert!(!page.contains("![]("), "a figure without words");
}

#[test]
fn figures_of_the_documents_are_whole_small_and_shown() {
    let Ok(folder) = std::fs::read_dir(documents().join("figures")) else { return };
    let shown = shown_figures();
    let (mut bytes, mut found) = (0, BTreeSet::new());
    for entry in folder.map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        let svg = std::fs::read_to_string(&entry).unwrap();
        check_figure(&name, &svg);
        bytes += svg.len();
        assert!(shown.contains(&name), "docs/figures/{name} is not shown in docs/ACCURACY.md");
        found.insert(name);
    }
    assert!(bytes <= MAX_BYTES_OF_ALL_FIGURES, "all figures have {bytes} bytes");
    // Whoever draws some figures of a set draws all of them.
    let set = |name: &str| name.split('-').next().map(str::to_owned);
    let drawn: BTreeSet<_> = found.iter().map(|name| set(name)).collect();
    let missing: Vec<_> = shown.difference(&found).filter(|name| drawn.contains(&set(name))).collect();
    assert!(missing.is_empty(), "{missing:?} are shown and not drawn: make figures DATA=…");
}
