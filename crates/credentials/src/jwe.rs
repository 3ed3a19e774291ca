//! JSON Web Encryption in compact form (RFC 7516), for answers that are encrypted to us: ID tokens, and what wallets post.
//!
//! The sender agrees on a key by ECDH on a NIST curve (RFC 7518, section 4.6), directly or with a wrapped content key. Nothing
//! else is read: no RSA, no passwords, no compression. What is decrypted is not yet believed: anybody may encrypt to a public
//! key, so the signature inside counts.

use crate::{jws::base64url, keys, strict_json};
use aws_lc_rs::{
    aead, agreement, cipher, constant_time, hmac, kdf,
    key_wrap::{self, KeyWrap as _},
};
use base::{Environment, Secret};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde_json::{Value, json};

/// More than this is no header of a token.
const MAX_HEADER_BYTES: usize = 8 << 10;
/// The most bytes that each side may have mixed into the key (`apu`, `apv`).
const MAX_PARTY_INFO_BYTES: usize = 512;

/// Why a text cannot be decrypted, in words that follow "the token".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token {0}")]
pub struct JweError(&'static str);

/// A private key that tokens are encrypted to.
pub struct DecryptionKey {
    curve: EcCurve,
    scalar: Secret<Vec<u8>>,
    private: agreement::PrivateKey,
    /// Its public half: `0x04`, x, y.
    point: Vec<u8>,
    kid: String,
}

impl std::fmt::Debug for DecryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DecryptionKey({})", self.kid)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EcCurve {
    P256,
    P384,
    P521,
}

impl EcCurve {
    fn of(name: &str) -> Option<Self> {
        [Self::P256, Self::P384, Self::P521].into_iter().find(|curve| curve.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    /// Bytes of a coordinate, and of a scalar.
    fn size(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    fn algorithm(self) -> &'static agreement::Algorithm {
        match self {
            Self::P256 => &agreement::ECDH_P256,
            Self::P384 => &agreement::ECDH_P384,
            Self::P521 => &agreement::ECDH_P521,
        }
    }
}

impl DecryptionKey {
    /// A new P-256 key out of the world's chance.
    pub fn generate(world: &dyn Environment) -> Self {
        loop {
            let mut scalar = vec![0; 32];
            world.fill_random(&mut scalar);
            // A scalar outside the group (one in 2^32) is drawn again.
            if let Some(key) = Self::of(EcCurve::P256, Secret::new(scalar), None) {
                return key;
            }
        }
    }

    /// Reads the scalar of a P-256 key: 32 bytes.
    pub fn from_scalar(scalar: &[u8]) -> Option<Self> {
        Self::of(EcCurve::P256, Secret::new(scalar.to_vec()), None)
    }

    /// Reads a private JSON Web Key on P-256, P-384 or P-521. Its name is its `kid`, or else its thumbprint (RFC 7638).
    pub fn from_jwk(jwk: &str) -> Option<Self> {
        let members = strict_json::parse_object(jwk.as_bytes())?;
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if text("kty")? != "EC" || text("use").is_some_and(|used| used != "enc") {
            return None;
        }
        let curve = EcCurve::of(text("crv")?)?;
        let key = Self::of(curve, Secret::new(base64url(text("d")?)?), text("kid"))?;
        // A public half that is another key's would have others encrypt to what cannot be decrypted.
        let half = [vec![4], base64url(text("x")?)?, base64url(text("y")?)?].concat();
        (half == key.point).then_some(key)
    }

    fn of(curve: EcCurve, scalar: Secret<Vec<u8>>, kid: Option<&str>) -> Option<Self> {
        let private = agreement::PrivateKey::from_private_key(curve.algorithm(), scalar.expose()).ok()?;
        let point = private.compute_public_key().ok()?.as_ref().to_vec();
        let mut key = Self { curve, scalar, private, point, kid: String::new() };
        key.kid = match kid {
            Some(kid) => kid.to_owned(),
            None => BASE64URL.encode_to_string(keys::thumbprint(&key.required_members())),
        };
        Some(key)
    }

    fn required_members(&self) -> Value {
        let (x, y) = self.point[1..].split_at(self.curve.size());
        let (x, y) = (BASE64URL.encode_to_string(x), BASE64URL.encode_to_string(y));
        json!({ "kty": "EC", "crv": self.curve.name(), "x": x, "y": y })
    }

    /// The public half as a JSON Web Key for `alg`, to be published.
    pub fn jwk(&self, alg: &str) -> Value {
        let mut jwk = self.required_members();
        jwk["kid"] = json!(self.kid);
        jwk["use"] = json!("enc");
        jwk["alg"] = json!(alg);
        jwk
    }

    /// What the public half is called.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The RFC 7638 thumbprint of the public half.
    pub fn thumbprint(&self) -> [u8; 32] {
        keys::thumbprint(&self.required_members())
    }

    /// The scalar, to be sealed and kept.
    pub fn scalar(&self) -> &Secret<Vec<u8>> {
        &self.scalar
    }

    /// The key that both sides agree on for one use (RFC 7518, section 4.6.2).
    fn derive_key(&self, header: &JweHeader, purpose: &str, key: &mut [u8]) -> Option<()> {
        let bits = (key.len() * 8) as u32;
        let mut info = Vec::new();
        for part in [purpose.as_bytes(), &header.apu, &header.apv] {
            info.extend_from_slice(&(part.len() as u32).to_be_bytes());
            info.extend_from_slice(part);
        }
        info.extend_from_slice(&bits.to_be_bytes());
        let theirs = agreement::UnparsedPublicKey::new(self.curve.algorithm(), &header.epk);
        agreement::agree(&self.private, theirs, (), |shared| {
            kdf::sskdf_digest(sskdf_sha256(), shared, &info, key).map_err(drop)
        })
        .ok()
    }
}

fn sskdf_sha256() -> &'static kdf::SskdfDigestAlgorithm {
    kdf::get_sskdf_digest_algorithm(kdf::SskdfDigestAlgorithmId::Sha256).expect("SHA-256 is always there")
}

/// How the content key comes.
#[derive(Clone, Copy)]
enum KeyManagement {
    Direct,
    Wrapped(&'static key_wrap::AesBlockCipher, usize),
}

/// How the content is encrypted.
#[derive(Clone, Copy)]
enum ContentEncryption {
    Gcm(&'static aead::Algorithm),
    /// AES in CBC mode, then a MAC cut to half its length.
    CbcHmac(&'static cipher::Algorithm, hmac::Algorithm),
}

impl ContentEncryption {
    fn of(name: &str) -> Option<(Self, usize)> {
        Some(match name {
            "A128GCM" => (Self::Gcm(&aead::AES_128_GCM), 16),
            "A256GCM" => (Self::Gcm(&aead::AES_256_GCM), 32),
            "A128CBC-HS256" => (Self::CbcHmac(&cipher::AES_128, hmac::HMAC_SHA256), 32),
            "A256CBC-HS512" => (Self::CbcHmac(&cipher::AES_256, hmac::HMAC_SHA512), 64),
            _ => return None,
        })
    }

    fn decrypt(self, key: &[u8], aad: &[u8], iv: &[u8], mut text: Vec<u8>, tag: &[u8]) -> Option<Vec<u8>> {
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
                // Before the padding is looked at, or it could be asked about.
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

struct JweHeader {
    alg: String,
    management: KeyManagement,
    enc: String,
    content: ContentEncryption,
    /// Bytes of the content's key.
    key_size: usize,
    curve: EcCurve,
    epk: Vec<u8>,
    apu: Vec<u8>,
    apv: Vec<u8>,
    kid: Option<String>,
}

impl JweHeader {
    fn parse(bytes: &[u8]) -> Result<Self, JweError> {
        let members = strict_json::parse_object(bytes)
            .ok_or(JweError("has a header that is no JSON object without repetition"))?;
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
        let (curve, epk) = parse_ephemeral_key(members.get("epk"))
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

fn parse_ephemeral_key(epk: Option<&Value>) -> Option<(EcCurve, Vec<u8>)> {
    let members = epk?.as_object()?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if text("kty")? != "EC" || members.contains_key("d") {
        return None;
    }
    let curve = EcCurve::of(text("crv")?)?;
    let coordinate = |name: &str| base64url(text(name)?).filter(|bytes| bytes.len() == curve.size());
    Some((curve, [vec![4], coordinate("x")?, coordinate("y")?].concat()))
}

/// Whether a text has the five parts of an encrypted token; a signed one has three.
pub fn is_jwe(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').count() == 4
}

/// Decrypts a token with whichever of the keys it is encrypted to: the one that its `kid` names or, without a `kid`, any on its
/// curve. `apu` and `apv` are mixed in as they stand; who must see certain values in them looks at [`DecryptedJwe`].
pub fn decrypt(text: &str, keys: &[&DecryptionKey], most_bytes: usize) -> Result<DecryptedJwe, JweError> {
    if text.len() > most_bytes {
        return Err(JweError("is too long"));
    }
    let parts: Vec<_> = text.splitn(6, '.').collect();
    let [protected, key, iv, ciphertext, tag] = parts[..] else {
        return Err(JweError("has no five parts"));
    };
    if protected.len() > MAX_HEADER_BYTES {
        return Err(JweError("has too long a header"));
    }
    let bytes = |part: &str| base64url(part).ok_or(JweError("has a part that is not base64url"));
    let header = JweHeader::parse(&bytes(protected)?)?;
    let (key, iv, ciphertext, tag) = (bytes(key)?, bytes(iv)?, bytes(ciphertext)?, bytes(tag)?);
    let is_meant = |candidate: &&&DecryptionKey| {
        candidate.curve == header.curve && header.kid.as_ref().is_none_or(|kid| *kid == candidate.kid)
    };
    let mut meant = keys.iter().filter(is_meant).peekable();
    if meant.peek().is_none() {
        return Err(JweError("is not encrypted to a key of ours"));
    }
    let opened = meant.find_map(|candidate| {
        let content_key = unwrap_content_key(candidate, &header, &key)?;
        header.content.decrypt(content_key.expose(), protected.as_bytes(), &iv, ciphertext.clone(), &tag)
    });
    let payload = Secret::new(opened.ok_or(JweError("cannot be decrypted"))?);
    Ok(DecryptedJwe { payload, alg: header.alg, enc: header.enc, apu: header.apu, apv: header.apv })
}

fn unwrap_content_key(ours: &DecryptionKey, header: &JweHeader, wrapped: &[u8]) -> Option<Secret<Vec<u8>>> {
    let mut content = vec![0; header.key_size];
    match header.management {
        KeyManagement::Direct => {
            if !wrapped.is_empty() {
                return None;
            }
            ours.derive_key(header, &header.enc, &mut content)?;
        }
        KeyManagement::Wrapped(block, size) => {
            if wrapped.len() != header.key_size + 8 {
                return None;
            }
            let mut wrapping = vec![0; size];
            ours.derive_key(header, &header.alg, &mut wrapping)?;
            let wrapping = Secret::new(wrapping);
            key_wrap::AesKek::new(block, wrapping.expose()).ok()?.unwrap(wrapped, &mut content).ok()?;
        }
    }
    Some(Secret::new(content))
}

/// Encrypts to a public JSON Web Key on P-256 by `ECDH-ES`, as a wallet does. `enc` is `A128GCM` or `A256GCM`.
pub fn encrypt(payload: &[u8], to: &Value, enc: &str, world: &dyn Environment) -> Result<String, JweError> {
    let (curve, point) =
        parse_ephemeral_key(Some(to)).ok_or(JweError("has no receiver whose key can be used"))?;
    let unread = JweError("has a content encryption algorithm that is not written here");
    let (content, key_size) = ContentEncryption::of(enc).ok_or(unread)?;
    let ContentEncryption::Gcm(algorithm) = content else { return Err(unread) };
    let ours = DecryptionKey::generate(world);
    if curve != ours.curve {
        return Err(JweError("has a receiver on another curve"));
    }
    let mut protected = json!({ "alg": "ECDH-ES", "enc": enc, "epk": ours.required_members() });
    if let Some(kid) = to.get("kid") {
        protected["kid"] = kid.clone();
    }
    let protected = BASE64URL.encode_to_string(protected.to_string());
    let header = JweHeader {
        alg: "ECDH-ES".to_owned(),
        management: KeyManagement::Direct,
        enc: enc.to_owned(),
        content,
        key_size,
        curve,
        epk: point,
        apu: Vec::new(),
        apv: Vec::new(),
        kid: None,
    };
    let mut key = vec![0; key_size];
    let agreed = ours.derive_key(&header, enc, &mut key);
    agreed.ok_or(JweError("has a receiver whose key is none of its curve"))?;
    let key = Secret::new(key);
    let mut iv = [0; aead::NONCE_LEN];
    world.fill_random(&mut iv);
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

/// A token that was decrypted. Whoever encrypted it is unknown.
#[derive(Debug)]
pub struct DecryptedJwe {
    /// What was in it.
    pub payload: Secret<Vec<u8>>,
    /// How the key came.
    pub alg: String,
    /// How the content was encrypted.
    pub enc: String,
    /// What the sender had mixed into the key as its own.
    pub apu: Vec<u8>,
    /// And as the receiver's; in OpenID4VP the nonce of the request.
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
    fn what_is_encrypted_to_a_key_is_read_by_it_alone() {
        let world = base::TestEnvironment::at("2026-01-01T00:00:00Z");
        let (one, other) = (DecryptionKey::generate(&world), DecryptionKey::generate(&world));
        for enc in ["A128GCM", "A256GCM"] {
            let token = encrypt(b"{}", &one.jwk("ECDH-ES"), enc, &world).unwrap();
            let opened = decrypt(&token, &[&other, &one], 4096).unwrap();
            assert_eq!((opened.payload.expose().as_slice(), opened.enc.as_str()), (&b"{}"[..], enc));
            assert!(decrypt(&token, &[&other], 4096).is_err());
            assert!(decrypt(&token, &[&one], token.len() - 1).is_err());
        }
        assert!(encrypt(b"{}", &one.jwk("ECDH-ES"), "A128CBC-HS256", &world).is_err());
        assert!(encrypt(b"{}", &json!({ "kty": "EC", "crv": "P-256" }), "A128GCM", &world).is_err());
    }

    #[test]
    fn a_key_with_anothers_public_half_is_none() {
        let world = base::TestEnvironment::at("2026-01-01T00:00:00Z");
        let (one, other) = (DecryptionKey::generate(&world), DecryptionKey::generate(&world));
        let mut jwk = one.jwk("ECDH-ES");
        jwk["d"] = json!(BASE64URL.encode_to_string(one.scalar().expose()));
        assert_eq!(DecryptionKey::from_jwk(&jwk.to_string()).unwrap().kid(), one.kid());
        assert_eq!(DecryptionKey::from_scalar(one.scalar().expose()).unwrap().kid(), one.kid());
        jwk["x"] = other.jwk("")["x"].clone();
        assert!(DecryptionKey::from_jwk(&jwk.to_string()).is_none());
        assert!(DecryptionKey::from_scalar(&[0; 32]).is_none(), "zero is no scalar");
        assert!(!format!("{one:?}").contains(&BASE64URL.encode_to_string(one.scalar().expose())));
    }
}
