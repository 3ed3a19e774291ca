//! Stages attacks on the authenticity of documents, and prints by kind what the check says of them: the table in
//! docs/ACCURACY.md.
//!
//! ```sh
//! document_attacks [<attacks of each kind, default 18>] [<first seed>] [<kinds, by name, default all>...]
//! ```

use base::{Id as _, MediaId, SystemEnvironment};
use documents::{
    catalogue::DocumentType,
    reading::{DocumentClaim, DocumentReader, SideSource},
};
use domain::document_verification::{ClaimedDocument, assess_document, types::CheckAdvice};
use fixtures::specimens::{DocumentAttack, SpecimenKind, stage_attack};
use jiff::civil::date;
use std::collections::BTreeMap;
use vision::VisionModels;

/// What the check said of the attacks of one kind.
#[derive(Default)]
struct Row {
    advice: [u64; 4],
    reasons: BTreeMap<String, u64>,
}

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| arguments.get(at).map_or(Ok(or), |text| text.parse());
    let (each, first) = (number(0, 18)?, number(1, 0)?);
    let pack = fixtures::pack();
    let (mut reader, mut vision) = (DocumentReader::load(&pack)?, VisionModels::load(&pack)?);
    let environment = SystemEnvironment;
    println!("| attack | approve | consider | not available | reject | reasons |");
    println!("|---|---:|---:|---:|---:|---|");
    let named =
        |attack: &DocumentAttack| arguments.len() < 3 || arguments[2..].contains(&format!("{attack:?}"));
    for attack in DocumentAttack::ALL.into_iter().filter(named) {
        let mut row = Row::default();
        for seed in first..first + each {
            let staged = stage_attack(attack, seed);
            let kind = match staged.kind {
                SpecimenKind::Passport => DocumentType::Passport,
                _ => DocumentType::NationalId,
            };
            let sides: Vec<_> = staged.photos.iter().map(SideSource::Photo).collect();
            let claim = DocumentClaim { country: Some(staged.country), kind: Some(kind) };
            let today = date(2026, 11, 26);
            let reading = reader.read(&mut vision, &sides, claim, today)?;
            let media = staged.photos.iter().map(|_| MediaId::new(&environment)).collect();
            let claimed = ClaimedDocument { country: staged.country, kind };
            let report = assess_document(&reading, claimed, media, today).recommendation;
            let column = match report.value {
                CheckAdvice::Approve => 0,
                CheckAdvice::Consider => 1,
                CheckAdvice::NotAvailable => 2,
                CheckAdvice::Reject => 3,
            };
            row.advice[column] += 1;
            if let Some(reason) = report.reason {
                *row.reasons.entry(reason).or_default() += 1;
            }
        }
        let [approve, consider, unavailable, reject] = row.advice;
        let reasons: Vec<String> =
            row.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        println!(
            "| {attack:?} | {approve} | {consider} | {unavailable} | {reject} | {} |",
            reasons.join(", ")
        );
    }
    Ok(())
}
