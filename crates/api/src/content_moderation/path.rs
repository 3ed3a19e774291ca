//! The ids in paths, as types. Text that is not an id is answered with 404.

use super::ModerationApiError;
use crate::ApiState;
use axum::{
    extract::{FromRequestParts as _, Path},
    http::request::Parts,
};
use base::{
    AccountId, ContentId, ContentReportId, FaceId, GroupId, InvitationId, MemberId, ModerationId,
    NotificationId, ProfileId, Uuid,
};
use serde::{Deserialize, de::DeserializeOwned};
use utoipa::IntoParams;

pub(crate) async fn read<P: DeserializeOwned + Send>(
    parts: &mut Parts,
    api: &ApiState,
) -> Result<P, ModerationApiError> {
    let Path(path) =
        Path::from_request_parts(parts, api).await.map_err(|_| ModerationApiError::not_found("resource"))?;
    Ok(path)
}

/// A path that begins with an account.
pub(crate) trait AccountScopedPath: DeserializeOwned + Send {
    /// The account that the path names.
    fn account(&self) -> AccountId;
}

/// Declares the ids of a path: all are UUIDs, and the first is the account's.
macro_rules! account_paths {
    ($($(#[$doc:meta])* $name:ident { $($(#[$id_doc:meta])* $wire:literal $id:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Deserialize, IntoParams)]
        #[into_params(parameter_in = Path)]
        pub(crate) struct $name {
            /// The account.
            #[serde(rename = "accountId")]
            #[param(value_type = Uuid)]
            account: AccountId,
            $(
                $(#[$id_doc])*
                #[serde(rename = $wire)]
                #[param(rename = $wire, value_type = Uuid)]
                pub(super) $id: $type,
            )*
        }

        impl AccountScopedPath for $name {
            fn account(&self) -> AccountId {
                self.account
            }
        }
    )*};
}

account_paths! {
    /// An account.
    AccountPath {}

    /// A content.
    ContentPath {
        /// The content.
        "id" content: ContentId,
    }

    /// A profile of a content.
    ContentProfilePath {
        /// The content.
        "id" content: ContentId,
        /// The profile.
        "profileId" profile: ProfileId,
    }

    /// A report on a content.
    ReportPath {
        /// The content.
        "id" content: ContentId,
        /// The report.
        "reportId" report: ContentReportId,
    }

    /// A moderation.
    ModerationPath {
        /// The moderation.
        "moderationId" moderation: ModerationId,
    }

    /// A notification.
    NotificationPath {
        /// The notification.
        "id" notification: NotificationId,
    }

    /// An invitation.
    InvitationPath {
        /// The invitation.
        "invitationId" invitation: InvitationId,
    }

    /// A member.
    MemberPath {
        /// The member.
        "memberId" member: MemberId,
    }

    /// A profile.
    ProfilePath {
        /// The profile.
        "profileId" profile: ProfileId,
    }

    /// A face of a profile.
    FacePath {
        /// The profile.
        "profileId" profile: ProfileId,
        /// The face.
        "faceId" face: FaceId,
    }

    /// A dismissal of a face that is not the profile's.
    DismissalPath {
        /// The profile.
        "profileId" profile: ProfileId,
        /// The dismissal.
        "dismissalId" dismissal: Uuid,
    }

    /// A group.
    GroupPath {
        /// The group.
        "groupId" group: GroupId,
    }

    /// A profile in a group.
    GroupProfilePath {
        /// The group.
        "groupId" group: GroupId,
        /// The profile.
        "profileId" profile: ProfileId,
    }
}
