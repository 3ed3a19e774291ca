//! Timestamps in HTTP headers.

use jiff::{Timestamp, fmt::strtime, tz::TimeZone};

/// Reads an IMF-fixdate (RFC 9110, section 5.6.7), such as `Fri, 16 Jan 2026 14:40:00 GMT`; `None` for any other form.
pub fn parse_http_date(text: &str) -> Option<Timestamp> {
    let civil = strtime::parse("%a, %d %b %Y %H:%M:%S GMT", text).ok()?.to_datetime().ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_form_is_read_and_no_other() {
        let read = parse_http_date("Fri, 16 Jan 2026 14:40:00 GMT");
        assert_eq!(read, "2026-01-16T14:40:00Z".parse().ok());
        for other in
            ["", "2026-01-16T14:40:00Z", "Fri, 16 Jan 2026 14:40:00", "Fri, 32 Jan 2026 14:40:00 GMT"]
        {
            assert_eq!(parse_http_date(other), None, "{other}");
        }
    }
}
