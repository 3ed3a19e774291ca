//! `/console/deletion-receipts`: what was deleted with accounts, for operators.

use crate::{
    ApiState,
    console::{
        CaseReadErrors, RecordListErrors,
        approvals::AccountRecordPath,
        list_position::{ITEMS_PER_LIST, ListPosition, POSITION_WORDS, cut_page},
        permissions::WholeAuditView,
        request::{ConsoleCall, ConsoleQuery},
    },
    content_moderation::{
        CommandViolations, DeletionReceiptBody, ModerationApiError,
        query::{QueryParameters, QueryString},
    },
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, header},
};
use base::{AccountId, AppId, ReceiptId, Timestamp};
use domain::accounts::ReceiptSummary;
use utoipa::{IntoParams, ToSchema};

/// Which deletions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct ReceiptQuery {
    /// Behind which deletion the page begins: the member `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<ListPosition>,
}

impl QueryParameters for ReceiptQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        Some(Self { after: query.read("after", POSITION_WORDS, violations) })
    }
}

/// A page of deletions.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct DeletionList {
    /// The one that was requested last first.
    #[schema(max_items = 50)]
    deletions: Vec<DeletionBody>,
    /// `after` of the next page. Absent: this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// The deletion of an account.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Deletion)]
pub(in crate::console) struct DeletionBody {
    /// The id of its receipt.
    #[schema(value_type = Uuid)]
    receipt_id: ReceiptId,
    /// The application whose account it was.
    #[schema(value_type = Uuid)]
    application_id: AppId,
    #[schema(value_type = Uuid)]
    account_id: AccountId,
    /// Who asked: `api key ID`, `member` or `operator`.
    requested_by: String,
    #[schema(value_type = String, format = DateTime)]
    requested_at: Timestamp,
    /// When it was complete. Absent: it is not yet, and has no receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    completed_at: Option<Timestamp>,
}

impl From<ReceiptSummary> for DeletionBody {
    fn from(summary: ReceiptSummary) -> Self {
        let ReceiptSummary { id, app_id, account_id, requested_by, requested_at, completed_at } = summary;
        Self {
            receipt_id: id,
            application_id: app_id,
            account_id,
            requested_by,
            requested_at,
            completed_at: completed_at.map(Timestamp::from),
        }
    }
}

/// List the accounts that were deleted. For operators with `audit:view`.
#[utoipa::path(
    get, path = "/console/deletion-receipts", tag = "audit", security(("session" = [], "console" = [])),
    params(ReceiptQuery),
    responses((status = 200, description = "A page of them.", body = DeletionList), RecordListErrors),
)]
pub(in crate::console) async fn list_deletion_receipts(
    State(api): State<ApiState>,
    call: ConsoleCall<WholeAuditView, (), ConsoleQuery<ReceiptQuery>>,
) -> Result<Json<DeletionList>, ModerationApiError> {
    let after = call.input.0.after.map(|position| (position.at, position.id.into()));
    let mut view = api.db.read().await?;
    let mut found = api.account_deletion.receipts().list(&mut view, after, ITEMS_PER_LIST + 1).await?;
    let next =
        cut_page(&mut found, |summary| ListPosition { at: summary.requested_at, id: summary.id.into() });
    Ok(Json(DeletionList { deletions: found.into_iter().map(DeletionBody::from).collect(), next }))
}

/// Download the receipt of a deleted account. For operators with `audit:view`.
#[utoipa::path(
    get, path = "/console/deletion-receipts/{accountId}", tag = "audit", security(("session" = [], "console" = [])),
    params(AccountRecordPath),
    responses(
        (
            status = 200, description = "The receipt, as a file.", body = DeletionReceiptBody,
            headers(("Content-Disposition" = String, description = "A name for the file."))
        ),
        CaseReadErrors
    ),
)]
pub(in crate::console) async fn download_deletion_receipt(
    State(api): State<ApiState>,
    call: ConsoleCall<WholeAuditView, AccountRecordPath>,
) -> Result<([(HeaderName, String); 1], Json<DeletionReceiptBody>), ModerationApiError> {
    let account = call.path.account;
    let found = api.account_deletion.receipts().find(&mut api.db.read().await?, None, account).await?;
    let signed = found.ok_or_else(|| ModerationApiError::not_found("receipt"))?;
    let name = format!("attachment; filename=\"deletion-receipt-{account}.json\"");
    Ok(([(header::CONTENT_DISPOSITION, name)], Json(signed.into())))
}
