//! Pages are found in photographs of specimens, drawn upright, and what is wrong with the photo is told.
//!
//! These are a few of each; `cargo run --release -p assay-documents --example pages` measures many and prints the tables.

use documents::{
    locate::{Hints, Located, PageFormat, Upright, ZoneHint, locate, upwards},
    picture::page_homography::overlap,
    quality::{Fault, measure},
};
use fixtures::specimens::{Conditions, Damage, Page, Photo, Quarter, Specimen, photograph};

fn find(page: &Page, conditions: &Conditions) -> (Photo, Option<Located>) {
    let photo = photograph(page, conditions);
    let located = locate(&photo.picture, &Hints::default());
    (photo, located)
}

fn broken(photo: &Photo, located: &Located) -> Vec<Fault> {
    measure(&photo.picture, located)
        .iter()
        .filter(|measure| measure.is_broken())
        .map(|measure| measure.fault)
        .collect()
}

#[test]
fn a_good_photo_gives_the_page_and_no_complaint() {
    let specimens = [
        Specimen::passport(),
        Specimen::identity_card(),
        Specimen::driving_licence(),
        Specimen::utility_bill(),
    ];
    let formats = [PageFormat::Id3, PageFormat::Id1, PageFormat::Id1, PageFormat::A4];
    for (specimen, format) in specimens.iter().zip(formats) {
        // White paper on a white desk has no edges to be found by; the letter gets a dark one.
        let seed = if format == PageFormat::A4 { 300_400 } else { 4 };
        let (photo, located) = find(&specimen.front(), &Conditions::clean(seed));
        let located = located.expect("a page");
        assert!(overlap(&located.corners, &photo.corners) > 0.97, "{:?}", specimen.kind());
        assert_eq!(located.format.ratio(), format.ratio(), "{:?}", specimen.kind());
        assert_eq!(broken(&photo, &located), [], "{:?}", specimen.kind());
        let [left, top] = located.to_photo.apply([0.0, 0.0]);
        assert!((left - located.corners[0][0]).hypot(top - located.corners[0][1]) < 3.0);
    }
}

/// The zone of a passport, as a reader of its lines would say where it is.
fn zone(photo: &Photo) -> ZoneHint {
    use documents::picture::page_homography::Homography;
    let page = [[0.0, 0.0], [125.0, 0.0], [125.0, 88.0], [0.0, 88.0]];
    let map = Homography::between(&page, &photo.corners).expect("a page");
    let corners = [[6.6, 73.2], [118.4, 73.2], [118.4, 82.0], [6.6, 82.0]].map(|at| map.apply(at));
    ZoneHint { corners, lines: 2, columns: 44 }
}

#[test]
fn a_zone_says_which_way_is_up_and_where_the_page_is() {
    let page = Specimen::passport().front();
    for (seed, quarter) in Quarter::ALL.into_iter().enumerate() {
        let photo = photograph(&page, &Conditions { quarter, ..Conditions::clean(seed as u64 + 20) });
        let hints = Hints { zone: Some(zone(&photo)), up: None };
        let located = locate(&photo.picture, &hints).expect("a page");
        assert_eq!((located.upright, located.format), (Upright::Known, PageFormat::Id3));
        assert!(overlap(&located.corners, &photo.corners) > 0.95, "{quarter:?}");
        let (found, truth) = (located.corners[0], photo.corners[0]);
        assert!(
            (found[0] - truth[0]).hypot(found[1] - truth[1]) < 30.0,
            "{quarter:?}: its own top left first"
        );
        assert!(located.page.width() > located.page.height());
    }
}

#[test]
fn an_arrow_upwards_is_enough_to_turn_the_page() {
    let page = Specimen::identity_card().front();
    let photo = photograph(&page, &Conditions { quarter: Quarter::Left, ..Conditions::clean(31) });
    let top_left = photo.corners[0];
    let up = Some(upwards(&photo.corners));
    let located = locate(&photo.picture, &Hints { zone: None, up }).expect("a page");
    assert_eq!(located.upright, Upright::Known);
    let found = located.corners[0];
    assert!((found[0] - top_left[0]).hypot(found[1] - top_left[1]) < 30.0);
}

#[test]
fn an_empty_desk_has_no_page() {
    let page = Specimen::passport().front();
    let away = Conditions { partial: 1.6, tilt: [0.0; 2], ..Conditions::clean(40) };
    assert!(find(&page, &away).1.is_none());
}

#[test]
fn what_is_wrong_with_a_photo_is_told() {
    let cases = [
        (Damage::Blur, Fault::Blurred, 51),
        (Damage::Glare, Fault::Glare, 51),
        (Damage::Dark, Fault::TooDark, 51),
        (Damage::Small, Fault::TooSmall, 52),
        (Damage::Partial, Fault::Partial, 52),
        (Damage::Grey, Fault::BlackAndWhite, 52),
    ];
    let page = Specimen::large_identity_card().front();
    for (damage, fault, seed) in cases {
        let (photo, located) = find(&page, &Conditions::damaged(damage, seed));
        let located = located.expect("a page");
        let faults = broken(&photo, &located);
        assert!(faults.contains(&fault), "{damage:?}: {faults:?}");
        let told = measure(&photo.picture, &located);
        let told = told.iter().find(|measure| measure.fault == fault).map(documents::quality::Measure::told);
        assert!(told.is_some_and(|told| !told.limit.is_empty() && !told.hint.is_empty()));
    }
}
