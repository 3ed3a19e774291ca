//! Which sides the portrait is looked for on: those of the document whose zone or barcode was read. What else was
//! photographed may show the face of anybody.

use super::{DocumentSide, fields::SidePrint};
use crate::mrz::MrzFormat;
use std::cmp::Reverse;

/// What ties a side to the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SideTie {
    Nothing,
    /// It looks like a side of a document: it has an outline, or fields that can be told apart. Its print may be hard to
    /// read, or in letters that are not read.
    Appearance,
    /// It has the zone or the barcode, or a value of these is printed on it.
    Content,
}

/// Fewer fields may have been found in any text.
const MIN_PRINTED_FIELDS: usize = 2;

/// The sides to look for the portrait on, as indices, the best first. `zone` is where the document's zone is, and its
/// format.
pub(super) fn portrait_sides(
    sides: &[DocumentSide],
    prints: &[SidePrint],
    zone: Option<(usize, MrzFormat)>,
) -> Vec<usize> {
    // The data page of a passport has both.
    if let Some((page, MrzFormat::Td3)) = zone {
        return vec![page];
    }
    let ties = sides.iter().zip(prints).enumerate().map(|(at, (side, print))| {
        let has_zone = zone.is_some_and(|(page, _)| page == at);
        let has_barcode = side.barcodes.iter().any(|code| code.licence().is_some());
        let tie = if has_zone || has_barcode || print.agrees {
            SideTie::Content
        } else if side.located.is_some() || print.fields >= MIN_PRINTED_FIELDS {
            SideTie::Appearance
        } else {
            SideTie::Nothing
        };
        (at, tie)
    });
    let mut tied: Vec<(usize, SideTie)> = ties.filter(|(_, tie)| *tie > SideTie::Nothing).collect();
    tied.sort_by_key(|(_, tie)| Reverse(*tie));
    tied.into_iter().map(|(at, _)| at).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::reading::side::PageOutline;
    use base::Picture;

    const NOTHING: SidePrint = SidePrint { agrees: false, fields: 0 };
    const UNREAD_VALUES: SidePrint = SidePrint { agrees: false, fields: 3 };
    const AGREES: SidePrint = SidePrint { agrees: true, fields: 3 };

    /// A side on which nothing was read.
    pub(in crate::reading) fn side(is_located: bool) -> DocumentSide {
        DocumentSide {
            page: Picture::new(1, 1, vec![0; 3]).expect("one pixel"),
            located: is_located.then_some(PageOutline { corners: [[0.0; 2]; 4], confidence: 1.0 }),
            zone: None,
            barcodes: Vec::new(),
            lines: Vec::new(),
            quality: Vec::new(),
            traces: Vec::new(),
            mirrored: false,
        }
    }

    #[test]
    fn the_portrait_of_a_passport_is_on_the_page_with_its_zone() {
        let zone = Some((1, MrzFormat::Td3));
        for (located, print) in [(false, NOTHING), (true, UNREAD_VALUES), (true, AGREES)] {
            let sides = [side(located), side(true)];
            assert_eq!(portrait_sides(&sides, &[print, AGREES], zone), [1]);
        }
    }

    #[test]
    fn a_face_that_nothing_ties_to_the_card_is_not_its_portrait() {
        let zone = Some((1, MrzFormat::Td1));
        let sides = |front: bool, print: SidePrint| {
            portrait_sides(&[side(front), side(true)], &[print, NOTHING], zone)
        };
        assert_eq!(sides(false, NOTHING), [1]);
        assert_eq!(sides(true, NOTHING), [1, 0], "a card whose print cannot be read");
        assert_eq!(sides(false, UNREAD_VALUES), [1, 0]);
        assert_eq!(sides(false, AGREES), [0, 1]);
        // A licence that is read by its print alone.
        let licence = [side(false), side(false)];
        assert_eq!(portrait_sides(&licence, &[NOTHING, UNREAD_VALUES], None), [1]);
    }

    #[test]
    fn the_side_that_agrees_comes_before_one_that_only_looks_like_a_card() {
        let sides = [side(true), side(true), side(true)];
        let zone = Some((2, MrzFormat::Td1));
        assert_eq!(portrait_sides(&sides, &[NOTHING, AGREES, NOTHING], zone), [1, 2, 0]);
    }
}
