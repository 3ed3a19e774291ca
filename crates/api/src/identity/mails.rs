//! `POST /idverify/v1/sessions/{sessionId}/emails/{kind}`

use super::{Person, Problem};
use crate::Api;
use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use domain::identity::{NotDone, words::Topic};

/// What can be asked for, and what the business is told.
pub(super) const MAILS: [(&str, Topic); 2] =
    [("instructions", Topic::InstructionsEmailRequested), ("thank-you", Topic::ThankYouEmailRequested)];

/// Ask the business for a mail: `instructions`, or `thank-you`. It is told by a notification, and sends the mail itself.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/emails/{kind}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("kind" = String, Path, description = "`instructions` or `thank-you`."),
    ),
    responses((status = 204, description = "The business is told, where it wants to be."), Problem),
)]
pub(crate) async fn ask_for_mail(
    State(api): State<Api>,
    Path((_session, kind)): Path<(String, String)>,
    person: Person,
) -> Result<StatusCode, Problem> {
    let topic = MAILS.iter().find(|(word, _)| *word == kind).map(|(_, topic)| *topic);
    let topic = topic.ok_or(NotDone::Missing("mail"))?;
    api.identities.ask_for_mail(person.held.session.id, topic).await?;
    Ok(StatusCode::NO_CONTENT)
}
