//! Words every crate may use: typed ids, time and chance, secrets, pictures. No I/O, nothing asynchronous.

mod http_date;
mod ids;
mod measured;
mod picture;
mod secret;
mod world;

pub use http_date::http_date;
pub use ids::{
    AccessTokenId, AccountId, AgeSessionId, ApiKeyId, AppId, AttemptId, CheckId, ContentId, DeliveryId,
    FaceId, FindingId, GroupId, Id, InvitationId, MediaId, MemberId, ModerationId, NotificationId, OrgId,
    ParseIdError, ProfileId, PublicKeyId, ReceiptId, ReportId, ResourceId, ReviewId, SessionId, TaskId,
    UploadId,
};
pub use measured::Measured;
pub use picture::{Picture, PictureSize};
pub use secret::Secret;
pub use world::{StillWorld, SystemWorld, World};

pub use jiff::{SignedDuration, Timestamp};
pub use uuid::Uuid;
