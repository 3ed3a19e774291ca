//! Where blobs are kept.

use base::Secret;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig, aws::AmazonS3Builder, local::LocalFileSystem,
    memory::InMemory, path::Path,
};
use std::{
    fs::DirBuilder, net::IpAddr, os::unix::fs::DirBuilderExt as _, path::PathBuf, sync::Arc, time::Duration,
};

/// Where blobs are kept.
#[derive(Clone, Debug)]
pub enum BlobBackend {
    /// A folder of this machine, or one that several machines mount. Created with mode 0700 if it does not exist; an
    /// existing folder keeps its mode.
    Folder(PathBuf),
    /// A bucket of Amazon S3 or of a server that speaks its protocol.
    ///
    /// The access key may get, put, delete and list. Give the bucket a lifecycle rule that aborts unfinished multipart
    /// uploads after a day: when this server dies during an upload, nothing else aborts it.
    S3 {
        /// The server's address, for example `https://s3.example.com`; `None` for Amazon's own.
        endpoint: Option<String>,
        bucket: String,
        /// The region, for example `eu-central-1`.
        region: String,
        /// The access key's id.
        access_key: String,
        /// The secret that belongs to it.
        secret_key: Secret<String>,
        /// The prefix of every object's name, for example `assay/blobs`; may be empty.
        prefix: String,
        /// Whether an `http://` endpoint is accepted; only on this machine, never over a network.
        allow_http: bool,
    },
    /// Memory, which is lost at exit. For tests, and where nothing is stored.
    Memory,
}

/// Why a backend cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum BlobBackendError {
    /// The folder cannot be created or opened.
    #[error("the folder {folder} cannot be used for blobs: {cause}")]
    Folder {
        folder: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The endpoint is neither an `https://` address nor an `http://` address of this machine where `allow_http` is
    /// set.
    #[error(
        "the S3 endpoint {0:?} is not an https address (http is possible only on this machine, when allowed)"
    )]
    Endpoint(String),
    /// The prefix is not a path.
    #[error("the S3 prefix {0:?} is not a path")]
    Prefix(String),
    /// Another setting cannot be used.
    #[error("the S3 settings cannot be used: {0}")]
    S3(object_store::Error),
}

/// A store, and where the blobs are in it.
#[derive(Clone)]
pub(super) struct OpenedBackend {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) prefix: Path,
    /// The folder, if the backend is one.
    pub(super) folder: Option<PathBuf>,
}

pub(super) fn open(place: &BlobBackend) -> Result<OpenedBackend, BlobBackendError> {
    let (store, prefix, folder): (Arc<dyn ObjectStore>, _, _) = match place {
        BlobBackend::Folder(folder) => {
            let failed = |cause| BlobBackendError::Folder { folder: folder.clone(), cause };
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
            let store = LocalFileSystem::new_with_prefix(folder)
                .map_err(|error| failed(std::io::Error::other(error)))?
                // Names of folders that remained would reveal which tenants had blobs.
                .with_automatic_cleanup(true)
                .with_fsync(true);
            (Arc::new(store), Path::default(), Some(folder.clone()))
        }
        BlobBackend::S3 { endpoint, bucket, region, access_key, secret_key, prefix, allow_http } => {
            let plain =
                endpoint.as_deref().map(|endpoint| is_plain_http(endpoint, *allow_http)).transpose()?;
            let client = ClientOptions::new()
                .with_allow_http(plain.unwrap_or(false))
                // Covers a whole request; the largest is a part of 8 MiB, or a blob that is read in one go.
                .with_timeout(Duration::from_mins(5))
                .with_read_timeout(Duration::from_secs(30));
            let retry = RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: 4,
                retry_timeout: Duration::from_mins(1),
            };
            let mut builder = AmazonS3Builder::new()
                .with_bucket_name(bucket)
                .with_region(region)
                .with_access_key_id(access_key)
                .with_secret_access_key(secret_key.expose())
                .with_client_options(client)
                .with_retry(retry);
            if let Some(endpoint) = endpoint {
                builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
            }
            let prefix = Path::parse(prefix).map_err(|_| BlobBackendError::Prefix(prefix.clone()))?;
            (Arc::new(builder.build().map_err(BlobBackendError::S3)?), prefix, None)
        }
        BlobBackend::Memory => (Arc::new(InMemory::new()), Path::default(), None),
    };
    Ok(OpenedBackend { store, prefix, folder })
}

/// Whether connections to an endpoint are without TLS. An error where the endpoint is not allowed.
fn is_plain_http(endpoint: &str, allow_http: bool) -> Result<bool, BlobBackendError> {
    let bad = || BlobBackendError::Endpoint(endpoint.to_owned());
    let uri: http::Uri = endpoint.parse().map_err(|_| bad())?;
    let host = uri.host().ok_or_else(bad)?;
    match uri.scheme_str() {
        Some("https") => Ok(false),
        Some("http") if allow_http && is_loopback(host) => Ok(true),
        _ => Err(bad()),
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_over_tls_or_stay_on_the_machine() {
        for (endpoint, allow_http, plain) in [
            ("https://s3.example.com", false, Some(false)),
            ("https://s3.example.com:9000/", true, Some(false)),
            ("http://127.0.0.1:9000", true, Some(true)),
            ("http://[::1]:9000", true, Some(true)),
            ("http://localhost:9000", true, Some(true)),
            ("http://localhost:9000", false, None),
            ("http://localhost.example.com", true, None),
            ("http://s3.example.com", true, None),
            ("ftp://127.0.0.1", true, None),
            ("127.0.0.1:9000", true, None),
            ("", true, None),
        ] {
            assert_eq!(is_plain_http(endpoint, allow_http).ok(), plain, "{endpoint} {allow_http}");
        }
    }
}
