//! Writes photographs of specimens and what is on them: `specimen_set FOLDER [COUNT]`.
//!
//! `labels.csv` has `path`, `mrz` (lines joined by `|`), `kind` and `side`, as `assay evaluate documents` reads it; a bill is
//! there as a PDF file, too. The same files every time.

use std::{fmt::Write as _, path::Path};
use testkit::specimens::{Conditions, Kind, Specimen, photograph};

const KINDS: [Kind; 6] = [
    Kind::Passport,
    Kind::IdentityCard,
    Kind::DrivingLicence,
    Kind::LargeIdentityCard,
    Kind::ResidencePermit,
    Kind::UtilityBill,
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: specimen_set FOLDER [COUNT]")?;
    let count: u64 = arguments.next().map_or(Ok(12), |count| count.parse())?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let mut labels = "path,mrz,kind,side\n".to_owned();
    for (number, kind) in (0..count).zip(KINDS.into_iter().cycle()) {
        let specimen = Specimen::random(kind, number);
        let sides = [("front", Some(specimen.front())), ("back", specimen.back())];
        for (at, (side, page)) in sides.into_iter().enumerate() {
            let Some(page) = page else { continue };
            let name = format!("{number:03}-{kind:?}-{side}").to_lowercase();
            let photo = photograph(&page, &Conditions::random(number * 2 + at as u64));
            std::fs::write(folder.join(format!("{name}.jpg")), &photo.jpeg)?;
            writeln!(labels, "{name}.jpg,{},{kind:?},{side}", page.mrz.join("|"))?;
        }
        if let Some(pdf) = specimen.pdf() {
            std::fs::write(folder.join(format!("{number:03}-utilitybill.pdf")), pdf)?;
        }
    }
    std::fs::write(folder.join("labels.csv"), labels)?;
    Ok(())
}
