//! What relying parties are told of their sessions, and what is kept of what they sent.

use super::response_config::config::ResponseConfigRequest;
use crate::Webhooks;
use base::{CheckId, ResourceId, SessionId, TaskId};
use domain::identity::{
    Notification, Subject, WireFormat, responses::ResponseConfig, words::NotificationTopic,
};
use serde_json::Value;
use utoipa::{
    PartialSchema as _, ToSchema,
    openapi::{
        ContentBuilder, HttpMethod, ObjectBuilder, PathItem, Paths, PathsBuilder, Ref, RefOr, Required,
        ResponseBuilder, Schema, Type,
        path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
    },
};

/// Something happened in a session.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SessionNotification {
    /// The check that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    check_id: Option<CheckId>,
    /// The resource that came, or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    resource_id: Option<ResourceId>,
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    /// The task that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Uuid, required = false)]
    task_id: Option<TaskId>,
    topic: NotifiedTopic,
}

/// What happened; the topics of the request, in small letters.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotifiedTopic {
    /// A resource came, or changed.
    ResourceUpdate,
    /// A task ended.
    TaskCompletion,
    /// A check ended.
    CheckCompletion,
    /// The session is completed.
    SessionCompletion,
    /// A PDF file came.
    NewPdfSupplied,
    /// The end user wants instructions by mail.
    InstructionsEmailRequested,
    /// The end user is through.
    ClientSessionTokenDeleted,
    /// The end user wants a confirmation by mail.
    ThankYouEmailRequested,
}

impl From<NotificationTopic> for NotifiedTopic {
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

impl From<&Notification> for SessionNotification {
    fn from(notification: &Notification) -> Self {
        let Notification { session, topic, subject } = *notification;
        let nothing = Self {
            check_id: None,
            resource_id: None,
            session_id: session,
            task_id: None,
            topic: topic.into(),
        };
        match subject {
            Subject::Session => nothing,
            Subject::Resource(id) => Self { resource_id: Some(id), ..nothing },
            Subject::Task(id) => Self { task_id: Some(id), ..nothing },
            Subject::Check(id) => Self { check_id: Some(id), ..nothing },
        }
    }
}

impl WireFormat for Webhooks {
    fn notification(&self, notification: &Notification) -> String {
        serde_json::to_string(&SessionNotification::from(notification)).expect("a message of our own is JSON")
    }

    fn response_config(&self, sent: &Value) -> ResponseConfig {
        ResponseConfigRequest::kept(sent)
    }
}

/// Describes the notifications of sessions.
pub(super) fn document(schemas: &mut impl Extend<(String, RefOr<Schema>)>) -> Paths {
    let mut needed = Vec::new();
    SessionNotification::schemas(&mut needed);
    needed.push((SessionNotification::name().into_owned(), SessionNotification::schema()));
    schemas.extend(needed);
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(SessionNotification::name()))).build();
    let request = RequestBodyBuilder::new().content("application/json", body).required(Some(Required::True));
    let taken =
        ResponseBuilder::new().description("Any 2xx: it has arrived. Whatever else comes is tried again.");
    let operation = OperationBuilder::new()
        .operation_id(Some("session_notification"))
        .tag("webhooks")
        .summary(Some("Something happened in a session."))
        .description(Some(
            "Sent to `notifications.endpoint` for each of its `topics`, at least once and in no promised order: a repeat has the \
             `webhook-id` of the first. The signature is that of Standard Webhooks.",
        ))
        .parameter(header("webhook-id", "Which notification; the same for a repeat.", Required::True))
        .parameter(header("webhook-timestamp", "When it was sent, seconds since 1970.", Required::True))
        .parameter(header(
            "webhook-signature",
            "One or more of `v1,` and the base64 of an HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` with the \
             application's webhook secret, parted by spaces.",
            Required::True,
        ))
        .parameter(header(
            "Authorization",
            "`Basic` and the base64 of `notifications.auth_token`, or `Bearer` and the token as it is; absent where the request \
             has none.",
            Required::False,
        ))
        .request_body(Some(request.build()))
        .response("2XX", taken);
    PathsBuilder::new().path("sessionNotification", PathItem::new(HttpMethod::Post, operation)).build()
}

fn header(name: &str, words: &str, required: Required) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(required)
        .description(Some(words))
        .schema(Some(text))
        .build()
}
