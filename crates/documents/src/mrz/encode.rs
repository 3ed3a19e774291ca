//! Composes the lines of an MRZ from its fields.

use super::{
    ALPHABET, CharacterClass, FILLER, Mrz, MrzField, MrzFormat, Sex,
    check_digits::{check_digit, overflowing_number},
    name,
};

/// Why an MRZ cannot be composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MrzEncodeError {
    /// A field is longer than its space, and must not be truncated.
    #[error("the field {0:?} is too long for this format")]
    TooLong(MrzField),
    /// A field contains a character that must not stand there; see [`super::transliterate`].
    #[error("the field {0:?} holds a character that must not stand there")]
    Foreign(MrzField),
}

/// Composes the lines of an MRZ, with all check digits. Only names are truncated to fit.
pub fn encode(mrz: &Mrz) -> Result<Vec<String>, MrzEncodeError> {
    let format = mrz.format;
    let mut lines = vec![vec![FILLER; format.length()]; format.lines()];
    let long = long_number(mrz)?;
    for span in format.spans() {
        let text = field_text(mrz, span.field, span.length, long.as_ref());
        if text.len() > span.length {
            return Err(MrzEncodeError::TooLong(span.field));
        }
        if !text.bytes().all(|c| span.kind.allows(c) && ALPHABET.contains(&c)) {
            return Err(MrzEncodeError::Foreign(span.field));
        }
        if span.field != MrzField::Composite {
            lines[span.line][span.from..span.from + text.len()].copy_from_slice(text.as_bytes());
        }
    }
    for span in format.spans() {
        let Some(kind) = span.check else { continue };
        let covered = &lines[span.line][span.from..span.from + span.length];
        let empty = covered.iter().all(|&c| c == FILLER);
        let runs_over = span.field == MrzField::DocumentNumber && long.is_some();
        let lacks =
            kind == CharacterClass::CheckOrFiller && (empty && span.field == MrzField::Optional || runs_over);
        let digit = if lacks { FILLER } else { check_digit(covered.iter().copied()) };
        lines[span.line][span.from + span.length] = digit;
    }
    if long.is_none() && overflowing_number(format, &lines).is_some() {
        // The lines would be parsed as a number that continues in the optional data, although it fits its field.
        return Err(MrzEncodeError::Foreign(MrzField::DocumentNumber));
    }
    if let Some(span) = format.span(MrzField::Composite) {
        let covered = format.composite().iter().flat_map(|&(line, from, to)| &lines[line][from..to]).copied();
        lines[span.line][span.from] = check_digit(covered.collect::<Vec<_>>());
    }
    Ok(lines.into_iter().map(|line| String::from_utf8_lossy(&line).into_owned()).collect())
}

/// A document number longer than its field, in two parts: nine characters, and the rest with the check digit over both.
fn long_number(mrz: &Mrz) -> Result<Option<(String, String)>, MrzEncodeError> {
    let may = matches!(mrz.format, MrzFormat::Td1 | MrzFormat::Td2);
    if !may || mrz.document_number.len() <= 9 {
        return Ok(None);
    }
    // A filler within the number would end the second part.
    if !mrz.document_number.bytes().all(|c| c != FILLER && ALPHABET.contains(&c)) {
        return Err(MrzEncodeError::Foreign(MrzField::DocumentNumber));
    }
    let (head, rest) = mrz.document_number.split_at(9);
    let digit = char::from(check_digit(mrz.document_number.bytes()));
    Ok(Some((head.to_owned(), format!("{rest}{digit}"))))
}

fn field_text(mrz: &Mrz, field: MrzField, room: usize, long: Option<&(String, String)>) -> String {
    match field {
        MrzField::DocumentCode => mrz.document_code.clone(),
        MrzField::Issuer => mrz.issuer.clone(),
        MrzField::Names if mrz.format == MrzFormat::FrenchId => {
            name::truncate(&mrz.surname.replace(' ', "<"), room)
        }
        MrzField::Names => name::join(&mrz.surname, &mrz.given_names, room),
        // The French card separates given names by two fillers.
        MrzField::GivenNames => name::truncate(&mrz.given_names.replace(' ', "<<"), room),
        MrzField::DocumentNumber => {
            long.map_or_else(|| mrz.document_number.clone(), |(head, _)| head.clone())
        }
        MrzField::Nationality => mrz.nationality.clone(),
        MrzField::Birth => mrz.birth.to_mrz(),
        MrzField::Sex => match mrz.sex {
            Sex::Male => "M",
            Sex::Female => "F",
            Sex::Unspecified => "<",
        }
        .to_owned(),
        MrzField::Expiry => mrz.expiry.unwrap_or_default().to_mrz(),
        MrzField::Optional => match long {
            Some((_, rest)) if mrz.optional.is_empty() => rest.clone(),
            Some((_, rest)) => format!("{rest}<{}", mrz.optional),
            None => mrz.optional.clone(),
        },
        MrzField::SecondOptional => mrz.second_optional.clone(),
        MrzField::Composite => String::new(),
    }
}
