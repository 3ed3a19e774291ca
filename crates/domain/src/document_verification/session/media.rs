//! What a session stores outside of its row: media, and the parts of resumable uploads.

use crate::document_verification::types::MediaType;
use base::{MediaId, ResourceId, Timestamp, UploadId};
use serde::{Deserialize, Serialize};

/// A blob of the session, sealed with its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMedia {
    pub id: MediaId,
    pub kind: MediaType,
    pub content_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The resource that it belongs to.
    pub resource: Option<ResourceId>,
    /// Whether its contents were deleted.
    #[serde(default)]
    pub redacted: bool,
    /// `None` in sessions of older versions.
    #[serde(default)]
    pub created: Option<Timestamp>,
    /// When it was created, or else when its contents were deleted.
    #[serde(default)]
    pub last_updated: Option<Timestamp>,
}

/// An upload that comes in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumableUpload {
    pub id: UploadId,
    /// The size that was announced, in bytes.
    pub length: u64,
    pub begun: Timestamp,
    /// The parts that have arrived, in order.
    pub pieces: Vec<UploadPart>,
}

/// A part of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadPart {
    /// The blob; it is not listed among the session's media.
    pub media: MediaId,
    /// Its size.
    pub bytes: u64,
}
