//! Numbers that people type, as far as they can be judged without asking anybody.
//!
//! Each is a type that only a possible value gets into. They wipe themselves, and print as stars.

mod national_ids;
mod payment_card;
mod phone;

pub use national_ids::{Cpf, Ssn};
pub use payment_card::{CardExpiry, CardNumber, CardScheme, CardSecurityCode};
pub use phone::{CallingCode, PhoneNumber};

/// The digits of a text in which only blanks and the given separators stand between them.
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

/// The number that digits of ASCII spell.
pub(crate) fn parse_digits(digits: &str) -> u32 {
    digits.bytes().fold(0, |number, digit| number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}
