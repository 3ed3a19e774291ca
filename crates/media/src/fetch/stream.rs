//! Connections to cameras and stream servers: checked like every other outgoing call, and the caller speaks on them.

use super::{CONNECT_TIMEOUT, EgressPolicyError, FetchError, FetchTargetError, Fetcher, StreamTarget};
use rustls_pki_types::{CertificateDer, ServerName};
use rustls_platform_verifier::Verifier;
use std::{io, net::IpAddr, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, crypto::aws_lc_rs},
};
use url::Host;

/// A connection that bytes are read from and written to.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// TLS that trusts the system's root certificates and the given ones.
pub(super) fn tls_config(
    roots: Vec<CertificateDer<'static>>,
) -> Result<Arc<ClientConfig>, EgressPolicyError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let failed = |error: tokio_rustls::rustls::Error| EgressPolicyError::Client(error.to_string());
    let verifier = Verifier::new_with_extra_roots(roots, provider.clone()).map_err(failed)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

impl Fetcher {
    /// Parses the address of a stream that is to be stored and called later, as [`Fetcher::parse_target`] does.
    pub fn parse_stream(&self, text: &str) -> Result<StreamTarget, FetchTargetError> {
        StreamTarget::parse(text, &self.0.rules)
    }

    /// Connects to an address of a stream; name resolution, connection and TLS together take five seconds at most. The
    /// connection goes to the addresses that were checked.
    pub async fn connect(&self, address: &str) -> Result<Box<dyn Connection>, FetchError> {
        let target = self.parse_stream(address)?;
        let connecting = tokio::time::timeout(CONNECT_TIMEOUT, self.open_connection(&target)).await;
        connecting.map_err(|_| FetchError::TooSlow(CONNECT_TIMEOUT))?
    }

    #[expect(clippy::disallowed_methods, reason = "its addresses were checked")]
    async fn open_connection(&self, target: &StreamTarget) -> Result<Box<dyn Connection>, FetchError> {
        let failed = |error: io::Error| FetchError::Failed(error.to_string());
        let addresses = match &target.host {
            Host::Domain(name) => self.0.resolver.lookup(name).await?,
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
        };
        let addresses: Vec<_> = addresses.into_iter().map(|address| (address, target.port).into()).collect();
        let connection = TcpStream::connect(&*addresses).await.map_err(failed)?;
        connection.set_nodelay(true).map_err(failed)?;
        if !target.tls {
            return Ok(Box::new(connection));
        }
        let name = match &target.host {
            Host::Domain(name) => {
                ServerName::try_from(name.clone()).map_err(|_| FetchError::Refused(FetchTargetError::Host))?
            }
            Host::Ipv4(address) => ServerName::from(IpAddr::V4(*address)),
            Host::Ipv6(address) => ServerName::from(IpAddr::V6(*address)),
        };
        let tls = TlsConnector::from(self.0.stream_tls.clone());
        Ok(Box::new(tls.connect(name, connection).await.map_err(failed)?))
    }
}
