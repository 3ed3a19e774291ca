//! Locates callers: by a header that the operator's proxy sets, or by the caller's network address.
//!
//! Headers are trusted only if the operator has configured them; nothing that a caller can write themselves is used.

use axum::{
    extract::ConnectInfo,
    http::{Extensions, HeaderMap, HeaderName},
};
use base::Uuid;
use domain::age_verification::Location;
use maxminddb::{Reader, geoip2};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// How callers are located; the section `[locations]`.
#[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeoSettings {
    /// A header that the proxy in front of this server sets, and removes from what callers send: a country (ISO
    /// 3166-1), or a part of one (ISO 3166-2).
    #[serde(rename = "header")]
    pub location_header: Option<String>,
    /// A database of network addresses in `MaxMind`'s format, with countries or cities.
    #[serde(rename = "geoip")]
    pub geoip_database: Option<PathBuf>,
    /// The header in which the proxy records the address of its caller, such as `X-Forwarded-For`: the last address is
    /// the one that the proxy has added. Without it, the address of the connection is used.
    pub address_header: Option<String>,
}

/// Locates callers by the operator's settings.
#[derive(Debug, Default)]
pub struct GeoLocator {
    location_header: Option<HeaderName>,
    geoip_reader: Option<Reader<Vec<u8>>>,
    address_header: Option<HeaderName>,
    /// When a warning of ignored headers was last logged.
    warned: Mutex<Option<Instant>>,
}

/// Headers in which proxies record the address of their caller.
const FORWARDING_HEADERS: [&str; 3] = ["forwarded", "x-forwarded-for", "x-real-ip"];
/// How often ignored headers are warned of, at most.
const WARNING_INTERVAL: Duration = Duration::from_hours(1);

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GeoError {
    /// The name is not valid for a header.
    #[error("`{0}` is not the name of a header")]
    Header(String),
    /// The database of addresses cannot be read.
    #[error("the database of addresses {0} cannot be read")]
    Addresses(PathBuf, #[source] maxminddb::MaxMindDbError),
}

/// Whether an address is of this machine or of a private network.
fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

impl GeoLocator {
    /// Reads the database and the names of headers in the settings.
    pub fn open(settings: &GeoSettings) -> Result<Self, GeoError> {
        let named = |name: &Option<String>| {
            let header = name.as_ref().map(|name| name.parse().map_err(|_| GeoError::Header(name.clone())));
            header.transpose()
        };
        let read = |path: &PathBuf| {
            Reader::open_readfile(path).map_err(|error| GeoError::Addresses(path.clone(), error))
        };
        Ok(Self {
            location_header: named(&settings.location_header)?,
            geoip_reader: settings.geoip_database.as_ref().map(read).transpose()?,
            address_header: named(&settings.address_header)?,
            warned: Mutex::default(),
        })
    }

    /// The location of a request's caller; `None` if it is unknown.
    pub(crate) fn locate(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<Location> {
        let said =
            self.location_header.as_ref().and_then(|name| headers.get(name)?.to_str().ok()?.parse().ok());
        said.or_else(|| self.look_up(self.client_address(headers, extensions)?))
    }

    /// The key by which anonymous callers are rate limited: their address, or the /64 network of an IPv6 address.
    /// Callers without a known address share one key. It is neither stored nor logged.
    pub(crate) fn rate_limit_key(&self, headers: &HeaderMap, extensions: &Extensions) -> Uuid {
        let address = self.client_address(headers, extensions).map(|address| address.to_canonical());
        Uuid::from_u128(match address {
            None => 0,
            Some(IpAddr::V4(address)) => address.to_ipv6_mapped().to_bits(),
            Some(IpAddr::V6(address)) => address.to_bits() >> 64 << 64,
        })
    }

    /// As [`Self::rate_limit_key`], but only of an address that tells callers apart: one that the proxy noted, or that of
    /// a connection from the internet. A connection from the own network may be a proxy's, with everybody behind it.
    pub(crate) fn known_address_key(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<Uuid> {
        let address = self.client_address(headers, extensions)?.to_canonical();
        let is_known = self.address_header.is_some() || !is_local(address);
        is_known.then(|| self.rate_limit_key(headers, extensions))
    }

    /// The network of a caller, coarse enough that people recognise their own sessions and nobody else finds them: the /24 of
    /// an IPv4 address, the /48 of an IPv6 address.
    pub(crate) fn coarse_network(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<String> {
        Some(match self.client_address(headers, extensions)?.to_canonical() {
            IpAddr::V4(address) => format!("{}/24", Ipv4Addr::from_bits(address.to_bits() >> 8 << 8)),
            IpAddr::V6(address) => format!("{}/48", Ipv6Addr::from_bits(address.to_bits() >> 80 << 80)),
        })
    }

    fn client_address(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
        let Some(name) = &self.address_header else {
            self.warn_of_ignored_headers(headers);
            return extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        };
        // A proxy may add a header line of its own instead of extending the caller's.
        let noted = headers.get_all(name).iter().next_back()?.to_str().ok()?;
        let last = noted.rsplit(',').next()?.trim();
        let socket = || last.parse().ok().map(|socket: SocketAddr| socket.ip());
        last.parse().ok().or_else(socket)
    }

    /// Says, once in a while, that a proxy seems to be in front which this server was not told of: then everybody has
    /// the proxy's address, and counts as one caller.
    fn warn_of_ignored_headers(&self, headers: &HeaderMap) {
        let Some(name) = FORWARDING_HEADERS.iter().find(|name| headers.contains_key(**name)) else { return };
        metrics::counter!("assay_forwarded_headers_ignored_total").increment(1);
        let now = Instant::now();
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_some_and(|last| now.duration_since(last) < WARNING_INTERVAL) {
            return;
        }
        *warned = Some(now);
        tracing::warn!(
            header = *name,
            "requests carry the address of their caller in a header that is ignored, so all callers count as one; \
             set locations.address_header if your own proxy writes it"
        );
    }

    fn look_up(&self, address: IpAddr) -> Option<Location> {
        let found = self.geoip_reader.as_ref()?.lookup(address.to_canonical()).ok()?;
        let city: geoip2::City = found.decode().ok()??;
        let country = city.country.iso_code?;
        let parts = city.subdivisions.iter().filter_map(|part| part.iso_code);
        Some(parts.fold(country.parse().ok()?, Location::with_subdivision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A proxy that the server was not told of is noticed, once in a while; one that it knows is not.
    #[test]
    fn headers_of_a_proxy_that_are_ignored_are_told_of() {
        let of = |name: Option<&str>| {
            let settings = GeoSettings { address_header: name.map(str::to_owned), ..GeoSettings::default() };
            GeoLocator::open(&settings).unwrap()
        };
        let key = |locator: &GeoLocator, header: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(name) = header {
                headers.insert(name, "198.51.100.7".parse().unwrap());
            }
            locator.rate_limit_key(&headers, &Extensions::new())
        };
        let last_warning = |locator: &GeoLocator| *locator.warned.lock().unwrap();
        for header in FORWARDING_HEADERS {
            let locator = of(None);
            key(&locator, None);
            assert_eq!(last_warning(&locator), None);
            assert_eq!(key(&locator, Some(header)), Uuid::nil(), "it is not believed");
            let first = last_warning(&locator);
            assert!(first.is_some(), "{header}");
            key(&locator, Some(header));
            assert_eq!(last_warning(&locator), first, "not again at once");

            let told = of(Some(header));
            assert_ne!(key(&told, Some(header)), Uuid::nil());
            assert_eq!(last_warning(&told), None);
        }
    }
}
