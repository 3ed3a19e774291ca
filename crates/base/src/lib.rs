//! Basic types that every crate may use: typed ids, the clock and random numbers, secrets, pictures. No I/O, nothing
//! asynchronous.

#![warn(missing_docs)]

mod environment;
mod fair_queue;
mod http_date;
mod ids;
mod limit_violation;
mod moment;
mod picture;
mod running_mean;
mod secret;
pub mod settings;

pub use environment::{Environment, SystemEnvironment, TestEnvironment};
pub use fair_queue::FairQueue;
pub use http_date::parse_http_date;
pub use ids::{
    AccessTokenId, AccountId, AgeAttemptId, AgeSessionId, ApiKeyId, AppId, ApprovalId, CaseId, CaseOpinionId,
    CaseQueueId, ConsoleSessionId, ContentId, ContentReportId, ContentUploadId, DeliveryId,
    DocumentSessionId, DocumentTraceId, FaceId, FindingPicturesId, FraudListEntryId, GroupId, Id,
    InvitationId, MediaId, MemberId, MemberRoleId, ModerationCheckId, ModerationFindingId, ModerationId,
    NotificationId, OperatorId, OperatorRoleId, OrgId, ParseIdError, PasskeyId, ProfileId, PublicKeyId,
    ReceiptId, ResourceId, ReviewId, SignInChallengeId, TaskId, UploadId, VerificationCheckId,
};
pub use limit_violation::LimitViolation;
pub use moment::{MOMENT_WORDS, parse_moment, storable_moment};
pub use picture::{Picture, PictureSize};
pub use running_mean::RunningMean;
pub use secret::Secret;

pub use jiff::{SignedDuration, Timestamp};
pub use uuid::Uuid;
