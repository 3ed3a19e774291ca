//! The issuer identification numbers that AAMVA assigns (published list).

/// A jurisdiction that issues driving licences and identity cards with an AAMVA barcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AamvaIssuer {
    /// Issuer identification number, six digits.
    pub number: u32,
    /// The state, province or territory as in postal addresses; three letters for Mexican states.
    pub code: &'static str,
    /// Name in English.
    pub name: &'static str,
    /// ISO 3166-1 alpha-3.
    pub country: &'static str,
}

const fn usa(number: u32, code: &'static str, name: &'static str) -> AamvaIssuer {
    AamvaIssuer { number, code, name, country: "USA" }
}

const fn can(number: u32, code: &'static str, name: &'static str) -> AamvaIssuer {
    AamvaIssuer { number, code, name, country: "CAN" }
}

const fn mex(number: u32, code: &'static str, name: &'static str) -> AamvaIssuer {
    AamvaIssuer { number, code, name, country: "MEX" }
}

/// Finds an issuer by its identification number.
pub fn find(number: u32) -> Option<&'static AamvaIssuer> {
    ISSUERS.binary_search_by_key(&number, |issuer| issuer.number).ok().and_then(|at| ISSUERS.get(at))
}

/// Finds an issuer by country and code, for example `USA` and `VA`.
pub fn find_code(country: &str, code: &str) -> Option<&'static AamvaIssuer> {
    ISSUERS.iter().find(|issuer| issuer.country == country && issuer.code == code)
}

/// All issuers, sorted by number.
pub fn all() -> &'static [AamvaIssuer] {
    ISSUERS
}

static ISSUERS: &[AamvaIssuer] = &[
    can(604_426, "PE", "Prince Edward Island"),
    usa(604_427, "AS", "American Samoa"),
    can(604_428, "QC", "Quebec"),
    can(604_429, "YT", "Yukon"),
    usa(604_430, "MP", "Northern Mariana Islands"),
    usa(604_431, "PR", "Puerto Rico"),
    can(604_432, "AB", "Alberta"),
    can(604_433, "NU", "Nunavut"),
    can(604_434, "NT", "Northwest Territories"),
    usa(636_000, "VA", "Virginia"),
    usa(636_001, "NY", "New York"),
    usa(636_002, "MA", "Massachusetts"),
    usa(636_003, "MD", "Maryland"),
    usa(636_004, "NC", "North Carolina"),
    usa(636_005, "SC", "South Carolina"),
    usa(636_006, "CT", "Connecticut"),
    usa(636_007, "LA", "Louisiana"),
    usa(636_008, "MT", "Montana"),
    usa(636_009, "NM", "New Mexico"),
    usa(636_010, "FL", "Florida"),
    usa(636_011, "DE", "Delaware"),
    can(636_012, "ON", "Ontario"),
    can(636_013, "NS", "Nova Scotia"),
    usa(636_014, "CA", "California"),
    usa(636_015, "TX", "Texas"),
    can(636_016, "NL", "Newfoundland and Labrador"),
    can(636_017, "NB", "New Brunswick"),
    usa(636_018, "IA", "Iowa"),
    usa(636_019, "GU", "Guam"),
    usa(636_020, "CO", "Colorado"),
    usa(636_021, "AR", "Arkansas"),
    usa(636_022, "KS", "Kansas"),
    usa(636_023, "OH", "Ohio"),
    usa(636_024, "VT", "Vermont"),
    usa(636_025, "PA", "Pennsylvania"),
    usa(636_026, "AZ", "Arizona"),
    usa(636_027, "DS", "Department of State"),
    can(636_028, "BC", "British Columbia"),
    usa(636_029, "OR", "Oregon"),
    usa(636_030, "MO", "Missouri"),
    usa(636_031, "WI", "Wisconsin"),
    usa(636_032, "MI", "Michigan"),
    usa(636_033, "AL", "Alabama"),
    usa(636_034, "ND", "North Dakota"),
    usa(636_035, "IL", "Illinois"),
    usa(636_036, "NJ", "New Jersey"),
    usa(636_037, "IN", "Indiana"),
    usa(636_038, "MN", "Minnesota"),
    usa(636_039, "NH", "New Hampshire"),
    usa(636_040, "UT", "Utah"),
    usa(636_041, "ME", "Maine"),
    usa(636_042, "SD", "South Dakota"),
    usa(636_043, "DC", "District of Columbia"),
    can(636_044, "SK", "Saskatchewan"),
    usa(636_045, "WA", "Washington"),
    usa(636_046, "KY", "Kentucky"),
    usa(636_047, "HI", "Hawaii"),
    can(636_048, "MB", "Manitoba"),
    usa(636_049, "NV", "Nevada"),
    usa(636_050, "ID", "Idaho"),
    usa(636_051, "MS", "Mississippi"),
    usa(636_052, "RI", "Rhode Island"),
    usa(636_053, "TN", "Tennessee"),
    usa(636_054, "NE", "Nebraska"),
    usa(636_055, "GA", "Georgia"),
    mex(636_056, "COA", "Coahuila"),
    mex(636_057, "HID", "Hidalgo"),
    usa(636_058, "OK", "Oklahoma"),
    usa(636_059, "AK", "Alaska"),
    usa(636_060, "WY", "Wyoming"),
    usa(636_061, "WV", "West Virginia"),
    usa(636_062, "VI", "Virgin Islands"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::countries;

    #[test]
    fn each_issuer_is_found_by_its_number_and_by_its_code() {
        assert!(ISSUERS.is_sorted_by(|a, b| a.number < b.number), "in order, and none twice");
        for issuer in all() {
            assert_eq!(find(issuer.number), Some(issuer));
            assert_eq!(find_code(issuer.country, issuer.code), Some(issuer));
            assert!(countries::find_iso(issuer.country).is_some());
        }
        assert_eq!(find(636_999), None);
    }
}
