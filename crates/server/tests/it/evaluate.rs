//! `assay evaluate`: the operator's own table.

use crate::test_installation::TestInstallation;
use base::PictureSize;
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Write as _};
use testkit::{edits, media_fixtures::png};

/// Writes the cut-out faces and a file of labels.
fn labelled(place: &TestInstallation, columns: &str, label: impl Fn(usize) -> String) -> String {
    let mut rows = columns.to_owned();
    for (number, face) in testkit::face_pictures().iter().enumerate() {
        let name = format!("{number}.jpg");
        std::fs::write(place.path(&name), domain::image_analysis::sample_faces::encode_jpeg(face, 96))
            .unwrap();
        write!(rows, "\n{name},{}", label(number)).unwrap();
    }
    let file = place.path("labels.csv");
    std::fs::write(&file, rows).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn ages_are_held_against_labels() {
    let place = TestInstallation::new();
    let labels = labelled(&place, "path,age,light", |number| {
        format!("{},{}", 25 + number, if number % 2 == 0 { "day" } else { "lamp" })
    });
    let json = place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let faces = testkit::face_pictures().len();
    assert_eq!(report["images"], faces);
    assert!(report["faces_found"].as_u64().unwrap() as usize > faces / 2, "{report}");
    let (mae, bias) = (report["mae"].as_f64().unwrap(), report["bias"].as_f64().unwrap());
    assert!((0.1..25.0).contains(&mae) && bias.abs() <= mae + 0.01, "{report}");
    let columns: Vec<_> = report["groups"].as_array().unwrap().iter().map(|group| &group["column"]).collect();
    assert!(columns.contains(&&"light".into()) && columns.contains(&&"age band".into()), "{report}");
    // Wider intervals hold more people, and the buffer refuses more than the bare threshold.
    let rate = |of: &Value| of["rate"].as_f64().unwrap();
    let held: Vec<f64> =
        report["coverage"].as_array().unwrap().iter().map(|at| rate(&at["measured"])).collect();
    assert!(held.len() == 3 && held.is_sorted(), "{held:?}");
    let at = &report["threshold"];
    let buffered = &at["buffered"];
    assert!(rate(&buffered["refused_adults"]) >= rate(&at["false_negative_rate"]), "{at}");
    let of =
        |list: &Value| -> u64 { list.as_array().unwrap().iter().map(|at| at["n"].as_u64().unwrap()).sum() };
    assert_eq!(of(&at["probability"]["bins"]), report["faces_found"].as_u64().unwrap());
    assert_eq!(of(&buffered["refused_by_years_above"]), report["faces_found"].as_u64().unwrap());

    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut unwritten = place.command(&["evaluate", "age", "--labels", &labels, "--relaxed", "--json"]);
    let output = unwritten.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "a report that cannot be written is a failure");
}

#[test]
fn ages_are_told_by_group_with_the_worst_and_how_far_they_lie_apart() {
    let place = TestInstallation::new();
    let labels = labelled(&place, "path,age,light,room", |number| {
        format!("{},{},{}", 30, ["day", "lamp"][number % 2], ["hall", "lift"][number / 2 % 2])
    });
    twice(&labels);
    let json =
        place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed", "--json", "--groups", "light"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let [column] = report["groups"].as_array().unwrap().as_slice() else { panic!("{report}") };
    let groups = column["groups"].as_array().unwrap();
    assert_eq!(groups.iter().map(|group| &group["value"]).collect::<Vec<_>>(), ["day", "lamp"]);
    let [day, lamp] = [0, 1].map(|at: usize| groups[at]["mae"].as_f64().unwrap());
    let compared = &column["compared"]["mae"];
    assert_eq!(compared["worst"], if day > lamp { "day" } else { "lamp" });
    assert!((compared["spread"].as_f64().unwrap() - (day - lamp).abs()).abs() < 0.002, "{column}");
    assert!((0.0..=1.0).contains(&compared["by_chance"].as_f64().unwrap()), "{column}");

    let markdown =
        place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed", "--markdown", "--groups", "light"]);
    assert!(markdown.contains("\n| light | n | MAE, years |"), "{markdown}");
    assert!(markdown.contains("\n| lamp | ") && markdown.contains("\n- MAE, years: worst "), "{markdown}");
    assert!(!markdown.contains("hall"), "{markdown}");

    let output = place.run(&["evaluate", "age", "--labels", &labels, "--groups", "hair"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("no column `hair`"), "{text}");
    assert!(text.contains("light, room"), "what there is: {text}");
}

#[test]
fn harms_move_the_age_and_the_gate_refuses_the_worst() {
    let place = TestInstallation::new();
    let folder = place.path("people");
    std::fs::create_dir(&folder).unwrap();
    // Two that look into the camera.
    for number in [6, 8] {
        let face = domain::image_analysis::sample_faces::encode_jpeg(&testkit::face_pictures()[number], 96);
        std::fs::write(folder.join(format!("{number}.jpg")), face).unwrap();
    }
    std::fs::write(folder.join("notes.txt"), "no picture").unwrap();
    let folder = folder.to_str().unwrap();
    let json = place.ask(&["evaluate", "robustness", folder, "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["pictures"], &report["faces_found"]), (&3.into(), &2.into()));
    assert_eq!(report["refused"]["no picture"], 1);
    assert_eq!(report["unharmed"]["moved_by"], 0.0);
    assert!(report["unharmed"].get("errors").is_none(), "no ages were told");
    let row = |harm: &str, at: usize| {
        let harms = report["harms"].as_array().unwrap();
        let found = harms.iter().find(|found| found["harm"] == harm);
        found.unwrap()["rows"].as_array().unwrap()[at].clone()
    };
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    // Each harm shows in what was measured of it.
    assert!(number(&row("blur", 3), "sharpness") < number(&report["unharmed"], "sharpness") / 2.0);
    assert!(number(&row("dark", 1), "luma") < number(&report["unharmed"], "luma") * 0.8);
    assert!(number(&row("noise", 3)["capture"], "noise") > number(&row("noise", 0)["capture"], "noise"));
    // Too dark, too small and covered are refused for what they are.
    assert_eq!(
        (&row("mask", 0)["refused"], &row("mask", 1)["refused"]),
        (&0.0.into(), &1.0.into()),
        "{report}"
    );
    assert_eq!(row("mask", 1)["reasons"]["Covered"], 2, "{report}");
    assert_eq!(row("dark", 4)["refused"], 1.0, "{report}");
    assert_eq!(row("dark", 4)["reasons"]["TooDark"], 2, "{report}");
    assert_eq!(row("small", 2)["refused"], 1.0, "{report}");

    std::fs::write(place.path("people/labels.csv"), "path,age\n6.jpg,40\n").unwrap();
    let markdown = place.ask(&["evaluate", "robustness", folder, "--markdown"]);
    assert!(markdown.contains("faces found   1 of 1"), "{markdown}");
    assert!(markdown.contains("\n| mask | 3 1 chin, 2 mouth, 3 nose | 1 | "), "{markdown}");
}

#[test]
fn liveness_is_stated_in_the_terms_of_the_field() {
    let place = TestInstallation::new();
    let labels =
        labelled(&place, "path,label", |number| if number == 0 { "fake" } else { "real" }.to_owned());
    let json = place.ask(&["evaluate", "antispoofing", "--labels", &labels, "--relaxed", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    for figure in ["apcer", "bpcer", "eer", "apcer_at_bpcer_10"] {
        assert!((0.0..=1.0).contains(&report[figure].as_f64().unwrap()), "{figure}: {report}");
    }
}

#[test]
fn liveness_is_told_by_group() {
    let place = TestInstallation::new();
    let labels = labelled(&place, "path,label,hour", |number| {
        format!("{},{}", if number % 5 == 0 { "fake" } else { "real" }, ["day", "night"][number % 2])
    });
    twice(&labels);
    let ask = |form: &str| {
        place.ask(&["evaluate", "antispoofing", "--labels", &labels, "--relaxed", form, "--groups", "hour"])
    };
    let report: Value = serde_json::from_str(&ask("--json")).unwrap();
    let groups = report["groups"][0]["groups"].as_array().unwrap();
    assert_eq!(groups.iter().map(|group| &group["value"]).collect::<Vec<_>>(), ["day", "night"]);
    // Both groups together are all faces.
    let sum = |name: &str| groups.iter().map(|group| group[name].as_f64().unwrap()).sum::<f64>();
    assert_eq!(
        (sum("n"), sum("attacks")),
        (report["faces_found"].as_f64().unwrap(), report["fake"].as_f64().unwrap())
    );
    let refused: f64 = groups
        .iter()
        .map(|group| {
            group["bpcer"].as_f64().unwrap()
                * (group["n"].as_f64().unwrap() - group["attacks"].as_f64().unwrap())
        })
        .sum();
    assert!((refused / report["real"].as_f64().unwrap() - report["bpcer"].as_f64().unwrap()).abs() < 0.002);
    assert!(report["groups"][0]["compared"]["bpcer"]["spread"].as_f64().is_some(), "{report}");
    assert!(ask("--markdown").contains("\n| hour | n | attacks | APCER |"));
}

/// The text of a report that people look at, of which it is shown that it needs nothing but itself.
fn report_file(path: &std::path::Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>"), "{text}");
    for outside in ["<script", "href=", "url(", "src=\"http", "@import"] {
        assert!(!text.contains(outside), "{outside} in {}", path.display());
    }
    // A picture's own letters may be any.
    let mut words = text.split("base64,").enumerate().map(|(part, after)| match after.find('"') {
        Some(end) if part > 0 => &after[end..],
        _ => after,
    });
    assert!(words.all(|words| !words.contains("NaN") && !words.contains("inf")), "a figure without a value");
    text
}

#[test]
fn reports_on_faces_are_files_that_people_look_at() {
    let place = TestInstallation::new();
    let file = place.path("report.html");
    let path = file.to_str().unwrap();

    let labels = labelled(&place, "path,age,light", |number| {
        format!("{},{}", 25 + number, if number % 2 == 0 { "day" } else { "lamp" })
    });
    twice(&labels);
    let table = place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed", "--html", path]);
    assert!(table.contains("MAE"), "the table is printed as well: {table}");
    let ages = report_file(&file);
    for part in [
        "<h1>Age estimation</h1>",
        "Stated intervals",
        "Brier score",
        "What a buffer costs",
        "By light",
        "lamp (n = ",
        "SHA-256 of the labels",
        "role=\"img\"",
    ] {
        assert!(ages.contains(part), "{part}: {ages}");
    }
    assert!(!ages.contains("<img"), "no picture of a person is in it");
    let output =
        place.run(&["evaluate", "age", "--labels", &labels, "--relaxed", "--html", "/nowhere/report.html"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("/nowhere/report.html cannot be written"), "{text}");

    let attacks = labelled(&place, "path,label,species", |number| {
        format!("{},{}", if number % 5 == 0 { "fake" } else { "real" }, ["print", "display"][number % 2])
    });
    twice(&attacks);
    place.ask(&["evaluate", "antispoofing", "--labels", &attacks, "--relaxed", "--json", "--html", path]);
    let attacks = report_file(&file);
    for part in ["detection error tradeoff (DET)", "APCER", "medium assurance", "By species"] {
        assert!(attacks.contains(part), "{part}: {attacks}");
    }

    let pairs = place.path("pairs.csv");
    std::fs::write(&pairs, paired(&place)).unwrap();
    place.ask(&["evaluate", "match", "--pairs", pairs.to_str().unwrap(), "--html", path]);
    let pairs = report_file(&file);
    for part in ["detection error tradeoff (DET)", "one person", "Stated FMR", "face-api-recognition"] {
        assert!(pairs.contains(part), "{part}: {pairs}");
    }
}

#[test]
fn figures_are_files_of_their_own_and_the_same_each_time() {
    let place = TestInstallation::new();
    let labels = labelled(&place, "path,age,light", |number| {
        format!("{},{}", 25 + number, if number % 2 == 0 { "day" } else { "lamp" })
    });
    twice(&labels);
    let drawn = |folder: &str| {
        let folder = place.path(folder);
        let path = folder.to_str().unwrap();
        place.ask(&["evaluate", "age", "--labels", &labels, "--relaxed", "--json", "--figures", path]);
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        files
            .map(|file| (file.file_name().unwrap().to_owned(), std::fs::read_to_string(&file).unwrap()))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let figures = drawn("figures/new");
    for name in ["age-interval-coverage.svg", "age-buffer-at-25.svg", "age-bias-by-light.svg"] {
        let svg = &figures[std::ffi::OsStr::new(name)];
        assert!(svg.starts_with("<svg ") && svg.contains("age-pair-1") && !svg.contains("<image"), "{svg}");
    }
    assert_eq!(figures, drawn("again"));

    // The labels are a file, so nothing can be written below them; nothing is measured before that is said.
    let below = format!("{labels}/figures");
    let output = place.run(&["evaluate", "age", "--labels", &labels, "--relaxed", "--figures", &below]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && text.contains(&format!("--figures {below}: no file can be")),
        "{text}"
    );
}

#[test]
fn strips_of_pictures_are_shown_to_those_who_ask_for_them() {
    let place = TestInstallation::new();
    let folder = place.path("people");
    std::fs::create_dir(&folder).unwrap();
    let face = domain::image_analysis::sample_faces::encode_jpeg(&testkit::face_pictures()[6], 96);
    std::fs::write(folder.join("6.jpg"), face).unwrap();
    let (folder, file) = (folder.to_str().unwrap(), place.path("report.html"));
    let path = file.to_str().unwrap();
    place.ask(&["evaluate", "robustness", folder, "--html", path]);
    let without = report_file(&file);
    assert!(without.contains("<h2>blur</h2>") && without.contains("TooDark"), "{without}");
    assert!(!without.contains("<img"), "no picture of a person is in it");
    place.ask(&["evaluate", "robustness", folder, "--html", path, "--pictures", "1"]);
    let with = report_file(&file);
    assert!(with.matches("<img src=\"data:image/jpeg;base64,").count() > 30, "each degree is shown");
    assert!(with.contains("alt=\"dark 3 % of the light: TooDark\""), "what became of each is said in words");
    let refused = place.run(&["evaluate", "robustness", folder, "--pictures", "1"]);
    assert!(!refused.status.success(), "there is no file for them");
}

/// The same labels twice over, so that there are enough of each group to be compared.
fn twice(labels: &str) {
    let rows = std::fs::read_to_string(labels).unwrap();
    let (_, again) = rows.split_once('\n').unwrap();
    std::fs::write(labels, format!("{rows}\n{again}")).unwrap();
}

/// Two takes of each cut-out (as it is, and smaller, cropped and encoded worse), all pairs of them.
fn paired(place: &TestInstallation) -> String {
    let faces = testkit::face_pictures();
    for (number, face) in faces.iter().enumerate() {
        std::fs::write(place.path(&format!("{number}-a.png")), png(face)).unwrap();
        let size = PictureSize { width: face.width() - 120, height: face.height() - 90 };
        let part = edits::cropped(face, 60, 40, size);
        let small = edits::resized(&part, PictureSize { width: 360, height: 400 });
        std::fs::write(
            place.path(&format!("{number}-b.jpg")),
            domain::image_analysis::sample_faces::encode_jpeg(&small, 70),
        )
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
    let place = TestInstallation::new();
    let rows = paired(&place);
    // A picture without a face, and one that is none.
    let grey = base::Picture::new(300, 300, vec![128; 300 * 300 * 3]).unwrap();
    std::fs::write(place.path("empty.jpg"), domain::image_analysis::sample_faces::encode_jpeg(&grey, 90))
        .unwrap();
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
    let faces = testkit::face_pictures().len();
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
fn matching_is_told_by_group() {
    let place = TestInstallation::new();
    let rows = paired(&place);
    let mut grouped = String::new();
    for (number, row) in rows.lines().enumerate() {
        let group = if number == 0 { "door" } else { ["front", "back"][number / 7 % 2] };
        writeln!(grouped, "{row},{group}").unwrap();
    }
    let file = place.path("pairs.csv");
    std::fs::write(&file, grouped).unwrap();
    let file = file.to_str().unwrap();
    let json = place.ask(&["evaluate", "match", "--pairs", file, "--json", "--groups", "door"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let groups = report["groups"][0]["groups"].as_array().unwrap();
    let sum = |name: &str| groups.iter().map(|group| group[name].as_f64().unwrap()).sum::<f64>();
    assert_eq!(sum("genuine"), report["genuine"]["pairs"].as_f64().unwrap());
    assert_eq!(sum("impostor"), report["impostor"]["pairs"].as_f64().unwrap());
    for group in groups {
        let distance = |name: &str| group[name].as_f64().unwrap();
        assert!(distance("genuine_distance") < distance("impostor_distance"), "{group}");
    }
    assert!(report["groups"][0]["compared"]["fmr_at_1"]["worst"].is_string(), "{report}");
    let table = place.ask(&["evaluate", "match", "--pairs", file, "--groups", "door", "--markdown"]);
    assert!(table.contains("\n| door | n | one person | two people | FMR |"), "{table}");
}

#[test]
fn pairs_that_say_nothing_are_refused_with_what_is_missing() {
    let place = TestInstallation::new();
    let face = domain::image_analysis::sample_faces::encode_jpeg(&testkit::face_pictures()[0], 96);
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
