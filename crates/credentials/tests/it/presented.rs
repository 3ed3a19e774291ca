//! What a wallet presents on request, and every way in which it does not answer that request.

use crate::chains::{params, root};
use crate::formats::{Wallet, disclosure};
use crate::kit::*;
use crate::mdocs::Phone;
use base::SignedDuration;
use ciborium::Value as Cbor;
use credentials::jwe::DecryptionKey;
use credentials::proof::{ProofFailureReason, ProofVerificationError, VerificationTerms};
use credentials::trust::TrustList;
use credentials::vp::{
    Presentation, PresentationBinding, RequestObjectSigner, RequestObjectSignerError, VerifiedPresentation,
};
use rcgen::{IsCa, KeyPair, SanType};
use serde_json::{Value, json};
use std::sync::Arc;

const CLIENT: &str = "x509_san_dns:age.example";
const NONCE: &str = "nonce-of-this-request";

fn request() -> PresentationBinding<'static> {
    PresentationBinding {
        client_id: CLIENT,
        nonce: NONCE,
        response_uri: "https://age.example/response",
        key_thumbprint: Some([7; 32]),
        mac_key: None,
    }
}

fn later(seconds: i64) -> VerificationTerms {
    VerificationTerms { freshness: SignedDuration::from_mins(15), ..scanned(seconds) }
}

fn answer(
    list: &TrustList,
    presented: &Presentation,
    terms: &VerificationTerms,
) -> Result<VerifiedPresentation, ProofVerificationError> {
    list.verify_presentation(presented, &request(), terms)
}

/// A presentation whose holder signs the binding as `alter` changes it.
fn shown(wallet: &Wallet, payload: &Value, disclosures: &[String], alter: impl FnOnce(&mut Value)) -> String {
    let issued = wallet.issuer.jws(&Wallet::header(), payload);
    let shown = disclosures.iter().fold(format!("{issued}~"), |shown, one| format!("{shown}{one}~"));
    let mut binding = json!({ "iat": NOW, "aud": CLIENT, "nonce": NONCE, "sd_hash": b64(sha256(&shown)) });
    alter(&mut binding);
    format!("{shown}{}", wallet.holder.jws(&json!({ "alg": "ES256", "typ": "kb+jwt" }), &binding))
}

fn sd_jwt(text: &str) -> Presentation {
    Presentation::sd_jwt(text).unwrap()
}

#[test]
fn a_credential_answers_the_request_that_its_holder_signed() {
    let wallet = Wallet::new();
    let over = disclosure("age_over_18", &json!(true));
    let payload = wallet.payload(std::slice::from_ref(&over), &json!({ "age_in_years": 20 }));
    let text = shown(&wallet, &payload, &[over], |_| {});
    let stated = answer(&wallet.list(), &sd_jwt(&text), &later(600)).unwrap();
    assert_eq!((stated.credential_type.as_str(), stated.issuer.as_str()), ("urn:example:age", ISSUER));
    assert_eq!((stated.age.deciding_threshold(18), stated.age.years), (Some((18, true)), Some(20)));
    assert_eq!(stated.status, None);
}

#[test]
fn a_credential_for_another_request_another_holder_or_another_moment_is_refused() {
    let wallet = Wallet::new();
    let over = disclosure("age_over_18", &json!(true));
    let disclosures = std::slice::from_ref(&over);
    let payload = wallet.payload(disclosures, &json!({}));
    let list = wallet.list();
    let outcome = |text: &str, terms: &VerificationTerms| {
        answer(&list, &sd_jwt(text), terms).map_err(|failed| failed.reason)
    };
    let bent =
        |name: &str, value: Value| shown(&wallet, &payload, disclosures, |binding| binding[name] = value);
    let unsigned = Err(ProofFailureReason::UnableToVerifySignature);

    assert!(outcome(&bent("iat", json!(NOW)), &later(0)).is_ok());
    assert_eq!(outcome(&bent("nonce", json!("another")), &later(0)), unsigned);
    assert_eq!(outcome(&bent("aud", json!("x509_san_dns:other.example")), &later(0)), unsigned);
    assert_eq!(outcome(&bent("aud", json!([CLIENT])), &later(0)), unsigned);
    assert_eq!(outcome(&bent("sd_hash", json!(b64([0; 32]))), &later(0)), unsigned);
    assert_eq!(
        outcome(&bent("iat", json!(NOW - 1000)), &later(0)),
        Err(ProofFailureReason::PresentationExpired)
    );
    assert_eq!(
        outcome(&bent("iat", json!(NOW + 100)), &later(0)),
        Err(ProofFailureReason::PresentationExpired)
    );
    assert_eq!(
        outcome(&bent("iat", json!(NOW)), &later(86_500)),
        Err(ProofFailureReason::PresentationExpired)
    );

    // The holder's signature is required, even if the issuer's entry says `unbound`.
    let text = bent("iat", json!(NOW));
    let bare = &text[..=text.rfind('~').unwrap()];
    let mut entry = entry(ISSUER, &[wallet.issuer.jwk("k")]);
    entry["unbound"] = json!(true);
    let lax = crate::kit::list(&[entry]);
    assert_eq!(
        answer(&lax, &sd_jwt(bare), &later(0)).unwrap_err().reason,
        ProofFailureReason::UnableToVerifySignature
    );

    // Another holder, an altered disclosure, an issuer that is not listed.
    let thief = Wallet { issuer: Signer::new(1), holder: Signer::new(3) };
    assert_eq!(outcome(&shown(&thief, &payload, disclosures, |_| {}), &later(0)), unsigned);
    let other = [disclosure("age_over_18", &json!(true)), disclosure("age_over_21", &json!(true))];
    assert_eq!(
        outcome(&shown(&wallet, &payload, &other, |_| {}), &later(0)),
        Err(ProofFailureReason::UnsupportedPayload)
    );
    let forger = Wallet { issuer: Signer::new(4), holder: Signer::new(2) };
    assert_eq!(outcome(&shown(&forger, &payload, disclosures, |_| {}), &later(0)), unsigned);
    let nobody = wallet.payload(disclosures, &json!({ "iss": "https://nobody.example" }));
    assert_eq!(
        outcome(&shown(&wallet, &nobody, disclosures, |_| {}), &later(0)),
        Err(ProofFailureReason::UnknownProvider)
    );
}

#[test]
fn presentations_are_bounded_before_they_are_read() {
    let wallet = Wallet::new();
    let payload = wallet.payload(&[], &json!({}));
    let many: Vec<_> = (0..300).map(|number| disclosure(&format!("c{number}"), &json!(true))).collect();
    assert!(Presentation::sd_jwt(&shown(&wallet, &payload, &many, |_| {})).is_err());
    let long = "x".repeat(credentials::vp::MAX_PRESENTATION_CHARS + 1);
    for refused in [Presentation::sd_jwt(&long), Presentation::mdoc(&long, &request())] {
        assert!(refused.unwrap_err().detail.contains("more than"));
    }
    for nonsense in ["", "~", "a.b.c~", "!"] {
        assert!(Presentation::sd_jwt(nonsense).is_err() && Presentation::mdoc(nonsense, &request()).is_err());
    }
}

/// The session transcript of a request, computed without the code under test.
fn transcript(request: &PresentationBinding<'_>) -> Cbor {
    let info = Cbor::Array(vec![
        text(request.client_id),
        text(request.nonce),
        request.key_thumbprint.map_or(Cbor::Null, |thumbprint| Cbor::Bytes(thumbprint.to_vec())),
        text(request.response_uri),
    ]);
    let hash = Cbor::Bytes(sha256(encode(&info)));
    Cbor::Array(vec![Cbor::Null, Cbor::Null, Cbor::Array(vec![text("OpenID4VPHandover"), hash])])
}

fn mdoc(phone: &Phone, signed_for: &PresentationBinding<'_>) -> Presentation {
    let response = encode(&phone.response_for(transcript(signed_for)));
    Presentation::mdoc(&b64(response), &request()).unwrap()
}

#[test]
fn a_mobile_document_answers_the_request_that_its_device_signed() {
    let phone = Phone { ages: vec![("age_over_18", true), ("age_over_21", false)], ..Phone::new() };
    let stated = answer(&phone.list(false), &mdoc(&phone, &request()), &later(0)).unwrap();
    assert_eq!((stated.credential_type.as_str(), stated.issuer.as_str()), ("eu.europa.ec.av.1", "utopia"));
    assert_eq!(
        (stated.age.deciding_threshold(18), stated.age.deciding_threshold(21)),
        (Some((18, true)), Some((21, false)))
    );
}

#[test]
fn a_device_may_authenticate_a_response_with_a_mac_for_the_requests_key() {
    let env = base::TestEnvironment::at("2026-01-01T00:00:00Z");
    let [key, other] = [(); 2].map(|()| Arc::new(DecryptionKey::generate(&env)));
    let phone = Phone::new();
    let response = b64(encode(&phone.response_with(transcript(&request()), Some(&key))));
    let outcome = |mac_key| {
        let request = PresentationBinding { mac_key, ..request() };
        let presented = Presentation::mdoc(&response, &request).map_err(|error| error.to_string())?;
        let stated = phone.list(false).verify_presentation(&presented, &request, &later(0));
        stated.map(|stated| stated.age.deciding_threshold(18)).map_err(|error| error.to_string())
    };
    assert_eq!(outcome(Some(&key)), Ok(Some((18, true))));
    assert!(outcome(Some(&other)).is_err() && outcome(None).is_err());
}

#[test]
fn a_mobile_document_for_another_request_or_from_another_device_is_refused() {
    let phone = Phone::new();
    let reason = |phone: &Phone, signed_for: &PresentationBinding<'_>, terms: &VerificationTerms| {
        answer(&phone.list(true), &mdoc(phone, signed_for), terms).unwrap_err().reason
    };
    for other in [
        PresentationBinding { client_id: "x509_san_dns:other.example", ..request() },
        PresentationBinding { nonce: "another", ..request() },
        PresentationBinding { response_uri: "https://age.example/other", ..request() },
        PresentationBinding { key_thumbprint: Some([8; 32]), ..request() },
        PresentationBinding { key_thumbprint: None, ..request() },
    ] {
        assert_eq!(
            reason(&phone, &other, &later(0)),
            ProofFailureReason::UnableToVerifySignature,
            "{other:?}"
        );
    }
    assert_eq!(reason(&phone, &request(), &later(2000)), ProofFailureReason::PresentationExpired);
    let bent = Phone { released: Some(("age_over_21", true)), ..Phone::new() };
    assert_eq!(reason(&bent, &request(), &later(0)), ProofFailureReason::UnableToVerifySignature);
    let stranger = Phone::new();
    let failed = answer(&stranger.list(false), &mdoc(&phone, &request()), &later(0)).unwrap_err();
    assert!(matches!(
        failed.reason,
        ProofFailureReason::UnableToVerifySignature | ProofFailureReason::UnknownProvider
    ));
    assert!(answer(&TrustList::default(), &mdoc(&phone, &request()), &later(0)).is_err());

    // A document that only the issuer signed is not accepted, even if its code would be.
    let response = phone.response_for(transcript(&request()));
    let Cbor::Map(mut members) = response else { panic!("a response is a map") };
    let Some((_, Cbor::Array(documents))) = members.get_mut(1) else { panic!("with documents") };
    let Some(Cbor::Map(document)) = documents.first_mut() else { panic!("one at least") };
    document.retain(|(name, _)| *name != text("deviceSigned"));
    assert!(Presentation::mdoc(&b64(encode(&Cbor::Map(members))), &request()).is_err());

    // A wallet that releases nothing.
    let nothing = map([(text("version"), text("1.0")), (text("status"), int(0))]);
    let nothing = Presentation::mdoc(&b64(encode(&nothing)), &request()).unwrap();
    let failed = answer(&phone.list(false), &nothing, &later(0)).unwrap_err();
    assert_eq!(failed.reason, ProofFailureReason::UserDidNotConsent);
}

#[test]
fn requests_are_signed_in_the_name_of_a_certified_host() {
    let authority = root("verifiers");
    let key = KeyPair::generate().unwrap();
    let mut params = params("verifier", IsCa::NoCa);
    params.subject_alt_names = vec![SanType::DnsName("age.example".try_into().unwrap())];
    let certificate = params.signed_by(&key, &authority).unwrap().pem();
    let signer =
        RequestObjectSigner::open(&certificate, &key.serialize_pem(), "age.example", at(NOW)).unwrap();
    let object = signer.sign(&json!({ "nonce": "n" }));
    let header: Value = serde_json::from_slice(
        &base64_simd::URL_SAFE_NO_PAD.decode_to_vec(object.split('.').next().unwrap()).unwrap(),
    )
    .unwrap();
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("oauth-authz-req+jwt")));
    assert_eq!(header["x5c"].as_array().map(Vec::len), Some(1));

    let open = |chain: &str, key: &str, host: &str| {
        RequestObjectSigner::open(chain, key, host, at(NOW)).unwrap_err()
    };
    let other = KeyPair::generate().unwrap().serialize_pem();
    assert_eq!(open(&certificate, &key.serialize_pem(), "other.example"), RequestObjectSignerError::Host);
    assert_eq!(open(&certificate, &other, "age.example"), RequestObjectSignerError::OtherKey);
    assert_eq!(open(&certificate, "", "age.example"), RequestObjectSignerError::Key);
    assert_eq!(open("", &key.serialize_pem(), "age.example"), RequestObjectSignerError::Chain);
    assert_eq!(
        open(&certificate.repeat(6), &key.serialize_pem(), "age.example"),
        RequestObjectSignerError::Chain
    );
    // Wallets compare names literally, and check the validity.
    params.subject_alt_names = vec![SanType::DnsName("*.example".try_into().unwrap())];
    let pattern = params.signed_by(&key, &authority).unwrap().pem();
    assert_eq!(open(&pattern, &key.serialize_pem(), "age.example"), RequestObjectSignerError::Host);
    for late in [signer.until() + SignedDuration::from_secs(1), at(0)] {
        let open = RequestObjectSigner::open(&certificate, &key.serialize_pem(), "age.example", late);
        assert_eq!(open.unwrap_err(), RequestObjectSignerError::Time);
    }
}
