//! A table of attacks: each is refused for its own reason, and none proves an age.

use crate::kit::*;
use ciborium::Value as Cbor;
use credentials::issue::{AgeAttestation, issue_code};
use credentials::proof::{
    MAX_FETCHED_CHARS, MAX_INFLATED_PROOF_BYTES, MAX_QR_CHARS, ProofFailureReason, ScannedValue,
    VerificationTerms, parse_fetched, parse_scanned,
};
use flate2::{Compression, write::ZlibEncoder};
use serde_json::{Value, json};
use std::io::Write;

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn jwt_claims() -> Value {
    json!({ "iss": ISSUER, "iat": NOW, "exp": NOW + 60, "age_over_18": true, "jti": "1" })
}

fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

#[test]
fn tokens_of_the_wrong_party_or_the_wrong_moment() {
    let (signer, thief) = (Signer::new(1), Signer::new(2));
    let trusted = own_list(&signer);
    let granted = |issuer: &str| AgeAttestation { issuer: issuer.to_owned(), ..grant() };
    let code = |key: &Signer, issuer: &str, now: i64| {
        issue_code(&key.key, &granted(issuer), at(now), [5; 16]).unwrap()
    };
    for (what, code, reason) in [
        (
            "a right signature of an issuer not listed",
            code(&thief, "https://other.example", NOW),
            ProofFailureReason::UnknownProvider,
        ),
        (
            "a listed issuer's name under another key",
            code(&thief, ISSUER, NOW),
            ProofFailureReason::UnableToVerifySignature,
        ),
        (
            "a listed issuer's key under another name",
            code(&signer, "https://other.example", NOW),
            ProofFailureReason::UnknownProvider,
        ),
        ("expired", code(&signer, ISSUER, NOW - 100), ProofFailureReason::PresentationExpired),
        (
            "made too long ago, not expired",
            code(&signer, ISSUER, NOW - 40),
            ProofFailureReason::PresentationExpired,
        ),
        ("from the future", code(&signer, ISSUER, NOW + 10), ProofFailureReason::PresentationExpired),
    ] {
        let failed = verify(&trusted, &code, &terms()).unwrap_err();
        assert_eq!(failed.reason, reason, "{what}: {failed}");
        let known = reason != ProofFailureReason::UnknownProvider;
        assert_eq!(failed.provider.is_some(), known, "{what}");
        assert!(!failed.detail.contains("example"), "the detail holds no text of the token: {failed}");
    }
    let longer = vec![
        (int(1), text(ISSUER)),
        (int(4), int(NOW + 61)),
        (int(6), int(NOW)),
        (int(7), Cbor::Bytes(vec![1; 16])),
        (int(-65537), map([(int(18), Cbor::Bool(true))])),
    ];
    let jwk = signer.key.jwk();
    let code = signer.cwt(jwk["kid"].as_str().unwrap(), &Cbor::Map(longer)).replace("HC1:", "POA1:");
    assert!(outcome(&trusted, &code, &terms()).contains("lives longer than 60 seconds"));
}

#[test]
fn an_issuers_window_may_differ_and_its_entry_may_end() {
    let signer = Signer::new(1);
    let code = signer.cwt(
        "k",
        &Cbor::Map(vec![
            (int(1), text(ISSUER)),
            (int(4), int(NOW + 4000)),
            (int(6), int(NOW)),
            (int(5), int(NOW + 20)),
            (text("age_over_18"), Cbor::Bool(true)),
        ]),
    );
    let base = entry(ISSUER, &[signer.jwk("k")]);
    let one_hour = list(&[with(&base, "freshness_seconds", json!(3600))]);
    assert!(outcome(&one_hour, &code, &scanned(3000)).starts_with("18+"));
    assert!(outcome(&one_hour, &code, &scanned(3700)).contains("too long before"));
    assert!(outcome(&one_hour, &code, &scanned(10)).contains("not valid yet"), "nbf");
    assert!(outcome(&list(std::slice::from_ref(&base)), &code, &scanned(3000)).contains("too long before"));
    for (member, moment) in [("not_after", "2026-01-01T00:00:00Z"), ("not_before", "2027-01-01T00:00:00Z")] {
        let entry = with(&base, member, json!(moment));
        assert!(outcome(&list(&[entry]), &code, &scanned(25)).starts_with("EXCLUDED_PROVIDER"));
        let mut key = signer.jwk("k");
        key[member] = json!(moment);
        let rotated = list(&[self::entry(ISSUER, &[key])]);
        assert!(outcome(&rotated, &code, &scanned(25)).starts_with("UNABLE_TO_VERIFY_SIGNATURE"));
    }
    let capped =
        list(&[with(&with(&base, "highest_age_over", json!(16)), "valid_for_alcohol", json!(false))]);
    let verified = verify(&capped, &code, &scanned(25)).unwrap();
    assert_eq!((verified.age_over, verified.valid_for_alcohol), (16, false));
    let other_format = list(&[with(&base, "formats", json!(["jwt"]))]);
    assert_eq!(
        outcome(&other_format, &code, &scanned(25)),
        "UNSUPPORTED_PAYLOAD: the issuer is not trusted for cwt"
    );
}

#[test]
fn sizes_are_bounded_before_anything_is_parsed() {
    let long = "A".repeat(MAX_QR_CHARS + 1);
    let error = parse_scanned(&long).unwrap_err();
    assert_eq!(error.measured.unwrap().measured, (MAX_QR_CHARS + 1) as f64);
    assert!(
        parse_scanned(&"\u{1f600}".repeat(MAX_QR_CHARS)).unwrap_err().measured.is_none(),
        "characters, not bytes"
    );
    let long = "A".repeat(MAX_FETCHED_CHARS + 1);
    assert!(parse_fetched(&long).unwrap_err().detail.contains("longer than one that is fetched"));

    let bomb = deflated(&vec![0; 10_000_000]);
    let code = hc1(&bomb[..2800.min(bomb.len())]);
    assert!(code.len() <= MAX_QR_CHARS);
    let error = parse_scanned(&code).unwrap_err();
    assert_eq!(error.measured.unwrap().measured, (MAX_INFLATED_PROOF_BYTES + 1) as f64);

    let signer = Signer::new(1);
    let message = base45::decode(&signer.cwt("k", &Cbor::Map(cwt_claims(ISSUER)))[4..]).unwrap();
    let trusted = list(&[entry(ISSUER, &[signer.jwk("k")])]);
    let zlib = deflated(&message);
    assert!(outcome(&trusted, &hc1(&zlib), &terms()).starts_with("18+"), "zlib is read");
    assert!(outcome(&trusted, &hc1(&zlib[..zlib.len() - 3]), &terms()).contains("not zlib from end to end"));
    assert!(
        outcome(&trusted, &hc1(&[&zlib[..], &[0]].concat()), &terms())
            .contains("bytes after its zlib stream")
    );
    assert!(
        outcome(&trusted, &hc1(&[&message[..], &[0]].concat()), &terms()).contains("bytes after its end")
    );
    assert!(
        outcome(&trusted, &hc1(&deflated(&zlib)), &terms()).starts_with("UNSUPPORTED_PAYLOAD"),
        "inflated once"
    );
}

#[test]
fn cbor_that_two_readers_could_read_differently() {
    let signer = Signer::new(1);
    let trusted = list(&[entry(ISSUER, &[signer.jwk("k")])]);
    let header = [0xa2, 0x01, 0x26, 0x04, 0x41, b'k'];
    let message = |protected: &[u8], payload: &[u8]| {
        let bytes = |bytes: &[u8]| Cbor::Bytes(bytes.to_vec());
        let signed = Cbor::Array(vec![text("Signature1"), bytes(protected), bytes(&[]), bytes(payload)]);
        let signature = signer.sign(&encode(&signed));
        hc1(&encode(&Cbor::Array(vec![bytes(protected), map([]), bytes(payload), Cbor::Bytes(signature)])))
    };
    let good = encode(&Cbor::Map(cwt_claims(ISSUER)));
    assert!(outcome(&trusted, &message(&header, &good), &terms()).starts_with("18+"));

    let mut twice = cwt_claims(ISSUER);
    twice.push((int(1), text("https://other.example")));
    let deep = [vec![0xa1, 0x01], vec![0x81; 5000], vec![0x00]].concat();
    for (what, protected, payload) in [
        ("a repeated claim", &header[..], encode(&Cbor::Map(twice))),
        ("a repeated header", &[0xa2, 0x01, 0x26, 0x01, 0x26], good.clone()),
        ("a deep nest", &header, deep[..2000].to_vec()),
        ("bytes after the claims", &header, [&good[..], &[0]].concat()),
        ("an indefinite map", &header, [&[0xbf][..], &good[1..], &[0xff]].concat()),
        ("crit", &[0xa2, 0x01, 0x26, 0x02, 0x81, 0x04], good.clone()),
        ("claims that are a list", &header, vec![0x80]),
    ] {
        assert!(
            outcome(&trusted, &message(protected, &payload), &terms()).starts_with("UNSUPPORTED_PAYLOAD"),
            "{what}"
        );
    }
    for (what, protected) in [
        ("no algorithm", &[0xa1, 0x04, 0x41, b'k'][..]),
        ("HMAC 256/256", &[0xa2, 0x01, 0x05, 0x04, 0x41, b'k']),
        ("ES384 with a P-256 key", &[0xa2, 0x01, 0x38, 0x22, 0x04, 0x41, b'k']),
        ("EdDSA with a P-256 key", &[0xa2, 0x01, 0x27, 0x04, 0x41, b'k']),
        ("an empty header", &[]),
    ] {
        let outcome = outcome(&trusted, &message(protected, &good), &terms());
        assert!(outcome.starts_with("UNABLE_TO_VERIFY_SIGNATURE"), "{what}: {outcome}");
    }
}

#[test]
fn json_tokens_with_a_twist() {
    let signer = Signer::new(1);
    let jwk = signer.jwk("k");
    let trusted = list(&[entry(ISSUER, std::slice::from_ref(&jwk))]);
    let header = json!({ "alg": "ES256", "typ": "JWT", "kid": "k" });
    let claims = jwt_claims();
    let good = signer.jws(&header, &claims);
    assert!(outcome(&trusted, &good, &terms()).starts_with("18+"));
    let (input, signature) = good.rsplit_once('.').unwrap();

    let none = |alg: &str| {
        format!("{}.{}.", b64(json!({ "alg": alg, "kid": "k" }).to_string()), b64(claims.to_string()))
    };
    let hs256 = {
        let input =
            format!("{}.{}", b64(json!({ "alg": "HS256", "kid": "k" }).to_string()), b64(claims.to_string()));
        let secret = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, jwk.to_string().as_bytes());
        format!("{input}.{}", b64(aws_lc_rs::hmac::sign(&secret, input.as_bytes())))
    };
    let der = b64([&[0x30, 0x44][..], &[0; 68]].concat());
    for (what, code) in [
        ("none", none("none")),
        ("None", none("None")),
        ("no alg", signer.jws(&json!({ "kid": "k" }), &claims)),
        ("HS256 with the public key as secret", hs256),
        ("RS256 with an EC key", signer.jws(&with(&header, "alg", json!("RS256")), &claims)),
        ("an unknown kid", signer.jws(&with(&header, "kid", json!("other")), &claims)),
        ("no signature", format!("{input}.")),
        ("half a signature", format!("{input}.{}", b64([0; 32]))),
        ("zeros", format!("{input}.{}", b64([0; 64]))),
        ("a DER signature", format!("{input}.{der}")),
        (
            "another payload",
            format!(
                "{}.{}.{signature}",
                input.split_once('.').unwrap().0,
                b64(with(&claims, "age_over_18", json!(true)).to_string() + " ")
            ),
        ),
        ("a key of the token's own", {
            let thief = Signer::new(2);
            thief.jws(&with(&with(&header, "jwk", thief.key.jwk()), "kid", json!("k")), &claims)
        }),
        (
            "a holder's token without the holder",
            signer.jws(&header, &with(&claims, "cnf", json!({ "jwk": jwk }))),
        ),
    ] {
        let outcome = outcome(&trusted, &code, &terms());
        assert!(outcome.starts_with("UNABLE_TO_VERIFY_SIGNATURE"), "{what}: {outcome}");
    }
    for (what, code) in [
        ("crit", signer.jws(&with(&header, "crit", json!(["exp"])), &claims)),
        ("b64", signer.jws(&with(&header, "b64", json!(false)), &claims)),
        (
            "a repeated claim",
            signer.jws_raw(
                &header.to_string(),
                &claims.to_string().replacen('{', "{\"age_over_18\":false,", 1),
            ),
        ),
        (
            "a repeated header",
            signer.jws_raw("{\"alg\":\"ES256\",\"alg\":\"ES256\",\"kid\":\"k\"}", &claims.to_string()),
        ),
        ("an access token", signer.jws(&with(&header, "typ", json!("at+jwt")), &claims)),
        ("a status list", signer.jws(&with(&header, "typ", json!("statuslist+jwt")), &claims)),
        ("padding", format!("{good}=")),
        ("no JSON", signer.jws_raw(&header.to_string(), "hello")),
        ("no end", signer.jws(&header, &json!({ "iss": ISSUER, "iat": NOW, "age_over_18": true }))),
        ("no beginning", signer.jws(&header, &json!({ "iss": ISSUER, "exp": NOW, "age_over_18": true }))),
        ("two issuers", signer.jws(&header, &with(&claims, "issuer", json!("https://other.example")))),
        ("a moment as text", signer.jws(&header, &with(&claims, "exp", json!("never")))),
        ("a moment beyond time", signer.jws(&header, &with(&claims, "exp", json!(1e14)))),
        ("under age", signer.jws(&header, &with(&claims, "age_over_18", json!(false)))),
        ("an encrypted token", "eyJh.b.c.d.e".to_owned()),
        ("a presentation", signer.jws(&header, &with(&claims, "vp", json!({})))),
        ("an unknown status", signer.jws(&header, &with(&claims, "credentialStatus", json!({})))),
        ("several subjects", signer.jws(&header, &with(&claims, "credentialSubject", json!([{}, {}])))),
    ] {
        let outcome = outcome(&trusted, &code, &terms());
        assert!(outcome.starts_with("UNSUPPORTED_PAYLOAD"), "{what}: {outcome}");
    }
    let audience = |aud: Value| signer.jws(&header, &with(&claims, "aud", aud));
    let ours = VerificationTerms { audience: Some("us".to_owned()), ..terms() };
    assert!(outcome(&trusted, &audience(json!(["them", "us"])), &ours).starts_with("18+"));
    assert!(outcome(&trusted, &audience(json!("them")), &ours).contains("another audience"));
}

#[test]
fn what_is_no_proof_is_told_apart() {
    for (code, expected) in [
        ("https://issuer.example/p/1", "Reference(\"https://issuer.example/p/1\")"),
        ("HTTPS://ISSUER.EXAMPLE/P/1", "Reference(\"HTTPS://ISSUER.EXAMPLE/P/1\")"),
        ("openid4vp://?request_uri=x", "Request(\"an OpenID for Verifiable Presentations request\")"),
        ("av://?x", "Request(\"an age verification request to a wallet\")"),
        ("haip://?x", "Request(\"a high assurance presentation request to a wallet\")"),
        ("mdoc:owBjMS4w", "Engagement"),
        ("mDL:owBjMS4w", "Engagement"),
        ("mdoc-openid4vp://?x", "Request(\"an OpenID for Verifiable Presentations request\")"),
    ] {
        assert_eq!(format!("{:?}", parse_scanned(code).unwrap()), expected);
    }
    for code in [
        "",
        " ",
        "\n",
        "hello",
        "http://issuer.example/",
        "https://user@issuer.example/",
        "POA1:",
        "POA1:::::",
        "HC1:0",
        "~",
        "a~b~c",
        "..",
        "a.b.c",
        "{\"a\":1}",
        "FTP://X",
        "\u{0}",
        "0",
        "AAAA",
        "eyJ.eyJ.x",
        "12345678",
        "POA1:QED8WEX0",
        "poa1:QED8WEX0",
    ] {
        assert!(parse_scanned(code).is_err(), "{code:?}");
    }
    assert!(
        matches!(parse_scanned("\r\nmdoc:x\r\n"), Ok(ScannedValue::Engagement)),
        "readers append line ends"
    );
}
