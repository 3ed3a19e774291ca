//! How embeddings are stored in rows: sealed, because a face can be reconstructed from its embedding.

use super::FaceIndexError;
use crate::vault::Vault;
use base::Environment;
use std::sync::Arc;

/// Seals and opens embeddings; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct EmbeddingVault {
    pub(super) vault: Vault,
    pub(super) environment: Arc<dyn Environment>,
}

impl EmbeddingVault {
    /// Seals an embedding, bound to `aad`.
    pub(super) fn seal(&self, aad: &[u8], embedding: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = embedding.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.vault.seal(&*self.environment, aad, &bytes)
    }

    /// Opens an embedding that is bound to `aad`.
    pub(super) fn open(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<f32>, FaceIndexError> {
        let bytes = self.vault.open(aad, sealed)?;
        Ok(bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}
