//! JSON Web Encryption in compact form (RFC 7516), for what is encrypted to us: ID tokens, and the responses of
//! wallets.
//!
//! The sender and we agree on a key by ECDH on a NIST curve (RFC 7518, section 4.6), used directly or to wrap a content
//! key. Nothing else is accepted: no RSA, no passwords, no compression. Decryption alone authenticates nobody, because
//! anybody can encrypt to a public key: trust rests on the signature inside.

mod decryption_key;
mod header;

pub use self::decryption_key::DecryptionKey;

use self::header::{ContentEncryption, JweHeader, KeyManagement, parse_public_point};
use crate::jws::base64url;
use aws_lc_rs::{
    aead,
    key_wrap::{self, KeyWrap as _},
};
use base::{Environment, Secret};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde_json::{Value, json};

/// Longest header of a token, encoded.
const MAX_HEADER_BYTES: usize = 8 << 10;

/// Why a token cannot be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token {0}")]
pub struct JweError(&'static str);

/// Whether a text has the five parts of an encrypted token. (A signed one has three.)
pub fn is_jwe(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').count() == 4
}

/// Decrypts a token of at most `max_bytes` with the key among `keys` that it is encrypted to: the one that its `kid`
/// names or, without a `kid`, any on its curve. `apu` and `apv` may have any value; a caller that expects certain
/// values checks them in [`DecryptedJwe`].
pub fn decrypt(text: &str, keys: &[&DecryptionKey], max_bytes: usize) -> Result<DecryptedJwe, JweError> {
    if text.len() > max_bytes {
        return Err(JweError("is too long"));
    }
    let parts: Vec<_> = text.splitn(6, '.').collect();
    let [protected, key, iv, ciphertext, tag] = parts[..] else {
        return Err(JweError("does not have five parts"));
    };
    if protected.len() > MAX_HEADER_BYTES {
        return Err(JweError("has too long a header"));
    }
    let bytes = |part: &str| base64url(part).ok_or(JweError("has a part that is not base64url"));
    let header = JweHeader::parse(&bytes(protected)?)?;
    let (key, iv, ciphertext, tag) = (bytes(key)?, bytes(iv)?, bytes(ciphertext)?, bytes(tag)?);
    let is_candidate = |candidate: &&&DecryptionKey| {
        candidate.curve == header.curve && header.kid.as_ref().is_none_or(|kid| *kid == candidate.kid)
    };
    let mut candidates = keys.iter().filter(is_candidate).peekable();
    if candidates.peek().is_none() {
        return Err(JweError("is not encrypted to a key of ours"));
    }
    let decrypted = candidates.find_map(|candidate| {
        let content_key = unwrap_content_key(candidate, &header, &key)?;
        header.content.decrypt(content_key.expose(), protected.as_bytes(), &iv, ciphertext.clone(), &tag)
    });
    let payload = Secret::new(decrypted.ok_or(JweError("cannot be decrypted"))?);
    Ok(DecryptedJwe { payload, alg: header.alg, enc: header.enc, apu: header.apu, apv: header.apv })
}

/// Decrypts a token whose content key is wrapped by a key that both sides have (`A256KW`, with `A256GCM`). Any other
/// algorithm is refused.
pub(crate) fn decrypt_shared(
    text: &str,
    key: &Secret<[u8; 32]>,
    max_bytes: usize,
) -> Result<Secret<Vec<u8>>, JweError> {
    if text.len() > max_bytes {
        return Err(JweError("is too long"));
    }
    let parts: Vec<_> = text.splitn(6, '.').collect();
    let [protected, wrapped, iv, ciphertext, tag] = parts[..] else {
        return Err(JweError("does not have five parts"));
    };
    let bytes = |part: &str| base64url(part).ok_or(JweError("has a part that is not base64url"));
    let header = crate::strict_json::parse_object(&bytes(protected)?)
        .ok_or(JweError("has a header that is not a JSON object without repetition"))?;
    let is = |name: &str, value: &str| header.get(name).and_then(Value::as_str) == Some(value);
    if !is("alg", "A256KW")
        || !is("enc", "A256GCM")
        || ["crit", "zip"].iter().any(|one| header.contains_key(*one))
    {
        return Err(JweError("is encrypted in another way"));
    }
    let (content, size) = ContentEncryption::of("A256GCM").ok_or(JweError("is encrypted in another way"))?;
    let (wrapped, iv, tag) = (bytes(wrapped)?, bytes(iv)?, bytes(tag)?);
    let decrypted = (|| {
        let mut content_key = vec![0; size];
        if wrapped.len() != size + 8 {
            return None;
        }
        key_wrap::AesKek::new(&key_wrap::AES_256, key.expose())
            .ok()?
            .unwrap(&wrapped, &mut content_key)
            .ok()?;
        let content_key = Secret::new(content_key);
        content.decrypt(content_key.expose(), protected.as_bytes(), &iv, bytes(ciphertext).ok()?, &tag)
    })();
    decrypted.map(Secret::new).ok_or(JweError("cannot be decrypted"))
}

fn unwrap_content_key(ours: &DecryptionKey, header: &JweHeader, wrapped: &[u8]) -> Option<Secret<Vec<u8>>> {
    let mut content = vec![0; header.key_size];
    match header.management {
        KeyManagement::Direct => {
            if !wrapped.is_empty() {
                return None;
            }
            ours.derive_key(&header.epk, &header.enc, [&header.apu, &header.apv], &mut content)?;
        }
        KeyManagement::Wrapped(block, size) => {
            if wrapped.len() != header.key_size + 8 {
                return None;
            }
            let mut wrapping = vec![0; size];
            ours.derive_key(&header.epk, &header.alg, [&header.apu, &header.apv], &mut wrapping)?;
            let wrapping = Secret::new(wrapping);
            key_wrap::AesKek::new(block, wrapping.expose()).ok()?.unwrap(wrapped, &mut content).ok()?;
        }
    }
    Some(Secret::new(content))
}

/// Encrypts to a public JSON Web Key on P-256 with `ECDH-ES`, as a wallet does. `enc` is `A128GCM` or `A256GCM`.
pub fn encrypt(payload: &[u8], to: &Value, enc: &str, env: &dyn Environment) -> Result<String, JweError> {
    let (curve, point) =
        parse_public_point(Some(to)).ok_or(JweError("has no receiver whose key can be used"))?;
    let unsupported = JweError("has a content encryption algorithm that is not written here");
    let (content, key_size) = ContentEncryption::of(enc).ok_or(unsupported)?;
    let ContentEncryption::Gcm(algorithm) = content else { return Err(unsupported) };
    let ours = DecryptionKey::generate(env);
    if curve != ours.curve {
        return Err(JweError("has a receiver on another curve"));
    }
    let mut protected = json!({ "alg": "ECDH-ES", "enc": enc, "epk": ours.required_members() });
    if let Some(kid) = to.get("kid") {
        protected["kid"] = kid.clone();
    }
    let protected = BASE64URL.encode_to_string(protected.to_string());
    let mut key = vec![0; key_size];
    let agreed = ours.derive_key(&point, enc, [&[], &[]], &mut key);
    agreed.ok_or(JweError("has a receiver whose key is not on its curve"))?;
    let key = Secret::new(key);
    let mut iv = [0; aead::NONCE_LEN];
    env.fill_random(&mut iv);
    let mut text = payload.to_vec();
    let tag = aead::UnboundKey::new(algorithm, key.expose())
        .map(aead::LessSafeKey::new)
        .and_then(|key| {
            let nonce = aead::Nonce::assume_unique_for_key(iv);
            key.seal_in_place_separate_tag(nonce, aead::Aad::from(protected.as_bytes()), &mut text)
        })
        .map_err(|_| JweError("is too long"))?;
    let [iv, text, tag] = [&iv[..], &text, tag.as_ref()].map(|part| BASE64URL.encode_to_string(part));
    Ok(format!("{protected}..{iv}.{text}.{tag}"))
}

/// A decrypted token. Who encrypted it is unknown.
#[derive(Debug)]
pub struct DecryptedJwe {
    pub payload: Secret<Vec<u8>>,
    /// The key management algorithm.
    pub alg: String,
    /// The content encryption algorithm.
    pub enc: String,
    /// `PartyUInfo` of the key agreement: the sender's contribution to the key derivation.
    pub apu: Vec<u8>,
    /// `PartyVInfo` of the key agreement: the receiver's; in OpenID4VP the nonce of the request.
    pub apv: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7518, appendix C.
    #[test]
    fn the_key_of_the_standards_example_is_agreed_on() {
        let bob = r#"{"kty":"EC","crv":"P-256",
            "x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
            "y":"e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
            "d":"VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"}"#;
        let header = r#"{"alg":"ECDH-ES","enc":"A128GCM","apu":"QWxpY2U","apv":"Qm9i",
            "epk":{"kty":"EC","crv":"P-256",
            "x":"gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0",
            "y":"SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps"}}"#;
        let bob = DecryptionKey::from_jwk(bob).unwrap();
        let header = JweHeader::parse(header.as_bytes()).unwrap();
        let key = unwrap_content_key(&bob, &header, &[]).unwrap();
        assert_eq!(BASE64URL.encode_to_string(key.expose()), "VqqN6vgjbSBcIijNcacQGg");
    }

    #[test]
    fn only_the_key_that_a_token_is_encrypted_to_decrypts_it() {
        let env = base::TestEnvironment::at("2026-01-01T00:00:00Z");
        let (one, other) = (DecryptionKey::generate(&env), DecryptionKey::generate(&env));
        for enc in ["A128GCM", "A256GCM"] {
            let token = encrypt(b"{}", &one.jwk("ECDH-ES"), enc, &env).unwrap();
            let opened = decrypt(&token, &[&other, &one], 4096).unwrap();
            assert_eq!((opened.payload.expose().as_slice(), opened.enc.as_str()), (&b"{}"[..], enc));
            assert!(decrypt(&token, &[&other], 4096).is_err());
            assert!(decrypt(&token, &[&one], token.len() - 1).is_err());
        }
        assert!(encrypt(b"{}", &one.jwk("ECDH-ES"), "A128CBC-HS256", &env).is_err());
        assert!(encrypt(b"{}", &json!({ "kty": "EC", "crv": "P-256" }), "A128GCM", &env).is_err());
    }

    #[test]
    fn a_key_with_the_public_half_of_another_is_refused() {
        let env = base::TestEnvironment::at("2026-01-01T00:00:00Z");
        let (one, other) = (DecryptionKey::generate(&env), DecryptionKey::generate(&env));
        let mut jwk = one.jwk("ECDH-ES");
        jwk["d"] = json!(BASE64URL.encode_to_string(one.scalar().expose()));
        assert_eq!(DecryptionKey::from_jwk(&jwk.to_string()).unwrap().kid(), one.kid());
        assert_eq!(DecryptionKey::from_scalar(one.scalar().expose()).unwrap().kid(), one.kid());
        jwk["x"] = other.jwk("")["x"].clone();
        assert!(DecryptionKey::from_jwk(&jwk.to_string()).is_none());
        assert!(DecryptionKey::from_scalar(&[0; 32]).is_none(), "zero is not in the group");
        assert!(!format!("{one:?}").contains(&BASE64URL.encode_to_string(one.scalar().expose())));
    }
}
