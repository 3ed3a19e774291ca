//! Machine-readable zones: their text (ICAO 9303 parts 3 to 7, and the French card of 1995 to 2021) and how it is
//! read from a photograph.
//!
//! [`parse`] and [`encode()`] are each other's inverse; [`find_in_text`] looks for a zone in text that something else has
//! read; [`read::Reader`] looks for one in a picture.

mod check_digits;
mod date;
mod encode;
mod format;
mod name;
mod parse;
pub mod reader;
mod repair;
pub mod transliterate;

pub use check_digits::{CheckDigit, CheckDigitVerdict, check_digit};
pub use date::{ShortDate, YearWindow};
pub use encode::{MrzEncodeError, encode};
pub use format::{CharacterClass, FieldSpan, MrzField, MrzFormat};
pub use parse::{CharacterRepair, MrzParseError, MrzProblem, ParsedMrz, parse};
pub use repair::{find_in_text, parse_repaired};

/// What a zone says, field by field, as printed: fillers at the end are gone, nothing is interpreted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mrz {
    /// How it is laid out.
    pub format: MrzFormat,
    /// One or two characters: `P`, `PD`, `ID`, `V`.
    pub document_code: String,
    /// Who issued it: one to three letters, see [`crate::countries`].
    pub issuer: String,
    /// Primary identifier, its parts separated by a space.
    pub surname: String,
    /// Secondary identifier, its parts separated by a space; empty where there is none.
    pub given_names: String,
    /// Number of the document, in full even where it runs over into the optional data (TD1 and TD2).
    pub document_number: String,
    /// Nationality: one to three letters. Empty on the French card, which does not print one.
    pub nationality: String,
    /// When the holder was born.
    pub birth: ShortDate,
    /// Sex.
    pub sex: Sex,
    /// Until when the document is good. The French card does not print it.
    pub expiry: Option<ShortDate>,
    /// What the issuer likes: a personal number often. On the French card its department and office.
    pub optional: String,
    /// The second field of that kind, which TD1 alone has.
    pub second_optional: String,
}

/// Sex as a zone prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sex {
    /// `M`.
    Male,
    /// `F`.
    Female,
    /// `<`, or the `X` of the visual zone.
    Unspecified,
}

/// The characters of a zone, in the order of the reader's classes.
pub const ALPHABET: &[u8; 37] = b"<0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Fills the places left over.
pub(crate) const FILLER: u8 = b'<';
