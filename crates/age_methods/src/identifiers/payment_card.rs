//! Payment cards (ISO/IEC 7812).

use super::{parse_digits, strip_separators};
use crate::AgeMethodError;
use base::Secret;
use jiff::civil::Date;

/// Cards that expire later are refused.
const MAX_EXPIRY_YEARS_AHEAD: i32 = 20;

/// A card scheme. Maestro is left out: its cards are debit cards, which children have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardScheme {
    AmericanExpress,
    Diners,
    Discover,
    Jcb,
    Mastercard,
    UnionPay,
    Visa,
}

impl CardScheme {
    /// The scheme of a card number, by its first four digits.
    fn of(digits: &str) -> Option<Self> {
        let first = |count: usize| digits.get(..count).map_or(0, parse_digits);
        Some(match first(4) {
            4000..=4999 => Self::Visa,
            2221..=2720 | 5100..=5599 => Self::Mastercard,
            3400..=3499 | 3700..=3799 => Self::AmericanExpress,
            3000..=3059 | 3095 | 3600..=3699 | 3800..=3999 => Self::Diners,
            3528..=3589 => Self::Jcb,
            6011 | 6440..=6499 | 6500..=6599 => Self::Discover,
            6200..=6299 | 8100..=8199 => Self::UnionPay,
            _ => return None,
        })
    }

    fn has_length(self, length: usize) -> bool {
        match self {
            Self::AmericanExpress => length == 15,
            Self::Mastercard => length == 16,
            Self::Visa => matches!(length, 13 | 16 | 19),
            Self::Diners => (14..=19).contains(&length),
            Self::Discover | Self::Jcb | Self::UnionPay => (16..=19).contains(&length),
        }
    }
}

/// A plausible card number: of a known scheme, of the right length, with a valid check digit.
#[derive(Clone, Debug)]
pub struct CardNumber {
    digits: Secret<String>,
    scheme: CardScheme,
}

impl CardNumber {
    /// Reads a number; blanks and hyphens are allowed.
    pub fn parse(text: &str) -> Result<Self, AgeMethodError> {
        let digits = strip_separators(text, &['-']).ok_or(AgeMethodError::invalid("number"))?;
        let scheme = CardScheme::of(&digits).filter(|scheme| scheme.has_length(digits.len()));
        let scheme = scheme.filter(|_| has_luhn_digit(&digits)).ok_or(AgeMethodError::invalid("number"))?;
        Ok(Self { digits: Secret::new((*digits).clone()), scheme })
    }

    pub fn scheme(&self) -> CardScheme {
        self.scheme
    }

    /// The digits without separators. The caller is responsible for where they go.
    pub fn expose(&self) -> &str {
        self.digits.expose()
    }
}

/// Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B).
fn has_luhn_digit(digits: &str) -> bool {
    let weighed = |(place, digit): (usize, u8)| {
        let value = u32::from(digit - b'0') << (place % 2);
        if value > 9 { value - 9 } else { value }
    };
    digits.bytes().rev().enumerate().map(weighed).sum::<u32>().is_multiple_of(10)
}

/// The last month in which a card is valid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CardExpiry {
    year: i16,
    month: i8,
}

impl CardExpiry {
    /// Reads `MM/YY`, `MMYY` or `MM/YYYY`; the month must not be over, nor lie more than 20 years ahead.
    pub fn parse(text: &str, today: Date) -> Result<Self, AgeMethodError> {
        const INVALID_EXPIRY: AgeMethodError = AgeMethodError::invalid("expiry");
        let digits = strip_separators(text, &['/', '-']).ok_or(INVALID_EXPIRY)?;
        if !matches!(digits.len(), 4 | 6) {
            return Err(INVALID_EXPIRY);
        }
        let (month, year) = (parse_digits(&digits[..2]) as i8, parse_digits(&digits[2..]) as i16);
        let year = if digits.len() == 4 { today.year() / 100 * 100 + year } else { year };
        let ahead = i32::from(year - today.year()) * 12 + i32::from(month - today.month());
        if (1..=12).contains(&month) && (0..=MAX_EXPIRY_YEARS_AHEAD * 12).contains(&ahead) {
            Ok(Self { year, month })
        } else {
            Err(INVALID_EXPIRY)
        }
    }

    /// The month, 1 to 12.
    pub fn month(self) -> i8 {
        self.month
    }

    /// The year, four digits.
    pub fn year(self) -> i16 {
        self.year
    }
}

impl std::fmt::Debug for CardExpiry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// The code that is printed beside the number.
#[derive(Clone, Debug)]
pub struct CardSecurityCode(Secret<String>);

impl CardSecurityCode {
    /// Reads the code of a scheme's card: four digits for American Express, three for all others.
    pub fn parse(text: &str, scheme: CardScheme) -> Result<Self, AgeMethodError> {
        let length = if scheme == CardScheme::AmericanExpress { 4 } else { 3 };
        if text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(Secret::new(text.to_owned())))
        } else {
            Err(AgeMethodError::invalid("code"))
        }
    }

    /// The digits. The caller is responsible for where they go.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_every_scheme_are_read() {
        // The numbers that schemes and payment providers publish for tests.
        for (text, scheme) in [
            ("4242 4242 4242 4242", CardScheme::Visa),
            ("4000-0000-0000-0002", CardScheme::Visa),
            ("4222222222222", CardScheme::Visa),
            ("5555 5555 5555 4444", CardScheme::Mastercard),
            ("2223 0031 2200 3222", CardScheme::Mastercard),
            ("3782 822463 10005", CardScheme::AmericanExpress),
            ("3714 496353 98431", CardScheme::AmericanExpress),
            ("3056 9300 0902 0004", CardScheme::Diners),
            ("3622 720627 1667", CardScheme::Diners),
            ("6011 1111 1111 1117", CardScheme::Discover),
            ("6011 0009 9013 9424", CardScheme::Discover),
            ("3566 0020 2036 0505", CardScheme::Jcb),
            ("6200 0000 0000 0005", CardScheme::UnionPay),
        ] {
            assert_eq!(CardNumber::parse(text).map(|number| number.scheme()), Ok(scheme), "{text}");
        }
        assert_eq!(CardNumber::parse("4242 4242 4242 4242").unwrap().expose(), "4242424242424242");
    }

    #[test]
    fn what_no_card_has_is_refused() {
        for text in [
            "",
            "4242 4242 4242 4241",
            "4242 4242 4242 424",
            "0000 0000 0000 0000",
            "4242.4242.4242.4242",
            "４２４２４２４２４２４２４２４２",
            "6759 6498 2643 8453",
            "5555 5555 5555 44444",
            "9792 0303 9444 0796",
            "42424242424242424242424242424242",
        ] {
            assert!(CardNumber::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_card_is_valid_to_the_end_of_its_month() {
        let today = date(2026, 11, 22);
        for good in ["11/26", "12/26", "01/30", "1126", "11 / 26", "11/2026", "11-26", "11/46"] {
            assert!(CardExpiry::parse(good, today).is_ok(), "{good}");
        }
        for bad in [
            "10/26", "12/46", "00/30", "13/30", "1/30", "", "11/206", "11/1926", "11/26/30", "11/9999",
            "aa/bb",
        ] {
            assert!(CardExpiry::parse(bad, today).is_err(), "{bad}");
        }
        let read = CardExpiry::parse("02/31", today).unwrap();
        assert_eq!((read.month(), read.year()), (2, 2031));
    }

    #[test]
    fn a_code_is_as_long_as_its_scheme_has_it() {
        assert!(CardSecurityCode::parse("123", CardScheme::Visa).is_ok());
        assert!(CardSecurityCode::parse("1234", CardScheme::Visa).is_err());
        assert!(CardSecurityCode::parse("1234", CardScheme::AmericanExpress).is_ok());
        assert!(CardSecurityCode::parse("12a", CardScheme::Visa).is_err());
    }

    #[test]
    fn nothing_of_a_card_is_printed() {
        let number = CardNumber::parse("4242424242424242").unwrap();
        let printed = format!(
            "{number:?} {:?} {:?}",
            CardExpiry::parse("12/30", date(2026, 1, 1)),
            CardSecurityCode::parse("123", CardScheme::Visa)
        );
        assert!(!printed.contains(|char: char| char.is_ascii_digit()), "{printed}");
    }

    proptest! {
        #[test]
        fn one_wrong_digit_is_noticed(body in "4[0-9]{14}", place in 0usize..16, other in 1u8..10) {
            let check = (0..10).map(|digit| format!("{body}{digit}")).find(|text| has_luhn_digit(text)).unwrap();
            prop_assert!(CardNumber::parse(&check).is_ok());
            let mut wrong = check.into_bytes();
            wrong[place] = b'0' + (wrong[place] - b'0' + other) % 10;
            prop_assert!(CardNumber::parse(std::str::from_utf8(&wrong).unwrap()).is_err());
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = CardNumber::parse(&text);
            let _ = CardExpiry::parse(&text, date(2026, 11, 22));
            let _ = CardSecurityCode::parse(&text, CardScheme::Visa);
        }
    }
}
