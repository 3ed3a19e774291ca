//! The keys that this installation signs with, as operators see them.

use crate::{
    proof_of_age::issuer::{KEY_ACTIVATION_DELAY, RETIRED_KEY_RETENTION},
    wire_enum::wire_enum,
};
use base::{Environment, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};

wire_enum! {
    /// What a key signs.
    pub enum SigningKeyPurpose {
        /// Webhooks of age verification sessions.
        AgeWebhooks => "age-webhooks",
        /// Proofs of age.
        ProofOfAge => "proof-of-age",
        /// Blind tokens.
        BlindTokens => "blind-tokens",
    }
}

wire_enum! {
    /// What a key is used for now.
    pub enum SigningKeyState {
        /// Signs.
        Signing => "SIGNING",
        /// What it signed is still accepted.
        Retiring => "RETIRING",
    }
}

/// A key of this installation. Its private half is never shown.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SigningKey {
    pub purpose: SigningKeyPurpose,
    /// How it is named where its public half is published.
    pub id: String,
    pub state: SigningKeyState,
    pub created_at: Timestamp,
    /// When it ceases to sign, or when what it signed is no longer accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Of blind tokens: the age that it stands for, years.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub years: Option<i64>,
    /// Of blind tokens: whether it is one of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
}

#[derive(FromRow)]
struct NamedKeyRow {
    id: String,
    created_at: DbTimestamp,
    retired_at: Option<DbTimestamp>,
}

#[derive(FromRow)]
struct BlindTokenKeyRow {
    id: Vec<u8>,
    sandbox: bool,
    years: i64,
    signs_from: DbTimestamp,
    next_at: DbTimestamp,
    ends_at: DbTimestamp,
}

/// All keys, those that sign first.
pub async fn list(view: &mut ReadTx, environment: &dyn Environment) -> Result<Vec<SigningKey>, DbError> {
    let webhooks: Vec<NamedKeyRow> = view
        .fetch_all(sql!(
            "SELECT id, created_at, retires_at AS retired_at FROM webhook_keys ORDER BY created_at DESC, id LIMIT 64"
        ))
        .await?;
    let proofs: Vec<NamedKeyRow> = view
        .fetch_all(sql!(
            "SELECT id, created_at, retired_at FROM issuing_keys ORDER BY created_at DESC, id LIMIT 64"
        ))
        .await?;
    let issuers: Vec<BlindTokenKeyRow> = view
        .fetch_all(sql!(
            "SELECT id, sandbox, years, signs_from, next_at, ends_at FROM age_issuer_keys
              ORDER BY sandbox, years, signs_from DESC LIMIT 256"
        ))
        .await?;
    let now = environment.now();
    let named = |purpose, row: NamedKeyRow, signs, until| SigningKey {
        purpose,
        id: row.id,
        state: if signs { SigningKeyState::Signing } else { SigningKeyState::Retiring },
        created_at: row.created_at.0,
        until,
        years: None,
        sandbox: None,
    };
    // Their rows say until when they are published.
    let webhook = |row: NamedKeyRow| {
        let until = row.retired_at.as_ref().map(|at| at.0);
        named(SigningKeyPurpose::AgeWebhooks, row, until.is_none(), until)
    };
    // Theirs say when another one was made.
    let proof = |row: NamedKeyRow| {
        let retired_at = row.retired_at.as_ref().map(|at| at.0);
        let signs = retired_at.is_none_or(|at| at + KEY_ACTIVATION_DELAY > now);
        let remaining = if signs { KEY_ACTIVATION_DELAY } else { RETIRED_KEY_RETENTION };
        named(SigningKeyPurpose::ProofOfAge, row, signs, retired_at.map(|at| at + remaining))
    };
    let issuer = |row: BlindTokenKeyRow| {
        let signs = row.next_at.0 > now;
        SigningKey {
            purpose: SigningKeyPurpose::BlindTokens,
            id: base64_simd::URL_SAFE_NO_PAD.encode_to_string(row.id),
            state: if signs { SigningKeyState::Signing } else { SigningKeyState::Retiring },
            created_at: row.signs_from.0,
            until: Some(if signs { row.next_at.0 } else { row.ends_at.0 }),
            years: Some(row.years),
            sandbox: Some(row.sandbox),
        }
    };
    let mut keys: Vec<_> = webhooks.into_iter().map(webhook).collect();
    keys.extend(proofs.into_iter().map(proof));
    keys.extend(issuers.into_iter().map(issuer));
    Ok(keys)
}
