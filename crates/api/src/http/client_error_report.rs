//! Error reports of pages, logged without anything about the end user.

use base::AgeSessionId;
use utoipa::ToSchema;

/// Longer texts are cut in the log, characters.
const MAX_WORD_CHARS: usize = 64;

/// An error of a page.
#[derive(Debug, Default, serde::Deserialize, ToSchema)]
pub(crate) struct ClientErrorReport {
    /// The error's name, such as `TypeError`.
    #[schema(value_type = String)]
    name: Option<String>,
    /// The file of the page, without its path.
    file: Option<String>,
    /// The line in it.
    line: Option<u64>,
    /// The screen that was shown.
    screen: Option<String>,
}

/// Logs an error of a page. Each text is reduced to letters, digits and a few punctuation marks, and cut. `session` is the
/// id of the page's session, unless the span of the request has it.
pub(crate) fn log_client_error(session: Option<AgeSessionId>, report: &ClientErrorReport) {
    let word = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        let plain = text.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c));
        plain.take(MAX_WORD_CHARS).collect::<String>()
    };
    tracing::warn!(
        session.id = session.map(tracing::field::display),
        fault.name = word(&report.name),
        fault.file = word(&report.file),
        fault.line = report.line.unwrap_or_default(),
        fault.screen = word(&report.screen),
        "a page broke down"
    );
    metrics::counter!("assay_page_faults_total").increment(1);
}
