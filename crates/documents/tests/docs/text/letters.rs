use documents::{
    supplementary::{LetterPartSource, PostalAddress, read},
    text::layout::{LayoutWord, lines_of_words},
};
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 11, 21);

/// The words of a page as in a text layer: lines by left edge, top edge, font size and text, in points.
fn words(all: &[(f32, f32, f32, &str)]) -> Vec<LayoutWord> {
    let mut out = Vec::new();
    for &(x, y, size, text) in all {
        let mut left = x;
        for word in text.split(' ') {
            let right = left + 0.55 * size * word.chars().count() as f32;
            out.push(LayoutWord { text: word.to_owned(), left, top: y, right, bottom: y + size });
            left = right + 0.3 * size;
        }
    }
    out
}

fn address(lines: &[&str], code: &str, town: &str, country: Option<&'static str>) -> PostalAddress {
    PostalAddress {
        lines: lines.iter().map(|&line| line.to_owned()).collect(),
        postal_code: Some(code.to_owned()),
        town: Some(town.to_owned()),
        region: None,
        country,
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table: eight letters")]
fn letters_of_many_countries_say_whose_and_where_and_when_and_from_whom() {
    type Case<'a> = (&'a [(f32, f32, f32, &'a str)], &'a str, PostalAddress, Date, &'a str);
    let cases: [Case; 8] = [
        (
            &[
                (50.0, 40.0, 20.0, "Utopia Power & Water Ltd"),
                (50.0, 65.0, 9.0, "1 Turbine Road, Zenith"),
                (50.0, 150.0, 10.0, "Ms Anna Maria Exempel"),
                (50.0, 163.0, 10.0, "Flat 2, 14 Nowhere Lane"),
                (50.0, 176.0, 10.0, "Zenith"),
                (50.0, 189.0, 10.0, "ZE1 4AB"),
                (350.0, 150.0, 10.0, "Bill date"),
                (450.0, 150.0, 10.0, "15 March 2026"),
                (350.0, 165.0, 10.0, "Due by"),
                (450.0, 165.0, 10.0, "5 April 2026"),
                (50.0, 300.0, 10.0, "Meter reading, present 48 655 kWh"),
            ],
            "Anna Maria Exempel",
            address(&["Flat 2, 14 Nowhere Lane"], "ZE1 4AB", "Zenith", Some("GBR")),
            date(2026, 3, 15),
            "Utopia Power & Water Ltd",
        ),
        (
            &[
                (50.0, 40.0, 14.0, "Stadtwerke Musterstadt GmbH"),
                (50.0, 120.0, 7.0, "Stadtwerke Musterstadt GmbH, Postfach 1, 10115 Musterstadt"),
                (50.0, 140.0, 10.0, "Frau"),
                (50.0, 153.0, 10.0, "Erika Mustermann"),
                (50.0, 166.0, 10.0, "Heidestraße 17"),
                (50.0, 179.0, 10.0, "51147 Köln"),
                (350.0, 200.0, 10.0, "Rechnungsdatum: 03.02.2026"),
                (350.0, 214.0, 10.0, "Fällig am: 17.02.2026"),
            ],
            "Erika Mustermann",
            address(&["Heidestraße 17"], "51147", "Köln", None),
            date(2026, 2, 3),
            "Stadtwerke Musterstadt GmbH",
        ),
        (
            &[
                (50.0, 40.0, 16.0, "Électricité de Nulle Part S.A."),
                (300.0, 120.0, 10.0, "Mme Chloé LEFÈVRE"),
                (300.0, 133.0, 10.0, "12 bis rue des Lilas"),
                (300.0, 146.0, 10.0, "44000 NANTES"),
                (300.0, 159.0, 10.0, "France"),
                (50.0, 200.0, 10.0, "Facture du 9 janvier 2026"),
            ],
            "Chloé LEFÈVRE",
            address(&["12 bis rue des Lilas"], "44000", "NANTES", Some("FRA")),
            date(2026, 1, 9),
            "Électricité de Nulle Part S.A.",
        ),
        (
            &[
                (50.0, 40.0, 16.0, "Banco Ejemplo S.A."),
                (50.0, 120.0, 10.0, "D. Juan Pérez García"),
                (50.0, 133.0, 10.0, "Calle Mayor 5, 2º B"),
                (50.0, 146.0, 10.0, "28013 Madrid"),
                (50.0, 159.0, 10.0, "España"),
                (350.0, 120.0, 10.0, "Fecha de emisión"),
                (350.0, 134.0, 10.0, "01/02/2026"),
            ],
            "D. Juan Pérez García",
            address(&["Calle Mayor 5, 2º B"], "28013", "Madrid", Some("ESP")),
            date(2026, 2, 1),
            "Banco Ejemplo S.A.",
        ),
        (
            &[
                (50.0, 40.0, 16.0, "Acqua Esempio S.p.A."),
                (320.0, 120.0, 10.0, "Mario Rossi"),
                (320.0, 133.0, 10.0, "Via Roma 12"),
                (320.0, 146.0, 10.0, "00184 Roma (RM)"),
                (50.0, 200.0, 10.0, "Data di emissione: 5 marzo 2026"),
            ],
            "Mario Rossi",
            PostalAddress {
                region: Some("RM".to_owned()),
                ..address(&["Via Roma 12"], "00184", "Roma", Some("ITA"))
            },
            date(2026, 3, 5),
            "Acqua Esempio S.p.A.",
        ),
        (
            &[
                (50.0, 40.0, 14.0, "Wodociągi Przykład Sp. z o.o."),
                (320.0, 120.0, 10.0, "Łucja Śliwińska"),
                (320.0, 133.0, 10.0, "ul. Długa 7/3"),
                (320.0, 146.0, 10.0, "00-238 Warszawa"),
                (50.0, 200.0, 10.0, "Data wystawienia: 2026-04-01"),
            ],
            "Łucja Śliwińska",
            address(&["ul. Długa 7/3"], "00-238", "Warszawa", Some("POL")),
            date(2026, 4, 1),
            "Wodociągi Przykład Sp. z o.o.",
        ),
        (
            &[
                (50.0, 40.0, 14.0, "Voorbeeld Energie B.V."),
                (50.0, 120.0, 10.0, "Dhr. J. de Vries"),
                (50.0, 133.0, 10.0, "Keizersgracht 100"),
                (50.0, 146.0, 10.0, "1015 AA Amsterdam"),
                (350.0, 120.0, 10.0, "Factuurdatum 12 mei 2026"),
            ],
            "J. de Vries",
            address(&["Keizersgracht 100"], "1015 AA", "Amsterdam", Some("NLD")),
            date(2026, 5, 12),
            "Voorbeeld Energie B.V.",
        ),
        (
            &[
                (50.0, 40.0, 16.0, "Example Bank"),
                (50.0, 120.0, 10.0, "JOHN Q SAMPLE"),
                (50.0, 133.0, 10.0, "14 NOWHERE LN APT 2"),
                (50.0, 146.0, 10.0, "RICHMOND VA 23269-0001"),
                (350.0, 120.0, 10.0, "Statement date: 03/04/2026"),
            ],
            "JOHN Q SAMPLE",
            PostalAddress {
                region: Some("VA".to_owned()),
                ..address(&["14 NOWHERE LN APT 2"], "23269-0001", "RICHMOND", Some("USA"))
            },
            date(2026, 3, 4),
            "Example Bank",
        ),
    ];
    for (page, name, address, day, organisation) in cases {
        let letter = read(&lines_of_words(&words(page)), TODAY, None);
        let told = format!("{letter:#?}");
        assert_eq!(letter.full_name.map(|part| part.value).as_deref(), Some(name), "{told}");
        assert_eq!(letter.structured_postal_address.map(|part| part.value), Some(address), "{told}");
        assert_eq!(letter.date_of_issue.and_then(|part| part.value.certain()), Some(day), "{told}");
        assert_eq!(letter.organisation.map(|part| part.value).as_deref(), Some(organisation), "{told}");
    }
}

#[test]
fn the_first_date_of_a_letter_without_labels_is_a_guess() {
    let page = [
        (50.0, 40.0, 16.0, "Example Ltd"),
        (50.0, 90.0, 10.0, "Zenith, 3 May 2026"),
        (50.0, 500.0, 10.0, "End"),
    ];
    let letter = read(&lines_of_words(&words(&page)), TODAY, None);
    let date_of_issue = letter.date_of_issue.unwrap();
    assert_eq!(
        (date_of_issue.value.certain(), date_of_issue.source),
        (Some(date(2026, 5, 3)), LetterPartSource::Place)
    );
    assert!(letter.full_name.is_none() && letter.structured_postal_address.is_none());
    assert_eq!(read(&[], TODAY, None), documents::supplementary::SupplementaryReading::default());
}

#[test]
fn a_day_that_is_yet_to_come_is_not_when_a_letter_was_written_a_century_ago() {
    for (today, coming, dated, wanted) in [
        (TODAY, "We shall call on 15.12.26", "Zenith, 03.05.26", date(2026, 5, 3)),
        (date(2026, 12, 20), "We shall call on 15.01.27", "Zenith, 10.12.26", date(2026, 12, 10)),
    ] {
        let page = [
            (50.0, 40.0, 16.0, "Example Ltd"),
            (50.0, 90.0, 10.0, coming),
            (50.0, 120.0, 10.0, dated),
            (50.0, 500.0, 10.0, "End"),
        ];
        let letter = read(&lines_of_words(&words(&page)), today, None);
        let written = letter.date_of_issue.and_then(|part| part.value.certain());
        assert_eq!(written, Some(wanted), "{coming}");
    }
}
