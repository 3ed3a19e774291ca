//! How embeddings are stored in rows: sealed with the key of the profile that they belong to, because a face can be
//! reconstructed from its embedding.

use super::FaceIndexError;
use crate::{
    erasure_keys::{ErasureKeys, KeyOwner},
    vault::Vault,
};
use base::{Environment, ProfileId};
use db::{DbError, ReadTx};
use std::sync::Arc;

/// Seals and opens embeddings; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct EmbeddingVault {
    pub(super) keys: ErasureKeys,
    pub(super) environment: Arc<dyn Environment>,
}

impl EmbeddingVault {
    /// The vault of a profile.
    pub(super) async fn of_profile(&self, view: &mut ReadTx, profile: ProfileId) -> Result<Vault, DbError> {
        self.keys.load_vault(view, KeyOwner::Profile(profile)).await
    }

    /// Seals an embedding with a profile's vault, bound to `aad`.
    pub(super) fn seal(&self, vault: &Vault, aad: &[u8], embedding: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = embedding.iter().flat_map(|number| number.to_le_bytes()).collect();
        vault.seal(&*self.environment, aad, &bytes)
    }

    /// Opens an embedding of a profile that is bound to `aad`; `key` is the profile's, as it was read.
    pub(super) fn open(
        &self,
        (profile, key): (ProfileId, Option<&[u8]>),
        aad: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<f32>, FaceIndexError> {
        let bytes = self.keys.vault_of(KeyOwner::Profile(profile), key).open(aad, sealed)?;
        Ok(bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}
