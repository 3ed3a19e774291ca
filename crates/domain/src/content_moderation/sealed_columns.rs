//! The sealed columns of moderations and findings. Each value is bound to its row: moved to another, it does not open.

use super::NotificationDestinations;
use crate::vault::Vault;
use base::{Environment, ModerationFindingId, ModerationId};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// Seals and opens these columns; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SealedColumns {
    pub(super) vault: Vault,
    pub(super) environment: Arc<dyn Environment>,
}

impl SealedColumns {
    pub(super) fn seal_destinations(
        &self,
        id: ModerationId,
        destinations: &NotificationDestinations,
    ) -> Vec<u8> {
        let plain = serde_json::to_vec(destinations).expect("addresses are JSON");
        self.seal(&moderation_aad("destinations", id), &plain)
    }

    /// Where notifications of a moderation are sent; nowhere, if that was sealed under another master key.
    pub(super) fn open_destinations(&self, id: ModerationId, sealed: &[u8]) -> NotificationDestinations {
        let plain = self.vault.open(&moderation_aad("destinations", id), sealed).ok();
        plain.and_then(|plain| serde_json::from_slice(&plain).ok()).unwrap_or_default()
    }

    pub(super) fn seal_checkpoint(&self, id: ModerationId, checkpoint: &impl Serialize) -> Vec<u8> {
        let plain = serde_json::to_vec(checkpoint).expect("a checkpoint of our own is JSON");
        self.seal(&moderation_aad("checkpoint", id), &plain)
    }

    /// A checkpoint; `None` if this build cannot read it or it was sealed under another master key. The run then starts
    /// again from the beginning; no notification is repeated either way.
    pub(super) fn open_checkpoint<T: DeserializeOwned>(&self, id: ModerationId, sealed: &[u8]) -> Option<T> {
        let plain = self.vault.open(&moderation_aad("checkpoint", id), sealed).ok()?;
        serde_json::from_slice(&plain).ok()
    }

    pub(super) fn seal_embedding(&self, id: ModerationFindingId, embedding: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = embedding.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.seal(&finding_aad(id), &bytes)
    }

    /// The embedding of a finding; `None` if it was sealed under another master key.
    pub(super) fn open_embedding(&self, id: ModerationFindingId, sealed: &[u8]) -> Option<Vec<f32>> {
        let plain = self.vault.open(&finding_aad(id), sealed).ok()?;
        let values = plain.chunks_exact(4);
        Some(values.filter_map(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes).collect())
    }

    fn seal(&self, aad: &[u8], plain: &[u8]) -> Vec<u8> {
        self.vault.seal(&*self.environment, aad, plain)
    }
}

fn moderation_aad(column: &str, id: ModerationId) -> Vec<u8> {
    format!("moderation {id} {column}").into_bytes()
}

fn finding_aad(id: ModerationFindingId) -> Vec<u8> {
    format!("finding {id}").into_bytes()
}
