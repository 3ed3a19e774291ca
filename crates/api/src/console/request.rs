//! Extractors for requests of the console's pages.

use crate::{
    ApiState,
    content_moderation::{
        CommandPayload, ModerationApiError, ModerationErrorCode, authenticate, read_command,
    },
    http::{auth::session_cookie::is_console_request, body},
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};
use domain::accounts::{self, Account, Member, Principal, PrincipalKind, members};

/// Enough for a link or an email address.
const MAX_BODY_BYTES: usize = 16 << 10;

/// The body of a request that a page of the console sent for somebody who is not signed in yet.
pub(super) struct ConsoleRequest<B: CommandPayload>(pub(super) B::Command);

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
        let timeout = api.settings.body_timeout;
        let raw = body::read(&parts.headers, body, MAX_BODY_BYTES, timeout, "send less at once").await?;
        Ok(Self(read_command::<B>(&parts, &raw, api)?))
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
