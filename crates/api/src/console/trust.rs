//! `/console/trust-list` and `/console/signing-keys`: whom this server trusts, and the lives of keys.

use super::{OperatorListErrors, permissions::TrustView, request::ConsoleCall};
use crate::{
    ApiState,
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use axum::{Json, extract::State};
use base::{Timestamp, Uuid};
use domain::{
    data_keys::{
        self, DataKey, DataKeyState,
        holders::{self, MasterKeyHolder},
    },
    proof_of_age::{ProofOfAgeError, TrustedIssuerDetails, TrustedKeyKind, TrustedKeyLife},
    signing_keys::{self, SigningKey, SigningKeyPurpose, SigningKeyState},
};
use utoipa::ToSchema;

/// The issuers whose proofs of age are accepted.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = TrustList)]
pub(super) struct TrustListBody {
    /// In the order of the list.
    issuers: Vec<TrustedIssuerBody>,
    /// When the first of its lists expires, if one does. A list that has expired adds no issuers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

/// An issuer whose proofs of age are accepted.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = TrustedIssuer)]
pub(super) struct TrustedIssuerBody {
    /// As its proofs name it.
    id: String,
    /// As results name it.
    provider: String,
    /// In which formats: `cwt`, `sd-jwt-vc`, `jwt`, `mdoc`.
    formats: Vec<&'static str>,
    /// Where its keys are fetched, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_set_url: Option<String>,
    /// From when its entry counts. Absent: always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_from: Option<Timestamp>,
    /// Until when its entry counts. Absent: always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Timestamp>,
    /// Its keys and root certificates.
    keys: Vec<TrustedKeyBody>,
}

/// A key of an issuer, or a root that certifies its keys.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = TrustedKey)]
pub(super) struct TrustedKeyBody {
    kind: TrustedKeyKind,
    /// Its name (`kid`), or its thumbprint (RFC 7638). Absent: it is a root certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// From when it may be used. Absent: always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_from: Option<Timestamp>,
    /// Until when it may be used. Absent: always.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Timestamp>,
}

impl From<TrustedKeyLife> for TrustedKeyBody {
    fn from(TrustedKeyLife { kind, id, valid_from, valid_until }: TrustedKeyLife) -> Self {
        Self { kind, id, valid_from, valid_until }
    }
}

impl From<TrustedIssuerDetails> for TrustedIssuerBody {
    fn from(issuer: TrustedIssuerDetails) -> Self {
        Self {
            id: issuer.id,
            provider: issuer.provider,
            formats: issuer.formats,
            key_set_url: issuer.key_set_url,
            valid_from: issuer.valid_from,
            valid_until: issuer.valid_until,
            keys: issuer.keys.into_iter().map(TrustedKeyBody::from).collect(),
        }
    }
}

/// See whose proofs of age are accepted, and until when.
///
/// The operator's list, the published one, this server itself, and keys that issuers publish, as far as they were fetched.
/// Needs `settings:view` or `trust:manage`.
#[utoipa::path(
    get, path = "/console/trust-list", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The issuers.", body = TrustListBody), OperatorListErrors),
)]
pub(super) async fn get_trust_list(
    State(api): State<ApiState>,
    _call: ConsoleCall<TrustView>,
) -> Result<Json<TrustListBody>, ModerationApiError> {
    let (issuers, expires_at) = api.proof_of_age.trust_list().await?;
    Ok(Json(TrustListBody {
        issuers: issuers.into_iter().map(TrustedIssuerBody::from).collect(),
        expires_at,
    }))
}

/// The keys of this installation, and the processes that have its master key.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct KeyLifeList {
    /// Keys that sign, those that sign now first.
    signing_keys: Vec<SigningKeyBody>,
    /// The data key, by the master keys that wrap it or wrapped it; the current one first.
    data_keys: Vec<DataKeyBody>,
    /// The processes that ran a moment ago, and the master key that each would start with.
    processes: Vec<MasterKeyHolderBody>,
}

/// A key that signs. Its private half is never shown.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = SigningKey)]
pub(super) struct SigningKeyBody {
    purpose: SigningKeyPurpose,
    /// How it is named where its public half is published.
    id: String,
    state: SigningKeyState,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// While it signs: when it ceases to; afterwards: until when what it signed is accepted. Absent: no such moment is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// Of blind tokens: the age that it stands for, years.
    #[serde(skip_serializing_if = "Option::is_none")]
    years: Option<i64>,
    /// Of blind tokens: whether it is one of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<bool>,
}

impl From<SigningKey> for SigningKeyBody {
    fn from(SigningKey { purpose, id, state, created_at, until, years, sandbox }: SigningKey) -> Self {
        Self { purpose, id, state, created_at, until, years, sandbox }
    }
}

/// The data key under one master key.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = DataKey)]
pub(super) struct DataKeyBody {
    id: Uuid,
    /// The fingerprint of the master key.
    master_key: String,
    state: DataKeyState,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When the master key was retired. Absent: it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    retired_at: Option<Timestamp>,
}

impl From<DataKey> for DataKeyBody {
    fn from(key: DataKey) -> Self {
        Self {
            id: key.id,
            master_key: key.master_key.as_str().to_owned(),
            state: key.state,
            created_at: key.created_at,
            retired_at: key.retired_at.map(Timestamp::from),
        }
    }
}

/// A process that runs.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = MasterKeyHolder)]
pub(super) struct MasterKeyHolderBody {
    /// What it is, where it runs, and its number there.
    name: String,
    /// The fingerprint of the master key that it would start with. Absent: it finds no key of this database.
    #[serde(skip_serializing_if = "Option::is_none")]
    master_key: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    seen_at: Timestamp,
}

impl From<MasterKeyHolder> for MasterKeyHolderBody {
    fn from(MasterKeyHolder { name, master_key, seen_at }: MasterKeyHolder) -> Self {
        Self { name, master_key, seen_at }
    }
}

/// See the lives of this installation's keys. Needs `settings:view` or `trust:manage`.
#[utoipa::path(
    get, path = "/console/signing-keys", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The keys, without secrets.", body = KeyLifeList), OperatorListErrors),
)]
pub(super) async fn list_keys(
    State(api): State<ApiState>,
    _call: ConsoleCall<TrustView>,
) -> Result<Json<KeyLifeList>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let signing = signing_keys::list(&mut view, &*api.environment).await?;
    let data = data_keys::list(&mut view).await?;
    let holders = holders::list_holders(&mut view, &*api.environment).await?;
    Ok(Json(KeyLifeList {
        signing_keys: signing.into_iter().map(SigningKeyBody::from).collect(),
        data_keys: data.into_iter().map(DataKeyBody::from).collect(),
        processes: holders.into_iter().map(MasterKeyHolderBody::from).collect(),
    }))
}

impl From<ProofOfAgeError> for ModerationApiError {
    fn from(error: ProofOfAgeError) -> Self {
        match error {
            ProofOfAgeError::Db(error) => Self::unavailable(&error),
            error => Self::new(ModerationErrorCode::Unavailable, error.to_string()),
        }
    }
}
