//! Operations for the console's pages besides content moderation: who comes in and how, and what operators do. Refusals
//! have the form of the moderation interface; that one knows nothing of the console.
//!
//! They have an OpenAPI document of their own: businesses never call them, and the pages' types are generated from it.
//!
//! - `request`, `permissions`: extractors; each operation names in its type what it demands of the caller
//! - `begin_session`, `end_session`, `get_session`, `sign_in`, `sign_in_ways`, `oidc_callback`: coming in and going out
//! - `credentials`, `passkeys`, `sessions`: what somebody signs in with, and where they are signed in
//! - `member_roles`: roles of an account, and what its members have of the console
//! - `operators`, `operator_roles`, `tenants`, `approvals`: for operators
//! - `deliveries`: webhooks, for operators and for integrators of an application
//! - `jobs`: the queue of the server's own work
//! - `audit`: the audit trail and deletion receipts
//! - `health`, `settings`, `models`, `providers`, `trust`: how the server is, and what it is made of
//! - `resources`: what operations share in one process
//! - `cases`, `queues`: what reviewers decide
//! - `verification_sessions`: sessions of document and age verification
//! - `usage`, `requests`, `sandbox`: for integrators, of their application

mod approvals;
mod audit;
mod begin_session;
mod cases;
mod credentials;
mod deliveries;
mod end_session;
mod get_session;
mod health;
mod jobs;
mod list_position;
mod member_roles;
mod models;
mod oidc_callback;
mod operator_roles;
mod operators;
mod passkeys;
mod permissions;
mod providers;
mod queues;
mod reports;
mod request;
mod requests;
mod resources;
mod sandbox;
mod session;
mod sessions;
mod settings;
mod sign_in;
mod sign_in_ways;
mod tenant_changes;
mod tenants;
mod trust;
mod usage;
mod verification_sessions;

pub use resources::ConsoleResources;
pub use settings::{SettingInForce, SettingSource};

use crate::{
    ApiState,
    content_moderation::{self, ModerationErrorCode},
    http::{auth::session_cookie::INSECURE_COOKIE_NAME, error::error_responses, panic, routes::routes},
};
use utoipa::openapi::{
    OpenApi,
    security::{ApiKey, ApiKeyValue, SecurityScheme},
};
use utoipa_axum::router::OpenApiRouter;

pub(crate) fn router() -> OpenApiRouter<ApiState> {
    operations().layer(panic::catch_panics::<ModerationErrorCode>())
}

/// Operations that know whom they are for.
const SESSION_CODES: &[ModerationErrorCode] = &[
    ModerationErrorCode::Unauthorized,
    ModerationErrorCode::TooManyRequests,
    ModerationErrorCode::Unavailable,
];
/// Operations with a body.
const BODY_CODES: &[ModerationErrorCode] =
    &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PayloadTooLarge];

error_responses! {
    ModerationErrorCode;
    CaseReadErrors: SESSION_CODES, &[ModerationErrorCode::NotFound];
    CaseListErrors: SESSION_CODES, &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::PageOutOfRange];
    CaseChangeErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::CaseNotHeld];
    CaseCommandErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::CaseNotHeld];
    CaseClaimErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::ExposureBudgetUsedUp];
    CaseRenewErrors: SESSION_CODES, BODY_CODES;
    CaseUndoErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::CaseNotHeld, ModerationErrorCode::DecisionSettled];
    CaseBesideErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    CaseAppealErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    SessionListErrors: SESSION_CODES, &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::NotFound];
    SessionReadErrors: SESSION_CODES, &[ModerationErrorCode::NotFound];
    SessionChangeErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    QueueCommandErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound];
    GetConsoleSessionErrors: SESSION_CODES;
    EndConsoleSessionErrors: SESSION_CODES;
    SignInMethodErrors: SESSION_CODES;
    BeginProviderSignInErrors: SESSION_CODES;
    BeginConsoleSessionErrors: SESSION_CODES, BODY_CODES;
    SignInLinkErrors: SESSION_CODES, BODY_CODES;
    ChoiceErrors: SESSION_CODES, BODY_CODES;
    SecondFactorErrors: SESSION_CODES, BODY_CODES;
    PasskeyPromptErrors: SESSION_CODES, &[ModerationErrorCode::Conflict];
    ChangeCredentialErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    NamedCredentialErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    SessionPathErrors: SESSION_CODES, &[ModerationErrorCode::NotFound];
    OperatorListErrors: SESSION_CODES;
    OperatorPathErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict, ModerationErrorCode::LastAdministrator];
    OperatorChangeErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict, ModerationErrorCode::LastAdministrator];
    OperatorCreationErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    RolePathErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    RoleChangeErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    ApprovalDecisionErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict, ModerationErrorCode::InvalidRequest, ModerationErrorCode::LastAdministrator];
    TenantListErrors: SESSION_CODES, &[ModerationErrorCode::NotFound];
    RecordListErrors: SESSION_CODES, &[ModerationErrorCode::InvalidRequest, ModerationErrorCode::NotFound];
    RecordChangeErrors: SESSION_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    RecordCommandErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound];
    AuditVerificationErrors: SESSION_CODES;
    ProviderTestErrors: SESSION_CODES, &[ModerationErrorCode::NotFound];
    SandboxReadErrors: SESSION_CODES;
    SandboxCommandErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
    TenantCreationErrors: SESSION_CODES, BODY_CODES, &[ModerationErrorCode::NotFound, ModerationErrorCode::Conflict];
}

fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_session::get_session, begin_session::begin_session, end_session::end_session))
        .routes(routes!(credentials::present_second_factor))
        .routes(routes!(sign_in_ways::sign_in_methods))
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
        .routes(routes!(cases::assignees::list_assignees))
        .routes(routes!(cases::decide::decide_case, cases::undo::undo_decision))
        .routes(routes!(cases::golden::create_golden_case))
        .routes(routes!(cases::appeal::create_appeal))
        .routes(routes!(cases::quality::reviewer_quality))
        .routes(routes!(verification_sessions::list::list_verification_sessions))
        .routes(routes!(verification_sessions::funnel::session_funnel))
        .routes(routes!(
            verification_sessions::get::get_verification_session,
            verification_sessions::redact::redact_verification_session
        ))
        .routes(routes!(verification_sessions::cancel::cancel_verification_session))
        .routes(routes!(queues::list::list_queues, queues::create::create_queue))
        .routes(routes!(queues::change::change_queue, queues::delete::delete_queue))
        .routes(routes!(sign_in_ways::begin_passkey_sign_in))
        .routes(routes!(sign_in_ways::begin_provider_sign_in))
        .routes(routes!(sign_in_ways::sign_in_choices))
        .routes(routes!(oidc_callback::oidc_callback))
        .routes(routes!(sessions::list_sessions, sessions::end_other_sessions))
        .routes(routes!(sessions::end_one_session))
        .routes(routes!(sessions::list_member_sessions, sessions::end_member_sessions))
        .routes(routes!(credentials::list_credentials))
        .routes(routes!(credentials::set_password))
        .routes(routes!(credentials::begin_totp, credentials::remove_totp))
        .routes(routes!(credentials::confirm_totp))
        .routes(routes!(passkeys::add_passkey))
        .routes(routes!(passkeys::begin_passkey))
        .routes(routes!(passkeys::rename_passkey, passkeys::remove_passkey))
        .routes(routes!(operators::list_operators))
        .routes(routes!(operators::invite_operator, operators::list_operator_invitations))
        .routes(routes!(operators::revoke_operator_invitation))
        .routes(routes!(operators::set_operator_grant))
        .routes(routes!(operators::disable_operator))
        .routes(routes!(operators::enable_operator))
        .routes(routes!(operator_roles::list_operator_roles, operator_roles::create_operator_role))
        .routes(routes!(operator_roles::change_operator_role, operator_roles::delete_operator_role))
        .routes(routes!(member_roles::list_member_roles, member_roles::create_member_role))
        .routes(routes!(member_roles::change_member_role, member_roles::delete_member_role))
        .routes(routes!(member_roles::list_console_members))
        .routes(routes!(member_roles::set_console_scopes))
        .routes(routes!(approvals::list_approvals))
        .routes(routes!(approvals::approve_request))
        .routes(routes!(approvals::refuse_request))
        .routes(routes!(approvals::list_accounts))
        .routes(routes!(approvals::delete_account))
        .routes(routes!(tenants::list_organisations, tenants::create_organisation))
        .routes(routes!(tenants::list_applications, tenants::create_application))
        .routes(routes!(reports::list_reports))
        .routes(routes!(reports::download_report))
        .routes(routes!(tenant_changes::change_application))
        .routes(routes!(tenant_changes::change_organisation))
        .routes(routes!(tenants::list_api_keys, tenants::create_api_key))
        .routes(routes!(tenants::revoke_api_key))
        .routes(routes!(deliveries::list::list_deliveries))
        .routes(routes!(deliveries::get::get_delivery))
        .routes(routes!(deliveries::replay::replay_delivery))
        .routes(routes!(deliveries::replay_many::replay_deliveries))
        .routes(routes!(deliveries::endpoints::list_webhook_endpoints))
        .routes(routes!(
            deliveries::secrets::list_webhook_secrets,
            deliveries::secrets::rotate_webhook_secret
        ))
        .routes(routes!(deliveries::test_event::send_test_event))
        .routes(routes!(jobs::list_lanes))
        .routes(routes!(jobs::list_jobs))
        .routes(routes!(jobs::get_job, jobs::discard_job))
        .routes(routes!(jobs::retry_job))
        .routes(routes!(audit::list::list_audit_records))
        .routes(routes!(audit::export::export_audit_records))
        .routes(routes!(audit::verify::verify_audit_trail))
        .routes(routes!(audit::receipts::list_deletion_receipts))
        .routes(routes!(audit::receipts::download_deletion_receipt))
        .routes(routes!(health::get_health))
        .routes(routes!(settings::list_settings))
        .routes(routes!(models::list_models))
        .routes(routes!(providers::list_providers))
        .routes(routes!(providers::test_provider))
        .routes(routes!(trust::get_trust_list))
        .routes(routes!(trust::list_keys))
        .routes(routes!(usage::application_usage))
        .routes(routes!(requests::list_requests))
        .routes(routes!(sandbox::get_document_responses, sandbox::set_document_responses))
        .routes(routes!(sandbox::set_age_session_response))
        .routes(routes!(sandbox::advance_sandbox_clock))
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
