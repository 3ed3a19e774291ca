//! Results that end users store under a passkey, and delete again. The method `svc_key` shows them in later sessions
//! ([`methods`](super::methods)).

use super::{
    AgeSessionError,
    continuation::ContinuationVault,
    methods::PasskeyContinuation,
    relying_party::RelyingPartyDirectory,
    session::{AgeSession, GrantedArtefact},
    store::AgeSessionStore,
    stored_result_store::{StoredResultRecord, StoredResultStore},
    types::{AgeMethod, AgeSessionStatus},
};
use age_methods::{
    AgeMethodError,
    passkey::{PasskeyAuthenticationState, PasskeyRegistrationState, Passkeys, StoredPasskey},
};
use base::{AgeSessionId, Environment};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::sync::Arc;

/// The AAD of passkey requests that delete a result.
const DELETION_AAD: &[u8] = b"forgetting an age token";

/// A step of storing a result.
#[derive(Debug)]
pub enum KeepResultOutcome {
    /// The browser is to create a passkey.
    PasskeyRequested {
        /// The options for the browser, in the JSON form of Web Authentication Level 3.
        options: Value,
        /// To be sent back with the browser's answer; valid for five minutes.
        continuation: String,
    },
    /// The result is stored.
    Stored(Box<AgeSession>),
}

#[derive(Debug)]
pub(super) struct StoredResultService {
    environment: Arc<dyn Environment>,
    passkeys: Option<Arc<Passkeys>>,
    results: Arc<StoredResultStore>,
    sessions: Arc<AgeSessionStore>,
    relying_parties: RelyingPartyDirectory,
    continuations: Arc<ContinuationVault>,
}

impl StoredResultService {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        passkeys: Option<Arc<Passkeys>>,
        results: Arc<StoredResultStore>,
        sessions: Arc<AgeSessionStore>,
        relying_parties: RelyingPartyDirectory,
        continuations: Arc<ContinuationVault>,
    ) -> Self {
        Self { environment, passkeys, results, sessions, relying_parties, continuations }
    }

    /// Whether the end user may store the result of the session.
    pub(super) fn is_offered(&self, session: &AgeSession) -> bool {
        let has_result = session.outcome.as_ref().is_some_and(|outcome| outcome.storable_result.is_some());
        session.state == AgeSessionStatus::Complete
            && session.issues.is_none()
            && has_result
            && !session.granted.contains(&GrantedArtefact::Key)
            && self.passkeys.is_some()
            && session.wanted.method_config(AgeMethod::SvcKey).is_some_and(|config| config.allowed)
    }

    /// Stores the result of a session. Without an `answer` (continuation and credential), the browser is asked to
    /// create a passkey first. The same answer may come again, because the page does not always hear what came of it.
    pub(super) async fn store(
        &self,
        id: AgeSessionId,
        answer: Option<(&str, &Value)>,
    ) -> Result<KeepResultOutcome, AgeSessionError> {
        let session = self.sessions.get(id).await?;
        let not_offered = || {
            AgeSessionError::InvalidState(
                "the session has no result that can be stored under a passkey".to_owned(),
            )
        };
        let passkeys = self.passkeys.as_ref().ok_or_else(not_offered)?;
        let aad = registration_aad(id);
        let Some((continuation, credential)) = answer else {
            if !self.is_offered(&session) {
                return Err(not_offered());
            }
            let relying_party = self.relying_parties.find(session.app).await?;
            let (options, state) = passkeys
                .start_registration(self.environment.uuid_v4(), &relying_party.name)
                .map_err(|error| unusable_credential(&error))?;
            let continuation = self.seal_request(&aad, state);
            return Ok(KeepResultOutcome::PasskeyRequested { options, continuation });
        };
        let state: PasskeyRegistrationState = self.open_request(&aad, continuation)?;
        let now = self.environment.now();
        let key =
            passkeys.finish_registration(&state, credential).map_err(|error| unusable_credential(&error))?;
        let (mut tx, mut locked) = self.sessions.lock_live(id).await?;
        if !self.is_offered(&locked.session) {
            drop(tx);
            let is_stored = self.is_stored(&locked.session, &key).await?;
            return if is_stored {
                Ok(KeepResultOutcome::Stored(Box::new(locked.session)))
            } else {
                Err(not_offered())
            };
        }
        let outcome = locked.session.outcome.as_ref();
        let proved = outcome.and_then(|outcome| Some((outcome.storable_result.clone()?, outcome.at)));
        let (result, proved_at) = proved.ok_or_else(not_offered)?;
        locked.session.granted.push(GrantedArtefact::Key);
        let credential_id = key.id().to_vec();
        let record = StoredResultRecord {
            key,
            result,
            at: now,
            proved_at: Some(proved_at),
            sandbox: locked.session.sandbox,
        };
        if !self.results.insert(&mut tx, &credential_id, &record).await? {
            return Err(AgeSessionError::invalid(
                "credential",
                "a result is stored under this passkey already",
            ));
        }
        let session = self.sessions.commit(tx, locked).await?;
        Ok(KeepResultOutcome::Stored(Box::new(session)))
    }

    /// Whether the result of this session is stored under this passkey already.
    async fn is_stored(&self, session: &AgeSession, key: &StoredPasskey) -> Result<bool, AgeSessionError> {
        let proved_at = session.outcome.as_ref().map(|outcome| outcome.at);
        let record = self.results.load(key.id(), session.sandbox).await?;
        Ok(session.granted.contains(&GrantedArtefact::Key)
            && record.is_some_and(|record| record.key.is_same_key(key) && record.proved_at == proved_at))
    }

    /// Begins to delete a result: asks the browser for any of its passkeys. Returns the options for the browser, and a
    /// continuation.
    pub(super) fn begin_deletion(&self) -> Result<(Value, String), AgeSessionError> {
        let passkeys = self.passkeys.as_ref().ok_or_else(no_passkeys)?;
        let (options, state) = passkeys.start_authentication().map_err(|_| no_passkeys())?;
        Ok((options, self.seal_request(DELETION_AAD, state)))
    }

    /// Deletes the result under the passkey with which the browser answered. Returns whether there was one.
    pub(super) async fn delete(
        &self,
        sandbox: bool,
        continuation: &str,
        credential: &Value,
    ) -> Result<bool, AgeSessionError> {
        let passkeys = self.passkeys.as_ref().ok_or_else(no_passkeys)?;
        let state: PasskeyAuthenticationState = self.open_request(DELETION_AAD, continuation)?;
        let identified = passkeys.identify(credential).map_err(|error| unusable_credential(&error))?;
        let Some(mut record) = self.results.load(&identified.id, sandbox).await? else { return Ok(false) };
        passkeys
            .finish_authentication(&state, credential, &mut record.key)
            .map_err(|error| unusable_credential(&error))?;
        Ok(self.results.delete(&identified.id).await?)
    }

    fn seal_request<T: Serialize>(&self, aad: &[u8], state: T) -> String {
        self.continuations.seal(aad, &PasskeyContinuation::new(state, self.environment.now()))
    }

    fn open_request<T: DeserializeOwned>(
        &self,
        aad: &[u8],
        continuation: &str,
    ) -> Result<T, AgeSessionError> {
        let request: Option<PasskeyContinuation<T>> = self.continuations.open(aad, continuation);
        let request = request.filter(|request| request.is_fresh(self.environment.now()));
        request.map(|request| request.state).ok_or(AgeSessionError::StaleContinuation)
    }
}

fn no_passkeys() -> AgeSessionError {
    AgeSessionError::InvalidState("this server stores no results under passkeys".to_owned())
}

fn unusable_credential(error: &AgeMethodError) -> AgeSessionError {
    AgeSessionError::invalid("credential", error.to_string())
}

fn registration_aad(id: AgeSessionId) -> Vec<u8> {
    format!("age session {id} key").into_bytes()
}
