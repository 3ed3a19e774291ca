//! Messages, and queueing them.

use super::{endpoints::endpoint_key, records::DeliveryState};
use crate::{vault::Vault, wire_enum::wire_enum};
use base::{AccountId, AppId, DeliveryId, Environment, Id as _, Uuid};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use media::fetch::{FetchTargetError, Fetcher};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// The HTTP method of a message.
    pub enum WebhookMethod {
        /// The content is JSON in the body.
        Post => "POST",
        /// The content is in the query of the URL.
        Get => "GET",
    }
}

/// Which responses count as delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SuccessCriterion {
    #[default]
    Any2xx,
    /// 200 alone: webhooks of age sessions.
    Only200,
}

impl SuccessCriterion {
    /// Whether a response with this status counts as delivered.
    pub fn accepts(self, status: u16) -> bool {
        match self {
            Self::Any2xx => (200..300).contains(&status),
            Self::Only200 => status == 200,
        }
    }
}

/// A message to an application's server. Rows that an older version queued must still be readable: new fields need a
/// default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookMessage {
    /// An https URL.
    pub url: String,
    pub verb: WebhookMethod,
    /// Headers that the application asked for, beside those of the signature.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// JSON; empty for GET.
    pub body: String,
    /// Whether the receiver's certificate must be valid.
    pub verify_tls: bool,
    #[serde(default)]
    pub success: SuccessCriterion,
}

/// Where a test goes.
#[derive(Clone, Debug)]
pub struct TestDestination {
    /// An https URL.
    pub url: String,
    /// Whether the receiver's certificate must be valid.
    pub verify_tls: bool,
}

/// What messages that are tests are about.
const TEST_TOPIC: &str = "webhook.test";

/// Queues messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    fetcher: Fetcher,
    vault: Vault,
}

/// Why a message was not queued.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// Its URL is not one that may be called.
    #[error(transparent)]
    Refused(#[from] FetchTargetError),
    #[error(transparent)]
    Db(#[from] DbError),
}

impl Outbox {
    /// An outbox that checks URLs with `fetcher` and seals messages with `vault`.
    pub fn new(fetcher: Fetcher, vault: Vault) -> Self {
        Self { fetcher, vault }
    }

    /// Checks that a URL may be stored as one to deliver to, with or without verifying its certificate.
    pub fn check_destination(&self, url: &str, verify_tls: bool) -> Result<(), FetchTargetError> {
        self.fetcher.parse_target(url)?;
        if verify_tls || self.fetcher.allows_unverified_tls() {
            Ok(())
        } else {
            Err(FetchTargetError::UnverifiedTls)
        }
    }

    /// Refuses an address of a stream that this server is not allowed to call.
    pub fn check_stream(&self, url: &str) -> Result<(), FetchTargetError> {
        self.fetcher.parse_stream(url).map(drop)
    }

    /// Queues a message in the transaction that causes it: without the commit, nothing is sent.
    ///
    /// `topic` tells operators what it is about, for example `proof.result`.
    pub async fn enqueue(
        &self,
        tx: &mut WriteTx,
        env: &dyn Environment,
        app: AppId,
        topic: &str,
        message: &WebhookMessage,
    ) -> Result<DeliveryId, OutboxError> {
        self.enqueue_about(tx, env, (app, None), &[], topic, message).await
    }

    /// Queues a message about `subjects`: ids of sessions, moderations or profiles. When one of them is erased, so is the
    /// message ([`super::erase_messages_about`]). One of an account is deleted with the account.
    pub async fn enqueue_about(
        &self,
        tx: &mut WriteTx,
        env: &dyn Environment,
        (app, account): (AppId, Option<AccountId>),
        subjects: &[Uuid],
        topic: &str,
        message: &WebhookMessage,
    ) -> Result<DeliveryId, OutboxError> {
        let target = self.fetcher.parse_target(&message.url)?;
        let (id, now) = (DeliveryId::new(env), env.now());
        let plain = serde_json::to_vec(message).expect("a message serialises to JSON");
        let sealed = self.vault.seal(env, &aad(id), &plain);
        let mut written = vec![sql!(
            "INSERT INTO deliveries (id, app_id, topic, endpoint, sealed, state, tries, attempts, begun_at, next_at,
                                     created_at, account_id)
             VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $8, $8, $9)",
            id,
            app,
            topic,
            endpoint_key(app, target.origin(), message.verify_tls),
            sealed,
            DeliveryState::Waiting,
            serde_json::json!([]),
            now,
            account,
        )];
        written.extend(subjects.iter().map(|subject| {
            sql!(
                "INSERT INTO delivery_subjects (subject_id, delivery_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                *subject,
                id,
            )
        }));
        tx.execute_all(written).await?;
        tx.notify_on_commit();
        Ok(id)
    }

    /// What a delivery says and where it goes, with the secrets that the application gave for its headers; `None` if it was
    /// erased, cannot be decrypted, or is another application's than `app`.
    pub async fn open_message(
        &self,
        view: &mut ReadTx,
        app: Option<AppId>,
        id: DeliveryId,
    ) -> Result<Option<WebhookMessage>, DbError> {
        #[derive(FromRow)]
        struct SealedMessageRow {
            sealed: Vec<u8>,
        }
        let row: Option<SealedMessageRow> = view
            .fetch_optional(sql!(
                "SELECT sealed FROM deliveries WHERE id = $1 AND (app_id = $2 OR $2 IS NULL) AND length(sealed) > 0",
                id,
                app,
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal(id, &row.sealed)))
    }

    /// Queues a message that says only that it is a test, to show that an application's server takes and verifies what it
    /// is sent. `body` is its text, JSON.
    pub async fn enqueue_test(
        &self,
        tx: &mut WriteTx,
        env: &dyn Environment,
        app: AppId,
        destination: &TestDestination,
        body: String,
    ) -> Result<DeliveryId, OutboxError> {
        let TestDestination { url, verify_tls } = destination;
        self.check_destination(url, *verify_tls)?;
        let message = WebhookMessage {
            url: url.clone(),
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body,
            verify_tls: *verify_tls,
            success: SuccessCriterion::Any2xx,
        };
        let id = self.enqueue(tx, env, app, TEST_TOPIC, &message).await?;
        tx.audit(AuditEvent::new("delivery.test").app(app).target(id));
        Ok(id)
    }

    pub(super) fn unseal(&self, id: DeliveryId, sealed: &[u8]) -> Option<WebhookMessage> {
        serde_json::from_slice(&self.vault.open(&aad(id), sealed).ok()?).ok()
    }

    pub(super) fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    pub(super) fn vault(&self) -> &Vault {
        &self.vault
    }
}

fn aad(id: DeliveryId) -> Vec<u8> {
    format!("delivery {id}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_messages_still_parse() {
        let old = r#"{"url":"https://a.example/x","verb":"GET","body":"","verify_tls":false}"#;
        let message: WebhookMessage = serde_json::from_str(old).unwrap();
        assert_eq!(
            (message.verb, message.success, message.headers.len()),
            (WebhookMethod::Get, SuccessCriterion::Any2xx, 0)
        );
    }

    #[test]
    fn age_sessions_accept_nothing_but_200() {
        assert!(
            SuccessCriterion::Any2xx.accepts(204)
                && !SuccessCriterion::Any2xx.accepts(302)
                && !SuccessCriterion::Any2xx.accepts(199)
        );
        assert!(SuccessCriterion::Only200.accepts(200) && !SuccessCriterion::Only200.accepts(204));
    }
}
