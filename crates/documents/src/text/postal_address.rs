//! Postal addresses in text: a street, and a town with its postal code.

use crate::countries;

/// A postal address.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PostalAddress {
    /// Street, house number and whatever else is above the town, as printed.
    pub lines: Vec<String>,
    /// As printed.
    pub postal_code: Option<String>,
    pub town: Option<String>,
    /// State or province, where addresses of the country have one.
    pub region: Option<String>,
    /// ISO 3166-1 alpha-3: as printed, or as shown by the form of the postal code, or else that of the sender.
    pub country: Option<&'static str>,
}

/// Whether a line is a whole address: a street with a house number and a town with its postal code, separated by
/// commas.
pub(super) fn is_address(text: &str) -> bool {
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let street = parts.first().is_some_and(|street| {
        street.chars().any(|c| c.is_ascii_digit())
            && street.chars().filter(|c| c.is_alphabetic()).count() >= 4
    });
    street
        && (1..parts.len())
            .any(|from| parts.get(from..).is_some_and(|rest| parse_town(&rest.join(", "), None).is_some()))
}

/// Parses a town with its postal code, and the country where the postal code shows it. `country` (ISO 3166-1 alpha-3)
/// is the one to assume otherwise.
pub(crate) fn parse_town(text: &str, country: Option<&str>) -> Option<PostalAddress> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let shapes: Vec<String> = words.iter().map(|word| character_shape(word)).collect();
    let shapes: Vec<&str> = shapes.iter().map(String::as_str).collect();
    if words.is_empty() || words.len() > 8 {
        return None;
    }
    let named = |from: usize, to: usize| {
        let name = words.get(from..to)?.join(" ");
        let letters = name.chars().filter(|c| c.is_alphabetic()).count();
        (letters >= 2 && !name.chars().any(|c| c.is_ascii_digit())).then_some(name)
    };
    let made = |code: String, town: Option<String>, region: Option<String>, country: Option<&'static str>| {
        Some(PostalAddress { lines: Vec::new(), postal_code: Some(code), town, region, country })
    };
    let end = words.len();
    // A British postal code ends the line or is all of it.
    if let [.., outward, "9AA"] = shapes[..]
        && matches!(outward, "A9" | "A99" | "AA9" | "AA99" | "A9A" | "AA9A")
    {
        let code = words[end - 2..].join(" ").to_uppercase();
        return made(code, named(0, end - 2), None, Some("GBR"));
    }
    if let [.., "A9A", "9A9"] = shapes[..] {
        let region = words.get(end.checked_sub(3)?).filter(|word| word.len() == 2);
        let to = end - 2 - usize::from(region.is_some());
        return made(
            words[end - 2..].join(" "),
            named(0, to),
            region.map(|&word| word.to_owned()),
            Some("CAN"),
        );
    }
    let is_state = |word: &str| word.len() == 2 && word.bytes().all(|c| c.is_ascii_uppercase());
    if let [.., "AA", "99999" | "99999-9999"] = shapes[..]
        && is_state(words[end - 2])
        && let Some(town) = named(0, end - 2)
    {
        return made(words[end - 1].to_owned(), Some(town), Some(words[end - 2].to_owned()), Some("USA"));
    }
    // In other countries the postal code stands before the town, sometimes after the letters of the country: `D-10115`.
    let (first, letters) = match shapes[0].split_once('-') {
        Some(("A" | "AA", rest)) if rest.starts_with('9') => {
            let (letters, _) = words[0].split_once('-')?;
            (words[0].get(letters.len() + 1..)?, Some(letters))
        }
        _ => (words[0], None),
    };
    let by_letters = letters.and_then(|letters| match letters {
        "D" => Some("DEU"),
        "F" => Some("FRA"),
        "E" => Some("ESP"),
        "I" => Some("ITA"),
        "A" => Some("AUT"),
        "B" => Some("BEL"),
        "H" => Some("HUN"),
        "L" => Some("LUX"),
        "S" => Some("SWE"),
        other => countries::find_alpha_2(other).map(|country| country.code),
    });
    match (character_shape(first).as_str(), shapes.get(1).copied()) {
        ("9999", Some("AA")) if is_state(words[1]) && end > 2 => {
            made(format!("{first} {}", words[1]), Some(named(2, end)?), None, Some("NLD"))
        }
        ("9999AA", _) => made(first.to_owned(), Some(named(1, end)?), None, Some("NLD")),
        ("999", Some("99")) => made(format!("{first} {}", words[1]), Some(named(2, end)?), None, by_letters),
        ("99-999", _) => made(first.to_owned(), Some(named(1, end)?), None, Some("POL")),
        ("9999-999", _) => made(first.to_owned(), Some(named(1, end)?), None, Some("PRT")),
        ("99999" | "9999" | "999999" | "99999-999", _) => {
            // A year before a word has the same shape, for example `2021 Zenith`.
            let town = named(1, end)?;
            let own = country.and_then(countries::find_iso).map(|country| country.code);
            let provincial = own == Some("ITA") || town.ends_with(')');
            let (town, region) = split_province(&town, provincial);
            made(first.to_owned(), Some(town), region, by_letters.or(own).or(provincial.then_some("ITA")))
        }
        _ => None,
    }
}

/// Splits off an Italian province: `Roma (RM)`, and `Roma RM` where provinces are expected.
fn split_province(town: &str, provincial: bool) -> (String, Option<String>) {
    if provincial && let Some((name, last)) = town.rsplit_once(' ') {
        let last = last.trim_matches(['(', ')']);
        if last.len() == 2 && last.bytes().all(|c| c.is_ascii_uppercase()) {
            return (name.to_owned(), Some(last.to_owned()));
        }
    }
    (town.to_owned(), None)
}

/// The shape of a word: 9 for each digit, A for each letter, other characters unchanged.
fn character_shape(word: &str) -> String {
    word.chars()
        .map(|c| match c {
            '0'..='9' => '9',
            c if c.is_alphabetic() => 'A',
            c => c,
        })
        .collect()
}
