//! Extractors of requests: they authenticate and authorise the caller, load the account of the path, and read the
//! input. In this order, so that callers learn nothing about what belongs to others.

use super::{
    ModerationApiError, ModerationErrorCode,
    authentication::{Permission, authenticate},
    created::RefusedItem,
    path::{self, AccountPath, AccountScopedPath},
    query::{self, QueryParameters},
    violations::CommandViolations,
};
use crate::{
    ApiState,
    http::{
        auth::CallerLookup,
        body,
        idempotency::{self, RequestFingerprint, operation_of},
        is_json, json,
    },
};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, request::Parts},
};
use base::{AccountId, AppId, LimitViolation};
use db::WriteTx;
use domain::{
    Violation,
    accounts::{self, Account, Principal},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;

/// How many items one request may have that creates many.
pub(super) const MAX_BULK_ITEMS: usize = 1000;

/// A request about an account, by a caller who has the permission `P` there. `I` is the input besides the path: the
/// parameters of a query, a [`CommandPayload`] as [`ReceivedCommand`], or nothing.
pub(crate) struct AccountRequest<P, Ids = AccountPath, I = ()> {
    pub(super) caller: Principal,
    /// The account of the path.
    pub(super) account: Account,
    /// The ids of the path.
    pub(super) path: Ids,
    pub(super) input: I,
    permission: PhantomData<P>,
}

impl<P: Permission, Ids: AccountScopedPath> AccountRequest<P, Ids> {
    async fn read(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (caller, mut view) = authenticate(api, &parts.headers).await?;
        P::authorise(&caller)?;
        let path: Ids = path::read(parts, api).await?;
        let account = accounts::find(&mut view, &caller, path.account()).await?;
        let account = account.ok_or_else(|| ModerationApiError::not_found("account"))?;
        Ok(Self { caller, account, path, input: (), permission: PhantomData })
    }
}

impl<P, Ids, I> AccountRequest<P, Ids, I> {
    fn with_input<J>(self, input: J) -> AccountRequest<P, Ids, J> {
        let Self { caller, account, path, permission, .. } = self;
        AccountRequest { caller, account, path, input, permission }
    }

    /// Keeps the account from being closed until the transaction ends: nothing is written under one that is being
    /// deleted.
    pub(super) async fn lock_account(&self, tx: &mut WriteTx) -> Result<(), ModerationApiError> {
        if accounts::lock_shared(tx, self.account.id).await? {
            Ok(())
        } else {
            Err(ModerationApiError::not_found("account"))
        }
    }

    /// Begins a write transaction in which the caller acts.
    pub(super) async fn begin(&self, api: &ApiState) -> Result<WriteTx, ModerationApiError> {
        let mut tx = api.db.write().await?;
        tx.set_actor(self.caller.audit_actor());
        Ok(tx)
    }

    /// Begins a write transaction in which the account is locked.
    pub(super) async fn begin_locked(&self, api: &ApiState) -> Result<WriteTx, ModerationApiError> {
        let mut tx = self.begin(api).await?;
        self.lock_account(&mut tx).await?;
        Ok(tx)
    }
}

impl<P: Permission, Ids: AccountScopedPath, I: QueryParameters> FromRequestParts<ApiState>
    for AccountRequest<P, Ids, I>
{
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let request = AccountRequest::<P, Ids>::read(parts, api).await?;
        let input = query::read(parts, api).await?;
        Ok(request.with_input(input))
    }
}

impl<P: Permission, Ids: AccountScopedPath, B: CommandPayload> FromRequest<ApiState>
    for AccountRequest<P, Ids, ReceivedCommand<B>>
{
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (mut parts, body) = request.into_parts();
        let lookup = CallerLookup::begin(api);
        let request = AccountRequest::<P, Ids>::read(&mut parts, api).await?;
        let sent = ReceivedCommand::read(&parts, request.caller.app, body, api).await?;
        let again = AccountRequest::<P, Ids>::read(&mut parts, api);
        Ok(lookup.renew(api, request, again).await?.with_input(sent))
    }
}

/// A body that the operation reads as it arrives.
pub(crate) struct FileBody {
    pub(super) headers: HeaderMap,
    pub(super) body: Body,
}

impl<P: Permission, Ids: AccountScopedPath> FromRequest<ApiState> for AccountRequest<P, Ids, FileBody> {
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (mut parts, body) = request.into_parts();
        let request = AccountRequest::<P, Ids>::read(&mut parts, api).await?;
        Ok(request.with_input(FileBody { headers: parts.headers, body }))
    }
}

impl<P, Ids, B: CommandPayload> AccountRequest<P, Ids, ReceivedCommand<B>> {
    /// What a repeat of this request is recognised by.
    pub(super) fn fingerprint(&self) -> RequestFingerprint<'_> {
        self.input.fingerprint(self.caller.app, Some(self.account.id), self.caller.audit_actor())
    }
}

/// A request of an application, by an API key with the permission `P`; members of an account are refused. It is not
/// about an existing account.
pub(crate) struct ApplicationRequest<P, Ids, I = ()> {
    pub(super) app: AppId,
    actor: String,
    /// The ids of the path.
    pub(super) path: Ids,
    pub(super) input: I,
    permission: PhantomData<P>,
}

impl<P: Permission, Ids: DeserializeOwned + Send> ApplicationRequest<P, Ids> {
    async fn read(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (caller, _) = authenticate(api, &parts.headers).await?;
        P::authorise(&caller)?;
        if caller.account().is_some() {
            return Err(ModerationApiError::new(
                ModerationErrorCode::Unauthorized,
                "only an API key may do this",
            ));
        }
        let path = path::read(parts, api).await?;
        let actor = caller.audit_actor();
        Ok(Self { app: caller.app, actor, path, input: (), permission: PhantomData })
    }
}

impl<P: Permission, Ids: DeserializeOwned + Send> FromRequestParts<ApiState> for ApplicationRequest<P, Ids> {
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        Self::read(parts, api).await
    }
}

impl<P: Permission, Ids: DeserializeOwned + Send, B: CommandPayload> FromRequest<ApiState>
    for ApplicationRequest<P, Ids, ReceivedCommand<B>>
{
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (mut parts, body) = request.into_parts();
        let lookup = CallerLookup::begin(api);
        let request = ApplicationRequest::<P, Ids>::read(&mut parts, api).await?;
        let input = ReceivedCommand::read(&parts, request.app, body, api).await?;
        let again = ApplicationRequest::<P, Ids>::read(&mut parts, api);
        let ApplicationRequest { app, actor, path, permission, .. } =
            lookup.renew(api, request, again).await?;
        Ok(Self { app, actor, path, input, permission })
    }
}

impl<P, Ids, B: CommandPayload> ApplicationRequest<P, Ids, ReceivedCommand<B>> {
    /// What a repeat of this request is recognised by.
    pub(super) fn fingerprint(&self) -> RequestFingerprint<'_> {
        self.input.fingerprint(self.app, None, self.actor.clone())
    }
}

/// A body that is read as a command.
pub(crate) trait CommandPayload: DeserializeOwned {
    /// The command, in the domain's types.
    type Command: Send;

    /// The longest body, in bytes: by default room for a face of ten megabytes in base64.
    const MAX_BODY_BYTES: usize = 16 << 20;

    /// Whether the operation's document allows one Content-Type only.
    const REQUIRES_JSON_CONTENT_TYPE: bool = false;

    /// Reads the body as a command, and records everything that is missing or wrong. `None` only if something was
    /// recorded.
    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<Self::Command>;
}

/// A body that was read, whatever its Content-Type says.
pub(crate) struct ReceivedCommand<B: CommandPayload> {
    pub(super) command: B::Command,
    operation: String,
    idempotency_key: Option<String>,
    raw: Bytes,
}

impl<B: CommandPayload> ReceivedCommand<B> {
    async fn read(parts: &Parts, app: AppId, body: Body, api: &ApiState) -> Result<Self, ModerationApiError> {
        let idempotency_key = idempotency::idempotency_key(&parts.headers)?;
        let raw = body::read(api, parts, Some(app), body, B::MAX_BODY_BYTES, "send less at once").await?;
        let command = read_command::<B>(parts, &raw, api)?;
        Ok(Self { command, operation: operation_of(parts), idempotency_key, raw })
    }

    fn fingerprint(&self, app: AppId, account: Option<AccountId>, actor: String) -> RequestFingerprint<'_> {
        let (operation, key) = (self.operation.as_str(), self.idempotency_key.as_deref());
        RequestFingerprint { app, account, operation, key, body: &self.raw, actor }
    }
}

/// Reads a body as a command; a refusal lists everything that is wrong.
pub(crate) fn read_command<B: CommandPayload>(
    parts: &Parts,
    raw: &[u8],
    api: &ApiState,
) -> Result<B::Command, ModerationApiError> {
    // No body counts as an empty object, for operations that need no member.
    let (read, violations) = json::parse_lenient::<B>(if raw.is_empty() { b"{}" } else { raw })?;
    let mut violations = CommandViolations::from(violations);
    if B::REQUIRES_JSON_CONTENT_TYPE && !is_json(&parts.headers) {
        violations.push(Violation::new("Content-Type", "it must be application/json"));
    }
    let command = read.into_command(api, &mut violations);
    violations.into_result(command)
}

/// Reads the items of a request that creates many. Each is a command or a refusal of its own, whose paths begin at the item; a
/// violation is recorded only if there are none, or too many.
pub(super) fn read_items<B: CommandPayload>(
    api: &ApiState,
    violations: &mut CommandViolations,
    path: &'static str,
    items: Option<Vec<Value>>,
) -> Option<Vec<Result<B::Command, RefusedItem>>> {
    let items = violations.required(path, items)?;
    if items.is_empty() {
        violations.push(Violation::new(path, "it is empty"));
    } else if items.len() > MAX_BULK_ITEMS {
        let limit = format!("at most {MAX_BULK_ITEMS} items");
        let measured = LimitViolation::new(items.len() as f64, limit, "send several requests");
        violations.push(Violation::with_limit(path, format!("it has {} items", items.len()), measured));
        return None;
    }
    let read = |item| -> Result<B::Command, ModerationApiError> {
        let (payload, violations) = json::read_lenient::<B>(item)?;
        let mut violations = CommandViolations::from(violations);
        let command = payload.into_command(api, &mut violations);
        violations.into_result(command)
    };
    Some(items.into_iter().map(|item| read(item).map_err(Into::into)).collect())
}
