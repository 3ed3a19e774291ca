//! The bench's command line, on reports that were written before: nothing is measured here.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Writes a report of one row, of this median time beside a peer of 10 ms.
fn report(folder: &Path, name: &str, optimised: bool, milliseconds: f64) -> PathBuf {
    let figure = |value: f64| serde_json::json!({ "typical": value, "best": value, "unit": "ms" });
    let report = serde_json::json!({
        "machine": "a machine",
        "optimised": optimised,
        "rows": [{
            "name": "find the face",
            "ours": figure(milliseconds),
            "peer": { "name": "the net alone", "figure": figure(10.0) },
            "ratio": milliseconds / 10.0,
            "goal": null,
            "met": null,
        }],
    });
    let file = folder.join(name);
    std::fs::write(&file, report.to_string()).expect("the folder is writable");
    file
}

fn compare(baseline: &Path, measured: &Path) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .arg("--measured")
        .arg(measured)
        .arg("--baseline")
        .arg(baseline)
        .args(["--max-slowdown", "1.5"])
        .output()
        .expect("the bench starts");
    let text = [&output.stdout[..], &output.stderr].concat();
    (output, String::from_utf8(text).expect("text"))
}

#[test]
fn a_ratio_half_as_bad_again_fails_and_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let baseline = report(folder.path(), "baseline", true, 12.0);
    let (output, text) = compare(&baseline, &report(folder.path(), "same", true, 12.0));
    assert!(output.status.success(), "{text}");
    let (output, text) = compare(&baseline, &report(folder.path(), "a_little_slower", true, 17.0));
    assert!(output.status.success() && text.contains("find the face | 1.20 before | 1.70 now"), "{text}");
    let (output, text) = compare(&baseline, &report(folder.path(), "slower", true, 19.0));
    assert!(
        !output.status.success() && text.contains("slower than the baseline allows: find the face"),
        "{text}"
    );
}

#[test]
fn reports_of_different_profiles_are_not_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let baseline = report(folder.path(), "baseline", false, 12.0);
    let (output, text) = compare(&baseline, &report(folder.path(), "measured", true, 12.0));
    assert!(!output.status.success() && text.contains("a debug program"), "{text}");
}
