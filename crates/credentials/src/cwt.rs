//! CBOR Web Tokens (RFC 8392) in `COSE_Sign1`: proofs that fit a small QR code. Ours and those of other issuers.
//!
//! **An online proof**, asked of the issuer for each showing, is one token of at most 60 seconds.
//!
//! **An offline proof** is two. The issuer signs a batch of credentials in advance, each bound to a key of its own that
//! the holder's browser made; for each showing the browser takes the next credential and signs a *presentation* around it.
//! Showings cannot be linked by key, id or signature, and a copy of the code dies with the presentation.
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
//! The holder's signature is over `["Signature1", h'a10126', 'POA1', payload]`: the outside data `POA1` keeps a
//! signature that the key gave elsewhere from being a presentation. With the fixed order above a browser writes, byte
//! for byte: `d2 84 43 a10126 a0 58|59 <length> a3 04 1a <4: exp> 06 1a <4: iat> 3a 00010001 58|59 <length> <credential>
//! 58 40 <64: signature>`, each length in the shortest form.
//!
//! Other issuers' tokens need `iss`, `iat`, `exp` and an age in one of the wordings of `ages`; `cnf` on a
//! token that is not presented by its holder is refused.

use crate::ages::Ages;
use crate::cbor::{self, Map};
use crate::cose::Sign1;
use crate::digest::{UseOf, use_key};
use crate::keys::Jwk;
use crate::proof::{Check, Failed, StatusReference, Terms, Unsupported, Verified};
use crate::times::Times;
use crate::trust::{Issuer, Signed};
use ciborium::Value;

pub(crate) const ISS: i64 = 1;
pub(crate) const AUD: i64 = 3;
pub(crate) const EXP: i64 = 4;
pub(crate) const NBF: i64 = 5;
pub(crate) const IAT: i64 = 6;
pub(crate) const CTI: i64 = 7;
pub(crate) const CNF: i64 = 8;
pub(crate) const STATUS: i64 = 65535;
/// The private claim that holds the credential in a presentation.
pub(crate) const CREDENTIAL: i64 = -65538;
/// Outside data of a holder's signature.
pub(crate) const PRESENTED: &[u8] = b"POA1";
/// Seconds that our own online proofs and presentations live at most.
pub(crate) const OWN_SECONDS: i64 = 60;

/// A token, and the holder's presentation around it where there is one.
#[derive(Clone, Debug)]
pub(crate) struct Cwt {
    pub token: Sign1,
    payload: Vec<u8>,
    claims: Map,
    shown: Option<Shown>,
    own: bool,
}

#[derive(Clone, Debug)]
struct Shown {
    token: Sign1,
    payload: Vec<u8>,
    times: Times,
}

impl Cwt {
    /// Takes a token or a presentation apart. `own` tokens live at most a minute.
    pub(crate) fn parse(value: Value, own: bool) -> Result<Self, Unsupported> {
        let (token, payload, claims) = parts(value)?;
        let Some(credential) = cbor::numbered(&claims, CREDENTIAL) else {
            return Ok(Self { token, payload, claims, shown: None, own });
        };
        let inner = credential.as_bytes().and_then(|bytes| cbor::decode(bytes).ok());
        let inner = inner.ok_or_else(|| Unsupported::new("the presentation holds no credential"))?;
        let shown = Shown { token, payload, times: times(&claims)? };
        let (token, payload, claims) = parts(inner)?;
        Ok(Self { token, payload, claims, shown: Some(shown), own })
    }

    pub(crate) fn issuer(&self) -> Option<&str> {
        cbor::numbered(&self.claims, ISS).and_then(Value::as_text)
    }

    pub(crate) fn verify(&self, issuer: &Issuer, terms: &Terms) -> Result<Verified, Failed> {
        let signed = Signed {
            alg: self.token.alg,
            kid: self.token.kid.as_deref(),
            chain: &self.token.chain,
            message: &self.token.signed(&[], &self.payload),
            signature: &self.token.signature,
        };
        issuer.vouches(&signed, terms.now)?;
        if self.token.typ.as_deref().is_some_and(|typ| typ.contains("statuslist")) {
            return Err(Failed::unsupported("the token is a status list"));
        }
        self.check_audience(terms)?;
        let times = times(&self.claims).map_err(|error| Failed::unsupported(error.detail))?;
        times.hold(terms)?;
        let (until, checks): (_, &[_]) = match &self.shown {
            Some(shown) => {
                self.check_holder(shown)?;
                shown.times.hold(terms)?;
                minute(&shown.times)?;
                shown.times.fresh(terms, issuer.window(terms))?;
                // The credential is used up by this, whichever presentation comes next.
                (times.end(terms)?, &[Check::Fresh, Check::HolderBound])
            }
            None if cbor::numbered(&self.claims, CNF).is_some() => {
                return Err(Failed::unverified(
                    "the credential is bound to its holder, who did not sign this presentation",
                ));
            }
            None => {
                times.end(terms)?;
                if self.own {
                    minute(&times)?;
                }
                (times.fresh(terms, issuer.window(terms))?, &[Check::Fresh])
            }
        };
        let age_over = Ages::of_cbor(&self.claims)?.highest(issuer.highest_age_over())?;
        let status = issuer.status_of(status(cbor::numbered(&self.claims, STATUS)))?;
        let used = match cbor::numbered(&self.claims, CTI) {
            Some(Value::Bytes(id)) if !id.is_empty() => use_key(issuer.id(), UseOf::Id, id),
            Some(_) => return Err(Failed::unsupported("the token has an id that is no bytes")),
            None => use_key(issuer.id(), UseOf::Message, signed.message),
        };
        Ok(issuer.verified(age_over, (used, until), status, checks))
    }

    fn check_audience(&self, terms: &Terms) -> Result<(), Failed> {
        let (Some(expected), Some(named)) = (&terms.audience, cbor::numbered(&self.claims, AUD)) else {
            return Ok(());
        };
        let one = |value: &Value| value.as_text() == Some(expected.as_str());
        if one(named) || named.as_array().is_some_and(|all| all.iter().any(one)) {
            Ok(())
        } else {
            Err(Failed::unsupported("the token is meant for another audience"))
        }
    }

    /// Whether the key that the issuer put into the credential signed the presentation.
    fn check_holder(&self, shown: &Shown) -> Result<(), Failed> {
        let key = cbor::numbered(&self.claims, CNF)
            .and_then(Value::as_map)
            .and_then(|cnf| cbor::numbered(cnf, 1)?.as_map())
            .and_then(|key| Jwk::of_cose(key))
            .ok_or_else(|| {
                Failed::unverified("the credential names no holder's key that is accepted here")
            })?;
        let message = shown.token.signed(PRESENTED, &shown.payload);
        if shown.token.alg.is_some_and(|alg| key.verifies(alg, &message, &shown.token.signature)) {
            Ok(())
        } else {
            Err(Failed::unverified("the presentation is not signed by the credential's holder"))
        }
    }
}

fn minute(times: &Times) -> Result<(), Failed> {
    match (times.iat, times.exp) {
        (Some(iat), Some(exp)) if exp.saturating_sub(iat) <= OWN_SECONDS => Ok(()),
        _ => Err(Failed::unsupported(format!(
            "the proof lives longer than {OWN_SECONDS} seconds, or does not say how long"
        ))),
    }
}

fn parts(value: Value) -> Result<(Sign1, Vec<u8>, Map), Unsupported> {
    let mut token =
        Sign1::parse(value).map_err(|problem| Unsupported::new(format!("the code's message {problem}")))?;
    let payload =
        token.payload.take().ok_or_else(|| Unsupported::new("the code's message has no payload"))?;
    let claims = cbor::decode(&payload).ok().and_then(|claims| claims.into_map().ok());
    let claims =
        claims.ok_or_else(|| Unsupported::new("the token's claims are no map in its shortest form"))?;
    Ok((token, payload, claims))
}

/// The moments among CWT claims.
pub(crate) fn times(claims: &[(Value, Value)]) -> Result<Times, Unsupported> {
    let moment = |label| match cbor::numbered(claims, label) {
        None => Ok(None),
        Some(Value::Float(seconds)) if seconds.abs() < 1e15 => Ok(Some(seconds.floor() as i64)),
        Some(value) => cbor::whole(value)
            .map(Some)
            .ok_or_else(|| Unsupported::new("the token has a moment that is no number")),
    };
    Ok(Times { iat: moment(IAT)?, nbf: moment(NBF)?, exp: moment(EXP)? })
}

/// A status claim in CBOR, as CWT and mobile documents have it.
pub(crate) fn status(claim: Option<&Value>) -> Result<Option<StatusReference>, ()> {
    let Some(claim) = claim else { return Ok(None) };
    let list = claim.as_map().and_then(|claim| cbor::named(claim, "status_list")?.as_map()).ok_or(())?;
    let index = cbor::named(list, "idx").and_then(cbor::whole).and_then(|index| u64::try_from(index).ok());
    let uri = cbor::named(list, "uri").and_then(Value::as_text);
    match (index, uri) {
        (Some(index), Some(uri)) => Ok(Some(StatusReference { uri: uri.to_owned(), index })),
        _ => Err(()),
    }
}
