//! E-mail addresses of people.

/// An address that mail can be sent to: 7 to 100 characters (interface 1, "Limits").
#[derive(Clone, PartialEq, Eq)]
pub struct Email {
    shown: String,
    compared: String,
}

/// Text that is no e-mail address, and how many characters it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEmail {
    /// It is too short or too long.
    #[error("an e-mail address has 7 to 100 characters, this one {0}")]
    Length(usize),
    /// It has another form.
    #[error("it is no e-mail address")]
    Form,
}

impl Email {
    /// The shortest, characters.
    pub const SHORTEST: usize = 7;
    /// The longest, characters.
    pub const LONGEST: usize = 100;

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// As it is compared: nobody has two addresses that differ in case alone.
    pub(super) fn compared(&self) -> &str {
        &self.compared
    }

    /// What stands before the `@`: what its owner is called until he says otherwise.
    pub fn local_part(&self) -> &str {
        self.shown.rsplit_once('@').map_or(&self.shown, |(local, _)| local)
    }
}

// Addresses are personal data and no matter for logs.
impl std::fmt::Debug for Email {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Email(…)")
    }
}

impl std::str::FromStr for Email {
    type Err = BadEmail;
    fn from_str(text: &str) -> Result<Self, BadEmail> {
        let length = text.chars().count();
        if !(Self::SHORTEST..=Self::LONGEST).contains(&length) {
            return Err(BadEmail::Length(length));
        }
        let odd = |c: char| c.is_whitespace() || c.is_control() || "<>\"(),;:\\[]".contains(c);
        if text.contains(odd) || text.parse::<lettre::Address>().is_err() {
            return Err(BadEmail::Form);
        }
        Ok(Self { shown: text.to_owned(), compared: text.to_lowercase() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_and_holds_no_second() {
        for good in ["a@bc.de", "Ada.Lovelace+x@example.com", &format!("{}@example.com", "a".repeat(64))] {
            assert!(good.parse::<Email>().is_ok(), "{good}");
        }
        assert_eq!("a@b.de".parse::<Email>(), Err(BadEmail::Length(6)));
        assert_eq!(format!("a@{}.com", "b".repeat(95)).parse::<Email>(), Err(BadEmail::Length(101)));
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
            assert_eq!(bad.parse::<Email>(), Err(BadEmail::Form), "{bad}");
        }
        let email: Email = "Ada@Example.COM".parse().unwrap();
        assert_eq!(
            (email.as_str(), email.compared(), email.local_part()),
            ("Ada@Example.COM", "ada@example.com", "Ada")
        );
    }
}
