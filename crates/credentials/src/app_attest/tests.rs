//! Apple's own sample, and attestations and assertions of a root of our own, right and wrong.

use super::*;
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair},
};
use rcgen::{BasicConstraints, CertificateParams, CustomExtension, IsCa, Issuer, KeyPair};

const APP: &str = "ABCDE12345.com.example.shop";
const NOW: &str = "2026-11-26T12:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// "Attestation Object Validation Guide" of Apple's documentation; the receipt, which is not read, is left out. The sample
/// gave the challenge itself as the hash.
fn apple_sample() -> Vec<u8> {
    let text: String = include_str!("apple-sample.b64").split_whitespace().collect();
    base64_simd::STANDARD.decode_to_vec(text).unwrap()
}

#[test]
fn apples_sample_is_accepted_for_its_app_its_challenge_and_its_days() {
    let sample = apple_sample();
    let verify = |app: &str, environment, hash: &[u8], now: &str| {
        AppAttestVerifier::new(app, environment).verify_fresh(&sample, hash, at(now))
    };
    let (app, hash, day) =
        ("1234567890.com.example.myapp", b"example_server_challenge", "2026-04-21T12:00:00Z");
    let production = AppAttestEnvironment::Production;
    assert_eq!(verify(app, production, hash, day), Ok(()));
    let refused = |words| Err(AppAttestError(words));
    assert_eq!(verify("1234567890.com.example.other", production, hash, day), refused("is another app's"));
    assert_eq!(
        verify(app, AppAttestEnvironment::Development, hash, day),
        refused("is of another environment")
    );
    assert_eq!(verify(app, production, b"another_challenge", day), refused("is over something else"));
    for day in ["2026-04-20T12:00:00Z", "2026-04-24T12:00:00Z"] {
        assert_eq!(verify(app, production, hash, day), refused("has a chain that is not valid now"));
    }
    for length in [0, 1, 10, 1000, sample.len() - 1] {
        let verifier = AppAttestVerifier::new(app, production);
        assert!(verifier.verify_fresh(&sample[..length], hash, at(day)).is_err(), "{length}");
    }
}

#[test]
fn no_byte_of_apples_sample_can_be_changed() {
    let sample = apple_sample();
    let verifier = AppAttestVerifier::new("1234567890.com.example.myapp", AppAttestEnvironment::Production);
    let verify = |bytes: &[u8]| {
        verifier.verify_fresh(bytes, b"example_server_challenge", at("2026-04-21T12:00:00Z")).is_ok()
    };
    assert!(verify(&sample));
    // The receipt, which is not read, stands between the certificates and the data.
    let receipt = sample.windows(8).position(|bytes| bytes == b"greceipt").unwrap();
    for index in (0..sample.len()).filter(|index| !(receipt..receipt + 9).contains(index)) {
        let mut changed = sample.clone();
        changed[index] ^= 0x11;
        assert!(!verify(&changed), "byte {index}");
    }
}

/// A root like Apple's, and what a phone makes under it.
struct Phone {
    root: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
    key: KeyPair,
}

impl Phone {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut root = CertificateParams::new(Vec::new()).unwrap();
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = root.self_signed(&key).unwrap();
        Self {
            root: certificate.der().to_vec(),
            issuer: Issuer::new(root, key),
            key: KeyPair::generate().unwrap(),
        }
    }

    fn verifier(&self) -> AppAttestVerifier {
        AppAttestVerifier::with_root(APP, AppAttestEnvironment::Production, &self.root).unwrap()
    }

    fn point(&self) -> Vec<u8> {
        self.key.public_key_raw().to_vec()
    }

    fn data(&self, app: &str, counter: u32) -> Vec<u8> {
        let id = sha256(&[&self.point()]);
        [
            &sha256(&[app.as_bytes()])[..],
            &[0x40],
            &counter.to_be_bytes(),
            b"appattest\0\0\0\0\0\0\0",
            &[0, 32],
            &id,
        ]
        .concat()
    }

    /// An attestation over `hash` with this authenticator data, by a certificate from that day on.
    fn attest(&self, data: &[u8], hash: &[u8], from: (i32, u8, u8)) -> Vec<u8> {
        let nonce = sha256(&[data, hash]);
        let value = [&[0x30, 0x24, 0xa1, 0x22, 0x04, 0x20][..], &nonce].concat();
        let mut leaf = CertificateParams::new(Vec::new()).unwrap();
        let extension = CustomExtension::from_oid_content(&[1, 2, 840, 113_635, 100, 8, 2], value);
        leaf.custom_extensions.push(extension);
        leaf.not_before = rcgen::date_time_ymd(from.0, from.1, from.2);
        leaf.not_after = rcgen::date_time_ymd(from.0, from.1, from.2 + 3);
        let leaf = leaf.signed_by(&self.key, &self.issuer).unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        let statement = vec![
            (text("x5c"), Value::Array(vec![Value::Bytes(leaf.der().to_vec())])),
            (text("receipt"), Value::Bytes(vec![1])),
        ];
        cbor::encode(&Value::Map(vec![
            (text("fmt"), text("apple-appattest")),
            (text("attStmt"), Value::Map(statement)),
            (text("authData"), Value::Bytes(data.to_vec())),
        ]))
    }

    fn assert(&self, app: &str, counter: u32, hash: &[u8]) -> Vec<u8> {
        let data = [&sha256(&[app.as_bytes()])[..], &[0x40], &counter.to_be_bytes()].concat();
        let nonce = sha256(&[&data, hash]);
        let signing =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, self.key.serialized_der()).unwrap();
        let signature = signing.sign(&SystemRandom::new(), &nonce).unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        cbor::encode(&Value::Map(vec![
            (text("signature"), Value::Bytes(signature.as_ref().to_vec())),
            (text("authenticatorData"), Value::Bytes(data)),
        ]))
    }
}

const TODAY: (i32, u8, u8) = (2026, 11, 25);

#[test]
fn a_fresh_key_is_attested_for_this_app_alone() {
    let phone = Phone::new();
    let verify = |object: &[u8]| phone.verifier().verify_fresh(object, b"hash", at(NOW));
    let data = phone.data(APP, 0);
    assert_eq!(verify(&phone.attest(&data, b"hash", TODAY)), Ok(()));
    let refused = |words| Err(AppAttestError(words));
    assert_eq!(verify(&phone.attest(&data, b"other", TODAY)), refused("is over something else"));
    assert_eq!(
        verify(&phone.attest(&phone.data("ABCDE12345.com.example.x", 0), b"hash", TODAY)),
        refused("is another app's")
    );
    assert_eq!(
        verify(&phone.attest(&phone.data(APP, 1), b"hash", TODAY)),
        refused("has a key that was used before")
    );
    // Another phone's key id, and another phone's root.
    let other = Phone::new();
    assert_eq!(verify(&phone.attest(&other.data(APP, 0), b"hash", TODAY)), refused("names another key"));
    // Both roots have the same name here, so the signature tells them apart.
    let forged = refused("has a chain that is not valid now");
    assert_eq!(verify(&other.attest(&other.data(APP, 0), b"hash", TODAY)), forged);
    let apple = AppAttestVerifier::new(APP, AppAttestEnvironment::Production);
    let ours = phone.attest(&data, b"hash", TODAY);
    assert_eq!(apple.verify_fresh(&ours, b"hash", at(NOW)), refused("is under another root"));
}

#[test]
fn an_assertion_is_of_the_attested_key_over_this_hash() {
    let phone = Phone::new();
    let verify = |object: &[u8], assertion: &[u8], now: &str| {
        phone.verifier().verify_assertion(object, b"first", assertion, b"hash", at(now))
    };
    let attested = phone.attest(&phone.data(APP, 0), b"first", TODAY);
    assert_eq!(verify(&attested, &phone.assert(APP, 7, b"hash"), NOW), Ok(()));
    // The certificate ended long ago; the key still counts, for a year.
    assert_eq!(verify(&attested, &phone.assert(APP, 7, b"hash"), "2027-11-01T00:00:00Z"), Ok(()));
    let refused = |words| Err(AppAttestError(words));
    let late = refused("is of a key that was attested too long ago, or not yet");
    for now in ["2027-12-01T00:00:00Z", "2026-11-24T00:00:00Z"] {
        assert_eq!(verify(&attested, &phone.assert(APP, 7, b"hash"), now), late);
    }
    let wrong = refused("is signed by another key, or over something else");
    assert_eq!(verify(&attested, &phone.assert(APP, 7, b"other"), NOW), wrong);
    assert_eq!(verify(&attested, &Phone::new().assert(APP, 7, b"hash"), NOW), wrong);
    assert_eq!(
        verify(&attested, &phone.assert("ABCDE12345.x", 7, b"hash"), NOW),
        refused("is another app's")
    );
    assert_eq!(
        verify(&attested, &phone.assert(APP, 0, b"hash"), NOW),
        refused("has a key that has signed nothing")
    );
    // An attestation over something else than was said: nobody can bring another app's key in.
    let other = phone.attest(&phone.data(APP, 0), b"second", TODAY);
    assert_eq!(verify(&other, &phone.assert(APP, 7, b"hash"), NOW), refused("is over something else"));
    for bytes in [&b""[..], b"\xa0", b"\xff", b"\x01"] {
        assert!(verify(&attested, bytes, NOW).is_err());
    }
}
