use super::specimen::{PLAIN, SIDE, View, photograph};
use base::Picture;
use documents::{
    mrz::{
        MrzField,
        reader::{MrzReader, MrzReading},
    },
    picture::GreyImage,
};

use fixtures::specimens::{self, PhotoConditions, print_page};

const PASSPORT: [&str; 2] =
    ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"];
const CARD: [&str; 3] =
    ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"];
const TD2: [&str; 2] = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"];
const VISA: [&str; 2] =
    ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<"];
const FRENCH: [&str; 2] = ["IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6"];

fn reader() -> MrzReader {
    MrzReader::load(&fixtures::pack()).expect("the models are imported")
}

fn read(lines: &[&str], view: View) -> (MrzReading, [(f32, f32); 2]) {
    let (picture, corners) = photograph(lines, view);
    let zone = reader().read(&picture).expect("the net runs").expect("there is a zone");
    (zone, corners)
}

#[test]
fn every_format_is_read_from_a_picture() {
    for lines in [&PASSPORT[..], &CARD, &TD2, &VISA, &FRENCH] {
        let pitch = if lines.len() == 3 { 22.0 } else { 20.0 };
        let (zone, _) = read(lines, View { pitch, ..PLAIN });
        assert_eq!(zone.lines, lines);
        assert!(zone.mrz.checks_hold());
        assert_eq!(zone.lines, zone.mrz.lines);
    }
}

#[test]
fn a_zone_is_read_however_it_is_turned() {
    for turn in [-170.0, -90.0, -25.0, 4.0, 11.0, 93.0, 180.0] {
        let (zone, corners) = read(&CARD, View { turn, ..PLAIN });
        assert_eq!(zone.lines, CARD, "turned by {turn}");
        let off = (zone.rotation - turn).rem_euclid(360.0);
        assert!(off.min(360.0 - off) < 1.5, "{} for {turn}", zone.rotation);
        for (found, real) in [(zone.corners[0], corners[0]), (zone.corners[2], corners[1])] {
            let apart = (found.0 - real.0).hypot(found.1 - real.1);
            assert!(apart < 1.6 * PLAIN.pitch, "{found:?} for {real:?} turned by {turn}");
        }
    }
}

#[test]
fn blur_noise_smallness_and_a_bent_page_do_no_harm() {
    for view in [
        View { blur: 4, ..PLAIN },
        View { noise: 40, ..PLAIN },
        View { pitch: 9.0, blur: 0, ..PLAIN },
        View { bend: 0.9, ..PLAIN },
        View { bend: -0.9, turn: -3.0, ..PLAIN },
    ] {
        assert_eq!(read(&PASSPORT, view).0.lines, PASSPORT);
    }
}

#[test]
fn each_field_says_how_sure_it_is() {
    let (clear, _) = read(&PASSPORT, PLAIN);
    for field in [MrzField::Names, MrzField::DocumentNumber, MrzField::Birth, MrzField::Expiry] {
        assert!(clear.confidence_of(field) > 0.9, "{field:?} {}", clear.confidence_of(field));
    }
    assert_eq!(clear.certainty.iter().map(Vec::len).collect::<Vec<_>>(), [44, 44]);
    assert!(clear.certainty.iter().flatten().all(|c| (0.0..=1.001).contains(c)));
}

#[test]
fn a_wrong_check_digit_on_the_page_is_not_talked_away() {
    let forged =
        ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO9408122F1204159ZE184226B<<<<<10"];
    let (zone, _) = read(&forged, PLAIN);
    assert_eq!(zone.lines, forged);
    assert!(!zone.mrz.checks_hold());
    assert!(zone.confidence_of(MrzField::Birth) < 0.5);
}

#[test]
fn where_there_is_no_zone_none_is_found() {
    let prose = "THEQUICKBROWNFOXJUMPSOVERTHELAZYDOGANDRUNSONS";
    let (text, _) = photograph(&[&prose[..44], &prose[1..45], &prose[..44]], PLAIN);
    assert_eq!(reader().read(&text).expect("the net runs"), None);
    for (width, height) in [(1, 1), (3, 700), (900, 2), (64, 64)] {
        let flat = GreyImage::new(width, height, vec![128; width * height]).expect("a plane");
        assert_eq!(reader().read_grey(flat).expect("the net runs"), None);
    }
    let mut seed = 1_u32;
    let noise = (0..SIDE * SIDE * 3).map(|_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    });
    let noise = Picture::new(SIDE as u32, SIDE as u32, noise.collect()).expect("a picture");
    assert_eq!(reader().read(&noise).expect("the net runs"), None);
}

#[test]
fn print_has_no_zone() {
    let mut reader = reader();
    // Half of the pages as they are rendered, half of them photographed; all kinds of print among both.
    for seed in 0..24 {
        let page = print_page(seed);
        let picture = if seed % 12 < 6 {
            page.picture
        } else {
            specimens::photograph(&page, &PhotoConditions::random(seed)).picture
        };
        let zone = reader.read(&picture).expect("the net runs");
        assert_eq!(zone.map(|zone| zone.lines), None, "page {seed}");
    }
}
