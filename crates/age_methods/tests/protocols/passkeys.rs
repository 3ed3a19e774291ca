//! Passkeys, with a simulated authenticator.

use age_methods::{
    AgeMethodError,
    passkey::{
        ClaimedPasskey, PasskeyAuthenticationState, PasskeyRegistrationState, PasskeySettings, Passkeys,
        StoredPasskey,
    },
};
use base::{Environment as _, TestEnvironment};
use base64_simd::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use testkit::authenticator::{Authenticator, USER_PRESENT_FLAG};

const ORIGIN: &str = "https://age.example.com";

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

fn passkeys() -> Passkeys {
    let origins = vec![ORIGIN.to_owned(), "https://shop.example.com".to_owned()];
    Passkeys::open(&PasskeySettings { rp_id: "example.com".to_owned(), origins, name: "Shop".to_owned() })
        .unwrap()
}

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(held: &T) -> T {
    serde_json::from_str(&serde_json::to_string(held).unwrap()).unwrap()
}

#[test]
fn a_key_is_made_kept_and_known_again() {
    let (passkeys, mut phone) = (passkeys(), Authenticator::new(ORIGIN));
    let holder = TestEnvironment::at("2026-11-22T12:00:00Z").uuid_v4();
    let (options, held) = passkeys.start_registration(holder, "Shop, 22 November 2026").unwrap();
    let wanted = &options["publicKey"];
    assert_eq!(wanted["rp"], json!({ "id": "example.com", "name": "Shop" }));
    assert_eq!(wanted["user"]["id"], b64(holder.as_bytes()));
    assert_eq!(wanted["attestation"], "none");
    let selection = &wanted["authenticatorSelection"];
    assert_eq!(
        [&selection["residentKey"], &selection["requireResidentKey"], &selection["userVerification"]],
        [&json!("required"), &json!(true), &json!("required")]
    );
    let key = passkeys
        .finish_registration(&again::<PasskeyRegistrationState>(&held), &phone.create(&options))
        .unwrap();
    assert_eq!(key.id(), phone.id);

    let (options, held) = passkeys.start_authentication().unwrap();
    assert_eq!(options["publicKey"]["rpId"], "example.com");
    assert_eq!(options["publicKey"]["userVerification"], "required");
    assert_eq!(options["publicKey"]["allowCredentials"], json!([]), "whoever's");
    assert!(options.get("mediation").is_none_or(Value::is_null));
    let credential = phone.get(&options);
    assert_eq!(passkeys.identify(&credential), Ok(ClaimedPasskey { holder, id: phone.id.clone() }));
    let mut kept: StoredPasskey = again(&key);
    assert_eq!(
        passkeys.finish_authentication(&again::<PasskeyAuthenticationState>(&held), &credential, &mut kept),
        Ok(true)
    );
    // The counter was stored: a repeated response, or one of a clone that is behind, is refused.
    assert!(matches!(
        passkeys.finish_authentication(&held, &credential, &mut kept),
        Err(AgeMethodError::Inconclusive(_))
    ));
    phone.counter = 0;
    let (options, held) = passkeys.start_authentication().unwrap();
    assert!(matches!(
        passkeys.finish_authentication(&held, &phone.get(&options), &mut kept),
        Err(AgeMethodError::Inconclusive(_))
    ));
}

#[test]
fn what_is_not_right_does_not_count() {
    let passkeys = passkeys();
    let holder = TestEnvironment::at("2026-11-22T12:00:00Z").uuid_v4();
    let register = |change: fn(&mut Authenticator), alter: fn(&mut Value)| {
        let mut phone = Authenticator::new(ORIGIN);
        change(&mut phone);
        let (options, held) = passkeys.start_registration(holder, "a").unwrap();
        let mut credential = phone.create(&options);
        alter(&mut credential);
        passkeys
            .finish_registration(&held, &credential)
            .map(|key| (key, phone))
            .map_err(|failure| failure.to_string())
    };
    assert!(register(|_| (), |_| ()).is_ok());
    assert!(register(|phone| phone.origin = "https://shop.example.com", |_| ()).is_ok());
    assert!(register(|phone| phone.origin = "https://evil.example.com", |_| ()).is_err());
    assert!(
        register(|phone| phone.flags = USER_PRESENT_FLAG, |_| ()).is_err(),
        "nobody made sure who it was"
    );
    assert!(
        register(|_| (), |credential| credential["clientExtensionResults"]["credProps"]["rk"] = json!(false))
            .is_err()
    );
    assert!(register(|_| (), |credential| credential["response"] = json!({})).is_err());
    assert!(register(|_| (), |credential| *credential = json!([])).is_err());

    let answer = |change: fn(&mut Authenticator), alter: fn(&mut Value)| {
        let (mut key, mut phone) = register(|_| (), |_| ()).unwrap();
        change(&mut phone);
        let (options, held) = passkeys.start_authentication().unwrap();
        let mut credential = phone.get(&options);
        alter(&mut credential);
        passkeys.finish_authentication(&held, &credential, &mut key)
    };
    assert_eq!(answer(|_| (), |_| ()), Ok(true));
    assert!(answer(|phone| phone.flags = USER_PRESENT_FLAG, |_| ()).is_err(), "nobody made sure who it was");
    assert!(answer(|phone| phone.origin = "https://evil.example.com", |_| ()).is_err());
    assert!(
        answer(|phone| phone.pair = Authenticator::new(ORIGIN).pair, |_| ()).is_err(),
        "another key signed"
    );
    assert!(answer(|phone| phone.id = vec![8; 32], |_| ()).is_err(), "another key is named");
    assert!(answer(|_| (), |credential| credential["response"]["signature"] = json!("AAAA")).is_err());
    let (_, other) = passkeys.start_authentication().unwrap();
    let (mut key, mut phone) = register(|_| (), |_| ()).unwrap();
    let (options, _) = passkeys.start_authentication().unwrap();
    assert!(
        passkeys.finish_authentication(&other, &phone.get(&options), &mut key).is_err(),
        "another challenge"
    );
    assert!(passkeys.identify(&json!({})).is_err());
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let open = |rp_id: &str, origins: &[&str]| {
        let origins = origins.iter().map(|&origin| origin.to_owned()).collect();
        let settings = PasskeySettings { rp_id: rp_id.to_owned(), origins, name: "Shop".to_owned() };
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
