//! Signed proofs of age: parse what was scanned, judge it against a trust list, and issue proofs of our own.
//!
//! No database, no network, no clock, no tenant: times are passed in, and the result names what must be fetched or
//! remembered. A verification has four steps:
//!
//! 1. [`proof::parse_scanned`] parses the scanned text, within bounds;
//! 2. [`trust::TrustList::verify_proof`] checks the issuer, the signature, the times, the holder and the age;
//! 3. the caller looks up [`proof::VerifiedProof::status`] in a [`status::StatusList`] and passes what it found to
//!    [`proof::VerifiedProof::apply_status`];
//! 4. the caller stores [`proof::VerifiedProof::replay_key`], which must be new, in the same transaction as the result.
//!
//! What a wallet presents on request ([`vp`]) is bound to that request instead, and can say more about an age.
//!
//! A key or certificate is never trusted because it came with a token. Keys are parsed when the trust list is read, so
//! a verification costs little more than its signatures.
//!
//! Modules import downwards only:
//!
//! ```text
//! app_attest  play_integrity      what a phone's platform says about an app
//! proof  vp                       scanned proofs; presentations on request
//! detect_format  issue  request_object  status
//! cwt  jwt  sd_jwt  mdoc          the four formats
//! presentation                    what binds a presentation to its request
//! trust                           the trust list, the keys and roots of its issuers
//! certificate_chain  cose  jws  jwe  keys
//! age_attributes  age_claims  validity  verification  error
//! cbor  digest  https_host  strict_json
//! ```

pub mod app_attest;
pub mod issue;
pub mod jwe;
pub mod play_integrity;
pub mod proof;
pub mod status;
pub mod trust;
pub mod vp;

mod age_attributes;
mod age_claims;
mod cbor;
mod certificate_chain;
mod cose;
mod cwt;
mod detect_format;
mod digest;
mod error;
mod https_host;
mod jws;
mod jwt;
mod keys;
mod mdoc;
mod presentation;
mod request_object;
mod sd_jwt;
mod strict_json;
mod validity;
mod verification;
