//! `POST /api/v1/sessions/{sessionId}/device-signal`

use super::{
    super::{
        AgeApiError, NoStoreJson,
        auth::{AgeRelyingPartyRequest, OwnSession},
        body::DeclaredJsonBody,
        error, no_store_json,
    },
    record::{BrandedSessionRecord, SessionRecord},
};
use crate::{ApiState, http::json};
use axum::extract::State;
use domain::age_verification::{
    DeviceAttestation, DeviceStatement, PhonePlatform,
    types::{AppAttestation, DevicePlatform},
};
use serde::Deserialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

/// What the relying party's app read on the phone.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DeviceSignalRequest {
    /// The challenge that the app was given.
    #[schema(value_type = String)]
    challenge: Option<String>,
    /// Whose system the phone runs.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = DevicePlatform)]
    platform: Option<DevicePlatform>,
    /// What the system states, as JSON text, letter by letter as the app bound it: `userStatus`, `ageLower`, `ageUpper` of Play Age
    /// Signals; `lowerBound`, `upperBound`, `ageRangeDeclaration` of Declared Age Range, or `response` with `declinedSharing`.
    #[schema(value_type = String, max_length = 4096, example = "{\"userStatus\":\"VERIFIED\",\"ageLower\":18}")]
    statement: Option<String>,
    /// What the platform says about the app.
    #[serde(default, deserialize_with = "json::object")]
    attestation: Option<DeviceAttestationBlock>,
}

/// What a platform says about an app.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DeviceAttestationBlock {
    /// Whose it is.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = DeviceAttestationFormat)]
    format: Option<AppAttestation>,
    /// Of Play Integrity: the token. In the sandbox: `valid`, or anything else, which is refused.
    token: Option<String>,
    /// Of App Attest: the attestation of the key, base64.
    attestation: Option<String>,
    /// Of App Attest, with `assertion`: the `clientDataHash` that the key was attested over, base64. Without both, the attestation
    /// is over this statement.
    client_data_hash: Option<String>,
    /// Of App Attest: the key's assertion over this statement, base64.
    assertion: Option<String>,
}

/// The formats of an attestation. A business whose app nobody vouches for sends none.
struct DeviceAttestationFormat;

impl PartialSchema for DeviceAttestationFormat {
    fn schema() -> RefOr<Schema> {
        let formats = AppAttestation::VARIANTS.iter().filter(|word| **word != AppAttestation::None.as_str());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(formats.copied())).into()
    }
}

impl ToSchema for DeviceAttestationFormat {}

/// Send what a phone's system states, and end the attempt.
///
/// The statement is judged at once. It counts once: a challenge that was answered, that is older than its time, or that is another
/// session's is refused (`STALE_CONTINUATION`).
#[utoipa::path(
    post, path = "/api/v1/sessions/{sessionId}/device-signal", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body(
        content = DeviceSignalRequest,
        example = json!({
            "challenge": "nV7cXbB6Yy7wq0n3c2ZkZz3rV5q1m8kq3Vb5s9dQ2hA", "platform": "ANDROID",
            "statement": "{\"userStatus\":\"VERIFIED\",\"ageLower\":18}",
            "attestation": { "format": "PLAY_INTEGRITY", "token": "eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIn0…" },
        }),
    ),
    responses((status = 200, description = "The session as it stands.", body = SessionRecord), error::SendDeviceSignalErrors),
)]
pub(crate) async fn send_device_signal(
    State(api): State<ApiState>,
    AgeRelyingPartyRequest(OwnSession(session), DeclaredJsonBody(body)): AgeRelyingPartyRequest<
        OwnSession,
        DeclaredJsonBody,
    >,
) -> Result<NoStoreJson<BrandedSessionRecord>, AgeApiError> {
    let DeviceSignalRequest { challenge, platform, statement, attestation } = body.json()?;
    let required = |member: &'static str| AgeApiError::violation(member, "it is required");
    let challenge = challenge.ok_or_else(|| required("challenge"))?;
    let sent = DeviceStatement {
        platform: match platform.ok_or_else(|| required("platform"))? {
            DevicePlatform::Android => PhonePlatform::Android,
            DevicePlatform::Ios => PhonePlatform::Ios,
        },
        statement: statement.ok_or_else(|| required("statement"))?,
        attestation: attestation.map(DeviceAttestationBlock::read).transpose()?,
    };
    let session = api.age_verification.submit_device_signal(session.id, &challenge, sent).await?;
    Ok(no_store_json(BrandedSessionRecord::of(&api, &session)))
}

impl DeviceAttestationBlock {
    fn read(self) -> Result<DeviceAttestation, AgeApiError> {
        let required = |member: &'static str| AgeApiError::violation(member, "it is required");
        Ok(match self.format.ok_or_else(|| required("attestation.format"))? {
            AppAttestation::PlayIntegrity => DeviceAttestation::PlayIntegrity {
                token: self.token.ok_or_else(|| required("attestation.token"))?,
            },
            AppAttestation::AppAttest => DeviceAttestation::AppAttest {
                attestation: self.attestation.ok_or_else(|| required("attestation.attestation"))?,
                key_data_hash: self.client_data_hash,
                assertion: self.assertion,
            },
            AppAttestation::None => {
                let words =
                    "it is PLAY_INTEGRITY or APP_ATTEST; without an attestation, leave the object out";
                return Err(AgeApiError::violation("attestation.format", words));
            }
            AppAttestation::Sandbox => {
                DeviceAttestation::Sandbox { valid: self.token.as_deref() == Some("valid") }
            }
        })
    }
}
