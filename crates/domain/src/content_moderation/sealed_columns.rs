//! The sealed columns of moderations and findings. Each value is bound to its row: moved to another, it does not open.

use super::NotificationDestinations;
use crate::{
    erasure_keys::{ErasureKeys, KeyOwner},
    keyring::{KEY_BYTES, take_secret},
    vault::Vault,
};
use base::{Environment, ModerationFindingId, ModerationId, ProfileId, Secret};
use db::{DbError, ReadTx};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// Seals and opens these columns; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SealedColumns {
    pub(super) keys: ErasureKeys,
    pub(super) environment: Arc<dyn Environment>,
}

impl SealedColumns {
    pub(super) fn seal_destinations(
        &self,
        id: ModerationId,
        destinations: &NotificationDestinations,
    ) -> Vec<u8> {
        let plain = serde_json::to_vec(destinations).expect("addresses are JSON");
        self.keys.vault.seal(&*self.environment, &moderation_aad("destinations", id), &plain)
    }

    /// Where notifications of a moderation are sent; nowhere, if that was sealed under another master key.
    pub(super) fn open_destinations(&self, id: ModerationId, sealed: &[u8]) -> NotificationDestinations {
        let plain = self.keys.vault.open(&moderation_aad("destinations", id), sealed).ok();
        plain.and_then(|plain| serde_json::from_slice(&plain).ok()).unwrap_or_default()
    }

    /// Seals a checkpoint with the key of its moderation, because it holds faces.
    pub(super) async fn seal_checkpoint(
        &self,
        view: &mut ReadTx,
        id: ModerationId,
        checkpoint: &impl Serialize,
    ) -> Result<Vec<u8>, DbError> {
        let plain = serde_json::to_vec(checkpoint).expect("a checkpoint of our own is JSON");
        let vault = self.keys.load_vault(view, KeyOwner::Moderation(id)).await?;
        Ok(vault.seal(&*self.environment, &moderation_aad("checkpoint", id), &plain))
    }

    /// A checkpoint; `None` if this build cannot read it or it was sealed under another master key. The run of a
    /// stored content then starts again from the beginning; no notification is repeated either way.
    pub(super) async fn open_checkpoint<T: DeserializeOwned>(
        &self,
        view: &mut ReadTx,
        id: ModerationId,
        sealed: &[u8],
    ) -> Result<Option<T>, DbError> {
        let vault = self.keys.load_vault(view, KeyOwner::Moderation(id)).await?;
        let plain = vault.open(&moderation_aad("checkpoint", id), sealed).ok();
        Ok(plain.and_then(|plain| serde_json::from_slice(&plain).ok()))
    }

    /// Seals the embedding of a finding with the key of the profile that it matches, so that it goes with the profile, or
    /// with that of its moderation.
    pub(super) async fn seal_embedding(
        &self,
        view: &mut ReadTx,
        id: ModerationFindingId,
        owner: EmbeddingOwner,
        embedding: &[f32],
    ) -> Result<Vec<u8>, DbError> {
        let bytes: Vec<u8> = embedding.iter().flat_map(|value| value.to_le_bytes()).collect();
        let vault = self.keys.load_vault(view, owner.key()).await?;
        Ok(vault.seal(&*self.environment, &finding_aad(id), &bytes))
    }

    /// The embedding of a finding; `None` if it was sealed under another master key.
    pub(super) async fn open_embedding(
        &self,
        view: &mut ReadTx,
        id: ModerationFindingId,
        owner: EmbeddingOwner,
        sealed: &[u8],
    ) -> Result<Option<Vec<f32>>, DbError> {
        let vault = self.keys.load_vault(view, owner.key()).await?;
        Ok(Self::open_embedding_with(&vault, id, sealed))
    }

    /// Seals the key of a finding's pictures as its embedding is sealed.
    pub(super) async fn seal_picture_key(
        &self,
        view: &mut ReadTx,
        id: ModerationFindingId,
        owner: EmbeddingOwner,
        key: &Secret<[u8; KEY_BYTES]>,
    ) -> Result<Vec<u8>, DbError> {
        let vault = self.keys.load_vault(view, owner.key()).await?;
        Ok(vault.seal(&*self.environment, &pictures_aad(id), key.expose()))
    }

    /// The key of a finding's pictures; `None` if its owner was deleted, or it was sealed under another master key.
    pub(super) async fn open_picture_key(
        &self,
        view: &mut ReadTx,
        id: ModerationFindingId,
        owner: EmbeddingOwner,
        sealed: &[u8],
    ) -> Result<Option<Secret<[u8; KEY_BYTES]>>, DbError> {
        let vault = self.keys.load_vault(view, owner.key()).await?;
        let opened = vault.open(&pictures_aad(id), sealed).ok();
        let key: Option<[u8; KEY_BYTES]> = opened.and_then(|opened| opened.try_into().ok());
        Ok(key.map(|mut key| take_secret(&mut key)))
    }

    /// The vault of embeddings, from the key that was read with their rows.
    pub(super) fn vault_of(&self, owner: EmbeddingOwner, sealed_key: Option<&[u8]>) -> Vault {
        self.keys.vault_of(owner.key(), sealed_key)
    }

    /// [`Self::open_embedding`] with the vault of its owner.
    pub(super) fn open_embedding_with(
        vault: &Vault,
        id: ModerationFindingId,
        sealed: &[u8],
    ) -> Option<Vec<f32>> {
        let plain = vault.open(&finding_aad(id), sealed).ok()?;
        Some(plain.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}

/// With whose key the embedding of a finding is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EmbeddingOwner {
    pub(super) moderation: ModerationId,
    /// The profile that the face matches.
    pub(super) profile: Option<ProfileId>,
}

impl EmbeddingOwner {
    fn key(self) -> KeyOwner {
        self.profile.map_or(KeyOwner::Moderation(self.moderation), KeyOwner::Profile)
    }
}

fn moderation_aad(column: &str, id: ModerationId) -> Vec<u8> {
    format!("moderation {id} {column}").into_bytes()
}

fn pictures_aad(id: ModerationFindingId) -> Vec<u8> {
    format!("pictures of finding {id}").into_bytes()
}

fn finding_aad(id: ModerationFindingId) -> Vec<u8> {
    format!("finding {id}").into_bytes()
}
