//! Issuers and holders for the tests, and the helpers that assertions are written with.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base::{Environment, SignedDuration, TestEnvironment, Timestamp};
use base64_simd::URL_SAFE_NO_PAD;
use ciborium::Value as Cbor;
use credentials::issue::{AgeAttestation, IssuingKey};
use credentials::proof::{
    ParsedProof, ProofCheck, ProofVerificationError, ScannedValue, VerificationTerms, VerifiedProof,
    parse_scanned,
};
use credentials::trust::TrustList;
use serde_json::{Value, json};

/// The time at which every test takes place, in seconds since the Unix epoch.
pub(crate) const NOW: i64 = 1_780_000_000;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

pub(crate) fn terms() -> VerificationTerms {
    VerificationTerms::new(at(NOW), at(NOW))
}

pub(crate) fn scanned(after: i64) -> VerificationTerms {
    VerificationTerms::new(at(NOW + after), at(NOW + after))
}

pub(crate) fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    digest(&SHA256, bytes.as_ref()).as_ref().to_vec()
}

/// A P-256 key that signs JWS and COSE by itself, so that signing does not depend on the code under test.
pub(crate) struct Signer {
    pub key: IssuingKey,
    pair: EcdsaKeyPair,
}

impl Signer {
    /// A different key for each number, the same in every run.
    pub(crate) fn new(number: u8) -> Self {
        let env = TestEnvironment::at("2026-01-01T00:00:00Z");
        (0..number).for_each(|_| env.fill_random(&mut [0; 32]));
        Self::of(IssuingKey::generate(&env))
    }

    pub(crate) fn of(key: IssuingKey) -> Self {
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.to_pkcs8_der().expose()).unwrap();
        Self { key, pair }
    }

    /// The public key with this key id.
    pub(crate) fn jwk(&self, kid: &str) -> Value {
        let mut jwk = self.key.jwk();
        jwk["kid"] = json!(kid);
        jwk
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec()
    }

    pub(crate) fn jws(&self, header: &Value, payload: &Value) -> String {
        self.jws_raw(&header.to_string(), &payload.to_string())
    }

    pub(crate) fn jws_raw(&self, header: &str, payload: &str) -> String {
        let input = format!("{}.{}", b64(header), b64(payload));
        let signature = self.sign(input.as_bytes());
        format!("{input}.{}", b64(signature))
    }

    /// `COSE_Sign1` over a payload, which may be detached.
    pub(crate) fn cose(&self, protected: &Cbor, unprotected: Cbor, payload: &[u8], detached: bool) -> Cbor {
        let protected = encode(protected);
        let signed = encode(&Cbor::Array(vec![
            text("Signature1"),
            Cbor::Bytes(protected.clone()),
            Cbor::Bytes(Vec::new()),
            Cbor::Bytes(payload.to_vec()),
        ]));
        let shown = if detached { Cbor::Null } else { Cbor::Bytes(payload.to_vec()) };
        Cbor::Array(vec![Cbor::Bytes(protected), unprotected, shown, Cbor::Bytes(self.sign(&signed))])
    }

    /// A CWT as the text of a QR code, without zlib.
    pub(crate) fn cwt(&self, kid: &str, claims: &Cbor) -> String {
        let header = map([(int(1), int(-7)), (int(4), Cbor::Bytes(kid.as_bytes().to_vec()))]);
        hc1(&encode(&Cbor::Tag(18, Box::new(self.cose(&header, map([]), &encode(claims), false)))))
    }
}

pub(crate) fn hc1(message: &[u8]) -> String {
    format!("HC1:{}", base45::encode(message))
}

pub(crate) fn encode(value: &Cbor) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

pub(crate) fn text(text: &str) -> Cbor {
    Cbor::Text(text.to_owned())
}

pub(crate) fn int(number: i64) -> Cbor {
    Cbor::Integer(number.into())
}

pub(crate) fn map<const N: usize>(pairs: [(Cbor, Cbor); N]) -> Cbor {
    Cbor::Map(pairs.into())
}

/// Claims of a CWT that is accepted at [`NOW`].
pub(crate) fn cwt_claims(issuer: &str) -> Vec<(Cbor, Cbor)> {
    vec![
        (int(1), text(issuer)),
        (int(4), int(NOW + 60)),
        (int(6), int(NOW)),
        (int(7), Cbor::Bytes(vec![7; 16])),
        (text("age_over"), map([(int(18), Cbor::Bool(true))])),
    ]
}

pub(crate) const ISSUER: &str = "https://issuer.example";

/// A trust list entry for all formats but mobile documents.
pub(crate) fn entry(id: &str, keys: &[Value]) -> Value {
    json!({ "id": id, "provider": "EXAMPLE", "formats": ["cwt", "sd-jwt-vc", "jwt"], "keys": keys })
}

pub(crate) fn list(entries: &[Value]) -> TrustList {
    TrustList::parse(json!({ "issuers": entries }).to_string().as_bytes()).unwrap()
}

pub(crate) fn proof(code: &str) -> ParsedProof {
    match parse_scanned(code) {
        Ok(ScannedValue::Proof(proof)) => proof,
        other => panic!("no proof: {other:?}"),
    }
}

pub(crate) fn verify(
    list: &TrustList,
    code: &str,
    terms: &VerificationTerms,
) -> Result<VerifiedProof, ProofVerificationError> {
    list.verify_proof(&proof(code), terms)
}

/// The outcome for a code, in one line: the age and the checks, or the reason and the detail.
pub(crate) fn outcome(list: &TrustList, code: &str, terms: &VerificationTerms) -> String {
    match parse_scanned(code) {
        Ok(ScannedValue::Proof(proof)) => match list.verify_proof(&proof, terms) {
            Ok(verified) => {
                let checks: Vec<_> = verified.checks.iter().map(|check| ProofCheck::as_str(*check)).collect();
                format!("{}+ {}", verified.age_over, checks.join(" "))
            }
            Err(failed) => failed.to_string(),
        },
        Ok(other) => format!("{other:?}"),
        Err(unsupported) => format!("UNSUPPORTED_PAYLOAD: {unsupported}"),
    }
}

pub(crate) fn grant() -> AgeAttestation {
    AgeAttestation {
        issuer: ISSUER.to_owned(),
        age_over: vec![18],
        holder: None,
        status: None,
        lifetime: SignedDuration::from_secs(60),
    }
}

/// A list that trusts our own key under [`ISSUER`].
pub(crate) fn own_list(signer: &Signer) -> TrustList {
    list(&[entry(ISSUER, &[signer.key.jwk()])])
}

pub(crate) fn vector(name: &str) -> String {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().trim().to_owned()
}
