//! `assay evaluate`: the operator's own table.

use crate::place::Place;
use serde_json::Value;
use std::fmt::Write as _;

/// Writes the cut-out faces and a file of labels.
fn labelled(place: &Place, columns: &str, label: impl Fn(usize) -> String) -> String {
    let mut rows = columns.to_owned();
    for (number, face) in testkit::faces().iter().enumerate() {
        let name = format!("{number}.jpg");
        std::fs::write(place.path(&name), domain::estimate::sample::jpeg(face, 96)).unwrap();
        write!(rows, "\n{name},{}", label(number)).unwrap();
    }
    let file = place.path("labels.csv");
    std::fs::write(&file, rows).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn ages_are_held_against_labels() {
    let place = Place::new();
    let labels = labelled(&place, "path,age,light", |number| {
        format!("{},{}", 25 + number, if number % 2 == 0 { "day" } else { "lamp" })
    });
    let json = place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let faces = testkit::faces().len();
    assert_eq!(report["images"], faces);
    assert!(report["faces_found"].as_u64().unwrap() as usize > faces / 2, "{report}");
    let (mae, bias) = (report["mae"].as_f64().unwrap(), report["bias"].as_f64().unwrap());
    assert!((0.1..25.0).contains(&mae) && bias.abs() <= mae + 0.01, "{report}");
    let columns: Vec<_> = report["groups"].as_array().unwrap().iter().map(|group| &group["column"]).collect();
    assert!(columns.contains(&&"light".into()) && columns.contains(&&"age band".into()), "{report}");
    let table = place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed"]);
    assert!(table.contains("bias"), "{table}");
}

#[test]
fn liveness_is_stated_in_the_terms_of_the_field() {
    let place = Place::new();
    let labels =
        labelled(&place, "path,label", |number| if number == 0 { "fake" } else { "real" }.to_owned());
    let json = place.ask(&["evaluate", "antispoofing", "--labels", &labels, "--relaxed", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    for figure in ["apcer", "bpcer", "eer", "apcer_at_bpcer_10"] {
        assert!((0.0..=1.0).contains(&report[figure].as_f64().unwrap()), "{figure}: {report}");
    }
}
