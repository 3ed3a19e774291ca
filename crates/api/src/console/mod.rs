//! Operations for the console's pages besides content moderation: sessions of members, and sign-in links. Refusals have
//! the form of the moderation interface; that one knows nothing of the console.
//!
//! They have an OpenAPI document of their own: businesses never call them, and the pages' types are generated from it.

mod begin_session;
mod cases;
mod end_session;
mod get_session;
mod queues;
mod request;
mod session;
mod sign_in;

use crate::{
    ApiState,
    content_moderation::{self, ModerationErrorCode},
    http::{auth::session_cookie::INSECURE_COOKIE_NAME, error::error_responses, panic},
};
use utoipa::openapi::{
    OpenApi,
    security::{ApiKey, ApiKeyValue, SecurityScheme},
};
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(panic::catch_panics::<ModerationErrorCode>())
}

/// Operations of reviewers.
const CASE_CODES: &[ModerationErrorCode] = &[
    ModerationErrorCode::Unauthorized,
    ModerationErrorCode::TooManyRequests,
    ModerationErrorCode::Unavailable,
];
/// Of these, those with a body.
const CASE_BODY_CODES: &[ModerationErrorCode] =
    &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge];

error_responses! {
    ModerationErrorCode;
    GetConsoleSessionErrors: &[ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
    BeginConsoleSessionErrors: &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge, ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
    SignInLinkErrors: &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge, ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
    CaseReadErrors: CASE_CODES, &[ModerationErrorCode::NotFound];
    CaseListErrors: CASE_CODES, &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PageOutOfRange];
    CaseChangeErrors: CASE_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::CaseNotHeld];
    CaseCommandErrors: CASE_CODES, CASE_BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::CaseNotHeld];
    CaseClaimErrors: CASE_CODES, CASE_BODY_CODES, &[ModerationErrorCode::ExposureBudgetUsedUp];
    CaseRenewErrors: CASE_CODES, CASE_BODY_CODES;
    CaseUndoErrors: CASE_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::CaseNotHeld, ModerationErrorCode::DecisionSettled];
    CaseBesideErrors: CASE_CODES, CASE_BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    CaseAppealErrors: CASE_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    QueueCommandErrors: CASE_CODES, CASE_BODY_CODES, &[ModerationErrorCode::NotFound];
    EndConsoleSessionErrors: &[ModerationErrorCode::Unauthorized, ModerationErrorCode::TooManyRequests, ModerationErrorCode::Unavailable];
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_session::get_session, begin_session::begin_session, end_session::end_session))
        .routes(routes!(sign_in::ask_for_link))
        .routes(routes!(cases::claim::claim_cases))
        .routes(routes!(cases::renew::renew_leases))
        .routes(routes!(cases::list::list_cases))
        .routes(routes!(cases::get::get_case))
        .routes(routes!(cases::picture::get_picture))
        .routes(routes!(cases::record_views::record_views))
        .routes(routes!(cases::release::release_case))
        .routes(routes!(cases::hold::hold_case))
        .routes(routes!(cases::assign::assign_case))
        .routes(routes!(cases::decide::decide_case, cases::undo::undo_decision))
        .routes(routes!(cases::golden::create_golden_case))
        .routes(routes!(cases::appeal::create_appeal))
        .routes(routes!(cases::quality::reviewer_quality))
        .routes(routes!(queues::list::list_queues, queues::create::create_queue))
        .routes(routes!(queues::change::change_queue, queues::delete::delete_queue))
}

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = operations().split_for_parts().1;
    let components = document.components.get_or_insert_default();
    content_moderation::add_error_schemas(components);
    let session = "A session. Over https the cookie is called `__Host-assay-session`.";
    let session = ApiKey::Cookie(ApiKeyValue::with_description(INSECURE_COOKIE_NAME, session));
    components.add_security_scheme("session", SecurityScheme::ApiKey(session));
    let page = "`1`: what the console's own pages send with each call, and forms of other sites cannot.";
    let page = ApiKey::Header(ApiKeyValue::with_description("X-Assay-Console", page));
    components.add_security_scheme("console", SecurityScheme::ApiKey(page));
    document
}
