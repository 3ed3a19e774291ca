//! Arbitrary text and arbitrarily damaged proofs: never a panic, never an age that was not signed.

use crate::kit::*;
use base::SignedDuration;
use ciborium::Value as Cbor;
use credentials::issue::{AgeAttestation, issue_code, issue_credential, present};
use credentials::proof::{ScannedValue, parse_scanned};
use credentials::trust::TrustList;
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;

/// A trust list, and a valid proof of each format: the text, the bytes that it encodes, and how to encode them again.
struct Kinds {
    list: TrustList,
    texts: Vec<String>,
    messages: Vec<Vec<u8>>,
}

static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let (signer, holder) = (Signer::new(1), Signer::new(2));
    let own = signer.key.jwk();
    let kid = own["kid"].as_str().unwrap().to_owned();
    let grant_for = AgeAttestation {
        holder: Some(holder.key.holder_key()),
        lifetime: SignedDuration::from_hours(1),
        ..grant()
    };
    let online = issue_code(&signer.key, &grant(), at(NOW), [1; 16]).unwrap();
    let presented = issue_credential(&signer.key, &grant_for, at(NOW), [2; 16]).unwrap();
    let presented = present(&presented, &holder.key, at(NOW)).unwrap();
    let jwt = signer.jws(
        &json!({ "alg": "ES256", "kid": kid }),
        &json!({ "iss": ISSUER, "iat": NOW, "exp": NOW + 60, "age_over_18": true }),
    );
    let disclosure = b64(json!(["c2FsdA", "age_over_18", true]).to_string());
    let payload = json!({
        "iss": ISSUER, "exp": NOW + 60, "vct": "x", "_sd": [b64(sha256(&disclosure))], "cnf": { "jwk": {
            "kty": "EC", "crv": "P-256", "x": holder.key.jwk()["x"], "y": holder.key.jwk()["y"] } },
    });
    let shown = format!(
        "{}~{disclosure}~",
        signer.jws(&json!({ "alg": "ES256", "typ": "dc+sd-jwt", "kid": kid }), &payload)
    );
    let binding = json!({ "iat": NOW, "aud": "a", "nonce": "n", "sd_hash": b64(sha256(&shown)) });
    let sd_jwt = format!("{shown}{}", holder.jws(&json!({ "alg": "ES256", "typ": "kb+jwt" }), &binding));
    let messages = vec![base45::decode(&online[5..]).unwrap(), base45::decode(&presented[5..]).unwrap()];
    let cwt = signer.cwt(&kid, &Cbor::Map(cwt_claims(ISSUER)));
    Kinds { list: own_list(&signer), texts: vec![online, presented, jwt, sd_jwt, cwt], messages }
});

fn age(code: &str) -> Option<u8> {
    match parse_scanned(code) {
        Ok(ScannedValue::Proof(proof)) => {
            let _ = (proof.claimed_issuer(), proof.claimed_key(), proof.format());
            KINDS.list.verify_proof(&proof, &terms()).ok().map(|verified| verified.age_over)
        }
        _ => None,
    }
}

#[test]
fn undamaged_they_all_hold() {
    for text in &KINDS.texts {
        assert_eq!(age(text), Some(18), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_proves_nothing(text in ".{0,600}") {
        prop_assert_eq!(age(&text), None);
    }

    #[test]
    fn arbitrary_bytes_prove_nothing(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for code in [hc1(&bytes), b64(&bytes), base45::encode(&bytes), format!("ey{0}.{0}.{0}", b64(&bytes))] {
            prop_assert_eq!(age(&code), None);
        }
    }

    #[test]
    fn one_changed_character_breaks_a_proof(kind in 0..5usize, place in any::<prop::sample::Index>(), letter in "[ -~]") {
        let text = &KINDS.texts[kind];
        let place = place.index(text.len());
        let mut damaged = text.clone();
        damaged.replace_range(place..=place, &letter);
        // `POA1:` and `HC1:` name the same encoding, and the prefix is not signed.
        if damaged != *text && place >= 5 {
            prop_assert_eq!(age(&damaged), None, "{}", damaged);
        } else {
            age(&damaged);
        }
    }

    #[test]
    fn a_cut_or_spliced_proof_breaks(kind in 0..5usize, other in 0..5usize, at in any::<prop::sample::Index>(), from in any::<prop::sample::Index>()) {
        let (first, second) = (&KINDS.texts[kind], &KINDS.texts[other]);
        let damaged = format!("{}{}", &first[..at.index(first.len())], &second[from.index(second.len())..]);
        // What stands before the colon is not signed; what follows must not be a complete proof.
        let body = |text: &str| text.split_once(':').map_or(text, |(_, body)| body).to_owned();
        if body(&damaged) != body(first) && body(&damaged) != body(second) {
            prop_assert_eq!(age(&damaged), None, "{}", damaged);
        }
    }

    #[test]
    fn changed_bytes_break_a_message(kind in 0..2usize, place in any::<prop::sample::Index>(), bit in 0..8u8, extra in 0..3usize) {
        let mut message = KINDS.messages[kind].clone();
        let place = place.index(message.len());
        message[place] ^= 1 << bit;
        message.extend(std::iter::repeat_n(0, extra));
        prop_assert_eq!(age(&format!("POA1:{}", base45::encode(&message))), None);
    }
}
