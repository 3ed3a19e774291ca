//! AAMVA texts: texts that follow the standard are read, deviations of issuers are understood, and other texts are
//! refused with the position of the error.

use documents::barcode::aamva::{
    AamvaError, AamvaSex, AamvaSubfile, AamvaText, DataElement, Height, Licence, NameTruncation, parse,
};
use jiff::civil::date;
use proptest::prelude::*;

fn text(version: u8, issuer: u32, elements: &[(&str, &str)]) -> AamvaText {
    let elements = elements
        .iter()
        .map(|(id, value)| DataElement {
            id: id.as_bytes().try_into().expect("as long as it must be"),
            value: (*value).to_owned(),
        })
        .collect();
    AamvaText {
        issuer,
        version,
        jurisdiction_version: (version > 1).then_some(0),
        subfiles: vec![AamvaSubfile { kind: *b"DL", elements }],
    }
}

fn read(version: u8, issuer: u32, elements: &[(&str, &str)]) -> Licence {
    let text = text(version, issuer, elements);
    let read = parse(&text.encode()).expect("what was printed is in form");
    assert!(read == text, "what was printed is read");
    Licence::of(&read)
}

#[test]
fn a_licence_of_virginia_is_understood() {
    let licence = read(
        10,
        636_000,
        &[
            ("DAQ", "T64235789"),
            ("DCS", "SAMPLE"),
            ("DDE", "N"),
            ("DAC", "MICHAEL"),
            ("DDF", "T"),
            ("DAD", "JOHN,ROBERT"),
            ("DCU", "JR"),
            ("DBD", "06062019"),
            ("DBB", "06061986"),
            ("DBA", "12102034"),
            ("DBC", "1"),
            ("DAU", "068 in"),
            ("DAY", "BRO"),
            ("DAG", "2300 WEST BROAD STREET"),
            ("DAI", "RICHMOND"),
            ("DAJ", "VA"),
            ("DAK", "232690000  "),
            ("DCG", "USA"),
        ],
    );
    assert_eq!(licence.number.as_deref(), Some("T64235789"));
    assert_eq!(licence.family_name.as_deref(), Some("SAMPLE"));
    assert_eq!(licence.given_names().as_deref(), Some("MICHAEL JOHN ROBERT"));
    assert_eq!(licence.suffix.as_deref(), Some("JR"));
    assert_eq!(
        (licence.family_name_cut, licence.first_name_cut, licence.middle_names_cut),
        (NameTruncation::Whole, NameTruncation::Truncated, NameTruncation::Unknown)
    );
    assert_eq!(licence.born, Some(date(1986, 6, 6)));
    assert_eq!(licence.issued, Some(date(2019, 6, 6)));
    assert_eq!(licence.expires, Some(date(2034, 12, 10)));
    assert_eq!((licence.sex, licence.height), (Some(AamvaSex::Male), Some(Height::Inches(68))));
    assert_eq!(licence.postal_code.as_deref(), Some("23269"));
    assert_eq!((licence.country, licence.jurisdiction.as_deref()), (Some("USA"), Some("VA")));
    assert!(licence.may_drive && licence.bad_dates.is_empty());
}

#[test]
fn older_versions_write_names_in_one_element() {
    let first = read(1, 636_015, &[("DAA", "SAMPLE,ANNA,MARIA,SR"), ("DBB", "19560102")]);
    assert_eq!(first.family_name.as_deref(), Some("SAMPLE"));
    assert_eq!(first.given_names().as_deref(), Some("ANNA MARIA"));
    assert_eq!(first.suffix.as_deref(), Some("SR"));
    assert_eq!(first.born, Some(date(1956, 1, 2)));

    let third = read(3, 636_012, &[("DCS", "DOE"), ("DCT", "JANE,ANN LEE"), ("DBB", "19990131")]);
    assert_eq!(third.first_name.as_deref(), Some("JANE"));
    assert_eq!(third.middle_names.as_deref(), Some("ANN LEE"));
    assert_eq!((third.country, third.born), (Some("CAN"), Some(date(1999, 1, 31))));

    let plain = read(1, 636_015, &[("DAA", "ANNA MARIA SAMPLE")]);
    assert_eq!(plain.family_name.as_deref(), Some("SAMPLE"));
    assert_eq!(plain.first_name.as_deref(), Some("ANNA"));
}

#[test]
fn what_says_nothing_is_nothing_and_bad_dates_are_named() {
    let licence = read(8, 636_000, &[("DAD", "NONE"), ("DBB", "13322000"), ("DBA", "none")]);
    assert_eq!(licence.middle_names, None);
    assert_eq!((licence.born, licence.bad_dates), (None, vec!["DBB"]));
}

#[test]
fn wrong_offsets_and_old_headers_are_lived_with() {
    let elements = [("DAQ", "X1"), ("DCS", "SAMPLE")];
    let mut shifted = text(9, 636_000, &elements).encode();
    let at = shifted.windows(2).position(|two| two == b"DL").unwrap();
    shifted[at + 2..at + 6].copy_from_slice(b"0999");
    assert_eq!(parse(&shifted).unwrap().get("DCS"), Some("SAMPLE"));

    let old = b"@\n\x1e\rAAMVA6360150102DL00390187ZT02260031DLDAQ123\nDBB19700203\rZTZTA1\r";
    let old = parse(old).unwrap();
    assert_eq!((old.version, old.jurisdiction_version), (1, None));
    assert_eq!((old.get("DAQ"), old.get("ZTA")), (Some("123"), Some("1")));

    // Line feeds were converted to carriage return and line feed in transit.
    let text = b"@\r\n\x1e\rANSI 636000100001DL00310030DLDAQ1\r\nDCSSAMPLE\r\n\r";
    assert_eq!(parse(text).unwrap().get("DCS"), Some("SAMPLE"));
}

#[test]
fn a_refusal_says_what_and_where() {
    let cases: [(&[u8], AamvaError, &str); 6] = [
        (
            b"",
            AamvaError::NoHeader,
            "no header: the text does not begin with \"@\" and \"ANSI \" or \"AAMVA\"",
        ),
        (
            b"@\n\x1e\rANSI 63x00010",
            AamvaError::NotANumber { what: "issuer", at: 9, digits: 6 },
            "the issuer at byte 9 is not of 6 digits",
        ),
        (
            b"@\n\x1e\rANSI 636000100000",
            AamvaError::NoEntry { at: 19, entry: 0 },
            "the table of subfiles at byte 19 has no entry 0",
        ),
        (
            b"@\n\x1e\rANSI 636000100001DL",
            AamvaError::NotANumber { what: "offset of a subfile", at: 23, digits: 4 },
            "the offset of a subfile at byte 23 is not of 4 digits",
        ),
        (
            b"@\n\x1e\rANSI 636000100001DL00310005",
            AamvaError::NoSubfile { kind: "DL".to_owned(), at: 31 },
            "subfile DL is not at byte 31, nor anywhere behind the table",
        ),
        (
            b"@\n\x1e\rANSI 636000100001DL00310014DLDAQ1\nx\nDCS\r",
            AamvaError::NoElement { at: 38 },
            "no element's id at byte 38",
        ),
    ];
    for (text, error, sentence) in cases {
        let refused = parse(text).unwrap_err();
        assert_eq!(refused, error);
        assert_eq!(refused.to_string(), sentence);
    }
    assert_eq!(parse(&[b'@'; 5000]), Err(AamvaError::TooLong(5000)));
}

fn elements() -> impl Strategy<Value = Vec<DataElement>> {
    let element = ("[DZ][A-Z][A-Z0-9]", "[ -~À-ÿ]{0,24}").prop_map(|(id, value)| DataElement {
        id: id.as_bytes().try_into().expect("as long as it must be"),
        value,
    });
    prop::collection::vec(element, 0..20)
}

fn texts() -> impl Strategy<Value = AamvaText> {
    let subfile = ("D[L]|ID|Z[A-Z]", elements()).prop_map(|(kind, elements)| AamvaSubfile {
        kind: kind.as_bytes().try_into().expect("as long as it must be"),
        elements,
    });
    (0_u32..1_000_000, 0_u8..=12, 0_u8..100, any::<bool>(), prop::collection::vec(subfile, 1..4)).prop_map(
        |(issuer, version, jurisdiction, old, subfiles)| AamvaText {
            issuer,
            version,
            jurisdiction_version: (version >= 2 || old).then_some(jurisdiction),
            subfiles,
        },
    )
}

proptest! {
    #[test]
    fn what_is_printed_is_read(text in texts()) {
        prop_assert!(parse(&text.encode()) == Ok(text));
    }

    #[test]
    fn anything_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&text).map(|text| Licence::of(&text));
    }

    #[test]
    fn a_damaged_text_is_read_or_refused(text in texts(), at in any::<usize>(), byte in any::<u8>()) {
        let mut bytes = text.encode();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = parse(&bytes).map(|text| Licence::of(&text));
    }
}
