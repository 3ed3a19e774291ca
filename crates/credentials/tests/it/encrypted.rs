//! Tokens that another library encrypted to our keys.

use crate::{kit::b64, oracle::ask};
use base::TestEnvironment;
use base64_simd::URL_SAFE_NO_PAD;
use credentials::jwe::{DecryptionKey, decrypt, is_jwe};
use serde_json::{Value, json};

const PAYLOAD: &str = r#"{"birthdate":"1990-12-10"}"#;

fn key() -> DecryptionKey {
    DecryptionKey::generate(&TestEnvironment::at("2026-01-01T00:00:00Z"))
}

/// Keys on the larger curves, generated once by another library.
const P384: &str = include_str!("../vectors/jwe-p384.json");
const P521: &str = include_str!("../vectors/jwe-p521.json");

fn asked(key: &DecryptionKey, alg: &str, enc: &str, more: &Value) -> Value {
    let mut asked = json!({ "key": key.jwk(alg), "alg": alg, "enc": enc, "payload": PAYLOAD });
    asked.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    asked
}

/// All in one call, because starting the other library takes longer than encrypting.
fn encrypt_all(all: &[Value]) -> Vec<String> {
    let tokens = ask("encrypt", &json!({ "all": all }))["tokens"].take();
    serde_json::from_value(tokens).unwrap()
}

fn encrypt(key: &DecryptionKey, alg: &str, enc: &str, more: &Value) -> String {
    encrypt_all(&[asked(key, alg, enc, more)]).remove(0)
}

#[test]
fn every_algorithm_is_read_as_another_library_writes_it() {
    let key = key();
    let mut wanted = Vec::new();
    for alg in ["ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW"] {
        for enc in ["A128GCM", "A256GCM", "A128CBC-HS256", "A256CBC-HS512"] {
            wanted.push((alg, enc));
        }
    }
    let named = json!({ "kid": key.kid() });
    let all: Vec<_> = wanted.iter().map(|(alg, enc)| asked(&key, alg, enc, &named)).collect();
    for ((alg, enc), token) in wanted.into_iter().zip(encrypt_all(&all)) {
        assert!(is_jwe(&token));
        let opened = decrypt(&token, &[&key], 4096).unwrap_or_else(|bad| panic!("{alg}, {enc}: {bad}"));
        assert_eq!(opened.payload.expose(), PAYLOAD.as_bytes());
        assert_eq!((opened.alg.as_str(), opened.enc.as_str()), (alg, enc));
    }
    let larger = [P384, P521].map(|jwk| DecryptionKey::from_jwk(jwk).unwrap());
    let parties = json!({ "apu": "wallet", "apv": "nonce" });
    let all = larger.each_ref().map(|key| asked(key, "ECDH-ES+A256KW", "A256GCM", &parties));
    for (key, token) in larger.iter().zip(encrypt_all(&all)) {
        let opened = decrypt(&token, &[key], 4096).unwrap();
        assert_eq!((&*opened.apu, &*opened.apv), (&b"wallet"[..], &b"nonce"[..]));
    }
}

#[test]
fn the_key_that_is_meant_is_taken() {
    let env = TestEnvironment::at("2026-01-01T00:00:00Z");
    let (ours, other) = (DecryptionKey::generate(&env), DecryptionKey::generate(&env));
    let named = encrypt(&ours, "ECDH-ES", "A128GCM", &json!({ "kid": ours.kid() }));
    assert!(decrypt(&named, &[&other, &ours], 4096).is_ok());
    let refused = |token: &str, keys: &[&DecryptionKey]| decrypt(token, keys, 4096).unwrap_err().to_string();
    assert_eq!(refused(&named, &[&other]), "the token is not encrypted to a key of ours");
    let unnamed = encrypt(&ours, "ECDH-ES", "A128GCM", &json!({}));
    assert!(decrypt(&unnamed, &[&other, &ours], 4096).is_ok());
    assert_eq!(refused(&unnamed, &[&other]), "the token cannot be decrypted");
    assert_eq!(decrypt(&unnamed, &[&ours], 100).unwrap_err().to_string(), "the token is too long");
}

#[test]
fn no_changed_character_is_decrypted() {
    let key = key();
    for (alg, enc) in [("ECDH-ES", "A128GCM"), ("ECDH-ES+A128KW", "A128CBC-HS256")] {
        let token = encrypt(&key, alg, enc, &json!({}));
        for at in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(decrypt(&changed, &[&key], 4096).is_err(), "{alg}, {enc}: character {at}");
        }
        for cut in 0..token.len() {
            assert!(decrypt(&token[..cut], &[&key], 4096).is_err(), "{alg}, {enc}: {cut} characters");
        }
    }
}

#[test]
fn headers_that_ask_for_more_are_refused() {
    let key = key();
    let token = encrypt(&key, "ECDH-ES", "A128GCM", &json!({}));
    let (header, rest) = token.split_once('.').unwrap();
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode_to_vec(header).unwrap()).unwrap();
    let refused = |name: &str, value: Value| {
        let mut header = header.clone();
        header[name] = value;
        decrypt(&format!("{}.{rest}", b64(header.to_string())), &[&key], 65536).unwrap_err().to_string()
    };
    assert_eq!(refused("zip", json!("DEF")), "the token is compressed, or has critical header parameters");
    assert_eq!(refused("crit", json!(["exp"])), "the token is compressed, or has critical header parameters");
    for alg in ["RSA-OAEP", "dir", "PBES2-HS256+A128KW", "none", "ECDH-ES+A192KW"] {
        assert_eq!(
            refused("alg", json!(alg)),
            "the token has a key management algorithm that is not read here"
        );
    }
    assert_eq!(
        refused("enc", json!("A192GCM")),
        "the token has a content encryption algorithm that is not read here"
    );
    assert_eq!(refused("apu", json!("!")), "the token has an apu or apv that cannot be used");
    assert_eq!(refused("apv", json!("A".repeat(1000))), "the token has an apu or apv that cannot be used");
    assert_eq!(refused("more", json!("x".repeat(9000))), "the token has too long a header");
    let mut outside = header["epk"].clone();
    outside["x"] = outside["y"].clone();
    assert_eq!(refused("epk", outside), "the token cannot be decrypted", "the point is not on the curve");
    let mut other = header["epk"].clone();
    other["crv"] = json!("P-384");
    assert_eq!(refused("epk", other), "the token has no ephemeral key that can be used");
    assert_eq!(refused("epk", json!({ "kty": "OKP" })), "the token has no ephemeral key that can be used");
    let twice = format!("{{\"alg\":\"ECDH-ES\",{}", &header.to_string()[1..]);
    let twice = decrypt(&format!("{}.{rest}", b64(twice)), &[&key], 65536).unwrap_err().to_string();
    assert_eq!(twice, "the token has a header that is not a JSON object without repetition");
}
