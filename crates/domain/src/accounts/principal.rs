//! Who acts in an account, and what they may do.

use crate::{
    tenancy::{ApplicationState, Feature, OrganisationStatus, api_keys},
    wire_enum::wire_enum,
};
use base::{AccountId, ApiKeyId, AppId, MemberId};
use db::{DbError, FromRow, ReadTx, sql};

wire_enum! {
    /// What a member or an API key may do (`Scope` of the interface).
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
pub const ADMIN_SCOPE: &str = "admin";

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrincipalKind {
    /// An application, by one of its keys.
    ApiKey(ApiKeyId),
    /// A member of one account, signed in.
    Member {
        /// The only account they see.
        account: AccountId,
        /// Who they are.
        member: MemberId,
    },
}

/// Somebody who was let in.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The application whose accounts they may see.
    pub app: AppId,
    /// Who they are.
    pub kind: PrincipalKind,
    /// What they may do.
    pub scopes: Vec<Scope>,
    /// Whether they may do what only administrators may, beside everything else.
    pub admin: bool,
}

impl Principal {
    /// Whether they may do something.
    pub fn has_scope(&self, scope: Scope) -> bool {
        self.admin || self.scopes.contains(&scope)
    }

    /// All that they may do, in the interface's order.
    pub fn granted_scopes(&self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| self.has_scope(*scope)).collect()
    }

    /// The one account they see, where they are a member.
    pub fn account(&self) -> Option<AccountId> {
        match self.kind {
            PrincipalKind::ApiKey(_) => None,
            PrincipalKind::Member { account, .. } => Some(account),
        }
    }

    /// Who they are in reviews and records: a member's id, or the key's.
    pub fn id(&self) -> base::Uuid {
        match self.kind {
            PrincipalKind::ApiKey(key) => key.into(),
            PrincipalKind::Member { member, .. } => member.into(),
        }
    }
}

/// Why nobody was let in. Interfaces tell no difference: each is 401.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// The key is unknown, revoked, or another application's.
    #[error("the API key is unknown, or not this application's")]
    UnknownApiKey,
    /// The session is unknown, or over.
    #[error("the session is over; sign in again")]
    SessionExpired,
    /// The application is disabled, or its organisation is not served.
    #[error("the application is not served")]
    ApplicationDisabled,
    /// The application may not use moderation.
    #[error("the application may not use moderation")]
    FeatureNotEnabled,
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct ApiKeyRow {
    id: ApiKeyId,
    #[sqlx(json)]
    scopes: Vec<String>,
    state: String,
    #[sqlx(json)]
    features: Vec<Feature>,
    org_status: Option<String>,
}

/// Lets in whoever has a key of an application that may moderate.
pub async fn authenticate_api_key(
    view: &mut ReadTx,
    app: AppId,
    key: &str,
) -> Result<Principal, AuthenticationError> {
    let row: Option<ApiKeyRow> = view
        .fetch_optional(sql!(
            "SELECT k.id, k.scopes, a.state, a.features, o.status AS org_status
               FROM api_keys k JOIN applications a ON a.id = k.app_id
               LEFT JOIN organisations o ON o.id = a.organisation_id
              WHERE k.hash = $1 AND k.app_id = $2 AND k.revoked_at IS NULL",
            api_keys::hash(key),
            app,
        ))
        .await?;
    let row = row.ok_or(AuthenticationError::UnknownApiKey)?;
    require_application_served(&row.state, row.org_status.as_deref(), &row.features)?;
    let admin = row.scopes.is_empty() || row.scopes.iter().any(|word| word == ADMIN_SCOPE);
    // A word that is no scope of this interface is one of another.
    let scopes = row.scopes.iter().filter_map(|word| word.parse().ok()).collect();
    Ok(Principal { app, kind: PrincipalKind::ApiKey(row.id), scopes, admin })
}

/// Whether an application may moderate.
pub(super) fn require_application_served(
    state: &str,
    org_status: Option<&str>,
    features: &[Feature],
) -> Result<(), AuthenticationError> {
    let org: Option<OrganisationStatus> = org_status.and_then(|status| status.parse().ok());
    if state.parse() != Ok(ApplicationState::Enabled) || org != Some(OrganisationStatus::Active) {
        return Err(AuthenticationError::ApplicationDisabled);
    }
    if !features.contains(&Feature::Moderation) {
        return Err(AuthenticationError::FeatureNotEnabled);
    }
    Ok(())
}
