//! Where names lead, asked at each connection, and only to where they may.

use super::{Refused, policy::Rules};
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

/// Answers that are kept, for as long as they say; one has at most 64 KiB.
const CACHED: u64 = 1024;

#[derive(Clone)]
pub(super) struct Guarded {
    resolver: TokioResolver,
    rules: Arc<Rules>,
}

/// Why a name leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unresolved {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Failed(#[from] NetError),
}

impl Guarded {
    pub(super) fn new(rules: Arc<Rules>, name_server: Option<SocketAddr>) -> Result<Self, NetError> {
        let runtime = TokioRuntimeProvider::default;
        let mut builder = if let Some(server) = name_server {
            let mut builder = TokioResolver::builder_with_config(asking(server), runtime());
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            builder
        } else {
            TokioResolver::builder(runtime()).unwrap_or_else(|error| {
                // As the C library does. A server that calls nobody must not fail to start.
                tracing::warn!(%error, "no name server is configured, the one of this machine is asked: {error}");
                let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 53));
                TokioResolver::builder_with_config(asking(local), runtime())
            })
        };
        tune(builder.options_mut());
        Ok(Self { resolver: builder.build()?, rules })
    }

    /// Where a name leads: addresses that may be connected to. The name is fully qualified: search domains of this
    /// machine are none of a user's business.
    pub(super) async fn lookup(&self, name: &str) -> Result<Vec<IpAddr>, Unresolved> {
        let found = self.resolver.lookup_ip(format!("{name}.")).await?;
        Ok(self.rules.choose(name, found.iter())?)
    }
}

fn tune(options: &mut ResolverOpts) {
    options.timeout = Duration::from_secs(2);
    options.attempts = 1;
    // Both, so that no address of a name goes unchecked.
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = CACHED;
    options.max_active_requests = 1024;
}

fn asking(server: SocketAddr) -> ResolverConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = server.port();
        connection
    });
    ResolverConfig::from_name_servers(vec![NameServerConfig::new(server.ip(), true, connections.into())])
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let guarded = self.clone();
        Box::pin(async move {
            let addresses = guarded.lookup(name.as_str()).await.map_err(|unresolved| match unresolved {
                Unresolved::Refused(refused) => Box::<dyn std::error::Error + Send + Sync>::from(refused),
                Unresolved::Failed(error) => error.into(),
            })?;
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Policy;
    use hickory_resolver::Hosts;

    #[tokio::test]
    async fn a_hosts_file_opens_no_way_in() {
        let file = "127.0.0.1 box.example.com\n2606:4700::1111 box.example.com\n\
            1.1.1.1 box6.example.com\n::1 box6.example.com\n\
            1.1.1.1 out.example.com\n2606:4700::1111 out.example.com\n\
            10.0.0.1 listed.example.com\nfd00:1::1 listed.example.com\n";
        let mut hosts = Hosts::default();
        hosts.read_hosts_conf(file.as_bytes()).unwrap();
        let policy = Policy { hosts: vec!["listed.example.com".to_owned()], ..Policy::default() };
        // Nobody listens there, and the file says it all.
        let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
        let mut guarded = Guarded::new(Arc::new(Rules::of(&policy).unwrap()), Some(nobody)).unwrap();
        guarded.resolver.set_hosts(Arc::new(hosts));

        for name in ["box.example.com", "box6.example.com"] {
            let unresolved = guarded.lookup(name).await;
            assert!(
                matches!(unresolved, Err(Unresolved::Refused(Refused::Inside))),
                "{name}: {unresolved:?}"
            );
        }
        for name in ["out.example.com", "listed.example.com"] {
            assert_eq!(guarded.lookup(name).await.unwrap().len(), 2, "{name}");
        }
    }
}
