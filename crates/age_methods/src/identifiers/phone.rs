//! Phone numbers (ITU-T E.164).

use crate::{
    AgeMethodError,
    form::{FormField, FormFieldKind, FormValues},
};
use base::Secret;
use serde::Deserialize;
use zeroize::Zeroizing;

/// The calling code of a country or network, such as `44`: 1 to 3 digits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct CallingCode(String);

impl TryFrom<String> for CallingCode {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.strip_prefix('+').unwrap_or(&text);
        let fits = (1..=3).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0');
        if fits { Ok(Self(digits.to_owned())) } else { Err("a calling code has 1 to 3 digits, as 44") }
    }
}

impl CallingCode {
    /// The trunk prefix, which is dialled before a national number and left out after a calling code.
    fn trunk_prefix(&self) -> &'static str {
        match self.0.as_str() {
            "1" => "1",
            "7" => "8",
            "36" => "06",
            // In Italy and the Vatican the zero is part of the number, and San Marino's numbers have it too. So have those of
            // Ivory Coast, Benin and the Republic of the Congo.
            "39" | "378" | "379" | "225" | "229" | "242" => "",
            _ => "0",
        }
    }
}

/// Calling codes of two digits. Zones 1 and 7 have codes of one digit; every other pair begins one of three (ITU-T E.164).
const TWO_DIGIT_CALLING_CODES: [&str; 44] = [
    "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
    "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81",
    "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
];

/// A plausible phone number, with `+` and the calling code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneNumber(Secret<String>);

impl PhoneNumber {
    pub const FORM: [FormField; 1] = [FormField::new("phone", FormFieldKind::Tel, "tel", 24)];

    pub fn read(fields: &FormValues, home: Option<&CallingCode>) -> Result<Self, AgeMethodError> {
        Self::parse(fields.text("phone")?, home)
    }

    /// Reads a number as people write it: with `+` or `00` and a calling code, or as it is dialled in the country of
    /// `home`.
    pub fn parse(text: &str, home: Option<&CallingCode>) -> Result<Self, AgeMethodError> {
        const INVALID_PHONE: AgeMethodError = AgeMethodError::invalid("phone");
        let (plus, text) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
        // The zero that is written in brackets after a code, as +44 (0)20, is not dialled.
        let text = if plus || text.starts_with("00") {
            Zeroizing::new(text.replacen("(0)", "", 1))
        } else {
            Zeroizing::new(text.to_owned())
        };
        let digits = super::strip_separators(&text, &['-', '.', '/', '(', ')', '\u{2011}', '\u{2013}'])
            .ok_or(INVALID_PHONE)?;
        let whole = match (plus, digits.strip_prefix("00"), home) {
            (true, ..) => Zeroizing::new((*digits).clone()),
            (false, Some(rest), _) => Zeroizing::new(rest.to_owned()),
            (false, None, Some(home)) => {
                let trunk = home.trunk_prefix();
                let national = digits.strip_prefix(trunk).filter(|rest| home.0 != "1" || rest.len() == 10);
                Zeroizing::new(format!("{}{}", home.0, national.unwrap_or(&digits)))
            }
            (false, None, None) => return Err(INVALID_PHONE),
        };
        if is_dialable(&whole) { Ok(Self(Secret::new(format!("+{}", *whole)))) } else { Err(INVALID_PHONE) }
    }

    /// `+` and the digits. The caller is responsible for where they go.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// The number as a page may show it: only the last three digits are visible.
    pub fn masked(&self) -> String {
        let digits = self.0.expose();
        format!("••• {}", &digits[digits.len() - 3..])
    }

    /// The calling code of the country or network, without `+`: 1 to 3 digits.
    pub fn calling_code(&self) -> &str {
        let digits = &self.0.expose()[1..];
        let length = match digits.get(..2) {
            _ if digits.starts_with(['1', '7']) => 1,
            Some(pair) if TWO_DIGIT_CALLING_CODES.contains(&pair) => 2,
            _ => 3,
        };
        &digits[..length]
    }

    /// The number with `+` and without its last four digits: a range of 10,000 numbers, as networks hand them out.
    pub fn range(&self) -> &str {
        let number = self.0.expose();
        &number[..number.len() - 4]
    }

    pub(crate) fn ends_with(&self, digits: &str) -> bool {
        self.0.expose().ends_with(digits)
    }
}

/// Whether digits can be a calling code and a subscriber number. In the North American plan, both parts of the national
/// number are checked, because without its code it is as long as a whole number elsewhere.
fn is_dialable(digits: &str) -> bool {
    if let Some(national) = digits.strip_prefix('1') {
        let begins = |at: usize| matches!(national.as_bytes()[at], b'2'..=b'9');
        return national.len() == 10 && begins(0) && begins(3);
    }
    (7..=15).contains(&digits.len()) && !digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, home: &str) -> Option<String> {
        let home = (!home.is_empty()).then(|| CallingCode::try_from(home.to_owned()).unwrap());
        PhoneNumber::parse(text, home.as_ref()).ok().map(|phone| phone.expose().to_owned())
    }

    #[test]
    fn numbers_are_spelled_in_one_way() {
        // Numbers that regulators reserve for fiction, and examples from numbering plans.
        for (text, home, spelled) in [
            ("+44 7700 900123", "", "+447700900123"),
            ("+44 (0)7700 900123", "", "+447700900123"),
            ("0044 7700 900123", "", "+447700900123"),
            ("0044 (0)7700 900123", "", "+447700900123"),
            ("07700 900-123", "44", "+447700900123"),
            ("7700900123", "+44", "+447700900123"),
            ("(202) 555-0123", "1", "+12025550123"),
            ("1-202-555-0123", "1", "+12025550123"),
            ("+1 202.555.0123", "44", "+12025550123"),
            ("06 12345678", "39", "+390612345678"),
            ("07 00 00 00 00", "225", "+2250700000000"),
            ("01 90 00 00 00", "229", "+2290190000000"),
            ("06 000 0000", "242", "+242060000000"),
            ("8 912 345-67-89", "7", "+79123456789"),
            ("06 30 123 4567", "36", "+36301234567"),
            ("629 255 833", "34", "+34629255833"),
        ] {
            assert_eq!(read(text, home).as_deref(), Some(spelled), "{text}");
        }
    }

    #[test]
    fn a_number_has_a_calling_code_and_a_range() {
        for (number, code, range) in [
            ("+12025550123", "1", "+1202555"),
            ("+79123456789", "7", "+7912345"),
            ("+447700900123", "44", "+44770090"),
            ("+989121234567", "98", "+98912123"),
            ("+35312345678", "353", "+3531234"),
            ("+9647901234567", "964", "+964790123"),
        ] {
            let phone = PhoneNumber::parse(number, None).unwrap();
            assert_eq!((phone.calling_code(), phone.range()), (code, range));
        }
    }

    #[test]
    fn what_nobody_can_dial_is_refused() {
        for (text, home) in [
            ("", "44"),
            ("07700 900123", ""),
            ("+", "44"),
            ("+0 7700 900123", "44"),
            ("+44 77oo 900123", "44"),
            ("+1 102 555 0123", ""),
            ("+1 202 155 0123", ""),
            ("+1 202 555 012", ""),
            ("+1234567890123456", ""),
            ("+44 12", ""),
            ("++447700900123", ""),
        ] {
            assert_eq!(read(text, home), None, "{text}");
        }
        for code in ["", "0", "01", "1234", "+", "a"] {
            assert!(CallingCode::try_from(code.to_owned()).is_err(), "{code}");
        }
    }

    #[test]
    fn three_digits_are_shown_and_none_printed() {
        let phone = PhoneNumber::parse("+44 7700 900123", None).unwrap();
        assert_eq!(phone.masked(), "••• 123");
        assert!(!format!("{phone:?}").contains('1'));
    }

    proptest! {
        #[test]
        fn a_number_is_a_number_again(text in "[+0-9 ().-]{0,24}") {
            if let Some(spelled) = read(&text, "44") {
                let again = read(&spelled, "");
                prop_assert_eq!(again.as_ref(), Some(&spelled));
                prop_assert!((8..=16).contains(&spelled.len()));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            let _ = read(&text, "1");
        }
    }
}
