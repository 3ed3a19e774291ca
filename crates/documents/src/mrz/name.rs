//! The field of names: two identifiers separated by two fillers, with one filler between the parts of each (ICAO
//! 9303-3, 4.6).

/// Splits the field into primary and secondary identifier, with parts separated by spaces.
pub(crate) fn split(field: &[u8]) -> (String, String) {
    let end = field.iter().rposition(|&c| c != b'<').map_or(0, |at| at + 1);
    let text = &field[..end];
    match text.windows(2).position(|pair| pair == b"<<") {
        Some(at) => (spaced(&text[..at]), spaced(&text[at + 2..])),
        None => (spaced(text), String::new()),
    }
}

/// The parts between fillers, separated by spaces.
pub(crate) fn spaced(text: &[u8]) -> String {
    let parts = text.split(|&c| c == b'<').filter(|part| !part.is_empty());
    parts.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
}

/// Whether the name may have been truncated: the last character is not a filler.
pub(crate) fn may_be_truncated(field: &[u8]) -> bool {
    field.last().is_some_and(|&c| c != b'<')
}

/// Composes the field, without trailing fillers. A name that is too long is truncated as ICAO 9303-3, 4.6.2 requires:
/// the field ends with a letter, and both identifiers keep at least one letter.
pub(crate) fn join(primary: &str, secondary: &str, room: usize) -> String {
    let (primary, secondary) = (primary.replace(' ', "<"), secondary.replace(' ', "<"));
    if secondary.is_empty() {
        return truncate(&primary, room);
    }
    // Leave room for two fillers and a letter.
    let first = truncate(&primary, room.saturating_sub(3));
    let rest = room.saturating_sub(first.len() + 2);
    format!("{first}<<{}", truncate(&secondary, rest))
}

/// Truncates a text to `room` characters so that it ends with a letter: where the last one would be a filler, the part
/// before it is shortened.
pub(crate) fn truncate(text: &str, room: usize) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    while characters.len() > room && room > 0 && characters[room - 1] == '<' {
        // Remove the letter before the filler, so that the first letter of the next part moves into the last position.
        let Some(letter) = characters[..room].iter().rposition(|&c| c != '<') else { break };
        characters.remove(letter);
    }
    characters.truncate(room);
    characters.into_iter().collect::<String>().trim_end_matches('<').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_so_that_a_letter_ends_it() {
        let long = join("NILAVADHANANANDA", "CHAYAPA DEJTHAMRONG KRASUANG", 39);
        assert_eq!(long, "NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K");
        assert!(may_be_truncated(long.as_bytes()));
        assert_eq!(truncate("ABC<DEF", 4), "AB<D");
        assert_eq!(join("BENNELONG WOOLOOMOOLOO WARRANDYTE WARNAMBOOL", "DINGO POTOROO", 39).len(), 39);
    }

    #[test]
    fn one_name_alone_has_no_second_identifier() {
        assert_eq!(split(b"ARKFREITH<<<<<"), ("ARKFREITH".into(), String::new()));
        assert_eq!(split(b"VAN<DER<MUELLEN<<ANNA<MARIA<<"), ("VAN DER MUELLEN".into(), "ANNA MARIA".into()));
    }
}
