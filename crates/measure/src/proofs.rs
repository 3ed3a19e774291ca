//! Proofs of age of a cached issuer, from the scanned text to the verdict: no HTTP and no database.

use base::{Environment as _, SignedDuration, SystemEnvironment, Timestamp};
use credentials::{
    issue::{self, AgeAttestation, IssuingKey},
    proof::{self, ScannedValue, VerificationTerms},
    trust::TrustList,
};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

/// Proofs of one issuer, and a list that trusts it.
#[derive(Debug)]
pub struct SampleProofs {
    list: TrustList,
    now: Timestamp,
    /// Codes of the issuer: one signature each.
    pub codes: Vec<String>,
    /// Presentations of a holder: two signatures each.
    pub presentations: Vec<String>,
}

impl SampleProofs {
    /// So many of each kind.
    pub fn issue(count: usize) -> anyhow::Result<Self> {
        let (environment, now) = (SystemEnvironment, SystemEnvironment.now());
        let key = IssuingKey::generate(&environment);
        let entry = serde_json::json!({ "issuers": [{
            "id": "https://pass.example", "provider": "PASS", "formats": ["cwt"], "keys": [key.jwk()],
        }] });
        let list = TrustList::parse(entry.to_string().as_bytes())?;
        let grant = |holder, valid| AgeAttestation {
            issuer: "https://pass.example".to_owned(),
            age_over: vec![18],
            holder,
            status: None,
            lifetime: valid,
        };
        let id = |number: usize| {
            let mut id = [0; 16];
            id[..8].copy_from_slice(&(number as u64).to_be_bytes());
            id
        };
        let minute = SignedDuration::from_secs(60);
        let codes = (0..count)
            .map(|number| issue::issue_code(&key, &grant(None, minute), now, id(number)))
            .collect::<Result<Vec<_>, _>>()?;
        let holder = IssuingKey::generate(&environment);
        let bound = grant(Some(holder.holder_key()), SignedDuration::from_hours(1));
        let presentations = (0..count)
            .map(|number| {
                let credential = issue::issue_credential(&key, &bound, now, id(number))?;
                issue::present(&credential, &holder, now)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { list, now, codes, presentations })
    }

    /// Whether a proof holds.
    pub fn holds(&self, text: &str) -> bool {
        match proof::parse_scanned(text) {
            Ok(ScannedValue::Proof(proof)) => {
                self.list.verify_proof(&proof, &VerificationTerms::new(self.now, self.now)).is_ok()
            }
            _ => false,
        }
    }
}

/// How many of `count` runs so many threads manage per second.
///
/// # Panics
/// When a run says that it failed: what is timed must be right.
pub fn runs_per_second(count: usize, threads: usize, work: impl Fn(usize) -> bool + Sync) -> f64 {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    if !work(at) {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    assert_eq!(failed.into_inner(), 0, "what is timed is right");
    count as f64 / seconds
}
