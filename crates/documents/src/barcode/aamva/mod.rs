//! The text in the barcode of a North American driving licence or identity card.
//!
//! It follows AAMVA's DL/ID Card Design Standard, versions 1 (2000) to 10 (2020), or its predecessors. A text consists
//! of a header, a table of subfiles, and the subfiles with their data elements: [`parse`] takes it apart and
//! [`AamvaText::encode`] composes it. The meaning of elements differs by version and country; [`Licence::of`]
//! interprets them. The barcode is not signed: it is a second copy of the front that can be compared with it, and
//! proves nothing.

pub mod issuers;
mod licence;
mod parse;

pub use issuers::AamvaIssuer;
pub use licence::{AamvaSex, Height, Licence, NameTruncation};
pub use parse::{AamvaError, MAX_AAMVA_TEXT_BYTES, parse};

/// An AAMVA text as it is written: everything in order, nothing interpreted.
#[derive(Clone, PartialEq, Eq)]
pub struct AamvaText {
    /// Issuer identification number, six digits.
    pub issuer: u32,
    /// Version of the standard: 0 for its predecessors, 1 to 10, and later ones that keep the structure.
    pub version: u8,
    /// Version of the jurisdiction's own additions; since version 2 of the standard.
    pub jurisdiction_version: Option<u8>,
    /// At least one.
    pub subfiles: Vec<AamvaSubfile>,
}

/// A subfile: `DL` for a driving licence, `ID` for an identity card, `Z…` for a jurisdiction's own elements.
#[derive(Clone, PartialEq, Eq)]
pub struct AamvaSubfile {
    /// A capital letter, then a capital letter or digit.
    pub kind: [u8; 2],
    pub elements: Vec<DataElement>,
}

/// A data element.
#[derive(Clone, PartialEq, Eq)]
pub struct DataElement {
    /// A capital letter, then two capital letters or digits, for example `DAQ`.
    pub id: [u8; 3],
    /// The value without control characters; may be surrounded by spaces.
    pub value: String,
}

impl AamvaText {
    /// The issuer, where the number is assigned.
    pub fn jurisdiction(&self) -> Option<&'static AamvaIssuer> {
        issuers::find(self.issuer)
    }

    /// The value of the first element with this id that is not blank, without surrounding spaces. Subfiles `DL` and
    /// `ID` are searched before others.
    pub fn get(&self, id: &str) -> Option<&str> {
        let own = |subfile: &&AamvaSubfile| matches!(&subfile.kind, b"DL" | b"ID");
        let (own, others): (Vec<_>, Vec<_>) = self.subfiles.iter().partition(own);
        let mut elements = own.into_iter().chain(others).flat_map(|subfile| &subfile.elements);
        let found =
            elements.find(|element| element.id == id.as_bytes() && !element.value.trim().is_empty())?;
        Some(found.value.trim())
    }

    /// The text as it stands in a barcode. The issuer must have at most six digits and versions at most two.
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

// These types hold personal data, which must not reach a log through `{:?}`.
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
