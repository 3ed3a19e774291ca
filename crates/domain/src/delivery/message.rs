//! What is delivered, and how it is queued.

use super::records::DeliveryState;
use crate::{vault::Vault, words::wire_enum};
use base::{AccountId, AppId, DeliveryId, Id as _, World};
use db::{DbError, Tx, sql};
use media::fetch::{Fetcher, Refused};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// How a message travels.
    pub enum Verb {
        /// In the body.
        Post => "POST",
        /// In the query of the address.
        Get => "GET",
    }
}

/// Which answers count as delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Success {
    /// Any 2xx.
    #[default]
    Any2xx,
    /// 200 alone: age sessions.
    Only200,
}

impl Success {
    /// Whether an answer with this status counts.
    pub fn takes(self, status: u16) -> bool {
        match self {
            Self::Any2xx => (200..300).contains(&status),
            Self::Only200 => status == 200,
        }
    }
}

/// A message to an application's server. Old rows must still be read after an update: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Where to, https.
    pub url: String,
    /// How.
    pub verb: Verb,
    /// Headers that the application asked for, beside the ones that sign.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// JSON; empty with GET.
    pub body: String,
    /// Whether the receiver's certificate must be right.
    pub verify_tls: bool,
    /// Which answers count.
    #[serde(default)]
    pub success: Success,
}

/// Where messages are put; cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    fetcher: Fetcher,
    vault: Vault,
}

/// A message that cannot be queued.
#[derive(Debug, thiserror::Error)]
pub enum NotQueued {
    /// Its address is none that is called.
    #[error(transparent)]
    Refused(#[from] Refused),
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
    pub fn check(&self, url: &str, verify_tls: bool) -> Result<(), Refused> {
        self.fetcher.target(url)?;
        if verify_tls || self.fetcher.calls_unverified() { Ok(()) } else { Err(Refused::UnverifiedTls) }
    }

    /// Queues a message in the transaction that causes it: if that is not committed, nothing was promised.
    ///
    /// `topic` tells operators what it is about, as `proof.result`.
    pub async fn post(
        &self,
        tx: &mut Tx,
        world: &dyn World,
        app: AppId,
        topic: &str,
        message: &Message,
    ) -> Result<DeliveryId, NotQueued> {
        self.queue(tx, world, app, None, topic, message).await
    }

    /// The same for an account's message, which goes when the account goes.
    pub async fn post_of(
        &self,
        tx: &mut Tx,
        world: &dyn World,
        (app, account): (AppId, AccountId),
        topic: &str,
        message: &Message,
    ) -> Result<DeliveryId, NotQueued> {
        self.queue(tx, world, app, Some(account), topic, message).await
    }

    async fn queue(
        &self,
        tx: &mut Tx,
        world: &dyn World,
        app: AppId,
        account: Option<AccountId>,
        topic: &str,
        message: &Message,
    ) -> Result<DeliveryId, NotQueued> {
        let target = self.fetcher.target(&message.url)?;
        let (id, now) = (DeliveryId::new(world), world.now());
        let plain = serde_json::to_vec(message).expect("a message of our own is JSON");
        let sealed = self.vault.seal(world, &place(id), &plain);
        tx.execute(sql!(
            "INSERT INTO deliveries (id, app_id, topic, endpoint, sealed, state, tries, attempts, begun_at, next_at,
                                     created_at, account_id)
             VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $8, $8, $9)",
            id,
            app,
            topic,
            endpoint(app, target.origin(), message.verify_tls),
            sealed,
            DeliveryState::Waiting,
            serde_json::json!([]),
            now,
            account,
        ))
        .await?;
        tx.announce();
        Ok(id)
    }

    pub(super) fn open(&self, id: DeliveryId, sealed: &[u8]) -> Option<Message> {
        serde_json::from_slice(&self.vault.open(&place(id), sealed).ok()?).ok()
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
fn endpoint(app: AppId, origin: impl std::fmt::Display, verify_tls: bool) -> String {
    let unverified = if verify_tls { "" } else { " unverified" };
    format!("{app} {origin}{unverified}")
}

fn place(id: DeliveryId) -> Vec<u8> {
    format!("delivery {id}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older build queued must still be understood.
    #[test]
    fn old_messages_still_parse() {
        let old = r#"{"url":"https://a.example/x","verb":"GET","body":"","verify_tls":false}"#;
        let message: Message = serde_json::from_str(old).unwrap();
        assert_eq!((message.verb, message.success, message.headers.len()), (Verb::Get, Success::Any2xx, 0));
    }

    #[test]
    fn age_sessions_take_nothing_but_200() {
        assert!(Success::Any2xx.takes(204) && !Success::Any2xx.takes(302) && !Success::Any2xx.takes(199));
        assert!(Success::Only200.takes(200) && !Success::Only200.takes(204));
    }
}
