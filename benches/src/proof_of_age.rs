//! Proofs of age of a cached issuer, from the scanned text to the verdict.

use crate::report::{BenchReport, Goal, MeasuredFigure};
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, ParsedPublicKey,
    },
};
use measure::proofs::{SampleProofs, runs_per_second};

const PROOFS_PER_ROUND: usize = 4000;
const VERIFYING_THREADS: usize = 2;

pub(crate) fn measure(report: &mut BenchReport, rounds: usize) -> anyhow::Result<()> {
    let proofs = SampleProofs::issue(PROOFS_PER_ROUND)?;
    let rate =
        |work: &(dyn Fn(usize) -> bool + Sync)| runs_per_second(PROOFS_PER_ROUND, VERIFYING_THREADS, work);

    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)?;
    let public = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref())?;
    let message = [7_u8; 200];
    let signature = pair.sign(&SystemRandom::new(), &message)?;

    let (mut codes, mut presentations, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        codes.push(rate(&|at| proofs.holds(&proofs.codes[at])));
        presentations.push(rate(&|at| proofs.holds(&proofs.presentations[at])));
        bare.push(rate(&|_| public.verify_sig(&message, signature.as_ref()).is_ok()));
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
