//! The private keys that tokens are encrypted to, and the key agreement with the sender.

use crate::{jws::base64url, keys, strict_json};
use aws_lc_rs::{
    agreement,
    hkdf::{HKDF_SHA256, Salt},
    kdf,
};
use base::{Environment, Secret};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde_json::{Value, json};

/// A private key on a NIST curve that tokens are encrypted to. `Debug` prints its `kid` alone.
pub struct DecryptionKey {
    pub(super) curve: EcCurve,
    scalar: Secret<Vec<u8>>,
    private: agreement::PrivateKey,
    /// The public half as an uncompressed point: `0x04`, x, y.
    point: Vec<u8>,
    pub(super) kid: String,
}

impl std::fmt::Debug for DecryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DecryptionKey({})", self.kid)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EcCurve {
    P256,
    P384,
    P521,
}

impl EcCurve {
    pub(super) fn of(name: &str) -> Option<Self> {
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
    pub(super) fn size(self) -> usize {
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
    /// A new random P-256 key.
    pub fn generate(env: &dyn Environment) -> Self {
        loop {
            let mut scalar = vec![0; 32];
            env.fill_random(&mut scalar);
            // A scalar outside the group (probability 2^-32) is drawn again.
            if let Some(key) = Self::of(EcCurve::P256, Secret::new(scalar), None) {
                return key;
            }
        }
    }

    /// From the scalar of a P-256 key, 32 bytes. `None` if it is not in the group.
    pub fn from_scalar(scalar: &[u8]) -> Option<Self> {
        Self::of(EcCurve::P256, Secret::new(scalar.to_vec()), None)
    }

    /// Parses a private JSON Web Key on P-256, P-384 or P-521. Without a `kid` it gets its thumbprint (RFC 7638) as
    /// one. `None` if it is malformed, for another use, or its public half does not belong to its scalar.
    pub fn from_jwk(jwk: &str) -> Option<Self> {
        let members = strict_json::parse_object(jwk.as_bytes())?;
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if text("kty")? != "EC" || text("use").is_some_and(|used| used != "enc") {
            return None;
        }
        let curve = EcCurve::of(text("crv")?)?;
        let key = Self::of(curve, Secret::new(base64url(text("d")?)?), text("kid"))?;
        // With the public half of another key published, others would encrypt what cannot be decrypted.
        let point = [vec![4], base64url(text("x")?)?, base64url(text("y")?)?].concat();
        (point == key.point).then_some(key)
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

    /// The required members of the public half (RFC 7638), which are also the JWK of an ephemeral key.
    pub(super) fn required_members(&self) -> Value {
        let (x, y) = self.point[1..].split_at(self.curve.size());
        let (x, y) = (BASE64URL.encode_to_string(x), BASE64URL.encode_to_string(y));
        json!({ "kty": "EC", "crv": self.curve.name(), "x": x, "y": y })
    }

    /// The public half as a JSON Web Key, to be published. `alg` is the key management algorithm it is for.
    pub fn jwk(&self, alg: &str) -> Value {
        let mut jwk = self.required_members();
        jwk["kid"] = json!(self.kid);
        jwk["use"] = json!("enc");
        jwk["alg"] = json!(alg);
        jwk
    }

    /// The key id of the public half.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The RFC 7638 thumbprint of the public half.
    pub fn thumbprint(&self) -> [u8; 32] {
        keys::thumbprint(&self.required_members())
    }

    /// The scalar, to be stored sealed.
    pub fn scalar(&self) -> &Secret<Vec<u8>> {
        &self.scalar
    }

    /// `EMacKey` of ISO 18013-5 (9.1.3.5), with this as the reader's ephemeral key: what a device authenticates a response
    /// with. `device_point` is the device's public key, `salt` SHA-256 of the session transcript's bytes. `None` if the
    /// point is not on the curve.
    pub(crate) fn derive_device_mac_key(&self, device_point: &[u8], salt: &[u8; 32]) -> Option<[u8; 32]> {
        let theirs = agreement::UnparsedPublicKey::new(self.curve.algorithm(), device_point);
        agreement::agree(&self.private, theirs, (), |shared| {
            let mut key = [0; 32];
            let derived = Salt::new(HKDF_SHA256, salt).extract(shared);
            derived.expand(&[b"EMacKey"], HKDF_SHA256).and_then(|okm| okm.fill(&mut key)).map_err(drop)?;
            Ok(key)
        })
        .ok()
    }

    /// The key that both sides derive for one purpose (RFC 7518, section 4.6.2), written to `key`. `purpose` is the
    /// name of the algorithm that it is for; `party_infos` are `apu` and `apv`. `None` if `their_point` is not on the
    /// curve.
    pub(super) fn derive_key(
        &self,
        their_point: &[u8],
        purpose: &str,
        party_infos: [&[u8]; 2],
        key: &mut [u8],
    ) -> Option<()> {
        let bits = (key.len() * 8) as u32;
        let mut info = Vec::new();
        for part in [purpose.as_bytes(), party_infos[0], party_infos[1]] {
            info.extend_from_slice(&(part.len() as u32).to_be_bytes());
            info.extend_from_slice(part);
        }
        info.extend_from_slice(&bits.to_be_bytes());
        let theirs = agreement::UnparsedPublicKey::new(self.curve.algorithm(), their_point);
        agreement::agree(&self.private, theirs, (), |shared| {
            kdf::sskdf_digest(sskdf_sha256(), shared, &info, key).map_err(drop)
        })
        .ok()
    }
}

fn sskdf_sha256() -> &'static kdf::SskdfDigestAlgorithm {
    kdf::get_sskdf_digest_algorithm(kdf::SskdfDigestAlgorithmId::Sha256).expect("SHA-256 is always available")
}
