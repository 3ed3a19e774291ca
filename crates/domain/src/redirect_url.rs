//! Addresses of a relying party's to which its end users are sent, or to which a page links. The hosted pages follow the same
//! rules (`web/shared/safe-url.ts`): what is accepted here is opened there.

/// Schemes that nobody is sent to: a browser would run what follows, or show what is the device's or its own.
const REFUSED_SCHEMES: [&str; 12] = [
    "about",
    "blob",
    "chrome",
    "content",
    "data",
    "file",
    "filesystem",
    "jar",
    "javascript",
    "resource",
    "vbscript",
    "view-source",
];

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RedirectUrlError {
    #[error("it is not an address that a browser can be sent to")]
    NoTarget,
    #[error("it contains a user name or a password")]
    UserName,
    #[error("it begins with https:// or http:// and a host")]
    NoPage,
}

/// Refuses an address that an end user cannot be sent to. Any scheme is accepted but those that are dangerous:
/// applications on phones have their own.
pub(crate) fn check_redirect_url(text: &str) -> Result<(), RedirectUrlError> {
    checked_scheme(text).map(drop)
}

/// Refuses an address that a page cannot link to.
pub(crate) fn check_link_url(text: &str) -> Result<(), RedirectUrlError> {
    if is_web(&checked_scheme(text)?) { Ok(()) } else { Err(RedirectUrlError::NoPage) }
}

/// The scheme of an address that an end user can be sent to, in lower case.
fn checked_scheme(text: &str) -> Result<String, RedirectUrlError> {
    let (scheme, rest) = text.split_once("://").ok_or(RedirectUrlError::NoTarget)?;
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_lowercase())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(RedirectUrlError::UserName);
    }
    // Browsers drop tabs and line ends and read some backslashes as slashes: an address that can be read in two ways is no
    // target.
    let is_ambiguous =
        text.chars().any(char::is_control) || authority.contains(|c: char| c.is_whitespace() || c == '\\');
    let lacks_host = is_web(&scheme) && (authority.is_empty() || authority.starts_with(':'));
    // Hosts and ports that a browser does not read.
    let is_unreadable = url::Url::parse(text).is_err();
    if !is_scheme || REFUSED_SCHEMES.contains(&scheme.as_str()) || is_ambiguous || lacks_host || is_unreadable
    {
        return Err(RedirectUrlError::NoTarget);
    }
    Ok(scheme)
}

fn is_web(scheme: &str) -> bool {
    matches!(scheme, "https" | "http")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// The pages are tried with the same addresses (`web/tests/unit/safe-url.test.ts`).
    #[test]
    fn what_is_accepted_is_what_the_pages_open() {
        let addresses: Value =
            serde_json::from_str(include_str!("../../../web/tests/vectors/redirect-urls.json")).unwrap();
        for (list, is_target, is_link) in
            [("pages", true, true), ("applications", true, false), ("refused", false, false)]
        {
            for address in addresses[list].as_array().unwrap() {
                let address = address.as_str().unwrap();
                assert_eq!(check_redirect_url(address).is_ok(), is_target, "{address}");
                assert_eq!(check_link_url(address).is_ok(), is_link, "{address}");
            }
        }
    }

    #[test]
    fn no_dangerous_scheme_is_accepted_in_any_case() {
        for scheme in REFUSED_SCHEMES {
            for address in [format!("{scheme}://x"), format!("{}://x", scheme.to_ascii_uppercase())] {
                assert_eq!(check_redirect_url(&address), Err(RedirectUrlError::NoTarget), "{address}");
            }
        }
    }

    #[test]
    fn an_address_that_can_be_read_in_two_ways_is_refused() {
        for address in [
            "https://shop.example/\n",
            "java\tscript://x",
            "https:///shop.example/",
            "https://shop.example\\evil.example/",
            "myapp://shop.example evil.example/",
        ] {
            assert_eq!(check_redirect_url(address), Err(RedirectUrlError::NoTarget), "{address:?}");
        }
        assert_eq!(check_redirect_url("https://@shop.example/"), Err(RedirectUrlError::UserName));
    }

    #[test]
    fn a_refusal_says_what_is_wrong() {
        for (address, words) in [
            ("javascript://x", "it is not an address that a browser can be sent to"),
            ("https://ada:secret@shop.example/", "it contains a user name or a password"),
            ("myapp://privacy", "it begins with https:// or http:// and a host"),
        ] {
            assert_eq!(check_link_url(address).unwrap_err().to_string(), words);
        }
    }
}
