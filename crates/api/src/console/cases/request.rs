//! Extractors for requests of reviewers.

use crate::{
    ApiState,
    console::request::SignedInMember,
    content_moderation::{
        CommandPayload, ModerationApiError, ModerationErrorCode, path,
        query::{self, QueryParameters},
        read_command,
    },
    http::{auth::CallerLookup, body},
};
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};
use base::CaseId;
use db::WriteTx;
use domain::{
    accounts::{ConsoleScope, Principal},
    cases::{CaseKind, ReviewScope, Reviewer},
};
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

/// Enough for a decision, or a queue with its policy.
const MAX_BODY_BYTES: usize = 64 << 10;

/// A request of a member who may decide cases of some kind; `Ids` are the ids of the path, `I` is the query or the body.
pub(in crate::console) struct ReviewerRequest<Ids = (), I = ()> {
    pub(in crate::console) caller: Principal,
    pub(in crate::console) reviewer: Reviewer,
    pub(in crate::console) path: Ids,
    pub(in crate::console) input: I,
}

/// A case.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(in crate::console) struct CasePath {
    /// The case.
    #[serde(rename = "caseId")]
    #[param(rename = "caseId", value_type = Uuid)]
    pub(in crate::console) case: CaseId,
}

/// A body that is read as a command.
pub(in crate::console) struct Command<B: CommandPayload>(pub(in crate::console) B::Command);

impl<Ids: DeserializeOwned + Send> ReviewerRequest<Ids> {
    async fn read(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let SignedInMember { caller, member, account } =
            SignedInMember::from_request_parts(parts, api).await?;
        let kinds: Vec<CaseKind> = [CaseKind::Finding, CaseKind::DocumentCheck, CaseKind::AgeAppeal]
            .into_iter()
            .filter(|kind| match kind.review_scope() {
                ReviewScope::Account(scope) => caller.has_scope(scope),
                ReviewScope::Console(scope) => caller.has_console_scope(scope),
            })
            .collect();
        if kinds.is_empty() {
            let message =
                "one of the scopes notifications:manage, documents:review and ages:review is needed";
            return Err(ModerationApiError::new(ModerationErrorCode::Unauthorized, message));
        }
        let reviewer = Reviewer {
            app: caller.app,
            account: account.id,
            member: member.id,
            name: member.username,
            kinds,
            is_lead: caller.has_console_scope(ConsoleScope::CasesManage),
        };
        let path = path::read(parts, api).await?;
        Ok(Self { caller, reviewer, path, input: () })
    }
}

impl<Ids, I> ReviewerRequest<Ids, I> {
    fn with_input<J>(self, input: J) -> ReviewerRequest<Ids, J> {
        let Self { caller, reviewer, path, .. } = self;
        ReviewerRequest { caller, reviewer, path, input }
    }

    /// Begins a write transaction in which the reviewer acts.
    pub(in crate::console) async fn begin(&self, api: &ApiState) -> Result<WriteTx, ModerationApiError> {
        let mut tx = api.db.write().await?;
        tx.set_actor(self.caller.audit_actor());
        Ok(tx)
    }

    /// Refuses whoever lacks the scope.
    pub(in crate::console) fn require(&self, scope: ConsoleScope) -> Result<(), ModerationApiError> {
        if self.caller.has_console_scope(scope) {
            return Ok(());
        }
        let message = format!("the scope {scope} is needed");
        Err(ModerationApiError::new(ModerationErrorCode::Unauthorized, message))
    }
}

impl<Ids: DeserializeOwned + Send, I: QueryParameters> FromRequestParts<ApiState>
    for ReviewerRequest<Ids, I>
{
    type Rejection = ModerationApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ModerationApiError> {
        let request = ReviewerRequest::<Ids>::read(parts, api).await?;
        let input = query::read(parts, api).await?;
        Ok(request.with_input(input))
    }
}

impl<Ids: DeserializeOwned + Send, B: CommandPayload> FromRequest<ApiState>
    for ReviewerRequest<Ids, Command<B>>
{
    type Rejection = ModerationApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ModerationApiError> {
        let (mut parts, body) = request.into_parts();
        let lookup = CallerLookup::begin(api);
        let request = ReviewerRequest::<Ids>::read(&mut parts, api).await?;
        let raw = body::read(api, &parts, None, body, MAX_BODY_BYTES, "send less at once").await?;
        let request = lookup.renew(api, request, ReviewerRequest::<Ids>::read(&mut parts, api)).await?;
        let command = read_command::<B>(&parts, &raw, api)?;
        Ok(request.with_input(Command(command)))
    }
}
