//! Values that an older database has sealed, to find out whether a master key is the one that it was used with. Every server
//! made a key for proofs of age at its start, so a database that was served has at least one.

use crate::{
    age_verification::{issuer_key_aad, webhook_key_aad},
    delivery::secrets::webhook_secret_aad,
    erasure_keys::KeyOwner,
    keyring::Keyring,
    master_key::MasterKey,
    proof_of_age::issuer::issuing_key_aad,
    vault::Vault,
};
use base::{DocumentSessionId, Uuid};
use db::{DbError, DbRow, FromRow, Query, ReadTx, sql};

/// A sealed value, and what it is sealed with in addition.
pub(super) struct SealedSample {
    aad: Vec<u8>,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct TextRow {
    id: String,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct UuidRow {
    id: Uuid,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct SessionKeyRow {
    id: DocumentSessionId,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct BytesRow {
    id: Vec<u8>,
    sealed: Vec<u8>,
}

/// The newest values of each kind.
pub(super) async fn list(view: &mut ReadTx) -> Result<Vec<SealedSample>, DbError> {
    let mut found = of(
        view,
        sql!("SELECT id, sealed FROM issuing_keys ORDER BY created_at DESC LIMIT 4"),
        |TextRow { id, sealed }| SealedSample { aad: issuing_key_aad(&id), sealed },
    )
    .await?;
    found.extend(
        of(
            view,
            sql!("SELECT id, sealed FROM webhook_keys ORDER BY created_at DESC LIMIT 4"),
            |TextRow { id, sealed }| SealedSample { aad: webhook_key_aad(&id), sealed },
        )
        .await?,
    );
    found.extend(
        of(
            view,
            sql!("SELECT id, sealed FROM webhook_secrets ORDER BY created_at DESC LIMIT 4"),
            |UuidRow { id, sealed }| SealedSample { aad: webhook_secret_aad(id), sealed },
        )
        .await?,
    );
    found.extend(
        of(
            view,
            sql!(
                "SELECT s.id, k.sealed FROM identity_sessions s JOIN erasure_keys k ON k.owner_id = s.id
                  ORDER BY s.created_at DESC LIMIT 4"
            ),
            |SessionKeyRow { id, sealed }| SealedSample { aad: KeyOwner::DocumentSession(id).aad(), sealed },
        )
        .await?,
    );
    found.extend(
        of(
            view,
            sql!("SELECT id, sealed FROM age_issuer_keys ORDER BY signs_from DESC LIMIT 4"),
            |BytesRow { id, sealed }| SealedSample { aad: issuer_key_aad(&id), sealed },
        )
        .await?,
    );
    Ok(found)
}

async fn of<T: DbRow>(
    view: &mut ReadTx,
    query: Query,
    sample: impl Fn(T) -> SealedSample,
) -> Result<Vec<SealedSample>, DbError> {
    Ok(view.fetch_all(query).await?.into_iter().map(sample).collect())
}

/// Whether a key opens at least one of the values. One is enough: values that another key has sealed meanwhile, which used
/// to be possible, are lost already.
pub(super) fn opens_any(key: &dyn MasterKey, samples: &[SealedSample]) -> bool {
    let Some(bytes) = key.bytes() else { return false };
    let vault = Vault::new(&Keyring::new(bytes.clone()));
    samples.iter().any(|sample| vault.open(&sample.aad, &sample.sealed).is_ok())
}
