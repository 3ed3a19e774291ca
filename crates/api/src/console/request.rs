//! Extractors for requests of the console's pages.

use crate::{
    ApiState,
    content_moderation::{
        CommandPayload, ModerationApiError, ModerationErrorCode, authenticate, read_command,
    },
    http::{
        auth::{count_stranger, session_cookie::is_console_request},
        body,
    },
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};
use base::Uuid;
use domain::accounts::{self, Account, Member, Principal, PrincipalKind, members};

/// Enough for a link or an email address.
const MAX_BODY_BYTES: usize = 16 << 10;

/// A request that a page of the console sent for somebody who is not signed in yet. Their network address is counted
/// before the body is read.
pub(super) struct ConsoleRequest<B: CommandPayload> {
    pub(super) command: B::Command,
    /// The key of the caller's network address.
    pub(super) address: Uuid,
}

impl<B: CommandPayload> FromRequest<ApiState> for ConsoleRequest<B> {
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (parts, body) = request.into_parts();
        if !is_console_request(&parts.headers) {
            return Err(ModerationApiError::new(
                ModerationErrorCode::Unauthorized,
                "this is for the console's own pages",
            ));
        }
        count_stranger(api, &parts.headers, &parts.extensions)?;
        let raw = body::read(api, &parts.headers, body, MAX_BODY_BYTES, "send less at once").await?;
        let address = api.geo_locator.rate_limit_key(&parts.headers, &parts.extensions);
        Ok(Self { command: read_command::<B>(&parts, &raw, api)?, address })
    }
}

/// The member who is signed in, and their account.
pub(super) struct SignedInMember {
    pub(super) caller: Principal,
    pub(super) member: Member,
    pub(super) account: Account,
}

impl FromRequestParts<ApiState> for SignedInMember {
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (caller, mut view) = authenticate(api, &parts.headers).await?;
        let PrincipalKind::Member { account, member } = caller.kind else {
            return Err(ModerationApiError::new(ModerationErrorCode::Unauthorized, "nobody is signed in"));
        };
        let over = || {
            ModerationApiError::new(ModerationErrorCode::Unauthorized, "the session is over; sign in again")
        };
        let member = members::find(&mut view, account, member).await?.ok_or_else(over)?;
        let account = accounts::find(&mut view, &caller, account).await?.ok_or_else(over)?;
        Ok(Self { caller, member, account })
    }
}
