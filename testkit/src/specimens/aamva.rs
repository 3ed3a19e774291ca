//! Prints the text of a licence's barcode (AAMVA version 10), on its own: what reads it is checked against it.

use super::{Specimen, mrz::latin};
use jiff::civil::Date;

/// Issuers that specimens may have: country and code, number.
const ISSUERS: [(&str, &str); 6] = [
    ("USA/VA", "636000"),
    ("USA/CA", "636014"),
    ("USA/TX", "636015"),
    ("USA/NY", "636001"),
    ("CAN/ON", "636012"),
    ("CAN/BC", "636028"),
];

pub(super) fn text(specimen: &Specimen) -> String {
    let known = ISSUERS.iter().find(|(code, _)| *code == specimen.issuer).unwrap_or(&ISSUERS[0]);
    let (country, state) = known.0.split_once('/').unwrap_or(("USA", "VA"));
    let in_america = country == "USA";
    let day = |date: Date| {
        if in_america {
            format!("{:02}{:02}{:04}", date.month(), date.day(), date.year())
        } else {
            format!("{:04}{:02}{:02}", date.year(), date.month(), date.day())
        }
    };
    let holder = &specimen.holder;
    let given = latin(&holder.given_names).replace('<', " ");
    let (first, middle) = given.split_once(' ').unwrap_or((&given, "NONE"));
    let sex = match holder.sex {
        'M' => "1",
        'F' => "2",
        _ => "9",
    };
    let height = if in_america { "066 in" } else { "168 cm" };
    let elements = [
        ("DAQ", specimen.number.clone()),
        ("DCS", latin(&holder.family_name).replace('<', "-")),
        ("DDE", "N".to_owned()),
        ("DAC", first.to_owned()),
        ("DDF", "N".to_owned()),
        ("DAD", middle.to_owned()),
        ("DDG", "N".to_owned()),
        ("DCA", "D".to_owned()),
        ("DCB", "NONE".to_owned()),
        ("DCD", "NONE".to_owned()),
        ("DBD", day(specimen.issued)),
        ("DBB", day(holder.born)),
        ("DBA", day(specimen.expires)),
        ("DBC", sex.to_owned()),
        ("DAU", height.to_owned()),
        ("DAY", "BRO".to_owned()),
        ("DAG", latin(&holder.street).replace('<', " ")),
        ("DAI", latin(&holder.town).replace('<', " ")),
        ("DAJ", state.to_owned()),
        ("DAK", format!("{}0000  ", holder.postal_code)),
        ("DCF", format!("SPECIMEN{}", specimen.number)),
        ("DCG", country.to_owned()),
        ("DDA", "N".to_owned()),
        ("DDB", "06062018".to_owned()),
    ];
    let mut body = "DL".to_owned();
    for (at, (id, value)) in elements.iter().enumerate() {
        let end = if at + 1 < elements.len() { "\n" } else { "\r" };
        body.extend([*id, value, end]);
    }
    format!("@\n\x1e\rANSI {}100001DL0031{:04}{body}", known.1, body.len())
}
