//! Where a caller is, as far as the operator can tell: by what their proxy says, or by the caller's address.
//!
//! Both are believed only because the operator says so; nothing that a caller can write themselves is looked at.

use axum::{
    extract::ConnectInfo,
    http::{Extensions, HeaderMap, HeaderName},
};
use base::Uuid;
use domain::age_verification::Location;
use maxminddb::{Reader, geoip2};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

/// How it is found out where callers are; the operator's settings.
#[derive(Clone, Debug, Default)]
pub struct GeoSettings {
    /// A header that the proxy in front of this server sets, and takes away where a caller sent it: a country (ISO 3166-1),
    /// or a part of one (ISO 3166-2).
    pub location_header: Option<String>,
    /// A database of addresses in `MaxMind`'s format, with countries or cities.
    pub geoip_database: Option<PathBuf>,
    /// The header in which the proxy notes whom it was called by, such as `X-Forwarded-For`: the last address is the one that
    /// the proxy has added. Without it the address of the connection counts.
    pub address_header: Option<String>,
}

/// Finds out where callers are.
#[derive(Debug, Default)]
pub struct GeoLocator {
    location_header: Option<HeaderName>,
    geoip_reader: Option<Reader<Vec<u8>>>,
    address_header: Option<HeaderName>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GeoError {
    /// No such header can be.
    #[error("`{0}` is no name of a header")]
    Header(String),
    /// The database of addresses cannot be read.
    #[error("the database of addresses {0} cannot be read")]
    Addresses(PathBuf, #[source] maxminddb::MaxMindDbError),
}

impl GeoLocator {
    /// Reads what the settings name.
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
        })
    }

    /// Where the caller of a request is; `None` where nobody knows.
    pub(crate) fn locate(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<Location> {
        let said =
            self.location_header.as_ref().and_then(|name| headers.get(name)?.to_str().ok()?.parse().ok());
        said.or_else(|| self.look_up(self.client_address(headers, extensions)?))
    }

    /// Who calls, as far as calls are counted: by address, of IPv6 by the network of 64 bits. Those of whom no address is known
    /// are one. It is not kept, and in no line of the log.
    pub(crate) fn rate_limit_key(&self, headers: &HeaderMap, extensions: &Extensions) -> Uuid {
        let address = self.client_address(headers, extensions).map(|address| address.to_canonical());
        Uuid::from_u128(match address {
            None => 0,
            Some(IpAddr::V4(address)) => address.to_ipv6_mapped().to_bits(),
            Some(IpAddr::V6(address)) => address.to_bits() >> 64 << 64,
        })
    }

    fn client_address(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
        let Some(name) = &self.address_header else {
            return extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        };
        // A proxy may add a header of its own instead of a part to the caller's.
        let noted = headers.get_all(name).iter().next_back()?.to_str().ok()?;
        let last = noted.rsplit(',').next()?.trim();
        let socket = || last.parse().ok().map(|socket: SocketAddr| socket.ip());
        last.parse().ok().or_else(socket)
    }

    fn look_up(&self, address: IpAddr) -> Option<Location> {
        let found = self.geoip_reader.as_ref()?.lookup(address.to_canonical()).ok()?;
        let city: geoip2::City = found.decode().ok()??;
        let country = city.country.iso_code?;
        let parts = city.subdivisions.iter().filter_map(|part| part.iso_code);
        Some(parts.fold(country.parse().ok()?, Location::with_subdivision))
    }
}
