//! The webhook for verifications that were answered with 202.

use super::fetch::ProofVerification;
use crate::{
    WebhookFormatter,
    http::openapi::{WebhookDescription, add_webhook},
};
use domain::proof_of_age::{ProofRecord, ProofWebhookFormat};
use utoipa::openapi::OpenApi;

/// Adds the webhook to the interface's OpenAPI document.
pub(super) fn describe_webhooks(document: &mut OpenApi) {
    add_webhook::<ProofVerification>(
        document,
        WebhookDescription {
            name: "proof.result",
            summary: "The result of a verification that was answered with 202",
            description: "Sent to `notification.url` with the headers of the query. With the method GET there is no body: `id` and \
                          `status` are in the query of the address.",
            delivered_status: "2XX",
            headers: &[],
        },
    );
}

impl ProofWebhookFormat for WebhookFormatter {
    fn webhook_body(&self, record: &ProofRecord) -> String {
        serde_json::to_string(&ProofVerification::from(record)).expect("an answer of our own is JSON")
    }
}
