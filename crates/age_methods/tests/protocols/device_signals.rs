//! Verdicts of Play Integrity, as Google makes them, with keys of our own: right, replayed, another app's, old.

use crate::kit::Fixture;
use age_methods::device_signal::{
    AppVoucher, DeviceAttestation, DeviceChallenge, DeviceSignalError, DeviceSignalVerifier, DeviceStatement,
    PhonePlatform,
};
use aws_lc_rs::{
    aead,
    encoding::{AsDer as _, PublicKeyX509Der},
    key_wrap::{AES_256, AesKek, KeyWrap as _},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base::SignedDuration;
use base64_simd::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

const PACKAGE: &str = "com.example.shop";
const CERTIFICATE: [u8; 32] = [9; 32];
const KEK: [u8; 32] = [5; 32];
const STATEMENT: &str = r#"{"userStatus":"VERIFIED","ageLower":18}"#;

struct Google {
    site: Fixture,
    key: EcdsaKeyPair,
}

impl Google {
    fn new() -> Self {
        Self { site: Fixture::new(), key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap() }
    }

    fn verifier(&self, more: &Value) -> DeviceSignalVerifier {
        let public: PublicKeyX509Der<'_> = self.key.public_key().as_der().unwrap();
        let mut app = json!({
            "package": PACKAGE, "certificates": [hex::encode(CERTIFICATE)],
            "decryption_key_file": self.site.secret(&STANDARD.encode_to_string(KEK)),
            "verification_key_file": self.site.secret(&STANDARD.encode_to_string(public.as_ref())),
        });
        app.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let settings = Fixture::settings(json!({ "provider": "platforms", "android": [app] }));
        DeviceSignalVerifier::open(&settings, &self.site.environment).unwrap()
    }

    /// A verdict over the binding, changed by the test.
    fn token(&self, binding: &[u8], change: impl Fn(&mut Value)) -> String {
        let mut verdict = json!({
            "requestDetails": {
                "requestPackageName": PACKAGE, "requestHash": URL_SAFE_NO_PAD.encode_to_string(binding),
                "timestampMillis": self.site.environment.now().as_millisecond().to_string(),
            },
            "appIntegrity": {
                "appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": PACKAGE,
                "certificateSha256Digest": [URL_SAFE_NO_PAD.encode_to_string(CERTIFICATE)], "versionCode": "42",
            },
            "deviceIntegrity": { "deviceRecognitionVerdict": ["MEETS_DEVICE_INTEGRITY"] },
            "accountDetails": { "appLicensingVerdict": "LICENSED" },
        });
        change(&mut verdict);
        self.seal(&verdict, r#"{"alg":"ES256"}"#, r#"{"alg":"A256KW","enc":"A256GCM"}"#, &KEK)
    }

    fn seal(&self, verdict: &Value, inner: &str, outer: &str, kek: &[u8; 32]) -> String {
        let base64 = |bytes: &[u8]| URL_SAFE_NO_PAD.encode_to_string(bytes);
        let signed = format!("{}.{}", base64(inner.as_bytes()), base64(verdict.to_string().as_bytes()));
        let signature = self.key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        let mut text = format!("{signed}.{}", base64(signature.as_ref())).into_bytes();
        let content = [3; 32];
        let mut wrapped = [0; 40];
        let wrapped = AesKek::new(&AES_256, kek).unwrap().wrap(&content, &mut wrapped).unwrap();
        let header = base64(outer.as_bytes());
        let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_256_GCM, &content).unwrap());
        let nonce = aead::Nonce::assume_unique_for_key([1; 12]);
        let tag =
            key.seal_in_place_separate_tag(nonce, aead::Aad::from(header.as_bytes()), &mut text).unwrap();
        [header.as_str(), &base64(wrapped), &base64(&[1; 12]), &base64(&text), &base64(tag.as_ref())]
            .join(".")
    }
}

fn sent(token: String) -> DeviceStatement {
    DeviceStatement {
        platform: PhonePlatform::Android,
        statement: STATEMENT.to_owned(),
        attestation: Some(DeviceAttestation::PlayIntegrity { token }),
    }
}

fn refusal(verifier: &DeviceSignalVerifier, challenge: &DeviceChallenge, token: String) -> String {
    match verifier.verify("any", challenge, &sent(token)).unwrap_err() {
        DeviceSignalError::NotAttested(words) => words,
        other => panic!("{other}"),
    }
}

#[test]
fn a_verdict_over_the_challenge_and_the_statement_is_accepted() {
    let google = Google::new();
    let verifier = google.verifier(&json!({}));
    let challenge = verifier.new_challenge();
    assert_eq!(challenge.until, google.site.environment.now() + SignedDuration::from_secs(300));
    let found =
        verifier.verify("any", &challenge, &sent(google.token(&challenge.binding(STATEMENT), |_| {})));
    assert_eq!(found.unwrap().voucher, Some(AppVoucher::PlayIntegrity));
    // A classic request has a nonce, which Google pads.
    let padded = base64_simd::URL_SAFE.encode_to_string(challenge.binding(STATEMENT));
    let token = google.token(&[], |verdict| {
        verdict["requestDetails"].as_object_mut().unwrap().remove("requestHash");
        verdict["requestDetails"]["nonce"] = padded.clone().into();
    });
    assert!(verifier.verify("any", &challenge, &sent(token)).is_ok());
}

#[test]
fn a_verdict_of_another_session_statement_app_phone_or_time_is_refused() {
    let google = Google::new();
    let verifier = google.verifier(&json!({}));
    let (challenge, earlier) = (verifier.new_challenge(), verifier.new_challenge());
    let binding = challenge.binding(STATEMENT);
    let with = |change: &dyn Fn(&mut Value)| refusal(&verifier, &challenge, google.token(&binding, change));
    let replayed = google.token(&earlier.binding(STATEMENT), |_| {});
    let other = "the verdict is over another challenge or statement";
    assert_eq!(refusal(&verifier, &challenge, replayed), other);
    let younger = google.token(&challenge.binding(r#"{"userStatus":"SUPERVISED","ageLower":13}"#), |_| {});
    assert_eq!(
        refusal(&verifier, &challenge, younger),
        other,
        "the statement was changed after it was attested"
    );
    assert_eq!(
        with(&|verdict| verdict["requestDetails"]["requestPackageName"] = "com.example.evil".into()),
        "the verdict was requested by another app"
    );
    assert_eq!(
        with(&|verdict| verdict["appIntegrity"]["packageName"] = "com.example.evil".into()),
        "the verdict is about another app"
    );
    let unrecognised = "the verdict is not about an app as Google Play distributes it";
    assert_eq!(
        with(&|verdict| verdict["appIntegrity"]["appRecognitionVerdict"] = "UNRECOGNIZED_VERSION".into()),
        unrecognised
    );
    assert_eq!(
        with(&|verdict| verdict["appIntegrity"]["certificateSha256Digest"] = json!(["AAAA"])),
        "the verdict is about an app that somebody else signed"
    );
    let phone = "the verdict is about a phone that Google does not recognise as genuine";
    for labels in [json!([]), json!(["MEETS_BASIC_INTEGRITY"]), json!(null)] {
        assert_eq!(
            with(&|verdict| verdict["deviceIntegrity"]["deviceRecognitionVerdict"] = labels.clone()),
            phone
        );
    }
    let time = "the verdict is older than the challenge, or of the future";
    for minutes in [-10, 10] {
        let at = google.site.environment.now() + SignedDuration::from_mins(minutes);
        assert_eq!(
            with(&|verdict| verdict["requestDetails"]["timestampMillis"] = at.as_millisecond().into()),
            time
        );
    }
    assert_eq!(
        with(&|verdict| verdict["requestDetails"]["timestampMillis"] = json!(null)),
        "the verdict has no time"
    );
    let strong = google.verifier(&json!({ "device": "strong" }));
    assert_eq!(refusal(&strong, &challenge, google.token(&binding, |_| {})), phone);
    assert!(
        strong
            .verify(
                "any",
                &challenge,
                &sent(google.token(&binding, |verdict| {
                    verdict["deviceIntegrity"]["deviceRecognitionVerdict"] =
                        json!(["MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"]);
                }))
            )
            .is_ok()
    );
}

#[test]
fn a_token_that_is_not_googles_for_this_app_is_refused() {
    let google = Google::new();
    let verifier = google.verifier(&json!({}));
    let challenge = verifier.new_challenge();
    let binding = challenge.binding(STATEMENT);
    let good = google.token(&binding, |_| {});
    // Everybody with the key could encrypt; only Google signs.
    let forger = Google::new();
    assert_eq!(
        refusal(&verifier, &challenge, forger.token(&binding, |_| {})),
        "the token is not signed by the key"
    );
    let verdict = json!({});
    for (inner, outer) in [
        (r#"{"alg":"none"}"#, r#"{"alg":"A256KW","enc":"A256GCM"}"#),
        (r#"{"alg":"HS256"}"#, r#"{"alg":"A256KW","enc":"A256GCM"}"#),
        (r#"{"alg":"ES256"}"#, r#"{"alg":"dir","enc":"A256GCM"}"#),
        (r#"{"alg":"ES256"}"#, r#"{"alg":"A256KW","enc":"A256GCM","zip":"DEF"}"#),
    ] {
        refusal(&verifier, &challenge, google.seal(&verdict, inner, outer, &KEK));
    }
    let other_key =
        google.seal(&verdict, r#"{"alg":"ES256"}"#, r#"{"alg":"A256KW","enc":"A256GCM"}"#, &[6; 32]);
    assert_eq!(refusal(&verifier, &challenge, other_key), "the token cannot be decrypted");
    for token in ["", "a.b.c", "a.b.c.d.e", &"x".repeat(100_000)] {
        refusal(&verifier, &challenge, token.to_owned());
    }
    for index in (0..good.len()).step_by(7) {
        let mut bytes = good.clone().into_bytes();
        bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
        refusal(&verifier, &challenge, String::from_utf8(bytes).unwrap());
    }
}

#[test]
fn an_app_counts_for_the_application_that_it_is_of() {
    let google = Google::new();
    let verifier = google.verifier(&json!({ "application": "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01" }));
    let challenge = verifier.new_challenge();
    let sent = sent(google.token(&challenge.binding(STATEMENT), |_| {}));
    assert!(verifier.verify("5F0C7A1E-3B52-4D8E-9C11-8A7B6C5D4E01", &challenge, &sent).is_ok());
    let refused = verifier.verify("018f3c8e-0000-4000-8000-00000000000a", &challenge, &sent).unwrap_err();
    assert_eq!(refused.to_string(), "no app of this platform is set up for the application");
    assert!(verifier.counts_for("5F0C7A1E-3B52-4D8E-9C11-8A7B6C5D4E01"));
    assert!(!verifier.counts_for("018f3c8e-0000-4000-8000-00000000000a"));
    assert!(google.verifier(&json!({})).counts_for("any"));
    let ios = json!([{ "app_id": "ABCDE12345.com.example.shop", "application": "one" }]);
    let settings = Fixture::settings(json!({ "provider": "platforms", "ios": ios }));
    let apple_only = DeviceSignalVerifier::open(&settings, &google.site.environment).unwrap();
    assert!(apple_only.counts_for("one") && !apple_only.counts_for("other"));
    let sandbox = Fixture::settings(json!({ "provider": "sandbox" }));
    assert!(DeviceSignalVerifier::open(&sandbox, &google.site.environment).unwrap().counts_for("any"));
    // An iPhone's statement needs Apple's attestation.
    let apple = DeviceStatement {
        platform: PhonePlatform::Ios,
        statement: r#"{"lowerBound":18,"ageRangeDeclaration":"confirmed"}"#.to_owned(),
        ..sent
    };
    assert!(matches!(
        verifier.verify("x", &challenge, &apple),
        Err(DeviceSignalError::Malformed { member: "attestation", .. })
    ));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let google = Google::new();
    let open = |settings: Value| {
        DeviceSignalVerifier::open(&Fixture::settings(settings), &google.site.environment)
            .map(drop)
            .unwrap_err()
            .setting
    };
    assert_eq!(open(json!({ "provider": "platforms" })), "android");
    let ios = json!([{ "app_id": "ABCDE12345.com.example.shop" }]);
    assert_eq!(
        open(json!({ "provider": "platforms", "challenge_seconds": 5, "ios": ios })),
        "challenge_seconds"
    );
    assert_eq!(open(json!({ "provider": "platforms", "ios": [{ "app_id": "shop" }] })), "app_id");
    let android = |certificates: Value, key: &str| {
        let file = google.site.secret(key);
        json!({ "provider": "platforms", "android": [{
            "package": PACKAGE, "certificates": certificates, "decryption_key_file": file, "verification_key_file": file,
        }] })
    };
    assert_eq!(open(android(json!([]), "x")), "certificates");
    assert_eq!(open(android(json!(["xyz"]), "x")), "certificates");
    assert_eq!(open(android(json!([hex::encode(CERTIFICATE)]), "AAAA")), "decryption_key_file");
    assert_eq!(
        open(android(json!([hex::encode(CERTIFICATE)]), &STANDARD.encode_to_string(KEK))),
        "verification_key_file"
    );
}
