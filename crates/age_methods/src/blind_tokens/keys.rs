//! Keys that sign blindly, and what they signed.

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

/// A key that signs: RSA of 2,048 bits, with which RSABSSA-SHA384-PSS-Deterministic is done.
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
    /// A new key, out of the operating system's chance.
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

    /// The PKCS#8 document, to be sealed and kept.
    pub fn to_pkcs8_der(&self) -> &Secret<Vec<u8>> {
        &self.der
    }

    /// The public half.
    pub fn public(&self) -> &VerifyingKey {
        &self.public
    }

    /// Signs what somebody blinded: a `TokenRequest` gives a `TokenResponse` (RFC 9578, sections 6.1 and 6.2). What is signed
    /// cannot be seen, so the caller makes sure beforehand that whoever asks is of the key's age, and counts.
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
        // Blinded once more by the library, with its own chance, so that the time it takes tells nothing of the key.
        let signature = self.private.blind_sign(blinded).map_err(|_| BlindTokenError::Unsignable)?;
        Ok(signature.0)
    }
}

/// The public half of a key: what sites verify tokens with.
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
        // The one spelling, or the name of the key could be chosen.
        if key.to_spki().ok()? != spki || key.components().n().len() != SIGNATURE_BYTES {
            return None;
        }
        // A bit string without unused bits, and in it the key. The plain form's head has a fixed length for this size.
        let rsa = key.to_der().ok()?.get(24..)?.to_vec();
        Some(Self { spki: spki.to_vec(), rsa, id: sha256(spki) })
    }

    /// The bytes that the issuer's directory publishes in base64url.
    pub fn to_spki(&self) -> &[u8] {
        &self.spki
    }

    /// The key's name: SHA-256 over those bytes.
    pub fn id(&self) -> &[u8; 32] {
        &self.id
    }

    /// The last byte of the name, by which requests call the key.
    pub fn short_id(&self) -> u8 {
        self.id[31]
    }

    /// Whether a token is of this key and answers the challenge. That it was not spent before is for the caller to know, by
    /// [`BlindToken::redemption_id`].
    pub fn verify(&self, token: &BlindToken, challenge: &TokenChallenge) -> Result<(), BlindTokenError> {
        if *token.key_id() != self.id {
            return Err(BlindTokenError::WrongKey);
        }
        if *token.challenge_digest() != challenge.digest() {
            return Err(BlindTokenError::WrongChallenge);
        }
        // Without blinding it is an ordinary signature, with a salt as long as the digest.
        let key = UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA384, &self.rsa);
        key.verify(&token.signed, &token.signature).map_err(|_| BlindTokenError::InvalidSignature)
    }
}
