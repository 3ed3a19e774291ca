//! Proofs of age for tills that end users take along after a session that passed.

use super::{
    AgeSessionError,
    relying_party::{RelyingPartyDirectory, RelyingPartyProfile},
    session::{AgeSession, GrantedArtefact},
    store::AgeSessionStore,
    types::{AgeSessionStatus, AgeSessionType},
    urls::AgePageUrls,
};
use crate::proof_of_age::issuer::ProofIssuer;
use base::{AgeSessionId, Environment, SignedDuration};
use std::sync::Arc;

/// How long a proof is valid, and its invitation works, hours. The holder's page fetches a new batch of credentials
/// each hour.
const PROOF_VALIDITY_HOURS: u16 = 24;

/// Invites end users to the page that stores their proof.
#[derive(Debug)]
pub(super) struct ProofInvitations {
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    relying_parties: RelyingPartyDirectory,
    issuer: ProofIssuer,
    urls: AgePageUrls,
    /// The operator's setting.
    is_enabled: bool,
}

impl ProofInvitations {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        relying_parties: RelyingPartyDirectory,
        issuer: ProofIssuer,
        urls: AgePageUrls,
        is_enabled: bool,
    ) -> Self {
        Self { environment, sessions, relying_parties, issuer, urls, is_enabled }
    }

    /// Whether the end user may take a proof along.
    pub(super) fn is_offered(&self, session: &AgeSession, relying_party: &RelyingPartyProfile) -> bool {
        let has_result = session.outcome.as_ref().is_some_and(|outcome| outcome.storable_result.is_some());
        self.is_enabled
            && relying_party.uses_proof_of_age
            && !session.sandbox
            && session.wanted.kind == AgeSessionType::Over
            && session.state == AgeSessionStatus::Complete
            && session.issues.is_none()
            && has_result
            && !session.granted.contains(&GrantedArtefact::Proof)
    }

    /// Creates an invitation: the address of the page that stores the proof, with a code that works once.
    pub(super) async fn create(&self, id: AgeSessionId) -> Result<String, AgeSessionError> {
        let session = self.sessions.get(id).await?;
        let relying_party = self.relying_parties.find(session.app).await?;
        let (mut tx, mut locked) = self.sessions.lock(id).await?;
        let session = &mut locked.session;
        if !self.is_offered(session, &relying_party) {
            return Err(AgeSessionError::InvalidState(
                "the session has no result from which a proof can be made".to_owned(),
            ));
        }
        let age = session.outcome.as_ref().and_then(|outcome| u8::try_from(outcome.age?).ok());
        let age =
            age.ok_or_else(|| AgeSessionError::InvalidState("the session's result names no age".to_owned()))?;
        let until = self.environment.now() + SignedDuration::from_hours(i64::from(PROOF_VALIDITY_HOURS));
        let grant =
            self.issuer.create_holder_grant(&mut tx, session.app, &[age], PROOF_VALIDITY_HOURS, until).await;
        let code = grant.map_err(|error| AgeSessionError::InvalidState(error.to_string()))?;
        session.granted.push(GrantedArtefact::Proof);
        self.sessions.commit(tx, locked).await?;
        Ok(self.urls.proof_holder_page(code.expose()))
    }
}
