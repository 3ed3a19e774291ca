//! Reads many pages of print that have no machine-readable zone, and photographs of specimens that have one, and prints
//! what evidence each zone has that was found.
//!
//! ```sh
//! false_zones [<pages of print, default 1000>] [<specimens, default 200>]
//! ```

use documents::mrz::{
    CheckDigitVerdict,
    reader::{MrzReader, MrzReading},
};
use fixtures::specimens::{PhotoConditions, PhotoDamage, Specimen, SpecimenKind, photograph, print_page};

const KINDS: [SpecimenKind; 4] = [
    SpecimenKind::Passport,
    SpecimenKind::IdentityCard,
    SpecimenKind::LargeIdentityCard,
    SpecimenKind::ResidencePermit,
];

#[expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    vision::disable_runtime_telemetry()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| arguments.get(at).map_or(Ok(or), |text| text.parse());
    let (pages, specimens) = (number(0, 1000)?, number(1, 200)?);
    let mut reader = MrzReader::load(&fixtures::pack())?;
    let mut found = 0;
    for seed in 0..pages {
        let page = print_page(seed);
        // Half of them as rendered, half as photographed.
        let picture = if seed % 12 < 6 {
            page.picture
        } else {
            photograph(&page, &PhotoConditions::random(seed)).picture
        };
        if let Some(zone) = reader.read(&picture)? {
            found += 1;
            println!("print {seed:5} {}", evidence(&zone));
        }
    }
    let (mut read, mut right) = (0, 0);
    for seed in 0..specimens {
        let specimen = Specimen::random(KINDS[(seed % 4) as usize], seed);
        let page = specimen.back().unwrap_or_else(|| specimen.front());
        let damage = PhotoDamage::ALL[(seed / 4 % 15) as usize];
        let conditions = match damage {
            PhotoDamage::None => PhotoConditions::random(seed * 2 + 1),
            damage => PhotoConditions::damaged(damage, seed * 2 + 1),
        };
        let photo = photograph(&page, &conditions);
        if let Some(zone) = reader.read(&photo.picture)? {
            read += 1;
            let is_right = zone.lines == page.mrz;
            right += usize::from(is_right);
            println!("zone  {seed:5} {} {is_right} {damage:?}", evidence(&zone));
        }
    }
    println!("zones in print: {found} of {pages}; of specimens: {read} of {specimens} found, {right} right");
    Ok(())
}

fn evidence(zone: &MrzReading) -> String {
    let right = zone.mrz.checks.iter().filter(|check| check.verdict == CheckDigitVerdict::Right).count();
    let fillers = zone.lines.iter().flat_map(|line| line.bytes()).filter(|byte| *byte == b'<').count();
    format!(
        "{:?} checks {right}/{} repairs {} problems {} certainty {:.3} agreement {:.3} fillers {fillers}",
        zone.format,
        zone.mrz.checks.len(),
        zone.mrz.repairs.len(),
        zone.mrz.problems.len(),
        zone.mean_certainty(),
        zone.agreement,
    )
}
