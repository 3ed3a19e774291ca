//! Who asks: an application by its API key, for any of its accounts; or a member by their session, for their own.

use super::{Code, Problem};
use crate::{
    Api, console,
    http::{auth::count_application, header_text, request_context},
};
use axum::http::{HeaderMap, header};
use base::AppId;
use db::Read;
use domain::accounts::{self, Actor, NoActor, Scope};

/// Keys of ours have 49 characters; longer ones are not looked up.
const MAX_KEY_BYTES: usize = 512;

/// Tells who asks, once for each request; and a view of the database for what is looked at next.
pub(crate) async fn authenticate(api: &Api, headers: &HeaderMap) -> Result<(Actor, Read), Problem> {
    let (actor, view) = match console::session(api, headers) {
        Some(session) => (api.doors.by_session(session).await?, api.db.read().await?),
        None => by_key(api, headers).await?,
    };
    request_context::note_application(actor.app);
    count_application(api, actor.app)?;
    Ok((actor, view))
}

/// The application that an API key is of.
async fn by_key(api: &Api, headers: &HeaderMap) -> Result<(Actor, Read), Problem> {
    let no = |words: &'static str| Problem::new(Code::Unauthorized, words);
    let key = key(headers).ok_or_else(|| no("no API key was sent in Authorization"))?;
    let app: AppId = header_text(headers, api.brand.sdk_id())
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| no("the application's id is missing or not a UUID"))?;
    let mut view = api.db.read().await?;
    Ok((accounts::by_api_key(&mut view, app, key).await?, view))
}

/// The API key of a request, alone or after `Bearer`.
fn key(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let value = sent.next()?.to_str().ok()?.trim();
    let key = match value.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        Some(_) => return None,
        None => value,
    };
    (sent.next().is_none() && (1..=MAX_KEY_BYTES).contains(&key.len())).then_some(key)
}

impl From<NoActor> for Problem {
    fn from(no: NoActor) -> Self {
        match no {
            NoActor::Db(error) => Self::unavailable(&error),
            other => Self::new(Code::Unauthorized, other.to_string()),
        }
    }
}

/// What an operation demands of whoever calls it; part of the operation's signature.
pub(crate) trait Permission: Send + Sync + 'static {
    /// Refuses a caller who may not: 401, because the interface knows no 403.
    fn check(caller: &Actor) -> Result<(), Problem>;
}

/// Everybody who was let in may.
pub(crate) struct Anyone;

impl Permission for Anyone {
    fn check(_caller: &Actor) -> Result<(), Problem> {
        Ok(())
    }
}

/// Administrators may: members who are one, and API keys that may do everything.
pub(crate) struct Administrator;

impl Permission for Administrator {
    fn check(caller: &Actor) -> Result<(), Problem> {
        if caller.admin {
            return Ok(());
        }
        Err(Problem::new(Code::Unauthorized, "only an administrator may do this"))
    }
}

/// Declares a permission for each scope that an operation asks for.
macro_rules! scopes {
    ($($scope:ident),* $(,)?) => {$(
        #[doc = concat!("Whoever has the scope of [`Scope::", stringify!($scope), "`] may.")]
        pub(crate) struct $scope;

        impl Permission for $scope {
            fn check(caller: &Actor) -> Result<(), Problem> {
                if caller.may(Scope::$scope) {
                    return Ok(());
                }
                Err(Problem::new(Code::Unauthorized, format!("the scope {} is needed", Scope::$scope)))
            }
        }
    )*};
}

scopes! {
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
    ProfilesList,
    ProfilesManage,
    ProfilesView,
    ReportsManage,
    ReportsView,
}
