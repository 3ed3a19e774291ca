//! Country and issuer codes: ISO 3166-1, and the codes that ICAO 9303-3, 5 adds for machine-readable documents.

/// The standard that a code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountryCodeSource {
    Iso,
    /// ICAO 9303-3, 5: codes for nationalities, organisations and persons that have none in ISO 3166-1, or a shorter
    /// one.
    Icao,
}

/// A code that may stand for an issuer or a nationality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Country {
    /// One to three capital letters: ISO 3166-1 alpha-3, or ICAO.
    pub code: &'static str,
    /// ISO 3166-1 alpha-2, where there is one.
    pub alpha_2: Option<&'static str>,
    /// Short name in English.
    pub name: &'static str,
    pub source: CountryCodeSource,
}

const fn iso(code: &'static str, alpha_2: &'static str, name: &'static str) -> Country {
    Country { code, alpha_2: Some(alpha_2), name, source: CountryCodeSource::Iso }
}

const fn icao(code: &'static str, name: &'static str) -> Country {
    Country { code, alpha_2: None, name, source: CountryCodeSource::Icao }
}

/// Finds a code of ISO or ICAO. The letters must be capitals, without fillers.
pub fn find(code: &str) -> Option<&'static Country> {
    find_iso(code).or_else(|| ICAO.iter().find(|country| country.code == code))
}

/// Finds a country by its ISO 3166-1 alpha-3 code.
pub fn find_iso(code: &str) -> Option<&'static Country> {
    ISO.binary_search_by(|country| country.code.cmp(code)).ok().and_then(|at| ISO.get(at))
}

/// Finds a country by its ISO 3166-1 alpha-2 code.
pub fn find_alpha_2(code: &str) -> Option<&'static Country> {
    ISO.iter().find(|country| country.alpha_2 == Some(code))
}

/// The three letters of a nationality: `DEU` for `D`. The British nationalities other than citizenship, `GBN` for example, stay
/// apart.
pub fn nationality(code: &str) -> &str {
    if code == "D" { "DEU" } else { code }
}

/// The ISO 3166-1 state behind a code: Germany for `D`, the United Kingdom for `GBD`. `None` for organisations,
/// stateless persons and unknown codes.
pub fn issuing_state(code: &str) -> Option<&'static Country> {
    find_iso(match code {
        "GBD" | "GBN" | "GBO" | "GBP" | "GBS" => "GBR",
        other => nationality(other),
    })
}

/// All codes, those of ISO first.
pub fn all() -> impl Iterator<Item = &'static Country> {
    ISO.iter().chain(ICAO)
}

/// The codes that ICAO adds, and `RKS`, which is used in practice.
static ICAO: &[Country] = &[
    icao("D", "Germany"),
    icao("EUE", "European Union (laissez-passer)"),
    icao("GBD", "British Overseas Territories citizen"),
    icao("GBN", "British National (Overseas)"),
    icao("GBO", "British Overseas citizen"),
    icao("GBP", "British protected person"),
    icao("GBS", "British subject"),
    icao("IAO", "International Civil Aviation Organization"),
    icao("NTZ", "Neutral Zone"),
    icao("RKS", "Kosovo"),
    icao("UNA", "United Nations specialised agency"),
    icao("UNK", "United Nations Interim Administration Mission in Kosovo"),
    icao("UNO", "United Nations"),
    icao("UTO", "Utopia (specimens)"),
    icao("XBA", "African Development Bank"),
    icao("XCC", "Caribbean Community"),
    icao("XCE", "Council of Europe"),
    icao("XCO", "Common Market for Eastern and Southern Africa"),
    icao("XDC", "Southern African Development Community"),
    icao("XEC", "Economic Community of West African States"),
    icao("XES", "Organization of Eastern Caribbean States"),
    icao("XIM", "African Export-Import Bank"),
    icao("XMP", "Parliamentary Assembly of the Mediterranean"),
    icao("XOM", "Sovereign Military Order of Malta"),
    icao("XPO", "Interpol"),
    icao("XXA", "Stateless person (1954 convention)"),
    icao("XXB", "Refugee (1951 convention)"),
    icao("XXC", "Refugee (other)"),
    icao("XXX", "Person of unspecified nationality"),
];

/// ISO 3166-1, sorted by alpha-3 code for the binary search of [`find_iso`].
static ISO: &[Country] = &[
    iso("ABW", "AW", "Aruba"),
    iso("AFG", "AF", "Afghanistan"),
    iso("AGO", "AO", "Angola"),
    iso("AIA", "AI", "Anguilla"),
    iso("ALA", "AX", "Åland Islands"),
    iso("ALB", "AL", "Albania"),
    iso("AND", "AD", "Andorra"),
    iso("ARE", "AE", "United Arab Emirates"),
    iso("ARG", "AR", "Argentina"),
    iso("ARM", "AM", "Armenia"),
    iso("ASM", "AS", "American Samoa"),
    iso("ATA", "AQ", "Antarctica"),
    iso("ATF", "TF", "French Southern Territories"),
    iso("ATG", "AG", "Antigua and Barbuda"),
    iso("AUS", "AU", "Australia"),
    iso("AUT", "AT", "Austria"),
    iso("AZE", "AZ", "Azerbaijan"),
    iso("BDI", "BI", "Burundi"),
    iso("BEL", "BE", "Belgium"),
    iso("BEN", "BJ", "Benin"),
    iso("BES", "BQ", "Bonaire, Sint Eustatius and Saba"),
    iso("BFA", "BF", "Burkina Faso"),
    iso("BGD", "BD", "Bangladesh"),
    iso("BGR", "BG", "Bulgaria"),
    iso("BHR", "BH", "Bahrain"),
    iso("BHS", "BS", "Bahamas"),
    iso("BIH", "BA", "Bosnia and Herzegovina"),
    iso("BLM", "BL", "Saint Barthélemy"),
    iso("BLR", "BY", "Belarus"),
    iso("BLZ", "BZ", "Belize"),
    iso("BMU", "BM", "Bermuda"),
    iso("BOL", "BO", "Bolivia"),
    iso("BRA", "BR", "Brazil"),
    iso("BRB", "BB", "Barbados"),
    iso("BRN", "BN", "Brunei"),
    iso("BTN", "BT", "Bhutan"),
    iso("BVT", "BV", "Bouvet Island"),
    iso("BWA", "BW", "Botswana"),
    iso("CAF", "CF", "Central African Republic"),
    iso("CAN", "CA", "Canada"),
    iso("CCK", "CC", "Cocos (Keeling) Islands"),
    iso("CHE", "CH", "Switzerland"),
    iso("CHL", "CL", "Chile"),
    iso("CHN", "CN", "China"),
    iso("CIV", "CI", "Côte d'Ivoire"),
    iso("CMR", "CM", "Cameroon"),
    iso("COD", "CD", "Congo, Democratic Republic"),
    iso("COG", "CG", "Congo"),
    iso("COK", "CK", "Cook Islands"),
    iso("COL", "CO", "Colombia"),
    iso("COM", "KM", "Comoros"),
    iso("CPV", "CV", "Cabo Verde"),
    iso("CRI", "CR", "Costa Rica"),
    iso("CUB", "CU", "Cuba"),
    iso("CUW", "CW", "Curaçao"),
    iso("CXR", "CX", "Christmas Island"),
    iso("CYM", "KY", "Cayman Islands"),
    iso("CYP", "CY", "Cyprus"),
    iso("CZE", "CZ", "Czechia"),
    iso("DEU", "DE", "Germany"),
    iso("DJI", "DJ", "Djibouti"),
    iso("DMA", "DM", "Dominica"),
    iso("DNK", "DK", "Denmark"),
    iso("DOM", "DO", "Dominican Republic"),
    iso("DZA", "DZ", "Algeria"),
    iso("ECU", "EC", "Ecuador"),
    iso("EGY", "EG", "Egypt"),
    iso("ERI", "ER", "Eritrea"),
    iso("ESH", "EH", "Western Sahara"),
    iso("ESP", "ES", "Spain"),
    iso("EST", "EE", "Estonia"),
    iso("ETH", "ET", "Ethiopia"),
    iso("FIN", "FI", "Finland"),
    iso("FJI", "FJ", "Fiji"),
    iso("FLK", "FK", "Falkland Islands"),
    iso("FRA", "FR", "France"),
    iso("FRO", "FO", "Faroe Islands"),
    iso("FSM", "FM", "Micronesia"),
    iso("GAB", "GA", "Gabon"),
    iso("GBR", "GB", "United Kingdom"),
    iso("GEO", "GE", "Georgia"),
    iso("GGY", "GG", "Guernsey"),
    iso("GHA", "GH", "Ghana"),
    iso("GIB", "GI", "Gibraltar"),
    iso("GIN", "GN", "Guinea"),
    iso("GLP", "GP", "Guadeloupe"),
    iso("GMB", "GM", "Gambia"),
    iso("GNB", "GW", "Guinea-Bissau"),
    iso("GNQ", "GQ", "Equatorial Guinea"),
    iso("GRC", "GR", "Greece"),
    iso("GRD", "GD", "Grenada"),
    iso("GRL", "GL", "Greenland"),
    iso("GTM", "GT", "Guatemala"),
    iso("GUF", "GF", "French Guiana"),
    iso("GUM", "GU", "Guam"),
    iso("GUY", "GY", "Guyana"),
    iso("HKG", "HK", "Hong Kong"),
    iso("HMD", "HM", "Heard Island and McDonald Islands"),
    iso("HND", "HN", "Honduras"),
    iso("HRV", "HR", "Croatia"),
    iso("HTI", "HT", "Haiti"),
    iso("HUN", "HU", "Hungary"),
    iso("IDN", "ID", "Indonesia"),
    iso("IMN", "IM", "Isle of Man"),
    iso("IND", "IN", "India"),
    iso("IOT", "IO", "British Indian Ocean Territory"),
    iso("IRL", "IE", "Ireland"),
    iso("IRN", "IR", "Iran"),
    iso("IRQ", "IQ", "Iraq"),
    iso("ISL", "IS", "Iceland"),
    iso("ISR", "IL", "Israel"),
    iso("ITA", "IT", "Italy"),
    iso("JAM", "JM", "Jamaica"),
    iso("JEY", "JE", "Jersey"),
    iso("JOR", "JO", "Jordan"),
    iso("JPN", "JP", "Japan"),
    iso("KAZ", "KZ", "Kazakhstan"),
    iso("KEN", "KE", "Kenya"),
    iso("KGZ", "KG", "Kyrgyzstan"),
    iso("KHM", "KH", "Cambodia"),
    iso("KIR", "KI", "Kiribati"),
    iso("KNA", "KN", "Saint Kitts and Nevis"),
    iso("KOR", "KR", "Korea, Republic of"),
    iso("KWT", "KW", "Kuwait"),
    iso("LAO", "LA", "Laos"),
    iso("LBN", "LB", "Lebanon"),
    iso("LBR", "LR", "Liberia"),
    iso("LBY", "LY", "Libya"),
    iso("LCA", "LC", "Saint Lucia"),
    iso("LIE", "LI", "Liechtenstein"),
    iso("LKA", "LK", "Sri Lanka"),
    iso("LSO", "LS", "Lesotho"),
    iso("LTU", "LT", "Lithuania"),
    iso("LUX", "LU", "Luxembourg"),
    iso("LVA", "LV", "Latvia"),
    iso("MAC", "MO", "Macao"),
    iso("MAF", "MF", "Saint Martin (French part)"),
    iso("MAR", "MA", "Morocco"),
    iso("MCO", "MC", "Monaco"),
    iso("MDA", "MD", "Moldova"),
    iso("MDG", "MG", "Madagascar"),
    iso("MDV", "MV", "Maldives"),
    iso("MEX", "MX", "Mexico"),
    iso("MHL", "MH", "Marshall Islands"),
    iso("MKD", "MK", "North Macedonia"),
    iso("MLI", "ML", "Mali"),
    iso("MLT", "MT", "Malta"),
    iso("MMR", "MM", "Myanmar"),
    iso("MNE", "ME", "Montenegro"),
    iso("MNG", "MN", "Mongolia"),
    iso("MNP", "MP", "Northern Mariana Islands"),
    iso("MOZ", "MZ", "Mozambique"),
    iso("MRT", "MR", "Mauritania"),
    iso("MSR", "MS", "Montserrat"),
    iso("MTQ", "MQ", "Martinique"),
    iso("MUS", "MU", "Mauritius"),
    iso("MWI", "MW", "Malawi"),
    iso("MYS", "MY", "Malaysia"),
    iso("MYT", "YT", "Mayotte"),
    iso("NAM", "NA", "Namibia"),
    iso("NCL", "NC", "New Caledonia"),
    iso("NER", "NE", "Niger"),
    iso("NFK", "NF", "Norfolk Island"),
    iso("NGA", "NG", "Nigeria"),
    iso("NIC", "NI", "Nicaragua"),
    iso("NIU", "NU", "Niue"),
    iso("NLD", "NL", "Netherlands"),
    iso("NOR", "NO", "Norway"),
    iso("NPL", "NP", "Nepal"),
    iso("NRU", "NR", "Nauru"),
    iso("NZL", "NZ", "New Zealand"),
    iso("OMN", "OM", "Oman"),
    iso("PAK", "PK", "Pakistan"),
    iso("PAN", "PA", "Panama"),
    iso("PCN", "PN", "Pitcairn"),
    iso("PER", "PE", "Peru"),
    iso("PHL", "PH", "Philippines"),
    iso("PLW", "PW", "Palau"),
    iso("PNG", "PG", "Papua New Guinea"),
    iso("POL", "PL", "Poland"),
    iso("PRI", "PR", "Puerto Rico"),
    iso("PRK", "KP", "Korea, Democratic People's Republic"),
    iso("PRT", "PT", "Portugal"),
    iso("PRY", "PY", "Paraguay"),
    iso("PSE", "PS", "Palestine"),
    iso("PYF", "PF", "French Polynesia"),
    iso("QAT", "QA", "Qatar"),
    iso("REU", "RE", "Réunion"),
    iso("ROU", "RO", "Romania"),
    iso("RUS", "RU", "Russia"),
    iso("RWA", "RW", "Rwanda"),
    iso("SAU", "SA", "Saudi Arabia"),
    iso("SDN", "SD", "Sudan"),
    iso("SEN", "SN", "Senegal"),
    iso("SGP", "SG", "Singapore"),
    iso("SGS", "GS", "South Georgia and the South Sandwich Islands"),
    iso("SHN", "SH", "Saint Helena, Ascension and Tristan da Cunha"),
    iso("SJM", "SJ", "Svalbard and Jan Mayen"),
    iso("SLB", "SB", "Solomon Islands"),
    iso("SLE", "SL", "Sierra Leone"),
    iso("SLV", "SV", "El Salvador"),
    iso("SMR", "SM", "San Marino"),
    iso("SOM", "SO", "Somalia"),
    iso("SPM", "PM", "Saint Pierre and Miquelon"),
    iso("SRB", "RS", "Serbia"),
    iso("SSD", "SS", "South Sudan"),
    iso("STP", "ST", "Sao Tome and Principe"),
    iso("SUR", "SR", "Suriname"),
    iso("SVK", "SK", "Slovakia"),
    iso("SVN", "SI", "Slovenia"),
    iso("SWE", "SE", "Sweden"),
    iso("SWZ", "SZ", "Eswatini"),
    iso("SXM", "SX", "Sint Maarten (Dutch part)"),
    iso("SYC", "SC", "Seychelles"),
    iso("SYR", "SY", "Syria"),
    iso("TCA", "TC", "Turks and Caicos Islands"),
    iso("TCD", "TD", "Chad"),
    iso("TGO", "TG", "Togo"),
    iso("THA", "TH", "Thailand"),
    iso("TJK", "TJ", "Tajikistan"),
    iso("TKL", "TK", "Tokelau"),
    iso("TKM", "TM", "Turkmenistan"),
    iso("TLS", "TL", "Timor-Leste"),
    iso("TON", "TO", "Tonga"),
    iso("TTO", "TT", "Trinidad and Tobago"),
    iso("TUN", "TN", "Tunisia"),
    iso("TUR", "TR", "Türkiye"),
    iso("TUV", "TV", "Tuvalu"),
    iso("TWN", "TW", "Taiwan"),
    iso("TZA", "TZ", "Tanzania"),
    iso("UGA", "UG", "Uganda"),
    iso("UKR", "UA", "Ukraine"),
    iso("UMI", "UM", "United States Minor Outlying Islands"),
    iso("URY", "UY", "Uruguay"),
    iso("USA", "US", "United States of America"),
    iso("UZB", "UZ", "Uzbekistan"),
    iso("VAT", "VA", "Holy See"),
    iso("VCT", "VC", "Saint Vincent and the Grenadines"),
    iso("VEN", "VE", "Venezuela"),
    iso("VGB", "VG", "Virgin Islands (British)"),
    iso("VIR", "VI", "Virgin Islands (U.S.)"),
    iso("VNM", "VN", "Viet Nam"),
    iso("VUT", "VU", "Vanuatu"),
    iso("WLF", "WF", "Wallis and Futuna"),
    iso("WSM", "WS", "Samoa"),
    iso("YEM", "YE", "Yemen"),
    iso("ZAF", "ZA", "South Africa"),
    iso("ZMB", "ZM", "Zambia"),
    iso("ZWE", "ZW", "Zimbabwe"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_found_once() {
        assert_eq!(ISO.len(), 249, "officially assigned");
        assert!(ISO.is_sorted_by(|a, b| a.code < b.code), "in order, and none twice");
        for country in all() {
            assert_eq!(find(country.code), Some(country));
            assert!(country.code.bytes().all(|byte| byte.is_ascii_uppercase()));
        }
        for country in ISO {
            assert_eq!(country.alpha_2.and_then(find_alpha_2), Some(country));
            assert_eq!(issuing_state(country.code), Some(country));
        }
        assert_eq!(issuing_state("D").map(|state| state.code), Some("DEU"));
        assert_eq!(issuing_state("GBN").map(|state| state.code), Some("GBR"));
        assert_eq!(issuing_state("XXA"), None);
    }
}
