//! The signed-request guard, over the raw bytes (decisions, section 1).

use crate::{
    Api,
    ai::{Code, Problem},
    wire::{self, DeviceMeta, Noted, signed, text},
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::HeaderMap,
};
use domain::tenancy::{
    Feature, OrgStatus,
    caller::{self, Caller},
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

    /// The checks stand in the order of interface 2's table, so that one defect gives exactly its code. The body is
    /// read only for a caller that exists.
    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let id = text(&parts.headers, api.wire.auth_id());
        let caller = {
            let mut view = api.db.read().await.map_err(|error| Problem::unavailable(&error))?;
            caller::identify(&mut view, id).await.map_err(|error| Problem::from(error).branded(&api.wire))?
        };
        let signature = signed_request::parse_digest(text(&parts.headers, api.wire.auth_digest()))
            .map_err(|error| Problem::from(error).branded(&api.wire))?;
        let clock = Clock {
            now: api.world.now(),
            max_skew: api.settings.max_clock_skew,
            unclocked: caller.unclocked,
        };
        let stamps = clock.read(parts.uri.query())?;

        let (limit, patience) = (api.settings.body_bytes, api.settings.body_timeout);
        let body = wire::body::read(&parts.headers, body, limit, patience, "send a smaller image").await?;
        signed_request::verify(&caller.keys, &signed(&parts.method, &parts.uri, &body), &signature)?;
        if caller.org_status != OrgStatus::Active {
            return Err(Problem::new(Code::InvalidOrgStatus, "the organisation is suspended"));
        }
        // Only now: a quota is used up and a nonce burnt by their owner alone.
        let noted = parts.extensions.get::<Noted>();
        if let Some(noted) = noted {
            noted.caller(caller.app);
        }
        if let Some(rate) = &api.rate {
            let taken = rate.take(caller.app);
            if let Some(noted) = noted {
                noted.allowance(taken.unwrap_or_else(|empty| empty));
            }
            taken.map_err(Problem::too_many)?;
        }
        let fresh = api.nonces.use_once(caller.app, stamps.nonce, stamps.remember_until).await;
        if !fresh.map_err(|error| Problem::unavailable(&error))? {
            return Err(Refused::NonceUsed.into());
        }
        let device = parts.headers.get(api.wire.device_meta());
        let device = device.map(|meta| DeviceMeta::read(meta.as_bytes(), api.wire.device_meta().as_str()));
        Ok(Self { caller, headers: parts.headers, body, device: device.transpose()? })
    }
}
