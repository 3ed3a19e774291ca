//! `GET /console/verification-sessions`

use super::record::VerificationSessionBody;
use crate::{
    ApiState,
    console::{
        SessionListErrors,
        list_position::{ITEMS_PER_LIST, ListPosition, POSITION_WORDS, cut_page},
        permissions::SessionsView,
        request::{ConsoleCall, ConsoleQuery},
    },
    content_moderation::{
        CommandViolations, ModerationApiError,
        query::{QueryParameters, QueryString, one_of},
    },
};
use axum::{Json, extract::State};
use base::{AppId, Timestamp};
use domain::{
    Violation,
    session_steps::{SessionKind, SessionStepOutcome},
    verification_sessions::{SessionCursor, SessionFilter},
};
use utoipa::{IntoParams, ToSchema};

/// The longest reference that is looked for, characters.
const MAX_REFERENCE_CHARS: usize = 200;

/// Which sessions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::console) struct VerificationSessionQuery {
    /// Only sessions of this application. Members see those of the application that their account belongs to.
    #[param(value_type = Option<Uuid>)]
    application_id: Option<AppId>,
    /// Only sessions of this kind.
    #[param(value_type = Option<SessionKind>)]
    kind: Option<SessionKind>,
    /// Only sessions in this state, as their interface says it.
    #[param(max_length = 20, example = "FAIL")]
    state: Option<String>,
    /// Only sessions that ended so.
    #[param(value_type = Option<SessionStepOutcome>)]
    outcome: Option<SessionStepOutcome>,
    /// Only sessions of the sandbox, or only others.
    sandbox: Option<bool>,
    /// Only sessions in which this method, kind of document or check was begun.
    #[param(max_length = 64, example = "AGE_ESTIMATION")]
    step: Option<String>,
    /// Only sessions that the application gave this reference, or whose person it gave this reference: `reference_id`,
    /// `account_id`, `user_tracking_id`, `subject_id`. Operators name the application as well.
    #[param(min_length = 1, max_length = 200)]
    reference: Option<String>,
    /// Only sessions created at or after this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    created_from: Option<Timestamp>,
    /// Only sessions created before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    created_before: Option<Timestamp>,
    /// Where the list goes on: the member `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<ListPosition>,
}

impl QueryParameters for VerificationSessionQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let reference: Option<String> = query.read("reference", "a text", violations);
        let chars = reference.as_ref().map_or(1, |text| text.chars().count());
        if !(1..=MAX_REFERENCE_CHARS).contains(&chars) {
            let words = format!("it has 1 to {MAX_REFERENCE_CHARS} characters, not {chars}");
            violations.push(Violation::new("reference", words));
        }
        Some(Self {
            application_id: query.read("application_id", "a UUID", violations),
            kind: query.read("kind", one_of(SessionKind::VARIANTS), violations),
            state: query.read("state", "a text", violations),
            outcome: query.read("outcome", one_of(SessionStepOutcome::VARIANTS), violations),
            sandbox: query.read("sandbox", "true or false", violations),
            step: query.read("step", "a text", violations),
            reference,
            created_from: query.moment("created_from", violations),
            created_before: query.moment("created_before", violations),
            after: query.read("after", POSITION_WORDS, violations),
        })
    }
}

/// A page of sessions.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct VerificationSessionList {
    /// The newest first.
    #[schema(max_items = 50)]
    sessions: Vec<VerificationSessionBody>,
    /// For `after` of the next page. Absent: this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// List sessions of document and age verification.
///
/// No picture, no field of a document and no name is in it. Sessions that an older version of the server made are found
/// without `outcome`, `step` and `reference`.
#[utoipa::path(
    get, path = "/console/verification-sessions", tag = "verification-sessions", security(("session" = [], "console" = [])),
    params(VerificationSessionQuery),
    responses((status = 200, description = "A page of them.", body = VerificationSessionList), SessionListErrors),
)]
pub(in crate::console) async fn list_verification_sessions(
    State(api): State<ApiState>,
    call: ConsoleCall<SessionsView, (), ConsoleQuery<VerificationSessionQuery>>,
) -> Result<Json<VerificationSessionList>, ModerationApiError> {
    let query = &call.input.0;
    let mut view = api.db.read().await?;
    let app = call.narrow_to(&mut view, query.application_id).await?;
    if query.reference.is_some() && app.is_none() {
        let words = "a reference belongs to an application; name it";
        return Err(vec![Violation::new("application_id", words)].into());
    }
    let filter = SessionFilter {
        app,
        kind: query.kind,
        state: query.state.clone(),
        outcome: query.outcome,
        sandbox: query.sandbox,
        step: query.step.clone(),
        reference: query.reference.clone(),
        created_from: query.created_from,
        created_before: query.created_before,
    };
    let cursor = query.after.map(|after| SessionCursor { created_at: after.at, id: after.id });
    let mut found = api.verification_sessions.list(&mut view, &filter, cursor, ITEMS_PER_LIST + 1).await?;
    let next = cut_page(&mut found, |last| ListPosition { at: last.created_at, id: last.id });
    let sessions = found.into_iter().map(VerificationSessionBody::from).collect();
    Ok(Json(VerificationSessionList { sessions, next }))
}
