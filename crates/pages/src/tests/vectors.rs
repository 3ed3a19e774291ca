//! What the holder's page writes must be what `credentials` reads, byte for byte. The page's own tests use the same
//! files; `UPDATE_VECTORS=1 cargo test -p assay-pages` and then `UPDATE_VECTORS=1 npm test` in `web/` write them.

use base::{SignedDuration, TestEnvironment, Timestamp};
use credentials::{
    issue::{self, AgeAttestation, IssuingKey},
    proof::{self, ProofCheck, ScannedValue, VerificationTerms, VerifiedProof},
    trust::TrustList,
};
use serde_json::{Value, json};
use std::{env, fs, sync::LazyLock};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/vectors");
const ISSUER: &str = "https://proof.example.com";
const NOW: i64 = 1_790_000_000;

static VECTORS: LazyLock<Value> = LazyLock::new(|| {
    if updating() {
        fs::create_dir_all(FOLDER).unwrap();
        fs::write(format!("{FOLDER}/presentation.json"), made()).unwrap();
    }
    serde_json::from_str(&fs::read_to_string(format!("{FOLDER}/presentation.json")).unwrap()).unwrap()
});

fn updating() -> bool {
    env::var_os("UPDATE_VECTORS").is_some()
}

/// The vectors, with keys from a deterministic environment: they are for tests, and not secret.
fn made() -> String {
    let environment = TestEnvironment::at("2026-09-21T14:13:20Z");
    let (issuer, holder) = (IssuingKey::generate(&environment), IssuingKey::generate(&environment));
    let grant = AgeAttestation {
        issuer: ISSUER.to_owned(),
        age_over: vec![16, 18],
        holder: Some(holder.holder_key()),
        status: None,
        lifetime: SignedDuration::from_hours(1),
    };
    let credential = issue::issue_credential(&issuer, &grant, at(NOW), [7; 16]).unwrap();
    let texts: [&[u8]; 6] = [b"", b"A", b"AB", b"Hello!!", b"base-45", &[0xff, 0xff, 0xff, 0, 0, 0, 1]];
    let vectors = json!({
        "about": "Written by crates/pages/src/tests/vectors.rs; the keys are for tests only.",
        "issuer_jwk": issuer.jwk(),
        "holder_pkcs8": hex::encode(holder.to_pkcs8_der().expose()),
        "holder_jwk": holder.jwk(),
        "credential": hex::encode(&credential),
        "now": NOW,
        "code": issue::present(&credential, &holder, at(NOW)).unwrap(),
        "base45": texts.map(|bytes| json!([hex::encode(bytes), base45::encode(bytes)])),
    });
    format!("{vectors:#}\n")
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn verify(code: &str, scanned: i64) -> VerifiedProof {
    let entry = json!({ "issuers": [{
        "id": ISSUER, "provider": "ASSAY", "formats": ["cwt"], "keys": [VECTORS["issuer_jwk"]], "status": "ignored",
    }] });
    let list = TrustList::parse(entry.to_string().as_bytes()).unwrap();
    let ScannedValue::Proof(proof) = proof::parse_scanned(code).unwrap() else { panic!("no proof") };
    list.verify_proof(&proof, &VerificationTerms::new(at(scanned), at(scanned))).unwrap()
}

#[test]
fn codes_hold_whether_the_page_signed_them_or_this_side_did() {
    let ours = VECTORS["code"].as_str().unwrap();
    // If this side has just written its vectors anew, the page has not written its own yet.
    let shown = if updating() {
        ours.to_owned()
    } else {
        fs::read_to_string(format!("{FOLDER}/shown-by-page.txt")).unwrap()
    };
    for code in [ours, shown.trim_end()] {
        let verified = verify(code, NOW + 30);
        assert_eq!((verified.age_over, verified.holder_bound), (18, true));
        assert!(verified.checks.contains(&ProofCheck::HolderBound), "{:?}", verified.checks);
    }
}

#[test]
fn base45_is_written_as_the_page_writes_it() {
    for pair in VECTORS["base45"].as_array().unwrap() {
        let (bytes, text) = (hex::decode(pair[0].as_str().unwrap()).unwrap(), pair[1].as_str().unwrap());
        assert_eq!(base45::encode(&bytes), text);
    }
}
