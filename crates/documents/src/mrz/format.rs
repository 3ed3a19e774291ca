//! The layouts of MRZs: which characters of which line form which field.

use super::check_digits::CharacterRange;

/// The format of an MRZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum MrzFormat {
    /// Three lines of 30 characters: ID-1 cards (ICAO 9303-5).
    #[serde(rename = "TD1")]
    Td1,
    /// Two lines of 36 characters: ID-2 cards (ICAO 9303-6).
    #[serde(rename = "TD2")]
    Td2,
    /// Two lines of 44 characters: passports (ICAO 9303-4).
    #[serde(rename = "TD3")]
    Td3,
    /// Two lines of 44 characters: full-page visas (ICAO 9303-7).
    #[serde(rename = "MRV-A")]
    MrvA,
    /// Two lines of 36 characters: smaller visas (ICAO 9303-7).
    #[serde(rename = "MRV-B")]
    MrvB,
    /// Two lines of 36 characters: the French identity card before 2021, which is older than TD2.
    #[serde(rename = "FRENCH-ID")]
    FrenchId,
}

/// A field of an MRZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MrzField {
    DocumentCode,
    /// The issuing state or organisation.
    Issuer,
    /// Primary and secondary identifier; on the French card only the surname.
    Names,
    /// The given names on the French card.
    GivenNames,
    DocumentNumber,
    Nationality,
    /// Date of birth.
    Birth,
    Sex,
    /// Last day of validity.
    Expiry,
    Optional,
    /// The second field of optional data, in TD1.
    SecondOptional,
    /// The check digit over several fields.
    Composite,
}

/// Which characters a position may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterClass {
    /// Letters and fillers.
    Letters,
    /// Digits and fillers.
    Digits,
    /// Letters, digits and fillers.
    Any,
    /// `M`, `F`, `X` or a filler.
    Sex,
    /// A check digit.
    Check,
    /// A check digit, or a filler where the field is empty or continues elsewhere (ICAO 9303-4, 4.2.2 and 9303-5,
    /// 4.2.2).
    CheckOrFiller,
}

impl CharacterClass {
    /// Whether a position of this class may hold the character.
    pub fn allows(self, character: u8) -> bool {
        match self {
            Self::Letters => character.is_ascii_uppercase() || character == b'<',
            Self::Digits | Self::CheckOrFiller => character.is_ascii_digit() || character == b'<',
            Self::Any => character.is_ascii_uppercase() || character.is_ascii_digit() || character == b'<',
            Self::Sex => matches!(character, b'M' | b'F' | b'X' | b'<'),
            Self::Check => character.is_ascii_digit(),
        }
    }
}

/// The position of a field on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpan {
    pub field: MrzField,
    /// Index of the line, from 0.
    pub line: usize,
    /// Index of the first character, from 0.
    pub from: usize,
    /// Number of characters.
    pub length: usize,
    /// Characters that may stand in the field.
    pub kind: CharacterClass,
    /// The class of the check digit that follows the field, where there is one.
    pub check: Option<CharacterClass>,
}

const fn span(field: MrzField, line: usize, from: usize, length: usize, kind: CharacterClass) -> FieldSpan {
    FieldSpan { field, line, from, length, kind, check: None }
}

const fn checked_span(
    field: MrzField,
    line: usize,
    from: usize,
    length: usize,
    kind: CharacterClass,
    check: CharacterClass,
) -> FieldSpan {
    FieldSpan { field, line, from, length, kind, check: Some(check) }
}

const TD1: &[FieldSpan] = &[
    span(MrzField::DocumentCode, 0, 0, 2, CharacterClass::Letters),
    span(MrzField::Issuer, 0, 2, 3, CharacterClass::Letters),
    checked_span(MrzField::DocumentNumber, 0, 5, 9, CharacterClass::Any, CharacterClass::CheckOrFiller),
    span(MrzField::Optional, 0, 15, 15, CharacterClass::Any),
    checked_span(MrzField::Birth, 1, 0, 6, CharacterClass::Digits, CharacterClass::Check),
    span(MrzField::Sex, 1, 7, 1, CharacterClass::Sex),
    checked_span(MrzField::Expiry, 1, 8, 6, CharacterClass::Digits, CharacterClass::Check),
    span(MrzField::Nationality, 1, 15, 3, CharacterClass::Letters),
    span(MrzField::SecondOptional, 1, 18, 11, CharacterClass::Any),
    span(MrzField::Composite, 1, 29, 1, CharacterClass::Check),
    span(MrzField::Names, 2, 0, 30, CharacterClass::Letters),
];

/// The formats of two lines differ only in their lengths and in the end of the second line.
macro_rules! two_lines {
    ($length:expr, $number_check:expr, $($tail:expr),+) => {
        &[
            span(MrzField::DocumentCode, 0, 0, 2, CharacterClass::Letters),
            span(MrzField::Issuer, 0, 2, 3, CharacterClass::Letters),
            span(MrzField::Names, 0, 5, $length - 5, CharacterClass::Letters),
            checked_span(MrzField::DocumentNumber, 1, 0, 9, CharacterClass::Any, $number_check),
            span(MrzField::Nationality, 1, 10, 3, CharacterClass::Letters),
            checked_span(MrzField::Birth, 1, 13, 6, CharacterClass::Digits, CharacterClass::Check),
            span(MrzField::Sex, 1, 20, 1, CharacterClass::Sex),
            checked_span(MrzField::Expiry, 1, 21, 6, CharacterClass::Digits, CharacterClass::Check),
            $($tail),+
        ]
    };
}

const TD2: &[FieldSpan] = two_lines!(
    36,
    CharacterClass::CheckOrFiller,
    span(MrzField::Optional, 1, 28, 7, CharacterClass::Any),
    span(MrzField::Composite, 1, 35, 1, CharacterClass::Check)
);
const TD3: &[FieldSpan] = two_lines!(
    44,
    CharacterClass::Check,
    checked_span(MrzField::Optional, 1, 28, 14, CharacterClass::Any, CharacterClass::CheckOrFiller),
    span(MrzField::Composite, 1, 43, 1, CharacterClass::Check)
);
const MRV_A: &[FieldSpan] =
    two_lines!(44, CharacterClass::Check, span(MrzField::Optional, 1, 28, 16, CharacterClass::Any));
const MRV_B: &[FieldSpan] =
    two_lines!(36, CharacterClass::Check, span(MrzField::Optional, 1, 28, 8, CharacterClass::Any));
const FRENCH_ID: &[FieldSpan] = &[
    span(MrzField::DocumentCode, 0, 0, 2, CharacterClass::Letters),
    span(MrzField::Issuer, 0, 2, 3, CharacterClass::Letters),
    span(MrzField::Names, 0, 5, 25, CharacterClass::Letters),
    span(MrzField::Optional, 0, 30, 6, CharacterClass::Any),
    checked_span(MrzField::DocumentNumber, 1, 0, 12, CharacterClass::Any, CharacterClass::Check),
    span(MrzField::GivenNames, 1, 13, 14, CharacterClass::Letters),
    checked_span(MrzField::Birth, 1, 27, 6, CharacterClass::Digits, CharacterClass::Check),
    span(MrzField::Sex, 1, 34, 1, CharacterClass::Sex),
    span(MrzField::Composite, 1, 35, 1, CharacterClass::Check),
];

impl MrzFormat {
    /// All formats, more likely ones first.
    pub const ALL: [Self; 6] = [Self::Td3, Self::Td1, Self::Td2, Self::MrvA, Self::MrvB, Self::FrenchId];

    /// Number of lines.
    pub fn lines(self) -> usize {
        if self == Self::Td1 { 3 } else { 2 }
    }

    /// Number of characters in a line.
    pub fn length(self) -> usize {
        match self {
            Self::Td1 => 30,
            Self::Td2 | Self::MrvB | Self::FrenchId => 36,
            Self::Td3 | Self::MrvA => 44,
        }
    }

    /// The fields, line by line.
    pub fn spans(self) -> &'static [FieldSpan] {
        match self {
            Self::Td1 => TD1,
            Self::Td2 => TD2,
            Self::Td3 => TD3,
            Self::MrvA => MRV_A,
            Self::MrvB => MRV_B,
            Self::FrenchId => FRENCH_ID,
        }
    }

    /// The position of a field; `None` where the format lacks it.
    pub fn span(self, field: MrzField) -> Option<&'static FieldSpan> {
        self.spans().iter().find(|span| span.field == field)
    }

    /// Whether it is a visa's. A visa is stuck into a passport and is no document by itself.
    pub fn is_visa(self) -> bool {
        matches!(self, Self::MrvA | Self::MrvB)
    }

    /// The ranges that the composite check digit covers, in this order; empty for visas, which have none.
    pub(crate) fn composite(self) -> &'static [CharacterRange] {
        match self {
            Self::Td1 => &[(0, 5, 30), (1, 0, 7), (1, 8, 15), (1, 18, 29)],
            Self::Td2 => &[(1, 0, 10), (1, 13, 20), (1, 21, 35)],
            Self::Td3 => &[(1, 0, 10), (1, 13, 20), (1, 21, 43)],
            Self::MrvA | Self::MrvB => &[],
            Self::FrenchId => &[(0, 0, 36), (1, 0, 35)],
        }
    }

    /// The class of a position; [`CharacterClass::Any`] outside the fields.
    pub fn character_class(self, line: usize, at: usize) -> CharacterClass {
        for span in self.spans().iter().filter(|span| span.line == line) {
            if (span.from..span.from + span.length).contains(&at) {
                return span.kind;
            }
            if let Some(check) = span.check
                && at == span.from + span.length
            {
                return check;
            }
        }
        CharacterClass::Any
    }

    /// Whether a document of this format may begin with these two characters.
    pub fn may_begin(self, first: u8, second: u8) -> bool {
        match self {
            Self::Td3 => first == b'P',
            Self::MrvA | Self::MrvB => first == b'V',
            Self::FrenchId => (first, second) == (b'I', b'D'),
            // ICAO 9303 lets the issuer choose between A, C and I. Residence permits, driving licences and passport
            // cards of some states begin with other letters, so all are allowed except V, which stands for visas.
            Self::Td1 | Self::Td2 => first.is_ascii_uppercase() && first != b'V',
        }
    }
}
