//! Prints machine readable zones (ICAO 9303 parts 4 to 6), on its own: what reads them is checked against it.

use super::{Kind, Specimen};
use jiff::civil::Date;

/// The lines of a specimen.
pub(super) fn lines(specimen: &Specimen) -> Vec<String> {
    let holder = &specimen.holder;
    let issuer = filled(&latin(&specimen.issuer), 3);
    let nationality = filled(&latin(&holder.nationality), 3);
    let number = with_digit(&filled(&latin(&specimen.number), 9));
    let (born, expires) = (with_digit(&six(holder.born)), with_digit(&six(specimen.expires)));
    let sex = if matches!(holder.sex, 'F' | 'M') { holder.sex } else { '<' };
    let name = format!("{}<<{}", latin(&holder.family_name), latin(&holder.given_names));
    match specimen.kind {
        Kind::Passport => {
            let personal = "<".repeat(14);
            let second = format!("{number}{nationality}{born}{sex}{expires}{personal}<");
            let all = digit(&format!("{number}{born}{expires}{personal}<"));
            vec![format!("P<{issuer}{}", filled(&name, 39)), format!("{second}{all}")]
        }
        Kind::LargeIdentityCard => {
            let second = format!("{number}{nationality}{born}{sex}{expires}{}", "<".repeat(7));
            let all = digit(&format!("{number}{born}{expires}{}", "<".repeat(7)));
            vec![format!("I<{issuer}{}", filled(&name, 31)), format!("{second}{all}")]
        }
        Kind::IdentityCard | Kind::ResidencePermit => {
            let kind = if specimen.kind == Kind::IdentityCard { "I<" } else { "IR" };
            let (first, optional) = (format!("{kind}{issuer}{number}{}", "<".repeat(15)), "<".repeat(11));
            let all = digit(&format!("{}{born}{expires}{optional}", &first[5..]));
            vec![first, format!("{born}{sex}{expires}{nationality}{optional}{all}"), filled(&name, 30)]
        }
        Kind::DrivingLicence | Kind::UtilityBill => Vec::new(),
    }
}

fn six(date: Date) -> String {
    format!("{:02}{:02}{:02}", date.year() % 100, date.month(), date.day())
}

/// Filled up, or cut, to a length.
fn filled(text: &str, length: usize) -> String {
    text.chars().chain(std::iter::repeat('<')).take(length).collect()
}

fn with_digit(field: &str) -> String {
    format!("{field}{}", digit(field))
}

/// Weights 7, 3, 1; letters count from 10; modulo 10 (9303-3 §4.9).
pub(super) fn digit(text: &str) -> u32 {
    let value = |letter: char| letter.to_digit(36).unwrap_or(0);
    text.chars()
        .zip([7, 3, 1].into_iter().cycle())
        .map(|(letter, weight)| value(letter) * weight)
        .sum::<u32>()
        % 10
}

/// Capital Latin letters, digits and fillers, by 9303-3 §6 where it says how.
pub(super) fn latin(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    for letter in text.to_uppercase().chars() {
        match letter {
            'A'..='Z' | '0'..='9' => printed.push(letter),
            '\'' | '’' | '.' | ',' => {}
            'Ä' | 'Æ' => printed.push_str("AE"),
            'Å' => printed.push_str("AA"),
            'Ö' | 'Ø' | 'Œ' => printed.push_str("OE"),
            'Ü' => printed.push_str("UE"),
            'Þ' => printed.push_str("TH"),
            'À' | 'Á' | 'Â' | 'Ã' | 'Ā' | 'Ă' | 'Ą' => printed.push('A'),
            'Ç' | 'Ć' | 'Č' | 'Ċ' => printed.push('C'),
            'Ď' | 'Đ' | 'Ð' => printed.push('D'),
            'È' | 'É' | 'Ê' | 'Ë' | 'Ē' | 'Ė' | 'Ę' | 'Ě' => printed.push('E'),
            'Ğ' | 'Ģ' | 'Ġ' => printed.push('G'),
            'Ì' | 'Í' | 'Î' | 'Ï' | 'Ī' | 'Į' | 'İ' => printed.push('I'),
            'Ķ' => printed.push('K'),
            'Ł' | 'Ļ' | 'Ľ' | 'Ĺ' => printed.push('L'),
            'Ñ' | 'Ń' | 'Ň' | 'Ņ' => printed.push('N'),
            'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ō' | 'Ő' => printed.push('O'),
            'Ř' | 'Ŕ' => printed.push('R'),
            'Ś' | 'Š' | 'Ş' | 'Ș' => printed.push('S'),
            'Ť' | 'Ţ' | 'Ț' => printed.push('T'),
            'Ù' | 'Ú' | 'Û' | 'Ū' | 'Ů' | 'Ű' | 'Ų' => printed.push('U'),
            'Ý' | 'Ÿ' => printed.push('Y'),
            'Ź' | 'Ž' | 'Ż' => printed.push('Z'),
            _ => printed.push('<'),
        }
    }
    printed
}
