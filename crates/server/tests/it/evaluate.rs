//! `assay evaluate`: the operator's own table.

use crate::place::Place;
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Write as _};

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

/// Two takes of each cut-out (as it is, and smaller, cropped and encoded worse), all pairs of them.
fn paired(place: &Place) -> String {
    let faces = testkit::faces();
    for (number, face) in faces.iter().enumerate() {
        let take = image::RgbImage::from_raw(face.width(), face.height(), face.rgb().to_vec()).unwrap();
        take.save(place.path(&format!("{number}-a.png"))).unwrap();
        let part =
            image::imageops::crop_imm(&take, 60, 40, face.width() - 120, face.height() - 90).to_image();
        let small = image::imageops::resize(&part, 360, 400, image::imageops::FilterType::Triangle);
        let small = base::Picture::new(360, 400, small.into_raw()).unwrap();
        std::fs::write(place.path(&format!("{number}-b.jpg")), domain::estimate::sample::jpeg(&small, 70))
            .unwrap();
    }
    let mut rows = "a,b,same".to_owned();
    for one in 0..faces.len() {
        for other in 0..faces.len() {
            write!(rows, "\n{one}-a.png,{other}-b.jpg,{}", one == other).unwrap();
        }
    }
    rows
}

#[test]
fn matching_is_stated_as_a_curve() {
    let place = Place::new();
    let rows = paired(&place);
    // A picture without a face, and one that is none.
    let grey = base::Picture::new(300, 300, vec![128; 300 * 300 * 3]).unwrap();
    std::fs::write(place.path("empty.jpg"), domain::estimate::sample::jpeg(&grey, 90)).unwrap();
    std::fs::write(place.path("text.jpg"), "no picture").unwrap();
    let (file, curve) = (place.path("pairs.csv"), place.path("curve.json"));
    std::fs::write(&file, format!("{rows}\n0-a.png,empty.jpg,0\n0-a.png,text.jpg,1")).unwrap();
    let (file, curve) = (file.to_str().unwrap(), curve.to_str().unwrap());

    let table = place.ask(&["evaluate", "match", "--pairs", file, "--json", curve]);
    for word in
        ["EER", "AUC", "FMR", "FNMR", "TAR", "rule of three", "empty.jpg: no face was found", "text.jpg: "]
    {
        assert!(table.contains(word), "{word}: {table}");
    }
    let report: Value = serde_json::from_slice(&std::fs::read(curve).unwrap()).unwrap();
    let faces = testkit::faces().len();
    assert_eq!(report["model"], "face-api-recognition");
    assert_eq!(report["genuine"]["pairs"], faces);
    assert_eq!(report["impostor"]["pairs"], faces * (faces - 1));
    assert_eq!(report["failure_to_acquire"]["pictures"].as_object().unwrap().len(), 2);
    // Some people appear in several photos, so that a few of these "impostors" are none.
    assert!(report["auc"].as_f64().unwrap() > 0.9, "{report}");
    let (fmr, fnmr) = (&report["thresholds"][1]["fmr"], &report["thresholds"][1]["fnmr"]);
    assert_eq!(report["thresholds"][1]["distance"], 0.53);
    assert!(fnmr["rate"].as_f64().unwrap() < 0.2 && fmr["rate"].as_f64().unwrap() < 0.2, "{report}");
    assert!(fmr["low"].as_f64() <= fmr["rate"].as_f64() && fmr["rate"].as_f64() <= fmr["high"].as_f64());
    let told: BTreeSet<bool> =
        report["true_accept"].as_array().unwrap().iter().map(|at| at.get("tar").is_some()).collect();
    assert_eq!(told.into_iter().collect::<Vec<_>>(), [false, true], "some rates need more pairs than these");
    let rates: Vec<f64> =
        report["sweep"].as_array().unwrap().iter().map(|point| point["fmr"].as_f64().unwrap()).collect();
    assert!(rates.is_sorted() && rates.last() == Some(&1.0), "{rates:?}");

    // The same on standard output.
    let json = place.ask(&["evaluate", "match", "--pairs", file, "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), report);
}

#[test]
fn pairs_that_say_nothing_are_refused_with_what_is_missing() {
    let place = Place::new();
    let face = domain::estimate::sample::jpeg(&testkit::faces()[0], 96);
    std::fs::write(place.path("0.jpg"), face).unwrap();
    let refused = |rows: &str| {
        let file = place.path("pairs.csv");
        std::fs::write(&file, rows).unwrap();
        let output = place.run(&["evaluate", "match", "--pairs", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    for (rows, what) in [
        ("a,b\n0.jpg,0.jpg", "no column `same`"),
        ("a,b,same\n0.jpg,0.jpg,perhaps", "row 1: \"perhaps\" is neither 1 nor 0"),
        ("a,b,same\n0.jpg,0.jpg,1", "compared 1 and 0"),
        ("a,b,same\n0.jpg,1.jpg,1", "1.jpg cannot be read"),
        ("a,b,same", "compared 0 and 0"),
    ] {
        let text = refused(rows);
        assert!(text.contains(what), "{rows}: {text}");
    }
}
