//! JavaScript libraries make proofs that we verify, and verify proofs that we make. The packages are locked in
//! `tests/oracle`.

use crate::kit::*;
use base::SignedDuration;
use credentials::issue::{AgeAttestation, IssuingKey, issue_code, issue_credential, present};
use credentials::status::{CredentialStatus, StatusList};
use serde_json::{Value, json};

pub(crate) fn ask(command: &str, input: &Value) -> Value {
    fixtures::node::run_once("crates/credentials/tests/oracle", "oracle.mjs", command, input)
}

#[test]
fn proofs_and_status_lists_of_other_libraries_hold() {
    let made = ask("make", &json!({ "now": NOW }));
    let proofs = made["proofs"].as_array().unwrap();
    assert_eq!(proofs.len(), 13);
    for proof in proofs {
        let (name, code) = (proof["name"].as_str().unwrap(), proof["code"].as_str().unwrap());
        let list = list(std::slice::from_ref(&proof["entry"]));
        let verified = verify(&list, code, &terms()).unwrap_or_else(|failed| panic!("{name}: {failed}"));
        println!("{name}: {} characters", code.len());
        assert_eq!(
            json!([verified.age_over, verified.holder_bound]),
            json!([proof["age_over"], proof["bound"]]),
            "{name}"
        );
        assert_eq!(json!(verified.provider), proof["entry"]["provider"], "{name}");
        let late = verify(&list, code, &scanned(90)).unwrap_err();
        assert_eq!(late.reason.as_str(), "PRESENTATION_EXPIRED", "{name}");
    }
    for status in made["statuses"].as_array().unwrap() {
        let (name, uri) = (status["name"].as_str().unwrap(), status["uri"].as_str().unwrap());
        let trusted = list(std::slice::from_ref(&status["entry"]));
        let issuer = trusted.issuers().next().unwrap();
        let parsed =
            StatusList::parse(status["body"].as_str().unwrap().as_bytes(), None, issuer, uri, at(NOW))
                .unwrap();
        for (index, value) in status["values"].as_array().unwrap().iter().enumerate() {
            let expected = match value.as_u64().unwrap() {
                0 => CredentialStatus::Valid,
                1 => CredentialStatus::Invalid,
                2 => CredentialStatus::Suspended,
                other => CredentialStatus::Other(other as u8),
            };
            assert_eq!(parsed.status_at(index as u64), Some(expected), "{name}, {index}");
        }
    }
}

fn private_jwk(key: &IssuingKey) -> Value {
    let mut jwk = key.jwk();
    // The scalar is the first octet string of 32 bytes in the document.
    let der = key.to_pkcs8_der();
    let at = der.expose().windows(2).position(|head| head == [0x04, 0x20]).unwrap() + 2;
    jwk["d"] = json!(b64(&der.expose()[at..at + 32]));
    json!({ "kty": "EC", "crv": "P-256", "x": jwk["x"], "y": jwk["y"], "d": jwk["d"] })
}

#[test]
fn a_browser_presents_what_we_issue_and_others_verify_it() {
    let (signer, holder) = (Signer::new(1), Signer::new(2));
    let list = own_list(&signer);
    let grant_for = AgeAttestation {
        holder: Some(holder.key.holder_key()),
        lifetime: SignedDuration::from_hours(1),
        ..grant()
    };
    let bytes = issue_credential(&signer.key, &grant_for, at(NOW), [0xab; 16]).unwrap();
    let key = private_jwk(&holder.key);
    let presented = ask(
        "present",
        &json!({ "credential": base64_simd::STANDARD.encode_to_string(&bytes), "key": key, "now": NOW }),
    );
    let code = presented["code"].as_str().unwrap();
    let ours = present(&bytes, &holder.key, at(NOW)).unwrap();
    assert_eq!(code.len(), ours.len());
    let unsigned = |code: &str| base45::decode(&code[5..]).unwrap()[..bytes.len() + 20].to_vec();
    assert_eq!(unsigned(code), unsigned(&ours), "byte for byte up to the signature");
    assert!(verify(&list, code, &terms()).unwrap().holder_bound);

    let online =
        issue_code(&signer.key, &AgeAttestation { age_over: vec![18, 21], ..grant() }, at(NOW), [0xcd; 16])
            .unwrap();
    let expected = [
        (
            online.as_str(),
            json!({ "ok": true, "issuer": ISSUER, "seconds": 60, "ages": [18, 21], "id": "cd".repeat(16) }),
        ),
        (
            code,
            json!({ "ok": true, "issuer": ISSUER, "seconds": 7200, "ages": [18], "id": "ab".repeat(16), "holder": { "seconds": 60 } }),
        ),
    ];
    for (code, expected) in expected {
        assert_eq!(ask("verify", &json!({ "code": code, "jwk": signer.key.jwk() })), expected);
        let wrong = ask("verify", &json!({ "code": code, "jwk": Signer::new(3).key.jwk() }));
        assert_eq!(wrong["ok"], json!(false));
    }
}
