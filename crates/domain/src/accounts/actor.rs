//! Who acts in an account, and what he may do.

use crate::{
    tenancy::{AppState, Feature, OrgStatus, api_keys},
    words::wire_enum,
};
use base::{AccountId, ApiKeyId, AppId, MemberId};
use db::{DbError, FromRow, Read, sql};

wire_enum! {
    /// What a member or an API key may do (interface 1, "Scope").
    pub enum Scope {
        /// List contents.
        ContentsList => "contents:list",
        /// Create, change and archive contents.
        ContentsManage => "contents:manage",
        /// Decide about contents.
        ContentsModerate => "contents:moderate",
        /// See a content.
        ContentsView => "contents:view",
        /// List reports on contents.
        ContentsReportsList => "contents:reports:list",
        /// Decide about reports on contents.
        ContentsReportsModerate => "contents:reports:moderate",
        /// Manage flags.
        FlagsManage => "flags:manage",
        /// Invite, change and remove members.
        MembersManage => "members:manage",
        /// Start and stop moderations.
        ModerationsManage => "moderations:manage",
        /// See moderations.
        ModerationsView => "moderations:view",
        /// Accept and dismiss notifications.
        NotificationsManage => "notifications:manage",
        /// See notifications.
        NotificationsView => "notifications:view",
        /// List profiles.
        ProfilesList => "profiles:list",
        /// Create, change, ban and delete profiles.
        ProfilesManage => "profiles:manage",
        /// See a profile.
        ProfilesView => "profiles:view",
        /// See the reports of moderations.
        ReportsView => "reports:view",
        /// Manage reports.
        ReportsManage => "reports:manage",
    }
}

impl Scope {
    /// Every scope, in the interface's order.
    pub const ALL: [Self; 17] = [
        Self::ContentsList,
        Self::ContentsManage,
        Self::ContentsModerate,
        Self::ContentsView,
        Self::ContentsReportsList,
        Self::ContentsReportsModerate,
        Self::FlagsManage,
        Self::MembersManage,
        Self::ModerationsManage,
        Self::ModerationsView,
        Self::NotificationsManage,
        Self::NotificationsView,
        Self::ProfilesList,
        Self::ProfilesManage,
        Self::ProfilesView,
        Self::ReportsView,
        Self::ReportsManage,
    ];
}

/// The word that makes an API key with scopes an administrator; one without scopes is one anyway.
pub const ADMIN: &str = "admin";

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// An application, by one of its keys.
    Key(ApiKeyId),
    /// A member of one account, signed in.
    Member {
        /// The only account he sees.
        account: AccountId,
        /// Who he is.
        member: MemberId,
    },
}

/// Somebody who was let in.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The application whose accounts he may see.
    pub app: AppId,
    /// Who he is.
    pub who: Who,
    /// What he may do.
    pub scopes: Vec<Scope>,
    /// Whether he may do what only administrators may, beside everything else.
    pub admin: bool,
}

impl Actor {
    /// Whether he may do something.
    pub fn may(&self, scope: Scope) -> bool {
        self.admin || self.scopes.contains(&scope)
    }

    /// All that they may do, in the interface's order.
    pub fn granted(&self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| self.may(*scope)).collect()
    }

    /// The one account he sees, where he is a member.
    pub fn account(&self) -> Option<AccountId> {
        match self.who {
            Who::Key(_) => None,
            Who::Member { account, .. } => Some(account),
        }
    }

    /// Who he is in reviews and records: a member's id, or the key's.
    pub fn id(&self) -> base::Uuid {
        match self.who {
            Who::Key(key) => key.into(),
            Who::Member { member, .. } => member.into(),
        }
    }
}

/// Why nobody was let in. Interfaces tell no difference: each is 401.
#[derive(Debug, thiserror::Error)]
pub enum NoActor {
    /// The key is unknown, revoked, or another application's.
    #[error("the API key is unknown, or not this application's")]
    Key,
    /// The session is unknown, or over.
    #[error("the session is over; sign in again")]
    Session,
    /// The application is disabled, or its organisation is not served.
    #[error("the application is not served")]
    Disabled,
    /// The application may not use moderation.
    #[error("the application may not use moderation")]
    Feature,
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct Row {
    id: ApiKeyId,
    #[sqlx(json)]
    scopes: Vec<String>,
    state: String,
    #[sqlx(json)]
    features: Vec<Feature>,
    org_status: Option<String>,
}

/// Lets in whoever has a key of an application that may moderate.
pub async fn by_api_key(view: &mut Read, app: AppId, key: &str) -> Result<Actor, NoActor> {
    let row: Option<Row> = view
        .fetch_optional(sql!(
            "SELECT k.id, k.scopes, a.state, a.features, o.status AS org_status
               FROM api_keys k JOIN applications a ON a.id = k.app_id
               LEFT JOIN organisations o ON o.id = a.organisation_id
              WHERE k.hash = $1 AND k.app_id = $2 AND k.revoked_at IS NULL",
            api_keys::hash(key),
            app,
        ))
        .await?;
    let row = row.ok_or(NoActor::Key)?;
    served(&row.state, row.org_status.as_deref(), &row.features)?;
    let admin = row.scopes.is_empty() || row.scopes.iter().any(|word| word == ADMIN);
    // A word that is no scope of this interface is one of another.
    let scopes = row.scopes.iter().filter_map(|word| word.parse().ok()).collect();
    Ok(Actor { app, who: Who::Key(row.id), scopes, admin })
}

/// Whether an application may moderate.
pub(super) fn served(state: &str, org_status: Option<&str>, features: &[Feature]) -> Result<(), NoActor> {
    let org: Option<OrgStatus> = org_status.and_then(|status| status.parse().ok());
    if state.parse() != Ok(AppState::Enabled) || org != Some(OrgStatus::Active) {
        return Err(NoActor::Disabled);
    }
    if !features.contains(&Feature::Moderation) {
        return Err(NoActor::Feature);
    }
    Ok(())
}
