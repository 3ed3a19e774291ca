//! Name resolution at each connection, which returns only addresses that may be called.

use super::{FetchTargetError, policy::EgressRules};
use hickory_resolver::{
    TokioResolver,
    config::{
        ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
    },
    net::{NetError, runtime::TokioRuntimeProvider},
};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// Cached answers, each kept for its time to live; an answer has at most 64 KiB.
const MAX_CACHED_ANSWERS: u64 = 1024;

#[derive(Clone)]
pub(super) struct GuardedResolver {
    resolver: TokioResolver,
    rules: Arc<EgressRules>,
}

/// Why a name does not resolve to an address that may be called.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    #[error(transparent)]
    Refused(#[from] FetchTargetError),
    #[error(transparent)]
    Failed(#[from] NetError),
}

impl GuardedResolver {
    pub(super) fn new(rules: Arc<EgressRules>, name_server: Option<SocketAddr>) -> Result<Self, NetError> {
        let runtime = TokioRuntimeProvider::default;
        let mut builder = if let Some(server) = name_server {
            let mut builder = TokioResolver::builder_with_config(resolver_config(server), runtime());
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            builder
        } else {
            TokioResolver::builder(runtime()).unwrap_or_else(|error| {
                // The C library falls back to this machine, too. A server that never resolves a name must not fail to
                // start.
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "no name server is configured, the one of this machine is asked"
                );
                let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
                TokioResolver::builder_with_config(resolver_config(local), runtime())
            })
        };
        configure(builder.options_mut());
        Ok(Self { resolver: builder.build()?, rules })
    }

    /// Resolves a name to the addresses that may be connected to. The name is taken as fully qualified: users must not
    /// reach this machine's search domains.
    pub(super) async fn lookup(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let found = self.resolver.lookup_ip(format!("{name}.")).await?;
        Ok(self.rules.select_addresses(name, found.iter())?)
    }
}

fn configure(options: &mut ResolverOpts) {
    options.timeout = Duration::from_secs(2);
    options.attempts = 1;
    // Both families, so that every address of a name is checked.
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = MAX_CACHED_ANSWERS;
    options.max_active_requests = 1024;
}

fn resolver_config(server: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = server.port();
        connection
    });
    ResolverConfig::from_name_servers(vec![NameServerConfig::new(server.ip(), true, connections.into())])
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guarded = self.clone();
        Box::pin(async move {
            let addresses = guarded.lookup(name.as_str()).await.map_err(|unresolved| match unresolved {
                ResolveError::Refused(refused) => Box::<dyn std::error::Error + Send + Sync>::from(refused),
                ResolveError::Failed(error) => error.into(),
            })?;
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::EgressPolicy;
    use hickory_resolver::Hosts;

    #[tokio::test]
    async fn a_hosts_file_opens_no_way_in() {
        let file = "127.0.0.1 box.example.com\n2606:4700::1111 box.example.com\n\
            1.1.1.1 box6.example.com\n::1 box6.example.com\n\
            1.1.1.1 out.example.com\n2606:4700::1111 out.example.com\n\
            10.0.0.1 listed.example.com\nfd00:1::1 listed.example.com\n";
        let mut hosts = Hosts::default();
        hosts.read_hosts_conf(file.as_bytes()).unwrap();
        let policy = EgressPolicy { hosts: vec!["listed.example.com".to_owned()], ..EgressPolicy::default() };
        // Nothing listens there; the hosts file has all the answers.
        let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
        let mut guarded =
            GuardedResolver::new(Arc::new(EgressRules::of(&policy).unwrap()), Some(nobody)).unwrap();
        guarded.resolver.set_hosts(Arc::new(hosts));

        for name in ["box.example.com", "box6.example.com"] {
            let unresolved = guarded.lookup(name).await;
            assert!(
                matches!(unresolved, Err(ResolveError::Refused(FetchTargetError::NotPublic))),
                "{name}: {unresolved:?}"
            );
        }
        for name in ["out.example.com", "listed.example.com"] {
            assert_eq!(guarded.lookup(name).await.unwrap().len(), 2, "{name}");
        }
    }
}
