//! Mail: invitations and sign-in links to members, codes to end users. A mail is a job that is queued in the
//! transaction that causes it, so nothing is lost while the mail server is unavailable. It is sealed, because it
//! contains links.

mod email_message;
mod smtp;

pub use email_message::EmailMessage;
pub use smtp::{SmtpConfigError, SmtpTls, SmtpTransport};

use crate::vault::Vault;
use base::{AccountId, Environment, Timestamp, Uuid};
use db::{DbError, WriteTx};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, NewJob, RetryPolicy};
use lettre::{
    Message,
    message::{Mailbox, MultiPart},
};
use serde::{Deserialize, Serialize};
use std::{io::Write as _, path::PathBuf, sync::Arc, time::Duration};

/// For connecting and the whole SMTP dialogue together.
const SEND_TIMEOUT: Duration = Duration::from_mins(1);

/// How mail leaves this server.
#[derive(Debug)]
pub enum MailTransport {
    /// Through a mail server.
    Smtp(SmtpTransport),
    /// Into a folder, as `.eml` files; for development.
    Folder(PathBuf),
    /// Not at all: no mail server is configured.
    None,
}

/// Sends mail. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Mailer(Arc<MailerInner>);

#[derive(Debug)]
struct MailerInner {
    env: Arc<dyn Environment>,
    vault: Vault,
    transport: MailTransport,
    from: Mailbox,
}

/// Why no mail can be sent.
#[derive(Debug, thiserror::Error)]
pub enum MailConfigError {
    /// No mail server is configured.
    #[error("no mail can be sent from this server: its operator must set mail.host and mail.from")]
    NotConfigured,
    /// The sender's address is malformed or missing.
    #[error("mail.from is not a mail address like `Assay <assay@example.com>`: {0}")]
    From(String),
}

/// A queued mail. Queued payloads must still be readable after an update: new fields need a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendMail {
    /// Bound to the sealed mail as its AAD.
    id: Uuid,
    /// The sealed [`EmailMessage`], base64.
    sealed: String,
    /// When its links expire; after that it is not sent.
    until: Timestamp,
}

impl Job for SendMail {
    const KIND: &'static str = "send-mail";
    const LANE: Lane = Lane::Quick;
    /// Two days: that is how long a mail server may be unavailable.
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

impl MailTransport {
    /// The sender of mails. Only SMTP requires one.
    fn sender(&self, from: Option<&str>) -> Result<Mailbox, MailConfigError> {
        let from = match (from, self) {
            (Some(from), _) => from,
            (None, Self::Smtp(_)) => return Err(MailConfigError::From("it is missing".to_owned())),
            (None, _) => "Assay <assay@localhost>",
        };
        from.parse().map_err(|error| MailConfigError::From(format!("{error}")))
    }

    /// Checks that mails can have this sender.
    pub fn check_sender(&self, from: Option<&str>) -> Result<(), MailConfigError> {
        self.sender(from).map(drop)
    }
}

impl Mailer {
    /// A mailer. `from` is the sender, for example `Assay <assay@example.com>`; only SMTP requires it.
    pub fn new(
        env: Arc<dyn Environment>,
        vault: Vault,
        transport: MailTransport,
        from: Option<&str>,
    ) -> Result<Self, MailConfigError> {
        let from = transport.sender(from)?;
        Ok(Self(Arc::new(MailerInner { env, vault, transport, from })))
    }

    /// Checks that mail can be sent at all. Call this before promising a mail.
    pub fn ensure_configured(&self) -> Result<(), MailConfigError> {
        if matches!(self.0.transport, MailTransport::None) {
            Err(MailConfigError::NotConfigured)
        } else {
            Ok(())
        }
    }

    /// Whether mails go into a folder, as they do in development.
    pub fn writes_to_folder(&self) -> bool {
        matches!(self.0.transport, MailTransport::Folder(_))
    }

    /// Queues a mail in the transaction that causes it. A mail about an account is deleted with the account. It is not
    /// sent after `until`.
    pub async fn enqueue(
        &self,
        tx: &mut WriteTx,
        account: Option<AccountId>,
        mail: &EmailMessage,
        until: Timestamp,
    ) -> Result<(), DbError> {
        let env = &*self.0.env;
        let id = env.uuid_v4();
        let plain = serde_json::to_vec(mail).expect("a mail serialises to JSON");
        let sealed = base64_simd::STANDARD.encode_to_string(self.0.vault.seal(env, &aad(id), &plain));
        let job = SendMail { id, sealed, until };
        let new = NewJob::new(env, &job);
        let new = match account {
            Some(account) => new.of_account(account),
            None => new,
        };
        jobs::enqueue(tx, new).await.map(drop)
    }

    /// Runs a [`SendMail`]. The mail may arrive twice, if the process dies after the mail server accepted it.
    pub async fn send(&self, job: &SendMail, _lease: &Lease) -> Result<JobOutcome, JobError> {
        if job.until <= self.0.env.now() {
            tracing::warn!("a mail waited until its link was worth nothing, and is not sent");
            return Ok(JobOutcome::Done);
        }
        let sealed = base64_simd::STANDARD.decode_to_vec(&job.sealed).map_err(permanent_error)?;
        let plain = self.0.vault.open(&aad(job.id), &sealed).map_err(permanent_error)?;
        let mail: EmailMessage = serde_json::from_slice(&plain).map_err(permanent_error)?;
        self.transmit(&mail, job.id).await?;
        Ok(JobOutcome::Done)
    }

    /// Sends a mail immediately, with a single attempt. Nothing of it is stored; if it fails, the recipient asks again.
    pub async fn send_now(&self, mail: &EmailMessage) -> Result<(), JobError> {
        self.transmit(mail, self.0.env.uuid_v4()).await
    }

    async fn transmit(&self, mail: &EmailMessage, id: Uuid) -> Result<(), JobError> {
        let message = self.compose(mail, id).map_err(permanent_error)?;
        match &self.0.transport {
            MailTransport::Smtp(smtp) => match tokio::time::timeout(SEND_TIMEOUT, smtp.send(message)).await {
                Ok(sent) => sent?,
                Err(_) => return Err(job_error("the mail server took longer than a minute", false)),
            },
            MailTransport::Folder(folder) => self.write_eml_file(folder, id, &message.formatted())?,
            MailTransport::None => {
                return Err(job_error("no mail server is configured any more: mail.host", false));
            }
        }
        metrics::counter!("assay_mails_sent_total").increment(1);
        Ok(())
    }

    /// The RFC 5322 message: headers, and the same content as text and as HTML.
    fn compose(&self, mail: &EmailMessage, id: Uuid) -> Result<Message, lettre::error::Error> {
        let to = lettre::Address::try_from(mail.to.clone()).map_err(|_| lettre::error::Error::MissingTo)?;
        let domain = self.0.from.email.domain();
        Message::builder()
            .from(self.0.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&mail.subject)
            .date(self.0.env.now().into())
            .message_id(Some(format!("<{id}@{domain}>")))
            .header(AutoSubmitted)
            .multipart(MultiPart::alternative_plain_html(mail.text(), mail.html()))
    }

    fn write_eml_file(
        &self,
        folder: &std::path::Path,
        id: Uuid,
        message: &[u8],
    ) -> Result<(), std::io::Error> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let file = folder.join(format!("{}-{id}.eml", self.0.env.now().as_microsecond()));
        crate::keyring::create_private_file(&file)?.write_all(message)
    }
}

/// `Auto-Submitted: auto-generated` (RFC 3834): automatic responders do not answer such mail.
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

fn job_error(error: impl Into<String>, permanent: bool) -> JobError {
    JobError { error: error.into(), not_before: None, permanent }
}

fn permanent_error(error: impl std::error::Error) -> JobError {
    job_error(error.to_string(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        let old =
            r#"{"id":"018f3c8e-0000-7000-8000-00000000000a","sealed":"AA==","until":"2026-01-16T14:40:00Z"}"#;
        assert_eq!(serde_json::from_str::<SendMail>(old).unwrap().sealed, "AA==");
    }
}
