//! `assay bench`: figures for every interface, what is left out and why, and nothing left behind.

use crate::test_installation::{TestInstallation, text};
use serde_json::Value;
use std::process::Output;

/// Runs the command in a short form, with a temporary folder of its own, which must be empty afterwards.
fn bench(place: &TestInstallation, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let temporary = tempfile::tempdir().unwrap();
    let arguments = [&["bench", "--seconds", "1", "--faces", "1000"], arguments].concat();
    let output = place
        .command(&arguments)
        .env("TMPDIR", temporary.path())
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    // The ONNX Runtime has files of its own there.
    let entries = std::fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = entries.filter(|name| name.to_string_lossy().starts_with("assay-bench-")).collect();
    assert!(left.is_empty(), "nothing is left behind: {left:?}");
    output
}

fn measured(output: &Output) -> Value {
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_interface_has_a_figure_on_sqlite() {
    let place = TestInstallation::new();
    let parts = ["calls", "images", "proofs", "documents", "ages", "moderation", "faces", "storage"];
    let only: Vec<_> = parts.iter().flat_map(|part| ["--only", part]).collect();
    let report = measured(&bench(&place, &[&["--json"], only.as_slice()].concat(), &[]));
    assert_eq!(report["left_out"], Value::Array(Vec::new()), "{report}");
    let rows = report["rows"].as_array().unwrap();
    for interface in [
        "image analysis",
        "proof of age",
        "document verification",
        "age verification",
        "content moderation",
        "what all share",
    ] {
        assert!(rows.iter().any(|row| row["interface"] == interface), "{interface}: {report}");
    }
    assert!(rows.iter().all(|row| row["value"].as_f64().is_some_and(|value| value > 0.0)), "{report}");
    let machine = &report["machine"];
    assert!(machine["cores"].as_u64() > Some(0) && machine["load"].is_number(), "{machine}");
    assert!(["avx512", "avx2", "neon", "scalar"].iter().any(|simd| machine["simd"] == *simd), "{machine}");
    assert!(report["models"].as_array().unwrap().len() > 2 && report["workers"].as_u64() > Some(0));
    assert_eq!((&report["database"], report["server_megabytes"].is_number()), (&"SQLite".into(), true));
    assert!(!place.path("assay.db").exists(), "the installation is not touched");
}

#[test]
fn what_is_missing_is_said_and_the_rest_is_measured_on_sqlite() {
    let place = TestInstallation::new();
    let no_models = [("ASSAY__MODELS__FOLDER", "/nowhere")];
    let output = bench(&place, &["--only", "faces", "--only", "proofs"], &no_models);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}");
    assert!(
        table.contains("no models") && table.contains("left out: faces: no models in /nowhere"),
        "{table}"
    );
    assert!(table.contains("codes of an issuer verified") && table.contains("the load is"), "{table}");
    assert!(table.contains("SLOW BUILD") == cfg!(debug_assertions), "{table}");

    // No program can be found: no ffmpeg.
    let output = bench(&place, &["--only", "video", "--json"], &[("PATH", "/nowhere")]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["left_out"][0]["why"].as_str().unwrap().contains("apt-get install ffmpeg"), "{report}");
    assert!(text(&output.stderr).contains("nothing could be measured"), "{}", text(&output.stderr));

    let output = bench(&place, &["--postgres", "postgres://nobody@127.0.0.1:1/nothing"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no schema can be created"), "{}", text(&output.stderr));
}

/// On whichever server the run is for; without one there is nothing to see.
#[test]
fn a_schema_of_its_own_is_measured_and_dropped() {
    let Ok(server) = std::env::var("ASSAY_TEST_POSTGRES_URL") else { return };
    let place = TestInstallation::new();
    let output =
        bench(&place, &["--json", "--postgres", &server, "--only", "storage", "--only", "calls"], &[]);
    let report = measured(&output);
    assert_eq!(report["database"], "PostgreSQL");
    assert!(report["rows"].as_array().unwrap().len() >= 4, "{report}");
    let schemas = std::process::Command::new("psql")
        .args([&server, "-Atc", "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'assay_bench_%'"])
        .output()
        .unwrap();
    assert_eq!(text(&schemas.stdout).trim(), "0", "{}", text(&schemas.stderr));
}
