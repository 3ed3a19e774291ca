//! The signed-request guard, over the raw bytes (decisions, section 1).

use crate::{
    Api,
    ai::{Code, Problem},
    guard::Allowance,
    hosts::Sandbox,
    wire::{self, DeviceMeta, Noted, body::Unread, signed, text},
};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, request::Parts},
};
use domain::tenancy::{
    Feature, OrgStatus,
    caller::{self, Caller, NoCaller},
    signed_request::{self, Clock, Refused},
};

/// A request whose sender is proven: application, signature, time and single use.
#[derive(Debug)]
pub struct Signed {
    /// Who sent it.
    pub caller: Caller,
    /// The headers, for those that are not part of any signature.
    pub headers: HeaderMap,
    /// The raw body, at most `server.body_bytes`.
    pub body: Bytes,
    /// What the client library told about its device.
    pub device: Option<DeviceMeta>,
}

impl Signed {
    /// Whether the application may use an interface.
    pub fn may(&self, feature: Feature) -> Result<(), Problem> {
        if self.caller.features.contains(&feature) {
            return Ok(());
        }
        Err(Problem::new(Code::Unauthorized, format!("the application may not use {feature}")))
    }
}

impl FromRequest<Api> for Signed {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let id = text(&parts.headers, api.wire.auth_id());
        let limit = api.settings.body_bytes;
        let proven = prove(api, &parts, body, limit, "send a smaller image", id).await;
        let Proven { caller, body } = proven.map_err(|not| Problem::from(not).branded(&api.wire))?;
        let device = parts.headers.get(api.wire.device_meta());
        let device = device.map(|meta| DeviceMeta::read(meta.as_bytes(), api.wire.device_meta().as_str()));
        let device = device.transpose().map_err(|words| Problem::new(Code::InvalidRequestBody, words))?;
        Ok(Self { caller, headers: parts.headers, body, device })
    }
}

/// A sender who was proven, and the body.
#[derive(Debug)]
pub(crate) struct Proven {
    pub(crate) caller: Caller,
    pub(crate) body: Bytes,
}

/// Why a sender was not proven. Each interface says so in its own words.
#[derive(Debug)]
pub(crate) enum NotProven {
    /// The application may not call.
    Caller(NoCaller),
    /// The signature, its time or its nonce.
    Refused(Refused),
    /// The body did not come.
    Unread(Unread),
    /// The organisation is not served.
    Suspended,
    /// The application has used up what the operator allows it.
    TooMany(Allowance),
    /// Something of ours did not answer.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
}

impl From<Refused> for NotProven {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// Proves that a request was sent by the application of this id, at most `limit` bytes long.
///
/// The checks stand in the order of interface 2's table, so that one defect gives exactly its code. The body is read only
/// for a caller that exists.
pub(crate) async fn prove(
    api: &Api,
    parts: &Parts,
    body: Body,
    limit: usize,
    hint: &'static str,
    id: Option<&str>,
) -> Result<Proven, NotProven> {
    let caller = {
        let mut view = api.db.read().await.map_err(|error| NotProven::Unavailable(error.into()))?;
        caller::identify(&mut view, id).await.map_err(NotProven::Caller)?
    };
    let signature = signed_request::parse_digest(text(&parts.headers, api.wire.auth_digest()))?;
    let clock =
        Clock { now: api.world.now(), max_skew: api.settings.max_clock_skew, unclocked: caller.unclocked };
    // What was signed is what was sent, before a host or the sandbox gave the path another form.
    let uri = parts.extensions.get::<Sandbox>().map_or(&parts.uri, |Sandbox(uri)| uri);
    let stamps = clock.read(uri.query())?;

    let patience = api.settings.body_timeout;
    let body = wire::body::read(&parts.headers, body, limit, patience, hint).await;
    let body = body.map_err(NotProven::Unread)?;
    signed_request::verify(&caller.keys, &signed(&parts.method, uri, &body), &signature)?;
    if caller.org_status != OrgStatus::Active {
        return Err(NotProven::Suspended);
    }
    // Only now: a quota is used up and a nonce burnt by their owner alone.
    let noted = parts.extensions.get::<Noted>();
    if let Some(noted) = noted {
        noted.caller(caller.app);
    }
    if let Some(rate) = &api.rate {
        let taken = rate.take(&caller.app);
        if let Some(noted) = noted {
            noted.allowance(taken.unwrap_or_else(|empty| empty));
        }
        taken.map_err(NotProven::TooMany)?;
    }
    let fresh = api.nonces.use_once(caller.app, stamps.nonce, stamps.remember_until).await;
    if !fresh.map_err(|error| NotProven::Unavailable(error.into()))? {
        return Err(Refused::NonceUsed.into());
    }
    Ok(Proven { caller, body })
}
