//! Webhooks to the relying party, queued in the transaction of the change that they tell of.

use super::{
    DocumentWireFormat,
    session::DocumentSession,
    types::{NotificationAuthType, NotificationTopic},
};
use crate::delivery::{Outbox, OutboxError, SuccessCriterion, WebhookMessage, WebhookMethod};
use base::{DocumentSessionId, Environment, ResourceId, TaskId, VerificationCheckId};
use db::{DbError, WriteTx};
use std::sync::Arc;

/// What a notification is about.
#[derive(Clone, Copy, Debug)]
pub enum NotificationSubject {
    /// The session as a whole.
    Session,
    Resource(ResourceId),
    /// A task of a resource.
    Task(TaskId),
    Check(VerificationCheckId),
}

/// What a relying party is notified of.
#[derive(Clone, Copy, Debug)]
pub struct DocumentSessionNotification {
    pub session: DocumentSessionId,
    /// What happened.
    pub topic: NotificationTopic,
    /// What it happened to.
    pub subject: NotificationSubject,
}

/// Queues webhooks of sessions; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct DocumentNotifier {
    env: Arc<dyn Environment>,
    outbox: Outbox,
    wire_format: Arc<dyn DocumentWireFormat>,
}

impl DocumentNotifier {
    pub(super) fn new(
        env: Arc<dyn Environment>,
        outbox: Outbox,
        wire_format: Arc<dyn DocumentWireFormat>,
    ) -> Self {
        Self { env, outbox, wire_format }
    }

    /// Queues a webhook if the session has an endpoint that subscribed to the topic.
    pub(super) async fn notify(
        &self,
        tx: &mut WriteTx,
        session: &DocumentSession,
        topic: NotificationTopic,
        subject: NotificationSubject,
    ) -> Result<(), DbError> {
        let Some(subscription) = &session.requested.notifications else { return Ok(()) };
        if !subscription.topics.contains(&topic) {
            return Ok(());
        }
        let authorization = subscription.auth_token.as_ref().map(|token| match subscription.auth_type {
            NotificationAuthType::Basic => format!("Basic {}", base64_simd::STANDARD.encode_to_string(token)),
            NotificationAuthType::Bearer => format!("Bearer {token}"),
        });
        let message = WebhookMessage {
            url: subscription.endpoint.clone(),
            verb: WebhookMethod::Post,
            headers: authorization.map(|value| ("Authorization".to_owned(), value)).into_iter().collect(),
            body: self.wire_format.notification(&DocumentSessionNotification {
                session: session.id,
                topic,
                subject,
            }),
            verify_tls: true,
            success: SuccessCriterion::Any2xx,
        };
        let topic = format!("identity.{}", topic.as_str().to_ascii_lowercase());
        let (owner, about) = ((session.app, None), [session.id.into()]);
        match self.outbox.enqueue_about(tx, &*self.env, owner, &about, &topic, &message).await {
            Ok(_) => Ok(()),
            Err(OutboxError::Db(error)) => Err(error),
            Err(OutboxError::Refused(refused)) => {
                // The destination was allowed when the session was created; the operator has changed the policy since.
                tracing::warn!(
                    error = &refused as &dyn std::error::Error,
                    session.id = %session.id,
                    "a notification is not sent"
                );
                Ok(())
            }
        }
    }
}
