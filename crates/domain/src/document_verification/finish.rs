//! What an end user does besides supplying resources: consents, asks for mails, and finishes, upon which the checks
//! begin.

use super::{
    checks::create_checks,
    error::DocumentSessionError,
    notifications::NotificationSubject,
    sandbox_responses::SandboxResponseStore,
    session::{DocumentSession, SuppliedResource, state_machine::DocumentSessionEvent},
    types::{NotificationTopic, RequirementState, SessionState},
    unit_of_work::DocumentUnitOfWork,
};
use crate::DeviceMetadata;
use base::{DocumentSessionId, SignedDuration};

/// The event of the first reading of the configuration by the end user.
pub(super) const CONFIGURATION_LOADED: &str = "CONFIG_FIRST_LOADED";

/// Carries out what end users decide; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct EndUserActions {
    unit_of_work: DocumentUnitOfWork,
    sandbox_responses: SandboxResponseStore,
}

impl EndUserActions {
    pub(super) fn new(unit_of_work: DocumentUnitOfWork, sandbox_responses: SandboxResponseStore) -> Self {
        Self { unit_of_work, sandbox_responses }
    }

    /// Records the device with which the end user reads the configuration for the first time.
    pub(super) async fn record_first_load(
        &self,
        id: DocumentSessionId,
        device: DeviceMetadata,
    ) -> Result<(), DocumentSessionError> {
        self.unit_of_work
            .update(id, |session, _, env| {
                session.ensure_open_for_end_user(env)?;
                if !session.has_device_event(CONFIGURATION_LOADED) {
                    session.record_device_event(CONFIGURATION_LOADED, None, env.now(), Some(device));
                }
                Ok(())
            })
            .await
            .map(drop)
    }

    /// Records that the end user consents to the use of biometric data; the first time counts.
    pub(super) async fn record_biometric_consent(
        &self,
        id: DocumentSessionId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        self.unit_of_work
            .update(id, |session, _, env| {
                session.ensure_open_for_end_user(env)?;
                if session.requested.block_biometric_consent {
                    let message = "the session collects no biometric consent (block_biometric_consent)";
                    return Err(DocumentSessionError::Forbidden(message.to_owned()));
                }
                let now = env.now();
                session.biometric_consent.get_or_insert(now);
                session.record_device_event("BIOMETRIC_CONSENT", None, now, device);
                Ok(())
            })
            .await
            .map(drop)
    }

    /// Notifies the relying party that the end user wants a mail. This server sends none itself.
    pub(super) async fn request_email(
        &self,
        id: DocumentSessionId,
        topic: NotificationTopic,
    ) -> Result<(), DocumentSessionError> {
        self.unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                effects.notify(topic, NotificationSubject::Session);
                Ok(())
            })
            .await
            .map(drop)
    }

    /// Ends the end user's part: their token is void from now on, and the checks begin. Refuses while something is
    /// missing or being read.
    pub(super) async fn finish(
        &self,
        id: DocumentSessionId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        let delay = SignedDuration::from_secs(self.sandbox_responses.report_delay_seconds(id).await?);
        self.unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                session.ensure_biometric_consent()?;
                ensure_complete(session)?;
                let now = env.now();
                session.state = session.state.after(DocumentSessionEvent::TokenDeleted)?;
                session.triggered_at = Some(now);
                session.discard_all_uploads(now, effects);
                session.record_device_event("CLIENT_SESSION_TOKEN_DELETED", None, now, device);
                effects.notify(NotificationTopic::ClientSessionTokenDeleted, NotificationSubject::Session);
                create_checks(session, env)?;
                session.complete_if_done(effects)?;
                if session.state == SessionState::Ongoing {
                    effects.check_at = Some(now + delay);
                }
                Ok(())
            })
            .await
            .map(drop)
    }
}

/// Refuses while a document is being read or a requirement is not fulfilled.
fn ensure_complete(session: &DocumentSession) -> Result<(), DocumentSessionError> {
    if session.resources.iter().any(SuppliedResource::is_being_read) {
        return Err(DocumentSessionError::NotReady("a document is still being read".to_owned()));
    }
    let missing: Vec<String> = session
        .requirements
        .iter()
        .filter(|requirement| requirement.standing != RequirementState::Fulfilled)
        .map(|requirement| format!("{} {}", requirement.kind, requirement.id))
        .collect();
    if !missing.is_empty() {
        let message = format!("the session is not complete; what is missing: {}", missing.join(", "));
        return Err(DocumentSessionError::NotReady(message));
    }
    Ok(())
}
