//! The address of a camera or a stream server, as far as its text shows: `rtsp://` or `rtsps://`.

use super::{FetchTarget, FetchTargetError, policy::EgressRules};
use std::fmt;
use url::Host;

/// Ports that may be called on hosts that are not listed.
const STREAM_PORTS: &[u16] = &[554, 8554, 322];
/// The longest address of a stream, as it is called. The path has at most 1,023 bytes in ffmpeg, and an address of the relay
/// stands before it.
pub(super) const MAX_STREAM_ADDRESS_BYTES: usize = 900;
const RTSP_PORT: u16 = 554;
const RTSPS_PORT: u16 = 322;

/// An address of a stream whose text has been checked and normalised: the name in lower case and ASCII, numbers as
/// addresses, the port always named, no fragment. What its name resolves to is checked at each connection.
#[derive(Clone, PartialEq, Eq)]
pub struct StreamTarget {
    address: String,
    pub(super) tls: bool,
    pub(super) host: Host<String>,
    pub(super) port: u16,
}

impl StreamTarget {
    /// Whether a text begins like the address of a stream.
    pub fn is_stream(text: &str) -> bool {
        split_scheme(text).is_some()
    }

    pub(super) fn parse(text: &str, rules: &EgressRules) -> Result<Self, FetchTargetError> {
        let (tls, rest) = split_scheme(text).ok_or(FetchTargetError::Scheme)?;
        // The URL standard knows nothing of this scheme, and would leave hosts as they are spelled.
        let url = FetchTarget::normalise(&format!("https://{rest}"))?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let port = match authority.rsplit_once(':') {
            Some((_, port)) if !port.contains(']') => port.parse().map_err(|_| FetchTargetError::Port)?,
            _ => {
                if tls {
                    RTSPS_PORT
                } else {
                    RTSP_PORT
                }
            }
        };
        let host = url.host().ok_or(FetchTargetError::Host)?;
        rules.check_on(&host, port, STREAM_PORTS)?;
        let scheme = if tls { "rtsps" } else { "rtsp" };
        let path = &url[url::Position::BeforePath..];
        let address = format!("{scheme}://{host}:{port}{path}");
        if address.len() > MAX_STREAM_ADDRESS_BYTES {
            return Err(FetchTargetError::StreamTooLong);
        }
        Ok(Self { address, tls, host: host.to_owned(), port })
    }

    /// The whole address: to be stored and called, not to be logged.
    pub fn as_str(&self) -> &str {
        &self.address
    }

    /// What follows the port.
    pub fn path(&self) -> &str {
        &self.address[self.origin().len()..]
    }

    /// The address as it was before the path, with the port: `rtsp://camera.example.com:554`.
    pub fn origin(&self) -> &str {
        let authority = self.address.find("://").map_or(0, |at| at + 3);
        let end = self.address[authority..].find('/').map_or(self.address.len(), |at| authority + at);
        &self.address[..end]
    }
}

fn split_scheme(text: &str) -> Option<(bool, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    if scheme.eq_ignore_ascii_case("rtsp") {
        Some((false, rest))
    } else {
        scheme.eq_ignore_ascii_case("rtsps").then_some((true, rest))
    }
}

// Paths and queries contain tokens.
impl fmt::Debug for StreamTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamTarget({}/…)", self.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::EgressPolicy;

    fn parse(text: &str) -> Result<StreamTarget, FetchTargetError> {
        StreamTarget::parse(text, &EgressRules::of(&EgressPolicy::default()).unwrap())
    }

    #[test]
    fn an_address_of_a_stream_is_spelled_in_one_way() {
        for (text, spelled) in [
            ("rtsp://Camera.Example.com", "rtsp://camera.example.com:554/"),
            ("RTSP://camera.example.com:8554/a?b=c#d", "rtsp://camera.example.com:8554/a?b=c"),
            ("rtsps://camera.example.com/live", "rtsps://camera.example.com:322/live"),
            ("rtsp://0x01010101/", "rtsp://1.1.1.1:554/"),
            ("rtsp://[2606:4700:0::1111]:554/x", "rtsp://[2606:4700::1111]:554/x"),
        ] {
            let parsed = parse(text);
            assert_eq!(parsed.as_ref().map(StreamTarget::as_str), Ok(spelled), "{text}");
            assert_eq!(parse(spelled), parsed, "{text}");
        }
    }

    #[test]
    fn what_leads_inside_or_carries_a_password_is_refused() {
        for (text, why) in [
            ("rtsp://127.0.0.1/", FetchTargetError::NotPublic),
            ("rtsp://0x7f.1/", FetchTargetError::NotPublic),
            ("rtsp://2130706433/", FetchTargetError::NotPublic),
            ("rtsp://192.168.0.7:554/", FetchTargetError::NotPublic),
            ("rtsp://169.254.169.254/", FetchTargetError::NotPublic),
            ("rtsp://[::1]/", FetchTargetError::NotPublic),
            ("rtsps://camera.local/", FetchTargetError::NotPublic),
            ("rtsp://camera.example.com:22/", FetchTargetError::Port),
            ("rtsp://camera.example.com:443/", FetchTargetError::Port),
            ("rtsp://user:word@camera.example.com/", FetchTargetError::User),
            ("rtsp://@camera.example.com/", FetchTargetError::User),
            ("rtsp:///a", FetchTargetError::Host),
            ("rtsp://camera.example.com/a b", FetchTargetError::Characters),
            ("rtspu://camera.example.com/", FetchTargetError::Scheme),
            ("https://camera.example.com/", FetchTargetError::Scheme),
        ] {
            assert_eq!(parse(text), Err(why), "{text}");
        }
    }
}
