//! Which records of the audit trail.

use crate::{
    console::request::ConsoleCall,
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString},
    },
};
use base::{AccountId, AppId, Timestamp};
use domain::audit_trail::AuditFilter;
use utoipa::IntoParams;

/// Which records; those that every parameter fits.
#[derive(Clone, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct AuditQuery {
    /// Only what this actor did, such as `member:018f…`, or any of a kind: `operator`, `api-key`, `member`, `application`, `system`.
    #[param(max_length = 100)]
    actor: Option<String>,
    /// Only this, such as `api-key.create`, or anything done to a thing, such as `api-key`.
    #[param(max_length = 100)]
    action: Option<String>,
    /// Only what was done to the thing of this id.
    #[param(max_length = 100)]
    target: Option<String>,
    /// Only what concerns this application.
    #[param(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// Only what concerns this moderation account. Members see what concerns theirs, whether or not it is named.
    #[param(value_type = Option<Uuid>)]
    account_id: Option<AccountId>,
    /// Only what was done at or after this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Only what was done before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

impl QueryParameters for AuditQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        Some(Self {
            actor: query.get("actor").map(str::to_owned),
            action: query.get("action").map(str::to_owned),
            target: query.get("target").map(str::to_owned),
            application_id: query.read("application_id", "a UUID", violations),
            account_id: query.read("account_id", "a UUID", violations),
            from: query.moment("from", violations),
            to: query.moment("to", violations),
        })
    }
}

impl AuditQuery {
    /// The records that a caller may see, of those that they ask for. To a member other accounts and applications are not
    /// there.
    pub(super) fn filter<P, Ids, I>(
        &self,
        call: &ConsoleCall<P, Ids, I>,
    ) -> Result<AuditFilter, ModerationApiError> {
        let own = call.own_account();
        if own.zip(self.account_id).is_some_and(|(own, asked)| own != asked) {
            return Err(ModerationApiError::not_found("account"));
        }
        if call.own_application().zip(self.application_id).is_some_and(|(own, asked)| own != asked) {
            return Err(ModerationApiError::not_found("application"));
        }
        Ok(AuditFilter {
            from: self.from,
            to: self.to,
            actor: self.actor.clone(),
            kind: self.action.clone(),
            // Records about an account need not name its application.
            app: self.application_id.filter(|_| own.is_none()),
            account: own.or(self.account_id),
            target: self.target.clone(),
        })
    }
}
