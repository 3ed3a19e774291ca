//! CBOR Web Tokens (RFC 8392) in `COSE_Sign1`: proofs that fit a small QR code. Our own and those of other issuers.
//!
//! **An online proof**, requested from the issuer for each showing, is one token that is valid for at most 60 seconds.
//!
//! **An offline proof** is two tokens. The issuer signs a batch of credentials in advance, each bound to a key of its
//! own that the holder's browser made; for each showing the browser takes the next credential and signs a
//! *presentation* around it. Showings cannot be linked by key, id or signature, and a copy of the code expires with the
//! presentation.
//!
//! ```cddl
//! code         = "POA1:" base45(online / presentation)       ; zlib is read, but makes these longer
//!
//! online       = #6.18([ bstr .cbor issuer-header, {}, bstr .cbor online-claims, signature ])
//! credential   = #6.18([ bstr .cbor issuer-header, {}, bstr .cbor holder-claims, signature ])
//! presentation = #6.18([ bstr .cbor {1: -7},       {}, bstr .cbor shown,         signature ])
//!
//! issuer-header = { 1: -7, 4: bstr .size 8 }                 ; ES256; kid: start of the key's RFC 7638 thumbprint
//! online-claims = { 1: tstr, 4: uint, 6: uint, 7: bstr .size 16, -65537: ages, ? 65535: status }
//! holder-claims = { 1: tstr, 4: uint, 6: uint, 7: bstr .size 16, -65537: ages, 8: { 1: holder-key }, ? 65535: status }
//!                                                            ; iss, exp, iat, cti, age_over, cnf, status
//! shown         = { 4: uint, 6: uint, -65538: bstr .cbor credential }   ; exp <= iat + 60
//! ages          = { + uint => bool }                         ; {18: true}
//! holder-key    = { 1: 2, -1: 1, -2: bstr .size 32, -3: bool }          ; P-256, compressed point
//! status        = { "status_list": { "idx": uint, "uri": tstr } }
//! signature     = bstr .size 64                              ; ECDSA P-256 with SHA-256, r || s
//! ```
//!
//! The holder's signature is over `["Signature1", h'a10126', 'POA1', payload]`: the external data `POA1` keeps a
//! signature that the key made for something else from passing for a presentation. In the fixed order above a browser
//! writes, byte for byte: `d2 84 43 a10126 a0 58|59 <length> a3 04 1a <4: exp> 06 1a <4: iat> 3a 00010001 58|59
//! <length> <credential> 58 40 <64: signature>`, each length in the shortest form.
//!
//! Other issuers' tokens need `iss`, `iat`, `exp` and an age in one of the forms that `age_claims` reads; a token with
//! `cnf` is refused unless its holder presents it.

use crate::age_claims::AgeClaims;
use crate::cbor::{self, CborMap};
use crate::cose::CoseSign1;
use crate::digest::{ReplayKeySource, replay_key};
use crate::error::{ProofVerificationError, UnsupportedProofError};
use crate::keys::VerificationKey;
use crate::trust::{SignedMessage, TrustedIssuer};
use crate::validity::ValidityTimes;
use crate::verification::{ProofCheck, StatusReference, VerificationTerms, VerifiedProof};
use ciborium::Value;

pub(crate) const ISS_LABEL: i64 = 1;
pub(crate) const AUD_LABEL: i64 = 3;
pub(crate) const EXP_LABEL: i64 = 4;
pub(crate) const NBF_LABEL: i64 = 5;
pub(crate) const IAT_LABEL: i64 = 6;
pub(crate) const CTI_LABEL: i64 = 7;
pub(crate) const CNF_LABEL: i64 = 8;
pub(crate) const STATUS_LABEL: i64 = 65535;
/// The private claim that holds the credential in a presentation.
pub(crate) const CREDENTIAL_LABEL: i64 = -65538;
/// External data (`external_aad`) of a holder's signature.
pub(crate) const PRESENTATION_EXTERNAL_AAD: &[u8] = b"POA1";
/// Longest lifetime of our own online proofs and presentations, in seconds.
pub(crate) const MAX_OWN_PROOF_SECONDS: i64 = 60;

/// A token, and the holder's presentation around it if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Cwt {
    pub token: CoseSign1,
    payload: Vec<u8>,
    claims: CborMap,
    presentation: Option<CwtPresentation>,
    /// Has the prefix of Assay's own codes.
    own: bool,
}

#[derive(Clone, Debug)]
struct CwtPresentation {
    token: CoseSign1,
    payload: Vec<u8>,
    times: ValidityTimes,
}

impl Cwt {
    /// Parses a token or a presentation. Tokens that are `own` may be valid for a minute at most.
    pub(crate) fn parse(value: Value, own: bool) -> Result<Self, UnsupportedProofError> {
        let (token, payload, claims) = parse_token(value)?;
        let Some(credential) = cbor::get_label(&claims, CREDENTIAL_LABEL) else {
            return Ok(Self { token, payload, claims, presentation: None, own });
        };
        let inner = credential.as_bytes().and_then(|bytes| cbor::decode(bytes).ok());
        let inner =
            inner.ok_or_else(|| UnsupportedProofError::new("the presentation holds no credential"))?;
        let presentation = CwtPresentation { token, payload, times: parse_times(&claims)? };
        let (token, payload, claims) = parse_token(inner)?;
        Ok(Self { token, payload, claims, presentation: Some(presentation), own })
    }

    pub(crate) fn issuer(&self) -> Option<&str> {
        cbor::get_label(&self.claims, ISS_LABEL).and_then(Value::as_text)
    }

    pub(crate) fn verify(
        &self,
        issuer: &TrustedIssuer,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        let signed = SignedMessage {
            alg: self.token.alg,
            kid: self.token.kid.as_deref(),
            chain: &self.token.chain,
            message: &self.token.signed_bytes(&[], &self.payload),
            signature: &self.token.signature,
        };
        issuer.verify_signature(&signed, terms.now)?;
        if self.token.typ.as_deref().is_some_and(|typ| typ.contains("statuslist")) {
            return Err(ProofVerificationError::unsupported("the token is a status list"));
        }
        self.check_audience(terms)?;
        let times =
            parse_times(&self.claims).map_err(|error| ProofVerificationError::unsupported(error.detail))?;
        times.check_valid_at_scan(terms)?;
        let (until, checks): (_, &[_]) = match &self.presentation {
            Some(presentation) => {
                self.check_holder(presentation)?;
                presentation.times.check_valid_at_scan(terms)?;
                check_lifetime(&presentation.times)?;
                presentation.times.check_freshness(terms, issuer.freshness_window(terms))?;
                // This uses up the credential, whatever other presentation of it may follow.
                (times.replay_end(terms)?, &[ProofCheck::Fresh, ProofCheck::HolderBound])
            }
            None if cbor::get_label(&self.claims, CNF_LABEL).is_some() => {
                return Err(ProofVerificationError::unverified(
                    "the credential is bound to its holder, who did not sign this presentation",
                ));
            }
            None => {
                times.replay_end(terms)?;
                if self.own {
                    check_lifetime(&times)?;
                }
                (times.check_freshness(terms, issuer.freshness_window(terms))?, &[ProofCheck::Fresh])
            }
        };
        let age_over = AgeClaims::of_cbor(&self.claims)?.highest_reached(issuer.highest_age_over())?;
        let status =
            issuer.status_to_check(parse_status_reference(cbor::get_label(&self.claims, STATUS_LABEL)))?;
        let replay_key = match cbor::get_label(&self.claims, CTI_LABEL) {
            Some(Value::Bytes(id)) if !id.is_empty() => replay_key(issuer.id(), ReplayKeySource::Id, id),
            Some(_) => {
                return Err(ProofVerificationError::unsupported("the token has an id that is not bytes"));
            }
            None => replay_key(issuer.id(), ReplayKeySource::Message, signed.message),
        };
        Ok(issuer.to_verified_proof(age_over, (replay_key, until), status, checks))
    }

    fn check_audience(&self, terms: &VerificationTerms) -> Result<(), ProofVerificationError> {
        let (Some(expected), Some(named)) = (&terms.audience, cbor::get_label(&self.claims, AUD_LABEL))
        else {
            return Ok(());
        };
        let one = |value: &Value| value.as_text() == Some(expected.as_str());
        if one(named) || named.as_array().is_some_and(|all| all.iter().any(one)) {
            Ok(())
        } else {
            Err(ProofVerificationError::unsupported("the token is meant for another audience"))
        }
    }

    /// Checks that the key in the credential's `cnf` signed the presentation.
    fn check_holder(&self, presentation: &CwtPresentation) -> Result<(), ProofVerificationError> {
        let key = cbor::get_label(&self.claims, CNF_LABEL)
            .and_then(Value::as_map)
            .and_then(|cnf| cbor::get_label(cnf, 1)?.as_map())
            .and_then(|key| VerificationKey::of_cose(key))
            .ok_or_else(|| {
                ProofVerificationError::unverified(
                    "the credential names no holder's key that is accepted here",
                )
            })?;
        let message = presentation.token.signed_bytes(PRESENTATION_EXTERNAL_AAD, &presentation.payload);
        if presentation
            .token
            .alg
            .is_some_and(|alg| key.verifies(alg, &message, &presentation.token.signature))
        {
            Ok(())
        } else {
            Err(ProofVerificationError::unverified(
                "the presentation is not signed by the credential's holder",
            ))
        }
    }
}

fn check_lifetime(times: &ValidityTimes) -> Result<(), ProofVerificationError> {
    match (times.iat, times.exp) {
        (Some(iat), Some(exp)) if exp.saturating_sub(iat) <= MAX_OWN_PROOF_SECONDS => Ok(()),
        _ => Err(ProofVerificationError::unsupported(format!(
            "the proof lives longer than {MAX_OWN_PROOF_SECONDS} seconds, or does not say how long"
        ))),
    }
}

fn parse_token(value: Value) -> Result<(CoseSign1, Vec<u8>, CborMap), UnsupportedProofError> {
    let mut token = CoseSign1::parse(value)
        .map_err(|problem| UnsupportedProofError::new(format!("the code's message {problem}")))?;
    let payload = token
        .payload
        .take()
        .ok_or_else(|| UnsupportedProofError::new("the code's message has no payload"))?;
    let claims = cbor::decode(&payload).ok().and_then(|claims| claims.into_map().ok());
    let claims = claims
        .ok_or_else(|| UnsupportedProofError::new("the token's claims are not a map in its shortest form"))?;
    Ok((token, payload, claims))
}

/// The registered times among CWT claims (`iat`, `nbf`, `exp`).
pub(crate) fn parse_times(claims: &[(Value, Value)]) -> Result<ValidityTimes, UnsupportedProofError> {
    let moment = |label| match cbor::get_label(claims, label) {
        None => Ok(None),
        Some(Value::Float(seconds)) if seconds.abs() < 1e15 => Ok(Some(seconds.floor() as i64)),
        Some(value) => cbor::as_i64(value)
            .map(Some)
            .ok_or_else(|| UnsupportedProofError::new("the token has a moment that is not a number")),
    };
    Ok(ValidityTimes { iat: moment(IAT_LABEL)?, nbf: moment(NBF_LABEL)?, exp: moment(EXP_LABEL)? })
}

/// The status claim of a CWT or a mobile document. `Ok(None)` without one, `Err` if it is in an unknown form.
pub(crate) fn parse_status_reference(claim: Option<&Value>) -> Result<Option<StatusReference>, ()> {
    let Some(claim) = claim else { return Ok(None) };
    let list = claim.as_map().and_then(|claim| cbor::get_name(claim, "status_list")?.as_map()).ok_or(())?;
    let index =
        cbor::get_name(list, "idx").and_then(cbor::as_i64).and_then(|index| u64::try_from(index).ok());
    let uri = cbor::get_name(list, "uri").and_then(Value::as_text);
    match (index, uri) {
        (Some(index), Some(uri)) => Ok(Some(StatusReference { uri: uri.to_owned(), index })),
        _ => Err(()),
    }
}
