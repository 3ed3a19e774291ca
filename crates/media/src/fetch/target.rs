//! An address that may be called, as far as its text shows.

use super::{FetchTargetError, policy::EgressRules};
use std::fmt;
use url::{Host, Position, Url};

/// The longest address, in bytes, as it is supplied and as it is called. Addresses that are signed for a while, as stores
/// of files make them, have up to about 2,500.
pub const MAX_ADDRESS_BYTES: usize = 4096;
const HTTPS_PREFIX: &str = "https://";

/// An https address whose text has been checked and normalised: the name in lower case and ASCII, numbers as addresses,
/// no default port, no fragment. What its name resolves to is checked at each connection.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FetchTarget(Url);

impl FetchTarget {
    pub(super) fn parse(text: &str, rules: &EgressRules) -> Result<Self, FetchTargetError> {
        let url = Self::normalise(text)?;
        // By now 0x7f.1, 2130706433, １２７.1 and %31 are normalised to the addresses that they stand for.
        rules.check(
            &url.host().ok_or(FetchTargetError::Host)?,
            url.port_or_known_default().ok_or(FetchTargetError::Port)?,
        )?;
        Ok(Self(url))
    }

    /// Checks an address's text and spells it in one way, whatever host it names.
    pub(super) fn normalise(text: &str) -> Result<Url, FetchTargetError> {
        if text.len() > MAX_ADDRESS_BYTES {
            return Err(FetchTargetError::TooLong);
        }
        // The parser drops tabs and line ends, trims blanks and reads backslashes as slashes. Other parsers do not, and
        // an address that two parsers read in two ways is how checks are bypassed.
        check_characters(text)?;
        let (scheme, rest) = text.split_at_checked(HTTPS_PREFIX.len()).ok_or(FetchTargetError::Scheme)?;
        if !scheme.eq_ignore_ascii_case(HTTPS_PREFIX) {
            return Err(FetchTargetError::Scheme);
        }
        // The text itself is checked up to the end of the authority: the parser drops an empty user name, and skips
        // slashes until it finds a host.
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(FetchTargetError::User);
        }
        if authority.is_empty() {
            return Err(FetchTargetError::Host);
        }
        let mut url = Url::parse(text).map_err(|_| FetchTargetError::Host)?;
        url.set_fragment(None);
        if let Some(name) = url.domain().and_then(|name| name.strip_suffix('.')).map(str::to_owned) {
            url.set_host(Some(&name)).map_err(|_| FetchTargetError::Host)?;
        }
        // Letters outside ASCII take more bytes than before.
        if url.as_str().len() > MAX_ADDRESS_BYTES {
            return Err(FetchTargetError::TooLong);
        }
        Ok(url)
    }

    /// Resolves a reference in this address's document, such as `../next` or `//elsewhere/`. The result is checked like
    /// any other address.
    pub(super) fn join(&self, reference: &str, rules: &EgressRules) -> Result<Self, FetchTargetError> {
        check_characters(reference)?;
        Self::parse(self.0.join(reference).map_err(|_| FetchTargetError::Host)?.as_str(), rules)
    }

    /// The whole address: to be stored and called, not to be logged.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Scheme, host and port, which may be logged.
    pub fn origin(&self) -> &str {
        &self.0[..Position::BeforePath]
    }

    /// The host, if it is a name that must be resolved.
    pub(super) fn name(&self) -> Option<&str> {
        match self.0.host() {
            Some(Host::Domain(name)) => Some(name),
            _ => None,
        }
    }

    pub(super) fn into_url(self) -> Url {
        self.0
    }
}

fn check_characters(text: &str) -> Result<(), FetchTargetError> {
    let bad = |byte| byte <= b' ' || byte == 0x7f || byte == b'\\';
    if text.bytes().any(bad) { Err(FetchTargetError::Characters) } else { Ok(()) }
}

// Paths and queries contain tokens.
impl fmt::Debug for FetchTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({}/…)", self.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::EgressPolicy;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<FetchTarget, FetchTargetError> {
        FetchTarget::parse(text, &EgressRules::of(&EgressPolicy::default()).unwrap())
    }

    #[test]
    fn an_address_is_spelled_in_one_way() {
        for (text, spelled) in [
            ("https://example.com", "https://example.com/"),
            ("HTTPS://Example.COM:443/Hook?a=b#part", "https://example.com/Hook?a=b"),
            ("https://example.com./a", "https://example.com/a"),
            ("https://EXAMPLE。com:8443/", "https://example.com:8443/"),
            ("https://bücher.example.com/ä", "https://xn--bcher-kva.example.com/%C3%A4"),
            ("https://example.com/a/../b/%2e%2e/c", "https://example.com/c"),
            ("https://1.1.1.1/", "https://1.1.1.1/"),
            ("https://0x01010101/", "https://1.1.1.1/"),
            ("https://[2606:4700:0::1111]/", "https://[2606:4700::1111]/"),
            ("https://user.example.com/a@b?c@d#e@f", "https://user.example.com/a@b?c@d"),
        ] {
            assert_eq!(parse(text).as_ref().map(FetchTarget::as_str), Ok(spelled), "{text}");
        }
    }

    #[test]
    fn what_is_logged_names_no_path() {
        let target = parse("https://example.com:8443/secret?token=secret").unwrap();
        assert_eq!(target.origin(), "https://example.com:8443");
        assert_eq!(format!("{target:?}"), "Target(https://example.com:8443/…)");
    }

    #[test]
    fn an_address_is_at_most_as_long_as_the_constant_says() {
        let address = |bytes: usize| format!("https://a.example.com/{}", "x".repeat(bytes - 22));
        assert_eq!(parse(&address(MAX_ADDRESS_BYTES)).unwrap().as_str().len(), MAX_ADDRESS_BYTES);
        assert_eq!(parse(&address(MAX_ADDRESS_BYTES + 1)), Err(FetchTargetError::TooLong));
        // 1,000 letters of two bytes each are called as 6,000 bytes.
        assert_eq!(
            parse(&format!("https://a.example.com/{}", "ä".repeat(1000))),
            Err(FetchTargetError::TooLong)
        );
    }

    proptest! {
        #[test]
        fn a_target_is_a_target_again(
            text in "(https://)?[a-zA-Z0-9:@/\\\\?#%.\\[\\] \u{ff10}-\u{ff19}\u{3002}\u{ad}_-]{0,40}"
        ) {
            if let Ok(target) = parse(&text) {
                let again = parse(target.as_str());
                prop_assert_eq!(again.as_ref(), Ok(&target));
                prop_assert!(target.as_str().starts_with("https://"));
                prop_assert!(!target.origin().contains('@'));
            }
        }
    }
}
