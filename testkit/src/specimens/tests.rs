use super::*;
use jiff::civil::date;

#[test]
fn lines_have_the_lengths_and_digits_that_the_standard_shows() {
    // The holder of the examples of ICAO 9303; in 9303-4 she has a personal number as well, so the last digit differs.
    let holder = Holder {
        family_name: "Eriksson".to_owned(),
        given_names: "Anna Maria".to_owned(),
        born: date(1974, 8, 12),
        ..Holder::default()
    };
    let passport = Specimen::passport().holder(holder.clone()).expires(date(2012, 4, 15));
    assert_eq!(
        passport.mrz(),
        ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159<<<<<<<<<<<<<<<8"]
    );
    // Of 9303-5 and 9303-6.
    let card = Specimen::identity_card().holder(holder.clone()).expires(date(2012, 4, 15));
    assert_eq!(
        card.mrz(),
        [
            "I<UTOD231458907<<<<<<<<<<<<<<<",
            "7408122F1204159UTO<<<<<<<<<<<6",
            "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"
        ]
    );
    let large = Specimen::large_identity_card().holder(holder).expires(date(2012, 4, 15));
    assert_eq!(large.mrz(), ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]);
}

#[test]
fn every_kind_is_drawn_and_photographed_the_same_way_twice() {
    let kinds = [
        Kind::Passport,
        Kind::IdentityCard,
        Kind::LargeIdentityCard,
        Kind::ResidencePermit,
        Kind::DrivingLicence,
        Kind::UtilityBill,
    ];
    for kind in kinds {
        let specimen = Specimen::random(kind, 7);
        let sides = [Some(specimen.front()), specimen.back()];
        for page in sides.into_iter().flatten() {
            assert!(!page.fields.is_empty() || page.barcode.is_some());
            let conditions = Conditions { long_side: 400, ..Conditions::clean(3) };
            let (first, second) = (photograph(&page, &conditions), photograph(&page, &conditions));
            assert_eq!(first.jpeg, second.jpeg);
            assert!(first.corners.iter().all(|[x, y]| (0.0..400.0).contains(x) && (0.0..400.0).contains(y)));
        }
    }
}

#[test]
fn a_bill_is_a_file_with_text_too() {
    let bill = Specimen::utility_bill();
    let file = bill.pdf().expect("a bill");
    assert!(file.starts_with(b"%PDF-1.4") && file.ends_with(b"%%EOF\n"));
    let text = b"(Anna Maria Exempel) Tj";
    assert!(file.windows(text.len()).any(|window| window == text));
    assert_eq!(Specimen::passport().pdf(), None);
}
