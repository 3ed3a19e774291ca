//! The text inside the barcode of a North American driving licence or identity card.
//!
//! AAMVA's DL/ID Card Design Standard, versions 1 (2000) to 10 (2020), and what was in use before them. A text is a
//! header, a table of subfiles and their elements; [`parse`] takes that apart and [`Aamva::encode`] puts it together.
//! What it means differs by version and country, which [`Licence::find`] knows. The barcode is signed by nobody: it is a
//! second copy of the front to compare with, and no proof.

pub mod issuers;
mod licence;
mod parse;

pub use issuers::AamvaIssuer;
pub use licence::{AamvaSex, Height, Licence, NameTruncation};
pub use parse::{AamvaError, MAX_AAMVA_TEXT_BYTES, parse};

/// A text as it is written: everything in order, nothing interpreted.
#[derive(Clone, PartialEq, Eq)]
pub struct AamvaText {
    /// The issuer identification number, six digits.
    pub issuer: u32,
    /// The version of the standard: 0 for what came before it, 1 to 10, and later ones that keep its form.
    pub version: u8,
    /// The version of the jurisdiction's own additions; only since version 2.
    pub jurisdiction_version: Option<u8>,
    /// At least one.
    pub subfiles: Vec<AamvaSubfile>,
}

/// A part of the text: `DL` for a licence, `ID` for a card that is none, `Z…` for a jurisdiction's own elements.
#[derive(Clone, PartialEq, Eq)]
pub struct AamvaSubfile {
    /// Two capital letters or digits.
    pub kind: [u8; 2],
    /// The elements in order.
    pub elements: Vec<DataElement>,
}

/// One element.
#[derive(Clone, PartialEq, Eq)]
pub struct DataElement {
    /// Three capital letters or digits, for example `DAQ`.
    pub id: [u8; 3],
    /// What it says, without control characters; may have spaces around it.
    pub value: String,
}

impl AamvaText {
    /// Who issued it, if the number is assigned.
    pub fn jurisdiction(&self) -> Option<&'static AamvaIssuer> {
        issuers::find(self.issuer)
    }

    /// The first element of that id in a subfile `DL` or `ID`, or in any other, without spaces around it; `None` when
    /// there is none or it is empty.
    pub fn get(&self, id: &str) -> Option<&str> {
        let own = |subfile: &&AamvaSubfile| matches!(&subfile.kind, b"DL" | b"ID");
        let (own, others): (Vec<_>, Vec<_>) = self.subfiles.iter().partition(own);
        let mut elements = own.into_iter().chain(others).flat_map(|subfile| &subfile.elements);
        let found =
            elements.find(|element| element.id == id.as_bytes() && !element.value.trim().is_empty())?;
        Some(found.value.trim())
    }

    /// The text, as it would stand in a barcode. Numbers must be as they say: an issuer of six digits, versions of two.
    pub fn encode(&self) -> Vec<u8> {
        let jurisdiction =
            self.jurisdiction_version.map(|version| format!("{version:02}")).unwrap_or_default();
        let (issuer, version, count) = (self.issuer, self.version, self.subfiles.len());
        let header = format!("@\n\x1e\rANSI {issuer:06}{version:02}{jurisdiction}{count:02}");
        let mut bodies = Vec::new();
        let mut table = Vec::new();
        let begin = header.len() + self.subfiles.len() * 10;
        for subfile in &self.subfiles {
            let from = bodies.len();
            bodies.extend(subfile.kind);
            for (at, element) in subfile.elements.iter().enumerate() {
                if at > 0 {
                    bodies.push(b'\n');
                }
                bodies.extend(element.id);
                bodies.extend(element.value.bytes());
            }
            bodies.push(b'\r');
            table.extend(subfile.kind);
            table.extend(format!("{:04}{:04}", begin + from, bodies.len() - from).bytes());
        }
        [header.into_bytes(), table, bodies].concat()
    }
}

// Both are a person's data, and must not reach a log by way of `{:?}`.
impl std::fmt::Debug for AamvaText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds: Vec<_> =
            self.subfiles.iter().map(|subfile| subfile.kind.escape_ascii().to_string()).collect();
        write!(f, "Aamva({:06} version {}, {kinds:?})", self.issuer, self.version)
    }
}

impl std::fmt::Debug for DataElement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Element({})", self.id.escape_ascii())
    }
}

impl std::fmt::Debug for AamvaSubfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subfile").field("elements", &self.elements).finish_non_exhaustive()
    }
}
