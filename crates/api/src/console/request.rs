//! What the console's pages send.

use super::cookie;
use crate::{
    Api,
    http::body,
    moderation::{Code, Payload, Problem, authenticate, read_command},
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};
use domain::accounts::{self, Account, Actor, Member, Who, members};

/// A link or an address.
const MAX_BODY_BYTES: usize = 16 << 10;

/// A body that a page of the console sent for somebody who is not in yet.
pub(super) struct ConsoleRequest<B: Payload>(pub(super) B::Command);

impl<B: Payload> FromRequest<Api> for ConsoleRequest<B> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if !cookie::is_console(&parts.headers) {
            return Err(Problem::new(Code::Unauthorized, "this is for the console's own pages"));
        }
        let patience = api.settings.body_timeout;
        let raw = body::read(&parts.headers, body, MAX_BODY_BYTES, patience, "send less at once").await?;
        Ok(Self(read_command::<B>(&parts, &raw, api)?))
    }
}

/// Somebody who is signed in.
pub(super) struct SignedIn {
    pub(super) caller: Actor,
    pub(super) member: Member,
    pub(super) account: Account,
}

impl FromRequestParts<Api> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let (caller, mut view) = authenticate(api, &parts.headers).await?;
        let Who::Member { account, member } = caller.who else {
            return Err(Problem::new(Code::Unauthorized, "nobody is signed in"));
        };
        let over = || Problem::new(Code::Unauthorized, "the session is over; sign in again");
        let member = members::find(&mut view, account, member).await?.ok_or_else(over)?;
        let account = accounts::find(&mut view, &caller, account).await?.ok_or_else(over)?;
        Ok(Self { caller, member, account })
    }
}
