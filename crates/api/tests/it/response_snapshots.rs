//! Snapshots of whole answers: operation, status, headers and body.
//!
//! A snapshot is named after its test and lies in `snapshots/` beside the test's file. `make snap` writes them; a test run
//! only compares (`.config/insta.yaml`).

/// Asserts a whole answer. What differs from run to run is named after it, as [`testkit::response_snapshot::Redaction`]
/// says: a path of the body (`"items.*.age"`), a header (`"@location"`), or a text and its name (`(token, "token")`).
macro_rules! assert_response_snapshot {
    ($answer:expr $(, $redaction:expr)* $(,)?) => {{
        let text = testkit::response_snapshot::render(&$answer, &[$($redaction.into()),*]);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(text);
        });
    }};
}

use api::openapi::{DOCUMENT_NAMES, document_json};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// A snapshot, and what insta and the renderer wrote into it.
struct SnapshotFile {
    path: PathBuf,
    /// The file of its test, from the root of the repository.
    source: String,
    /// The answer, from its operation on.
    answer: String,
}

impl SnapshotFile {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, answer) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        let source = head.lines().find_map(|line| line.strip_prefix("source: ")).unwrap().to_owned();
        Self { path, source, answer: answer.to_owned() }
    }

    /// The operation, if it was successful.
    fn successful_operation(&self) -> Option<String> {
        let (operation, rest) = self.answer.split_once('\n').unwrap();
        rest.starts_with(['2', '3']).then(|| operation.to_owned())
    }

    /// The test's name; insta numbers further snapshots of one test.
    fn test(&self) -> String {
        let name = self.path.file_stem().unwrap().to_str().unwrap();
        name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-').to_owned()
    }
}

/// All snapshots below a folder.
fn snapshots(folder: &Path) -> Vec<SnapshotFile> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshots(&path));
        } else if path.extension().is_some_and(|end| end == "snap") {
            found.push(SnapshotFile::read(path));
        }
    }
    found
}

fn all_snapshots() -> Vec<SnapshotFile> {
    snapshots(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"))
}

#[test]
fn every_operation_has_a_snapshot_of_its_success() {
    let mut expected = BTreeSet::new();
    for name in DOCUMENT_NAMES {
        let document: Value =
            serde_json::from_str(&document_json(name, &api::Brand::default()).unwrap()).unwrap();
        for (path, operations) in document["paths"].as_object().unwrap() {
            let methods = operations.as_object().unwrap().keys();
            expected.extend(methods.map(|method| format!("{} {path}", method.to_ascii_uppercase())));
        }
    }
    let found: BTreeSet<_> = all_snapshots().iter().filter_map(SnapshotFile::successful_operation).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(missing.is_empty(), "these have no snapshot: {missing:#?}");
}

#[test]
fn every_snapshot_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for snapshot in all_snapshots() {
        let code = std::fs::read_to_string(root.join(&snapshot.source)).unwrap_or_default();
        let test = format!("fn {}()", snapshot.test());
        assert!(
            code.contains(&test),
            "{} is left over: {} has no `{test}`",
            snapshot.path.display(),
            snapshot.source
        );
    }
}
