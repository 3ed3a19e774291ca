//! How many proofs two threads verify in a second, from the scanned text to the verdict:
//! `cargo run --release -p assay-credentials --example rate`.

#![expect(clippy::print_stdout, reason = "this is what it was run for")]

use base::{SignedDuration, SystemEnvironment, Timestamp};
use credentials::issue::{AgeAttestation, IssuingKey, issue_code, issue_credential, present};
use credentials::proof::{ScannedValue, VerificationTerms, parse_scanned};
use credentials::trust::TrustList;
use std::time::{Duration, Instant};

const THREADS: usize = 2;
const SPAN: Duration = Duration::from_secs(3);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let now = Timestamp::from_second(1_780_000_000)?;
    let (issuer, holder) =
        (IssuingKey::generate(&SystemEnvironment), IssuingKey::generate(&SystemEnvironment));
    let list = serde_json::json!({ "issuers": [{
        "id": "https://issuer.example", "provider": "EXAMPLE", "formats": ["cwt"], "keys": [issuer.jwk()],
    }] });
    let list = TrustList::parse(list.to_string().as_bytes())?;
    let online = AgeAttestation {
        issuer: "https://issuer.example".to_owned(),
        age_over: vec![18],
        holder: None,
        status: None,
        lifetime: SignedDuration::from_secs(60),
    };
    let bound = AgeAttestation { holder: Some(holder.holder_key()), ..online.clone() };
    let presented = present(&issue_credential(&issuer, &bound, now, [2; 16])?, &holder, now)?;
    for (name, code) in
        [("online proof", issue_code(&issuer, &online, now, [1; 16])?), ("presentation", presented)]
    {
        let verified: usize = std::thread::scope(|scope| {
            let one = || scope.spawn(|| count(&list, &code, &VerificationTerms::new(now, now)));
            let threads: Vec<_> = (0..THREADS).map(|_| one()).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
        });
        let each = verified as f64 / SPAN.as_secs_f64();
        println!("{name}, {} characters: {each:.0} a second on {THREADS} threads", code.len());
    }
    Ok(())
}

/// Proofs verified within the span.
fn count(list: &TrustList, code: &str, terms: &VerificationTerms) -> usize {
    let (begun, mut verified) = (Instant::now(), 0);
    while begun.elapsed() < SPAN {
        let Ok(ScannedValue::Proof(proof)) = parse_scanned(code) else { return 0 };
        verified += usize::from(list.verify_proof(&proof, terms).is_ok());
    }
    verified
}
