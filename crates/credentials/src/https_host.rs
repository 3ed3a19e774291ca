//! Host names of https addresses, parsed so strictly that no other parser can see a different host.

/// The host of an `https://` address in lower case, without its port. `None` for anything unusual: user names,
/// backslashes, percent escapes in the host, spaces, IPv6 addresses.
pub(crate) fn https_host(url: &str) -> Option<String> {
    let scheme = url.get(..8)?;
    let rest = scheme.eq_ignore_ascii_case("https://").then(|| url.get(8..)).flatten()?;
    if !url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = match authority.split_once(':') {
        Some((host, port)) => port.parse::<u16>().ok().map(|_| host)?,
        None => authority,
    };
    is_host(host).then(|| host.to_ascii_lowercase())
}

/// Whether a text is a host name: labels of letters, digits and hyphens.
pub(crate) fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.len() <= 253 && host.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::https_host;

    #[test]
    fn only_a_plain_address_has_a_host() {
        for (url, host) in [
            ("https://issuer.example/x?y#z", Some("issuer.example")),
            ("HTTPS://Issuer.Example:8443", Some("issuer.example")),
            ("https://issuer.example", Some("issuer.example")),
            ("http://issuer.example/", None),
            ("https://good.example@evil.example/", None),
            ("https://good.example\\@evil.example/", None),
            ("https://good.example%2f.evil.example/", None),
            ("https://good.example .evil.example/", None),
            ("https://[::1]/", None),
            ("https:///x", None),
            ("https://a..b/", None),
            ("https://g\u{f6}\u{f6}d.example/", None),
            ("https://issuer.example:99999/", None),
            ("", None),
        ] {
            assert_eq!(https_host(url).as_deref(), host, "{url}");
        }
    }
}
