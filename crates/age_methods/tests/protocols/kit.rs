//! Fixtures that the tests share.

use base::{Environment, TestEnvironment};
use media::fetch::Fetcher;
use std::{path::PathBuf, sync::Arc};
use tempfile::TempDir;

/// A test environment, a fetcher that reaches stand-ins, and a folder for secrets.
pub(crate) struct Fixture {
    pub environment: Arc<dyn Environment>,
    /// The same environment, to advance its clock.
    pub still: Arc<TestEnvironment>,
    pub fetcher: Fetcher,
    folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let still = Arc::new(TestEnvironment::at("2026-11-22T12:00:00Z"));
        Self {
            environment: still.clone(),
            still,
            fetcher: Fetcher::new(&testkit::stub_server::egress_policy()).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A file with a secret.
    pub(crate) fn secret(&self, text: &str) -> PathBuf {
        let file = self
            .folder
            .path()
            .join(base64_simd::URL_SAFE_NO_PAD.encode_to_string(&text[..text.len().min(40)]));
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Settings as the configuration would have them.
    pub(crate) fn settings<S: serde::de::DeserializeOwned>(settings: serde_json::Value) -> S {
        serde_json::from_value(settings).unwrap()
    }
}

/// Requires a future to be `Send`, so that a server can run it.
pub(crate) fn sendable<F: Future + Send>(future: F) -> F {
    future
}
