//! Outgoing requests: every address that a user supplied is called through [`Fetcher`], and in no other way.
//!
//! Only `https` is allowed, and only the public internet, except for what the operator's [`EgressPolicy`] lists. An
//! address is checked when it is stored ([`Fetcher::parse_target`], [`Fetcher::resolve_target`]), when it is used, and
//! at each connection by our own resolver, whose answer is the one that is connected to: DNS rebinding gains nothing. A
//! pooled connection was checked when it was made. Redirects are followed only by [`Fetcher::open_with_redirects`], and
//! each is checked like any other address. Responses are not decompressed, proxies of the environment are not used, and
//! no cookies are kept. Whoever supplied the address learns only that it could not be called, not why: that would
//! reveal what is reachable inside the network.
//!
//! Other connections go to addresses of the operator's own: the database, the store for blobs. A test searches the
//! workspace's sources for any others.

mod address_reach;
mod error;
mod policy;
mod redirects;
mod request;
mod resolver;
mod stream;
mod stream_target;
mod target;

pub use bytes::Bytes;
pub use error::{FetchError, FetchTargetError};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method};
pub use ipnet::IpNet;
pub use policy::{EgressPolicy, EgressPolicyError, TrustedRoot};
pub use request::{BufferedResponse, FetchRequest, StreamingResponse, is_reserved};
pub use stream::Connection;
pub use stream_target::StreamTarget;
pub use target::{FetchTarget, MAX_ADDRESS_BYTES};

use policy::EgressRules;
use reqwest::{Certificate, Client, redirect};
use resolver::GuardedResolver;
use std::{error::Error as _, sync::Arc, time::Duration};
use tokio_rustls::rustls::ClientConfig;

/// Covers name resolution, connection and TLS handshake together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an idle connection is kept.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Idle connections that are kept for each host, if it does not speak HTTP/2.
const MAX_IDLE_CONNECTIONS_PER_HOST: usize = 256;

/// Calls addresses that users supplied; cheap to clone.
#[derive(Clone)]
pub struct Fetcher(Arc<FetcherInner>);

struct FetcherInner {
    rules: Arc<EgressRules>,
    resolver: GuardedResolver,
    verified: Client,
    /// Has its own connection pool: a request that requires a verified certificate must not use a connection where it
    /// was not verified. `None` if the policy does not allow such requests.
    unverified: Option<Client>,
    stream_tls: Arc<ClientConfig>,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fetcher({:?})", self.0.rules)
    }
}

impl Fetcher {
    /// Creates a fetcher for a policy. Reads the system's root certificates, name servers and hosts file, once.
    pub fn new(policy: &EgressPolicy) -> Result<Self, EgressPolicyError> {
        let rules = Arc::new(EgressRules::of(policy)?);
        let resolver = GuardedResolver::new(rules.clone(), policy.name_server)
            .map_err(|error| EgressPolicyError::NameServer(error.to_string()))?;
        let roots = policy::read_roots(&policy.roots)?;
        let stream_tls = stream::tls_config(policy::read_certificates(&policy.roots)?)?;
        let verified = client(&resolver, Some(roots))?;
        let unverified = policy.unverified_tls.then(|| client(&resolver, None)).transpose()?;
        Ok(Self(Arc::new(FetcherInner { rules, resolver, verified, unverified, stream_tls })))
    }

    /// Parses an address that is to be stored and called later. Does not resolve its name: that is checked when the
    /// address is called, or now by [`Fetcher::resolve_target`].
    pub fn parse_target(&self, text: &str) -> Result<FetchTarget, FetchTargetError> {
        FetchTarget::parse(text, &self.0.rules)
    }

    /// Parses an address that is to be stored, and resolves its name now. To whoever supplied it, a name that resolves
    /// to an internal address must look like one that does not resolve.
    pub async fn resolve_target(&self, text: &str) -> Result<FetchTarget, FetchError> {
        let target = self.parse_target(text)?;
        if let Some(name) = target.name() {
            let looked = tokio::time::timeout(CONNECT_TIMEOUT, self.0.resolver.lookup(name)).await;
            looked.map_err(|_| FetchError::TooSlow(CONNECT_TIMEOUT))??;
        }
        Ok(target)
    }

    /// Whether the policy allows requests without certificate verification.
    pub fn allows_unverified_tls(&self) -> bool {
        self.0.unverified.is_some()
    }

    /// Calls an address and reads the whole response into memory.
    pub async fn call(&self, address: &str, call: FetchRequest) -> Result<BufferedResponse, FetchError> {
        self.open(address, call).await?.read_to_end().await
    }

    /// Calls an address and returns the response with its body still to be read. The address is parsed and checked
    /// again: what was allowed when it was stored may no longer be.
    pub async fn open(&self, address: &str, call: FetchRequest) -> Result<StreamingResponse, FetchError> {
        let target = self.parse_target(address)?;
        let client = if call.verify_tls { Some(&self.0.verified) } else { self.0.unverified.as_ref() };
        call.send(client.ok_or(FetchTargetError::UnverifiedTls)?, target).await
    }
}

/// A client that trusts the system's root certificates and the given ones. `None`: a client that does not verify
/// certificates.
#[expect(clippy::disallowed_methods, reason = "this is the one place where connections outside begin")]
fn client(resolver: &GuardedResolver, roots: Option<Vec<Certificate>>) -> Result<Client, EgressPolicyError> {
    let builder = Client::builder()
        .https_only(true)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .dns_resolver(Arc::new(resolver.clone()))
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_CONNECTION_TIMEOUT)
        .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS_PER_HOST)
        .http1_max_headers(request::MAX_RESPONSE_HEADERS)
        .http2_max_header_list_size(request::MAX_RESPONSE_HEADER_BYTES as u32)
        // Otherwise, after a receiver vanished without closing the connection, every request on it would wait for its
        // own timeout.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")));
    let builder = match roots {
        Some(roots) => builder.tls_certs_merge(roots),
        None => builder.tls_danger_accept_invalid_certs(true),
    };
    builder.build().map_err(|error| EgressPolicyError::Client(error.source().unwrap_or(&error).to_string()))
}
