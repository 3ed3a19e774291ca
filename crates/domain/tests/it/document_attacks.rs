//! What is no document, or not the one it is said to be, is not approved.

use base::{Id as _, MediaId, SystemEnvironment};
use documents::{
    catalogue::DocumentType,
    reading::{DocumentClaim, DocumentReader, SideSource},
};
use domain::document_verification::{
    ClaimedDocument, assess_document, report::VerificationReport, types::CheckAdvice,
};
use fixtures::specimens::{DocumentAttack, SpecimenKind, stage_attack};
use jiff::civil::{Date, date};
use vision::VisionModels;

const TODAY: Date = date(2026, 11, 26);

struct Judge {
    reader: DocumentReader,
    vision: VisionModels,
}

impl Judge {
    fn new() -> Self {
        let pack = fixtures::pack();
        Self {
            reader: DocumentReader::load(&pack).expect("the pack is whole"),
            vision: VisionModels::load(&pack).expect("the pack is whole"),
        }
    }

    fn report(&mut self, attack: DocumentAttack, seed: u64) -> VerificationReport {
        let staged = stage_attack(attack, seed);
        let kind = match staged.kind {
            SpecimenKind::Passport => DocumentType::Passport,
            _ => DocumentType::NationalId,
        };
        let sides: Vec<_> = staged.photos.iter().map(SideSource::Photo).collect();
        let claim = DocumentClaim { country: Some(staged.country), kind: Some(kind) };
        let reading = self.reader.read(&mut self.vision, &sides, claim, TODAY).expect("the nets answer");
        let media = staged.photos.iter().map(|_| MediaId::new(&SystemEnvironment)).collect();
        assess_document(&reading, ClaimedDocument { country: staged.country, kind }, media, TODAY)
    }
}

#[test]
fn nothing_but_words_or_half_a_document_is_approved() {
    let mut judge = Judge::new();
    for (attack, reasons) in [
        (DocumentAttack::TextOnly, &["DOCUMENT_NOT_RECOGNISED"][..]),
        (DocumentAttack::NoZone, &["DOCUMENT_NOT_RECOGNISED"]),
        (DocumentAttack::NoPortrait, &["DOCUMENT_NOT_RECOGNISED"]),
        (DocumentAttack::ZoneOnPaper, &["DOCUMENT_NOT_RECOGNISED"]),
        (DocumentAttack::Half, &["DOCUMENT_NOT_RECOGNISED", "PARTIAL_PHOTO"]),
        (DocumentAttack::WrongSide, &["DOCUMENT_NOT_RECOGNISED"]),
        (DocumentAttack::WrongType, &["INCORRECT_DOCUMENT_TYPE"]),
        (DocumentAttack::EditedZone, &["INCORRECT_MRZ"]),
    ] {
        let report = judge.report(attack, 1).recommendation;
        assert_eq!(report.value, CheckAdvice::NotAvailable, "{attack:?} {report:?}");
        assert!(reasons.contains(&report.reason.as_deref().unwrap_or("")), "{attack:?} {report:?}");
    }
    for attack in [DocumentAttack::EditedPrint, DocumentAttack::TwoCards] {
        let report = judge.report(attack, 1).recommendation;
        assert_eq!(report.reason.as_deref(), Some("DATA_MISMATCH"), "{attack:?} {report:?}");
    }
}

#[test]
fn a_document_in_order_is_approved_and_no_authority_is_named() {
    let mut judge = Judge::new();
    for seed in [0, 1] {
        let report = judge.report(DocumentAttack::Genuine, seed);
        assert_eq!(report.recommendation.value, CheckAdvice::Approve, "{seed} {:?}", report.recommendation);
        let names: Vec<&str> = report.breakdown.iter().map(|check| check.sub_check.as_str()).collect();
        assert!(names.contains(&"mrz_validation") && !names.contains(&"issuing_authority"), "{names:?}");
    }
}
