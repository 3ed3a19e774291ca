//! Tokens that say only that somebody is old enough (RFC 9577 and 9578, publicly verifiable, type 2): the issuer signs them
//! blindly (RFC 9474), so that whoever redeems one cannot be told from all others of the same age, not even by the issuer.
//!
//! A key stands for one age: which key signed is all that a token tells. So every age has few keys, each for a long time, and
//! everybody is given the same; a key of one's own would be a name.

mod challenge;
mod directory;
mod keys;

pub use challenge::TokenChallenge;
pub use directory::{
    PublishedKey, RemoteIssuer, TOKEN_DIRECTORY_MEDIA_TYPE, TokenDirectory, TokenDirectoryKey,
    build_directory, select_key,
};
pub use keys::{IssuerKey, VerifyingKey};

/// The type of publicly verifiable tokens.
const TOKEN_TYPE: u16 = 2;
/// Bytes of a signature, and of the modulus.
const SIGNATURE_BYTES: usize = 256;
/// Bytes of what is signed: type, nonce, digest of the challenge, name of the key.
const SIGNED_BYTES: usize = 2 + 32 + 32 + 32;

/// Why a message of the protocol is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlindTokenError {
    /// It is not of the length or form that the standard gives it.
    #[error("the message has another form")]
    Malformed,
    /// It is of another type of tokens.
    #[error("the message is of another type of tokens")]
    WrongType,
    /// It names another key.
    #[error("the message names another key")]
    WrongKey,
    /// It answers another challenge.
    #[error("the token answers another challenge")]
    WrongChallenge,
    /// Its signature is not the key's.
    #[error("the signature is not the key's")]
    InvalidSignature,
    /// What was blinded cannot be signed.
    #[error("the blinded message cannot be signed")]
    Unsignable,
}

/// A token that was shown, taken apart. Nothing in it is verified yet.
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
    /// Bytes of a token.
    pub const BYTES: usize = SIGNED_BYTES + SIGNATURE_BYTES;

    /// Takes a token apart.
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

    /// The name of the key that signed it.
    pub fn key_id(&self) -> &[u8; 32] {
        self.signed[66..].first_chunk().expect("the name is inside")
    }

    /// What a token is remembered by once it is spent: a digest over what was signed. The signature is no part of it, because
    /// the same could be signed again, and would be the same token.
    pub fn redemption_id(&self) -> [u8; 32] {
        sha256(&self.signed)
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}
