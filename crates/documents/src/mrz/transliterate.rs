//! Transliterates national characters into the letters of an MRZ (ICAO 9303-3, 6).

use std::iter;
use unicode_normalization::UnicodeNormalization;

const MAX_SPELLINGS: usize = 24;

/// The name in the letters A to Z, by the first spelling that the tables give for each character. Spaces, hyphens and
/// commas separate names and become one space; apostrophes and full stops disappear, and so do characters that no table
/// has.
pub fn transliterate(text: &str) -> String {
    let mut out = String::new();
    for (c, last) in characters(text) {
        if !push_separator(&mut out, c) {
            out.push_str(capital_spellings(c, last).first().copied().unwrap_or_default());
        }
    }
    out.trim_end().to_owned()
}

/// The spellings that the tables allow for a name, the recommended one first; at most 24. `MÜLLER` gives `MUELLER`,
/// `MUXXLLER` and `MULLER`.
pub fn spellings(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for (c, last) in characters(text) {
        if is_separator(c) {
            for out in &mut all {
                push_separator(out, c);
            }
            continue;
        }
        let options = capital_spellings(c, last);
        let more = if all.len() * options.len() > MAX_SPELLINGS { 1 } else { options.len() };
        let grown =
            options.iter().take(more).flat_map(|part| all.iter().map(move |out| format!("{out}{part}")));
        if more > 0 {
            all = grown.collect();
        }
    }
    let mut seen = Vec::with_capacity(all.len());
    for text in all {
        let text = text.trim_end().to_owned();
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

/// The words of a name: what stands between blanks, hyphens, commas and what else becomes a space in an MRZ.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_separator).filter(|word| !word.is_empty())
}

/// Whether every letter is one of table A, whose spellings all issuers use. Other scripts are written in Latin letters in ways
/// that the tables do not have, too.
pub fn is_latin(text: &str) -> bool {
    let in_table = |c: char| c.is_ascii() || !latin(c).is_empty();
    characters(text).all(|(c, _)| !c.is_alphabetic() || in_table(c))
}

/// Each character as a capital, and whether it is the last of a name: teh marbuta is transliterated differently there.
fn characters(text: &str) -> impl Iterator<Item = (char, bool)> {
    // The tables have whole letters, and files may have a letter and its marks.
    let capitals: Vec<char> = text.nfc().flat_map(to_capitals).collect();
    let next = capitals.iter().skip(1).map(|&c| is_separator(c)).chain(iter::once(true)).collect::<Vec<_>>();
    capitals.into_iter().zip(next)
}

fn to_capitals(c: char) -> impl Iterator<Item = char> {
    // The sharp s has a capital form, but `to_uppercase` would give two letters.
    let kept = (c == 'ß').then_some('ẞ');
    let upper = (c != 'ß').then(|| c.to_uppercase());
    kept.into_iter().chain(upper.into_iter().flatten())
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | ',' | '/' | '<' | '\u{2010}'..='\u{2015}')
}

fn push_separator(out: &mut String, c: char) -> bool {
    if !is_separator(c) {
        return false;
    }
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
    true
}

/// The spellings of a capital; none for a character that is left out of an MRZ.
fn capital_spellings(c: char, last: bool) -> &'static [&'static str] {
    match c {
        'A'..='Z' | '0'..='9' => {
            const PLAIN: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
            const SINGLE: [[&str; 1]; 36] = {
                let mut table = [[""; 1]; 36];
                let mut at = 0;
                while at < 36 {
                    table[at] = [PLAIN.split_at(at).1.split_at(1).0];
                    at += 1;
                }
                table
            };
            let at =
                if c.is_ascii_digit() { c as usize - '0' as usize } else { c as usize - 'A' as usize + 10 };
            SINGLE.get(at).map_or(&[], |one| one.as_slice())
        }
        '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}' => latin(c),
        '\u{0400}'..='\u{04FF}' => cyrillic(c),
        '\u{0600}'..='\u{06FF}' => arabic(c, last),
        _ => &[],
    }
}

/// Table A: Latin letters with diacritics.
fn latin(c: char) -> &'static [&'static str] {
    match c {
        'Ä' => &["AE", "A"],
        'Å' => &["AA", "A"],
        'Æ' | 'Ǽ' => &["AE"],
        'À'..='Ã' | 'Ā' | 'Ă' | 'Ą' | 'Ǎ' | 'Ạ'..='Ặ' => &["A"],
        'Ç' | 'Ć' | 'Ĉ' | 'Ċ' | 'Č' => &["C"],
        'Ð' | 'Ď' | 'Đ' => &["D"],
        'È'..='Ë' | 'Ē' | 'Ĕ' | 'Ė' | 'Ę' | 'Ě' | 'Ẹ'..='Ệ' | 'Ə' => &["E"],
        'Ĝ' | 'Ğ' | 'Ġ' | 'Ģ' | 'Ǧ' => &["G"],
        'Ĥ' | 'Ħ' => &["H"],
        'Ì'..='Ï' | 'Ĩ' | 'Ī' | 'Ĭ' | 'Į' | 'İ' | 'Ỉ' | 'Ị' => &["I"],
        'Ĳ' => &["IJ"],
        'Ĵ' => &["J"],
        'Ķ' => &["K"],
        'Ĺ' | 'Ļ' | 'Ľ' | 'Ŀ' | 'Ł' => &["L"],
        'Ñ' => &["N", "NXX"],
        'Ń' | 'Ņ' | 'Ň' | 'Ŋ' => &["N"],
        'Ö' => &["OE", "O"],
        'Ø' | 'Œ' => &["OE"],
        'Ò'..='Õ' | 'Ō' | 'Ŏ' | 'Ő' | 'Ơ' | 'Ǒ' | 'Ọ'..='Ợ' => &["O"],
        'Ŕ' | 'Ŗ' | 'Ř' => &["R"],
        'Ś' | 'Ŝ' | 'Ş' | 'Š' | 'Ș' => &["S"],
        'ẞ' => &["SS"],
        'Ţ' | 'Ť' | 'Ŧ' | 'Ț' => &["T"],
        'Þ' => &["TH"],
        'Ü' => &["UE", "UXX", "U"],
        'Ù'..='Û' | 'Ũ' | 'Ū' | 'Ŭ' | 'Ů' | 'Ű' | 'Ų' | 'Ư' | 'Ǔ' | 'Ụ'..='Ự' => &["U"],
        'Ŵ' | 'Ẁ' | 'Ẃ' | 'Ẅ' => &["W"],
        'Ý' | 'Ŷ' | 'Ÿ' | 'Ỳ'..='Ỹ' => &["Y"],
        'Ź' | 'Ż' | 'Ž' => &["Z"],
        _ => &[],
    }
}

/// Table B: Cyrillic. Where languages differ, Russian comes first.
fn cyrillic(c: char) -> &'static [&'static str] {
    match c {
        'А' => &["A"],
        'Б' => &["B"],
        'В' => &["V"],
        'Г' => &["G", "H"],
        'Ґ' | 'Ғ' | 'Ѓ' => &["G"],
        'Д' | 'Ђ' => &["D"],
        'Е' | 'Э' => &["E"],
        'Ё' => &["E", "IO"],
        'Ж' => &["ZH", "Z"],
        'З' => &["Z"],
        'И' => &["I", "Y"],
        'І' | 'Й' => &["I"],
        'Ї' => &["I", "YI"],
        'Ј' => &["J"],
        'К' | 'Ќ' => &["K"],
        'Л' => &["L"],
        'М' => &["M"],
        'Н' => &["N"],
        'О' => &["O"],
        'П' => &["P"],
        'Р' => &["R"],
        'С' => &["S"],
        'Т' => &["T"],
        'У' | 'Ў' | 'Ѫ' => &["U"],
        'Ф' => &["F"],
        'Х' => &["KH", "H"],
        'Ц' => &["TS", "C"],
        'Ч' => &["CH", "C"],
        'Ш' => &["SH", "S"],
        'Щ' => &["SHCH", "SHT"],
        'Ъ' => &["IE", ""],
        'Ы' | 'Ѵ' => &["Y"],
        'Ю' => &["IU", "YU"],
        'Я' => &["IA", "YA"],
        'Є' => &["IE", "YE"],
        'Ѕ' => &["DZ"],
        'Љ' => &["LJ"],
        'Њ' => &["NJ"],
        'Ћ' => &["C"],
        'Џ' => &["DZ", "DJ"],
        // The soft sign is omitted, and the table has no other letters.
        _ => &[],
    }
}

/// Table C: Arabic, letter by letter, so that the name can be reconstructed from the MRZ. `X` marks letters that Latin
/// lacks.
fn arabic(c: char, last: bool) -> &'static [&'static str] {
    match c {
        'ء' => &["XE"],
        'آ' => &["XAA"],
        'أ' => &["XAE"],
        'ؤ' => &["U", "XW"],
        'إ' => &["I"],
        'ئ' => &["XI"],
        'ا' => &["A"],
        'ب' => &["B"],
        'ة' if last => &["XAH"],
        'ة' => &["XTA"],
        'ت' => &["T"],
        'ث' => &["XTH"],
        'ج' => &["J"],
        'ح' => &["XH"],
        'خ' => &["XKH"],
        'د' => &["D"],
        'ذ' => &["XDH"],
        'ر' => &["R"],
        'ز' => &["Z"],
        'س' => &["S"],
        'ش' => &["XSH"],
        'ص' => &["XSS"],
        'ض' => &["XDZ"],
        'ط' => &["XTT"],
        'ظ' => &["XZZ"],
        'ع' => &["E"],
        'غ' => &["G"],
        'ف' => &["F"],
        'ق' => &["Q"],
        'ك' => &["K"],
        'ل' => &["L"],
        'م' => &["M"],
        'ن' => &["N"],
        'ه' => &["H"],
        'و' => &["W"],
        'ى' => &["XAY"],
        'ي' | 'ې' => &["Y"],
        // Vowel marks and similar signs have no entry and are omitted.
        'ٱ' => &["XXA"],
        'ٹ' => &["XXT"],
        'ټ' => &["XRT"],
        'پ' => &["P"],
        'ځ' => &["XKE"],
        'څ' => &["XXH"],
        'چ' => &["XC"],
        'ڈ' => &["XXD"],
        'ډ' => &["XDR"],
        'ڑ' => &["XXR"],
        'ړ' => &["XRR"],
        'ږ' => &["XRX"],
        'ژ' => &["XJ"],
        'ښ' => &["XXS"],
        'ک' => &["XKK"],
        'ګ' => &["XXK"],
        'ڭ' => &["XNG"],
        'گ' => &["XGG"],
        'ں' => &["XNN"],
        'ڼ' => &["XXN"],
        'ھ' => &["XDO"],
        'ۀ' => &["XYH"],
        'ہ' => &["XXG"],
        'ی' => &["XYA"],
        'ۍ' => &["XXY"],
        'ے' => &["XYB"],
        'ۓ' => &["XBE"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_alphabets_come_out_in_the_letters_of_a_zone() {
        for (name, written) in [
            ("Thérèse Cañon", "THERESE CANON"),
            ("Müller-Lüdenscheidt", "MUELLER LUEDENSCHEIDT"),
            ("Weiß", "WEISS"),
            ("Åsa Ødegård", "AASA OEDEGAARD"),
            ("O’Connor, Seán", "OCONNOR SEAN"),
            ("Łukasz Żółć", "LUKASZ ZOLC"),
            ("Þórður", "THORDUR"),
            ("Nguyễn Thị Hường", "NGUYEN THI HUONG"),
            ("Щербаков Юрий", "SHCHERBAKOV IURII"),
            ("Київ", "KIIV"),
            ("محمود", "MXHMWD"),
            ("فاطمة", "FAXTTMXAH"),
            ("İğde", "IGDE"),
        ] {
            assert_eq!(transliterate(name), written, "{name}");
        }
    }

    #[test]
    fn every_allowed_spelling_is_given_and_their_number_is_bounded() {
        assert_eq!(spellings("Müller"), ["MUELLER", "MUXXLLER", "MULLER"]);
        assert!(spellings("Peña Nuñez").contains(&"PENXXA NUNEZ".to_owned()));
        assert!(spellings(&"Ü".repeat(200)).len() <= MAX_SPELLINGS);
        assert_eq!(spellings(""), [""]);
        assert_eq!(spellings("Mu\u{308}ller"), spellings("Müller"), "a letter with its mark is that letter");
        assert_eq!(transliterate("漢字"), "");
    }

    #[test]
    fn words_and_scripts_are_told_apart() {
        assert_eq!(
            words("Müller-Lüdenscheidt, Anna").collect::<Vec<_>>(),
            ["Müller", "Lüdenscheidt", "Anna"]
        );
        for name in ["Jörg O’Connor", "NGUYỄN", "İğde", "Weiß 2", ""] {
            assert!(is_latin(name), "{name}");
        }
        for name in ["Παππάς", "Іваненко", "محمود", "漢字", "Muller Мüller"] {
            assert!(!is_latin(name), "{name}");
        }
    }
}
