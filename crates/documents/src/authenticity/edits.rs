//! Whether a photo was edited with a program. Each trace may have another reason than an edit, so it raises a doubt and decides
//! nothing.

use super::{AuthenticityCheck, AuthenticityMeasure, AuthenticityVerdict, DocumentEvidence};
use crate::forensics::{EditTrace, TraceMeasure};

/// Each trace that was measured, where it is strongest.
pub(super) fn measure(evidence: &DocumentEvidence<'_>) -> Vec<AuthenticityMeasure> {
    let strongest = |trace: EditTrace| {
        let of = evidence.traces.iter().copied().filter(move |measure| measure.trace == trace);
        of.max_by(|a, b| a.value.total_cmp(&b.value))
    };
    EditTrace::ALL.into_iter().filter_map(strongest).map(to_authenticity_measure).collect()
}

fn to_authenticity_measure(found: TraceMeasure) -> AuthenticityMeasure {
    let (check, right, wrong) = match found.trace {
        EditTrace::Noise => (
            AuthenticityCheck::NoiseEven,
            "the noise of the camera lies over all of the page",
            "a part of the page lacks the noise of the camera",
        ),
        EditTrace::Recompression => (
            AuthenticityCheck::CompressionEven,
            "all of the page was compressed alike",
            "a part of the page was not compressed with the rest",
        ),
        EditTrace::CopiedRegion => (
            AuthenticityCheck::NoCopiedRegion,
            "no piece of print has a copy",
            "pieces of print are the same to the pixel",
        ),
        EditTrace::UnevenPrint => (
            AuthenticityCheck::PrintEven,
            "characters stand on their lines",
            "a character is higher or lower than those beside it",
        ),
        EditTrace::PortraitEdge => (
            AuthenticityCheck::PortraitEdgeSoft,
            "the edge of the portrait is as soft as the print",
            "the edge of the portrait is sharper than the print",
        ),
    };
    let reason = if found.is_broken() { wrong } else { right };
    AuthenticityMeasure::new(check, found.value, found.trace.limit(), AuthenticityVerdict::Doubt, reason)
}
