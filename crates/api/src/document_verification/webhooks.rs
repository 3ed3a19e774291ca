//! Notifications to relying parties about their sessions, and the reading of stored response configurations.

use super::response_config::config::ResponseConfigRequest;
use crate::{
    WebhookFormatter,
    http::openapi::{WebhookDescription, add_webhook},
};
use base::{DocumentSessionId, ResourceId, TaskId, VerificationCheckId};
use domain::document_verification::{
    DocumentSessionNotification, DocumentWireFormat, NotificationSubject,
    sandbox_responses::SandboxResponseConfig, types::NotificationTopic,
};
use serde_json::Value;
use utoipa::{
    ToSchema,
    openapi::{OpenApi, RefOr, Required},
};

/// The webhook's name in the OpenAPI document.
const WEBHOOK_NAME: &str = "session.notification";
/// Carries the credentials for the receiver.
const AUTHORIZATION_HEADER: &str = "Authorization";

/// Something happened in a session.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SessionNotification {
    /// The check that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    check_id: Option<VerificationCheckId>,
    /// The resource that was added or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    resource_id: Option<ResourceId>,
    #[schema(value_type = Uuid)]
    session_id: DocumentSessionId,
    /// The task that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    task_id: Option<TaskId>,
    topic: SessionNotificationTopic,
}

/// What happened; the topics of the request, in small letters.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionNotificationTopic {
    /// A resource was added or changed.
    ResourceUpdate,
    /// A task ended.
    TaskCompletion,
    /// A check ended.
    CheckCompletion,
    /// The session is completed.
    SessionCompletion,
    /// A PDF file was supplied.
    NewPdfSupplied,
    /// The end user wants instructions by email.
    InstructionsEmailRequested,
    /// The end user has finished.
    ClientSessionTokenDeleted,
    /// The end user wants a confirmation by email.
    ThankYouEmailRequested,
}

impl From<NotificationTopic> for SessionNotificationTopic {
    fn from(topic: NotificationTopic) -> Self {
        match topic {
            NotificationTopic::ResourceUpdate => Self::ResourceUpdate,
            NotificationTopic::TaskCompletion => Self::TaskCompletion,
            NotificationTopic::CheckCompletion => Self::CheckCompletion,
            NotificationTopic::SessionCompletion => Self::SessionCompletion,
            NotificationTopic::NewPdfSupplied => Self::NewPdfSupplied,
            NotificationTopic::InstructionsEmailRequested => Self::InstructionsEmailRequested,
            NotificationTopic::ClientSessionTokenDeleted => Self::ClientSessionTokenDeleted,
            NotificationTopic::ThankYouEmailRequested => Self::ThankYouEmailRequested,
        }
    }
}

impl From<&DocumentSessionNotification> for SessionNotification {
    fn from(notification: &DocumentSessionNotification) -> Self {
        let DocumentSessionNotification { session, topic, subject } = *notification;
        let nothing = Self {
            check_id: None,
            resource_id: None,
            session_id: session,
            task_id: None,
            topic: topic.into(),
        };
        match subject {
            NotificationSubject::Session => nothing,
            NotificationSubject::Resource(id) => Self { resource_id: Some(id), ..nothing },
            NotificationSubject::Task(id) => Self { task_id: Some(id), ..nothing },
            NotificationSubject::Check(id) => Self { check_id: Some(id), ..nothing },
        }
    }
}

impl DocumentWireFormat for WebhookFormatter {
    fn notification(&self, notification: &DocumentSessionNotification) -> String {
        serde_json::to_string(&SessionNotification::from(notification)).expect("a message of our own is JSON")
    }

    fn response_config(&self, sent: &Value) -> SandboxResponseConfig {
        ResponseConfigRequest::read_stored(sent)
    }
}

/// Adds the webhook to the interface's OpenAPI document.
pub(super) fn describe_webhooks(document: &mut OpenApi) {
    add_webhook::<SessionNotification>(
        document,
        WebhookDescription {
            name: WEBHOOK_NAME,
            summary: "Something happened in a session",
            description: "Sent to `notifications.endpoint` for each of its `topics`, at least once and in no promised order: a \
                          repeat has the `webhook-id` of the first.",
            delivered_status: "2XX",
            headers: &[(
                AUTHORIZATION_HEADER,
                "`Basic` and the base64 of `notifications.auth_token`, or `Bearer` and the token as it is. Absent where the \
                 session has none.",
            )],
        },
    );
    // Unlike the other headers, this one may be missing.
    let item = document.webhooks.as_mut().and_then(|webhooks| webhooks.paths.get_mut(WEBHOOK_NAME));
    let parameters = item.and_then(|item| item.post.as_mut()?.parameters.as_mut());
    for parameter in parameters.into_iter().flatten() {
        if let RefOr::T(parameter) = parameter
            && parameter.name == AUTHORIZATION_HEADER
        {
            parameter.required = Required::False;
        }
    }
}
