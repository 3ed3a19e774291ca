//! Writes seeds: `seeds FOLDER` makes `FOLDER/<target>/<name>` for each target. The same every time.

mod documents;
mod pages;
mod pictures;
mod proofs;
mod requests;
mod zones;

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: seeds FOLDER"))?;
    let targets = [
        ("gate", pictures::all()),
        ("signed_request", requests::signed()),
        ("bodies", requests::bodies()),
        ("proof", proofs::codes()),
        ("wallet", proofs::codes()),
        ("aamva", documents::texts()),
        ("barcode", documents::pictures()),
        ("mrz", zones::all()),
        ("scan", pages::written()),
        ("page", pages::lines()),
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

/// A name and the bytes.
type Seed = (String, Vec<u8>);
