//! Where files are stored, encrypted.

use super::Config;
use anyhow::Context as _;
use base::Secret;
use media::blobs::BlobBackend;
use rustix::fs::Access;
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The section `[storage]`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StorageConfig {
    /// `None`: `blobs` in the data folder.
    folder: Option<PathBuf>,
    /// A bucket in place of a folder.
    s3: Option<S3Config>,
}

/// The section `[storage.s3]`: a bucket of Amazon S3, or of a server with the same protocol.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct S3Config {
    /// The address of the server, `https://…`. `None`: Amazon's own.
    endpoint: Option<String>,
    bucket: String,
    region: String,
    /// The id of the access key.
    access_key: String,
    /// The file with the secret of the access key.
    secret_key_file: PathBuf,
    /// What the name of every object starts with.
    #[serde(default)]
    prefix: String,
    /// Whether an `http://` endpoint on this machine is accepted.
    #[serde(default)]
    allow_http: bool,
}

impl Config {
    /// Where files are stored; the data folder is created if they are in it.
    pub(crate) fn blob_backend(&self) -> anyhow::Result<BlobBackend> {
        let StorageConfig { folder, s3 } = &self.storage;
        let Some(S3Config { endpoint, bucket, region, access_key, secret_key_file, prefix, allow_http }) = s3
        else {
            return Ok(BlobBackend::Folder(match folder {
                Some(folder) => folder.clone(),
                None => self.data_dir()?.join("blobs"),
            }));
        };
        let secret = std::fs::read_to_string(secret_key_file).with_context(|| {
            format!("storage.s3.secret_key_file {} cannot be read", secret_key_file.display())
        })?;
        Ok(BlobBackend::S3 {
            endpoint: endpoint.clone(),
            bucket: bucket.clone(),
            region: region.clone(),
            access_key: access_key.clone(),
            secret_key: Secret::new(secret.trim().to_owned()),
            prefix: prefix.clone(),
            allow_http: *allow_http,
        })
    }

    /// The same for a tool that looks at nothing but settings: no folder is made, as nothing is stored.
    pub(crate) fn blob_backend_for_settings(&self) -> anyhow::Result<BlobBackend> {
        if self.storage.s3.is_some() { self.blob_backend() } else { Ok(BlobBackend::Memory) }
    }

    /// Fails if no files can be stored in the folder that is set, as far as can be told without it. Nothing that is made to
    /// find out remains.
    pub(crate) fn check_storage_folder(&self) -> anyhow::Result<()> {
        match &self.storage {
            StorageConfig { folder: Some(folder), s3: None } => check_folder(folder)
                .with_context(|| format!("storage.folder {} cannot be used", folder.display())),
            _ => Ok(()),
        }
    }
}

/// Whether a folder can be written to or, if there is none, be made.
fn check_folder(folder: &Path) -> io::Result<()> {
    let folder = std::path::absolute(folder)?;
    for place in folder.ancestors() {
        match std::fs::metadata(place) {
            // A link that leads nowhere is in the way of a folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !place.is_symlink() => {}
            Err(error) => return Err(error),
            Ok(found) if !found.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
            Ok(_) if place == folder => {
                return rustix::fs::access(place, Access::WRITE_OK | Access::EXEC_OK)
                    .map_err(io::Error::from);
            }
            // Permissions do not say it all: nobody makes folders in /proc. So one is made, and goes at once.
            Ok(_) => return tempfile::Builder::new().prefix(".assay-doctor-").tempdir_in(place)?.close(),
        }
    }
    Ok(())
}
