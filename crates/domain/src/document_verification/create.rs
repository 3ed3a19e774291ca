//! The creation of sessions by relying parties.

use super::{request::DocumentSessionRequest, session::DocumentSession, store::DocumentSessionStore};
use crate::{
    DeviceMetadata,
    tenancy::limits::{self, LimitError, LimitSettings},
};
use base::{AppId, DocumentSessionId, Environment, Uuid};
use db::WriteTx;
use std::sync::Arc;

/// Creates a session.
#[derive(Clone, Debug)]
pub struct CreateDocumentSession {
    /// The relying party's application.
    pub app: AppId,
    /// Whether results come from a response configuration instead of checks.
    pub sandbox: bool,
    /// What the relying party asks for; it has no violations
    /// ([`DocumentVerificationService::violations`](super::DocumentVerificationService::violations)).
    pub request: DocumentSessionRequest,
    /// The caller's device, as the client library described it.
    pub device: Option<DeviceMetadata>,
    /// Whether nothing is recorded of it ([`DocumentSession::unrecorded`]).
    pub unrecorded: bool,
    /// Whether it is an attempt of an age session ([`DocumentSession::serves_age_session`]).
    pub serves_age_session: bool,
}

/// Creates sessions; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct DocumentSessionCreator {
    env: Arc<dyn Environment>,
    store: DocumentSessionStore,
    /// The address of this server, without a path.
    public_url: String,
    limits: LimitSettings,
}

impl DocumentSessionCreator {
    pub(super) fn new(
        env: Arc<dyn Environment>,
        store: DocumentSessionStore,
        public_url: String,
        limits: LimitSettings,
    ) -> Self {
        Self { env, store, public_url, limits }
    }

    pub(super) async fn create(
        &self,
        tx: &mut WriteTx,
        command: CreateDocumentSession,
    ) -> Result<DocumentSession, LimitError> {
        let CreateDocumentSession { app, sandbox, request, device, unrecorded, serves_age_session } = command;
        // What the end user is to supply must be read and checked, so it is refused here and not in the middle.
        limits::ensure_queueing_allowed(tx, &self.limits, app).await?;
        let env = &*self.env;
        let begun = DocumentSession::begin(env, app, sandbox, request);
        let mut session = DocumentSession { unrecorded, serves_age_session, ..begun };
        session.record_device_event("CREATE_SESSION", None, env.now(), device);
        self.store.insert(tx, &session).await?;
        Ok(session)
    }

    /// The address of the page on which the end user goes through a session; it contains their token.
    pub(super) fn page_url(&self, sandbox: bool, session: DocumentSessionId, token: Uuid) -> String {
        let sandbox = if sandbox { "/sandbox" } else { "" };
        let base = &self.public_url;
        format!("{base}{sandbox}/idverify/v1/web/index.html?sessionID={session}&sessionToken={token}")
    }
}
