//! Identifiers that people type, checked as far as that is possible without a call to anyone.
//!
//! Each is a type that holds only plausible values, is wiped when dropped, and prints as stars.

mod national_ids;
mod payment_card;
mod phone;

pub use national_ids::{Cpf, Ssn};
pub use payment_card::{CardExpiry, CardNumber, CardScheme, CardSecurityCode};
pub use phone::{CallingCode, PhoneNumber};

/// The digits of a text; `None` if it contains anything but digits, blanks and the given separators.
pub(crate) fn strip_separators(text: &str, separators: &[char]) -> Option<zeroize::Zeroizing<String>> {
    let mut digits = zeroize::Zeroizing::new(String::with_capacity(text.len()));
    for char in text.chars() {
        match char {
            '0'..='9' => digits.push(char),
            ' ' | '\u{a0}' => {}
            _ if separators.contains(&char) => {}
            _ => return None,
        }
    }
    Some(digits)
}

/// Parses ASCII digits; wraps on overflow.
pub(crate) fn parse_digits(digits: &str) -> u32 {
    digits.bytes().fold(0, |number, digit| number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}
