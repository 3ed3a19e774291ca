//! Mail to members: invitations and sign-in links. What is to be sent is a job that commits with its cause, so a mail
//! server that is away loses nothing; and it is sealed, because it carries links.

mod email_message;
mod smtp;

pub use email_message::EmailMessage;
pub use smtp::{SmtpConfigError, SmtpTls, SmtpTransport};

use crate::vault::Vault;
use base::{AccountId, Environment, Timestamp, Uuid};
use db::{DbError, WriteTx};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, RetryPolicy, enqueue_at, enqueue_for_account};
use lettre::{
    Message,
    message::{Mailbox, MultiPart},
};
use serde::{Deserialize, Serialize};
use std::{io::Write as _, path::PathBuf, sync::Arc, time::Duration};

/// Connecting, the whole talk and the server's answers, together.
const SEND_TIMEOUT: Duration = Duration::from_mins(1);

/// How mail leaves this server.
#[derive(Debug)]
pub enum MailTransport {
    /// By a mail server.
    Smtp(SmtpTransport),
    /// Into a folder, as `.eml` files; for development.
    Folder(PathBuf),
    /// Not at all: nothing is set up.
    None,
}

/// Sends mail; cheap to clone.
#[derive(Clone, Debug)]
pub struct Mailer(Arc<MailerInner>);

#[derive(Debug)]
struct MailerInner {
    world: Arc<dyn Environment>,
    vault: Vault,
    transport: MailTransport,
    from: Mailbox,
}

/// Why there is no mail.
#[derive(Debug, thiserror::Error)]
pub enum MailConfigError {
    /// Nothing is set up.
    #[error("no mail can be sent from this server: its operator sets mail.host and mail.from")]
    NotConfigured,
    /// The sender's address is none.
    #[error("mail.from is no mail address, as `Assay <assay@example.com>`: {0}")]
    From(String),
}

/// A letter on its way. Old payloads must still be read after an update: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendMail {
    /// What the sealed letter belongs to.
    id: Uuid,
    /// The letter, base64.
    sealed: String,
    /// When its links stop working: afterwards it is sent no more.
    until: Timestamp,
}

impl Job for SendMail {
    const KIND: &'static str = "send-mail";
    const LANE: Lane = Lane::Quick;
    /// A mail server may be away for two days.
    const RETRY: RetryPolicy = RetryPolicy { waits: &RETRY_WAITS_SECONDS, jitter: 0.2 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { mail: Some(self.id), ..JobIds::default() }
    }
}

const RETRY_WAITS_SECONDS: [u32; 53] = {
    let mut waits = [3600; 53];
    (waits[0], waits[1], waits[2], waits[3], waits[4]) = (2, 10, 60, 300, 1200);
    waits
};

impl Mailer {
    /// Mail from an address, as `Assay <assay@example.com>`, by a carrier.
    pub fn new(
        world: Arc<dyn Environment>,
        vault: Vault,
        carrier: MailTransport,
        from: Option<&str>,
    ) -> Result<Self, MailConfigError> {
        let from = match (from, &carrier) {
            (Some(from), _) => from,
            (None, MailTransport::Smtp(_)) => return Err(MailConfigError::From("it is missing".to_owned())),
            (None, _) => "Assay <assay@localhost>",
        };
        let from: Mailbox = from.parse().map_err(|error| MailConfigError::From(format!("{error}")))?;
        Ok(Self(Arc::new(MailerInner { world, vault, transport: carrier, from })))
    }

    /// Whether mail can be sent at all: to be asked before anything is promised.
    pub fn ensure_configured(&self) -> Result<(), MailConfigError> {
        if matches!(self.0.transport, MailTransport::None) {
            Err(MailConfigError::NotConfigured)
        } else {
            Ok(())
        }
    }

    /// Queues a letter in the transaction that causes it; where it is about an account, it goes when the account goes.
    pub async fn enqueue(
        &self,
        tx: &mut WriteTx,
        account: Option<AccountId>,
        letter: &EmailMessage,
        until: Timestamp,
    ) -> Result<(), DbError> {
        let world = &*self.0.world;
        let id = world.uuid_v4();
        let plain = serde_json::to_vec(letter).expect("a letter of our own is JSON");
        let sealed = base64_simd::STANDARD.encode_to_string(self.0.vault.seal(world, &aad(id), &plain));
        let job = SendMail { id, sealed, until };
        match account {
            Some(account) => enqueue_for_account(tx, world, account, &job, world.now()).await?,
            None => enqueue_at(tx, world, &job, world.now()).await?,
        };
        Ok(())
    }

    /// Sends a letter. It may arrive twice: when the process dies after the mail server took it.
    pub async fn send(&self, job: &SendMail, _lease: &Lease) -> Result<JobOutcome, JobError> {
        if job.until <= self.0.world.now() {
            tracing::warn!("a mail waited until its link was worth nothing, and is not sent");
            return Ok(JobOutcome::Done);
        }
        let sealed = base64_simd::STANDARD.decode_to_vec(&job.sealed).map_err(permanent_error)?;
        let plain = self.0.vault.open(&aad(job.id), &sealed).map_err(permanent_error)?;
        let letter: EmailMessage = serde_json::from_slice(&plain).map_err(permanent_error)?;
        self.transmit(&letter, job.id).await?;
        Ok(JobOutcome::Done)
    }

    /// Sends a letter at once and once: what it says is kept nowhere, and whoever waits for it asks again.
    pub async fn send_now(&self, letter: &EmailMessage) -> Result<(), JobError> {
        self.transmit(letter, self.0.world.uuid_v4()).await
    }

    async fn transmit(&self, letter: &EmailMessage, id: Uuid) -> Result<(), JobError> {
        let message = self.compose(letter, id).map_err(permanent_error)?;
        match &self.0.transport {
            MailTransport::Smtp(smtp) => match tokio::time::timeout(SEND_TIMEOUT, smtp.send(message)).await {
                Ok(sent) => sent?,
                Err(_) => return Err(job_error("the mail server took longer than a minute", false)),
            },
            MailTransport::Folder(folder) => self.write_eml_file(folder, id, &message.formatted())?,
            MailTransport::None => {
                return Err(job_error("no mail server is set up any more: mail.host", false));
            }
        }
        metrics::counter!("assay_mails_sent_total").increment(1);
        Ok(())
    }

    /// A message as it travels: RFC 5322 headers, and the same words as text and as HTML.
    fn compose(&self, letter: &EmailMessage, id: Uuid) -> Result<Message, lettre::error::Error> {
        let to = lettre::Address::try_from(letter.to.clone()).map_err(|_| lettre::error::Error::MissingTo)?;
        let domain = self.0.from.email.domain();
        Message::builder()
            .from(self.0.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&letter.subject)
            .date(self.0.world.now().into())
            .message_id(Some(format!("<{id}@{domain}>")))
            .header(AutoSubmitted)
            .multipart(MultiPart::alternative_plain_html(letter.text(), letter.html()))
    }

    fn write_eml_file(
        &self,
        folder: &std::path::Path,
        id: Uuid,
        message: &[u8],
    ) -> Result<(), std::io::Error> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let file = folder.join(format!("{}-{id}.eml", self.0.world.now().as_microsecond()));
        crate::keyring::create_private_file(&file)?.write_all(message)
    }
}

/// `Auto-Submitted: auto-generated` (RFC 3834): answering machines leave such mail alone.
#[derive(Clone, Copy, Debug)]
struct AutoSubmitted;

impl lettre::message::header::Header for AutoSubmitted {
    fn name() -> lettre::message::header::HeaderName {
        lettre::message::header::HeaderName::new_from_ascii_str("Auto-Submitted")
    }
    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }
    fn display(&self) -> lettre::message::header::HeaderValue {
        lettre::message::header::HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

fn aad(id: Uuid) -> Vec<u8> {
    format!("mail {id}").into_bytes()
}

fn job_error(error: impl Into<String>, hopeless: bool) -> JobError {
    JobError { error: error.into(), not_before: None, permanent: hopeless }
}

fn permanent_error(error: impl std::error::Error) -> JobError {
    job_error(error.to_string(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        let old =
            r#"{"id":"018f3c8e-0000-7000-8000-00000000000a","sealed":"AA==","until":"2026-01-16T14:40:00Z"}"#;
        assert_eq!(serde_json::from_str::<SendMail>(old).unwrap().sealed, "AA==");
    }
}
