//! An end user's device with a passkey. Its bytes are put together as section 6 of WebAuthn Level 3 says.

use aws_lc_rs::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64_simd::URL_SAFE_NO_PAD;
use ciborium::Value as Cbor;
use serde_json::{Value, json};

/// User present (UP): bit 0 of the flags in the authenticator data.
pub const USER_PRESENT_FLAG: u8 = 1;
/// User verified (UV): bit 2, set when a PIN or a fingerprint was checked.
pub const USER_VERIFIED_FLAG: u8 = 4;
/// Attested credential data included (AT): bit 6, set when a key is created.
const ATTESTED_DATA_FLAG: u8 = 64;

/// A device with one passkey.
#[derive(Debug)]
pub struct Authenticator {
    /// The key pair of the passkey.
    pub pair: EcdsaKeyPair,
    /// The credential id.
    pub id: Vec<u8>,
    /// The signature counter: how often the passkey was used.
    pub counter: u32,
    /// The origin of the page that uses it.
    pub origin: &'static str,
    /// The flags that it reports: [`USER_PRESENT_FLAG`], [`USER_VERIFIED_FLAG`].
    pub flags: u8,
    user_handle: Vec<u8>,
}

impl Authenticator {
    /// A device whose browser is at a page of this origin.
    ///
    /// # Panics
    /// When no key can be made.
    pub fn new(origin: &'static str) -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("a fresh key");
        let id = sha256(pair.public_key());
        Self {
            pair,
            id,
            counter: 0,
            origin,
            flags: USER_PRESENT_FLAG | USER_VERIFIED_FLAG,
            user_handle: Vec::new(),
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        let challenge = &options["publicKey"]["challenge"];
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false })
            .to_string()
    }

    /// The authenticator data (section 6.1), with the attested credential data of a new key.
    fn authenticator_data(&mut self, rp_id: &Value, attested: Option<Vec<u8>>) -> Vec<u8> {
        self.counter += 1;
        let flags = self.flags | if attested.is_some() { ATTESTED_DATA_FLAG } else { 0 };
        let rp_id_hash = sha256(rp_id.as_str().unwrap_or_default());
        [&rp_id_hash[..], &[flags], &self.counter.to_be_bytes(), &attested.unwrap_or_default()].concat()
    }

    /// What `navigator.credentials.create` returns for these options, in the JSON form of the standard.
    ///
    /// # Panics
    /// When the options name no user.
    pub fn create(&mut self, options: &Value) -> Value {
        let user_id = options["publicKey"]["user"]["id"].as_str().expect("the options name a user");
        self.user_handle = URL_SAFE_NO_PAD.decode_to_vec(user_id).expect("base64url");
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        let int = |number: i64| Cbor::Integer(number.into());
        let key = Cbor::Map(vec![
            (int(1), int(2)),
            (int(3), int(-7)),
            (int(-1), int(1)),
            (int(-2), Cbor::Bytes(x.to_vec())),
            (int(-3), Cbor::Bytes(y.to_vec())),
        ]);
        let attested = [&[0; 16][..], &(self.id.len() as u16).to_be_bytes(), &self.id, &cbor(&key)].concat();
        let text = |text: &str| Cbor::Text(text.to_owned());
        let data = self.authenticator_data(&options["publicKey"]["rp"]["id"], Some(attested));
        let attestation = cbor(&Cbor::Map(vec![
            (text("fmt"), text("none")),
            (text("attStmt"), Cbor::Map(Vec::new())),
            (text("authData"), Cbor::Bytes(data)),
        ]));
        json!({
            "id": b64(&self.id), "rawId": b64(&self.id), "type": "public-key",
            "clientExtensionResults": { "credProps": { "rk": true } },
            "response": {
                "clientDataJSON": b64(self.client_data("webauthn.create", options)), "attestationObject": b64(attestation),
            },
        })
    }

    /// What `navigator.credentials.get` returns for these options, in the JSON form of the standard.
    ///
    /// # Panics
    /// When nothing can be signed.
    pub fn get(&mut self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(&options["publicKey"]["rpId"], None);
        let signed = [&data[..], &sha256(&client_data)].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).expect("a key signs");
        json!({
            "id": b64(&self.id), "rawId": b64(&self.id), "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": b64(client_data), "authenticatorData": b64(data), "signature": b64(signature),
                "userHandle": b64(&self.user_handle),
            },
        })
    }
}

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

fn sha256(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    digest(&SHA256, bytes.as_ref()).as_ref().to_vec()
}

fn cbor(value: &Cbor) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("memory takes it");
    bytes
}
