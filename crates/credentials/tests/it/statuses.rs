//! Token Status Lists: who signed them, how long they are valid, what they say.

use crate::kit::*;
use base::SignedDuration;
use ciborium::Value as Cbor;
use credentials::proof::{ProofCheck, ProofFailureReason};
use credentials::status::{CredentialStatus, MAX_INFLATED_STATUS_LIST_BYTES, StatusList, StatusListError};
use flate2::{Compression, write::ZlibEncoder};
use serde_json::{Value, json};
use std::io::Write;

const URI: &str = "https://issuer.example/status/1";

fn lst(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn claims(bits: u64, bytes: &[u8]) -> Value {
    json!({ "sub": URI, "iat": NOW, "exp": NOW + 3600, "ttl": 600, "status_list": { "bits": bits, "lst": b64(lst(bytes)) } })
}

fn parse(signer: &Signer, typ: &str, claims: &Value) -> Result<StatusList, StatusListError> {
    let trusted = list(&[entry(ISSUER, &[Signer::new(1).jwk("k")])]);
    let body = signer.jws(&json!({ "alg": "ES256", "typ": typ, "kid": "k" }), claims);
    StatusList::parse(body.as_bytes(), None, trusted.issuer(ISSUER).unwrap(), URI, at(NOW))
}

#[test]
fn statuses_of_every_width_are_read_from_the_least_bit() {
    let signer = Signer::new(1);
    let two = parse(&signer, "statuslist+jwt", &claims(2, &[0xc9, 0x44, 0xf9])).unwrap();
    let expected = [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3];
    for (index, status) in expected.into_iter().enumerate() {
        let status = [
            CredentialStatus::Valid,
            CredentialStatus::Invalid,
            CredentialStatus::Suspended,
            CredentialStatus::Other(3),
        ][status];
        assert_eq!(two.status_at(index as u64), Some(status), "{index}");
    }
    for index in [12, 13, u64::MAX, u64::MAX / 2] {
        assert_eq!(two.status_at(index), None, "past the end");
    }
    let eight = parse(&signer, "statuslist+jwt", &claims(8, &[0, 1, 2, 250])).unwrap();
    assert_eq!((eight.status_at(3), eight.status_at(4)), (Some(CredentialStatus::Other(250)), None));
    let four = parse(&signer, "statuslist+jwt", &claims(4, &[0x21])).unwrap();
    assert_eq!(
        (four.status_at(0), four.status_at(1)),
        (Some(CredentialStatus::Invalid), Some(CredentialStatus::Suspended))
    );
}

#[test]
fn the_long_list_of_the_draft_is_read() {
    let lst = concat!(
        "eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAA",
        "AJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb",
    );
    let claims = json!({ "sub": URI, "iat": NOW, "status_list": { "bits": 1, "lst": lst } });
    let list = parse(&Signer::new(1), "statuslist+jwt", &claims).unwrap();
    let revoked = [0, 1993, 25460, 159_495, 495_669, 554_353, 645_645, 723_232, 854_545, 934_534, 1_000_345];
    let found: Vec<_> =
        (0..1 << 20).filter(|index| list.status_at(*index) == Some(CredentialStatus::Invalid)).collect();
    assert_eq!(found, revoked);
    assert_eq!(list.status_at(1 << 20), None);
    assert_eq!(list.fresh_until(at(NOW)), at(NOW + 300), "five minutes where the list does not say");
}

#[test]
fn a_list_is_the_issuers_and_of_its_address_and_valid() {
    let signer = Signer::new(1);
    let good = claims(1, &[0]);
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    let list = parse(&signer, "statuslist+jwt", &good).unwrap();
    assert_eq!(list.fresh_until(at(NOW + 100)), at(NOW + 700));
    assert_eq!(list.fresh_until(at(NOW + 3300)), at(NOW + 3600), "not past its end");
    let long = parse(
        &signer,
        "statuslist+jwt",
        &json!({ "sub": URI, "iat": NOW, "ttl": 10_000_000, "status_list": good["status_list"] }),
    )
    .unwrap();
    assert_eq!(
        long.fresh_until(at(NOW)),
        at(NOW) + SignedDuration::from_hours(24),
        "nor for more than a day"
    );

    let malformed =
        |result: Result<StatusList, StatusListError>| matches!(result, Err(StatusListError::Malformed(_)));
    assert!(matches!(parse(&Signer::new(2), "statuslist+jwt", &good), Err(StatusListError::NotSigned(_))));
    assert!(malformed(parse(&signer, "JWT", &good)));
    assert_eq!(
        parse(&signer, "statuslist+jwt", &with("sub", json!("https://issuer.example/status/2"))).err(),
        Some(StatusListError::AnotherList)
    );
    assert_eq!(
        parse(&signer, "statuslist+jwt", &with("exp", json!(NOW))).err(),
        Some(StatusListError::NotValidNow)
    );
    assert_eq!(
        parse(&signer, "statuslist+jwt", &with("iat", json!(NOW + 61))).err(),
        Some(StatusListError::NotValidNow)
    );
    for (name, value) in [
        ("status_list", json!({ "bits": 3, "lst": good["status_list"]["lst"] })),
        ("status_list", json!({ "bits": 1, "lst": b64([1, 2, 3]) })),
        ("status_list", json!({ "bits": 1 })),
        ("status_list", json!(7)),
        ("ttl", json!(0)),
        ("ttl", json!("x")),
        ("iat", json!(null)),
    ] {
        assert!(malformed(parse(&signer, "statuslist+jwt", &with(name, value.clone()))), "{name} {value}");
    }
    let bomb = claims(1, &vec![0; MAX_INFLATED_STATUS_LIST_BYTES + 1]);
    assert_eq!(
        parse(&signer, "statuslist+jwt", &bomb).err(),
        Some(StatusListError::TooLarge(MAX_INFLATED_STATUS_LIST_BYTES))
    );
    let trusted = self::list(&[entry(ISSUER, &[signer.jwk("k")])]);
    let issuer = trusted.issuer(ISSUER).unwrap();
    for body in [&b""[..], b"ey", b"\xff", b"hello", &[0x9f; 100]] {
        assert!(StatusList::parse(body, None, issuer, URI, at(NOW)).is_err());
    }
}

#[test]
fn a_status_decides_and_where_it_may_lie_is_the_entrys_word() {
    let signer = Signer::new(1);
    let code = |status: Option<Cbor>| {
        let mut claims = cwt_claims(ISSUER);
        claims.extend(status.map(|status| (int(65535), status)));
        signer.cwt("k", &Cbor::Map(claims))
    };
    let at_uri =
        |uri: &str| map([(text("status_list"), map([(text("idx"), int(3)), (text("uri"), text(uri))]))]);
    let trusting = |members: Value| {
        let mut entry = entry(ISSUER, &[signer.jwk("k")]);
        entry.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        list(&[entry])
    };
    let usual = trusting(json!({}));
    let found = verify(&usual, &code(Some(at_uri(URI))), &terms()).unwrap();
    assert_eq!(found.status.as_ref().map(|status| status.index), Some(3));
    assert!(!found.checks.contains(&ProofCheck::NotRevoked), "nothing is claimed before it was looked up");
    let judged = found.clone().apply_status(CredentialStatus::Valid).unwrap();
    assert_eq!((judged.checks.last(), judged.status), (Some(&ProofCheck::NotRevoked), None));
    for status in [CredentialStatus::Invalid, CredentialStatus::Suspended, CredentialStatus::Other(9)] {
        let failed = found.clone().apply_status(status).unwrap_err();
        assert_eq!(
            (failed.reason, failed.provider.as_deref()),
            (ProofFailureReason::Revoked, Some("EXAMPLE"))
        );
    }

    let odd = map([(text("other"), int(1))]);
    for (members, status, expected) in [
        (json!({}), Some(at_uri("https://elsewhere.example/1")), "a host that the trust list does not name"),
        (json!({}), Some(at_uri("http://issuer.example/1")), "a host that the trust list does not name"),
        (json!({}), Some(odd.clone()), "names its status in a way"),
        (json!({ "status": "required" }), None, "names no status list"),
        (json!({ "status_hosts": [] }), Some(at_uri(URI)), "a host that the trust list does not name"),
    ] {
        let said = outcome(&trusting(members), &code(status), &terms());
        assert!(said.starts_with("UNSUPPORTED_PAYLOAD") && said.contains(expected), "{said}");
    }
    for (members, status) in [
        (json!({ "status": "ignored" }), Some(at_uri("https://elsewhere.example/1"))),
        (json!({ "status_unavailable": "accept" }), Some(at_uri("https://elsewhere.example/1"))),
        (json!({ "status_unavailable": "accept" }), Some(odd)),
        (json!({}), None),
    ] {
        assert_eq!(verify(&trusting(members), &code(status), &terms()).unwrap().status, None);
    }
    let named = trusting(json!({ "status_hosts": ["elsewhere.example"] }));
    assert!(
        verify(&named, &code(Some(at_uri("https://elsewhere.example/1"))), &terms())
            .unwrap()
            .status
            .is_some()
    );
}
