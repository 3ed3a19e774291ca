//! Which addresses may be called.

use super::{
    FetchTargetError,
    address_reach::{self, AddressReach},
};
use ipnet::IpNet;
use reqwest::Certificate;
use rustls_pki_types::{CertificateDer, pem::PemObject as _};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    fs,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};
use url::Host;

/// How many of a name's addresses are tried for each family; a name with thousands would make this server try them all.
const MAX_ADDRESSES_PER_FAMILY: usize = 4;
/// Last labels of names that never belong to the public internet (RFC 2606, 6761, 6762, 7686, 8375, 9476, and those
/// that private networks commonly use).
const INTERNAL_NAME_SUFFIXES: [&str; 15] = [
    "alt",
    "arpa",
    "corp",
    "example",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "onion",
    "private",
    "test",
];

/// Which addresses may be called: the public internet, with the exceptions below; the section `[egress]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EgressPolicy {
    /// Hosts that may be called whatever they resolve to, on any port: exact names such as `receiver.example.com`, or
    /// addresses. Link-local addresses and cloud metadata services stay closed even then; only `networks` opens those.
    pub hosts: Vec<String>,
    /// Networks that may be called, such as `10.1.0.0/16` or `fd00:1::/32`: by address on any port, by name on `ports`.
    pub networks: Vec<IpNet>,
    /// Networks that are never called, whatever else is allowed; for example the public addresses of this site.
    pub refused_networks: Vec<IpNet>,
    /// The ports that may be called on hosts that are not listed.
    pub ports: Vec<u16>,
    /// Root certificates to trust in addition to the system's.
    pub roots: Vec<TrustedRoot>,
    /// The name server, such as `10.0.0.53:53`; the hosts file is not read then. `None`: the system's, after its hosts file.
    pub name_server: Option<SocketAddr>,
    /// Whether callers can request that certificates are not verified. Addresses are checked all the same.
    pub unverified_tls: bool,
}

impl Default for EgressPolicy {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            networks: Vec::new(),
            refused_networks: Vec::new(),
            ports: vec![443, 8443],
            roots: Vec::new(),
            name_server: None,
            unverified_tls: false,
        }
    }
}

impl EgressPolicy {
    /// The same policy, with this machine allowed too: `localhost` and the loopback addresses. For development.
    #[must_use]
    pub fn with_loopback(mut self) -> Self {
        let loopback =
            [[127, 0, 0, 0].into(), std::net::Ipv6Addr::LOCALHOST.into()].into_iter().zip([8, 128]);
        self.networks.extend(loopback.map(|(address, length)| IpNet::new_assert(address, length)));
        self.hosts.push("localhost".to_owned());
        self
    }
}

/// One or several trusted root certificates.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "String", into = "String")]
pub enum TrustedRoot {
    /// A PEM file.
    File(PathBuf),
    /// PEM text.
    Pem(String),
}

impl From<String> for TrustedRoot {
    /// Text that starts like PEM is PEM, any other a path.
    fn from(text: String) -> Self {
        if text.trim_start().starts_with("-----BEGIN") { Self::Pem(text) } else { Self::File(text.into()) }
    }
}

impl From<TrustedRoot> for String {
    fn from(root: TrustedRoot) -> Self {
        match root {
            TrustedRoot::File(path) => path.to_string_lossy().into_owned(),
            TrustedRoot::Pem(text) => text,
        }
    }
}

/// Why a policy cannot be applied.
#[derive(Debug, thiserror::Error)]
pub enum EgressPolicyError {
    /// A listed host is neither a name nor an address.
    #[error("{0:?} is not a host: give a name or an address, without scheme, port or wildcard")]
    Host(String),
    /// A file of certificates cannot be read.
    #[error("the certificates in {file} cannot be read: {cause}")]
    File {
        file: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// A root certificate cannot be parsed.
    #[error("a root certificate cannot be read: {0}")]
    Root(String),
    /// The resolver cannot be set up.
    #[error("the name server cannot be asked: {0}")]
    NameServer(String),
    /// The HTTP client cannot be set up.
    #[error("no connections can be made: {0}")]
    Client(String),
}

/// A parsed policy, with hosts normalised as the URL parser does.
#[derive(Debug)]
pub(super) struct EgressRules {
    hosts: HashSet<String>,
    networks: Vec<IpNet>,
    refused: Vec<IpNet>,
    ports: Vec<u16>,
}

impl EgressRules {
    pub(super) fn of(policy: &EgressPolicy) -> Result<Self, EgressPolicyError> {
        let mut hosts = HashSet::new();
        let mut networks = policy.networks.clone();
        for text in &policy.hosts {
            let bare = text.trim_start_matches('[').trim_end_matches(']');
            if let Ok(address) = bare.parse::<IpAddr>() {
                networks.push(address.into());
                continue;
            }
            match Host::parse(text) {
                Ok(Host::Domain(name)) if is_name(name.trim_end_matches('.')) => {
                    hosts.insert(name.trim_end_matches('.').to_owned());
                }
                _ => return Err(EgressPolicyError::Host(text.clone())),
            }
        }
        Ok(Self { hosts, networks, refused: policy.refused_networks.clone(), ports: policy.ports.clone() })
    }

    /// Checks a URL's host and port without resolving the name. A name must be lower-case ASCII without a trailing dot.
    pub(super) fn check(&self, host: &Host<&str>, port: u16) -> Result<(), FetchTargetError> {
        self.check_on(host, port, &self.ports)
    }

    /// The same, with the ports that may be called on hosts that are not listed.
    pub(super) fn check_on(
        &self,
        host: &Host<&str>,
        port: u16,
        ports: &[u16],
    ) -> Result<(), FetchTargetError> {
        let listed = match *host {
            Host::Domain(name) => self.check_name(name)?,
            Host::Ipv4(address) => self.check_address(address.into(), false)?,
            Host::Ipv6(address) => self.check_address(address.into(), false)?,
        };
        if listed || ports.contains(&port) { Ok(()) } else { Err(FetchTargetError::Port) }
    }

    /// Selects the addresses to connect to from those that a name resolves to. Refuses all of them if one may not be
    /// called: a name with both public and internal addresses is a mistake or an attack.
    pub(super) fn select_addresses(
        &self,
        name: &str,
        addresses: impl Iterator<Item = IpAddr>,
    ) -> Result<Vec<IpAddr>, FetchTargetError> {
        let listed = self.hosts.contains(name);
        let mut chosen = addresses
            .map(|address| self.check_address(address, listed).map(|_| address))
            .collect::<Result<Vec<_>, _>>()?;
        let (mut v4, mut v6) = (0, 0);
        chosen.retain(|address| {
            let count = if address.is_ipv4() { &mut v4 } else { &mut v6 };
            *count += 1;
            *count <= MAX_ADDRESSES_PER_FAMILY
        });
        if chosen.is_empty() { Err(FetchTargetError::NotPublic) } else { Ok(chosen) }
    }

    /// Whether the operator listed the name. One that is not listed must be a name of the public internet.
    fn check_name(&self, name: &str) -> Result<bool, FetchTargetError> {
        if self.hosts.contains(name) {
            return Ok(true);
        }
        if !is_name(name) {
            return Err(FetchTargetError::Host);
        }
        match name.rsplit_once('.') {
            Some((_, last)) if !INTERNAL_NAME_SUFFIXES.contains(&last) => Ok(false),
            _ => Err(FetchTargetError::NotPublic),
        }
    }

    /// Whether the operator listed the address's network. An address that is not listed must be public, or have come
    /// from a listed name.
    fn check_address(&self, address: IpAddr, listed_name: bool) -> Result<bool, FetchTargetError> {
        if in_networks(&self.refused, address) {
            return Err(FetchTargetError::NotPublic);
        }
        if in_networks(&self.networks, address) {
            return Ok(true);
        }
        match AddressReach::of(address) {
            AddressReach::Public => Ok(false),
            AddressReach::NotPublic if listed_name => Ok(true),
            AddressReach::NotPublic | AddressReach::Metadata => Err(FetchTargetError::NotPublic),
        }
    }
}

/// Whether an address, or the IPv4 address that it embeds, is in one of the networks.
fn in_networks(networks: &[IpNet], address: IpAddr) -> bool {
    let embedded = address_reach::embedded_v4(address).map(IpAddr::V4);
    networks
        .iter()
        .any(|network| network.contains(&address) || embedded.is_some_and(|v4| network.contains(&v4)))
}

/// Whether text is a DNS name: labels of 1 to 63 lower-case letters, digits, `-` and `_`, at most 253 characters in
/// all.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        matches!(label.len(), 1..=63)
            && label.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// The roots as certificates of TLS without HTTP.
pub(super) fn read_certificates(
    roots: &[TrustedRoot],
) -> Result<Vec<CertificateDer<'static>>, EgressPolicyError> {
    let mut read = Vec::new();
    for root in roots {
        for found in CertificateDer::pem_slice_iter(&root.read()?) {
            read.push(found.map_err(|error| EgressPolicyError::Root(error.to_string()))?);
        }
    }
    Ok(read)
}

pub(super) fn read_roots(roots: &[TrustedRoot]) -> Result<Vec<Certificate>, EgressPolicyError> {
    let mut read = Vec::new();
    for root in roots {
        let found = Certificate::from_pem_bundle(&root.read()?)
            .map_err(|error| EgressPolicyError::Root(error.to_string()))?;
        if found.is_empty() {
            return Err(EgressPolicyError::Root("there is no certificate in PEM".to_owned()));
        }
        read.extend(found);
    }
    Ok(read)
}

impl TrustedRoot {
    /// Its text, PEM.
    fn read(&self) -> Result<Vec<u8>, EgressPolicyError> {
        match self {
            Self::Pem(text) => Ok(text.clone().into_bytes()),
            Self::File(file) => {
                fs::read(file).map_err(|cause| EgressPolicyError::File { file: file.clone(), cause })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(hosts: &[&str], networks: &[&str], refused: &[&str]) -> EgressRules {
        let nets = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let hosts = hosts.iter().map(|&host| host.to_owned()).collect();
        let policy = EgressPolicy {
            hosts,
            networks: nets(networks),
            refused_networks: nets(refused),
            ..EgressPolicy::default()
        };
        EgressRules::of(&policy).unwrap()
    }

    fn choose(rules: &EgressRules, name: &str, addresses: &[&str]) -> Result<usize, FetchTargetError> {
        rules
            .select_addresses(name, addresses.iter().map(|text| text.parse().unwrap()))
            .map(|chosen| chosen.len())
    }

    #[test]
    fn a_name_leads_outside_with_every_address_or_not_at_all() {
        let rules = rules(&[], &[], &[]);
        assert_eq!(choose(&rules, "a.example.com", &["1.1.1.1", "2606:4700::1111"]), Ok(2));
        assert_eq!(
            choose(&rules, "a.example.com", &["1.1.1.1", "10.0.0.1"]),
            Err(FetchTargetError::NotPublic)
        );
        assert_eq!(choose(&rules, "a.example.com", &["1.1.1.1", "::1"]), Err(FetchTargetError::NotPublic));
        assert_eq!(choose(&rules, "a.example.com", &[]), Err(FetchTargetError::NotPublic));
        let mut many = vec!["1.1.1.1"; 4000];
        many.extend(["2606:4700::1111"; 5]);
        assert_eq!(choose(&rules, "a.example.com", &many), Ok(2 * MAX_ADDRESSES_PER_FAMILY));
        many.push("127.0.0.1");
        assert_eq!(
            choose(&rules, "a.example.com", &many),
            Err(FetchTargetError::NotPublic),
            "the last is looked at too"
        );
    }

    #[test]
    fn a_listed_name_leads_anywhere_but_to_metadata() {
        let rules =
            rules(&["Hooks.Example.COM.", "127.0.0.9", "[::1]"], &["169.254.7.0/24"], &["10.9.0.0/16"]);
        assert_eq!(choose(&rules, "hooks.example.com", &["10.0.0.1", "1.1.1.1", "127.0.0.1"]), Ok(3));
        assert_eq!(choose(&rules, "sub.hooks.example.com", &["10.0.0.1"]), Err(FetchTargetError::NotPublic));
        assert_eq!(
            choose(&rules, "hooks.example.com", &["169.254.169.254"]),
            Err(FetchTargetError::NotPublic)
        );
        assert_eq!(choose(&rules, "hooks.example.com", &["168.63.129.16"]), Err(FetchTargetError::NotPublic));
        assert_eq!(
            choose(&rules, "hooks.example.com", &["10.9.0.1"]),
            Err(FetchTargetError::NotPublic),
            "refused for all"
        );
        assert_eq!(choose(&rules, "other.example.com", &["169.254.7.1", "127.0.0.9", "::1"]), Ok(3));
    }

    #[test]
    fn networks_are_known_in_every_dress() {
        let rules = rules(&[], &["10.1.0.0/16"], &["1.1.1.0/24"]);
        assert_eq!(
            choose(&rules, "a.example.com", &["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"]),
            Ok(3)
        );
        for refused in ["1.1.1.1", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "10.2.0.1", "::ffff:10.2.0.1"] {
            assert_eq!(
                choose(&rules, "a.example.com", &[refused]),
                Err(FetchTargetError::NotPublic),
                "{refused}"
            );
        }
    }

    #[test]
    fn hosts_are_names_or_addresses() {
        for bad in
            ["", "*.example.com", "https://example.com", "example.com:443", "a b", "a/b", "10.0.0.0/8", "1.2"]
        {
            let policy = EgressPolicy { hosts: vec![bad.to_owned()], ..EgressPolicy::default() };
            assert!(
                matches!(EgressRules::of(&policy), Err(EgressPolicyError::Host(host)) if host == bad),
                "{bad}"
            );
        }
    }

    #[test]
    fn roots_are_paths_or_pem() {
        assert_eq!(
            TrustedRoot::from("/etc/ssl/own.pem".to_owned()),
            TrustedRoot::File("/etc/ssl/own.pem".into())
        );
        let pem = "\n-----BEGIN CERTIFICATE-----\n".to_owned();
        assert_eq!(TrustedRoot::from(pem.clone()), TrustedRoot::Pem(pem));
        let missing = tempfile::tempdir().unwrap().path().join("none.pem");
        assert!(matches!(read_roots(&[TrustedRoot::File(missing)]), Err(EgressPolicyError::File { .. })));
        assert!(matches!(
            read_roots(&[TrustedRoot::Pem("no PEM".to_owned())]),
            Err(EgressPolicyError::Root(_))
        ));
    }

    #[test]
    fn a_policy_is_a_section_of_the_configuration() {
        let text =
            r#"{"networks":["10.1.0.0/16","fd00:1::/32"],"name_server":"127.0.0.1:53","roots":["own.pem"]}"#;
        let policy: EgressPolicy = serde_json::from_str(text).unwrap();
        assert_eq!(policy.ports, [443, 8443]);
        assert!(!policy.unverified_tls);
        assert_eq!(
            serde_json::from_str::<EgressPolicy>(&serde_json::to_string(&policy).unwrap()).unwrap(),
            policy
        );
        assert!(
            serde_json::from_str::<EgressPolicy>(r#"{"host":[]}"#).is_err(),
            "a misspelt name is an error"
        );
    }
}
