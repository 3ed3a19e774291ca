//! `ID_DOCUMENT_TEXT_DATA_CHECK` and `SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK`: whether what was read of a document can be
//! relied on. These checks are not requested; a task creates one for the document that it read.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    authenticity::DOCUMENT_IN_DATE,
    report_builder::{ReportBuilder, measure_details},
};
use crate::document_verification::{
    findings::DocumentFindings,
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, SuppliedResource, VerificationCheck},
    types::CheckAdvice,
};
use base::ResourceId;
use documents::{
    authenticity::{AuthenticityCheck as Measure, AuthenticityVerdict},
    field::FieldName,
};

#[derive(Debug)]
pub(super) enum TextDataCheck {
    IdDocument,
    /// A letter: name and address matter instead of name, date of birth and document number.
    SupplementaryDocument,
}

impl SessionCheck for TextDataCheck {
    fn subjects(&self, _: &RequestedCheck, _: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        Vec::new()
    }

    fn evidence(&self, _: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        EvidenceRequest::documents(check.resources_used.first().copied())
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        if matches!(self, Self::IdDocument) {
            return match input.recognised_document() {
                Ok((resource, findings)) => self.text_data_report(findings, |report| {
                    add_refusal(report, input, resource, findings);
                }),
                Err(report) => report,
            };
        }
        let Some(id) = input.check.resources_used.first() else {
            return VerificationReport::not_available("NO_DOCUMENT");
        };
        match input.shown_document(*id) {
            Ok(findings) => self.text_data_report(findings, |_| {}),
            Err(report) => report,
        }
    }
}

impl TextDataCheck {
    fn text_data_report(
        &self,
        findings: &DocumentFindings,
        add_others: impl FnOnce(&mut ReportBuilder),
    ) -> VerificationReport {
        let mut builder = ReportBuilder::default();
        let needed = self.needed_fields(findings);
        let all_read = needed.iter().all(|(_, is_read)| *is_read);
        let details = needed
            .iter()
            .map(|(name, is_read)| ReportDetail::new(name, if *is_read { "read" } else { "not read" }));
        builder.add_sub_check(SubCheck::new("text_data_readable", all_read, details.collect()));
        for (name, measure) in [
            ("ocr_mrz_comparison", Measure::OcrMrzComparison),
            ("ocr_barcode_comparison", Measure::OcrBarcodeComparison),
        ] {
            let Some(measure) = findings.measure(measure) else { continue };
            let passed = measure.verdict == AuthenticityVerdict::Pass;
            builder.add_sub_check(SubCheck::new(name, passed, measure_details(&[measure])));
            match measure.verdict {
                AuthenticityVerdict::Pass => {}
                AuthenticityVerdict::Doubt => builder.add_finding(CheckAdvice::Consider, "DATA_MISMATCH"),
                AuthenticityVerdict::Fail => builder.add_finding(CheckAdvice::Reject, "DATA_MISMATCH"),
            }
        }
        add_others(&mut builder);
        let mut report = builder.build("NO_DOCUMENT");
        if !all_read {
            let reason = findings.first_fault_or("PHOTO_TOO_BLURRY");
            report.recommendation = Recommendation::with_reason(CheckAdvice::NotAvailable, reason);
        }
        report
    }

    /// The fields without which the data are of no use, and whether each was read.
    fn needed_fields(&self, findings: &DocumentFindings) -> Vec<(&'static str, bool)> {
        match self {
            Self::IdDocument => vec![
                ("full_name", findings.field(FieldName::FullName).is_some()),
                ("date_of_birth", findings.field(FieldName::DateOfBirth).is_some()),
                ("document_number", findings.field(FieldName::DocumentNumber).is_some()),
            ],
            Self::SupplementaryDocument => {
                let letter = findings.letter.as_ref();
                vec![
                    ("full_name", letter.is_some_and(|letter| letter.full_name.is_some())),
                    (
                        "structured_postal_address",
                        letter.is_some_and(|letter| letter.structured_postal_address.is_some()),
                    ),
                ]
            }
        }
    }
}

/// What the task refuses is not approved here either: the end user may have had no attempt left to supply another.
fn add_refusal(
    report: &mut ReportBuilder,
    input: &CheckInput<'_>,
    resource: &SuppliedResource,
    findings: &DocumentFindings,
) {
    if let Some(reason) = input.rejection_reason(resource, findings) {
        report.add_finding(CheckAdvice::NotAvailable, reason);
    }
    if findings.has_expired() && input.session.refuses_expired(resource) {
        let measures: Vec<_> = findings.measure(Measure::DocumentInDate).into_iter().collect();
        report.add_sub_check(SubCheck::new(DOCUMENT_IN_DATE, false, measure_details(&measures)));
        report.add_finding(CheckAdvice::Reject, "EXPIRED_DOCUMENT");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_verification::{
        checks::evidence::Evidence,
        findings::{ClaimedDocument, StoredField, StoredMeasure, StoredPortrait},
        request::{DocumentSessionRequest, RequiredDocument},
        restrictions::DocumentRestrictions,
        types::{CheckState, Inclusion, ManualCheck, ResourceKind, VerificationCheckType},
    };
    use base::{Environment as _, TestEnvironment, Uuid};
    use documents::{
        catalogue::{self, DocumentType, IcaoMrzType},
        field::FieldSource,
    };

    /// A passport of Sweden with all that is needed.
    fn passport() -> DocumentFindings {
        let fields = [
            (FieldName::FullName, "ANNA MARIA EXEMPEL"),
            (FieldName::DateOfBirth, "1994-08-12"),
            (FieldName::DocumentNumber, "L898902C3"),
        ];
        DocumentFindings {
            of: Vec::new(),
            document: true,
            kind: Some(DocumentType::Passport),
            issuer: Some("SWE".to_owned()),
            fields: fields
                .map(|(name, value)| StoredField {
                    name,
                    value: value.to_owned(),
                    source: FieldSource::Mrz,
                    confidence: 1.0,
                })
                .into(),
            zone: Some(("TD3".to_owned(), Vec::new())),
            licence: false,
            numbered_fields: Vec::new(),
            faults: Vec::new(),
            measures: Vec::new(),
            portrait: Some(StoredPortrait { embedding: Vec::new(), space: String::new(), age: None }),
            letter: None,
        }
    }

    fn expired_passport() -> DocumentFindings {
        let measure = StoredMeasure {
            check: Measure::DocumentInDate,
            value: -8.0,
            limit: String::new(),
            verdict: AuthenticityVerdict::Fail,
            reason: String::new(),
        };
        DocumentFindings { measures: vec![measure], ..passport() }
    }

    /// The advice of the check and its reason, in a session with these checks that takes these documents.
    fn advice(
        checks: &[RequestedCheck],
        filter: &DocumentRestrictions,
        findings: &DocumentFindings,
    ) -> (CheckAdvice, Option<String>) {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let document =
            RequiredDocument { filter: filter.clone(), ..RequiredDocument::new(ResourceKind::IdDocument) };
        let request = DocumentSessionRequest {
            checks: checks.to_vec(),
            documents: vec![document],
            ..DocumentSessionRequest::new(env.now())
        };
        let mut session = DocumentSession::begin(&env, Uuid::from_u128(1).into(), false, request);
        let mut resource = SuppliedResource::begin(&env, &session.requirements[0]);
        resource.document_type = Some(DocumentType::Passport);
        resource.issuing_country = Some("SWE".to_owned());
        let (kind, state, used) = (VerificationCheckType::TextData, CheckState::Pending, vec![resource.id]);
        let check = VerificationCheck::begin(&env, kind, state, used, ManualCheck::Never);
        let mut evidence = Evidence::default();
        evidence.documents.insert(resource.id, Some(findings.clone()));
        session.resources.push(resource);
        let today = jiff::civil::date(2026, 1, 16);
        let input = CheckInput { session: &session, check: &check, evidence: &evidence, today };
        let recommendation = TextDataCheck::IdDocument.report(&input).recommendation;
        (recommendation.value, recommendation.reason)
    }

    #[test]
    fn what_the_task_refuses_is_not_approved() {
        let any = DocumentRestrictions::default();
        assert_eq!(advice(&[], &any, &passport()), (CheckAdvice::Approve, None));
        let cards_only = DocumentRestrictions {
            types: Some((Inclusion::Include, vec!["NATIONAL_ID".to_owned()])),
            ..DocumentRestrictions::default()
        };
        let unsupported = (CheckAdvice::NotAvailable, Some("DOCUMENT_NOT_SUPPORTED".to_owned()));
        assert_eq!(advice(&[], &cards_only, &passport()), unsupported);
        let card = DocumentFindings { kind: Some(DocumentType::NationalId), ..passport() };
        let incorrect = (CheckAdvice::NotAvailable, Some("INCORRECT_DOCUMENT_TYPE".to_owned()));
        assert_eq!(advice(&[], &any, &card), incorrect);
    }

    /// A document in order of this type and country, with a zone of this format.
    fn document(kind: DocumentType, issuer: &str, zone: &str) -> DocumentFindings {
        DocumentFindings {
            kind: Some(kind),
            issuer: Some(issuer.to_owned()),
            zone: Some((zone.to_owned(), Vec::new())),
            ..passport()
        }
    }

    /// What is accepted where only documents of this country are.
    fn only(country: &str) -> DocumentRestrictions {
        let countries = Some((Inclusion::Include, vec![country.to_owned()]));
        DocumentRestrictions { countries, ..DocumentRestrictions::default() }
    }

    #[test]
    fn a_visa_is_no_passport_and_neither_is_a_card() {
        let any = DocumentRestrictions::default();
        let incorrect = (CheckAdvice::NotAvailable, Some("INCORRECT_DOCUMENT_TYPE".to_owned()));
        for format in ["MRV-A", "MRV-B", "TD1", "TD2"] {
            let findings = document(DocumentType::Passport, "SWE", format);
            assert_eq!(advice(&[], &any, &findings), incorrect, "{format}");
        }
        let kind = DocumentType::NationalId;
        let card = ClaimedDocument { country: "SWE", kind };
        for (format, reason) in [
            ("TD1", None),
            ("TD2", None),
            ("TD3", Some("INCORRECT_DOCUMENT_TYPE")),
            ("MRV-B", Some("INCORRECT_DOCUMENT_TYPE")),
        ] {
            assert_eq!(document(kind, "SWE", format).rejection_reason(card, &any), reason, "{format}");
        }
    }

    #[test]
    fn a_document_of_another_country_than_was_chosen_is_another_document() {
        let any = DocumentRestrictions::default();
        let of = |issuer: &str| document(DocumentType::Passport, issuer, "TD3");
        let not_available = |reason: &str| (CheckAdvice::NotAvailable, Some(reason.to_owned()));
        assert_eq!(advice(&[], &any, &of("GBR")), not_available("INCORRECT_DOCUMENT_TYPE"));
        assert_eq!(advice(&[], &only("SWE"), &of("GBR")), not_available("DOCUMENT_NOT_SUPPORTED"));
        assert_eq!(advice(&[], &any, &of("UTO")), not_available("COUNTRY_NOT_SUPPORTED"));
        let unread = DocumentFindings { issuer: None, ..of("SWE") };
        assert_eq!(advice(&[], &only("SWE"), &unread), (CheckAdvice::Approve, None));
    }

    #[test]
    fn a_passport_of_hong_kong_or_macao_is_of_the_country_that_was_chosen() {
        let kind = DocumentType::Passport;
        let (any, passport) = (DocumentRestrictions::default(), document(kind, "CHN", "TD3"));
        for country in ["HKG", "MAC"] {
            let claim = ClaimedDocument { country, kind };
            assert_eq!(passport.rejection_reason(claim, &only(country)), None, "{country}");
            let unsupported = Some("DOCUMENT_NOT_SUPPORTED");
            assert_eq!(passport.rejection_reason(claim, &only("CHN")), unsupported, "{country}");
            let other = document(kind, "SWE", "TD3").rejection_reason(claim, &any);
            assert_eq!(other, Some("INCORRECT_DOCUMENT_TYPE"), "{country}");
        }
        assert_eq!(passport.rejection_reason(ClaimedDocument { country: "CHN", kind }, &any), None);
    }

    #[test]
    fn no_document_of_the_catalogue_with_a_zone_is_taken_for_another() {
        let any = DocumentRestrictions::default();
        for country in catalogue::all() {
            for listed in &country.documents {
                let format = match listed.zone {
                    Some(IcaoMrzType::Td1) => "TD1",
                    Some(IcaoMrzType::Td2) => "TD2",
                    Some(IcaoMrzType::Td3) => "TD3",
                    None => continue,
                };
                let issuer = listed.zone_issuer.as_ref().unwrap_or(&country.code);
                let claim = ClaimedDocument { country: &country.code, kind: listed.kind };
                let reason = document(listed.kind, issuer, format).rejection_reason(claim, &any);
                assert_eq!(reason, None, "{} {:?}", country.code, listed.kind);
            }
        }
    }

    #[test]
    fn an_expired_document_is_rejected_unless_it_is_accepted_or_checked_elsewhere() {
        let any = DocumentRestrictions::default();
        let expired = (CheckAdvice::Reject, Some("EXPIRED_DOCUMENT".to_owned()));
        assert_eq!(advice(&[], &any, &expired_passport()), expired);
        let takes_expired = DocumentRestrictions { allow_expired: true, ..DocumentRestrictions::default() };
        assert_eq!(advice(&[], &takes_expired, &expired_passport()), (CheckAdvice::Approve, None));
        let checked = RequestedCheck::new(VerificationCheckType::Authenticity);
        let with_filter = |country: &str| [RequestedCheck { filter: Some(only(country)), ..checked.clone() }];
        assert_eq!(
            advice(std::slice::from_ref(&checked), &any, &expired_passport()),
            (CheckAdvice::Approve, None)
        );
        assert_eq!(advice(&with_filter("SWE"), &any, &expired_passport()), (CheckAdvice::Approve, None));
        assert_eq!(
            advice(&with_filter("GBR"), &any, &expired_passport()),
            expired,
            "it is not about this one"
        );
    }
}
