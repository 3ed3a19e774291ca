//! Proofs of age of a cached issuer, from the scanned text to the verdict.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, ParsedPublicKey,
    },
};
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

const PROOFS_PER_ROUND: usize = 4000;
const VERIFYING_THREADS: usize = 2;

pub(crate) fn measure(report: &mut BenchReport, rounds: usize) -> anyhow::Result<()> {
    let (world, now) = (SystemEnvironment, SystemEnvironment.now());
    let key = IssuingKey::generate(&world);
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
    let online = (0..PROOFS_PER_ROUND)
        .map(|number| issue::issue_code(&key, &grant(None, minute), now, id(number)))
        .collect::<Result<Vec<_>, _>>()?;
    let holder = IssuingKey::generate(&world);
    let bound = grant(Some(holder.holder_key()), SignedDuration::from_hours(1));
    let shown = (0..PROOFS_PER_ROUND)
        .map(|number| {
            let credential = issue::issue_credential(&key, &bound, now, id(number))?;
            issue::present(&credential, &holder, now)
        })
        .collect::<Result<Vec<_>, _>>()?;

    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)?;
    let public = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref())?;
    let message = [7_u8; 200];
    let signature = pair.sign(&SystemRandom::new(), &message)?;

    let (mut codes, mut presentations, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        codes.push(rate(|at| holds(&list, &online[at], now)));
        presentations.push(rate(|at| holds(&list, &shown[at], now)));
        bare.push(rate(|_| public.verify_sig(&message, signature.as_ref()).is_ok()));
    }
    let peer = Some(("bare ES256 verification by aws-lc, two threads", MeasuredFigure::rates(&bare)));
    report.add(
        "proofs of a cached issuer, two threads",
        MeasuredFigure::rates(&codes),
        peer,
        None,
        Some(Goal::AtLeast(5000.0)),
    );
    let peer = Some(("bare ES256 verification by aws-lc, two threads", MeasuredFigure::rates(&bare)));
    report.add(
        "presentations of a holder, two threads",
        MeasuredFigure::rates(&presentations),
        peer,
        None,
        None,
    );
    Ok(())
}

fn holds(list: &TrustList, text: &str, now: Timestamp) -> bool {
    match proof::parse_scanned(text) {
        Ok(ScannedValue::Proof(proof)) => {
            list.verify_proof(&proof, &VerificationTerms::new(now, now)).is_ok()
        }
        _ => false,
    }
}

/// How many runs per second two threads manage.
fn rate(work: impl Fn(usize) -> bool + Sync) -> f64 {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..VERIFYING_THREADS {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= PROOFS_PER_ROUND {
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
    PROOFS_PER_ROUND as f64 / seconds
}
