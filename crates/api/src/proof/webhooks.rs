//! What is told of proofs that were answered with 202.

use super::fetch::Verification;
use crate::Webhooks;
use domain::proof::{Record, WebhookFormat};

impl WebhookFormat for Webhooks {
    fn result(&self, record: &Record) -> String {
        serde_json::to_string(&Verification::from(record)).expect("an answer of our own is JSON")
    }
}
