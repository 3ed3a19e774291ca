//! Passkeys, with an authenticator of our own: the bytes are put together as WebAuthn level 3 says, section 6.

use aws_lc_rs::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base::{StillWorld, World as _};
use base64_simd::URL_SAFE_NO_PAD;
use ciborium::Value as Cbor;
use methods::{
    Failure,
    passkey::{Authenticating, Key, Named, Passkeys, Registering, Settings},
};
use serde_json::{Value, json};

const ORIGIN: &str = "https://age.example.com";
/// Bits of the authenticator's data: somebody is there, it is known who, a key is told.
const PRESENT: u8 = 1;
const VERIFIED: u8 = 4;
const TOLD: u8 = 64;

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

fn sha256(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    digest(&SHA256, bytes.as_ref()).as_ref().to_vec()
}

fn passkeys() -> Passkeys {
    let origins = vec![ORIGIN.to_owned(), "https://shop.example.com".to_owned()];
    Passkeys::open(&Settings { rp_id: "example.com".to_owned(), origins, name: "Shop".to_owned() }).unwrap()
}

struct Authenticator {
    pair: EcdsaKeyPair,
    id: Vec<u8>,
    holder: Vec<u8>,
    counter: u32,
    origin: &'static str,
    flags: u8,
}

impl Authenticator {
    fn new() -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        Self {
            pair,
            id: vec![9; 32],
            holder: Vec::new(),
            counter: 0,
            origin: ORIGIN,
            flags: PRESENT | VERIFIED,
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        let challenge = &options["publicKey"]["challenge"];
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false })
            .to_string()
    }

    fn data(&mut self, told: Option<Vec<u8>>) -> Vec<u8> {
        self.counter += 1;
        let flags = self.flags | if told.is_some() { TOLD } else { 0 };
        [&sha256("example.com")[..], &[flags], &self.counter.to_be_bytes(), &told.unwrap_or_default()]
            .concat()
    }

    fn create(&mut self, options: &Value) -> Value {
        let holder = options["publicKey"]["user"]["id"].as_str().unwrap();
        self.holder = URL_SAFE_NO_PAD.decode_to_vec(holder).unwrap();
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        let int = |number: i64| Cbor::Integer(number.into());
        let key = Cbor::Map(vec![
            (int(1), int(2)),
            (int(3), int(-7)),
            (int(-1), int(1)),
            (int(-2), Cbor::Bytes(x.to_vec())),
            (int(-3), Cbor::Bytes(y.to_vec())),
        ]);
        let told = [&[0; 16][..], &(self.id.len() as u16).to_be_bytes(), &self.id, &cbor(&key)].concat();
        let text = |text: &str| Cbor::Text(text.to_owned());
        let attestation = cbor(&Cbor::Map(vec![
            (text("fmt"), text("none")),
            (text("attStmt"), Cbor::Map(Vec::new())),
            (text("authData"), Cbor::Bytes(self.data(Some(told)))),
        ]));
        json!({
            "id": b64(&self.id), "rawId": b64(&self.id), "type": "public-key",
            "clientExtensionResults": { "credProps": { "rk": true } },
            "response": {
                "clientDataJSON": b64(self.client_data("webauthn.create", options)), "attestationObject": b64(attestation),
            },
        })
    }

    fn get(&mut self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        let data = self.data(None);
        let signed = [&data[..], &sha256(&client_data)].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).unwrap();
        json!({
            "id": b64(&self.id), "rawId": b64(&self.id), "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": b64(client_data), "authenticatorData": b64(data), "signature": b64(signature),
                "userHandle": b64(&self.holder),
            },
        })
    }
}

fn cbor(value: &Cbor) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(held: &T) -> T {
    serde_json::from_str(&serde_json::to_string(held).unwrap()).unwrap()
}

#[test]
fn a_key_is_made_kept_and_known_again() {
    let (passkeys, mut phone) = (passkeys(), Authenticator::new());
    let holder = StillWorld::at("2026-11-22T12:00:00Z").random_uuid();
    let (options, held) = passkeys.register(holder, "Shop, 22 November 2026").unwrap();
    let wanted = &options["publicKey"];
    assert_eq!(wanted["rp"], json!({ "id": "example.com", "name": "Shop" }));
    assert_eq!(wanted["user"]["id"], b64(holder.as_bytes()));
    assert_eq!(wanted["attestation"], "none");
    let selection = &wanted["authenticatorSelection"];
    assert_eq!(
        [&selection["residentKey"], &selection["requireResidentKey"], &selection["userVerification"]],
        [&json!("required"), &json!(true), &json!("required")]
    );
    let key = passkeys.registered(&again::<Registering>(&held), &phone.create(&options)).unwrap();
    assert_eq!(key.id(), phone.id);

    let (options, held) = passkeys.ask().unwrap();
    assert_eq!(options["publicKey"]["rpId"], "example.com");
    assert_eq!(options["publicKey"]["userVerification"], "required");
    assert_eq!(options["publicKey"]["allowCredentials"], json!([]), "whoever's");
    assert!(options.get("mediation").is_none_or(Value::is_null));
    let credential = phone.get(&options);
    assert_eq!(passkeys.named(&credential), Ok(Named { holder, id: phone.id.clone() }));
    let mut kept: Key = again(&key);
    assert_eq!(passkeys.answered(&again::<Authenticating>(&held), &credential, &mut kept), Ok(true));
    // The counter was kept: the same answer, or a clone that is behind, is refused.
    assert!(matches!(passkeys.answered(&held, &credential, &mut kept), Err(Failure::Unknown(_))));
    phone.counter = 0;
    let (options, held) = passkeys.ask().unwrap();
    assert!(matches!(passkeys.answered(&held, &phone.get(&options), &mut kept), Err(Failure::Unknown(_))));
}

#[test]
fn what_is_not_right_does_not_count() {
    let passkeys = passkeys();
    let holder = StillWorld::at("2026-11-22T12:00:00Z").random_uuid();
    let register = |change: fn(&mut Authenticator), alter: fn(&mut Value)| {
        let mut phone = Authenticator::new();
        change(&mut phone);
        let (options, held) = passkeys.register(holder, "a").unwrap();
        let mut credential = phone.create(&options);
        alter(&mut credential);
        passkeys.registered(&held, &credential).map(|key| (key, phone)).map_err(|failure| failure.to_string())
    };
    assert!(register(|_| (), |_| ()).is_ok());
    assert!(register(|phone| phone.origin = "https://shop.example.com", |_| ()).is_ok());
    assert!(register(|phone| phone.origin = "https://evil.example.com", |_| ()).is_err());
    assert!(register(|phone| phone.flags = PRESENT, |_| ()).is_err(), "nobody made sure who it was");
    assert!(
        register(|_| (), |credential| credential["clientExtensionResults"]["credProps"]["rk"] = json!(false))
            .is_err()
    );
    assert!(register(|_| (), |credential| credential["response"] = json!({})).is_err());
    assert!(register(|_| (), |credential| *credential = json!([])).is_err());

    let answer = |change: fn(&mut Authenticator), alter: fn(&mut Value)| {
        let (mut key, mut phone) = register(|_| (), |_| ()).unwrap();
        change(&mut phone);
        let (options, held) = passkeys.ask().unwrap();
        let mut credential = phone.get(&options);
        alter(&mut credential);
        passkeys.answered(&held, &credential, &mut key)
    };
    assert_eq!(answer(|_| (), |_| ()), Ok(true));
    assert!(answer(|phone| phone.flags = PRESENT, |_| ()).is_err(), "nobody made sure who it was");
    assert!(answer(|phone| phone.origin = "https://evil.example.com", |_| ()).is_err());
    assert!(answer(|phone| phone.pair = Authenticator::new().pair, |_| ()).is_err(), "another key signed");
    assert!(answer(|phone| phone.id = vec![8; 32], |_| ()).is_err(), "another key is named");
    assert!(answer(|_| (), |credential| credential["response"]["signature"] = json!("AAAA")).is_err());
    let (_, other) = passkeys.ask().unwrap();
    let (mut key, mut phone) = register(|_| (), |_| ()).unwrap();
    let (options, _) = passkeys.ask().unwrap();
    assert!(passkeys.answered(&other, &phone.get(&options), &mut key).is_err(), "another challenge");
    assert!(passkeys.named(&json!({})).is_err());
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let open = |rp_id: &str, origins: &[&str]| {
        let origins = origins.iter().map(|&origin| origin.to_owned()).collect();
        let settings = Settings { rp_id: rp_id.to_owned(), origins, name: "Shop".to_owned() };
        Passkeys::open(&settings).map(drop).map_err(|bad| bad.setting)
    };
    assert_eq!(open("example.com", &["https://age.example.com", "https://example.com:8443"]), Ok(()));
    assert_eq!(open("localhost", &["http://localhost:8080"]), Ok(()));
    for origins in [
        &[][..],
        &["http://age.example.com"],
        &["https://example.org"],
        &["https://badexample.com"],
        &["https://age.example.com/age"],
        &["https://age.example.com", "https://example.org"],
        &["age.example.com"],
    ] {
        assert_eq!(open("example.com", origins), Err("origins"), "{origins:?}");
    }
}
