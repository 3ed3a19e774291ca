//! The trust list as a file and as a signed token, and the rotation of keys.

use crate::kit::*;
use credentials::issue::issue_code;
use credentials::trust::{StatusPolicy, TrustList, VerificationKey};
use serde_json::{Value, json};

#[test]
fn every_error_names_the_entry_and_the_member() {
    let key = Signer::new(1).jwk("k");
    let good = entry(ISSUER, std::slice::from_ref(&key));
    let change = |name: &str, value: Value| {
        let mut entry = good.clone();
        entry[name] = value;
        entry
    };
    let keyed = |name: &str, value: Value| {
        let mut key = key.clone();
        key[name] = value;
        change("keys", json!([key]))
    };
    for (entry, expected) in [
        (change("id", json!("")), r#"issuers[0] ("") id: is missing"#),
        (change("id", json!(7)), r#"issuers[0] ("") id: is not text"#),
        (change("provider", json!("gov uk")), "provider: is not 1 to 64 capitals"),
        (change("formats", json!([])), "formats: is not a list of"),
        (change("formats", json!(["x"])), "formats: is not a list of"),
        (change("formats", json!("cwt")), "formats: is not a list"),
        (change("formats", json!(["mdoc"])), "roots: is empty, and mdoc needs one"),
        (change("keys", json!([])), "keys: is empty, and so are roots"),
        (change("roots", json!(["AAAA"])), "roots[0]: is not a certificate"),
        (change("key_set_url", json!("http://x/")), "key_set_url: is not a plain https address"),
        (change("reference_hosts", json!(["a b"])), "reference_hosts[0]: is not a host name"),
        (change("status", json!("maybe")), "status: is none of"),
        (change("status_unavailable", json!("maybe")), "status_unavailable: is neither"),
        (change("highest_age_over", json!(0)), "highest_age_over: is not a whole number of 1 to 150"),
        (change("freshness_seconds", json!(-1)), "freshness_seconds: is not a whole number"),
        (change("valid_for_alcohol", json!("yes")), "valid_for_alcohol: is neither true nor false"),
        (change("not_after", json!("tomorrow")), "not_after: is not an RFC 3339 moment"),
        (change("unbound", json!(1)), "unbound: is neither true nor false"),
        (change("highest_age_ovr", json!(18)), "highest_age_ovr: is not a member that is known here"),
        (keyed("kty", json!("oct")), "keys[0].kty: is none of"),
        (keyed("crv", json!("P-521")), "keys[0].crv: is neither"),
        (keyed("x", json!("AA")), "keys[0].x: is not 32 bytes"),
        (keyed("y", json!("=")), "keys[0].y: is not base64url"),
        (keyed("x", json!(b64([0; 32]))), "keys[0].key: is not a valid key"),
        (keyed("d", json!("AA")), "keys[0].d: is a secret"),
        (keyed("use", json!("enc")), "keys[0].use: is not `sig`"),
        (keyed("alg", json!("ES384")), "keys[0].alg: is not an algorithm for this kind"),
        (keyed("alg", json!("HS256")), "keys[0].alg: is not an algorithm for this kind"),
        (keyed("kid", json!(1)), "keys[0].kid: is not text"),
        (keyed("not_before", json!("x")), "keys[0].not_before: is not an RFC 3339"),
        (json!(7), "is not a JSON object"),
    ] {
        let error =
            TrustList::parse(json!({ "issuers": [entry] }).to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("issuers[0] (") && error.contains(expected), "{error}");
    }
    let twice = json!({ "issuers": [good, good] }).to_string();
    assert_eq!(
        TrustList::parse(twice.as_bytes()).unwrap_err().to_string(),
        r#"issuers[1] ("https://issuer.example") id: is listed twice"#
    );
    for (list, expected) in [
        ("", "the list: is not a JSON object"),
        ("[]", "the list: is not a JSON object"),
        (r#"{"issuers":[],"issuers":[]}"#, "repeats a member"),
        ("{}", "the list issuers: is missing"),
        (r#"{"issuers":[],"isuers":[]}"#, "the list isuers: is not a member"),
    ] {
        let error = TrustList::parse(list.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn an_entry_is_read_whole() {
    let mut full = entry(ISSUER, &[Signer::new(1).jwk("k")]);
    full.as_object_mut().unwrap().extend(json!({
        "key_set_url": "https://issuer.example/jwks", "reference_hosts": ["P.issuer.example"], "status": "required",
        "status_unavailable": "accept", "comment": "for the tests",
    }).as_object().unwrap().clone());
    let list = list(&[full]);
    let issuer = list.issuer(ISSUER).unwrap();
    assert_eq!(list.issuers().count(), 1);
    assert_eq!((issuer.id(), issuer.provider()), (ISSUER, "EXAMPLE"));
    assert_eq!(issuer.formats().len(), 3);
    assert_eq!(issuer.key_set_url(), Some("https://issuer.example/jwks"));
    assert_eq!((issuer.status(), issuer.accepts_unavailable_status()), (StatusPolicy::Required, true));
    assert_eq!(issuer.status_hosts(), ["issuer.example"]);
    assert_eq!(issuer.reference_hosts(), ["p.issuer.example"]);
    assert!(list.issuer_of_reference("https://p.issuer.example/1").is_some());
    assert!(list.issuer_of_reference("https://p.issuer.example:444/1").is_some());
    assert!(list.issuer_of_reference("https://issuer.example/1").is_none());
    assert!(list.issuer_of_reference("https://p.issuer.example@evil.example/1").is_none());
}

#[test]
fn a_signed_list_is_the_publishers_and_says_when_it_ends() {
    let (publisher, thief) = (Signer::new(1), Signer::new(2));
    let payload = json!({ "issuers": [entry(ISSUER, &[Signer::new(3).jwk("k")])], "exp": NOW + 100, "iat": NOW, "iss": "x" });
    let header = json!({ "alg": "ES256", "typ": "trust-list+jwt", "kid": "p" });
    let keys = [VerificationKey::parse(&publisher.jwk("p")).unwrap()];
    let good = publisher.jws(&header, &payload);
    let list = TrustList::parse_signed(&good, &keys).unwrap();
    assert_eq!((list.expires(), list.issuers().count()), (Some(at(NOW + 100)), 1));
    assert_eq!(TrustList::parse_signed(&format!("{good}\n"), &keys).unwrap().expires(), list.expires());
    for (jws, expected) in [
        (thief.jws(&header, &payload), "not signed by a key"),
        (
            publisher.jws(&json!({ "alg": "ES256", "typ": "trust-list+jwt", "kid": "q" }), &payload),
            "not signed by a key",
        ),
        (publisher.jws(&json!({ "alg": "none", "typ": "trust-list+jwt" }), &payload), "algorithm"),
        (
            publisher.jws(&json!({ "alg": "ES256", "typ": "JWT", "kid": "p" }), &payload),
            "type trust-list+jwt",
        ),
        (publisher.jws(&header, &json!({ "issuers": [], "exp": "x" })), "exp: is not a moment"),
        ("x".to_owned(), "does not have three parts"),
    ] {
        let error = TrustList::parse_signed(&jws, &keys).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(TrustList::parse_signed(&good, &[]).is_err());
}

#[test]
fn keys_rotate_by_way_of_the_key_set() {
    let (old, new) = (Signer::new(1), Signer::new(2));
    let mut entry = entry(ISSUER, &[old.key.jwk()]);
    let fixed = list(std::slice::from_ref(&entry));
    entry["key_set_url"] = json!("https://issuer.example/jwks");
    let rotating = list(&[entry]);
    let code = issue_code(&new.key, &grant(), at(NOW), [1; 16]).unwrap();
    assert_eq!(verify(&fixed, &code, &terms()).unwrap_err().refetch_keys_of, None);
    let failed = verify(&rotating, &code, &terms()).unwrap_err();
    assert_eq!(failed.refetch_keys_of.as_deref(), Some(ISSUER), "the caller may fetch and try again");

    let set = json!({ "keys": [{ "kty": "oct", "k": "AA" }, old.key.jwk(), new.key.jwk()] }).to_string();
    let rotated = rotating.with_keys(ISSUER, set.as_bytes(), at(NOW)).unwrap();
    assert!(outcome(&rotated, &code, &terms()).starts_with("18+"));
    let before = issue_code(&old.key, &grant(), at(NOW), [1; 16]).unwrap();
    assert!(outcome(&rotated, &before, &terms()).starts_with("18+"), "the entry's own keys stay");
    assert!(
        outcome(&rotating, &code, &terms()).starts_with("UN"),
        "the list it was made from has not changed"
    );

    let forged = issue_code(&Signer::new(3).key, &grant(), at(NOW), [1; 16]).unwrap();
    assert_eq!(verify(&rotated, &forged, &terms()).unwrap_err().refetch_keys_of.as_deref(), Some(ISSUER));
    for (list, id, set, expected) in [
        (&fixed, ISSUER, set.as_str(), "lists no key_set_url"),
        (&rotating, "https://other.example", &set, "not of an issuer on the list"),
        (&rotating, ISSUER, "{}", "is not a list"),
        (&rotating, ISSUER, "x", "is not in a JSON object"),
        (&rotating, ISSUER, r#"{"keys":[]}"#, "no new key"),
    ] {
        let error = list.with_keys(id, set.as_bytes(), at(NOW)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A key set cannot replace a key that the entry itself pins.
    let mut usurper = Signer::new(3).key.jwk();
    usurper["kid"] = old.key.jwk()["kid"].clone();
    assert!(
        rotating.with_keys(ISSUER, json!({ "keys": [usurper] }).to_string().as_bytes(), at(NOW)).is_err()
    );
}
