//! Apple's App Attest: what an app on an iPhone shows to prove that it is unmodified and runs on Apple's hardware
//! (Apple, "Validating apps that connect to your server").
//!
//! An app makes a key in the Secure Enclave and lets Apple attest it once: a certificate for the key, whose nonce covers
//! data of the app's choice. Afterwards the key signs assertions. Neither says anything about the person.

use crate::{
    cbor,
    certificate_chain::{
        CertificateChainError, ChainPurpose, Revocation, RootCertificate, certificate_extension,
        certificate_point, certificate_validity, verify_chain,
    },
    digest::sha256,
};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};
use base::{SignedDuration, Timestamp};
use ciborium::Value;

/// Apple App Attestation Root CA, valid until 2045. SHA-256 of the certificate:
/// 1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932.
const APPLE_ROOT_PEM: &str = include_str!("app_attest/apple-root.pem");
/// 1.2.840.113635.100.8.2: the extension that has the nonce.
const NONCE_EXTENSION: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x63, 0x64, 0x08, 0x02];
/// Longest attestation and assertion, bytes.
const MAX_OBJECT_BYTES: usize = 32 << 10;
/// How long assertions of a key count after Apple attested it.
const KEY_LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 366);

/// Whether an app is one of the store or one that a developer installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppAttestEnvironment {
    /// From the App Store or `TestFlight`.
    Production,
    /// Installed by a developer.
    Development,
}

/// Why an attestation or assertion is not accepted; reads on from "the attestation".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the attestation {0}")]
pub struct AppAttestError(&'static str);

/// Verifies what one app shows.
#[derive(Clone, Debug)]
pub struct AppAttestVerifier {
    roots: Vec<RootCertificate>,
    /// SHA-256 of team and bundle, `ABCDE12345.com.example.shop`.
    app: [u8; 32],
    environment: AppAttestEnvironment,
}

impl AppAttestVerifier {
    /// For the app of this id: the team's id, a dot and the bundle's id.
    pub fn new(app_id: &str, environment: AppAttestEnvironment) -> Self {
        let root = pem::parse(APPLE_ROOT_PEM).expect("the certificate in this program is PEM");
        Self::with_root(app_id, environment, root.contents()).expect("it is a certificate")
    }

    /// As [`Self::new`], under another root, DER. `None` if it is no certificate.
    pub fn with_root(app_id: &str, environment: AppAttestEnvironment, root: &[u8]) -> Option<Self> {
        Some(Self {
            roots: vec![RootCertificate::parse(root)?],
            app: sha256(&[app_id.as_bytes()]),
            environment,
        })
    }

    /// Verifies the attestation of a key that was made for this very purpose: its nonce covers `client_data_hash`.
    pub fn verify_fresh(
        &self,
        attestation: &[u8],
        client_data_hash: &[u8],
        now: Timestamp,
    ) -> Result<(), AppAttestError> {
        self.attested_key(attestation, client_data_hash, now).map(drop)
    }

    /// Verifies an assertion over `client_data_hash` by a key that was attested earlier, over `key_data_hash`. The
    /// certificate of the key may have ended since; Apple attested it a year ago at most.
    pub fn verify_assertion(
        &self,
        attestation: &[u8],
        key_data_hash: &[u8],
        assertion: &[u8],
        client_data_hash: &[u8],
        now: Timestamp,
    ) -> Result<(), AppAttestError> {
        let leaf = Attestation::parse(attestation)?.chain.into_iter().next();
        let (from, _) =
            leaf.and_then(|leaf| certificate_validity(&leaf)).ok_or(AppAttestError("is malformed"))?;
        if from > now || now.duration_since(from) > KEY_LIFETIME {
            return Err(AppAttestError("is of a key that was attested too long ago, or not yet"));
        }
        let key = self.attested_key(attestation, key_data_hash, from)?;
        let (signature, data) = parse_assertion(assertion)?;
        let (app, rest) = data.split_at_checked(32).ok_or(AppAttestError("is malformed"))?;
        // A flag byte, then how often the key has signed.
        let counter = rest.get(1..5).ok_or(AppAttestError("is malformed"))?;
        if app != self.app {
            return Err(AppAttestError("is another app's"));
        }
        if counter == [0; 4] {
            return Err(AppAttestError("has a key that has signed nothing"));
        }
        let nonce = sha256(&[&data, client_data_hash]);
        let verified = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(&nonce, &signature);
        verified.map_err(|_| AppAttestError("is signed by another key, or over something else"))
    }

    /// The attested key as an uncompressed point, if Apple attested it for this app over `client_data_hash`.
    fn attested_key(
        &self,
        attestation: &[u8],
        client_data_hash: &[u8],
        at: Timestamp,
    ) -> Result<Vec<u8>, AppAttestError> {
        let Attestation { chain, data } = Attestation::parse(attestation)?;
        let revocation = Revocation { lists: &[], accepts_unknown: false };
        verify_chain(&chain, &self.roots, revocation, ChainPurpose::App, at).map_err(
            |error| match error {
                CertificateChainError::UnknownRoot => AppAttestError("is under another root"),
                CertificateChainError::Broken(_) => AppAttestError("has a chain that is not valid now"),
            },
        )?;
        let leaf = chain.first().ok_or(AppAttestError("is malformed"))?;
        let nonce = certificate_extension(leaf, NONCE_EXTENSION).and_then(parse_nonce);
        if nonce != Some(sha256(&[&data, client_data_hash])) {
            return Err(AppAttestError("is over something else"));
        }
        // Covered by the nonce: the app, flags, a counter, the environment, and the key's id.
        let part = |from: usize, to: usize| data.get(from..to).ok_or(AppAttestError("is malformed"));
        if part(0, 32)? != self.app {
            return Err(AppAttestError("is another app's"));
        }
        if part(33, 37)? != [0; 4] {
            return Err(AppAttestError("has a key that was used before"));
        }
        let environment: &[u8; 16] = match self.environment {
            AppAttestEnvironment::Production => b"appattest\0\0\0\0\0\0\0",
            AppAttestEnvironment::Development => b"appattestdevelop",
        };
        if part(37, 53)? != environment {
            return Err(AppAttestError("is of another environment"));
        }
        let point = certificate_point(leaf).ok_or(AppAttestError("has a key of another kind"))?;
        if part(53, 55)? != [0, 32] || part(55, 87)? != sha256(&[&point]) {
            return Err(AppAttestError("names another key"));
        }
        Ok(point)
    }
}

struct Attestation {
    chain: Vec<Vec<u8>>,
    /// `authData`.
    data: Vec<u8>,
}

impl Attestation {
    fn parse(bytes: &[u8]) -> Result<Self, AppAttestError> {
        const MALFORMED: AppAttestError = AppAttestError("is malformed");
        let object = parse_map(bytes)?;
        if member(&object, "fmt").and_then(Value::as_text) != Some("apple-appattest") {
            return Err(AppAttestError("is of another format"));
        }
        let statement = member(&object, "attStmt").and_then(Value::as_map).ok_or(MALFORMED)?;
        let chain = member(statement, "x5c").and_then(Value::as_array).ok_or(MALFORMED)?;
        if !(1..=4).contains(&chain.len()) {
            return Err(MALFORMED);
        }
        let chain = chain.iter().map(|one| one.as_bytes().cloned()).collect::<Option<_>>();
        let data = member(&object, "authData").and_then(Value::as_bytes).cloned();
        Ok(Self { chain: chain.ok_or(MALFORMED)?, data: data.ok_or(MALFORMED)? })
    }
}

/// The signature and the authenticator data of an assertion.
fn parse_assertion(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>), AppAttestError> {
    let object = parse_map(bytes)?;
    let bytes = |name: &str| member(&object, name).and_then(Value::as_bytes).cloned();
    bytes("signature").zip(bytes("authenticatorData")).ok_or(AppAttestError("is malformed"))
}

fn parse_map(bytes: &[u8]) -> Result<Vec<(Value, Value)>, AppAttestError> {
    if bytes.len() > MAX_OBJECT_BYTES {
        return Err(AppAttestError("is too long"));
    }
    let object = cbor::decode(bytes).map_err(|_| AppAttestError("is malformed"))?;
    object.into_map().map_err(|_| AppAttestError("is malformed"))
}

fn member<'a>(map: &'a [(Value, Value)], name: &str) -> Option<&'a Value> {
    map.iter().find(|(key, _)| key.as_text() == Some(name)).map(|(_, value)| value)
}

/// The octet string in a sequence in which it is the element with tag 1.
fn parse_nonce(extension: &[u8]) -> Option<[u8; 32]> {
    extension.strip_prefix(&[0x30, 0x24, 0xa1, 0x22, 0x04, 0x20])?.try_into().ok()
}

#[cfg(test)]
mod tests;
