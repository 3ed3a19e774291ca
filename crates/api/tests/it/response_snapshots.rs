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
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use testkit::{TestResponse, response_snapshot::render};

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

/// An answer with a body, a cookie and the id of its request.
fn answer_with(body: &Value) -> TestResponse {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_LENGTH, "7"),
        (header::SET_COOKIE, "session=s3cret; Path=/"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("x-request-id", HeaderValue::from_static("018f3c8e-0000-4000-8000-00000000000f"));
    TestResponse {
        request: "GET /things".to_owned(),
        status: StatusCode::OK,
        headers,
        body: body.to_string().into(),
    }
}

#[test]
fn what_differs_from_run_to_run_is_replaced_and_equal_ids_stay_equal() {
    let (first, second) = ("018f3c8e-0000-4000-8000-00000000000a", "018f3c8e-0000-4000-8000-00000000000b");
    let body = json!({
        "request": "018f3c8e-0000-4000-8000-00000000000f", "b": first, "a": { "id": second, "of": first },
        "url": format!("https://localhost:4711/{second}?key=abc"), "age": 29.5, "faces": [{ "at": "2026-01-16T14:40:00Z" }],
    });
    let text = render(&answer_with(&body), &["age faces.*.at".into(), "**.of".into(), ("abc", "key").into()]);
    assert_eq!(
        text,
        r#"GET /things
200 OK
content-type: application/json
set-cookie: session=<secret>; Path=/

{
  "a": {
    "id": "<uuid 1>",
    "of": "<text>"
  },
  "age": "<number>",
  "b": "<uuid 2>",
  "faces": [
    {
      "at": "<time>"
    }
  ],
  "request": "<request id>",
  "url": "https://localhost:<port>/<uuid 1>?key=<key>"
}
"#
    );
}

#[test]
#[should_panic(expected = "`missing` is not in the answer")]
fn a_redaction_that_finds_nothing_is_an_error() {
    render(&answer_with(&json!({})), &["missing".into()]);
}
