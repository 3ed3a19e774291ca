//! Interprets the data elements: names, dates and measures, by version and country.

use super::AamvaText;
use jiff::civil::Date;

/// Sex as coded by AAMVA D-20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AamvaSex {
    /// `1` or `M`.
    Male,
    /// `2` or `F`.
    Female,
    /// `9`, `X` or any other value.
    Unspecified,
}

/// Height in the unit that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Height {
    /// `065 in`, or feet and inches in version 1.
    Inches(u16),
    /// `170 cm`.
    Centimetres(u16),
}

impl Height {
    /// The height in whole centimetres.
    pub fn centimetres(self) -> u16 {
        match self {
            Self::Inches(inches) => (f32::from(inches) * 2.54).round() as u16,
            Self::Centimetres(centimetres) => centimetres,
        }
    }
}

/// Whether a name was truncated to fit (`DDE`, `DDF`, `DDG`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameTruncation {
    /// `T`.
    Truncated,
    /// `N`.
    Whole,
    /// `U`, missing, or any other value.
    Unknown,
}

/// The data of a driving licence or identity card. Comments name the data elements.
#[derive(Clone, PartialEq, Eq)]
pub struct Licence {
    /// A driving licence (`DL`) and not merely an identity card (`ID`).
    pub may_drive: bool,
    /// ISO 3166-1 alpha-3: from `DCG`, or else from the issuer.
    pub country: Option<&'static str>,
    /// State or province: of the address (`DAJ`), or else of the issuer.
    pub jurisdiction: Option<String>,
    /// `DAQ`.
    pub number: Option<String>,
    /// `DCS`. Older versions have other elements for the parts of a name, see `LicenceNames::of`.
    pub family_name: Option<String>,
    /// `DAC`: the first given name.
    pub first_name: Option<String>,
    /// `DAD`: further given names, separated by spaces.
    pub middle_names: Option<String>,
    /// `DCU`: `JR` for example.
    pub suffix: Option<String>,
    /// `DDE`.
    pub family_name_cut: NameTruncation,
    /// `DDF`.
    pub first_name_cut: NameTruncation,
    /// `DDG`.
    pub middle_names_cut: NameTruncation,
    /// `DBB`.
    pub born: Option<Date>,
    /// `DBD`.
    pub issued: Option<Date>,
    /// `DBA`.
    pub expires: Option<Date>,
    /// `DDB`: when the design of the card was revised.
    pub card_revised: Option<Date>,
    /// `DBC`.
    pub sex: Option<AamvaSex>,
    /// `DAY`: three letters of AAMVA D-20, for example `BRO`.
    pub eyes: Option<String>,
    /// `DAU`.
    pub height: Option<Height>,
    /// `DAG` and `DAH`, separated by a comma.
    pub street: Option<String>,
    /// `DAI`.
    pub city: Option<String>,
    /// `DAK`, without padding zeros and spaces.
    pub postal_code: Option<String>,
    /// `DCF`: distinguishes the cards of one person.
    pub discriminator: Option<String>,
    /// Ids of date elements whose value is not a date.
    pub bad_dates: Vec<&'static str>,
}

impl Licence {
    /// Interprets an AAMVA text.
    pub fn of(text: &AamvaText) -> Self {
        let own = |id| text.get(id).filter(|value| !is_placeholder(value)).map(str::to_owned);
        let country = match text.get("DCG") {
            Some("USA" | "US") => Some("USA"),
            Some("CAN" | "CDN" | "CA") => Some("CAN"),
            Some("MEX" | "MX") => Some("MEX"),
            _ => text.jurisdiction().map(|issuer| issuer.country),
        };
        let mut bad_dates = Vec::new();
        let mut date = |id: &'static str| {
            let value = text.get(id).filter(|value| !is_placeholder(value))?;
            let date = read_date(value, text.version, country);
            if date.is_none() {
                bad_dates.push(id);
            }
            date
        };
        let (born, issued, expires, card_revised) = (date("DBB"), date("DBD"), date("DBA"), date("DDB"));
        let names = LicenceNames::of(text);
        let has_subfile = |kind: &[u8; 2]| text.subfiles.iter().any(|subfile| &subfile.kind == kind);
        let street = [own("DAG"), own("DAH")].into_iter().flatten().collect::<Vec<_>>().join(", ");
        Self {
            may_drive: has_subfile(b"DL") || !has_subfile(b"ID"),
            country,
            jurisdiction: own("DAJ").or_else(|| text.jurisdiction().map(|issuer| issuer.code.to_owned())),
            number: own("DAQ"),
            family_name: names.family,
            first_name: names.first,
            middle_names: names.middle,
            suffix: names.suffix,
            family_name_cut: truncation(text.get("DDE")),
            first_name_cut: truncation(text.get("DDF")),
            middle_names_cut: truncation(text.get("DDG")),
            born,
            issued,
            expires,
            card_revised,
            sex: text.get("DBC").map(|value| match value {
                "1" | "M" => AamvaSex::Male,
                "2" | "F" => AamvaSex::Female,
                _ => AamvaSex::Unspecified,
            }),
            eyes: own("DAY"),
            height: text.get("DAU").and_then(read_height),
            street: Some(street).filter(|street| !street.is_empty()),
            city: own("DAI"),
            postal_code: text.get("DAK").map(read_postal_code),
            discriminator: own("DCF"),
            bad_dates,
        }
    }

    /// All given names in order, separated by spaces.
    pub fn given_names(&self) -> Option<String> {
        let names: Vec<&str> =
            [&self.first_name, &self.middle_names].into_iter().flatten().map(String::as_str).collect();
        (!names.is_empty()).then(|| names.join(" "))
    }
}

// Personal data must not reach a log through `{:?}`.
impl std::fmt::Debug for Licence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Licence({:?}, {:?})", self.country, self.jurisdiction)
    }
}

/// Whether an issuer wrote that there is no value.
fn is_placeholder(value: &str) -> bool {
    value.is_empty() || matches!(value, "NONE" | "UNAVL" | "unavl" | "none" | "N/A")
}

fn truncation(value: Option<&str>) -> NameTruncation {
    match value {
        Some("T") => NameTruncation::Truncated,
        Some("N") => NameTruncation::Whole,
        _ => NameTruncation::Unknown,
    }
}

#[derive(Default)]
struct LicenceNames {
    family: Option<String>,
    first: Option<String>,
    middle: Option<String>,
    suffix: Option<String>,
}

impl LicenceNames {
    /// Versions 4 and later have an element for each part of a name. Versions 2 and 3 have all given names in one
    /// (`DCT`). Version 1 has the whole name in one (`DAA`), or else an element for each part, under ids that later
    /// versions use for the same part or not at all.
    fn of(text: &AamvaText) -> Self {
        let own = |id| text.get(id).filter(|value| !is_placeholder(value)).map(normalise_spaces);
        let mut names = Self {
            family: own("DCS").or_else(|| own("DAB")),
            first: own("DAC"),
            middle: own("DAD"),
            suffix: own("DCU").or_else(|| own("DAE")),
        };
        if names.first.is_none()
            && let Some(given) = text.get("DCT")
        {
            (names.first, names.middle) = split_given(given);
        }
        if names.family.is_none()
            && let Some(whole) = text.get("DAA")
        {
            // LAST,FIRST,MIDDLE,SUFFIX; a few issuers write FIRST MIDDLE LAST without commas.
            let parts: Vec<&str> = whole.split(['@', ',']).map(str::trim).collect();
            let part =
                |at: usize| parts.get(at).filter(|part| !part.is_empty()).map(|part| normalise_spaces(part));
            if parts.len() > 1 {
                names.family = part(0);
                names.first = names.first.or_else(|| part(1));
                names.middle = names.middle.or_else(|| part(2));
                names.suffix = names.suffix.or_else(|| part(3));
            } else if let Some((given, family)) = whole.rsplit_once(' ') {
                names.family = Some(normalise_spaces(family));
                (names.first, names.middle) = split_given(given);
            } else {
                names.family = Some(normalise_spaces(whole));
            }
        }
        names
    }
}

fn split_given(given: &str) -> (Option<String>, Option<String>) {
    let given = normalise_spaces(&given.replace(',', " "));
    match given.split_once(' ') {
        Some((first, middle)) => (Some(first.to_owned()), Some(middle.to_owned())),
        None => (Some(given).filter(|given| !given.is_empty()), None),
    }
}

/// Single spaces between words and none around; commas become spaces.
fn normalise_spaces(name: &str) -> String {
    name.split([' ', ',']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Reads eight digits: month, day, year in the USA since version 2; year, month, day in Canada, Mexico and version 1.
/// Issuers confuse the two, so the other order is tried where the expected one gives no date from 1880 to 2199.
fn read_date(value: &str, version: u8, country: Option<&str>) -> Option<Date> {
    let digits: Vec<i16> = value
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b'/' | b' '))
        .map(|byte| i16::from(byte) - 48)
        .collect();
    let digits: [i16; 8] = digits.try_into().ok()?;
    if digits.iter().any(|digit| !(0..10).contains(digit)) {
        return None;
    }
    let number =
        |from: usize, to: usize| digits[from..to].iter().fold(0, |number, digit| number * 10 + digit);
    let date = |year: i16, month: i16, day: i16| {
        let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        (1880..2200).contains(&year).then_some(date)
    };
    let year_first = || date(number(0, 4), number(4, 6), number(6, 8));
    let month_first = || date(number(4, 8), number(0, 2), number(2, 4));
    if country == Some("CAN") || country == Some("MEX") || version < 2 {
        year_first().or_else(month_first)
    } else {
        month_first().or_else(year_first)
    }
}

/// Reads `065 in`, `170 cm`, and in feet and inches `5-09`, `509` and `5'09"`.
fn read_height(value: &str) -> Option<Height> {
    let numbers: Vec<u16> = value
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(|digits| digits.parse().ok())
        .collect::<Option<_>>()?;
    let unit = value.to_ascii_lowercase();
    let feet = |feet: u16, inches: u16| ((2..9).contains(&feet) && inches < 12).then(|| feet * 12 + inches);
    match numbers[..] {
        [centimetres] if unit.contains("cm") => Some(Height::Centimetres(centimetres)),
        [inches] if unit.contains("in") => Some(Height::Inches(inches)),
        [both] => feet(both / 100, both % 100).map(Height::Inches),
        [whole, inches] => feet(whole, inches).map(Height::Inches),
        _ => None,
    }
}

/// `232690000` gives 23269, and `232691234` gives 23269-1234.
fn read_postal_code(value: &str) -> String {
    let digits = value.trim();
    match digits.split_at_checked(5) {
        Some((zone, "0000")) if zone.bytes().all(|byte| byte.is_ascii_digit()) => zone.to_owned(),
        Some((zone, rest)) if rest.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{zone}-{rest}")
        }
        _ => normalise_spaces(digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn dates_are_read_in_the_order_of_the_country_and_in_the_other() {
        let usa = Some("USA");
        assert_eq!(read_date("06061986", 10, usa), Some(date(1986, 6, 6)));
        assert_eq!(read_date("19860607", 10, usa), Some(date(1986, 6, 7)), "written the other way");
        assert_eq!(read_date("19860607", 1, usa), Some(date(1986, 6, 7)), "as version 1 has it");
        assert_eq!(read_date("19860607", 8, Some("CAN")), Some(date(1986, 6, 7)));
        assert_eq!(read_date("12102034", 8, Some("CAN")), Some(date(2034, 12, 10)));
        for bad in ["", "0606198", "99999999", "0606198x", "00000000", "02302020"] {
            assert_eq!(read_date(bad, 10, usa), None, "{bad}");
        }
    }

    #[test]
    fn heights_are_read_in_every_unit() {
        assert_eq!(read_height("068 in"), Some(Height::Inches(68)));
        assert_eq!(read_height("170 CM").map(Height::centimetres), Some(170));
        assert_eq!(read_height("509"), Some(Height::Inches(69)));
        assert_eq!(read_height("5'-11\""), Some(Height::Inches(71)));
        assert_eq!(read_height("tall"), None);
        assert_eq!(read_height("999999 in"), None);
        assert_eq!(read_height("60102 feet"), None, "more than a number of sixteen bits holds");
    }

    #[test]
    fn postal_codes_lose_what_fills_them() {
        assert_eq!(read_postal_code("232690000  "), "23269");
        assert_eq!(read_postal_code("232691234"), "23269-1234");
        assert_eq!(read_postal_code("M5V 1A1    "), "M5V 1A1");
    }
}
