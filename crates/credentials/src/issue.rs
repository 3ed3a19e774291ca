//! Assay as an issuer. The format that it writes is described, with its CDDL, in `cwt.rs`.
//!
//! An *online* proof is issued for one showing. A *credential* is issued in advance, in batches, each for a different
//! key of the holder; to show it, the holder's page wraps it as [`present`] does. Credentials reveal no more than they
//! must: their times are whole hours, so that those of one batch look like those of any other.

use crate::age_claims::{AGE_OVER_LABEL, MAX_AGE_YEARS};
use crate::cbor;
use crate::cose;
use crate::cwt::{
    CNF_LABEL, CREDENTIAL_LABEL, CTI_LABEL, EXP_LABEL, IAT_LABEL, ISS_LABEL, MAX_OWN_PROOF_SECONDS,
    PRESENTATION_EXTERNAL_AAD, STATUS_LABEL,
};
use crate::detect_format::{MAX_QR_CHARS, OWN_PREFIX};
use crate::https_host;
use crate::jws::base64url;
use crate::keys::{encode_der, thumbprint};
use crate::verification::StatusReference;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, ParsedPublicKey,
};
use base::{Environment, Secret, SignedDuration, Timestamp};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use ciborium::Value;
use serde_json::json;

/// The longest lifetime of a credential.
pub const MAX_CREDENTIAL_LIFETIME: SignedDuration = SignedDuration::from_hours(31 * 24);
/// Protected header of a signature by ES256 without a `kid`.
const ES256_PROTECTED_HEADER: &[u8] = &[0xa1, 0x01, 0x26];

/// Why nothing was issued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssueError {
    /// Not a P-256 key in PKCS#8 (DER or PEM), or not a point of the curve.
    #[error("is not a P-256 key")]
    Key,
    /// The issuer is not 1 to 200 bytes long.
    #[error("the issuer must be a text of 1 to 200 bytes")]
    Issuer,
    /// No threshold, or one outside 1 to 150 years.
    #[error("a proof shows at least one threshold, of 1 to {MAX_AGE_YEARS} years")]
    Age,
    /// Online proofs are valid for 1 to 60 seconds, credentials for up to 31 days.
    #[error(
        "a proof lives for 1 to {MAX_OWN_PROOF_SECONDS} seconds, a holder's credential for up to 31 days"
    )]
    Validity,
    /// The status list has no https address, or the index exceeds an `i64`.
    #[error("the status list must have an https address")]
    Status,
    /// The code would be longer than a QR code can be.
    #[error("the code would have more than {MAX_QR_CHARS} characters")]
    TooLong,
    /// What was to be presented is not a credential.
    #[error("is not a credential")]
    Credential,
}

/// A P-256 signing key. `Debug` prints none of it; the only copy in memory is the one that aws-lc holds.
pub struct IssuingKey {
    pair: EcdsaKeyPair,
    thumbprint: [u8; 32],
}

impl IssuingKey {
    /// A new random key.
    pub fn generate(env: &dyn Environment) -> Self {
        loop {
            let mut scalar = [0; 32];
            env.fill_random(&mut scalar);
            // ECPrivateKey of RFC 5915. A scalar outside the group (probability 2^-32) is drawn again.
            let scalar = Secret::new(scalar.to_vec());
            let version = encode_der(0x02, &[1]);
            let curve = encode_der(0xa0, b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07");
            let sec1 =
                Secret::new(encode_der(0x30, &[version, encode_der(0x04, scalar.expose()), curve].concat()));
            if let Ok(pair) =
                EcdsaKeyPair::from_private_key_der(&ECDSA_P256_SHA256_FIXED_SIGNING, sec1.expose())
            {
                return Self::of(pair);
            }
        }
    }

    /// Parses a PKCS#8 document in DER.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, IssueError> {
        let pair = EcdsaKeyPair::from_private_key_der(&ECDSA_P256_SHA256_FIXED_SIGNING, der);
        pair.map(Self::of).map_err(|_| IssueError::Key)
    }

    /// Parses a PKCS#8 document in PEM (`PRIVATE KEY`).
    pub fn from_pkcs8_pem(text: &str) -> Result<Self, IssueError> {
        let document = pem::parse(text).map_err(|_| IssueError::Key)?;
        if document.tag() != "PRIVATE KEY" {
            return Err(IssueError::Key);
        }
        let der = Secret::new(document.into_contents());
        Self::from_pkcs8_der(der.expose())
    }

    /// The key as a PKCS#8 document in DER.
    pub fn to_pkcs8_der(&self) -> Secret<Vec<u8>> {
        let document = self.pair.to_pkcs8v1().expect("a P-256 key has a PKCS#8 form");
        Secret::new(document.as_ref().to_vec())
    }

    /// The key as a PKCS#8 document in PEM.
    pub fn to_pkcs8_pem(&self) -> Secret<String> {
        let document = pem::Pem::new("PRIVATE KEY", self.to_pkcs8_der().expose().as_slice());
        Secret::new(pem::encode(&document))
    }

    /// The public key as a JWK for a trust list or a key set; its `kid` is the RFC 7638 thumbprint.
    pub fn jwk(&self) -> serde_json::Value {
        let (x, y) = coordinates(self.public_key());
        json!({
            "kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": BASE64URL.encode_to_string(self.thumbprint),
            "alg": "ES256", "use": "sig",
        })
    }

    /// The public key, for a credential to be bound to.
    pub fn holder_key(&self) -> HolderKey {
        HolderKey(*self.public_key())
    }

    /// A compact JWS over a payload. The signature is ES256, which `header` must say.
    pub fn sign_jws(&self, header: &serde_json::Value, payload: &serde_json::Value) -> String {
        let [header, payload] = [header, payload].map(|part| BASE64URL.encode_to_string(part.to_string()));
        let input = format!("{header}.{payload}");
        let signature = BASE64URL.encode_to_string(self.sign(input.as_bytes()));
        format!("{input}.{signature}")
    }

    /// The 65 bytes of the uncompressed point.
    pub(crate) fn public_key(&self) -> &[u8; 65] {
        self.pair.public_key().as_ref().first_chunk().expect("a P-256 point is 65 bytes long")
    }

    fn of(pair: EcdsaKeyPair) -> Self {
        let mut key = Self { pair, thumbprint: [0; 32] };
        let (x, y) = coordinates(key.public_key());
        key.thumbprint = thumbprint(&json!({ "crv": "P-256", "kty": "EC", "x": x, "y": y }));
        key
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        // Fails only when the operating system has no randomness; continuing would be worse.
        let signature = self.pair.sign(&SystemRandom::new(), message);
        signature.expect("the operating system has randomness").as_ref().to_vec()
    }

    fn sign_cose(&self, protected: &[u8], external_aad: &[u8], claims: Vec<(Value, Value)>) -> Vec<u8> {
        let payload = cbor::encode(&Value::Map(claims));
        let signature = self.sign(&cose::sig_structure(protected, external_aad, &payload));
        let parts =
            [bytes(protected), Value::Map(Vec::new()), Value::Bytes(payload), Value::Bytes(signature)];
        cbor::encode(&Value::Tag(18, Box::new(Value::Array(parts.into()))))
    }
}

impl std::fmt::Debug for IssuingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IssuingKey(***)")
    }
}

/// The public key that a credential is bound to: a point of P-256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderKey([u8; 65]);

impl HolderKey {
    /// Parses an uncompressed point: 4, x, y. WebCrypto exports it as `raw`.
    pub fn from_raw(point: &[u8; 65]) -> Result<Self, IssueError> {
        // If this were not checked here, a key outside the curve would only be noticed when the holder shows the
        // credential.
        match ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point) {
            Ok(_) if point[0] == 4 => Ok(Self(*point)),
            _ => Err(IssueError::Key),
        }
    }

    /// Parses a public JWK (`kty` EC, `crv` P-256, `x`, `y`).
    pub fn from_jwk(jwk: &serde_json::Value) -> Result<Self, IssueError> {
        if jwk["kty"] != "EC" || jwk["crv"] != "P-256" || jwk.get("d").is_some() {
            return Err(IssueError::Key);
        }
        let coordinate = |name| jwk.get(name).and_then(serde_json::Value::as_str).and_then(base64url);
        let (Some(x), Some(y)) = (coordinate("x"), coordinate("y")) else { return Err(IssueError::Key) };
        let point = [vec![4], x, y].concat();
        Self::from_raw(point.as_slice().try_into().map_err(|_| IssueError::Key)?)
    }

    /// `COSE_Key` with a compressed point, which saves 48 characters of the code.
    fn to_cose(&self) -> Value {
        let [_, x @ ..] = &self.0;
        let (x, y) = x.split_at(32);
        let odd = y.last().is_some_and(|last| last & 1 == 1);
        map([(1, number(2)), (-1, number(1)), (-2, bytes(x)), (-3, Value::Bool(odd))])
    }
}

/// What is attested, by whom, for whom, for how long.
#[derive(Clone, Debug)]
pub struct AgeAttestation {
    /// The issuer's id as trust lists have it, 1 to 200 bytes. Every byte costs 1.5 characters of the code.
    pub issuer: String,
    /// The thresholds that are reached, 1 to 150 years.
    pub age_over: Vec<u8>,
    /// The holder's key, for a credential (offline use). `None`: an online proof.
    pub holder: Option<HolderKey>,
    /// Where the credential's status is published. It costs about 100 characters; short-lived proofs do without it.
    pub status: Option<StatusReference>,
    /// 1 to 60 seconds for an online proof, up to 31 days for a credential, whose expiry is rounded up to the hour.
    pub lifetime: SignedDuration,
}

/// Issues an online proof or a credential as the text of a QR code. `id` must be random: it is what a second use is
/// recognised by.
pub fn issue_code(
    key: &IssuingKey,
    attestation: &AgeAttestation,
    now: Timestamp,
    id: [u8; 16],
) -> Result<String, IssueError> {
    encode_code(&issue_credential(key, attestation, now, id)?)
}

/// The bytes that [`issue_code`] encodes as text; a page stores them to present them later.
pub fn issue_credential(
    key: &IssuingKey,
    attestation: &AgeAttestation,
    now: Timestamp,
    id: [u8; 16],
) -> Result<Vec<u8>, IssueError> {
    if !(1..=200).contains(&attestation.issuer.len()) {
        return Err(IssueError::Issuer);
    }
    let mut ages = attestation.age_over.clone();
    ages.sort_unstable();
    ages.dedup();
    if ages.is_empty() || !ages.iter().all(|years| (1..=MAX_AGE_YEARS).contains(years)) {
        return Err(IssueError::Age);
    }
    let seconds = attestation.lifetime.as_secs();
    let max_seconds =
        if attestation.holder.is_some() { MAX_CREDENTIAL_LIFETIME.as_secs() } else { MAX_OWN_PROOF_SECONDS };
    if !(1..=max_seconds).contains(&seconds) {
        return Err(IssueError::Validity);
    }
    let (mut iat, mut exp) = (now.as_second(), now.as_second() + seconds);
    if attestation.holder.is_some() {
        let hour = 3600;
        iat -= iat.rem_euclid(hour);
        exp += (-exp).rem_euclid(hour);
    }
    let ages = ages.into_iter().map(|years| (number(years), Value::Bool(true))).collect();
    let mut claims = vec![
        (number(ISS_LABEL), Value::Text(attestation.issuer.clone())),
        (number(EXP_LABEL), number(exp)),
        (number(IAT_LABEL), number(iat)),
        (number(CTI_LABEL), bytes(&id)),
        (number(AGE_OVER_LABEL), Value::Map(ages)),
    ];
    if let Some(holder) = &attestation.holder {
        claims.push((number(CNF_LABEL), map([(1, holder.to_cose())])));
    }
    if let Some(status) = &attestation.status {
        if https_host::https_host(&status.uri).is_none() || i64::try_from(status.index).is_err() {
            return Err(IssueError::Status);
        }
        let text = |text: &str| Value::Text(text.to_owned());
        let list = [(text("idx"), number(status.index as i64)), (text("uri"), text(&status.uri))];
        claims.push((number(STATUS_LABEL), Value::Map(vec![(text("status_list"), Value::Map(list.into()))])));
    }
    let kid = &key.thumbprint[..8];
    let protected = cbor::encode(&map([(1, number(-7)), (4, bytes(kid))]));
    Ok(key.sign_cose(&protected, &[], claims))
}

/// Presents a credential with the holder's key, valid for one minute, as the holder's page does in the browser.
pub fn present(credential: &[u8], holder: &IssuingKey, now: Timestamp) -> Result<String, IssueError> {
    cbor::decode(credential).map_err(|_| IssueError::Credential)?;
    let iat = now.as_second();
    let claims = vec![
        (number(EXP_LABEL), number(iat + MAX_OWN_PROOF_SECONDS)),
        (number(IAT_LABEL), number(iat)),
        (number(CREDENTIAL_LABEL), bytes(credential)),
    ];
    encode_code(&holder.sign_cose(ES256_PROTECTED_HEADER, PRESENTATION_EXTERNAL_AAD, claims))
}

fn encode_code(message: &[u8]) -> Result<String, IssueError> {
    let code = format!("{OWN_PREFIX}{}", base45::encode(message));
    if code.len() > MAX_QR_CHARS { Err(IssueError::TooLong) } else { Ok(code) }
}

fn coordinates(point: &[u8; 65]) -> (String, String) {
    let (x, y) = point[1..].split_at(32);
    (BASE64URL.encode_to_string(x), BASE64URL.encode_to_string(y))
}

fn number(number: impl Into<i64>) -> Value {
    Value::Integer(number.into().into())
}

fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.to_vec())
}

fn map<const N: usize>(pairs: [(i64, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(label, value)| (number(label), value)).collect())
}
