//! What a transaction does that is to be recorded with it.

use base::Uuid;
use serde_json::{Map, Value};
use std::fmt::Display;

/// Something that somebody did, for the audit trail. It names things by their ids, and holds no text, picture or
/// measurement of a person.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEvent {
    /// What was done, as `thing.verb`: `api-key.create`.
    pub kind: &'static str,
    /// The application it concerns.
    pub app: Option<Uuid>,
    /// The moderation account it concerns.
    pub account: Option<Uuid>,
    /// The id of the thing.
    pub target: Option<String>,
    /// What else is to be known.
    pub details: Map<String, Value>,
}

/// The last record that a transaction wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEnd {
    /// Its number.
    pub seq: i64,
    /// Its hash, hexadecimal.
    pub hash: String,
}

impl AuditEvent {
    /// An event of this kind, about nothing yet.
    pub fn new(kind: &'static str) -> Self {
        Self { kind, app: None, account: None, target: None, details: Map::new() }
    }

    /// The application that it concerns.
    #[must_use]
    pub fn app(self, app: impl Into<Uuid>) -> Self {
        Self { app: Some(app.into()), ..self }
    }

    /// The moderation account that it concerns.
    #[must_use]
    pub fn account(self, account: impl Into<Uuid>) -> Self {
        Self { account: Some(account.into()), ..self }
    }

    /// The id of the thing that it is about.
    #[must_use]
    pub fn target(self, target: impl Display) -> Self {
        Self { target: Some(target.to_string()), ..self }
    }

    /// One more thing to be known.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}
