//! Google's Play Integrity: a verdict of Google Play about an app and the phone that it runs on, as a signed token (ES256)
//! inside an encrypted one (A256KW, A256GCM). The keys are those of one app, which its developer downloads.

use crate::{
    jwe::{self, JweError},
    jws::Jws,
    keys::{SignatureAlgorithm, VerificationKey},
};
use base::Secret;
use serde_json::{Map, Value};

/// Longest token, bytes.
const MAX_TOKEN_BYTES: usize = 32 << 10;

/// Why a verdict is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayIntegrityError {
    #[error(transparent)]
    Encryption(#[from] JweError),
    #[error("the token {0}")]
    Token(&'static str),
}

/// The keys of an app, as the developer console shows them.
#[derive(Clone)]
pub struct PlayIntegrityKeys {
    decryption: Secret<[u8; 32]>,
    verification: VerificationKey,
}

impl std::fmt::Debug for PlayIntegrityKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PlayIntegrityKeys")
    }
}

impl PlayIntegrityKeys {
    /// The key that decrypts (base64 of 32 bytes) and the one that verifies (base64 of a `SubjectPublicKeyInfo` on P-256).
    /// `Err` names which is wrong.
    pub fn parse(decryption: &str, verification: &str) -> Result<Self, &'static str> {
        let decode = |text: &str| base64_simd::STANDARD.decode_to_vec(text.trim()).ok();
        let decryption = decode(decryption).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let verification = decode(verification).and_then(|bytes| VerificationKey::of_spki(&bytes));
        Ok(Self {
            decryption: Secret::new(decryption.ok_or("decryption")?),
            verification: verification.ok_or("verification")?,
        })
    }

    /// The verdict in a token that Google made for this app.
    pub fn open(&self, token: &str) -> Result<Map<String, Value>, PlayIntegrityError> {
        let inner = jwe::decrypt_shared(token, &self.decryption, MAX_TOKEN_BYTES)?;
        let inner =
            std::str::from_utf8(inner.expose()).map_err(|_| PlayIntegrityError::Token("holds no text"))?;
        let signed = Jws::parse(inner).map_err(PlayIntegrityError::Token)?;
        let is_signed = signed.alg == Some(SignatureAlgorithm::Es256)
            && self.verification.verifies(
                SignatureAlgorithm::Es256,
                signed.signing_input.as_bytes(),
                &signed.signature,
            );
        if is_signed {
            Ok(signed.payload)
        } else {
            Err(PlayIntegrityError::Token("is not signed by the key"))
        }
    }
}
