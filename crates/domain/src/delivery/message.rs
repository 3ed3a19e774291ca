//! What is delivered, and how it is queued.

use super::records::DeliveryState;
use crate::{vault::Vault, wire_enum::wire_enum};
use base::{AccountId, AppId, DeliveryId, Environment, Id as _};
use db::{DbError, WriteTx, sql};
use media::fetch::{FetchTargetError, Fetcher};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// How a message travels.
    pub enum WebhookMethod {
        /// In the body.
        Post => "POST",
        /// In the query of the address.
        Get => "GET",
    }
}

/// Which answers count as delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SuccessCriterion {
    /// Any 2xx.
    #[default]
    Any2xx,
    /// 200 alone: age sessions.
    Only200,
}

impl SuccessCriterion {
    /// Whether an answer with this status counts.
    pub fn accepts(self, status: u16) -> bool {
        match self {
            Self::Any2xx => (200..300).contains(&status),
            Self::Only200 => status == 200,
        }
    }
}

/// A message to an application's server. Old rows must still be read after an update: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookMessage {
    /// Where to, https.
    pub url: String,
    /// How.
    pub verb: WebhookMethod,
    /// Headers that the application asked for, beside the ones that sign.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// JSON; empty with GET.
    pub body: String,
    /// Whether the receiver's certificate must be right.
    pub verify_tls: bool,
    /// Which answers count.
    #[serde(default)]
    pub success: SuccessCriterion,
}

/// Where messages are put; cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    fetcher: Fetcher,
    vault: Vault,
}

/// A message that cannot be queued.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// Its address is none that is called.
    #[error(transparent)]
    Refused(#[from] FetchTargetError),
    /// The database did not take it.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl Outbox {
    /// An outbox that checks addresses with `fetcher`, and seals what it keeps.
    pub fn new(fetcher: Fetcher, vault: Vault) -> Self {
        Self { fetcher, vault }
    }

    /// Tells whether an address may be stored as one to deliver to, with or without a right certificate.
    pub fn check_destination(&self, url: &str, verify_tls: bool) -> Result<(), FetchTargetError> {
        self.fetcher.parse_target(url)?;
        if verify_tls || self.fetcher.allows_unverified_tls() {
            Ok(())
        } else {
            Err(FetchTargetError::UnverifiedTls)
        }
    }

    /// Queues a message in the transaction that causes it: if that is not committed, nothing was promised.
    ///
    /// `topic` tells operators what it is about, as `proof.result`.
    pub async fn enqueue(
        &self,
        tx: &mut WriteTx,
        world: &dyn Environment,
        app: AppId,
        topic: &str,
        message: &WebhookMessage,
    ) -> Result<DeliveryId, OutboxError> {
        self.insert(tx, world, app, None, topic, message).await
    }

    /// The same for an account's message, which goes when the account goes.
    pub async fn enqueue_for_account(
        &self,
        tx: &mut WriteTx,
        world: &dyn Environment,
        (app, account): (AppId, AccountId),
        topic: &str,
        message: &WebhookMessage,
    ) -> Result<DeliveryId, OutboxError> {
        self.insert(tx, world, app, Some(account), topic, message).await
    }

    async fn insert(
        &self,
        tx: &mut WriteTx,
        world: &dyn Environment,
        app: AppId,
        account: Option<AccountId>,
        topic: &str,
        message: &WebhookMessage,
    ) -> Result<DeliveryId, OutboxError> {
        let target = self.fetcher.parse_target(&message.url)?;
        let (id, now) = (DeliveryId::new(world), world.now());
        let plain = serde_json::to_vec(message).expect("a message of our own is JSON");
        let sealed = self.vault.seal(world, &aad(id), &plain);
        tx.execute(sql!(
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
        ))
        .await?;
        tx.notify_on_commit();
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

/// The endpoint a message belongs to. Those whose certificate is not verified are one of their own: a certificate that
/// nobody vouches for fails every other message, and must not close the endpoint for these.
fn endpoint_key(app: AppId, origin: impl std::fmt::Display, verify_tls: bool) -> String {
    let unverified = if verify_tls { "" } else { " unverified" };
    format!("{app} {origin}{unverified}")
}

fn aad(id: DeliveryId) -> Vec<u8> {
    format!("delivery {id}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older build queued must still be understood.
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
    fn age_sessions_take_nothing_but_200() {
        assert!(
            SuccessCriterion::Any2xx.accepts(204)
                && !SuccessCriterion::Any2xx.accepts(302)
                && !SuccessCriterion::Any2xx.accepts(199)
        );
        assert!(SuccessCriterion::Only200.accepts(200) && !SuccessCriterion::Only200.accepts(204));
    }
}
