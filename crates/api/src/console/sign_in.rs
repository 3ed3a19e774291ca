//! `POST /console/sign-in`: asks for a mail with a link.

use super::knock::Knock;
use crate::{
    Api,
    moderation::{Code, Problem},
};
use axum::{extract::State, http::StatusCode};
use base::Uuid;
use domain::accounts::{Email, doors::NotAsked};

/// Who wants to come in.
#[derive(serde::Deserialize)]
pub(super) struct Asked {
    /// His address.
    email: Option<String>,
}

/// 202 whether anybody has the address or not, after the same work: who is a member is found out by a job.
pub(super) async fn ask(State(api): State<Api>, Knock(asked): Knock<Asked>) -> Result<StatusCode, Problem> {
    let email: Email = asked.email.as_deref().unwrap_or_default().parse()?;
    // One bucket for all: it says nothing about an address.
    api.sign_ins.take(&Uuid::nil().into()).map_err(|empty| Problem::too_many_of_all(empty.reset))?;
    let mut tx = api.db.write().await?;
    api.doors.ask_for_links(&mut tx, &email).await?;
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}

impl From<NotAsked> for Problem {
    fn from(no: NotAsked) -> Self {
        match no {
            NotAsked::Mail(no) => Self::new(Code::Unavailable, no.to_string()),
            NotAsked::Db(error) => Self::unavailable(&error),
        }
    }
}
