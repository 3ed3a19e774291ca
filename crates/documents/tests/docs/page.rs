//! Pages in photographs of specimens are found, rectified and upright, and faults of the photo are reported.
//!
//! These are a few examples; `cargo run --release -p assay-documents --example pages` measures many and prints the
//! tables.

use documents::{
    locate::{LocatedPage, PageFormat, PageHints, Upright, ZoneHint, locate, up_direction},
    picture::homography::intersection_over_union,
    quality::{PhotoFault, measure},
};
use fixtures::specimens::{
    PhotoConditions, PhotoDamage, QuarterTurn, Specimen, SpecimenPage, SpecimenPhoto, photograph,
};

fn find(page: &SpecimenPage, conditions: &PhotoConditions) -> (SpecimenPhoto, Option<LocatedPage>) {
    let photo = photograph(page, conditions);
    let located = locate(&photo.picture, &PageHints::default());
    (photo, located)
}

fn broken(photo: &SpecimenPhoto, located: &LocatedPage) -> Vec<PhotoFault> {
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
        // White paper on a white desk has no visible edges, so the letter gets a dark desk.
        let seed = if format == PageFormat::A4 { 300_400 } else { 4 };
        let (photo, located) = find(&specimen.front(), &PhotoConditions::clean(seed));
        let located = located.expect("a page");
        assert!(intersection_over_union(&located.corners, &photo.corners) > 0.97, "{:?}", specimen.kind());
        assert_eq!(located.format.ratio(), format.ratio(), "{:?}", specimen.kind());
        assert_eq!(broken(&photo, &located), [], "{:?}", specimen.kind());
        let [left, top] = located.to_photo.apply([0.0, 0.0]);
        assert!((left - located.corners[0][0]).hypot(top - located.corners[0][1]) < 3.0);
    }
}

/// The MRZ of a passport, at the position that the MRZ reader would report.
fn zone(photo: &SpecimenPhoto) -> ZoneHint {
    use documents::picture::homography::Homography;
    let page = [[0.0, 0.0], [125.0, 0.0], [125.0, 88.0], [0.0, 88.0]];
    let map = Homography::from_corners(&page, &photo.corners).expect("a page");
    let corners = [[6.6, 73.2], [118.4, 73.2], [118.4, 82.0], [6.6, 82.0]].map(|at| map.apply(at));
    ZoneHint { corners, lines: 2, columns: 44 }
}

#[test]
fn a_zone_says_which_way_is_up_and_where_the_page_is() {
    let page = Specimen::passport().front();
    for (seed, quarter) in QuarterTurn::ALL.into_iter().enumerate() {
        let photo =
            photograph(&page, &PhotoConditions { quarter, ..PhotoConditions::clean(seed as u64 + 20) });
        let hints = PageHints { zone: Some(zone(&photo)), up: None };
        let located = locate(&photo.picture, &hints).expect("a page");
        assert_eq!((located.upright, located.format), (Upright::Known, PageFormat::Id3));
        assert!(intersection_over_union(&located.corners, &photo.corners) > 0.95, "{quarter:?}");
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
    let photo =
        photograph(&page, &PhotoConditions { quarter: QuarterTurn::Left, ..PhotoConditions::clean(31) });
    let top_left = photo.corners[0];
    let up = Some(up_direction(&photo.corners));
    let located = locate(&photo.picture, &PageHints { zone: None, up }).expect("a page");
    assert_eq!(located.upright, Upright::Known);
    let found = located.corners[0];
    assert!((found[0] - top_left[0]).hypot(found[1] - top_left[1]) < 30.0);
}

#[test]
fn an_empty_desk_has_no_page() {
    let page = Specimen::passport().front();
    let away = PhotoConditions { partial: 1.6, tilt: [0.0; 2], ..PhotoConditions::clean(40) };
    assert!(find(&page, &away).1.is_none());
}

#[test]
fn what_is_wrong_with_a_photo_is_told() {
    let cases = [
        (PhotoDamage::Blur, PhotoFault::Blurred, 51),
        (PhotoDamage::Glare, PhotoFault::Glare, 51),
        (PhotoDamage::Dark, PhotoFault::TooDark, 51),
        (PhotoDamage::Small, PhotoFault::TooSmall, 52),
        (PhotoDamage::Partial, PhotoFault::Partial, 52),
        (PhotoDamage::Grey, PhotoFault::BlackAndWhite, 52),
    ];
    let page = Specimen::large_identity_card().front();
    for (damage, fault, seed) in cases {
        let (photo, located) = find(&page, &PhotoConditions::damaged(damage, seed));
        let located = located.expect("a page");
        let faults = broken(&photo, &located);
        assert!(faults.contains(&fault), "{damage:?}: {faults:?}");
        let told = measure(&photo.picture, &located);
        let told = told
            .iter()
            .find(|measure| measure.fault == fault)
            .map(documents::quality::QualityMeasure::to_limit_violation);
        assert!(told.is_some_and(|told| !told.limit.is_empty() && !told.hint.is_empty()));
    }
}
