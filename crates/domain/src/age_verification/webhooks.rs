//! Webhooks: one for each attempt that ended, and one for a session that was cancelled or ran out, signed with a key of this server. The headers of Standard Webhooks are
//! sent in addition, as with every delivery.

use super::{
    AgeSessionError,
    session::{AgeAttemptOutcome, AgeSession, SignalProvenance},
    session_config::AgeMethodConfig,
    types::{AgeMethod, AgeSessionStatus, AgeSessionType, AppealState, LivenessLevel},
    webhook_signer::{RsaPublicJwk, WebhookSigner, WebhookSigningError},
};
use crate::delivery::{Outbox, OutboxError, SuccessCriterion, WebhookMessage, WebhookMethod};
use base::{AgeSessionId, Environment, SignedDuration, Timestamp, Uuid};
use db::WriteTx;
use std::sync::Arc;

/// The outcome of an attempt, as a webhook reports it.
#[derive(Clone, Debug)]
pub struct AgeResultNotice<'a> {
    /// The id of this message.
    pub id: Uuid,
    pub session: AgeSessionId,
    /// `None` if the session ended before a method was used.
    pub method: Option<AgeMethod>,
    /// Whether the age is as required; in a session of the type AGE, whether an age was determined.
    pub passed: bool,
    /// In a session of the type AGE the age, if it was determined; else the threshold. Years.
    pub age: Option<i64>,
    /// The relying party's own reference for the session.
    pub reference_id: Option<&'a str>,
    /// When the attempt ended, or the session.
    pub at: Timestamp,
    /// The address that the message is sent to.
    pub notification_url: &'a str,
    /// The method's id of the evidence.
    pub evidence_id: Option<&'a str>,
    /// The state of the session after the attempt.
    pub state: AgeSessionStatus,
    /// The check of liveness behind it.
    pub level: LivenessLevel,
    /// Why it did not pass.
    pub error_code: Option<&'a str>,
    /// For a device signal: who stands behind it.
    pub signal: Option<SignalProvenance>,
    /// What was decided on appeal, if the message is about that: it corrects or confirms an earlier one.
    pub appeal: Option<AppealState>,
    /// The id of the key that signs the message.
    pub key_id: &'a str,
}

/// What is added to a notice once it is signed.
#[derive(Clone, Debug)]
pub struct AgeResultSignature {
    /// The number of the message within its session, from 1.
    pub sequence_number: i64,
    /// Base64 of the signature.
    pub signature: String,
}

/// How a result is written on the wire; implemented by the interface.
pub trait AgeWebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body of a message, compact JSON. The body without a signature is what gets signed; with one, the same
    /// members come first and in the same order, followed by those of the signature.
    fn result_body(&self, notice: &AgeResultNotice<'_>, signature: Option<&AgeResultSignature>) -> String;
}

/// What a notice says besides its session.
struct NoticeContent<'a> {
    method: Option<AgeMethod>,
    passed: bool,
    age: Option<i64>,
    at: Timestamp,
    evidence_id: Option<&'a str>,
    level: LivenessLevel,
    error_code: Option<&'a str>,
    signal: Option<SignalProvenance>,
    appeal: Option<AppealState>,
}

impl<'a> NoticeContent<'a> {
    fn of(outcome: &'a AgeAttemptOutcome) -> Self {
        Self {
            method: Some(outcome.method),
            passed: outcome.passed,
            age: outcome.age,
            at: outcome.at,
            evidence_id: outcome.evidence_id.as_deref(),
            level: outcome.level,
            error_code: outcome.error_code.as_deref(),
            signal: outcome.signal,
            appeal: None,
        }
    }
}

/// Reports the outcome of attempts, and the end of sessions that have none, to relying parties.
#[derive(Debug)]
pub(super) struct ResultNotifier {
    environment: Arc<dyn Environment>,
    outbox: Outbox,
    signer: WebhookSigner,
    format: Arc<dyn AgeWebhookFormat>,
}

impl ResultNotifier {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        outbox: Outbox,
        signer: WebhookSigner,
        format: Arc<dyn AgeWebhookFormat>,
    ) -> Self {
        Self { environment, outbox, signer, format }
    }

    /// Loads the signing key. To be called before a transaction is begun that may call [`Self::notify`].
    pub(super) async fn prepare(&self) -> Result<(), WebhookSigningError> {
        self.signer.ensure_key().await
    }

    /// Replaces the signing key.
    pub(super) async fn rotate_key(&self, overlap: SignedDuration) -> Result<String, WebhookSigningError> {
        self.signer.rotate(overlap).await
    }

    pub(super) async fn public_keys(&self) -> Result<Vec<RsaPublicJwk>, WebhookSigningError> {
        self.signer.public_keys().await
    }

    /// Queues a webhook about the outcome of an attempt, if the session has an address for it.
    pub(super) async fn notify(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        outcome: &AgeAttemptOutcome,
    ) -> Result<(), AgeSessionError> {
        self.send(tx, session, &NoticeContent::of(outcome), "ages.result").await
    }

    /// Queues a webhook about what was decided on appeal, which corrects or confirms what was reported before. `outcome` is
    /// that of the attempt that the appeal is about, as it was decided.
    pub(super) async fn notify_appeal(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        outcome: &AgeAttemptOutcome,
        decided: AppealState,
    ) -> Result<(), AgeSessionError> {
        let content = NoticeContent { appeal: Some(decided), ..NoticeContent::of(outcome) };
        self.send(tx, session, &content, "ages.appeal").await
    }

    /// Queues a webhook about a session that was cancelled or ran out, if it has an address for it. `method` is the one that
    /// it was at.
    pub(super) async fn notify_end(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        method: Option<AgeMethod>,
        at: Timestamp,
    ) -> Result<(), AgeSessionError> {
        let config = method.and_then(|method| session.wanted.method_config(method));
        let threshold =
            config.filter(|_| session.wanted.kind != AgeSessionType::Age).map(|one| one.threshold);
        let level = config.map_or(LivenessLevel::None, AgeMethodConfig::liveness_level);
        let end = NoticeContent {
            method,
            passed: false,
            age: threshold,
            at,
            evidence_id: None,
            level,
            error_code: None,
            signal: None,
            appeal: None,
        };
        self.send(tx, session, &end, "ages.result").await
    }

    async fn send(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        content: &NoticeContent<'_>,
        topic: &str,
    ) -> Result<(), AgeSessionError> {
        let Some(url) = session.wanted.notification_url.clone() else { return Ok(()) };
        let key = self.signer.loaded()?;
        session.webhooks_sent += 1;
        let notice = AgeResultNotice {
            id: self.environment.uuid_v4(),
            session: session.id,
            method: content.method,
            passed: content.passed,
            age: content.age,
            reference_id: session.wanted.reference_id.as_deref(),
            at: content.at,
            notification_url: &url,
            evidence_id: content.evidence_id,
            state: session.state,
            level: content.level,
            error_code: content.error_code,
            signal: content.signal,
            appeal: content.appeal,
            key_id: &key.id,
        };
        let signature = key.sign(&*self.environment, self.format.result_body(&notice, None).as_bytes())?;
        let signature = AgeResultSignature { sequence_number: session.webhooks_sent, signature };
        let body = self.format.result_body(&notice, Some(&signature));
        let message = WebhookMessage {
            url: url.clone(),
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body,
            verify_tls: true,
            success: SuccessCriterion::Only200,
        };
        let (owner, about) = ((session.app, None), [session.id.into()]);
        let queued = self.outbox.enqueue_about(tx, &*self.environment, owner, &about, topic, &message);
        match queued.await {
            Ok(_) => Ok(()),
            Err(OutboxError::Db(error)) => Err(error.into()),
            Err(OutboxError::Refused(refused)) => {
                // The address was allowed when the session was created; the operator has changed the settings since.
                tracing::warn!(error = &refused as &dyn std::error::Error, session.id = %session.id, "a webhook is not sent");
                Ok(())
            }
        }
    }
}
