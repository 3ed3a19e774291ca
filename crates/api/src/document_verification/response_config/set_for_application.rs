//! `PUT /idverify/v1/apps/{sdkId}/response-config`

use super::{
    config::{ResponseConfigRequest, SentResponseConfig},
    require_own_application, require_sandbox,
};
use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::RelyingPartyRequest, error},
};
use axum::{Json, extract::State};

/// Set what an application's sandbox answers.
///
/// Production refuses it with `INSUFFICIENT_PERMISSION`: only a sandbox answers what is configured. In each list, the
/// first item whose filter matches is used; if none does, everything is approved.
#[utoipa::path(
    put, path = "/idverify/v1/apps/{sdkId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sdkId" = Uuid, Path, description = "The application.")),
    request_body(
        content = ResponseConfigRequest,
        example = json!({
            "task_results": {
                "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{
                    "document_filter": { "country_codes": ["SWE"], "document_types": ["PASSPORT"] },
                    "result": { "document_fields": { "full_name": "ANNA EXEMPEL", "date_of_birth": "2001-04-30" } }
                }]
            },
            "check_reports": {
                "ID_DOCUMENT_AUTHENTICITY": [{
                    "result": { "report": {
                        "recommendation": { "value": "REJECT", "reason": "TAMPERED", "recovery_suggestion": "USE_ANOTHER_DOCUMENT" },
                        "breakdown": [{ "sub_check": "document_in_date", "result": "PASS" }]
                    } }
                }],
                "LIVENESS": [{ "result": { "report_template": "SUCCESS" } }]
            },
            "async_report_delay": 10
        }),
    ),
    responses((status = 200, description = "The response configuration is set.", body = SentResponseConfig), error::SetAppResponsesErrors),
)]
pub(crate) async fn set_app_responses(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<Json<SentResponseConfig>, DocumentApiError> {
    let app = require_own_application(&party)?;
    require_sandbox(&party)?;
    let sent = ResponseConfigRequest::validate(&party.request)?;
    let mut tx = api.db.write().await?;
    api.document_verification.set_app_response_config(&mut tx, app, &sent.0).await?;
    tx.commit().await?;
    Ok(Json(sent))
}
