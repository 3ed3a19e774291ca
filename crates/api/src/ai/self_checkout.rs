//! `POST /ai/v1/self-checkout/age-antispoofing`

use super::{
    Code, Problem, Signed,
    age_antispoofing::{AgeAntispoofingAnswer, answer},
    antispoofing::AntispoofingRequest,
    error,
    photo::Switches,
};
use crate::Api;
use axum::{Json, extract::State, http::header};
use utoipa::IntoParams;

/// Headers of a till.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the headers in the document")]
pub(crate) struct Terminal {
    /// Unique id of the machine; required unless the call comes from a browser (`Origin`).
    #[param(rename = "Terminal-Id")]
    terminal_id: Option<String>,
    /// Groups the attempts of one person's transaction.
    #[param(rename = "Session-Id")]
    session_id: Option<String>,
}

/// Estimate the age of a customer at a till, and tell whether the face is live.
#[utoipa::path(
    post, path = "/ai/v1/self-checkout/age-antispoofing", tag = "image AI", security(("applicationId" = [], "requestSignature" = [])),
    params(Switches, Terminal),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "Estimate and prediction.", body = AgeAntispoofingAnswer), error::CheckingLiveness),
)]
pub(crate) async fn age_antispoofing_at_checkout(
    State(api): State<Api>,
    switches: Switches,
    signed: Signed,
) -> Result<Json<AgeAntispoofingAnswer>, Problem> {
    let named = signed.headers.get("terminal-id").is_some_and(|id| !id.is_empty() && id.len() <= 200);
    if !named && !signed.headers.contains_key(header::ORIGIN) {
        let words = "the Terminal-Id header (1 to 200 characters) is missing; only browsers may leave it out";
        return Err(Problem::new(Code::InvalidRequestBody, words));
    }
    answer(&api, &switches, &signed, "self-checkout/age-antispoofing").await
}
