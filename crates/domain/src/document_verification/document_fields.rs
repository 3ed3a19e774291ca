//! What was read of a document, as the relying party gets it. The comments of the types and members are part of the
//! interface's description (`openapi/identity.json`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What was read of a document. What was not read is left out. Of a letter there are at most the name, the address, the date
/// of issue and the organisation.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct DocumentFields {
    /// Year, month and day, `2001-04-30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    pub date_of_birth: Option<String>,
    /// Year, month and day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    pub date_of_issue: Option<String>,
    /// As it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub document_number: Option<String>,
    /// `PASSPORT`, `DRIVING_LICENCE`, `NATIONAL_ID` or another type that a session may ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub document_type: Option<String>,
    /// Year, month and day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    pub expiration_date: Option<String>,
    /// Surnames.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub family_name: Option<String>,
    /// All names, in the order of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub full_name: Option<String>,
    /// `MALE`, `FEMALE` or what else the document says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub gender: Option<String>,
    /// First and middle names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub given_names: Option<String>,
    /// As it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub issuing_authority: Option<String>,
    /// Three letters, as ICAO 9303 part 3 has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub issuing_country: Option<String>,
    /// The machine readable zone, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mrz: Option<MachineReadableZone>,
    /// Three letters, as ICAO 9303 part 3 has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub nationality: Option<String>,
    /// Whose letter it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub organisation: Option<String>,
    /// As it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place_of_birth: Option<String>,
    /// The address of whose document it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub structured_postal_address: Option<StructuredPostalAddress>,
}

/// The machine readable zone (ICAO 9303), line by line.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MachineReadableZone {
    /// The first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub line1: Option<String>,
    /// The second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub line2: Option<String>,
    /// Of cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub line3: Option<String>,
    /// Its format.
    #[serde(rename = "type")]
    #[schema(example = "TD3")]
    pub format: String,
}

/// An address, line by line and as far as its parts are known.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct StructuredPostalAddress {
    /// The first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address_line1: Option<String>,
    /// The second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address_line2: Option<String>,
    /// The third line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address_line3: Option<String>,
    /// The fourth line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address_line4: Option<String>,
    /// The fifth line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address_line5: Option<String>,
    /// And whatever lines follow, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address_line6: Option<String>,
    /// ISO 3166-1 alpha-3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub country_iso: Option<String>,
    /// All of it, a line each.
    pub formatted_address: String,
    /// As it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub postal_code: Option<String>,
    /// The state or province.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub state: Option<String>,
    /// The town.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub town_city: Option<String>,
}

impl MachineReadableZone {
    pub(super) fn new(format: &str, lines: &[String]) -> Self {
        let mut lines = lines.iter().cloned();
        Self { format: format.to_owned(), line1: lines.next(), line2: lines.next(), line3: lines.next() }
    }
}

impl StructuredPostalAddress {
    /// An address of which only the lines are known.
    pub(super) fn of_lines<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Self {
        let formatted_address = lines.clone().collect::<Vec<_>>().join("\n");
        let mut lines = lines.map(str::to_owned);
        let [address_line1, address_line2, address_line3, address_line4, address_line5] =
            [(); 5].map(|()| lines.next());
        let rest = lines.collect::<Vec<_>>().join(", ");
        let address_line6 = (!rest.is_empty()).then_some(rest);
        Self {
            address_line1,
            address_line2,
            address_line3,
            address_line4,
            address_line5,
            address_line6,
            formatted_address,
            ..Self::default()
        }
    }
}

// These are personal data and must not reach a log through `{:?}`.
macro_rules! redacted_debug {
    ($($name:ident),+) => {$(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )+};
}

redacted_debug!(DocumentFields, MachineReadableZone, StructuredPostalAddress);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seventh_line_of_an_address_is_not_lost() {
        let address = StructuredPostalAddress::of_lines("a\nb\nc\nd\ne\nf\ng".lines());
        assert_eq!(address.address_line5.as_deref(), Some("e"));
        assert_eq!(address.address_line6.as_deref(), Some("f, g"));
        assert_eq!(address.formatted_address, "a\nb\nc\nd\ne\nf\ng");
        let address = serde_json::to_string(&StructuredPostalAddress::of_lines(["a"].into_iter())).unwrap();
        assert_eq!(address, r#"{"address_line1":"a","formatted_address":"a"}"#);
    }
}
