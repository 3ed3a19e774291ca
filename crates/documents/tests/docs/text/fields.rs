use documents::{
    mrz,
    text::{
        TextLine,
        cross_check::{CrossCheckResult, compare_with_mrz},
        fields::{FieldContext, PrintedFieldSource, PrintedFields, read},
        label_dictionary::PrintedFieldKind,
    },
};
use jiff::civil::{Date, date};
use proptest::prelude::*;

const TODAY: Date = date(2026, 11, 21);

/// Lines with the given left and top edges, 10 high and 6 wide per character.
fn lines(all: &[(f32, f32, &str)]) -> Vec<TextLine> {
    let place = |&(x, y, text): &(f32, f32, &str)| {
        TextLine::printed(text, [x, y, x + 6.0 * text.chars().count() as f32, y + 10.0])
    };
    all.iter().map(place).collect()
}

fn context(country: Option<&str>) -> FieldContext<'_> {
    FieldContext { country, today: TODAY, zone: None }
}

fn texts(fields: &PrintedFields, wanted: &[(PrintedFieldKind, &str)]) {
    for (field, text) in wanted {
        assert_eq!(fields.text(*field).as_deref(), Some(*text), "{field:?} of {fields:#?}");
    }
}

#[test]
fn a_passport_has_values_below_labels_in_two_languages() {
    let lines = lines(&[
        (0.0, 0.0, "RÉPUBLIQUE FRANÇAISE"),
        (200.0, 0.0, "Passeport n° / Passport No."),
        (200.0, 14.0, "12AB34567"),
        (0.0, 30.0, "Nom / Surname"),
        (0.0, 44.0, "LEFÈVRE"),
        (0.0, 60.0, "Prénoms / Given names"),
        (0.0, 74.0, "CHLOÉ INÈS"),
        (0.0, 90.0, "Nationalité / Nationality"),
        (200.0, 90.0, "Sexe/Sex Lieu de naissance/Place of birth"),
        (0.0, 104.0, "Française"),
        (200.0, 104.0, "F"),
        (260.0, 104.0, "NANTES"),
        (0.0, 120.0, "Date de naissance / Date of birth"),
        (0.0, 134.0, "12 AOÛT/AUG 94"),
        (0.0, 150.0, "Date d'expiration / Date of expiry"),
        (0.0, 164.0, "14 MARS/MAR 2031"),
        (250.0, 150.0, "Autorité / Authority"),
        (250.0, 164.0, "Préfecture de Nantes"),
    ]);
    let fields = read(&lines, &context(Some("FRA")));
    texts(
        &fields,
        &[
            (PrintedFieldKind::Surname, "LEFÈVRE"),
            (PrintedFieldKind::GivenNames, "CHLOÉ INÈS"),
            (PrintedFieldKind::DocumentNumber, "12AB34567"),
            (PrintedFieldKind::Sex, "F"),
            (PrintedFieldKind::BirthPlace, "NANTES"),
            (PrintedFieldKind::BirthDate, "1994-08-12"),
            (PrintedFieldKind::ExpiryDate, "2031-03-14"),
            (PrintedFieldKind::Authority, "Préfecture de Nantes"),
            (PrintedFieldKind::Nationality, "Française"),
        ],
    );
    assert_eq!(
        fields.get(PrintedFieldKind::Surname).and_then(|found| found.latin.as_deref()),
        Some("LEFEVRE")
    );
}

#[test]
fn licences_number_their_fields() {
    let european = lines(&[
        (0.0, 0.0, "FÜHRERSCHEIN"),
        (0.0, 20.0, "1. MUSTERMANN"),
        (0.0, 34.0, "2. ERIKA"),
        (0.0, 48.0, "3. 12.08.83 BERLIN"),
        (0.0, 62.0, "4a. 01.03.2013"),
        (150.0, 62.0, "4c. LANDRATSAMT MUSTERHAUSEN"),
        (0.0, 76.0, "4b. 28.02.2028"),
        (0.0, 90.0, "5. B072RRE2I55"),
        (0.0, 104.0, "9. AM/B/L"),
    ]);
    let fields = read(&european, &context(Some("DEU")));
    texts(
        &fields,
        &[
            (PrintedFieldKind::Surname, "MUSTERMANN"),
            (PrintedFieldKind::GivenNames, "ERIKA"),
            (PrintedFieldKind::BirthDate, "1983-08-12"),
            (PrintedFieldKind::BirthPlace, "BERLIN"),
            (PrintedFieldKind::IssueDate, "2013-03-01"),
            (PrintedFieldKind::ExpiryDate, "2028-02-28"),
            (PrintedFieldKind::DocumentNumber, "B072RRE2I55"),
            (PrintedFieldKind::Authority, "LANDRATSAMT MUSTERHAUSEN"),
        ],
    );
    assert_eq!(
        fields.get(PrintedFieldKind::Surname).map(|found| found.source),
        Some(PrintedFieldSource::Number)
    );

    let american = lines(&[
        (0.0, 0.0, "4d DL T64235789"),
        (200.0, 0.0, "4b EXP 03/14/2031"),
        (0.0, 16.0, "1 SAMPLE"),
        (0.0, 32.0, "2 ANNA MARIA"),
        (0.0, 48.0, "8 14 NOWHERE LANE"),
        (0.0, 60.0, "ZENITH, VA 23269"),
        (0.0, 76.0, "3 DOB 08/12/1994"),
        (200.0, 76.0, "4a ISS 03/15/2021"),
        (0.0, 92.0, "15 SEX F"),
        (100.0, 92.0, "16 HGT 5'-06\""),
    ]);
    texts(
        &read(&american, &context(Some("USA"))),
        &[
            (PrintedFieldKind::Surname, "SAMPLE"),
            (PrintedFieldKind::GivenNames, "ANNA MARIA"),
            (PrintedFieldKind::BirthDate, "1994-08-12"),
            (PrintedFieldKind::IssueDate, "2021-03-15"),
            (PrintedFieldKind::ExpiryDate, "2031-03-14"),
            (PrintedFieldKind::DocumentNumber, "T64235789"),
            (PrintedFieldKind::Sex, "F"),
        ],
    );
}

#[test]
fn a_house_number_is_not_the_number_of_a_field() {
    for street in ["12 MAIN ST", "2 ELM ST", "123 MAIN ST"] {
        let card = lines(&[
            (0.0, 0.0, "1 SAMPLE"),
            (200.0, 0.0, "4b EXP 03/14/2031"),
            (0.0, 16.0, "2 ANNA MARIA"),
            (0.0, 40.0, "8"),
            (0.0, 52.0, street),
            (0.0, 64.0, "ZENITH, VA 23269"),
            (0.0, 90.0, "3 DOB 08/12/1994"),
            (200.0, 90.0, "12 NONE"),
        ]);
        let address = format!("{street}\nZENITH, VA 23269");
        let wanted = [
            (PrintedFieldKind::Address, address.as_str()),
            (PrintedFieldKind::GivenNames, "ANNA MARIA"),
            (PrintedFieldKind::Surname, "SAMPLE"),
        ];
        texts(&read(&card, &context(Some("USA"))), &wanted);
    }
    // The only field 2 of a page stays that, although nothing else is below the label of the address.
    let card = lines(&[
        (0.0, 0.0, "1 SAMPLE"),
        (200.0, 0.0, "4b EXP 03/14/2031"),
        (0.0, 16.0, "8"),
        (0.0, 28.0, "2 ANNA MARIA"),
        (0.0, 60.0, "3 DOB 08/12/1994"),
    ]);
    let fields = read(&card, &context(Some("USA")));
    texts(&fields, &[(PrintedFieldKind::GivenNames, "ANNA MARIA")]);
    assert_eq!(fields.get(PrintedFieldKind::Address), None);
}

/// Text in scripts that are not read from pictures comes from files.
#[test]
fn other_scripts_are_kept_as_printed_and_transliterated() {
    let lines = lines(&[
        (0.0, 0.0, "Прізвище"),
        (0.0, 14.0, "ІВАНЕНКО"),
        (0.0, 30.0, "Ім'я"),
        (0.0, 44.0, "ОЛЕНА"),
        (0.0, 60.0, "Дата народження"),
        (150.0, 60.0, "12 серпня 1994"),
        (0.0, 80.0, "Стать: Ж/F"),
    ]);
    let fields = read(&lines, &context(Some("UKR")));
    let wanted = [
        (PrintedFieldKind::Surname, "ІВАНЕНКО"),
        (PrintedFieldKind::GivenNames, "ОЛЕНА"),
        (PrintedFieldKind::BirthDate, "1994-08-12"),
        (PrintedFieldKind::Sex, "F"),
    ];
    texts(&fields, &wanted);
    assert_eq!(
        fields.get(PrintedFieldKind::Surname).and_then(|found| found.latin.as_deref()),
        Some("IVANENKO")
    );
}

fn zone() -> mrz::Mrz {
    let specimen =
        ["P<UTOMUELLER<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"];
    mrz::parse(&specimen).expect("a zone").mrz
}

#[test]
fn a_zone_is_confirmed_by_what_is_printed_and_contradicted_by_what_is_not() {
    let zone = zone();
    let context = FieldContext { country: None, today: date(2012, 1, 1), zone: Some(&zone) };
    let check = |all: &[(f32, f32, &str)]| {
        let lines = lines(all);
        let fields = read(&lines, &context);
        let all = compare_with_mrz(&zone, &lines, &fields, &context);
        (fields, all.into_iter().map(|one| (one.field, one.agreement)).collect::<Vec<_>>())
    };
    // There is no label; the MRZ says what to look for.
    let (fields, all) = check(&[
        (0.0, 0.0, "Müller"),
        (0.0, 30.0, "Anna Marla"),
        (0.0, 60.0, "12 AUG 1974"),
        (0.0, 90.0, "15.04.2012"),
        (0.0, 120.0, "L898902C3"),
        (0.0, 150.0, "UTOPIA"),
    ]);
    assert_eq!(
        all,
        [
            (PrintedFieldKind::Surname, CrossCheckResult::Same),
            (PrintedFieldKind::GivenNames, CrossCheckResult::Nearly { distance: 1 }),
            (PrintedFieldKind::DocumentNumber, CrossCheckResult::Same),
            (PrintedFieldKind::BirthDate, CrossCheckResult::Same),
            (PrintedFieldKind::ExpiryDate, CrossCheckResult::Same),
            (PrintedFieldKind::Nationality, CrossCheckResult::Same),
            (PrintedFieldKind::Sex, CrossCheckResult::Missing),
        ]
    );
    assert_eq!(
        fields.get(PrintedFieldKind::Surname).map(|found| (found.text.as_str(), found.source)),
        Some(("Müller", PrintedFieldSource::Zone))
    );

    let (_, all) = check(&[
        (0.0, 0.0, "Surname"),
        (0.0, 14.0, "SCHMIDT"),
        (0.0, 30.0, "Date of birth"),
        (0.0, 44.0, "12 AUG 1984"),
        (0.0, 60.0, "Sex M"),
    ]);
    let of = |field| all.iter().find(|(of, _)| *of == field).map(|(_, agreement)| *agreement);
    assert_eq!(of(PrintedFieldKind::Surname), Some(CrossCheckResult::Contradicted));
    assert_eq!(of(PrintedFieldKind::BirthDate), Some(CrossCheckResult::Contradicted));
    assert_eq!(of(PrintedFieldKind::Sex), Some(CrossCheckResult::Contradicted));
    assert_eq!(of(PrintedFieldKind::GivenNames), Some(CrossCheckResult::Missing));
}

#[test]
fn a_british_nationality_in_a_zone_is_printed_as_what_it_is() {
    let zone = mrz::Mrz { nationality: "GBN".to_owned(), ..zone() };
    let context = FieldContext { country: Some("GBR"), today: date(2012, 1, 1), zone: Some(&zone) };
    for (printed, agreement) in [
        ("British National (Overseas)", CrossCheckResult::Same),
        ("GBN", CrossCheckResult::Same),
        ("GBR", CrossCheckResult::Contradicted),
        ("United Kingdom", CrossCheckResult::Missing),
    ] {
        let lines = lines(&[(0.0, 0.0, "Nationality"), (0.0, 14.0, printed)]);
        let all = compare_with_mrz(&zone, &lines, &read(&lines, &context), &context);
        let found = all.iter().find(|one| one.field == PrintedFieldKind::Nationality);
        assert_eq!(found.map(|one| one.agreement), Some(agreement), "{printed}");
    }
}

#[test]
fn years_of_two_digits_in_print_mean_what_they_mean_in_a_zone() {
    let context = FieldContext { country: None, today: date(2026, 11, 29), zone: None };
    for (label, field, printed, meant) in [
        ("Date of expiry", PrintedFieldKind::ExpiryDate, "15.06.05", "2005-06-15"),
        ("Date of expiry", PrintedFieldKind::ExpiryDate, "15.06.61", "2061-06-15"),
        ("Date of expiry", PrintedFieldKind::ExpiryDate, "15.06.62", "1962-06-15"),
        ("Date of expiry", PrintedFieldKind::ExpiryDate, "31.12.99", "2099-12-31"),
        ("Date of birth", PrintedFieldKind::BirthDate, "29.11.26", "2026-11-29"),
        ("Date of birth", PrintedFieldKind::BirthDate, "31.12.26", "1926-12-31"),
        ("Date of issue", PrintedFieldKind::IssueDate, "31.12.26", "1926-12-31"),
    ] {
        let fields = read(&lines(&[(0.0, 0.0, label), (0.0, 14.0, printed)]), &context);
        texts(&fields, &[(field, meant)]);
    }

    let card = [
        "I<UTOD231458907<<<<<<<<<<<<<<<",
        "7408122F1204159UTO<<<<<<<<<<<6",
        "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
    ];
    let zone = mrz::Mrz {
        birth: mrz::ShortDate::parse(b"261231").expect("a date"),
        expiry: mrz::ShortDate::parse(b"050615"),
        ..mrz::parse(&card).expect("a zone").mrz
    };
    let context = FieldContext { zone: Some(&zone), ..context };
    let lines = lines(&[
        (0.0, 0.0, "Date of birth"),
        (0.0, 14.0, "31.12.26"),
        (0.0, 30.0, "Date of expiry"),
        (0.0, 44.0, "15.06.05"),
    ]);
    let fields = read(&lines, &context);
    let all = compare_with_mrz(&zone, &lines, &fields, &context);
    for field in [PrintedFieldKind::BirthDate, PrintedFieldKind::ExpiryDate] {
        let of = all.iter().find(|one| one.field == field).map(|one| one.agreement);
        assert_eq!(of, Some(CrossCheckResult::Same), "{field:?} of {all:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_lines_make_fields_panic(
        all in proptest::collection::vec((any::<f32>(), -900.0_f32..900.0, any::<f32>(), "\\PC{0,30}"), 0..12),
        labels in proptest::collection::vec((0.0_f32..300.0, 0.0_f32..300.0, "(Surname|4a\\.|[1-5] |Date of birth|Nom ?/|Sex|Address)? ?\\PC{0,12}"), 0..12),
    ) {
        let wild = all.iter().map(|(x, y, width, text)| TextLine::printed(text, [*x, *y, x + width, y + 10.0]));
        let tame = labels.iter().map(|(x, y, text)| TextLine::printed(text, [*x, *y, x + 60.0, y + 10.0]));
        let lines: Vec<TextLine> = wild.chain(tame).collect();
        let zone = zone();
        let context = FieldContext { country: None, today: TODAY, zone: Some(&zone) };
        let fields = read(&lines, &context);
        let _ = compare_with_mrz(&zone, &lines, &fields, &context);
        let _ = documents::supplementary::read(&lines, TODAY, None);
    }
}
