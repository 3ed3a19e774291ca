//! Webhooks: the message about each attempt that ended and each session that ended without a result, and the public keys that it is signed with.

use super::{AgeApiError, error};
use crate::{ApiState, WebhookFormatter, http::openapi::DELIVERED_DESCRIPTION};
use axum::{Json, extract::State};
use base::{AgeSessionId, Uuid};
use domain::age_verification::{
    AgeResultNotice, AgeResultSignature, AgeSessionError, AgeWebhookFormat, RsaPublicJwk,
    types::{
        AgeFailureReason, AgeMethod, AgeSessionStatus, AppAttestation, AppealState, LivenessLevel,
        SignalAssurance,
    },
};
use serde::Serialize;
use utoipa::{
    PartialSchema as _, ToSchema,
    openapi::{
        ContentBuilder, HttpMethod, ObjectBuilder, OpenApi, PathItem, PathsBuilder, Ref, ResponseBuilder,
        Type,
        path::{OperationBuilder, ParameterBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
    },
};

/// The outcome of an attempt. The members are signed in this order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgeResultWebhook<'a> {
    /// The method of the attempt; of a session that was cancelled or ran out, the last that was used, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AgeMethod)]
    method: Option<AgeMethod>,
    /// Whether the age is as required; for a session of the type AGE, whether an age was determined.
    result: bool,
    /// The age where the type is AGE and it was found out; else the threshold of the method; years.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64)]
    age: Option<i64>,
    /// The session.
    #[schema(value_type = Uuid)]
    session_key: AgeSessionId,
    /// The relying party's own reference for the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    reference_id: Option<&'a str>,
    /// The id of this message.
    id: Uuid,
    /// When the attempt or the session ended, Unix seconds.
    timestamp: i64,
    /// The address that this message is sent to.
    #[schema(value_type = String)]
    notification_url: &'a str,
    /// The method's id of the evidence, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    evidence_id: Option<&'a str>,
    /// The state of the session afterwards.
    state: AgeSessionStatus,
    /// The check of liveness behind the result: `NONE`, `PASSIVE`, or `ACTIVE` where the session asked for that level.
    check_type: LivenessLevel,
    /// Why an attempt did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AgeFailureReason)]
    error_code: Option<&'a str>,
    /// Of a device signal: who stands behind the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = SignalAssurance)]
    assurance: Option<SignalAssurance>,
    /// Of a device signal: who vouches for the app that read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AppAttestation)]
    attestation: Option<AppAttestation>,
    /// Of a message about an [appeal](#tag/appeals): what was decided. It confirms or corrects what was sent before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AppealState)]
    appeal: Option<AppealState>,
    /// The id of the key that signs: `kid` of one of `GET /api/v1/webhook-keys`.
    kid: &'a str,
    /// The number of this message within the session, from 1. It is not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required, minimum = 1)]
    sequence_number: Option<i64>,
    /// Base64 of an RSASSA-PSS signature (SHA-256, salt of 222 bytes) by the key `kid` of `GET /api/v1/webhook-keys`,
    /// over this JSON as it is sent but without `sequence_number` and `signature`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required)]
    signature: Option<&'a str>,
}

impl AgeWebhookFormat for WebhookFormatter {
    fn result_body(&self, notice: &AgeResultNotice<'_>, signature: Option<&AgeResultSignature>) -> String {
        let webhook = AgeResultWebhook {
            method: notice.method,
            result: notice.passed,
            age: notice.age,
            session_key: notice.session,
            reference_id: notice.reference_id,
            id: notice.id,
            timestamp: notice.at.as_second(),
            notification_url: notice.notification_url,
            evidence_id: notice.evidence_id,
            state: notice.state,
            check_type: notice.level,
            error_code: notice.error_code,
            assurance: notice.signal.map(|signal| signal.assurance),
            attestation: notice.signal.map(|signal| signal.attestation),
            appeal: notice.appeal,
            kid: notice.key_id,
            sequence_number: signature.map(|signature| signature.sequence_number),
            signature: signature.map(|signature| signature.signature.as_str()),
        };
        serde_json::to_string(&webhook).expect("texts and numbers are JSON")
    }
}

/// A set of public keys, a JWK Set (RFC 7517).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookKeySet {
    /// The keys, the oldest first; the last one signs. A key stays here for 31 days after another has begun to sign.
    keys: Vec<WebhookKey>,
}

/// A public key, a JSON Web Key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookKey {
    /// The key type.
    #[schema(example = "RSA")]
    kty: String,
    /// The use of the key.
    #[serde(rename = "use")]
    #[schema(example = "sig")]
    purpose: String,
    /// The algorithm.
    #[schema(example = "PS256")]
    alg: String,
    /// The key's id.
    kid: String,
    /// The modulus, base64url.
    n: String,
    /// The exponent, base64url.
    #[schema(example = "AQAB")]
    e: String,
}

impl From<RsaPublicJwk> for WebhookKey {
    fn from(key: RsaPublicJwk) -> Self {
        let RsaPublicJwk { kty, purpose, alg, kid, n, e } = key;
        Self { kty, purpose, alg, kid, n, e }
    }
}

/// Read the public keys that webhooks are signed with.
#[utoipa::path(
    get, path = "/api/v1/webhook-keys", tag = "webhooks",
    responses((status = 200, description = "The keys.", body = WebhookKeySet), error::WebhookKeysErrors),
)]
pub(crate) async fn webhook_keys(State(api): State<ApiState>) -> Result<Json<WebhookKeySet>, AgeApiError> {
    let keys = api.age_verification.webhook_public_keys().await.map_err(AgeSessionError::from)?;
    Ok(Json(WebhookKeySet { keys: keys.into_iter().map(WebhookKey::from).collect() }))
}

/// Describes the webhook in the document.
pub(super) fn describe_webhooks(document: &mut OpenApi) {
    const SCHEMA_NAME: &str = "AgeResultWebhook";
    let header = |name: &str, words: &str| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(utoipa::openapi::Required::True)
            .description(Some(words))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .build()
    };
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(SCHEMA_NAME))).build();
    let operation = OperationBuilder::new()
        .operation_id(Some("age_result"))
        .tag("webhooks")
        .summary(Some("Tell what came of an attempt or a session."))
        .description(Some(
            "Sent to `notification_url` of the session after each attempt that ended, when the session is cancelled or runs out, and when \
             an [appeal](#tag/appeals) is decided. The members that have no value are left out.",
        ))
        .parameter(header("webhook-id", "The id of the message (Standard Webhooks); a repeat has the same."))
        .parameter(header("webhook-timestamp", "When it is sent, Unix seconds."))
        .parameter(header(
            "webhook-signature",
            "`v1,` and base64 of an HMAC-SHA256 over `id.timestamp.body` with the application's secret (Standard Webhooks).",
        ))
        .request_body(Some(
            RequestBodyBuilder::new()
                .content("application/json", body)
                .required(Some(utoipa::openapi::Required::True))
                .build(),
        ))
        .response(
            "200",
            ResponseBuilder::new().description(DELIVERED_DESCRIPTION).build(),
        )
        .build();
    let item = PathItem::new(HttpMethod::Post, operation);
    document.webhooks = Some(PathsBuilder::new().path("ages.result", item).build());
    let schemas = &mut document.components.get_or_insert_default().schemas;
    let mut referenced = Vec::new();
    AgeResultWebhook::schemas(&mut referenced);
    referenced.push((SCHEMA_NAME.to_owned(), AgeResultWebhook::schema()));
    for (name, schema) in referenced {
        schemas.entry(name).or_insert(schema);
    }
}
