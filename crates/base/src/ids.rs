//! One type for each kind of thing, so that ids cannot be mixed up.

use crate::World;
use uuid::Uuid;

/// What every typed id can do; lets a crate that stores values write one conversion for all of them.
pub trait Id: Copy + From<Uuid> + Into<Uuid> {
    /// What the id is the id of, for messages.
    const OF: &'static str;

    /// A new id, ordered by time (UUID version 7, RFC 9562).
    fn new(world: &dyn World) -> Self {
        Self::from(world.uuid())
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
    ($($(#[$doc:meta])* $name:ident: $of:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(Uuid);

        impl Id for $name {
            const OF: &'static str = $of;
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
    )*};
}

ids! {
    /// A tenant: the business that runs applications.
    OrgId: "an organisation",
    /// An application of an organisation; on the wire the SDK ID.
    AppId: "an application",
    /// An RSA public key that an application signs requests with.
    PublicKeyId: "a public key",
    /// An API key of an application.
    ApiKeyId: "an API key",
    /// An access token of an application.
    AccessTokenId: "an access token",
    /// A message on its way to an application's server.
    DeliveryId: "a delivery",
}
