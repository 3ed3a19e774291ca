//! A type for the ids of each kind of thing, so that the compiler tells them apart. All are UUIDs.

use crate::Environment;
use uuid::Uuid;

/// What all typed ids have in common, so that code can be written once for all of them.
pub trait Id: Copy + From<Uuid> + Into<Uuid> {
    /// What it identifies, for messages, with an article: `an account`.
    const NOUN: &'static str;

    /// Whether new ids sort by time (UUID version 7) or are random (version 4, RFC 9562). The moderation interface accepts
    /// only versions 1 to 5, so its ids are random.
    const ORDERED: bool;

    /// A new id, of the version that [`Self::ORDERED`] says.
    fn new(environment: &dyn Environment) -> Self {
        Self::from(if Self::ORDERED { environment.uuid_v7() } else { environment.uuid_v4() })
    }
}

/// A text is not a UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseIdError {
    /// What it should identify, [`Id::NOUN`].
    pub of: &'static str,
}

impl std::fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not the id of {} (a UUID)", self.of)
    }
}

impl std::error::Error for ParseIdError {}

macro_rules! ids {
    ($ordered:literal; $($(#[$doc:meta])* $name:ident: $of:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl Id for $name {
            const NOUN: &'static str = $of;
            const ORDERED: bool = $ordered;
        }
        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self { Self(id) }
        }
        impl From<$name> for Uuid {
            fn from(id: $name) -> Self { id.0 }
        }
        impl std::str::FromStr for $name {
            type Err = ParseIdError;
            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                Uuid::parse_str(text).map(Self).map_err(|_| ParseIdError { of: $of })
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { self.0.fmt(f) }
        }
        stored!($name);
    )*};
}

/// In the database an id is a UUID.
#[cfg(feature = "sqlx")]
macro_rules! stored {
    ($name:ident) => {
        impl<DB: sqlx::Database> sqlx::Type<DB> for $name
        where
            Uuid: sqlx::Type<DB>,
        {
            fn type_info() -> DB::TypeInfo {
                <Uuid as sqlx::Type<DB>>::type_info()
            }

            fn compatible(info: &DB::TypeInfo) -> bool {
                <Uuid as sqlx::Type<DB>>::compatible(info)
            }
        }
        impl<'r, DB: sqlx::Database> sqlx::Decode<'r, DB> for $name
        where
            Uuid: sqlx::Decode<'r, DB>,
        {
            fn decode(value: DB::ValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                <Uuid as sqlx::Decode<DB>>::decode(value).map(Self)
            }
        }
    };
}

#[cfg(not(feature = "sqlx"))]
macro_rules! stored {
    ($name:ident) => {};
}

ids! { true;
    /// A tenant: the business that runs applications.
    OrgId: "an organisation",
    /// An RSA public key that an application signs requests with.
    PublicKeyId: "a public key",
    /// An access token of an application.
    AccessTokenId: "an access token",
    /// A message to an application's server.
    DeliveryId: "a delivery",
    /// Something that a person has to decide.
    CaseId: "a case",
    /// A queue of cases.
    CaseQueueId: "a queue",
    /// What one reviewer said about a case.
    CaseOpinionId: "an opinion",
}

ids! { false;
    /// An API key of an application; it stands for whoever reviews with it.
    ApiKeyId: "an API key",
    /// An application of an organisation; on the wire the SDK ID.
    AppId: "an application",
    /// A moderation account of an application.
    AccountId: "an account",
    /// A person who works in an account.
    MemberId: "a member",
    /// A person with a grant on the whole installation.
    OperatorId: "an operator",
    /// A set of operators' scopes that has a name.
    OperatorRoleId: "a role",
    /// A set of scopes that an account has a name for.
    MemberRoleId: "a role",
    /// What an operator asks their colleagues to approve.
    ApprovalId: "an approval",
    /// A session of somebody who is signed in to the console.
    ConsoleSessionId: "a session",
    /// A passkey of somebody who works in the console.
    PasskeyId: "a passkey",
    /// What the server remembers between the two requests of a sign-in.
    SignInChallengeId: "a challenge",
    /// An invitation to become a member, or an operator.
    InvitationId: "an invitation",
    /// A content: an image, a video or a live video.
    ContentId: "a content record",
    /// A file of a content that was uploaded.
    ContentUploadId: "an upload",
    /// A moderation of a content.
    ModerationId: "a moderation",
    /// A check of a moderation.
    ModerationCheckId: "a check",
    /// What a moderation found out about one appearance of a face.
    ModerationFindingId: "a finding",
    /// The file with the pictures of a finding.
    FindingPicturesId: "a file of pictures",
    /// A report on a content.
    ContentReportId: "a report",
    /// A notification of an account.
    NotificationId: "a notification",
    /// A member's review of a notification.
    ReviewId: "a review",
    /// A profile: a person whom an account knows.
    ProfileId: "a profile",
    /// A face of a profile.
    FaceId: "a face",
    /// A group of profiles.
    GroupId: "a group",
    /// A receipt for the deletion of an account.
    ReceiptId: "a receipt",
    /// A document verification session.
    DocumentSessionId: "a session",
    /// Something that an end user supplies in a document verification session.
    ResourceId: "a resource",
    /// A task of a resource, such as the extraction of its text.
    TaskId: "a task",
    /// A check of a document verification session.
    VerificationCheckId: "a check",
    /// A file of a document verification session.
    MediaId: "a media",
    /// A document or a face on the list of those used for fraud.
    FraudListEntryId: "an entry of the fraud list",
    /// What later document verification sessions are compared with.
    DocumentTraceId: "a trace",
    /// An age verification session.
    AgeSessionId: "an age session",
    /// An attempt at a method of an age verification session.
    AgeAttemptId: "an attempt",
    /// A resumable upload to a document verification session.
    UploadId: "an upload",
}
