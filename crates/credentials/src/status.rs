//! Token Status Lists (draft-ietf-oauth-status-list) as JWT and as CWT: whether an issuer has revoked a credential.

use crate::cbor;
use crate::cose::CoseSign1;
use crate::cwt;
use crate::jws::{Jws, base64url};
use crate::jwt;
use crate::strict_json;
use crate::trust::{SignedMessage, TrustedIssuer};
use base::{SignedDuration, Timestamp};
use ciborium::Value as Cbor;
use flate2::bufread::ZlibDecoder;
use serde_json::Value;
use std::io::Read;
use std::sync::Arc;

pub use crate::verification::CredentialStatus;

/// Bytes of a status list at most.
pub const MAX_STATUS_LIST_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that a status list may inflate to, at most.
pub const MAX_INFLATED_STATUS_LIST_BYTES: usize = 4 * 1024 * 1024;

const TTL_LABEL: i64 = 65534;
const STATUS_LIST_LABEL: i64 = 65533;
const SUB_LABEL: i64 = 2;
/// How far the issuer's clock may run ahead.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);
/// How long a list without `ttl` is used.
const DEFAULT_TTL: SignedDuration = SignedDuration::from_mins(5);
/// How long a list is used at most, whatever its `ttl` says: a revocation must not take longer to be seen.
const MAX_TTL: SignedDuration = SignedDuration::from_hours(24);

/// Why a response is not accepted as a status list of the issuer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatusListError {
    /// The list is larger than this many bytes, as sent or inflated.
    #[error("the status list is larger than {0} bytes")]
    TooLarge(usize),
    /// It is malformed; the text reads on from "the status list".
    #[error("the status list {0}")]
    Malformed(&'static str),
    /// Its signature does not verify; the text is the reason.
    #[error("the status list is not signed by the issuer: {0}")]
    NotSigned(String),
    /// Its subject is another address.
    #[error("the status list is not the one of this address")]
    AnotherList,
    /// It has expired, or was issued in the future.
    #[error("the status list is not valid now")]
    NotValidNow,
}

/// A verified status list. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StatusList {
    bits: u8,
    statuses: Arc<[u8]>,
    expires: Option<Timestamp>,
    ttl: Option<SignedDuration>,
}

/// The claims that the JWT and the CWT form share.
struct StatusListClaims {
    subject: String,
    iat: i64,
    exp: Option<i64>,
    ttl: Option<i64>,
    bits: i64,
    compressed: Vec<u8>,
}

impl StatusList {
    /// Verifies a response from `uri`. If `content_type` is not `application/statuslist+jwt` or `+cwt`, the first bytes
    /// decide which form it is.
    pub fn parse(
        body: &[u8],
        content_type: Option<&str>,
        issuer: &TrustedIssuer,
        uri: &str,
        now: Timestamp,
    ) -> Result<Self, StatusListError> {
        if body.len() > MAX_STATUS_LIST_BYTES {
            return Err(StatusListError::TooLarge(MAX_STATUS_LIST_BYTES));
        }
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        let is_jwt = match content_type.split(';').next().unwrap_or_default().trim() {
            "application/statuslist+jwt" => true,
            "application/statuslist+cwt" => false,
            _ => body.starts_with(b"ey"),
        };
        let claims = if is_jwt { parse_jwt(body, issuer, now)? } else { parse_cwt(body, issuer, now)? };
        if claims.subject != uri {
            return Err(StatusListError::AnotherList);
        }
        let moment = |seconds| Timestamp::from_second(seconds).map_err(|_| StatusListError::NotValidNow);
        let expires = claims.exp.map(moment).transpose()?;
        let early = moment(claims.iat)?.saturating_sub(MAX_CLOCK_SKEW).unwrap_or(Timestamp::MIN) > now;
        if early || expires.is_some_and(|expires| expires <= now) {
            return Err(StatusListError::NotValidNow);
        }
        if ![1, 2, 4, 8].contains(&claims.bits) {
            return Err(StatusListError::Malformed("has statuses that are not of 1, 2, 4 or 8 bits"));
        }
        if claims.ttl.is_some_and(|ttl| ttl <= 0) {
            return Err(StatusListError::Malformed("has a ttl that is not positive"));
        }
        Ok(Self {
            bits: claims.bits as u8,
            statuses: inflate(&claims.compressed)?.into(),
            expires,
            ttl: claims.ttl.map(SignedDuration::from_secs),
        })
    }

    /// How much memory it takes, bytes.
    pub fn size_bytes(&self) -> usize {
        self.statuses.len()
    }

    /// The status at an index from 0; `None` past the end of the list.
    pub fn status_at(&self, index: u64) -> Option<CredentialStatus> {
        let per_byte = u64::from(8 / self.bits);
        let byte = self.statuses.get(usize::try_from(index / per_byte).ok()?)?;
        let shift = (index % per_byte) as u8 * self.bits;
        let mask = u8::MAX >> (8 - self.bits);
        Some(match byte >> shift & mask {
            0 => CredentialStatus::Valid,
            1 => CredentialStatus::Invalid,
            2 => CredentialStatus::Suspended,
            other => CredentialStatus::Other(other),
        })
    }

    /// Until when a list that was fetched at `fetched_at` may be used: for its `ttl`, or five minutes if it has none,
    /// but never past its `exp` nor for more than a day.
    pub fn fresh_until(&self, fetched_at: Timestamp) -> Timestamp {
        let lifetime = self.ttl.unwrap_or(DEFAULT_TTL).min(MAX_TTL);
        let until = fetched_at.saturating_add(lifetime).unwrap_or(fetched_at);
        self.expires.map_or(until, |expires| until.min(expires))
    }
}

fn parse_jwt(
    body: &[u8],
    issuer: &TrustedIssuer,
    now: Timestamp,
) -> Result<StatusListClaims, StatusListError> {
    let bad = StatusListError::Malformed;
    let text = std::str::from_utf8(body).map_err(|_| bad("is not text"))?;
    let token = Jws::parse(text.trim_ascii()).map_err(bad)?;
    if token.typ.as_deref() != Some("statuslist+jwt") {
        return Err(bad("is not of type statuslist+jwt"));
    }
    issuer
        .verify_signature(&jwt::signed_message(&token), now)
        .map_err(|failed| StatusListError::NotSigned(failed.detail))?;
    let moment = |name| match token.payload.get(name) {
        None => Ok(None),
        Some(value) => {
            strict_json::parse_seconds(value).map(Some).ok_or(bad("has a moment that is not a number"))
        }
    };
    let list = token.payload.get("status_list").ok_or(bad("has no list"))?;
    let compressed = list.get("lst").and_then(Value::as_str).and_then(base64url);
    Ok(StatusListClaims {
        subject: token.text("sub").ok_or(bad("has no subject"))?.to_owned(),
        iat: moment("iat")?.ok_or(bad("does not say when it was made"))?,
        exp: moment("exp")?,
        ttl: moment("ttl")?,
        bits: list
            .get("bits")
            .and_then(Value::as_i64)
            .ok_or(bad("does not say how many bits a status has"))?,
        compressed: compressed.ok_or(bad("is not base64url"))?,
    })
}

fn parse_cwt(
    body: &[u8],
    issuer: &TrustedIssuer,
    now: Timestamp,
) -> Result<StatusListClaims, StatusListError> {
    let bad = StatusListError::Malformed;
    let value = cbor::decode(body).map_err(|_| bad("is not CBOR in its shortest form"))?;
    let mut token = CoseSign1::parse(value).map_err(bad)?;
    if token.typ.as_deref() != Some("application/statuslist+cwt") {
        return Err(bad("is not of type application/statuslist+cwt"));
    }
    let payload = token.payload.take().ok_or(bad("has no payload"))?;
    let message = token.signed_bytes(&[], &payload);
    let (kid, chain) = (token.kid.as_deref(), &token.chain[..]);
    let signed = SignedMessage { alg: token.alg, kid, chain, message: &message, signature: &token.signature };
    issuer.verify_signature(&signed, now).map_err(|failed| StatusListError::NotSigned(failed.detail))?;
    let claims =
        cbor::decode(&payload).ok().and_then(|claims| claims.into_map().ok()).ok_or(bad("has no claims"))?;
    let times = cwt::parse_times(&claims).map_err(|_| bad("has a moment that is not a number"))?;
    let list =
        cbor::get_label(&claims, STATUS_LIST_LABEL).and_then(Cbor::as_map).ok_or(bad("has no list"))?;
    let ttl = cbor::get_label(&claims, TTL_LABEL)
        .map(|ttl| cbor::as_i64(ttl).ok_or(bad("has a ttl that is not a number")));
    let subject = cbor::get_label(&claims, SUB_LABEL).and_then(Cbor::as_text).ok_or(bad("has no subject"))?;
    let compressed = cbor::get_name(list, "lst").and_then(Cbor::as_bytes).ok_or(bad("has no list"))?;
    Ok(StatusListClaims {
        subject: subject.to_owned(),
        iat: times.iat.ok_or(bad("does not say when it was made"))?,
        exp: times.exp,
        ttl: ttl.transpose()?,
        bits: cbor::get_name(list, "bits")
            .and_then(cbor::as_i64)
            .ok_or(bad("does not say how many bits a status has"))?,
        compressed: compressed.clone(),
    })
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, StatusListError> {
    let mut inflated = Vec::new();
    let read =
        ZlibDecoder::new(bytes).take(MAX_INFLATED_STATUS_LIST_BYTES as u64 + 1).read_to_end(&mut inflated);
    if inflated.len() > MAX_INFLATED_STATUS_LIST_BYTES {
        return Err(StatusListError::TooLarge(MAX_INFLATED_STATUS_LIST_BYTES));
    }
    read.map_err(|_| StatusListError::Malformed("is not zlib"))?;
    Ok(inflated)
}
