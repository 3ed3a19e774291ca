//! `POST /idverify/v1/fraud-list`

use super::list::FraudListEntryView;
use crate::{
    ApiState,
    document_verification::{
        DocumentApiError, auth::RelyingPartyRequest, error, violations::PayloadViolations,
    },
    http::{
        idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
        json,
    },
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::Timestamp;
use domain::{
    Violation,
    document_verification::fraud_list::{FraudListKind, FraudListSubject, NewFraudListEntry},
};
use utoipa::ToSchema;

/// A document or a face to list.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct FraudListEntryRequest {
    /// What is listed; upper or lower case.
    #[serde(rename = "type", default, deserialize_with = "json::enum_value")]
    #[schema(value_type = FraudListKind, required = true)]
    kind: Option<FraudListKind>,
    /// Of a document: ISO 3166-1 alpha-3, in any case.
    #[schema(pattern = "^[A-Za-z]{3}$", example = "GBR")]
    issuing_country: Option<String>,
    /// Of a document. Letters and digits count, in any case. It is stored as a keyed hash.
    #[schema(min_length = 1, max_length = 64)]
    document_number: Option<String>,
    /// Of a face: a JPEG or PNG picture that shows exactly one, in base64. It is not stored.
    image: Option<String>,
    /// Why it is listed.
    #[schema(value_type = String, min_length = 1, max_length = 1000)]
    reason: Option<String>,
    /// Who lists it.
    #[schema(value_type = String, min_length = 1, max_length = 1000)]
    author: Option<String>,
    /// When it ends. Without it, when it is removed.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

impl FraudListEntryRequest {
    fn into_entry(self, wrong: Vec<Violation>) -> Result<NewFraudListEntry, DocumentApiError> {
        let mut violations = PayloadViolations::new(wrong);
        let expires_at = self.expires_at.map(|text| text.parse::<Timestamp>());
        if matches!(expires_at, Some(Err(_))) {
            violations.add("expires_at", "it is not an RFC 3339 date-time");
        }
        let mut misplaced = |name: &str, is_given: bool, kind: &str| {
            if is_given {
                violations.add(name, format!("an entry of the type {kind} has none"));
            }
        };
        match self.kind {
            Some(FraudListKind::Document) => misplaced("image", self.image.is_some(), "DOCUMENT"),
            Some(FraudListKind::Face) => {
                misplaced("issuing_country", self.issuing_country.is_some(), "FACE");
                misplaced("document_number", self.document_number.is_some(), "FACE");
            }
            None => {}
        }
        let subject = match violations.required("type", self.kind) {
            Some(FraudListKind::Document) => {
                let country = violations.required("issuing_country", self.issuing_country);
                let number = violations.required("document_number", self.document_number);
                country.zip(number).map(|(country, document_number)| FraudListSubject::Document {
                    issuing_country: country.trim().to_ascii_uppercase(),
                    document_number,
                })
            }
            Some(FraudListKind::Face) => violations.required("image", self.image).and_then(|image| {
                let bytes = base64_simd::STANDARD.decode_to_vec(image.trim().as_bytes());
                if bytes.is_err() {
                    violations.add("image", "it is not standard base64");
                }
                bytes.ok().map(FraudListSubject::Face)
            }),
            None => None,
        };
        violations.into_result()?;
        let subject = subject.ok_or_else(|| vec![Violation::new("type", "it is required")])?;
        Ok(NewFraudListEntry {
            subject,
            reason: self.reason.unwrap_or_default(),
            author: self.author.unwrap_or_default(),
            expires_at: expires_at.and_then(Result::ok),
        })
    }
}

/// List a document or a face that is used for fraud.
///
/// From then on `fraud_list_check` of `ID_DOCUMENT_AUTHENTICITY` fails for the document, and for whoever has the face, in all
/// sessions of the application. A body has 512 KiB at most.
#[utoipa::path(
    post, path = "/idverify/v1/fraud-list", tag = "fraud list", security(("signature" = []), ("bearer" = [])),
    params(IdempotencyKeyHeader),
    request_body(
        content = FraudListEntryRequest,
        example = json!({
            "type": "DOCUMENT", "issuing_country": "GBR", "document_number": "123456789", "reason": "reported stolen", "author": "r.lind"
        }),
    ),
    responses((status = 201, description = "The entry is added.", body = FraudListEntryView), error::AddToFraudListErrors),
)]
pub(crate) async fn add_to_fraud_list(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<Response, DocumentApiError> {
    party.require_production()?;
    let (body, wrong) = party.request.parse_lenient::<FraudListEntryRequest>()?;
    let entry = body.into_entry(wrong)?;
    let RelyingPartyRequest { app, request: received, .. } = party;
    let key = received.idempotency_key()?;
    let fingerprint = received.fingerprint(app, key.as_deref());
    // Before the picture of a face is looked at, which takes long.
    if let Some(answer) = stored_response(&api, &fingerprint).await? {
        return Ok(answer);
    }
    let prepared = api.document_verification.prepare_fraud_list_entry(app, entry).await?;
    idempotent(&api, fingerprint, async |tx| {
        let added = api.document_verification.add_to_fraud_list(tx, app, prepared).await?;
        Ok((StatusCode::CREATED, FraudListEntryView::from(added)))
    })
    .await
}
