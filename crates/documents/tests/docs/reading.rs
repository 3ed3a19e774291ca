//! Whole documents: from photographs of specimens to fields, measures and verdicts.

use base::Picture;
use documents::{
    authenticity::{AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, measure_live_age},
    catalogue::DocumentType,
    field::{FieldName, FieldSource},
    reading::{DocumentClaim, DocumentReader, DocumentReading, SideSource},
};
use fixtures::specimens::{PhotoConditions, PhotoDamage, QuarterTurn, Specimen, SpecimenHolder, photograph};
use jiff::civil::{Date, date};
use vision::VisionModels;

const TODAY: Date = date(2026, 11, 21);

fn read(photos: &[Picture]) -> DocumentReading {
    let pack = fixtures::pack();
    let (mut reader, mut vision) = (
        DocumentReader::load(&pack).expect("the pack is whole"),
        VisionModels::load(&pack).expect("the pack is whole"),
    );
    let sides: Vec<_> = photos.iter().map(SideSource::Photo).collect();
    reader.read(&mut vision, &sides, DocumentClaim::default(), TODAY).expect("the nets answer")
}

fn front(specimen: &Specimen, conditions: &PhotoConditions) -> Picture {
    photograph(&specimen.front(), conditions).picture
}

fn back(specimen: &Specimen, seed: u64) -> Picture {
    photograph(&specimen.back().expect("it has a back"), &PhotoConditions::clean(seed)).picture
}

fn value(reading: &DocumentReading, name: FieldName, source: FieldSource) -> Option<&str> {
    let found = reading.fields.iter().find(|field| field.name == name && field.source == source);
    found.map(|field| field.value.as_str())
}

fn find(reading: &DocumentReading, check: AuthenticityCheck) -> Option<&AuthenticityMeasure> {
    reading.measures.iter().find(|measure| measure.check == check)
}

#[track_caller]
fn verdict(reading: &DocumentReading, check: AuthenticityCheck) -> AuthenticityVerdict {
    match find(reading, check) {
        Some(measure) => measure.verdict,
        None => panic!("{check:?} was not made: {:?}", reading.measures),
    }
}

#[test]
fn a_passport_says_the_same_in_its_zone_and_its_print() {
    let reading = read(&[front(&Specimen::passport(), &PhotoConditions::clean(4))]);
    assert!(reading.is_document());
    assert_eq!(reading.kind, Some(DocumentType::Passport));
    assert_eq!(reading.issuer.as_deref(), Some("UTO"));
    for source in [FieldSource::Mrz, FieldSource::Text] {
        assert_eq!(value(&reading, FieldName::DateOfBirth, source), Some("1994-08-12"), "{source:?}");
        assert_eq!(value(&reading, FieldName::ExpirationDate, source), Some("2031-03-14"), "{source:?}");
        assert_eq!(value(&reading, FieldName::DocumentNumber, source), Some("L898902C3"), "{source:?}");
    }
    assert_eq!(value(&reading, FieldName::FullName, FieldSource::Mrz), Some("ANNA MARIA EXEMPEL"));
    assert_eq!(value(&reading, FieldName::Gender, FieldSource::Mrz), Some("FEMALE"));
    let issued = value(&reading, FieldName::DateOfIssue, FieldSource::Text);
    assert_eq!(issued, Some("2021-03-15"), "only the print has it");
    for check in [
        AuthenticityCheck::MrzCheckDigits,
        AuthenticityCheck::MrzFormat,
        AuthenticityCheck::OcrMrzComparison,
        AuthenticityCheck::DocumentInDate,
        AuthenticityCheck::DatesPossible,
        AuthenticityCheck::PortraitPresent,
        AuthenticityCheck::NoScreenGrid,
        AuthenticityCheck::NoScreenBezel,
        AuthenticityCheck::NoPhotocopy,
    ] {
        assert_eq!(verdict(&reading, check), AuthenticityVerdict::Pass, "{:?}", find(&reading, check));
    }
    // The document is a specimen, which the check reports.
    assert_eq!(verdict(&reading, AuthenticityCheck::IssuingCountryKnown), AuthenticityVerdict::Fail);
    let portrait = reading.portrait.as_ref().expect("a face");
    assert_eq!(portrait.embedding.as_ref().map(Vec::len), Some(128));
    assert!(!format!("{reading:?}").to_uppercase().contains("EXEMPEL"), "nothing of it gets into a log");
}

#[test]
fn two_sides_of_a_card_are_one_document() {
    let card = Specimen::identity_card();
    let reading = read(&[front(&card, &PhotoConditions::clean(11)), back(&card, 12)]);
    assert_eq!(reading.kind, Some(DocumentType::NationalId));
    assert!(reading.sides[0].zone.is_none() && reading.sides[1].zone.is_some());
    assert_eq!(reading.portrait.as_ref().map(|portrait| portrait.side), Some(0));
    assert_eq!(verdict(&reading, AuthenticityCheck::OcrMrzComparison), AuthenticityVerdict::Pass);
    assert_eq!(value(&reading, FieldName::FamilyName, FieldSource::Mrz), Some("EXEMPEL"));
}

#[test]
fn the_front_of_one_card_and_the_back_of_another_do_not_go_together() {
    let (one, other) =
        (Specimen::identity_card(), Specimen::random(fixtures::specimens::SpecimenKind::IdentityCard, 5));
    let reading = read(&[front(&one, &PhotoConditions::clean(11)), back(&other, 12)]);
    assert_ne!(verdict(&reading, AuthenticityCheck::OcrMrzComparison), AuthenticityVerdict::Pass);
    let reason = &find(&reading, AuthenticityCheck::OcrMrzComparison).expect("measured").reason;
    assert!(reason.starts_with("not the same in both: "), "{reason}");
    assert!(!reason.to_uppercase().contains("EXEMPEL"), "reasons name fields and no values: {reason}");
}

#[test]
fn the_portrait_is_that_of_the_document_and_not_of_another_picture() {
    let selfie = fixtures::specimens::portrait(4).clone();
    let reading = read(&[selfie, front(&Specimen::passport(), &PhotoConditions::clean(4))]);
    assert_eq!(value(&reading, FieldName::DocumentNumber, FieldSource::Mrz), Some("L898902C3"));
    assert_eq!(reading.portrait.as_ref().map(|portrait| portrait.side), Some(1));
}

#[test]
fn a_licence_says_the_same_in_its_barcode_and_its_print() {
    let licence = Specimen::driving_licence();
    let reading = read(&[front(&licence, &PhotoConditions::clean(21)), back(&licence, 22)]);
    assert_eq!(reading.kind, Some(DocumentType::DrivingLicence));
    assert_eq!(reading.issuer.as_deref(), Some("USA"));
    assert_eq!(value(&reading, FieldName::DocumentNumber, FieldSource::Barcode), Some("T64235789"));
    assert_eq!(value(&reading, FieldName::IssuingAuthority, FieldSource::Barcode), Some("Virginia"));
    assert_eq!(value(&reading, FieldName::DateOfBirth, FieldSource::Text), Some("1994-08-12"));
    for check in [
        AuthenticityCheck::OcrBarcodeComparison,
        AuthenticityCheck::IssuingCountryKnown,
        AuthenticityCheck::CountryTypeConsistent,
        AuthenticityCheck::DocNumberValidation,
        AuthenticityCheck::DocumentInDate,
    ] {
        assert_eq!(verdict(&reading, check), AuthenticityVerdict::Pass, "{:?}", find(&reading, check));
    }
}

#[test]
fn a_european_licence_is_read_by_the_numbers_of_its_fields() {
    for (issuer, seed) in [("SWE", 4), ("GBR", 7), ("DEU", 6)] {
        let reading =
            read(&[front(&Specimen::european_licence().issuer(issuer), &PhotoConditions::clean(seed))]);
        for (name, expected) in [
            (FieldName::FamilyName, "EXEMPEL"),
            (FieldName::GivenNames, "ANNA MARIA"),
            (FieldName::DateOfBirth, "1994-08-12"),
            (FieldName::DateOfIssue, "2021-03-15"),
            (FieldName::ExpirationDate, "2031-03-14"),
            (FieldName::DocumentNumber, "EXEMP941128AM9KL"),
        ] {
            assert_eq!(
                value(&reading, name, FieldSource::Text),
                Some(expected),
                "{issuer} {name:?} {:?}",
                reading.sides[0].lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>()
            );
            assert!(
                reading.numbered_fields.contains(&name),
                "{issuer} {name:?}: {:?}",
                reading.numbered_fields
            );
        }
        assert!(reading.is_document() && reading.zone.is_none() && reading.licence.is_none());
        assert!(reading.portrait.is_some());
        assert_eq!(verdict(&reading, AuthenticityCheck::DocumentInDate), AuthenticityVerdict::Pass);
    }
}

#[test]
fn where_the_print_is_not_latin_the_zone_is() {
    for (issuer, native, seed) in
        [("GRC", "ΠΑΡΑΔΕΙΓΜΑ ΑΝΝΑ", 4), ("BGR", "ПРИМЕРОВА АННА", 5), ("UKR", "ЗРАЗКОВА АННА", 6)]
    {
        let holder = SpecimenHolder {
            nationality: issuer.to_owned(),
            native_name: Some(native.to_owned()),
            ..SpecimenHolder::default()
        };
        let specimen = Specimen::passport().issuer(issuer).holder(holder);
        let reading = read(&[front(&specimen, &PhotoConditions::clean(seed))]);
        assert_eq!(reading.issuer.as_deref(), Some(issuer));
        assert_eq!(value(&reading, FieldName::FamilyName, FieldSource::Mrz), Some("EXEMPEL"), "{issuer}");
        assert_eq!(
            verdict(&reading, AuthenticityCheck::OcrMrzComparison),
            AuthenticityVerdict::Pass,
            "{issuer}"
        );
    }
}

#[test]
fn what_ran_out_and_what_cannot_be_is_told() {
    let old = Specimen::passport().issued(date(2009, 5, 2)).expires(date(2019, 5, 1));
    let reading = read(&[front(&old, &PhotoConditions::clean(4))]);
    assert_eq!(verdict(&reading, AuthenticityCheck::DocumentInDate), AuthenticityVerdict::Fail);
    let measure = find(&reading, AuthenticityCheck::DocumentInDate).expect("measured");
    assert_eq!((measure.value, measure.reason.as_str()), (-2761.0, "it ran out 2761 days ago"));
}

#[test]
fn however_it_is_held_it_is_read() {
    let passport = Specimen::passport();
    for (seed, quarter) in QuarterTurn::ALL.into_iter().enumerate() {
        let conditions = PhotoConditions { quarter, ..PhotoConditions::clean(30 + seed as u64) };
        let reading = read(&[front(&passport, &conditions)]);
        assert_eq!(
            value(&reading, FieldName::DocumentNumber, FieldSource::Mrz),
            Some("L898902C3"),
            "{quarter:?}"
        );
        assert_eq!(
            value(&reading, FieldName::DateOfIssue, FieldSource::Text),
            Some("2021-03-15"),
            "{quarter:?}"
        );
        assert!(reading.portrait.is_some(), "{quarter:?}");
    }
    // A photo of a front camera, without metadata that says it is mirrored.
    let mirrored =
        documents::picture::mirror(&front(&passport, &PhotoConditions::clean(4))).expect("a picture");
    let reading = read(&[mirrored]);
    assert!(reading.sides[0].mirrored);
    assert_eq!(value(&reading, FieldName::DocumentNumber, FieldSource::Mrz), Some("L898902C3"));
}

#[test]
fn a_display_and_a_copy_raise_doubts() {
    let passport = Specimen::passport();
    let shown = read(&[front(&passport, &PhotoConditions::damaged(PhotoDamage::Screen, 2))]);
    assert_eq!(verdict(&shown, AuthenticityCheck::NoScreenGrid), AuthenticityVerdict::Doubt);
    let copied = read(&[front(&passport, &PhotoConditions::damaged(PhotoDamage::Photocopy, 3))]);
    assert_eq!(verdict(&copied, AuthenticityCheck::NoPhotocopy), AuthenticityVerdict::Doubt);
}

#[test]
fn where_there_is_no_document_none_is_read() {
    let away = PhotoConditions { partial: 1.6, tilt: [0.0; 2], ..PhotoConditions::clean(7001) };
    let reading = read(&[front(&Specimen::passport(), &away)]);
    assert!(!reading.is_document(), "{reading:?}");
    assert!(read(&[]).measures.is_empty());
}

#[test]
fn the_portrait_is_compared_with_a_live_face() {
    let mut vision = VisionModels::load(&fixtures::pack()).expect("the pack is whole");
    let reading = read(&[front(&Specimen::passport(), &PhotoConditions::clean(4))]);
    let portrait = reading.portrait.expect("a face");
    let mut against = |holder: u8| {
        let live = fixtures::specimens::portrait(holder);
        let face =
            vision.detect_tiled(live, 60.0).expect("the net answers").into_iter().next().expect("a face");
        let embedding = vision.embed(live, &face).expect("the net answers");
        portrait.compare(&embedding, vision.embedding_space().unwrap()).expect("of one space").measure()
    };
    let own = against(0);
    assert_eq!(
        (own.check, own.verdict),
        (AuthenticityCheck::PortraitMatch, AuthenticityVerdict::Pass),
        "{own:?}"
    );
    let other = against(4);
    assert_eq!(other.verdict, AuthenticityVerdict::Fail, "{other:?}");
    assert!(other.value > own.value);
    assert_eq!(
        portrait.compare(&[0.0; 3], vision.embedding_space().unwrap()),
        None,
        "another model's embedding"
    );
}

#[test]
fn the_live_face_is_as_old_as_its_holder_or_not() {
    let mut vision = VisionModels::load(&fixtures::pack()).expect("the pack is whole");
    let live = fixtures::specimens::portrait(0);
    let face = vision.detect_tiled(live, 60.0).expect("the net answers").into_iter().next().expect("a face");
    let estimate = vision.estimate_age(live, &face).expect("the net answers");
    let born = |years: i16| TODAY.saturating_sub(jiff::Span::new().years(years));
    let as_old = measure_live_age(&estimate, born(estimate.years as i16), TODAY);
    assert_eq!((as_old.check, as_old.verdict), (AuthenticityCheck::SelfieAge, AuthenticityVerdict::Pass));
    let older = measure_live_age(&estimate, born(estimate.years as i16 + 45), TODAY);
    assert_eq!(older.verdict, AuthenticityVerdict::Doubt, "{older:?}");
    assert!(older.reason.contains("too young"), "{}", older.reason);
}
