//! The layouts: which characters of which line make which field.

use super::check_digits::CharacterRange;

/// A layout of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum MrzFormat {
    /// Three lines of 30: a card of the size ID-1 (9303-5).
    #[serde(rename = "TD1")]
    Td1,
    /// Two lines of 36: a card of the size ID-2 (9303-6).
    #[serde(rename = "TD2")]
    Td2,
    /// Two lines of 44: a passport (9303-4).
    #[serde(rename = "TD3")]
    Td3,
    /// Two lines of 44: a full-page visa (9303-7).
    #[serde(rename = "MRV-A")]
    MrvA,
    /// Two lines of 36: a smaller visa (9303-7).
    #[serde(rename = "MRV-B")]
    MrvB,
    /// Two lines of 36: the French identity card before 2021, which is older than ICAO's TD2.
    #[serde(rename = "FRENCH-ID")]
    FrenchId,
}

/// What a run of characters means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MrzField {
    /// Kind of document.
    DocumentCode,
    /// Issuing state or organisation.
    Issuer,
    /// Both identifiers, or on the French card the surname.
    Names,
    /// On the French card, the given names.
    GivenNames,
    /// Number of the document.
    DocumentNumber,
    /// Nationality.
    Nationality,
    /// Date of birth.
    Birth,
    /// Sex.
    Sex,
    /// Last day of validity.
    Expiry,
    /// Optional data.
    Optional,
    /// The second optional data of TD1.
    SecondOptional,
    /// The check digit over several fields.
    Composite,
}

/// Which characters a place may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterClass {
    /// Letters and fillers.
    Letters,
    /// Digits and fillers.
    Digits,
    /// Anything.
    Any,
    /// `M`, `F`, `X` or a filler.
    Sex,
    /// A check digit.
    Check,
    /// A check digit, or a filler where the field is empty or runs over (9303-4 §4.2.2, 9303-5 §4.2.2).
    CheckOrFiller,
}

impl CharacterClass {
    /// Whether a place of this kind may hold the character.
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

/// A run of characters on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpan {
    /// What it means.
    pub field: MrzField,
    /// Line, from 0.
    pub line: usize,
    /// First character, from 0.
    pub from: usize,
    /// How many.
    pub length: usize,
    /// What may stand there.
    pub kind: CharacterClass,
    /// Whether a check digit over it follows at once, and of which kind.
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

/// The formats of two lines share all but the lengths and what ends the second line.
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
    /// Every format, the likely ones first.
    pub const ALL: [Self; 6] = [Self::Td3, Self::Td1, Self::Td2, Self::MrvA, Self::MrvB, Self::FrenchId];

    /// How many lines.
    pub fn lines(self) -> usize {
        if self == Self::Td1 { 3 } else { 2 }
    }

    /// How many characters a line has.
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

    /// The field's span.
    pub fn span(self, field: MrzField) -> Option<&'static FieldSpan> {
        self.spans().iter().find(|span| span.field == field)
    }

    /// What the composite check digit covers, in its order; empty for visas.
    pub(crate) fn composite(self) -> &'static [CharacterRange] {
        match self {
            Self::Td1 => &[(0, 5, 30), (1, 0, 7), (1, 8, 15), (1, 18, 29)],
            Self::Td2 => &[(1, 0, 10), (1, 13, 20), (1, 21, 35)],
            Self::Td3 => &[(1, 0, 10), (1, 13, 20), (1, 21, 43)],
            Self::MrvA | Self::MrvB => &[],
            Self::FrenchId => &[(0, 0, 36), (1, 0, 35)],
        }
    }

    /// What a place may hold; [`CharacterClass::Any`] outside the layout.
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

    /// Whether the document may be of this format by its first two letters.
    pub fn may_begin(self, first: u8, second: u8) -> bool {
        match self {
            Self::Td3 => first == b'P',
            Self::MrvA | Self::MrvB => first == b'V',
            Self::FrenchId => (first, second) == (b'I', b'D'),
            // What ICAO leaves to the issuer: A, C or I. Residence permits, driving licences and passport cards
            // of some states begin otherwise, so other letters are allowed but V, which stands for visas.
            Self::Td1 | Self::Td2 => first.is_ascii_uppercase() && first != b'V',
        }
    }
}
