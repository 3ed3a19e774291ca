//! Who asks: an application by its API key, for any of its accounts; or a member by his session, for his own.

use super::{Code, Problem};
use crate::{
    Api, console,
    http::{auth::count_application, header_text, request_context},
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use base::{AccountId, AppId};
use db::{Read, Tx};
use domain::accounts::{self, Account, Actor, NoActor, Scope};

/// Keys of ours have 49 characters; longer ones are not looked up.
const MAX_KEY_BYTES: usize = 512;

/// A caller who was let in.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) Actor);

impl FromRequestParts<Api> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        // Several parts of an operation may ask; a call counts once.
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let actor = match console::session(api, &parts.headers) {
            Some(session) => api.doors.by_session(session).await?,
            None => by_key(api, &parts.headers).await?,
        };
        request_context::note_application(actor.app);
        count_application(api, actor.app)?;
        parts.extensions.insert(Self(actor.clone()));
        Ok(Self(actor))
    }
}

impl Caller {
    /// Refuses a caller who lacks a scope: 401, because the interface knows no 403.
    pub(super) fn may(&self, scope: Scope) -> Result<(), Problem> {
        if self.0.may(scope) {
            return Ok(());
        }
        Err(Problem::new(Code::Unauthorized, format!("the scope {scope} is needed")))
    }

    /// Refuses a caller who is no administrator.
    pub(super) fn administers(&self) -> Result<(), Problem> {
        if self.0.admin {
            return Ok(());
        }
        Err(Problem::new(Code::Unauthorized, "only an administrator may do this"))
    }

    /// The application that calls by a key of its own; members of an account are none.
    pub(super) fn application(&self) -> Result<AppId, Problem> {
        match self.0.account() {
            None => Ok(self.0.app),
            Some(_) => Err(Problem::new(Code::Unauthorized, "only an API key may do this")),
        }
    }

    /// The account of the path, which a foreign caller is told is not there.
    pub(super) async fn account(&self, view: &mut Read, id: AccountId) -> Result<Account, Problem> {
        accounts::find(view, &self.0, id).await?.ok_or_else(|| Problem::missing("account"))
    }

    /// The same for a caller who has a scope: what nearly every operation begins with.
    pub(super) async fn enter(
        &self,
        view: &mut Read,
        id: AccountId,
        scope: Scope,
    ) -> Result<AccountId, Problem> {
        self.may(scope)?;
        Ok(self.account(view, id).await?.id)
    }

    /// The same for an operation that writes: the account cannot be closed until the transaction ends, so nothing is
    /// written under one that is being deleted.
    pub(super) async fn enter_to_write(
        &self,
        tx: &mut Tx,
        id: AccountId,
        scope: Scope,
    ) -> Result<AccountId, Problem> {
        self.enter(tx, id, scope).await?;
        if accounts::hold(tx, id).await? { Ok(id) } else { Err(Problem::missing("account")) }
    }
}

/// The application that an API key is of.
async fn by_key(api: &Api, headers: &HeaderMap) -> Result<Actor, Problem> {
    let no = |words: &'static str| Problem::new(Code::Unauthorized, words);
    let key = key(headers).ok_or_else(|| no("no API key was sent in Authorization"))?;
    let app: AppId = header_text(headers, api.brand.sdk_id())
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| no("the application's id is missing or not a UUID"))?;
    Ok(accounts::by_api_key(&mut api.db.read().await?, app, key).await?)
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
