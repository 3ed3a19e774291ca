//! Which session a caller may see: a relying party those of its application, an end user the one of their token.

use super::{
    error::DocumentSessionError,
    store::{DocumentSessionStore, UnsealedDocumentSession, hash_token},
};
use base::{AppId, DocumentSessionId, Environment, Uuid};
use db::{Db, DbError};
use std::sync::Arc;

/// Finds sessions for authenticated callers; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct DocumentSessionAccess {
    db: Db,
    env: Arc<dyn Environment>,
    store: DocumentSessionStore,
}

impl DocumentSessionAccess {
    pub(super) fn new(db: Db, env: Arc<dyn Environment>, store: DocumentSessionStore) -> Self {
        Self { db, env, store }
    }

    /// The session that an end user's token belongs to, which must be the one that they named. `None` if the token is
    /// unknown, or void because the end user has finished.
    pub(super) async fn authenticate_end_user(
        &self,
        session: DocumentSessionId,
        token: &Uuid,
    ) -> Result<Option<UnsealedDocumentSession>, DocumentSessionError> {
        let mut db = self.db.read().await?;
        let stored = self.store.find_by_token(&mut db, token).await?;
        let Some(stored) = stored.filter(|stored| stored.session.triggered_at.is_none()) else {
            return Ok(None);
        };
        if session != stored.session.id {
            return Err(DocumentSessionError::SessionNotFound);
        }
        debug_assert_eq!(hash_token(token), hash_token(&stored.session.token));
        if stored.session.is_open(self.env.now()) {
            Ok(Some(stored))
        } else {
            Err(DocumentSessionError::Expired)
        }
    }

    /// Addresses of the relying party of the session that an end user's token belongs to, which must be the one that is
    /// named. They stay when the token opens nothing any more: a page says in its frame that the time is over. Empty if there
    /// is no such session, or not any more.
    pub(super) async fn embedder_addresses(
        &self,
        session: DocumentSessionId,
        token: &Uuid,
    ) -> Result<Vec<String>, DbError> {
        let stored = self.store.find_by_token(&mut self.db.read_once().await?, token).await?;
        let stored = stored.filter(|stored| stored.session.id == session);
        Ok(stored.map(|stored| stored.session.requested.embedder_addresses()).unwrap_or_default())
    }

    /// A session of a relying party's application. Sandbox and production do not see each other's sessions, and in production
    /// a relying party does not see those that serve its age sessions.
    pub(super) async fn find_for_relying_party(
        &self,
        app: AppId,
        id: DocumentSessionId,
        sandbox: bool,
    ) -> Result<UnsealedDocumentSession, DocumentSessionError> {
        let stored = self.store.find(&mut self.db.read_once().await?, app, id).await?;
        let is_visible = |stored: &UnsealedDocumentSession| {
            stored.session.sandbox == sandbox && stored.session.is_open_to_relying_party()
        };
        stored.filter(is_visible).ok_or(DocumentSessionError::SessionNotFound)
    }
}
