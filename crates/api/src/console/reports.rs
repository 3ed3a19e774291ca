//! `GET /console/reports`: what `assay evaluate … --html` has written into the folder `reports` of the data directory.

use super::{OperatorListErrors, TenantListErrors, permissions::ModelsView, request::ConsoleCall};
use crate::{ApiState, content_moderation::ModerationApiError};
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use base::Timestamp;
use serde::Deserialize;
use std::{io, path::PathBuf};
use utoipa::{IntoParams, ToSchema};

/// The most that are listed, and files that are looked at for it.
const MAX_REPORTS: usize = 200;
const MAX_FILES_LOOKED_AT: usize = 5000;
/// Larger files are no reports.
const MAX_REPORT_BYTES: u64 = 64 << 20;
const MAX_NAME_BYTES: usize = 100;

/// The folder of reports.
#[derive(Clone, Debug)]
pub(super) struct ReportFolder(pub(super) PathBuf);

/// A report that lies in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReportFile {
    name: String,
    bytes: u64,
    written_at: Timestamp,
}

/// Whether a file of this name can be a report: `age-2026.html`, and nothing that leads out of the folder.
fn is_report_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    name.len() <= MAX_NAME_BYTES
        && name.strip_suffix(".html").is_some_and(|stem| !stem.is_empty())
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
}

impl ReportFolder {
    /// The newest reports, the newest first; none if there is no folder.
    async fn list(&self) -> io::Result<Vec<ReportFile>> {
        let mut entries = match tokio::fs::read_dir(&self.0).await {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let (mut found, mut looked_at) = (Vec::new(), 0);
        while let Some(entry) = entries.next_entry().await? {
            looked_at += 1;
            if looked_at > MAX_FILES_LOOKED_AT {
                break;
            }
            if let Some(name) = entry.file_name().to_str()
                && let Some(file) = self.find(name).await?
            {
                found.push(file);
            }
        }
        found.sort_by(|one, other| (other.written_at, &other.name).cmp(&(one.written_at, &one.name)));
        found.truncate(MAX_REPORTS);
        Ok(found)
    }

    /// A report by its name. Links are not followed.
    async fn find(&self, name: &str) -> io::Result<Option<ReportFile>> {
        if !is_report_name(name) {
            return Ok(None);
        }
        let known = match tokio::fs::symlink_metadata(self.0.join(name)).await {
            Ok(known) => known,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let written_at = known.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
        let is_report = known.is_file() && known.len() <= MAX_REPORT_BYTES;
        Ok(written_at.filter(|_| is_report).map(|written_at| ReportFile {
            name: name.to_owned(),
            bytes: known.len(),
            written_at,
        }))
    }

    async fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match self.find(name).await? {
            Some(file) => tokio::fs::read(self.0.join(file.name)).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Reports of accuracy.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct AccuracyReportList {
    /// The newest first.
    #[schema(max_items = 200)]
    reports: Vec<AccuracyReportBody>,
}

/// A report of accuracy: one HTML file with figures, which can be read offline.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = AccuracyReport)]
pub(super) struct AccuracyReportBody {
    /// The name of its file.
    #[schema(
        max_length = 100,
        pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]*\\.html$",
        example = "age-2026-11-27.html"
    )]
    name: String,
    #[schema(minimum = 0, maximum = 67_108_864)]
    bytes: u64,
    #[schema(value_type = String, format = DateTime)]
    written_at: Timestamp,
}

impl From<ReportFile> for AccuracyReportBody {
    fn from(ReportFile { name, bytes, written_at }: ReportFile) -> Self {
        Self { name, bytes, written_at }
    }
}

/// List the reports of accuracy that `assay evaluate … --html` has written into the folder `reports` of the data directory.
#[utoipa::path(
    get, path = "/console/reports", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The reports of this node.", body = AccuracyReportList), OperatorListErrors),
)]
pub(super) async fn list_reports(
    State(api): State<ApiState>,
    _call: ConsoleCall<ModelsView>,
) -> Result<Json<AccuracyReportList>, ModerationApiError> {
    let found = api.console_resources.reports.list().await;
    let found = found.map_err(|error| ModerationApiError::unavailable(&error))?;
    Ok(Json(AccuracyReportList { reports: found.into_iter().map(Into::into).collect() }))
}

/// A report of the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct ReportPath {
    /// The name of its file.
    #[serde(rename = "reportName")]
    #[param(rename = "reportName", value_type = String, max_length = 100)]
    name: String,
}

/// Download a report of accuracy.
#[utoipa::path(
    get, path = "/console/reports/{reportName}", tag = "health", security(("session" = [], "console" = [])),
    params(ReportPath),
    responses(
        (status = 200, description = "The file.", content_type = "text/html", body = String),
        TenantListErrors
    ),
)]
pub(super) async fn download_report(
    State(api): State<ApiState>,
    call: ConsoleCall<ModelsView, ReportPath>,
) -> Result<Response, ModerationApiError> {
    let name = &call.path.name;
    let found = api.console_resources.reports.read(name).await;
    let found = found.map_err(|error| ModerationApiError::unavailable(&error))?;
    let file = found.ok_or_else(|| ModerationApiError::not_found("report of this name"))?;
    // It is saved, never shown as a page of this server.
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, file).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["age.html", "match-2026_11.27.html", &format!("{}.html", "x".repeat(95))] {
            assert!(is_report_name(name), "{name}");
        }
        let long = format!("{}.html", "x".repeat(96));
        for name in [
            "",
            ".html",
            "..html",
            "../age.html",
            "a/b.html",
            "a\\b.html",
            "age.txt",
            "ä.html",
            "a b.html",
            &long,
        ] {
            assert!(!is_report_name(name), "{name}");
        }
    }
}
