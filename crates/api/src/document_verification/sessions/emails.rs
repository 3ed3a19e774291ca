//! `POST /idverify/v1/sessions/{sessionId}/emails/{kind}`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::DocumentEndUser, error},
};
use axum::{extract::State, http::StatusCode};
use domain::document_verification::{
    DocumentSessionError, session::DocumentSession, types::NotificationTopic,
};
use utoipa::ToSchema;

/// An email that the end user can request.
#[derive(Clone, Copy, serde::Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EmailKind {
    /// Instructions for the end user.
    Instructions,
    /// A confirmation that the session is done.
    ThankYou,
}

impl EmailKind {
    const ALL: [(&'static str, Self); 2] =
        [("instructions", Self::Instructions), ("thank-you", Self::ThankYou)];

    /// The notification that the relying party receives.
    fn topic(self) -> NotificationTopic {
        match self {
            Self::Instructions => NotificationTopic::InstructionsEmailRequested,
            Self::ThankYou => NotificationTopic::ThankYouEmailRequested,
        }
    }

    /// The emails that the relying party accepts requests for.
    pub(super) fn requested_by(session: &DocumentSession) -> Vec<Self> {
        let topics =
            session.requested.notifications.as_ref().map(|whom| &whom.topics[..]).unwrap_or_default();
        let wanted = |kind: &Self| topics.contains(&kind.topic());
        Self::ALL.into_iter().map(|(_, kind)| kind).filter(wanted).collect()
    }
}

/// Ask the relying party for an email.
///
/// The relying party receives a notification, and sends the email itself.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/emails/{kind}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("kind" = EmailKind, Path, description = "Which mail."),
    ),
    responses((status = 204, description = "The relying party is notified, if it subscribed to the topic."), error::AskForMailErrors),
)]
pub(crate) async fn ask_for_mail(
    State(api): State<ApiState>,
    user: DocumentEndUser,
) -> Result<StatusCode, DocumentApiError> {
    let kind = EmailKind::ALL.into_iter().find(|(word, _)| user.path.get("kind") == Some(word));
    let (_, kind) = kind.ok_or(DocumentSessionError::ItemNotFound("mail"))?;
    api.document_verification.request_email(user.stored.session.id, kind.topic()).await?;
    Ok(StatusCode::NO_CONTENT)
}
