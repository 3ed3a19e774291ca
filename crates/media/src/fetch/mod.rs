//! The one way out. Every address that a user gave is called through [`Fetcher`], and through nothing else.
//!
//! Only https, only the public internet, except for what the operator's [`Policy`] lists. An address is checked when it
//! is stored ([`Fetcher::target`], [`Fetcher::resolve_target`]), again when it is used, and at each connection by our own
//! resolver, whose answer is the one that is connected to: a name that changes its mind in between gains nothing. A
//! connection that is kept was checked when it was made. Redirects are not followed, but where [`Fetcher::redirects`] asks for
//! it, and then each is an address like any other; answers are not decompressed,
//! proxies of the environment are not asked, and no cookies are kept. Whoever gave the address learns that it could not
//! be called, and not why: that would tell a stranger what answers inside.
//!
//! Other connections go to addresses of the operator's own: the database, the store for blobs. A test reads the
//! workspace's sources for any further.

mod address_reach;
mod error;
mod policy;
mod redirects;
mod request;
mod resolver;
mod target;

pub use bytes::Bytes;
pub use error::{FetchError, FetchTargetError};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method};
pub use ipnet::IpNet;
pub use policy::{EgressPolicy, EgressPolicyError, TrustedRoot};
pub use request::{BufferedResponse, FetchRequest, StreamingResponse, is_reserved};
pub use target::FetchTarget;

use policy::EgressRules;
use reqwest::{Certificate, Client, redirect};
use resolver::GuardedResolver;
use std::{error::Error as _, sync::Arc, time::Duration};

/// For name, connection and TLS together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection that nobody uses is kept.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections that nobody uses, kept for each host, where it does not speak HTTP/2.
const MAX_IDLE_CONNECTIONS_PER_HOST: usize = 256;

/// Calls addresses that users gave; cheap to clone.
#[derive(Clone)]
pub struct Fetcher(Arc<FetcherInner>);

struct FetcherInner {
    rules: Arc<EgressRules>,
    resolver: GuardedResolver,
    verified: Client,
    /// Shares no connections with the other: a call that wants the certificate verified must not go over one where it
    /// was not. None where the policy allows no such calls.
    unverified: Option<Client>,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fetcher({:?})", self.0.rules)
    }
}

impl Fetcher {
    /// A fetcher that keeps to a policy. Reads the system's root certificates, name servers and hosts file, once.
    pub fn new(policy: &EgressPolicy) -> Result<Self, EgressPolicyError> {
        let rules = Arc::new(EgressRules::of(policy)?);
        let resolver = GuardedResolver::new(rules.clone(), policy.name_server)
            .map_err(|error| EgressPolicyError::NameServer(error.to_string()))?;
        let roots = policy::read_roots(&policy.roots)?;
        let verified = client(&resolver, Some(roots))?;
        let unverified = policy.unverified_tls.then(|| client(&resolver, None)).transpose()?;
        Ok(Self(Arc::new(FetcherInner { rules, resolver, verified, unverified })))
    }

    /// Reads an address that is to be stored, and called later. Asks nobody: where its name leads is checked when it is
    /// called, or now by [`Fetcher::resolve_target`].
    pub fn parse_target(&self, text: &str) -> Result<FetchTarget, FetchTargetError> {
        FetchTarget::parse(text, &self.0.rules)
    }

    /// Reads an address that is to be stored, and asks where its name leads now. One that leads inside and one that
    /// leads nowhere must look alike to whoever gave it.
    pub async fn resolve_target(&self, text: &str) -> Result<FetchTarget, FetchError> {
        let target = self.parse_target(text)?;
        if let Some(name) = target.name() {
            let looked = tokio::time::timeout(CONNECT_TIMEOUT, self.0.resolver.lookup(name)).await;
            looked.map_err(|_| FetchError::TooSlow(CONNECT_TIMEOUT))??;
        }
        Ok(target)
    }

    /// Whether calls that verify no certificate are made at all.
    pub fn allows_unverified_tls(&self) -> bool {
        self.0.unverified.is_some()
    }

    /// Calls an address and reads the answer whole, into memory.
    pub async fn call(&self, address: &str, call: FetchRequest) -> Result<BufferedResponse, FetchError> {
        self.open(address, call).await?.read_to_end().await
    }

    /// Calls an address and gives the answer as it comes; its body is still to be read. The address is read and checked
    /// anew: what was allowed when it was stored may not be any more.
    pub async fn open(&self, address: &str, call: FetchRequest) -> Result<StreamingResponse, FetchError> {
        let target = self.parse_target(address)?;
        let client = if call.verify_tls { Some(&self.0.verified) } else { self.0.unverified.as_ref() };
        call.send(client.ok_or(FetchTargetError::UnverifiedTls)?, target).await
    }
}

/// A client that trusts the system's roots and those given; that trusts everybody where none are given.
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
        // A receiver that went away without a word is noticed, or every call to it would wait for its own timeout.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")));
    let builder = match roots {
        Some(roots) => builder.tls_certs_merge(roots),
        None => builder.tls_danger_accept_invalid_certs(true),
    };
    builder.build().map_err(|error| EgressPolicyError::Client(error.source().unwrap_or(&error).to_string()))
}
