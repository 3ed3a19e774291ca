//! Whether the camera saw the document itself, or a display or a copy. The limits were not chosen on real recaptures,
//! for want of any, so these checks raise doubts and decide nothing.

use super::{AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, DocumentEvidence};
use crate::quality::{self, PhotoFault};

pub(super) fn measure(evidence: &DocumentEvidence<'_>) -> Vec<AuthenticityMeasure> {
    let mut measures = Vec::new();
    let worst = |fault: PhotoFault, most: bool| {
        let all = evidence.photos.iter().flatten().filter(move |measure| measure.fault == fault);
        if most {
            all.max_by(|a, b| a.value.total_cmp(&b.value))
        } else {
            all.min_by(|a, b| a.value.total_cmp(&b.value))
        }
    };
    measures.extend(worst(PhotoFault::Screen, true).map(|found| {
        to_authenticity_measure(
            AuthenticityCheck::NoScreenGrid,
            *found,
            "the pixel grid of a display is not visible",
            "the pixel grid of a display is visible",
        )
    }));
    measures.extend(worst(PhotoFault::Bezel, true).map(|found| {
        let wrong = "a dark frame like that of a display surrounds it";
        to_authenticity_measure(
            AuthenticityCheck::NoScreenBezel,
            *found,
            "no frame of a display surrounds it",
            wrong,
        )
    }));
    measures.extend(worst(PhotoFault::Photocopy, false).map(|found| {
        to_authenticity_measure(
            AuthenticityCheck::NoPhotocopy,
            *found,
            "it has colours of its own",
            "it has no colours of its own",
        )
    }));
    measures
}

fn to_authenticity_measure(
    check: AuthenticityCheck,
    found: quality::QualityMeasure,
    right: &str,
    wrong: &str,
) -> AuthenticityMeasure {
    let limit = found.fault.limit();
    let reason = if found.is_broken() { wrong } else { right };
    AuthenticityMeasure::new(check, found.value, limit, AuthenticityVerdict::Doubt, reason)
}
