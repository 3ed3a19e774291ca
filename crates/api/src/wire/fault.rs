//! Errors of pages, as they reach the operator: nothing about the person.

use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Characters of a word that are logged.
const LONGEST: usize = 64;

/// An error of the page.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, of which words alone are read")]
pub(crate) struct PageFault {
    /// Its name, as `TypeError`.
    name: String,
    /// The file of the page, without its path.
    file: Option<String>,
    /// The line in it.
    line: Option<u32>,
    /// The screen that was shown.
    screen: Option<String>,
}

/// Logs an error of the page of a session. Of each text only letters, digits and a few signs are kept, and few of them.
pub(crate) fn note_fault(session: &dyn std::fmt::Display, body: &Map<String, Value>) {
    let word = |name: &str| {
        let text = body.get(name).and_then(Value::as_str).unwrap_or_default();
        let plain = text.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c));
        plain.take(LONGEST).collect::<String>()
    };
    let line = body.get("line").and_then(Value::as_u64).unwrap_or_default();
    tracing::warn!(
        session.id = %session,
        fault.name = word("name"),
        fault.file = word("file"),
        fault.line = line,
        fault.screen = word("screen"),
        "a page broke down"
    );
    metrics::counter!("assay_page_faults_total").increment(1);
}
