//! E-mail addresses of people who work in the console.

/// One address that mail can be sent to: 7 to 100 characters.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailAddress {
    as_written: String,
    normalised: String,
}

/// Why a text is no e-mail address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmailAddressError {
    /// It is too short or too long; it has this many characters.
    #[error("an e-mail address has 7 to 100 characters, this one {0}")]
    Length(usize),
    /// It does not have the form of one address.
    #[error("it is not an e-mail address")]
    Form,
}

impl EmailAddress {
    /// The shortest address, in characters.
    pub const MIN_CHARS: usize = 7;
    /// The longest address, in characters.
    pub const MAX_CHARS: usize = 100;

    /// The address as it was written.
    pub fn as_str(&self) -> &str {
        &self.as_written
    }

    /// The address in lower case, as addresses are compared.
    pub fn normalised(&self) -> &str {
        &self.normalised
    }

    /// The part before the `@`: the username of somebody who is invited without one.
    pub fn local_part(&self) -> &str {
        self.as_written.rsplit_once('@').map_or(&self.as_written, |(local, _)| local)
    }
}

// Addresses are personal data and must not reach a log.
impl std::fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EmailAddress(…)")
    }
}

impl std::str::FromStr for EmailAddress {
    type Err = InvalidEmailAddressError;
    fn from_str(text: &str) -> Result<Self, InvalidEmailAddressError> {
        let length = text.chars().count();
        if !(Self::MIN_CHARS..=Self::MAX_CHARS).contains(&length) {
            return Err(InvalidEmailAddressError::Length(length));
        }
        let odd = |c: char| c.is_whitespace() || c.is_control() || "<>\"(),;:\\[]".contains(c);
        if text.contains(odd) || text.parse::<lettre::Address>().is_err() {
            return Err(InvalidEmailAddressError::Form);
        }
        Ok(Self { as_written: text.to_owned(), normalised: text.to_lowercase() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_and_holds_no_second() {
        for good in ["a@bc.de", "Ada.Lovelace+x@example.com", &format!("{}@example.com", "a".repeat(64))] {
            assert!(good.parse::<EmailAddress>().is_ok(), "{good}");
        }
        assert_eq!("a@b.de".parse::<EmailAddress>(), Err(InvalidEmailAddressError::Length(6)));
        assert_eq!(
            format!("a@{}.com", "b".repeat(95)).parse::<EmailAddress>(),
            Err(InvalidEmailAddressError::Length(101))
        );
        for bad in [
            "example.com",
            "@example.com",
            "ada.lovelace@",
            "a b@example.com",
            "a@example.com\r\nBcc: b@example.com",
            "a@example.com, b@example.com",
            "<a@example.com>",
            "a@b@example.com",
        ] {
            assert_eq!(bad.parse::<EmailAddress>(), Err(InvalidEmailAddressError::Form), "{bad}");
        }
        let email: EmailAddress = "Ada@Example.COM".parse().unwrap();
        assert_eq!(
            (email.as_str(), email.normalised(), email.local_part()),
            ("Ada@Example.COM", "ada@example.com", "Ada")
        );
    }
}
