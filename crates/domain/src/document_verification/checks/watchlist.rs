//! `WATCHLIST_SCREENING`: whether a source lists the holder of an identity document.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    report_builder::ReportBuilder,
    sources::{SourceRules, add_source_findings, holder},
};
use crate::document_verification::{
    identity_sources::IdentitySources,
    report::VerificationReport,
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::{CheckAdvice, WatchlistCategory},
};
use age_methods::identity_source::{IdentityQuestion, IdentitySourceKind, IdentitySubject};
use base::ResourceId;
use documents::field::FieldName;

/// Lists are searched by name, and names coincide: a person has to look.
const RULES: SourceRules = SourceRules {
    failed: |_| (CheckAdvice::Consider, "WATCHLIST_MATCH"),
    unknown: (CheckAdvice::NotAvailable, "WATCHLIST_UNDECIDED"),
};

#[derive(Debug)]
pub(super) struct WatchlistCheck;

impl SessionCheck for WatchlistCheck {
    fn subjects(&self, _: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        supplied.documents.first().map(|document| vec![document.id]).into_iter().collect()
    }

    fn evidence(&self, _: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        EvidenceRequest::documents(check.resources_used.first().copied())
    }

    fn questions(&self, input: &CheckInput<'_>, _: &IdentitySources) -> Vec<IdentityQuestion> {
        let Ok((resource, findings)) = input.accepted_document() else { return Vec::new() };
        if findings.field(FieldName::FullName).is_none() {
            return Vec::new();
        }
        let field = |name| findings.field(name).map(str::to_owned);
        vec![IdentityQuestion {
            kind: IdentitySourceKind::Watchlist,
            sub_checks: input
                .check
                .watchlist_categories
                .iter()
                .map(|category| sub_check(*category))
                .collect(),
            subject: IdentitySubject {
                nationality: field(FieldName::Nationality),
                issuing_country: findings.issuing_country(resource.claim()).map(str::to_owned),
                ..holder(findings)
            },
        }]
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let findings = match input.accepted_document() {
            Ok((_, findings)) => findings,
            Err(report) => return report,
        };
        let Some(outcome) = input.answer(IdentitySourceKind::Watchlist) else {
            return VerificationReport::not_available(findings.first_fault_or("PHOTO_TOO_BLURRY"));
        };
        let mut report = ReportBuilder::default();
        add_source_findings(&mut report, outcome, &RULES);
        report.build("WATCHLIST_UNDECIDED")
    }
}

/// The sub-check of a category.
pub(in crate::document_verification) const fn sub_check(category: WatchlistCategory) -> &'static str {
    match category {
        WatchlistCategory::Sanctions => "sanctions",
        WatchlistCategory::PoliticallyExposed => "pep",
        WatchlistCategory::AdverseMedia => "adverse_media",
    }
}
