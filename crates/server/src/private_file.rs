//! Files for their owner alone.

use anyhow::Context as _;
use domain::keyring::create_private_file;
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// Replaces the file in one step, so that a reader never sees half of it.
pub(crate) fn replace(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut temporary = file.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    if temporary.exists() {
        std::fs::remove_file(&temporary)?;
    }
    let mut out = create_private_file(&temporary)
        .with_context(|| format!("{} cannot be written", temporary.display()))?;
    out.write_all(text.as_bytes())?;
    out.sync_all()?;
    std::fs::rename(&temporary, file)?;
    Ok(())
}
