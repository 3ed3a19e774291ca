//! Any code that a till can scan: read, and judged by a small trust list. The text as it is, the bytes as CBOR inside a
//! code, and lines of JSON as a token, so that the readers within are tried as much as the one at the door.

#![no_main]

use base::Timestamp;
use credentials::{
    proof::{self, Presented, Terms},
    status::Status,
    trust::TrustList,
};
use libfuzzer_sys::fuzz_target;
use std::{collections::HashSet, sync::LazyLock};

/// Proofs of every format, and whose they are: made by this server, by a holder's page, and by the other libraries that
/// the tests of `credentials` ask.
const PROOFS: &str = include_str!("../proofs/proofs.txt");
const TRUSTED: &str = include_str!("../proofs/trust-list.json");
/// When they were made.
const NOW: i64 = 1_795_262_065;

struct Till {
    list: TrustList,
    terms: Terms,
    /// What the proofs that hold are remembered by.
    known: HashSet<[u8; 32]>,
}

static TILL: LazyLock<Till> = LazyLock::new(|| {
    let list = TrustList::parse(TRUSTED.as_bytes()).expect("a trust list");
    let now = Timestamp::from_second(NOW).expect("within the calendar");
    let terms = Terms::new(now, now);
    let mut known = HashSet::new();
    for line in PROOFS.lines() {
        let (name, code) = line.split_once('\t').expect("a name and a code");
        let Ok(Presented::Proof(proof)) = proof::read(code) else { panic!("{name} is no proof") };
        let verified = list.verify(&proof, &terms).unwrap_or_else(|failed| panic!("{name}: {failed}"));
        assert!(known.insert(verified.use_key), "{name} is remembered like another");
    }
    Till { list, terms, known }
});

fuzz_target!(|bytes: &[u8]| {
    judge(&format!("HC1:{}", base45::encode(bytes)));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    judge(text);
    let parts: Vec<_> =
        text.splitn(3, '\n').map(|part| base64_simd::URL_SAFE_NO_PAD.encode_to_string(part)).collect();
    judge(&parts.join("."));
});

fn judge(code: &str) {
    let Till { list, terms, known } = &*TILL;
    let proof = match proof::read(code) {
        Ok(Presented::Proof(proof)) => proof,
        Ok(Presented::Reference(url)) => {
            let issuer = list.issuer_of_reference(&url).map(|issuer| issuer.id());
            assert!(
                matches!(issuer, None | Some("https://assay.example")),
                "only one issuer has hosts: {url}"
            );
            return;
        }
        Ok(Presented::Request(_) | Presented::Engagement) => return,
        Err(unsupported) => {
            return assert!(unsupported.detail.len() < 200, "a refusal is a sentence: {unsupported}");
        }
    };
    assert!(code.chars().count() <= proof::MAX_CHARACTERS);
    let _any_format = (proof.format(), proof.claimed_issuer(), proof.claimed_key());
    match list.verify(&proof, terms) {
        Ok(verified) => {
            // However it is spelled now: another spelling is no second use.
            assert!(known.contains(&verified.use_key), "nobody signed this");
            assert!(verified.until > terms.now, "a use is remembered");
            assert!((1..=150).contains(&verified.age_over));
            assert!(verified.clone().judge(Status::Valid).is_ok());
            assert!(verified.judge(Status::Invalid).is_err());
        }
        Err(failed) => {
            assert!(failed.detail.len() < 200, "a refusal is a sentence: {failed}");
            let knows = |id: &String| list.issuer(id).is_some_and(|issuer| issuer.key_set_url().is_some());
            assert!(failed.keys_of.as_ref().is_none_or(knows), "only keys that are published are asked for");
        }
    }
}
