//! Measures the traces of editing in photos that were edited and in photos that were not: the table in docs/ACCURACY.md.
//!
//! ```sh
//! edit_traces [<photos of each kind, default 18>] [<first seed>]
//! ```

use documents::{
    forensics::EditTrace,
    reading::{DocumentClaim, DocumentReader, SideSource},
};
use fixtures::specimens::{
    DocumentAttack, PhotoConditions, Specimen, SpecimenKind, photograph, stage_attack,
};
use jiff::civil::date;
use vision::VisionModels;

/// What is photographed.
const KINDS: [(&str, Option<DocumentAttack>); 7] = [
    ("in order, good conditions", Some(DocumentAttack::Genuine)),
    ("in order, any conditions", None),
    ("portrait pasted before the camera", Some(DocumentAttack::PastedPortrait)),
    ("year edited before the camera", Some(DocumentAttack::EditedConsistently)),
    ("photo: year painted over", Some(DocumentAttack::RetouchedPhoto)),
    ("photo: characters copied", Some(DocumentAttack::CopiedCharacters)),
    ("photo: portrait painted over", Some(DocumentAttack::RetouchedPortrait)),
];

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| arguments.get(at).map_or(Ok(or), |text| text.parse());
    let (each, first) = (number(0, 18)?, number(1, 0)?);
    let pack = fixtures::pack();
    let (mut reader, mut vision) = (DocumentReader::load(&pack)?, VisionModels::load(&pack)?);
    println!("| photos | {} | any |", EditTrace::ALL.map(EditTrace::name).join(" | "));
    println!("|---|{}", "---:|".repeat(EditTrace::ALL.len() + 1));
    for (name, attack) in KINDS {
        // For each trace: beyond the limit, measured, and the values.
        let mut found: [(u64, Vec<f32>); EditTrace::ALL.len()] = Default::default();
        let mut any = 0;
        for seed in first..first + each {
            let photos = if let Some(attack) = attack {
                stage_attack(attack, seed).photos
            } else {
                let specimen = Specimen::random(SpecimenKind::Passport, seed ^ 0xed17);
                vec![photograph(&specimen.front(), &PhotoConditions::random(seed)).picture]
            };
            let sides: Vec<_> = photos.iter().map(SideSource::Photo).collect();
            let reading = reader.read(&mut vision, &sides, DocumentClaim::default(), date(2026, 11, 26))?;
            let mut suspicious = false;
            for ((broken, values), trace) in found.iter_mut().zip(EditTrace::ALL) {
                let of = reading.traces.iter().filter(|measure| measure.trace == trace);
                let Some(strongest) = of.max_by(|a, b| a.value.total_cmp(&b.value)) else { continue };
                *broken += u64::from(strongest.is_broken());
                suspicious |= strongest.is_broken();
                values.push(strongest.value);
            }
            any += u64::from(suspicious);
        }
        let cells = found.map(|(broken, mut values)| {
            values.sort_by(f32::total_cmp);
            let at = |share: f32| {
                values.get(((values.len() as f32 - 1.0) * share) as usize).copied().unwrap_or(f32::NAN)
            };
            format!("{broken} of {} ({:.2}, {:.2})", values.len(), at(0.5), at(1.0))
        });
        println!("| {name} | {} | {any} of {each} |", cells.join(" | "));
    }
    Ok(())
}
