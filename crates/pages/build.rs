//! Embeds `web/dist`, which `make setup` builds, in the library. If it is missing, the library still builds, and says
//! what to run.

use std::{
    env,
    fmt::Write as _,
    fs,
    io::{self, Error},
    path::{Path, PathBuf},
};

/// The members of `File` for compressed contents, and how the names of those files end.
const COMPRESSED: [(&str, &str); 2] = [("brotli", ".br"), ("gzip", ".gz")];

fn main() -> io::Result<()> {
    let web =
        Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(Error::other)?).join("../../web").canonicalize()?;
    let dist = web.join("dist");
    // Cargo treats a missing path as changed, and would build again each time.
    let watched = if dist.is_dir() { &dist } else { &web };
    tell(&format!("rerun-if-changed={}", watched.display()));

    let mut files = Vec::new();
    if dist.is_dir() {
        collect(&dist, &mut files)?;
    }
    // A compressed file goes with the one that it was made from.
    files.retain(|file| !COMPRESSED.iter().any(|(_, ending)| file.to_string_lossy().ends_with(ending)));
    files.sort();
    if files.is_empty() {
        tell("warning=web/dist is missing, so no pages are built in: run `make setup`, then build again");
    }
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&dist).map_err(Error::other)?.to_string_lossy().replace('\\', "/");
        let kind =
            kind(&name).ok_or_else(|| Error::other(format!("{name}: no content type is known for it")))?;
        let etag = etag(&fs::read(&file)?);
        let path = file.display().to_string();
        let compressed = COMPRESSED.map(|(member, ending)| {
            let path = format!("{path}{ending}");
            let included = if Path::new(&path).is_file() {
                format!("Some(include_bytes!({path:?}))")
            } else {
                "None".into()
            };
            format!("{member}: {included}")
        });
        writeln!(
            table,
            "    File {{ name: {name:?}, kind: {kind:?}, etag: {etag:?}, bytes: include_bytes!({path:?}), {} }},",
            compressed.join(", ")
        )
        .map_err(Error::other)?;
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").map_err(Error::other)?).join("files.rs"), table)
}

fn tell(cargo: &str) {
    println!("cargo::{cargo}");
}

/// Every file below a folder; names with a leading dot belong to the web build, and are left out.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), into)?;
        } else {
            into.push(entry.path());
        }
    }
    Ok(())
}

fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "bin" => "application/octet-stream",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

/// An entity tag: length and FNV-1a hash of the contents. Nobody gains by making two that collide.
fn etag(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("\"{:x}-{hash:016x}\"", bytes.len())
}
