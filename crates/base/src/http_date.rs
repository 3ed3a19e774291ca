//! Timestamps in HTTP headers.

use jiff::Timestamp;

/// Reads a date in one of the three forms of RFC 9110, section 5.6.7, all of which a recipient must accept; `None` for any other
/// text. The year of the form with two digits is from 1970 to 2069.
pub fn parse_http_date(text: &str) -> Option<Timestamp> {
    httpdate::parse_http_date(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_are_read_and_no_other() {
        for text in
            ["Fri, 16 Jan 2026 14:40:00 GMT", "Friday, 16-Jan-26 14:40:00 GMT", "Fri Jan 16 14:40:00 2026"]
        {
            assert_eq!(parse_http_date(text), "2026-01-16T14:40:00Z".parse().ok(), "{text}");
        }
        let early = parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT");
        assert_eq!(early, "1994-11-06T08:49:37Z".parse().ok());
        assert_eq!(parse_http_date("Sun Nov  6 08:49:37 1994"), early);
        for other in [
            "",
            "2026-01-16T14:40:00Z",
            "Fri, 16 Jan 2026 14:40:00",
            "Fri, 16 Jan 2026 14:40:00 CET",
            "Fri, 32 Jan 2026 14:40:00 GMT",
            "Sun, 16 Jan 2026 14:40:00 GMT",
            "Friday, 16-Jan-2026 14:40:00 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ] {
            assert_eq!(parse_http_date(other), None, "{other}");
        }
    }
}
