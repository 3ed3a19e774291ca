//! `assay read-document` and `assay evaluate documents`.

use crate::test_installation::TestInstallation;
use serde_json::Value;
use std::path::PathBuf;
use testkit::specimens::{PhotoConditions, Specimen, SpecimenPage, photograph};

fn photo(place: &TestInstallation, name: &str, page: &SpecimenPage, seed: u64) -> PathBuf {
    let file = place.path(name);
    std::fs::write(&file, photograph(page, &PhotoConditions::clean(seed)).jpeg).unwrap();
    file
}

/// What it prints as JSON, and its exit code.
fn read(place: &TestInstallation, files: &[&PathBuf]) -> (Value, Option<i32>) {
    let mut arguments = vec!["read-document", "--json"];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = place.run(&arguments);
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), output.status.code())
}

#[test]
fn a_passport_is_read_with_everything_that_is_known_of_it() {
    let place = TestInstallation::new();
    let page = Specimen::passport().front();
    let file = photo(&place, "passport.jpg", &page, 4);
    let (read, code) = read(&place, &[&file]);
    assert_eq!(code, Some(0));
    assert_eq!(read["mrz"], serde_json::json!(page.mrz));
    assert_eq!(read["type"], "PASSPORT");
    let fields = read["fields"].as_array().unwrap();
    let of = |name: &str, source: &str| {
        let found = fields.iter().find(|field| field["name"] == name && field["source"] == source);
        found.map_or(Value::Null, |field| field["value"].clone())
    };
    assert_eq!(of("document_number", "mrz"), "L898902C3");
    assert_eq!(of("date_of_issue", "text"), "2021-03-15");
    let quality = read["quality"].as_array().unwrap();
    assert_eq!(quality.len(), documents::quality::PhotoFault::ALL.len());
    assert!(
        quality.iter().all(|measure| measure["ok"] == true && measure["value"].is_number()),
        "{quality:?}"
    );
    let measures = read["authenticity"].as_array().unwrap();
    let digits = measures.iter().find(|measure| measure["check"] == "mrz_check_digits").unwrap();
    assert_eq!((digits["value"].as_f64(), &digits["verdict"]), (Some(0.0), &"pass".into()));
    assert!(digits["limit"].is_string() && digits["reason"].is_string());

    let told = place.ask(&["read-document", file.to_str().unwrap()]);
    assert!(told.starts_with("Read a passport, issued by UTO.\n"), "{told}");
    assert!(told.contains(&page.mrz[1]) && told.contains("nothing is wrong with it"), "{told}");
}

#[test]
fn both_sides_of_a_licence_and_a_bill_as_a_file_are_read() {
    let place = TestInstallation::new();
    let licence = Specimen::driving_licence();
    let front = photo(&place, "front.jpg", &licence.front(), 21);
    let back = photo(&place, "back.jpg", &licence.back().unwrap(), 22);
    let (found, code) = read(&place, &[&front, &back]);
    assert_eq!(code, Some(0));
    assert_eq!(found["type"], "DRIVING_LICENCE");
    assert_eq!(found["mrz"], Value::Null);
    assert_eq!(found["barcodes"][0]["fields"]["DAQ"], "T64235789");
    assert_eq!(found["barcodes"][0]["side"], 1);

    let bill = place.path("bill.pdf");
    std::fs::write(&bill, Specimen::utility_bill().pdf().unwrap()).unwrap();
    let (found, code) = read(&place, &[&bill]);
    assert_eq!(code, Some(0), "{found}");
    let letter = &found["supplementary"];
    assert_eq!(letter["full_name"]["value"], "Anna Maria Exempel", "{letter}");
    assert_eq!(letter["structured_postal_address"]["value"]["postal_code"], "23269", "{letter}");
    assert!(letter["organisation"]["value"].is_string() && letter["date_of_issue"]["value"].is_object());
}

#[test]
fn what_is_no_document_ends_with_two_and_what_is_no_file_with_one() {
    let place = TestInstallation::new();
    let away = PhotoConditions { partial: 1.6, tilt: [0.0; 2], ..PhotoConditions::clean(7001) };
    let desk = place.path("desk.jpg");
    std::fs::write(&desk, photograph(&Specimen::passport().front(), &away).jpeg).unwrap();
    let (found, code) = read(&place, &[&desk]);
    assert_eq!((code, &found["document"]), (Some(2), &Value::Bool(false)));
    let broken = place.path("broken.pdf");
    std::fs::write(&broken, b"%PDF-1.7 and no more").unwrap();
    let output = place.run(&["read-document", broken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("broken.pdf: the PDF file cannot be read"), "{said}");
    assert_eq!(read(&place, &[&place.path("nowhere.jpg")]).1, Some(1));
}

#[test]
fn zones_are_held_against_labels() {
    let place = TestInstallation::new();
    let passport = Specimen::passport().front();
    let card = Specimen::identity_card().back().unwrap();
    photo(&place, "a.jpg", &passport, 4);
    photo(&place, "b.jpg", &card, 12);
    photo(&place, "c.jpg", &Specimen::driving_licence().front(), 21);
    // One letter of the label is wrong, as if the reader had read another.
    let wrong = card.mrz.join("|").replacen("EXEMPEL", "EXEMPAL", 1);
    let labels = place.path("labels.csv");
    std::fs::write(&labels, format!("path,mrz\na.jpg,{}\nb.jpg,{wrong}\nc.jpg,\n", passport.mrz.join("|")))
        .unwrap();
    let labels = labels.to_str().unwrap();
    let report: Value =
        serde_json::from_str(&place.ask(&["evaluate", "documents", "--labels", labels, "--json"])).unwrap();
    assert_eq!(report["documents"], 2);
    assert_eq!(report["exact_documents"], 0.5);
    assert_eq!((&report["lines"], &report["exact_lines"]), (&5.into(), &0.8.into()));
    assert_eq!(report["character_accuracy"], 0.9944, "one of 178");
    assert_eq!((&report["without"], &report["found_without"]), (&1.into(), &0.into()));
    let file = place.path("report.html");
    let table = place.ask(&[
        "evaluate",
        "documents",
        "--labels",
        labels,
        "--html",
        file.to_str().unwrap(),
        "--pictures",
        "2",
    ]);
    assert!(table.contains("exact documents      50.0 %"), "{table}");
    let shown = std::fs::read_to_string(file).unwrap();
    let at = |part: &str| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}"));
    assert!(at("b.jpg: misread") < at("a.jpg: as expected"), "what was misread comes first");
    assert_eq!(shown.matches("<polygon points=\"").count(), 2, "each page has a box around its zone");
}
