//! National identification numbers.

use super::{parse_digits, strip_separators};
use crate::AgeMethodError;
use base::Secret;

/// Social security numbers that were printed in advertisements, and so are nobody's own.
const PUBLISHED_SSNS: [&str; 2] = ["078051120", "219099999"];

/// A social security number of the United States, or its last four digits.
#[derive(Clone, Debug)]
pub enum Ssn {
    /// All nine digits.
    Whole(Secret<String>),
    /// The last four.
    LastFour(Secret<String>),
}

impl Ssn {
    /// Reads nine digits, with or without hyphens, or four. Numbers that the Social Security Administration never
    /// issues are refused: area 000, 666 and 900 to 999, group 00, serial 0000.
    pub fn parse(text: &str) -> Result<Self, AgeMethodError> {
        const INVALID_SSN: AgeMethodError = AgeMethodError::invalid("number");
        let digits = strip_separators(text, &['-']).ok_or(INVALID_SSN)?;
        let value = || Secret::new((*digits).clone());
        match digits.len() {
            4 if parse_digits(&digits) > 0 => Ok(Self::LastFour(value())),
            9 if is_issued(&digits) => Ok(Self::Whole(value())),
            _ => Err(INVALID_SSN),
        }
    }

    /// The nine or four digits. The caller is responsible for where they go.
    pub fn expose(&self) -> &str {
        match self {
            Self::Whole(digits) | Self::LastFour(digits) => digits.expose(),
        }
    }
}

fn is_issued(digits: &str) -> bool {
    let (area, group, serial) =
        (parse_digits(&digits[..3]), parse_digits(&digits[3..5]), parse_digits(&digits[5..]));
    !matches!(area, 0 | 666 | 900..) && group > 0 && serial > 0 && !PUBLISHED_SSNS.contains(&digits)
}

/// A Brazilian taxpayer number (Cadastro de Pessoas Físicas).
#[derive(Clone, Debug)]
pub struct Cpf(Secret<String>);

impl Cpf {
    /// Reads eleven digits, as `529.982.247-25` or without punctuation. The last two are check digits. Eleven equal
    /// digits pass that check but are never issued, so they are refused.
    pub fn parse(text: &str) -> Result<Self, AgeMethodError> {
        const INVALID_CPF: AgeMethodError = AgeMethodError::invalid("cpf");
        let digits = strip_separators(text, &['.', '-']).ok_or(INVALID_CPF)?;
        let bytes = digits.as_bytes();
        let checks = bytes.len() == 11
            && bytes.iter().any(|digit| *digit != bytes[0])
            && check_digit(&bytes[..9]) == bytes[9]
            && check_digit(&bytes[..10]) == bytes[10];
        if checks { Ok(Self(Secret::new((*digits).clone()))) } else { Err(INVALID_CPF) }
    }

    /// The eleven digits. The caller is responsible for where they go.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// The digit that makes the sum, weighted with 2, 3, 4 … from the right, a multiple of 11; 0 if it would need two
/// places.
fn check_digit(digits: &[u8]) -> u8 {
    let sum: u32 = digits.iter().rev().zip(2..).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    match sum % 11 {
        0 | 1 => b'0',
        rest => b'0' + (11 - rest) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_that_are_given_out_are_read() {
        for text in ["123-45-6789", "123456789", "001-01-0001", "899-99-9999", "665 01 0001"] {
            assert!(matches!(Ssn::parse(text), Ok(Ssn::Whole(_))), "{text}");
        }
        assert!(matches!(Ssn::parse("6789"), Ok(Ssn::LastFour(_))));
    }

    #[test]
    fn numbers_that_never_are_are_refused() {
        for text in [
            "000-12-3456",
            "666-12-3456",
            "900-12-3456",
            "999-12-3456",
            "123-00-4567",
            "123-45-0000",
            "078-05-1120",
            "219-09-9999",
            "0000",
            "12345",
            "12345678",
            "1234567890",
            "123.45.6789",
            "",
        ] {
            assert!(Ssn::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn taxpayers_have_two_check_digits() {
        for text in ["529.982.247-25", "52998224725", "111.444.777-35", "000.000.001-91"] {
            assert!(Cpf::parse(text).is_ok(), "{text}");
        }
        for text in
            ["529.982.247-26", "529.982.247-52", "111.111.111-11", "5299822472", "529982247250", "", "a"]
        {
            assert!(Cpf::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_digit_is_printed() {
        let printed =
            format!("{:?} {:?} {:?}", Ssn::parse("123456789"), Ssn::parse("6789"), Cpf::parse("52998224725"));
        assert!(!printed.contains(|char: char| char.is_ascii_digit()), "{printed}");
    }

    proptest! {
        #[test]
        fn nine_digits_are_read_exactly_where_every_part_may_be(area in 0u32..1000, group in 0u32..100, serial in 0u32..10000) {
            let text = format!("{area:03}-{group:02}-{serial:04}");
            let may = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
            let printed = PUBLISHED_SSNS.contains(&text.replace('-', "").as_str());
            prop_assert_eq!(Ssn::parse(&text).is_ok(), may && !printed);
        }

        #[test]
        fn nine_digits_have_one_pair_that_checks_them(body in "[0-9]{9}") {
            let right: Vec<_> = (0..100).filter(|pair| Cpf::parse(&format!("{body}{pair:02}")).is_ok()).collect();
            let equal = body.bytes().all(|digit| digit == body.as_bytes()[0]);
            prop_assert_eq!(right.len(), usize::from(!equal));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = (Ssn::parse(&text), Cpf::parse(&text));
        }
    }
}
