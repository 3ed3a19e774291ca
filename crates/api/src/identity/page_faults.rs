//! `POST /idverify/v1/sessions/{sessionId}/page-faults`

use super::{Person, Problem};
use axum::http::StatusCode;
use serde_json::Value;
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

/// Tell the operator that the page broke down. Nothing about the person may be in it: of each text only letters, digits
/// and a few signs are kept, and few of them.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/page-faults", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = PageFault,
    responses((status = 204, description = "It is in the log."), Problem),
)]
pub(crate) async fn report_page_fault(person: Person) -> Result<StatusCode, Problem> {
    let body = person.sent.json()?;
    let word = |name: &str| {
        let text = body.get(name).and_then(Value::as_str).unwrap_or_default();
        let plain = text.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c));
        plain.take(LONGEST).collect::<String>()
    };
    let line = body.get("line").and_then(Value::as_u64).unwrap_or_default();
    tracing::warn!(
        session.id = %person.held.session.id,
        fault.name = word("name"),
        fault.file = word("file"),
        fault.line = line,
        fault.screen = word("screen"),
        "a page broke down"
    );
    metrics::counter!("assay_page_faults_total").increment(1);
    Ok(StatusCode::NO_CONTENT)
}
