//! Numbers that people type, as far as they can be judged without asking anybody.
//!
//! Each is a type that only a possible value gets into. They wipe themselves, and print as stars.

mod card;
mod national;
mod phone;

pub use card::{CardNumber, Expiry, Scheme, SecurityCode};
pub use national::{Cpf, Ssn};
pub use phone::{CallingCode, Phone};

/// The digits of a text in which only blanks and the given separators stand between them.
pub(crate) fn digits(text: &str, separators: &[char]) -> Option<zeroize::Zeroizing<String>> {
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
pub(crate) fn number(digits: &str) -> u32 {
    digits.bytes().fold(0, |number, digit| number.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}
