//! Photographs of specimens, read by the nets of the model pack.
//! `cargo run --release -p assay-documents --example read_text` measures many and prints the table.

use documents::{
    locate::{PageHints, locate},
    mrz::transliterate::transliterate,
    supplementary,
    text::{
        TextLine, TextReader,
        fields::{FieldContext, read},
        label_dictionary::PrintedFieldKind,
    },
};
use fixtures::{
    pack,
    specimens::{PhotoConditions, Specimen, SpecimenPage, photograph},
};
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 11, 21);

fn page_of(page: &SpecimenPage, seed: u64) -> base::Picture {
    let photo = photograph(page, &PhotoConditions::clean(seed));
    locate(&photo.picture, &PageHints::default()).expect("a page").page
}

fn check(
    lines: &[TextLine],
    page: &SpecimenPage,
    country: Option<&str>,
    wanted: &[(PrintedFieldKind, &str)],
) {
    let fields = read(lines, &FieldContext { country, today: TODAY, zone: None });
    for (field, name) in wanted {
        let printed =
            page.fields.iter().find(|(of, _)| of == name).map(|(_, text)| text.as_str()).expect(name);
        let seen = fields.get(*field).map(|found| found.text.clone()).unwrap_or_default();
        // The smaller one of the nets does not read spaces and diacritics reliably.
        let plain = |text: &str| transliterate(text).replace(' ', "");
        assert_eq!(
            plain(&seen),
            plain(printed),
            "{field:?} among {:?}",
            lines.iter().map(|line| &line.text).collect::<Vec<_>>()
        );
    }
}

#[test]
fn fields_are_read_from_photographs() {
    let mut reader = TextReader::load(&pack()).unwrap();
    let card = [
        (PrintedFieldKind::Surname, "family_name"),
        (PrintedFieldKind::GivenNames, "given_names"),
        (PrintedFieldKind::BirthDate, "date_of_birth"),
        (PrintedFieldKind::ExpiryDate, "date_of_expiry"),
        (PrintedFieldKind::DocumentNumber, "document_number"),
    ];
    for specimen in [Specimen::passport(), Specimen::identity_card(), Specimen::residence_permit()] {
        let page = specimen.front();
        let picture = page_of(&page, 4);
        let lines = reader.read(&picture).unwrap();
        assert!(lines.iter().all(|line| line.certainty.len() == line.text.chars().count()));
        check(&lines, &page, None, &card);
    }
    let page = Specimen::driving_licence().front();
    let lines = reader.read(&page_of(&page, 4)).unwrap();
    check(&lines, &page, Some("USA"), &card[2..]);
    let back = Specimen::identity_card().back().expect("a back");
    let lines = reader.read(&page_of(&back, 4)).unwrap();
    check(
        &lines,
        &back,
        None,
        &[(PrintedFieldKind::IssueDate, "date_of_issue"), (PrintedFieldKind::Authority, "authority")],
    );
}

#[test]
fn a_page_on_its_head_or_side_is_read_all_the_same_and_known_regions_are_left_out() {
    let mut reader = TextReader::load(&pack()).unwrap();
    let page = Specimen::identity_card().front();
    let picture = page_of(&page, 4);
    let upright = reader.read(&picture).unwrap();
    for quarters in 1..4 {
        let turned = (0..quarters).fold(picture.clone(), |picture, _| quarter(&picture));
        let lines = reader.read(&turned).unwrap();
        check(
            &lines,
            &page,
            None,
            &[
                (PrintedFieldKind::BirthDate, "date_of_birth"),
                (PrintedFieldKind::DocumentNumber, "document_number"),
            ],
        );
    }
    let first = &upright[0];
    let rest = reader.read_beside(&picture, &[first.corners]).unwrap();
    assert_eq!(rest.len(), upright.len() - 1);
}

fn quarter(picture: &base::Picture) -> base::Picture {
    let (width, height) = (picture.width() as i64, picture.height() as i64);
    let mut rgb = Vec::with_capacity(picture.rgb().len());
    for y in 0..width {
        for x in 0..height {
            rgb.extend(picture.pixel(y, height - 1 - x));
        }
    }
    base::Picture::new(height as u32, width as u32, rgb).expect("as large as before")
}

#[test]
fn a_bill_is_read_from_a_photograph() {
    let mut reader = TextReader::load(&pack()).unwrap();
    let page = Specimen::utility_bill().front();
    let lines = reader.read(&page_of(&page, 300_400)).unwrap();
    let letter = supplementary::read(&lines, TODAY, None);
    let date_of_issue = letter.date_of_issue.expect("a date");
    assert_eq!(date_of_issue.value.certain(), Some(date(2021, 3, 15)));
    let plain = |text: &str| transliterate(text).replace(' ', "");
    if let Some(name) = letter.full_name {
        assert_eq!(plain(&name.value), "ANNAMARIAEXEMPEL");
    }
}

#[test]
fn an_empty_page_has_no_lines() {
    let mut reader = TextReader::load(&pack()).unwrap();
    for (width, height) in [(1, 1), (3, 700), (640, 400)] {
        let page =
            base::Picture::new(width, height, vec![200; (width * height * 3) as usize]).expect("a picture");
        assert_eq!(reader.read(&page).unwrap(), []);
    }
}
