//! The mail server.

use super::Config;
use anyhow::Context as _;
use base::Secret;
use domain::mail::{MailTransport, SmtpTls, SmtpTransport};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The section `[mail]`: the operator's own mail server, which invitations and sign-in links are sent through. It is called
/// directly, not through the fetcher.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MailConfig {
    /// Its name. `None`: with `--dev` mails are written to the folder `mail` in the data folder; otherwise none are sent.
    pub(crate) host: Option<String>,
    /// Its port. `None`: 587 with `starttls`, 465 with `tls`, 25 with `none`.
    port: Option<u16>,
    /// `starttls` (required, not opportunistic), `tls` from the first byte, or `none`, for a server on this machine.
    tls: SmtpTls,
    /// The user name, with `password_file`.
    user: Option<String>,
    password_file: Option<PathBuf>,
    /// A file with a further trusted certificate, PEM, for a mail server whose certificate no public authority signed.
    ca_file: Option<PathBuf>,
    /// The sender, such as `Assay <assay@example.com>`.
    pub(crate) from: Option<String>,
}

impl Config {
    /// How mail is sent.
    pub(crate) fn mail_transport(&self, dev: bool) -> anyhow::Result<MailTransport> {
        let read = |name: &str, file: &Path| {
            std::fs::read(file).with_context(|| format!("{name} {} cannot be read", file.display()))
        };
        let MailConfig { host, port, tls, user, password_file, ca_file, from: _ } = &self.mail;
        let Some(host) = host else {
            return Ok(if dev {
                MailTransport::Folder(self.data_dir.join("mail"))
            } else {
                MailTransport::None
            });
        };
        let credentials = match (user, password_file) {
            (Some(user), Some(file)) => {
                let password = String::from_utf8(read("mail.password_file", file)?)
                    .context("mail.password_file holds no text")?;
                Some((user.clone(), Secret::new(password.trim_end_matches(['\r', '\n']).to_owned())))
            }
            (None, None) => None,
            _ => anyhow::bail!("mail.user and mail.password_file go together"),
        };
        let ca = ca_file.as_ref().map(|file| read("mail.ca_file", file)).transpose()?;
        Ok(MailTransport::Smtp(SmtpTransport::new(host, *port, *tls, credentials, ca.as_deref())?))
    }
}
