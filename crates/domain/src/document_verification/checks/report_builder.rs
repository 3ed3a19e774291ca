//! Builds a report step by step.

use crate::document_verification::{
    findings::StoredMeasure,
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    types::CheckAdvice,
};

/// Collects sub-checks and findings. The worst finding becomes the recommendation; of equally bad ones the first.
#[derive(Default)]
pub(super) struct ReportBuilder {
    breakdown: Vec<SubCheck>,
    worst: Option<(CheckAdvice, &'static str)>,
}

impl ReportBuilder {
    pub(super) fn add_sub_check(&mut self, sub_check: SubCheck) {
        self.breakdown.push(sub_check);
    }

    /// Adds something that speaks against approval, with its reason.
    pub(super) fn add_finding(&mut self, advice: CheckAdvice, reason: &'static str) {
        let rank = |advice| match advice {
            CheckAdvice::Approve => 0,
            CheckAdvice::Consider => 1,
            CheckAdvice::NotAvailable => 2,
            CheckAdvice::Reject => 3,
        };
        if self.worst.is_none_or(|(worst, _)| rank(advice) > rank(worst)) {
            self.worst = Some((advice, reason));
        }
    }

    /// The report; it approves if there was no finding. Where nothing was measured, it says `unmeasured`: nothing found is
    /// nothing known.
    pub(super) fn build(self, unmeasured: &str) -> VerificationReport {
        let recommendation = match self.worst {
            None if self.breakdown.is_empty() => {
                Recommendation::with_reason(CheckAdvice::NotAvailable, unmeasured)
            }
            None => Recommendation::approve(),
            Some((advice, reason)) => Recommendation::with_reason(advice, reason),
        };
        VerificationReport { recommendation, breakdown: self.breakdown }
    }
}

/// Measures as details of a sub-check: name, number, limit and reason.
pub(super) fn measure_details(measures: &[&StoredMeasure]) -> Vec<ReportDetail> {
    measures
        .iter()
        .map(|measure| {
            let name = serde_json::to_value(measure.check).ok();
            let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or("measure");
            ReportDetail::new(
                name,
                format_args!("{:.3} ({}): {}", measure.value, measure.limit, measure.reason),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_worst_findings_is_the_recommendation() {
        let mut builder = ReportBuilder::default();
        builder.add_finding(CheckAdvice::Consider, "DOCUMENT_COPY");
        builder.add_finding(CheckAdvice::Reject, "DATA_MISMATCH");
        builder.add_finding(CheckAdvice::Reject, "TAMPERED");
        builder.add_finding(CheckAdvice::NotAvailable, "INCORRECT_MRZ");
        let expected = Recommendation::with_reason(CheckAdvice::Reject, "DATA_MISMATCH");
        assert_eq!(builder.build("NO_DOCUMENT").recommendation, expected);
        let mut passed = ReportBuilder::default();
        passed.add_sub_check(SubCheck::new("name_match", true, Vec::new()));
        assert_eq!(passed.build("NO_DOCUMENT").recommendation, Recommendation::approve());
        let nothing = ReportBuilder::default().build("NO_DOCUMENT").recommendation;
        assert_eq!(nothing, Recommendation::with_reason(CheckAdvice::NotAvailable, "NO_DOCUMENT"));
    }
}
