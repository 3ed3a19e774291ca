//! Barcodes in photographs of specimens, and photographs without barcodes.

use base::Picture;
use documents::{
    barcode::{
        self, Symbology,
        aamva::{self, Licence},
    },
    locate::is_inside,
};
use fixtures::specimens::{
    PhotoConditions, PhotoDamage, QuarterTurn, Specimen, SpecimenHolder, photograph, qr_modules,
};
use jiff::civil::date;

#[test]
fn a_licence_is_read_from_its_back_however_it_lies() {
    let holder = SpecimenHolder { born: date(1990, 2, 28), ..SpecimenHolder::default() };
    let specimen = Specimen::driving_licence().holder(holder).number("T64235789");
    let back = specimen.back().expect("a licence has a back");
    let lies = [
        PhotoConditions::clean(1),
        PhotoConditions { quarter: QuarterTurn::Right, ..PhotoConditions::clean(2) },
        PhotoConditions { quarter: QuarterTurn::Half, angle: 11.0, ..PhotoConditions::clean(3) },
        PhotoConditions { tilt: [14.0, -12.0], ..PhotoConditions::clean(4) },
        PhotoConditions::damaged(PhotoDamage::Shadow, 5),
    ];
    for conditions in lies {
        let photo = photograph(&back, &conditions);
        let codes = barcode::read(&photo.picture);
        let [code] = &codes[..] else { panic!("one code in {conditions:?}, not {}", codes.len()) };
        assert_eq!(code.kind, Symbology::Pdf417);
        assert_eq!(Some(&code.text), specimen.barcode().as_ref());
        assert!(code.corners.iter().all(|corner| is_inside(&photo.corners, *corner)), "{conditions:?}");

        let licence = Licence::of(&aamva::parse(&code.bytes).expect("an AAMVA text"));
        assert_eq!(licence.family_name.as_deref(), Some("EXEMPEL"));
        assert_eq!(licence.given_names().as_deref(), Some("ANNA MARIA"));
        assert_eq!(licence.number.as_deref(), Some("T64235789"));
        assert_eq!(licence.born, Some(date(1990, 2, 28)));
        assert_eq!((licence.country, licence.jurisdiction.as_deref()), (Some("USA"), Some("VA")));
    }
}

#[test]
fn a_canadian_licence_has_its_dates_the_other_way_round() {
    let specimen = Specimen::driving_licence().issuer("CAN/ON");
    let text = specimen.barcode().expect("a licence has a barcode");
    let licence = Licence::of(&aamva::parse(text.as_bytes()).expect("an AAMVA text"));
    assert_eq!(licence.country, Some("CAN"));
    assert_eq!(licence.expires, Some(date(2031, 3, 14)));
}

/// Draws modules of `pixels` pixels each, with a quiet zone of four modules.
fn draw(modules: &[Vec<bool>], pixels: usize) -> Picture {
    let side = (modules.len() + 8) * pixels;
    let mut rgb = Vec::with_capacity(side * side * 3);
    for y in 0..side {
        for x in 0..side {
            let module = |at: usize| (at / pixels).checked_sub(4);
            let row = module(y).and_then(|y| modules.get(y));
            let dark = row.zip(module(x)).and_then(|(row, x)| row.get(x)).copied().unwrap_or(false);
            rgb.extend([if dark { 30 } else { 230 }; 3]);
        }
    }
    Picture::new(side as u32, side as u32, rgb).expect("a whole picture")
}

#[test]
fn a_qr_code_says_what_was_written() {
    for text in ["https://example.test/verify?id=7", "Grüße aus Zenith, 中文"] {
        let codes = barcode::read(&draw(&qr_modules(text), 5));
        assert_eq!(codes.len(), 1);
        assert_eq!((codes[0].kind, codes[0].text.as_str()), (Symbology::Qr, text));
    }
}

#[test]
fn where_there_is_none_none_is_read() {
    let front = Specimen::passport().front();
    assert_eq!(barcode::read(&photograph(&front, &PhotoConditions::clean(9)).picture), []);
    let dot = Picture::new(1, 1, vec![0; 3]).expect("a whole picture");
    assert_eq!(barcode::read(&dot), []);
}
