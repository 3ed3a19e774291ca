//! State that travels through the page, or through the address of a wallet request, instead of lying in a row.

use crate::vault::Vault;
use base::Environment;
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// Seals state as base64url text. The `aad` says what the state belongs to: with another one it does not open.
#[derive(Debug)]
pub(super) struct ContinuationVault {
    environment: Arc<dyn Environment>,
    vault: Vault,
}

impl ContinuationVault {
    pub(super) fn new(environment: Arc<dyn Environment>, vault: Vault) -> Self {
        Self { environment, vault }
    }

    pub(super) fn seal<T: Serialize>(&self, aad: &[u8], state: &T) -> String {
        self.seal_bytes(aad, &serde_json::to_vec(state).expect("state that travels is JSON"))
    }

    /// `None` if the text was not sealed by this server for `aad`, or holds another kind of state.
    pub(super) fn open<T: DeserializeOwned>(&self, aad: &[u8], sealed: &str) -> Option<T> {
        serde_json::from_slice(&self.open_bytes(aad, sealed)?).ok()
    }

    pub(super) fn seal_bytes(&self, aad: &[u8], plain: &[u8]) -> String {
        BASE64URL.encode_to_string(self.vault.seal(&*self.environment, aad, plain))
    }

    pub(super) fn open_bytes(&self, aad: &[u8], sealed: &str) -> Option<Vec<u8>> {
        self.vault.open(aad, &BASE64URL.decode_to_vec(sealed).ok()?).ok()
    }
}
