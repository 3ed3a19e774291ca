//! Extractors for requests of the console's pages. They authenticate the caller, require what the operation's type says,
//! and read path and body, in this order.

use super::permissions::ConsolePermission;
use crate::{
    ApiState,
    content_moderation::{
        CommandPayload, ModerationApiError, ModerationErrorCode, authenticate,
        query::{self, QueryParameters},
        read_command, read_path,
    },
    http::{
        auth::{
            CallerLookup, count_console_session, count_stranger,
            session_cookie::{is_console_request, session_cookie},
        },
        body, header_text, request_context,
    },
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header, request::Parts},
};
use base::{AccountId, AppId, Uuid};
use db::{ReadTx, WriteTx};
use domain::{
    accounts::{self, Account, Member, Principal, PrincipalKind, members},
    authentication::{
        CredentialHolder,
        sessions::{BrowserFamily, SessionClient},
    },
    console::{ConsoleCaller, ConsolePerson},
    operators::Operator,
    tenancy::applications,
};
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

/// Enough for the answer of a passkey, with the challenge that it answers.
const MAX_BODY_BYTES: usize = 64 << 10;

/// A request that a page of the console sent for somebody who is not signed in yet. Their network address is counted
/// before the body is read.
pub(super) struct ConsoleRequest<B: CommandPayload> {
    pub(super) command: B::Command,
    /// The key of the caller's network address.
    pub(super) address: Uuid,
    /// What is kept of the browser with a session.
    pub(super) client: SessionClient,
    /// The session that the browser had before.
    pub(super) session: Option<String>,
}

impl<B: CommandPayload> FromRequest<ApiState> for ConsoleRequest<B> {
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (parts, body) = request.into_parts();
        count_console_page(api, &parts)?;
        let raw = body::read(api, &parts, None, body, MAX_BODY_BYTES, "send less at once").await?;
        let address = api.geo_locator.rate_limit_key(&parts.headers, &parts.extensions);
        let session = session_cookie(api, &parts.headers).map(str::to_owned);
        let client = session_client(api, &parts);
        Ok(Self { command: read_command::<B>(&parts, &raw, api)?, address, client, session })
    }
}

/// A request without a body of somebody who is not signed in yet.
pub(super) struct StrangerRequest {
    /// The session that the browser had before.
    pub(super) session: Option<String>,
}

impl FromRequestParts<ApiState> for StrangerRequest {
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        count_console_page(api, parts)?;
        Ok(Self { session: session_cookie(api, &parts.headers).map(str::to_owned) })
    }
}

fn count_console_page(api: &ApiState, parts: &Parts) -> Result<(), ModerationApiError> {
    if !is_console_request(&parts.headers) {
        return Err(ModerationApiError::new(
            ModerationErrorCode::Unauthorized,
            "this is for the console's own pages",
        ));
    }
    Ok(count_stranger(api, &parts.headers, &parts.extensions)?)
}

/// What is kept of the browser that sends a request.
pub(super) fn session_client(api: &ApiState, parts: &Parts) -> SessionClient {
    let agent = header_text(&parts.headers, &header::USER_AGENT).unwrap_or_default();
    SessionClient {
        browser: BrowserFamily::of_user_agent(agent),
        network: api.geo_locator.coarse_network(&parts.headers, &parts.extensions),
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
            return Err(nobody());
        };
        let over = || {
            ModerationApiError::new(ModerationErrorCode::Unauthorized, "the session is over; sign in again")
        };
        let member = members::find(&mut view, account, member).await?.ok_or_else(over)?;
        let account = accounts::find(&mut view, &caller, account).await?.ok_or_else(over)?;
        Ok(Self { caller, member, account })
    }
}

/// A request of somebody who is signed in and has the permission `P`. `Ids` are the ids of the path, `I` is what was read of
/// the body.
pub(super) struct ConsoleCall<P, Ids = (), I = ()> {
    pub(super) caller: ConsoleCaller,
    pub(super) path: Ids,
    pub(super) input: I,
    permission: PhantomData<P>,
}

/// The query string of a [`ConsoleCall`].
pub(super) struct ConsoleQuery<Q>(pub(super) Q);

/// The body of a [`ConsoleCall`], read as a command.
pub(super) struct ConsoleCommand<B: CommandPayload>(pub(super) B::Command);

impl<P: ConsolePermission, Ids: DeserializeOwned + Send> ConsoleCall<P, Ids> {
    async fn read(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let caller = authenticate_session(api, &parts.headers).await?;
        P::authorise(&caller)?;
        let path = read_path(parts, api).await?;
        Ok(Self { caller, path, input: (), permission: PhantomData })
    }
}

impl<P, Ids, I> ConsoleCall<P, Ids, I> {
    /// Whose session it is.
    pub(super) fn holder(&self) -> CredentialHolder {
        self.caller.holder()
    }

    /// Begins a write transaction in which the caller acts.
    pub(super) async fn begin(&self, api: &ApiState) -> Result<WriteTx, ModerationApiError> {
        let mut tx = api.db.write().await?;
        tx.set_actor(self.holder().audit_actor());
        Ok(tx)
    }

    /// The only application whose things the caller may see: of a member, that of their account; `None` for operators, who
    /// see those of all.
    pub(super) fn own_application(&self) -> Option<AppId> {
        match &self.caller.person {
            ConsolePerson::Member { principal, .. } => Some(principal.app),
            ConsolePerson::Operator(_) => None,
        }
    }

    /// The only account whose records the caller may see: of a member, their own; `None` for operators.
    pub(super) fn own_account(&self) -> Option<AccountId> {
        match &self.caller.person {
            ConsolePerson::Member { account, .. } => Some(account.id),
            ConsolePerson::Operator(_) => None,
        }
    }

    /// Refuses an application that is not there, or that the caller may not see, alike.
    pub(super) async fn require_application(
        &self,
        view: &mut ReadTx,
        app: AppId,
    ) -> Result<(), ModerationApiError> {
        if self.own_application().is_some_and(|own| own != app) {
            return Err(ModerationApiError::not_found(&format!("application {app}")));
        }
        Ok(applications::ensure_exists(view, app).await?)
    }

    /// The application that a list is about: the one asked for, if the caller may see it, or else [`Self::own_application`].
    pub(super) async fn narrow_to(
        &self,
        view: &mut ReadTx,
        asked: Option<AppId>,
    ) -> Result<Option<AppId>, ModerationApiError> {
        if let Some(app) = asked {
            self.require_application(view, app).await?;
        }
        Ok(asked.or(self.own_application()))
    }

    /// The operator who calls. A permission of operators has let them in, so there is one.
    pub(super) fn operator(&self) -> Result<&Operator, ModerationApiError> {
        match &self.caller.person {
            ConsolePerson::Operator(operator) => Ok(operator),
            ConsolePerson::Member { .. } => Err(nobody()),
        }
    }
}

impl<P: ConsolePermission, Ids: DeserializeOwned + Send> FromRequestParts<ApiState> for ConsoleCall<P, Ids> {
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        Self::read(parts, api).await
    }
}

impl<P: ConsolePermission, Ids: DeserializeOwned + Send, Q: QueryParameters> FromRequestParts<ApiState>
    for ConsoleCall<P, Ids, ConsoleQuery<Q>>
{
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let ConsoleCall { caller, path, permission, .. } = ConsoleCall::<P, Ids>::read(parts, api).await?;
        let input = ConsoleQuery(query::read(parts, api).await?);
        Ok(Self { caller, path, input, permission })
    }
}

impl<P: ConsolePermission, Ids: DeserializeOwned + Send, B: CommandPayload> FromRequest<ApiState>
    for ConsoleCall<P, Ids, ConsoleCommand<B>>
{
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (mut parts, body) = request.into_parts();
        let lookup = CallerLookup::begin(api);
        let call = ConsoleCall::<P, Ids>::read(&mut parts, api).await?;
        let raw = body::read(api, &parts, None, body, MAX_BODY_BYTES, "send less at once").await?;
        let again = ConsoleCall::<P, Ids>::read(&mut parts, api);
        let ConsoleCall { caller, path, permission, .. } = lookup.renew(api, call, again).await?;
        let input = ConsoleCommand(read_command::<B>(&parts, &raw, api)?);
        Ok(Self { caller, path, input, permission })
    }
}

/// Whose session it is, and counts the call.
async fn authenticate_session(
    api: &ApiState,
    headers: &HeaderMap,
) -> Result<ConsoleCaller, ModerationApiError> {
    let token = session_cookie(api, headers).ok_or_else(nobody)?;
    let caller = api.console_access.authenticate(token).await?;
    count_console_session(api, caller.holder().id)?;
    if let ConsolePerson::Member { principal, member, account } = &caller.person {
        request_context::note_application(principal.app);
        request_context::note_member(account.id, member.id);
    }
    Ok(caller)
}

fn nobody() -> ModerationApiError {
    ModerationApiError::new(ModerationErrorCode::Unauthorized, "nobody is signed in")
}
