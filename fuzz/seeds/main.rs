//! Writes the seeds: `seeds FOLDER` writes `FOLDER/<target>/<name>` for each target, the same every time.

mod document_pages;
mod documents;
mod mrz_zones;
mod pictures;
mod proof_codes;
mod requests;

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: seeds FOLDER"))?;
    let targets = [
        ("gate", pictures::all()),
        ("signed_request", requests::signed()),
        ("bodies", requests::bodies()),
        ("proof", proof_codes::codes()),
        ("wallet", proof_codes::codes()),
        ("aamva", documents::texts()),
        ("barcode", documents::pictures()),
        ("mrz", mrz_zones::all()),
        ("scan", document_pages::written()),
        ("page", document_pages::lines()),
    ];
    for (target, seeds) in targets {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder)?;
        for (name, bytes) in seeds {
            fs::write(folder.join(format!("seed-{name}")), bytes)?;
        }
    }
    Ok(())
}

/// The name and content of a seed.
type Seed = (String, Vec<u8>);
