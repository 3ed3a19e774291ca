//! Keys that sign blinded tokens, and the verification of tokens.

use super::{BlindToken, BlindTokenError, SIGNATURE_BYTES, TOKEN_TYPE, TokenChallenge, sha256};
use aws_lc_rs::{
    encoding::AsDer as _,
    rsa::{KeyPair, KeySize},
    signature::{RSA_PSS_2048_8192_SHA384, UnparsedPublicKey},
};
use base::Secret;
use blind_rsa_signatures::{
    PublicKeySha384PSSDeterministic as Public, SecretKeySha384PSSDeterministic as Private,
};

/// An issuer's private key: RSA of 2,048 bits, for RSABSSA-SHA384-PSS-Deterministic (RFC 9474).
pub struct IssuerKey {
    private: Private,
    der: Secret<Vec<u8>>,
    public: VerifyingKey,
}

impl std::fmt::Debug for IssuerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IssuerKey({})", hex::encode(&self.public.id[..4]))
    }
}

impl IssuerKey {
    /// Generates a key from the operating system's randomness.
    pub fn generate() -> Option<Self> {
        let pair = KeyPair::generate(KeySize::Rsa2048).ok()?;
        Self::from_pkcs8_der(pair.as_der().ok()?.as_ref())
    }

    /// Reads a PKCS#8 document in DER.
    pub fn from_pkcs8_der(der: &[u8]) -> Option<Self> {
        let private = Private::from_der(der).ok()?;
        let spki = private.public_key().ok()?.to_spki().ok()?;
        let public = VerifyingKey::from_spki(&spki)?;
        Some(Self { private, der: Secret::new(der.to_vec()), public })
    }

    /// The PKCS#8 document. Seal it before storing it.
    pub fn to_pkcs8_der(&self) -> &Secret<Vec<u8>> {
        &self.der
    }

    pub fn public(&self) -> &VerifyingKey {
        &self.public
    }

    /// Signs a blinded message: takes a `TokenRequest`, returns a `TokenResponse` (RFC 9578, sections 6.1 and 6.2). The
    /// signer cannot see what it signs, so the caller must first make sure that the requester has reached the key's
    /// age, and count the tokens.
    pub fn issue(&self, request: &[u8]) -> Result<Vec<u8>, BlindTokenError> {
        let (head, blinded) = request.split_first_chunk::<3>().ok_or(BlindTokenError::Malformed)?;
        if u16::from_be_bytes([head[0], head[1]]) != TOKEN_TYPE {
            return Err(BlindTokenError::WrongType);
        }
        if head[2] != self.public.short_id() {
            return Err(BlindTokenError::WrongKey);
        }
        if blinded.len() != SIGNATURE_BYTES {
            return Err(BlindTokenError::Malformed);
        }
        // The library blinds the message again with its own randomness, so that the timing reveals nothing about the
        // key.
        let signature = self.private.blind_sign(blinded).map_err(|_| BlindTokenError::Unsignable)?;
        Ok(signature.0)
    }
}

/// An issuer's public key, with which sites verify tokens.
#[derive(Clone)]
pub struct VerifyingKey {
    spki: Vec<u8>,
    /// `RSAPublicKey` (RFC 8017), as aws-lc reads it.
    rsa: Vec<u8>,
    id: [u8; 32],
}

impl std::fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VerifyingKey({})", hex::encode(&self.id[..4]))
    }
}

impl VerifyingKey {
    /// Reads a `SubjectPublicKeyInfo` for RSASSA-PSS with SHA-384 and 48 bytes of salt, and a modulus of 2,048 bits.
    pub fn from_spki(spki: &[u8]) -> Option<Self> {
        let key = Public::from_spki(spki).ok()?;
        // Accept only the canonical encoding: otherwise one key could have many ids.
        if key.to_spki().ok()? != spki || key.components().n().len() != SIGNATURE_BYTES {
            return None;
        }
        // `RSAPublicKey` follows the headers of the plain `SubjectPublicKeyInfo`, which take 24 bytes for a key of this
        // size.
        let rsa = key.to_der().ok()?.get(24..)?.to_vec();
        Some(Self { spki: spki.to_vec(), rsa, id: sha256(spki) })
    }

    /// The bytes that the issuer's directory publishes in base64url.
    pub fn to_spki(&self) -> &[u8] {
        &self.spki
    }

    /// The key's id: SHA-256 of [`Self::to_spki`].
    pub fn id(&self) -> &[u8; 32] {
        &self.id
    }

    /// The last byte of the id, by which a `TokenRequest` names the key.
    pub fn short_id(&self) -> u8 {
        self.id[31]
    }

    /// Verifies that a token was signed by this key and answers the challenge. The caller must check that it was not
    /// redeemed before, by [`BlindToken::redemption_id`].
    pub fn verify(&self, token: &BlindToken, challenge: &TokenChallenge) -> Result<(), BlindTokenError> {
        if *token.key_id() != self.id {
            return Err(BlindTokenError::WrongKey);
        }
        if *token.challenge_digest() != challenge.digest() {
            return Err(BlindTokenError::WrongChallenge);
        }
        // Once unblinded, it is an ordinary RSASSA-PSS signature with a salt as long as the digest.
        let key = UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA384, &self.rsa);
        key.verify(&token.signed, &token.signature).map_err(|_| BlindTokenError::InvalidSignature)
    }
}
