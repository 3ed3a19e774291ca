//! Authenticates callers: an application by its API key, for any of its accounts; or a member by their session, for
//! their own.

use super::{ModerationApiError, ModerationErrorCode};
use crate::{
    ApiState,
    http::{
        auth::{count_application, session_cookie::session_cookie},
        header_text, request_context,
    },
};
use axum::http::{HeaderMap, header};
use base::AppId;
use db::ReadTx;
use domain::{
    accounts::{self, AuthenticationError, Principal, PrincipalKind, Scope},
    tenancy::api_keys,
};

/// API keys have 49 characters; a value longer than this is not looked up.
const MAX_API_KEY_BYTES: usize = 512;

/// Authenticates a caller, and counts the request: call it once per request. Also returns a view of the database, for
/// further reads.
pub(crate) async fn authenticate(
    api: &ApiState,
    headers: &HeaderMap,
) -> Result<(Principal, ReadTx), ModerationApiError> {
    let (caller, view) = match session_cookie(api, headers) {
        Some(session) => (api.sign_in.authenticate_session(session).await?, api.db.read().await?),
        None => authenticate_api_key(api, headers).await?,
    };
    request_context::note_application(caller.app);
    if let PrincipalKind::Member { account, member } = caller.kind {
        request_context::note_member(account, member);
    }
    count_application(api, caller.app, &caller.limits).await?;
    Ok((caller, view))
}

async fn authenticate_api_key(
    api: &ApiState,
    headers: &HeaderMap,
) -> Result<(Principal, ReadTx), ModerationApiError> {
    let refused = |words: &'static str| ModerationApiError::new(ModerationErrorCode::Unauthorized, words);
    let key = api_key(headers).ok_or_else(|| refused("no API key was sent in Authorization"))?;
    let app: AppId = header_text(headers, api.brand.sdk_id())
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| refused("the application's id is missing or not a UUID"))?;
    let mut view = api.db.read().await?;
    let (caller, key_use) = accounts::authenticate_api_key(&mut view, &*api.environment, app, key).await?;
    api_keys::record_use(&api.db, &*api.environment, key_use);
    Ok((caller, view))
}

/// The API key of a request, alone or after `Bearer`.
fn api_key(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let value = sent.next()?.to_str().ok()?.trim();
    let key = match value.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        Some(_) => return None,
        None => value,
    };
    (sent.next().is_none() && (1..=MAX_API_KEY_BYTES).contains(&key.len())).then_some(key)
}

impl From<AuthenticationError> for ModerationApiError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Db(error) => Self::unavailable(&error),
            other => Self::new(ModerationErrorCode::Unauthorized, other.to_string()),
        }
    }
}

/// What an operation demands of its caller; part of the operation's signature.
pub(crate) trait Permission: Send + Sync + 'static {
    /// Refuses a caller without the permission: 401, because the interface has no 403.
    fn authorise(caller: &Principal) -> Result<(), ModerationApiError>;
}

/// Every authenticated caller.
pub(crate) struct AnyCaller;

impl Permission for AnyCaller {
    fn authorise(_caller: &Principal) -> Result<(), ModerationApiError> {
        Ok(())
    }
}

/// Members who are administrators, and API keys that may do everything.
pub(crate) struct Administrator;

impl Permission for Administrator {
    fn authorise(caller: &Principal) -> Result<(), ModerationApiError> {
        if caller.admin {
            return Ok(());
        }
        Err(ModerationApiError::new(ModerationErrorCode::Unauthorized, "only an administrator may do this"))
    }
}

fn require_one_of(caller: &Principal, scopes: &[Scope]) -> Result<(), ModerationApiError> {
    if scopes.iter().any(|scope| caller.has_scope(*scope)) {
        return Ok(());
    }
    let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
    let message = format!("the scope {} is needed", names.join(" or "));
    Err(ModerationApiError::new(ModerationErrorCode::Unauthorized, message))
}

/// Callers who may look for faces in what moderations found: both [`Scope::ProfilesList`] and [`Scope::ReportsView`].
pub(crate) struct FindingsSearch;

impl Permission for FindingsSearch {
    fn authorise(caller: &Principal) -> Result<(), ModerationApiError> {
        ProfilesList::authorise(caller)?;
        ReportsView::authorise(caller)
    }
}

/// Declares the permissions that operations ask for: a scope, or one of several.
macro_rules! scope_permissions {
    ($($permission:ident $(: $($scope:ident)|+)?),* $(,)?) => {$(
        scope_permissions!(@ $permission $($($scope)+)?);
    )*};
    (@ $scope:ident) => { scope_permissions!(@ $scope $scope); };
    (@ $permission:ident $($scope:ident)+) => {
        #[doc = concat!("Callers who have one of these scopes: ", $("[`Scope::", stringify!($scope), "`] "),+)]
        pub(crate) struct $permission;

        impl Permission for $permission {
            fn authorise(caller: &Principal) -> Result<(), ModerationApiError> {
                require_one_of(caller, &[$(Scope::$scope),+])
            }
        }
    };
}

scope_permissions! {
    ContentsArchive: ContentsManage | ContentsModerate,
    ContentsList,
    ContentsManage,
    ContentsReportsList,
    ContentsReportsModerate,
    ContentsView,
    MembersManage,
    ModerationsManage,
    ModerationsView,
    NotificationsManage,
    NotificationsView,
    ProfilesFlag: ProfilesManage | FlagsManage,
    ProfilesList,
    ProfilesManage,
    ProfilesView,
    ReportsManage,
    ReportsView,
}
