//! One type for each kind of thing, so that ids cannot be mixed up.

use crate::Environment;
use uuid::Uuid;

/// What every typed id can do; lets a crate that stores values write one conversion for all of them.
pub trait Id: Copy + From<Uuid> + Into<Uuid> {
    /// What the id is the id of, for messages.
    const NOUN: &'static str;

    /// Whether new ids are ordered by time (UUID version 7) or random (version 4, RFC 9562). The moderation interface
    /// knows versions 1 to 5 alone, so what it names is random.
    const ORDERED: bool;

    /// A new id.
    fn new(world: &dyn Environment) -> Self {
        Self::from(if Self::ORDERED { world.uuid_v7() } else { world.uuid_v4() })
    }
}

/// Text that is not an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseIdError {
    /// What the id would have been the id of.
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

/// Databases read an id as the UUID that it is.
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
    /// An API key of an application.
    ApiKeyId: "an API key",
    /// An access token of an application.
    AccessTokenId: "an access token",
    /// A message on its way to an application's server.
    DeliveryId: "a delivery",
}

ids! { false;
    /// An application of an organisation; on the wire the SDK ID.
    AppId: "an application",
    /// A moderation account of an application.
    AccountId: "an account",
    /// A person who works in an account.
    MemberId: "a member",
    /// An invitation to become one.
    InvitationId: "an invitation",
    /// A record of content: an image, a video, a live video.
    ContentId: "a content record",
    /// A run of checks over a content.
    ModerationId: "a moderation",
    /// A check of a moderation.
    ModerationCheckId: "a check",
    /// What a moderation found of one appearance of a face.
    ModerationFindingId: "a finding",
    /// A report on a content.
    ContentReportId: "a report",
    /// A notification of an account.
    NotificationId: "a notification",
    /// A member's word on a notification.
    ReviewId: "a review",
    /// A person whom an account knows.
    ProfileId: "a profile",
    /// A face of a profile.
    FaceId: "a face",
    /// A group of profiles.
    GroupId: "a group",
    /// A receipt for what was deleted.
    ReceiptId: "a receipt",
    /// A document verification session.
    DocumentSessionId: "a session",
    /// Something a person supplies in a session.
    ResourceId: "a resource",
    /// A task of a resource.
    TaskId: "a task",
    /// Something that is kept of a session as bytes.
    MediaId: "a media",
    /// An age verification session.
    AgeSessionId: "an age session",
    /// An attempt at a method of one.
    AgeAttemptId: "an attempt",
    /// An upload to a session that comes in pieces.
    UploadId: "an upload",
}
