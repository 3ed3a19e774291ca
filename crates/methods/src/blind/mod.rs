//! Tokens that say only that somebody is old enough (RFC 9577 and 9578, publicly verifiable, type 2): the issuer signs them
//! blindly (RFC 9474), so that whoever redeems one cannot be told from all others of the same age, not even by the issuer.
//!
//! A key stands for one age: which key signed is all that a token tells. So every age has few keys, each for a long time, and
//! everybody is given the same; a key of one's own would be a name.

mod challenge;
mod directory;
mod keys;

pub use challenge::Challenge;
pub use directory::{Issuer, MEDIA_TYPE, PublishedKey, TokenDirectory, TokenDirectoryKey, best, published};
pub use keys::{IssuerKey, VerifyingKey};

/// The type of publicly verifiable tokens.
const TYPE: u16 = 2;
/// Bytes of a signature, and of the modulus.
const SIGNATURE: usize = 256;
/// Bytes of what is signed: type, nonce, digest of the challenge, name of the key.
const SIGNED: usize = 2 + 32 + 32 + 32;

/// Why a message of the protocol is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    /// It is not of the length or form that the standard gives it.
    #[error("the message has another form")]
    Form,
    /// It is of another type of tokens.
    #[error("the message is of another type of tokens")]
    Type,
    /// It names another key.
    #[error("the message names another key")]
    Key,
    /// It answers another challenge.
    #[error("the token answers another challenge")]
    Challenge,
    /// Its signature is not the key's.
    #[error("the signature is not the key's")]
    Signature,
    /// What was blinded cannot be signed.
    #[error("the blinded message cannot be signed")]
    Blinded,
}

/// A token that was shown, taken apart. Nothing in it is verified yet.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    signed: [u8; SIGNED],
    signature: [u8; SIGNATURE],
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Bytes of a token.
    pub const SIZE: usize = SIGNED + SIGNATURE;

    /// Takes a token apart.
    pub fn parse(bytes: &[u8]) -> Result<Self, BadToken> {
        let (signed, signature) = bytes.split_first_chunk::<SIGNED>().ok_or(BadToken::Form)?;
        if u16::from_be_bytes([signed[0], signed[1]]) != TYPE {
            return Err(BadToken::Type);
        }
        let signature = signature.try_into().map_err(|_| BadToken::Form)?;
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
    pub fn spent(&self) -> [u8; 32] {
        sha256(&self.signed)
    }
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}
