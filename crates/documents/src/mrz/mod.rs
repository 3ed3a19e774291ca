//! Machine-readable zones (MRZ): their text (ICAO 9303 parts 3 to 7, and the French identity card of 1995 to 2021), and
//! how they are read from a photograph.
//!
//! [`parse`] and [`encode()`] are inverses of each other. [`find_in_text`] finds an MRZ in text that something else has
//! read, and [`reader::MrzReader`] finds one in a picture.

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

/// The fields of an MRZ as printed: trailing fillers are removed, nothing is interpreted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mrz {
    pub format: MrzFormat,
    /// One or two characters: `P`, `PD`, `ID` or `V` for example.
    pub document_code: String,
    /// Code of the issuer: one to three letters, see [`crate::countries`].
    pub issuer: String,
    /// Primary identifier, its parts separated by spaces.
    pub surname: String,
    /// Secondary identifier, its parts separated by spaces; empty where there is none.
    pub given_names: String,
    /// Document number, complete even where it continues in the optional data (TD1 and TD2).
    pub document_number: String,
    /// Code of the nationality: one to three letters. Empty for the French card, which does not print it.
    pub nationality: String,
    /// Date of birth.
    pub birth: ShortDate,
    pub sex: Sex,
    /// Last day of validity. The French card does not print it.
    pub expiry: Option<ShortDate>,
    /// Data that the issuer chooses, often a personal number; on the French card the department and office.
    pub optional: String,
    /// The second field of optional data, which only TD1 has.
    pub second_optional: String,
}

/// Sex as printed in an MRZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sex {
    /// `M`.
    Male,
    /// `F`.
    Female,
    /// `<`, or the `X` of the visual inspection zone.
    Unspecified,
}

/// The characters of an MRZ, in the order of the net's classes.
pub const ALPHABET: &[u8; 37] = b"<0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Pads fields, and separates the parts of names.
pub(crate) const FILLER: u8 = b'<';
