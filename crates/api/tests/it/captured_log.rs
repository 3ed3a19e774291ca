//! What the server logs during a test.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};
use tracing_subscriber::fmt::MakeWriter;

/// A log in memory, for `tracing_subscriber`.
#[derive(Clone)]
pub(crate) struct CapturedLog(Arc<Mutex<Vec<u8>>>);

/// Without a subscriber for the whole process, a callsite that is first reached on a thread without one would be switched off
/// on the test's thread as well, as long as the test's subscriber is the only one.
fn watch_every_callsite() {
    static WATCHED: std::sync::Once = std::sync::Once::new();
    WATCHED.call_once(|| {
        tracing::subscriber::set_global_default(tracing_subscriber::registry()).expect("there is no other");
    });
}

impl CapturedLog {
    pub(crate) fn new() -> Self {
        watch_every_callsite();
        Self(Arc::default())
    }

    /// What was logged since the last call.
    pub(crate) fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

impl Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for CapturedLog {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
