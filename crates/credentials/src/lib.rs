//! Signed proofs of age: read what was scanned, judge it against a trust list, and issue proofs of our own.
//!
//! No database, no network, no clock, no tenant: moments are passed in, and what must be fetched or remembered is
//! named in the answer. The order of a verification is
//!
//! 1. [`proof::detect_format`] takes the scanned text apart, within bounds;
//! 2. [`trust::TrustList::verify`] finds the issuer, the signature, the times, the holder and the age;
//! 3. the caller looks up [`proof::VerifiedProof::status`] in a [`status::StatusList`] and hands the finding to
//!    [`proof::VerifiedProof::apply_status`];
//! 4. the caller stores [`proof::VerifiedProof::replay_key`], which must be new, in the transaction of its result.
//!
//! What a wallet presents on a request ([`vp`]) is bound to that request instead, and says more of an age.
//!
//! A key or certificate is never trusted because it came with a token. Keys are parsed when the list is read, so that
//! a verification costs little more than its signatures.

pub mod issue;
pub mod jwe;
pub mod proof;
pub mod status;
pub mod trust;
pub mod vp;

mod age_claims;
mod cbor;
mod certificate_chain;
mod cose;
mod cwt;
mod detect_format;
mod digest;
mod https_host;
mod jws;
mod jwt;
mod keys;
mod mdoc;
mod sd_jwt;
mod strict_json;
mod validity;
