//! Any code that can be scanned: parsed, and judged with a small trust list. The input is tried as text, as CBOR inside
//! a code, and as the JSON parts of a token, so that the inner parsers are exercised as much as the outer one.

#![no_main]

use base::Timestamp;
use credentials::{
    proof::{self, ScannedValue, VerificationTerms},
    status::CredentialStatus,
    trust::TrustList,
};
use libfuzzer_sys::fuzz_target;
use std::{collections::HashSet, sync::LazyLock};

/// Proofs of every format, and the trust list with their issuers: made by this server, by a holder's page, and by the
/// libraries that the tests of `credentials` use.
const PROOFS: &str = include_str!("../proofs/proofs.txt");
const TRUST_LIST: &str = include_str!("../proofs/trust-list.json");
/// When the proofs were made.
const NOW_UNIX_SECONDS: i64 = 1_795_262_065;

struct Till {
    list: TrustList,
    terms: VerificationTerms,
    /// The replay keys of the valid proofs.
    known: HashSet<[u8; 32]>,
}

static TEST_TILL: LazyLock<Till> = LazyLock::new(|| {
    let list = TrustList::parse(TRUST_LIST.as_bytes()).expect("a trust list");
    let now = Timestamp::from_second(NOW_UNIX_SECONDS).expect("within the calendar");
    let terms = VerificationTerms::new(now, now);
    let mut known = HashSet::new();
    for line in PROOFS.lines() {
        let (name, code) = line.split_once('\t').expect("a name and a code");
        let Ok(ScannedValue::Proof(proof)) = proof::parse_scanned(code) else {
            panic!("{name} is not a proof")
        };
        let verified = list.verify_proof(&proof, &terms).unwrap_or_else(|failed| panic!("{name}: {failed}"));
        assert!(known.insert(verified.replay_key), "{name} is remembered like another");
    }
    Till { list, terms, known }
});

fuzz_target!(|bytes: &[u8]| {
    check_code(&format!("HC1:{}", base45::encode(bytes)));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    check_code(text);
    let parts: Vec<_> =
        text.splitn(3, '\n').map(|part| base64_simd::URL_SAFE_NO_PAD.encode_to_string(part)).collect();
    check_code(&parts.join("."));
});

fn check_code(code: &str) {
    let Till { list, terms, known } = &*TEST_TILL;
    let proof = match proof::parse_scanned(code) {
        Ok(ScannedValue::Proof(proof)) => proof,
        Ok(ScannedValue::Reference(url)) => {
            let issuer = list.issuer_of_reference(&url).map(|issuer| issuer.id());
            assert!(
                matches!(issuer, None | Some("https://assay.example")),
                "only one issuer has hosts: {url}"
            );
            return;
        }
        Ok(ScannedValue::Request(_) | ScannedValue::Engagement) => return,
        Err(unsupported) => {
            return assert!(unsupported.detail.len() < 200, "a refusal is a sentence: {unsupported}");
        }
    };
    assert!(code.chars().count() <= proof::MAX_QR_CHARS);
    let _any_format = (proof.format(), proof.claimed_issuer(), proof.claimed_key());
    match list.verify_proof(&proof, terms) {
        Ok(verified) => {
            // However it is encoded: another encoding must not be a second use.
            assert!(known.contains(&verified.replay_key), "nobody signed this");
            assert!(verified.replay_key_until > terms.now, "a use is remembered");
            assert!((1..=150).contains(&verified.age_over));
            assert!(verified.clone().apply_status(CredentialStatus::Valid).is_ok());
            assert!(verified.apply_status(CredentialStatus::Invalid).is_err());
        }
        Err(failed) => {
            assert!(failed.detail.len() < 200, "a refusal is a sentence: {failed}");
            let knows = |id: &String| list.issuer(id).is_some_and(|issuer| issuer.key_set_url().is_some());
            assert!(
                failed.refetch_keys_of.as_ref().is_none_or(knows),
                "only keys that are published are asked for"
            );
        }
    }
}
