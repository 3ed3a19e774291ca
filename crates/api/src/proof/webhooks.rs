//! What is told of proofs that were answered with 202.

use super::fetch::Verification;
use crate::{
    Webhooks,
    http::openapi::{Webhook, add_webhook},
};
use domain::proof::{Record, WebhookFormat};
use utoipa::openapi::OpenApi;

/// Writes the webhook into the interface's document.
pub(super) fn document(document: &mut OpenApi) {
    add_webhook::<Verification>(
        document,
        Webhook {
            name: "proof.result",
            summary: "The result of a verification that was answered with 202",
            description: "Sent to `notification.url` with the headers of the query. With the method GET there is no body: `id` and \
                          `status` are in the query of the address.",
            delivered: "2XX",
            headers: &[],
        },
    );
}

impl WebhookFormat for Webhooks {
    fn result(&self, record: &Record) -> String {
        serde_json::to_string(&Verification::from(record)).expect("an answer of our own is JSON")
    }
}
