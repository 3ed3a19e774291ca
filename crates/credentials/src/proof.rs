//! Proofs of age that are shown as a code: parsing whatever was scanned, and judging it.

use crate::detect_format::ProofToken;
use crate::trust::TrustList;

pub use crate::detect_format::{
    MAX_FETCHED_CHARS, MAX_INFLATED_PROOF_BYTES, MAX_QR_CHARS, MAX_RESPONSE_CHARS, MAX_TRANSCRIPT_BYTES,
    ParsedProof, ScannedValue, TerminalSession, TerminalSessionError, parse_device_response, parse_fetched,
    parse_scanned,
};
pub use crate::error::{ProofFailureReason, ProofVerificationError, UnsupportedProofError};
pub use crate::verification::{
    CredentialFormat, MAX_SCAN_AGE, ProofCheck, StatusReference, VerificationTerms, VerifiedProof,
};

impl TrustList {
    /// Judges a proof. Left to the caller: whether [`VerifiedProof::replay_key`] was seen before, and what the status
    /// list at [`VerifiedProof::status`] says.
    pub fn verify_proof(
        &self,
        proof: &ParsedProof,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        let format = proof.format();
        let (issuer, key) = match proof.token() {
            ProofToken::Mdoc(mdoc) => {
                let (issuer, key) = self.issuer_of_chain(mdoc.chain()?, format, terms.now)?;
                (issuer, Some(key))
            }
            ProofToken::SdJwt(token) if token.issuer().is_none() => {
                (self.issuer_of_chain(&token.token.chain, format, terms.now)?.0, None)
            }
            _ => (self.issuer_by_claim(proof.claimed_issuer())?, None),
        };
        issuer
            .check_in_force(format, terms.now)
            .and_then(|()| match (proof.token(), key) {
                (ProofToken::Cwt(cwt), _) => cwt.verify(issuer, terms),
                (ProofToken::SdJwt(token), _) => token.verify(issuer, terms),
                (ProofToken::Jwt(jwt), _) => jwt.verify(issuer, terms),
                (ProofToken::Mdoc(mdoc), Some(key)) => mdoc.verify(issuer, &key, terms),
                (ProofToken::Mdoc(_), None) => {
                    Err(ProofVerificationError::unverified("the mobile document has no certificates"))
                }
            })
            .map_err(|failed| ProofVerificationError {
                provider: Some(issuer.provider().to_owned()),
                ..failed
            })
    }
}
