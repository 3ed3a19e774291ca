//! The header of an encrypted token: which algorithms, which ephemeral key.

use super::{JweError, decryption_key::EcCurve};
use crate::{jws::base64url, strict_json};
use aws_lc_rs::{aead, cipher, constant_time, hmac, key_wrap};
use serde_json::Value;

/// Bytes that each party may have mixed into the key (`apu`, `apv`), at most.
const MAX_PARTY_INFO_BYTES: usize = 512;

/// How the content key is transported.
#[derive(Clone, Copy)]
pub(super) enum KeyManagement {
    /// The derived key is the content key.
    Direct,
    /// The derived key, of this many bytes, wraps the content key.
    Wrapped(&'static key_wrap::AesBlockCipher, usize),
}

/// How the content is encrypted.
#[derive(Clone, Copy)]
pub(super) enum ContentEncryption {
    Gcm(&'static aead::Algorithm),
    /// AES in CBC mode, then an HMAC truncated to half its length (RFC 7518, section 5.2).
    CbcHmac(&'static cipher::Algorithm, hmac::Algorithm),
}

impl ContentEncryption {
    /// The algorithm of this name, and the size of its key in bytes.
    pub(super) fn of(name: &str) -> Option<(Self, usize)> {
        Some(match name {
            "A128GCM" => (Self::Gcm(&aead::AES_128_GCM), 16),
            "A256GCM" => (Self::Gcm(&aead::AES_256_GCM), 32),
            "A128CBC-HS256" => (Self::CbcHmac(&cipher::AES_128, hmac::HMAC_SHA256), 32),
            "A256CBC-HS512" => (Self::CbcHmac(&cipher::AES_256, hmac::HMAC_SHA512), 64),
            _ => return None,
        })
    }

    /// Decrypts and authenticates; `None` if any of it is wrong.
    pub(super) fn decrypt(
        self,
        key: &[u8],
        aad: &[u8],
        iv: &[u8],
        mut text: Vec<u8>,
        tag: &[u8],
    ) -> Option<Vec<u8>> {
        match self {
            Self::Gcm(algorithm) => {
                if tag.len() != 16 {
                    return None;
                }
                let key = aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).ok()?);
                let nonce = aead::Nonce::try_assume_unique_for_key(iv).ok()?;
                text.extend_from_slice(tag);
                let length = key.open_in_place(nonce, aead::Aad::from(aad), &mut text).ok()?.len();
                text.truncate(length);
            }
            Self::CbcHmac(algorithm, mac) => {
                let (mac_key, key) = key.split_at(key.len() / 2);
                let mut context = hmac::Context::with_key(&hmac::Key::new(mac, mac_key));
                for part in [aad, iv, &text, &(aad.len() as u64 * 8).to_be_bytes()] {
                    context.update(part);
                }
                let expected = context.sign();
                // Checked before the padding: otherwise the answer would be a padding oracle.
                constant_time::verify_slices_are_equal(&expected.as_ref()[..mac_key.len()], tag).ok()?;
                let key = cipher::UnboundCipherKey::new(algorithm, key).ok()?;
                let iv = cipher::DecryptionContext::Iv128(<&[u8; 16]>::try_from(iv).ok()?.into());
                let length =
                    cipher::PaddedBlockDecryptingKey::cbc_pkcs7(key).ok()?.decrypt(&mut text, iv).ok()?.len();
                text.truncate(length);
            }
        }
        Some(text)
    }
}

pub(super) struct JweHeader {
    pub(super) alg: String,
    pub(super) management: KeyManagement,
    pub(super) enc: String,
    pub(super) content: ContentEncryption,
    /// Size of the content key in bytes.
    pub(super) key_size: usize,
    pub(super) curve: EcCurve,
    /// The sender's ephemeral public key as an uncompressed point.
    pub(super) epk: Vec<u8>,
    pub(super) apu: Vec<u8>,
    pub(super) apv: Vec<u8>,
    pub(super) kid: Option<String>,
}

impl JweHeader {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, JweError> {
        let members = strict_json::parse_object(bytes)
            .ok_or(JweError("has a header that is not a JSON object without repetition"))?;
        if members.contains_key("crit") || members.contains_key("zip") {
            return Err(JweError("is compressed, or has critical header parameters"));
        }
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let alg = text("alg").unwrap_or_default();
        let management = match alg {
            "ECDH-ES" => KeyManagement::Direct,
            "ECDH-ES+A128KW" => KeyManagement::Wrapped(&key_wrap::AES_128, 16),
            "ECDH-ES+A256KW" => KeyManagement::Wrapped(&key_wrap::AES_256, 32),
            _ => return Err(JweError("has a key management algorithm that is not read here")),
        };
        let enc = text("enc").unwrap_or_default();
        let (content, key_size) = ContentEncryption::of(enc)
            .ok_or(JweError("has a content encryption algorithm that is not read here"))?;
        let party = |name: &str| match members.get(name) {
            None => Ok(Vec::new()),
            Some(value) => value
                .as_str()
                .and_then(base64url)
                .filter(|party| party.len() <= MAX_PARTY_INFO_BYTES)
                .ok_or(JweError("has an apu or apv that cannot be used")),
        };
        let (curve, epk) = parse_public_point(members.get("epk"))
            .ok_or(JweError("has no ephemeral key that can be used"))?;
        Ok(Self {
            alg: alg.to_owned(),
            management,
            enc: enc.to_owned(),
            content,
            key_size,
            curve,
            epk,
            apu: party("apu")?,
            apv: party("apv")?,
            kid: text("kid").map(str::to_owned),
        })
    }
}

/// The curve and uncompressed point of a public JSON Web Key.
pub(super) fn parse_public_point(epk: Option<&Value>) -> Option<(EcCurve, Vec<u8>)> {
    let members = epk?.as_object()?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if text("kty")? != "EC" || members.contains_key("d") {
        return None;
    }
    let curve = EcCurve::of(text("crv")?)?;
    let coordinate = |name: &str| base64url(text(name)?).filter(|bytes| bytes.len() == curve.size());
    Some((curve, [vec![4], coordinate("x")?, coordinate("y")?].concat()))
}
