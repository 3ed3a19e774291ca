//! Tokens that prove only that their holder has reached an age (RFC 9577 and 9578, publicly verifiable, type 2). The
//! issuer signs them blindly (RFC 9474), so that nobody, not even the issuer, can tell the person who redeems one from
//! everyone else of the same age.
//!
//! Each key stands for one age, and which key signed a token is all that it reveals. So every age has few keys, each
//! used for a long time and for everyone: a key used for one person would identify them.

mod challenge;
mod directory;
mod keys;

pub use challenge::TokenChallenge;
pub use directory::{
    PublishedKey, RemoteIssuer, TOKEN_DIRECTORY_MEDIA_TYPE, TokenDirectory, TokenDirectoryKey,
    build_directory, select_key,
};
pub use keys::{IssuerKey, VerifyingKey};

/// Publicly verifiable tokens: blind RSA (RFC 9578, section 6).
const TOKEN_TYPE: u16 = 2;
/// Bytes of a signature, and of the modulus.
const SIGNATURE_BYTES: usize = 256;
/// Bytes of the signed part: type, nonce, challenge digest, key id.
const SIGNED_BYTES: usize = 2 + 32 + 32 + 32;

/// Why a message of the protocol is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlindTokenError {
    /// Its length or form is not what the standard defines.
    #[error("the message has another form")]
    Malformed,
    #[error("the message is of another type of tokens")]
    WrongType,
    #[error("the message names another key")]
    WrongKey,
    #[error("the token answers another challenge")]
    WrongChallenge,
    #[error("the signature is not the key's")]
    InvalidSignature,
    #[error("the blinded message cannot be signed")]
    Unsignable,
}

/// A parsed token. Nothing in it is verified yet.
#[derive(Clone, PartialEq, Eq)]
pub struct BlindToken {
    signed: [u8; SIGNED_BYTES],
    signature: [u8; SIGNATURE_BYTES],
}

impl std::fmt::Debug for BlindToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl BlindToken {
    pub const BYTES: usize = SIGNED_BYTES + SIGNATURE_BYTES;

    pub fn parse(bytes: &[u8]) -> Result<Self, BlindTokenError> {
        let (signed, signature) =
            bytes.split_first_chunk::<SIGNED_BYTES>().ok_or(BlindTokenError::Malformed)?;
        if u16::from_be_bytes([signed[0], signed[1]]) != TOKEN_TYPE {
            return Err(BlindTokenError::WrongType);
        }
        let signature = signature.try_into().map_err(|_| BlindTokenError::Malformed)?;
        Ok(Self { signed: *signed, signature })
    }

    /// The digest of the challenge that it answers.
    pub fn challenge_digest(&self) -> &[u8; 32] {
        self.signed[34..].first_chunk().expect("the digest is inside")
    }

    /// The id of the key that it claims to be signed by.
    pub fn key_id(&self) -> &[u8; 32] {
        self.signed[66..].first_chunk().expect("the name is inside")
    }

    /// Identifies a redeemed token: a digest of the signed part. The signature is left out, because the same part can
    /// be signed again and would still be the same token.
    pub fn redemption_id(&self) -> [u8; 32] {
        sha256(&self.signed)
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}
