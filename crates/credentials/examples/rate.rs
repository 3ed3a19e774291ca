//! How many proofs two threads verify in a second, from the scanned text to the verdict:
//! `cargo run --release -p assay-credentials --example rate`.

#![expect(clippy::print_stdout, reason = "this is what it was run for")]

use base::{SignedDuration, SystemWorld, Timestamp};
use credentials::issue::{Grant, IssuingKey, credential, issue, present};
use credentials::proof::{Presented, Terms, read};
use credentials::trust::TrustList;
use std::time::{Duration, Instant};

const THREADS: usize = 2;
const SPAN: Duration = Duration::from_secs(3);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let now = Timestamp::from_second(1_780_000_000)?;
    let (issuer, holder) = (IssuingKey::generate(&SystemWorld), IssuingKey::generate(&SystemWorld));
    let list = serde_json::json!({ "issuers": [{
        "id": "https://issuer.example", "provider": "EXAMPLE", "formats": ["cwt"], "keys": [issuer.jwk()],
    }] });
    let list = TrustList::parse(list.to_string().as_bytes())?;
    let online = Grant {
        issuer: "https://issuer.example".to_owned(),
        age_over: vec![18],
        holder: None,
        status: None,
        valid: SignedDuration::from_secs(60),
    };
    let bound = Grant { holder: Some(holder.holder_key()), ..online.clone() };
    let presented = present(&credential(&issuer, &bound, now, [2; 16])?, &holder, now)?;
    for (name, code) in
        [("online proof", issue(&issuer, &online, now, [1; 16])?), ("presentation", presented)]
    {
        let verified: usize = std::thread::scope(|scope| {
            let one = || scope.spawn(|| count(&list, &code, &Terms::new(now, now)));
            let threads: Vec<_> = (0..THREADS).map(|_| one()).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
        });
        let each = verified as f64 / SPAN.as_secs_f64();
        println!("{name}, {} characters: {each:.0} a second on {THREADS} threads", code.len());
    }
    Ok(())
}

/// Proofs verified within the span.
fn count(list: &TrustList, code: &str, terms: &Terms) -> usize {
    let (begun, mut verified) = (Instant::now(), 0);
    while begun.elapsed() < SPAN {
        let Ok(Presented::Proof(proof)) = read(code) else { return 0 };
        verified += usize::from(list.verify(&proof, terms).is_ok());
    }
    verified
}
