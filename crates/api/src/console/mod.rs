//! What the console's pages need beside interface 1: sessions of members, and links to begin them with. Refusals have the
//! moderation interface's form.

mod cookie;
mod knock;
mod session;
mod sign_in;

pub(crate) use cookie::session;

use crate::{Api, http::panic, moderation};
use axum::{
    Router,
    routing::{get, post},
};

pub(crate) fn router() -> Router<Api> {
    Router::new()
        .route("/console/session", get(session::who).post(session::enter).delete(session::leave))
        .route("/console/sign-in", post(sign_in::ask))
        .layer(panic::catch::<moderation::Code>())
}
