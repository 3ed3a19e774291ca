//! SD-JWT VC: disclosures and key binding, and how each is refused when it is altered.

use crate::kit::*;
use credentials::proof::{CredentialFormat, ProofCheck, ProofFailureReason, StatusReference};
use credentials::trust::TrustList;
use serde_json::{Value, json};

pub(crate) struct Wallet {
    pub(crate) issuer: Signer,
    pub(crate) holder: Signer,
}

impl Wallet {
    pub(crate) fn new() -> Self {
        Self { issuer: Signer::new(1), holder: Signer::new(2) }
    }

    pub(crate) fn list(&self) -> TrustList {
        list(&[entry(ISSUER, &[self.issuer.jwk("k")])])
    }

    pub(crate) fn header() -> Value {
        json!({ "alg": "ES256", "typ": "dc+sd-jwt", "kid": "k" })
    }

    /// A payload bound to the holder, with the digests of some disclosures and further claims.
    pub(crate) fn payload(&self, disclosures: &[String], further: &Value) -> Value {
        let digests: Vec<_> = disclosures.iter().map(|one| b64(sha256(one))).collect();
        let mut payload = json!({
            "iss": ISSUER, "iat": NOW - 86_400, "exp": NOW + 86_400, "vct": "urn:example:age", "_sd_alg": "sha-256",
            "cnf": { "jwk": self.holder_jwk() }, "_sd": digests,
        });
        payload.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        payload
    }

    fn holder_jwk(&self) -> Value {
        let jwk = self.holder.key.jwk();
        json!({ "kty": "EC", "crv": "P-256", "x": jwk["x"], "y": jwk["y"] })
    }

    fn binding(shown: &str) -> Value {
        json!({ "iat": NOW, "aud": "https://till.example", "nonce": "n", "sd_hash": b64(sha256(shown)) })
    }

    /// Issues the credential, and presents it with the holder's signature.
    fn shown(&self, payload: &Value, disclosures: &[String]) -> String {
        let issued = self.issuer.jws(&Self::header(), payload);
        let shown = disclosures.iter().fold(format!("{issued}~"), |shown, one| format!("{shown}{one}~"));
        self.bound(&shown)
    }

    fn bound(&self, shown: &str) -> String {
        let header = json!({ "alg": "ES256", "typ": "kb+jwt" });
        format!("{shown}{}", self.holder.jws(&header, &Self::binding(shown)))
    }
}

pub(crate) fn disclosure(name: &str, value: &Value) -> String {
    b64(json!(["c2FsdHNhbHRzYWx0c2FsdA", name, value]).to_string())
}

#[test]
fn disclosures_are_opened_wherever_they_stand() {
    let wallet = Wallet::new();
    let list = wallet.list();
    let (over_18, over_21) =
        (disclosure("age_over_18", &json!(true)), disclosure("age_over_21", &json!(true)));
    let payload = wallet.payload(&[over_18.clone(), over_21.clone()], &json!({}));
    let verified = verify(&list, &wallet.shown(&payload, std::slice::from_ref(&over_18)), &terms()).unwrap();
    assert_eq!((verified.age_over, verified.holder_bound), (18, true), "what is kept back does not count");
    assert_eq!(
        verified.checks,
        [
            ProofCheck::SignatureVerified,
            ProofCheck::ProviderTrusted,
            ProofCheck::Fresh,
            ProofCheck::HolderBound
        ]
    );
    assert_eq!(proof(&wallet.shown(&payload, &[])).format(), CredentialFormat::SdJwtVc);
    assert_eq!(verify(&list, &wallet.shown(&payload, &[over_21, over_18]), &terms()).unwrap().age_over, 21);

    // Digests in a disclosed value, and in an array.
    let inner = disclosure("18", &json!(true));
    let outer = disclosure("age_equal_or_over", &json!({ "_sd": [b64(sha256(&inner)), b64([9; 32])] }));
    let element = b64(json!(["c2FsdA", "DE"]).to_string());
    let nested = wallet.payload(
        std::slice::from_ref(&outer),
        &json!({ "nationalities": [{ "...": b64(sha256(&element)) }, { "...": "x" }, "FR"] }),
    );
    assert_eq!(
        verify(&list, &wallet.shown(&nested, &[outer, inner, element]), &terms()).unwrap().age_over,
        18
    );

    let status = json!({ "status": { "status_list": { "idx": 9, "uri": "https://issuer.example/s" } }, "age_over_18": true });
    let verified = verify(&list, &wallet.shown(&wallet.payload(&[], &status), &[]), &terms()).unwrap();
    assert_eq!(
        verified.status,
        Some(StatusReference { uri: "https://issuer.example/s".to_owned(), index: 9 })
    );
}

#[test]
fn bent_disclosures_are_refused() {
    let wallet = Wallet::new();
    let list = wallet.list();
    let good = disclosure("age_over_18", &json!(true));
    let digest = b64(sha256(&good));
    let one = std::slice::from_ref(&good);
    let payload = wallet.payload(one, &json!({}));
    let odd = |text: &str| b64(text);
    let exp = disclosure("exp", &json!(NOW + 1_000_000));
    let cases: Vec<(&str, Value, Vec<String>)> = vec![
        (
            "tampered",
            payload.clone(),
            vec![disclosure("age_over_18", &json!(1 == 1)).replace("c2", "c3") + "A"],
        ),
        ("another threshold", payload.clone(), vec![disclosure("age_over_25", &json!(true))]),
        (
            "not signed by the issuer",
            payload.clone(),
            vec![good.clone(), disclosure("age_over_21", &json!(true))],
        ),
        ("given twice", payload.clone(), vec![good.clone(), good.clone()]),
        ("no list", wallet.payload(&[odd("{}")], &json!({})), vec![odd("{}")]),
        ("too short", wallet.payload(&[odd("[\"s\"]")], &json!({})), vec![odd("[\"s\"]")]),
        (
            "an element where a claim belongs",
            wallet.payload(&[odd("[\"s\",1]")], &json!({})),
            vec![odd("[\"s\",1]")],
        ),
        ("empty", payload.clone(), vec![good.clone(), String::new()]),
        (
            "a claim that must be open",
            wallet.payload(std::slice::from_ref(&exp), &json!({})),
            vec![exp.clone()],
        ),
        (
            "a name that is there already",
            wallet.payload(one, &json!({ "age_over_18": false })),
            vec![good.clone()],
        ),
        (
            "the name of digests",
            wallet.payload(&[disclosure("_sd", &json!([]))], &json!({})),
            vec![disclosure("_sd", &json!([]))],
        ),
        (
            "the name of elements",
            wallet.payload(&[disclosure("...", &json!(1))], &json!({})),
            vec![disclosure("...", &json!(1))],
        ),
        ("a repeated digest", wallet.payload(one, &json!({ "a": { "_sd": [digest] } })), vec![good.clone()]),
        (
            "another digest algorithm",
            wallet.payload(one, &json!({ "_sd_alg": "sha-512" })),
            vec![good.clone()],
        ),
        ("digests that are not a list", wallet.payload(&[], &json!({ "_sd": digest })), vec![]),
        (
            "a digest beside members",
            wallet.payload(&[], &json!({ "a": [{ "...": digest, "b": 1 }] })),
            vec![],
        ),
        ("a digest where none belongs", wallet.payload(&[], &json!({ "a": { "...": digest } })), vec![]),
        ("no type", wallet.payload(one, &json!({ "vct": null })), vec![good.clone()]),
    ];
    for (what, payload, disclosures) in cases {
        let outcome = outcome(&list, &wallet.shown(&payload, &disclosures), &terms());
        assert!(outcome.starts_with("UNSUPPORTED_PAYLOAD"), "{what}: {outcome}");
    }
    let deep = (0..40).fold(json!(1), |inner, _| json!({ "a": inner }));
    let outcome = outcome(&list, &wallet.shown(&wallet.payload(&[], &json!({ "a": deep })), &[]), &terms());
    assert!(outcome.contains("nested too deeply"), "{outcome}");
}

#[test]
fn the_holder_must_have_signed_just_this_just_now() {
    let wallet = Wallet::new();
    let list = wallet.list();
    let payload = wallet.payload(&[], &json!({ "age_over_18": true }));
    let issued = wallet.issuer.jws(&Wallet::header(), &payload);
    let shown = format!("{issued}~");
    let header = json!({ "alg": "ES256", "typ": "kb+jwt" });
    let bind = |signer: &Signer, header: &Value, change: &dyn Fn(&mut Value)| {
        let mut binding = Wallet::binding(&shown);
        change(&mut binding);
        format!("{shown}{}", signer.jws(header, &binding))
    };
    let same = |_: &mut Value| {};
    assert!(outcome(&list, &bind(&wallet.holder, &header, &same), &terms()).starts_with("18+"));
    let other = wallet.issuer.jws(&Wallet::header(), &wallet.payload(&[], &json!({ "age_over_21": true })));
    let replayed = bind(&wallet.holder, &header, &same).replace(&issued, &other);
    for (what, code, reason) in [
        ("no signature", shown.clone(), ProofFailureReason::UnableToVerifySignature),
        (
            "a thief's signature",
            bind(&Signer::new(3), &header, &same),
            ProofFailureReason::UnableToVerifySignature,
        ),
        (
            "the issuer's signature",
            bind(&wallet.issuer, &header, &same),
            ProofFailureReason::UnableToVerifySignature,
        ),
        (
            "another type",
            bind(&wallet.holder, &json!({ "alg": "ES256", "typ": "JWT" }), &same),
            ProofFailureReason::UnableToVerifySignature,
        ),
        (
            "no algorithm",
            bind(&wallet.holder, &json!({ "alg": "none", "typ": "kb+jwt" }), &same),
            ProofFailureReason::UnableToVerifySignature,
        ),
        ("a signature over another presentation", replayed, ProofFailureReason::UnableToVerifySignature),
        (
            "no digest",
            bind(&wallet.holder, &header, &|b| b["sd_hash"] = Value::Null),
            ProofFailureReason::UnableToVerifySignature,
        ),
        (
            "an old signature",
            bind(&wallet.holder, &header, &|b| b["iat"] = json!(NOW - 40)),
            ProofFailureReason::PresentationExpired,
        ),
        (
            "a future signature",
            bind(&wallet.holder, &header, &|b| b["iat"] = json!(NOW + 40)),
            ProofFailureReason::PresentationExpired,
        ),
        (
            "an expired signature",
            bind(&wallet.holder, &header, &|b| b["exp"] = json!(NOW - 10)),
            ProofFailureReason::PresentationExpired,
        ),
        (
            "no moment",
            bind(&wallet.holder, &header, &|b| drop(b.as_object_mut().unwrap().remove("iat"))),
            ProofFailureReason::UnsupportedPayload,
        ),
        (
            "no nonce",
            bind(&wallet.holder, &header, &|b| b["nonce"] = Value::Null),
            ProofFailureReason::UnsupportedPayload,
        ),
    ] {
        let failed = verify(&list, &code, &terms()).unwrap_err();
        assert_eq!(failed.reason, reason, "{what}: {failed}");
    }
    let till = |audience: &str| credentials::proof::VerificationTerms {
        audience: Some(audience.to_owned()),
        ..terms()
    };
    assert!(outcome(&list, &wallet.bound(&shown), &till("https://till.example")).starts_with("18+"));
    assert!(
        outcome(&list, &wallet.bound(&shown), &till("https://other.example")).contains("another audience")
    );

    let expired = wallet.payload(&[], &json!({ "age_over_18": true, "exp": NOW - 6 }));
    assert!(outcome(&list, &wallet.shown(&expired, &[]), &terms()).starts_with("PRESENTATION_EXPIRED"));
    let no_key = wallet.payload(&[], &json!({ "age_over_18": true, "cnf": {} }));
    assert!(outcome(&list, &wallet.shown(&no_key, &[]), &terms()).contains("no holder's key"));
    let typ = wallet.issuer.jws(&json!({ "alg": "ES256", "typ": "JWT", "kid": "k" }), &payload);
    assert!(
        outcome(&list, &wallet.bound(&format!("{typ}~")), &terms())
            .contains("of a type that is not an SD-JWT VC")
    );
}

#[test]
fn a_credential_without_its_holder_counts_once_in_minutes_where_it_is_accepted_at_all() {
    let wallet = Wallet::new();
    let mut unbound = entry(ISSUER, &[wallet.issuer.jwk("k")]);
    unbound["unbound"] = json!(true);
    unbound["vct"] = json!(["urn:example:age"]);
    let list = list(&[unbound]);
    let disclosures = [disclosure("age_over_18", &json!(true)), disclosure("age_over_21", &json!(true))];
    let issued = wallet.issuer.jws(&Wallet::header(), &wallet.payload(&disclosures, &json!({})));
    let show = |disclosure: &str| verify(&list, &format!("{issued}~{disclosure}~"), &terms()).unwrap();
    let (first, second) = (show(&disclosures[0]), show(&disclosures[1]));
    assert_eq!((first.holder_bound, first.age_over, second.age_over), (false, 18, 21));
    assert_eq!(first.checks, [ProofCheck::SignatureVerified, ProofCheck::ProviderTrusted]);
    assert_eq!(first.replay_key, second.replay_key, "whatever is disclosed, it is the same credential");
    assert!(first.replay_key_until > at(NOW + 120) && first.replay_key_until < at(NOW + 600));

    let endless = wallet
        .issuer
        .jws(&Wallet::header(), &json!({ "iss": ISSUER, "vct": "urn:example:age", "age_over_18": true }));
    assert!(outcome(&list, &format!("{endless}~"), &terms()).contains("never expires"));
    let other = wallet
        .issuer
        .jws(&Wallet::header(), &json!({ "iss": ISSUER, "vct": "urn:example:pet", "age_over_18": true }));
    assert!(outcome(&list, &format!("{other}~"), &terms()).contains("does not accept of its issuer"));
}
