//! Whether the camera saw the document, or a display or a copy of it. No real recaptures were at hand to choose limits
//! on, so these raise doubts and decide nothing.

use super::{Check, Evidence, Measure, Verdict};
use crate::quality::{self, Fault};

pub(super) fn measure(evidence: &Evidence<'_>) -> Vec<Measure> {
    let mut measures = Vec::new();
    let worst = |fault: Fault, most: bool| {
        let all = evidence.photos.iter().flatten().filter(move |measure| measure.fault == fault);
        if most {
            all.max_by(|a, b| a.value.total_cmp(&b.value))
        } else {
            all.min_by(|a, b| a.value.total_cmp(&b.value))
        }
    };
    measures.extend(worst(Fault::Screen, true).map(|found| {
        tell(Check::NoScreenGrid, *found, "no grid of a display is seen", "a grid as of a display is seen")
    }));
    measures.extend(worst(Fault::Bezel, true).map(|found| {
        let wrong = "a dark frame as of a display is around it";
        tell(Check::NoScreenBezel, *found, "no frame of a display is around it", wrong)
    }));
    measures.extend(worst(Fault::Photocopy, false).map(|found| {
        tell(Check::NoPhotocopy, *found, "it has colours of its own", "it has no colours of its own")
    }));
    measures
}

fn tell(check: Check, found: quality::Measure, right: &str, wrong: &str) -> Measure {
    let limit = found.fault.limit();
    let reason = if found.is_broken() { wrong } else { right };
    Measure::new(check, found.value, limit, Verdict::Doubt, reason)
}
