//! Sending through the operator's own mail server (SMTP).

use super::job_error;
use crate::wire_enum::wire_enum;
use base::Secret;
use jobs::JobError;
use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    transport::smtp::{
        authentication::Credentials,
        client::{Certificate, Tls, TlsParameters},
        extension::ClientId,
    },
};
use std::time::Duration;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

wire_enum! {
    /// How the connection to the mail server is secured.
    #[derive(Default)]
    pub enum SmtpTls {
        /// It starts in plaintext and must switch to TLS before anything is sent (port 587).
        #[default]
        StartTls => "starttls",
        /// TLS from the first byte (port 465).
        Tls => "tls",
        /// Not at all; only for a mail server on this machine (port 25).
        None => "none",
    }
}

impl SmtpTls {
    /// The usual port.
    pub fn default_port(self) -> u16 {
        match self {
            Self::StartTls => 587,
            Self::Tls => 465,
            Self::None => 25,
        }
    }
}

/// Why a mail server cannot be used as configured.
#[derive(Debug, thiserror::Error)]
pub enum SmtpConfigError {
    /// Mail would leave this machine in plaintext; the host.
    #[error("mail.tls = \"none\" is possible only with a mail server on this machine, and {0} is not")]
    Plaintext(String),
    /// The host name or a certificate is malformed.
    #[error("mail.host or the certificates in mail.ca_file cannot be used: {0}")]
    Tls(lettre::transport::smtp::Error),
    /// The file with certificates has none.
    #[error("mail.ca_file holds no certificate in PEM")]
    NoCertificate,
}

/// A connection to a mail server.
#[derive(Debug)]
pub struct SmtpTransport(AsyncSmtpTransport<Tokio1Executor>);

impl SmtpTransport {
    /// Does not connect yet. Without `port`, the usual one of `tls`. `ca` is a further certificate to trust, PEM.
    pub fn new(
        host: &str,
        port: Option<u16>,
        tls: SmtpTls,
        credentials: Option<(String, Secret<String>)>,
        ca: Option<&[u8]>,
    ) -> Result<Self, SmtpConfigError> {
        let is_local = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        if tls == SmtpTls::None && !is_local {
            return Err(SmtpConfigError::Plaintext(host.to_owned()));
        }
        let mut parameters = TlsParameters::builder(host.to_owned());
        if let Some(pem) = ca {
            let marker = b"-----BEGIN CERTIFICATE-----";
            if !pem.windows(marker.len()).any(|part| part == marker) {
                return Err(SmtpConfigError::NoCertificate);
            }
            parameters =
                parameters.add_root_certificate(Certificate::from_pem(pem).map_err(SmtpConfigError::Tls)?);
        }
        let security = match tls {
            SmtpTls::StartTls => Tls::Required(parameters.build().map_err(SmtpConfigError::Tls)?),
            SmtpTls::Tls => Tls::Wrapper(parameters.build().map_err(SmtpConfigError::Tls)?),
            SmtpTls::None => Tls::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(port.unwrap_or_else(|| tls.default_port()))
            .tls(security)
            .timeout(Some(CONNECT_TIMEOUT))
            .hello_name(ClientId::default());
        if let Some((user, password)) = credentials {
            builder = builder.credentials(Credentials::new(user, password.expose().clone()));
        }
        Ok(Self(builder.build()))
    }

    pub(super) async fn send(&self, message: Message) -> Result<(), JobError> {
        let Err(error) = self.0.send(message).await else { return Ok(()) };
        // The server's reply may name people, so only its status code is logged.
        let message = match error.status() {
            Some(code) => format!("the mail server answered {code}"),
            None if error.is_timeout() => "the mail server does not answer".to_owned(),
            None if error.is_tls() => format!("the mail server's TLS is refused: {error}"),
            None if error.is_client() => format!("the mail cannot be sent: {error}"),
            None => format!("the mail server cannot be reached: {error}"),
        };
        Err(job_error(message, error.is_permanent()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plaintext_mail_stays_on_this_machine() {
        assert!(SmtpTransport::new("127.0.0.1", None, SmtpTls::None, None, None).is_ok());
        assert!(matches!(
            SmtpTransport::new("mail.example.com", None, SmtpTls::None, None, None),
            Err(SmtpConfigError::Plaintext(_))
        ));
        assert!(SmtpTransport::new("mail.example.com", None, SmtpTls::StartTls, None, None).is_ok());
        assert!(matches!(
            SmtpTransport::new("mail.example.com", None, SmtpTls::Tls, None, Some(b"none")),
            Err(SmtpConfigError::NoCertificate)
        ));
    }
}
