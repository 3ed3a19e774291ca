//! Who makes a request about accounts, and what they may do.

use crate::{
    tenancy::{
        ApplicationState, Feature, OrganisationStatus,
        api_keys::{self, ApiKeyUse},
        limits::ApplicationLimits,
    },
    wire_enum::wire_enum,
};
use base::{AccountId, ApiKeyId, AppId, Environment, MemberId, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};

wire_enum! {
    /// What a member or an API key may do (`Scope` of the interface).
    pub enum Scope {
        /// List contents.
        ContentsList => "contents:list",
        /// Create, change and archive contents.
        ContentsManage => "contents:manage",
        /// Archive contents, and restore them.
        ContentsModerate => "contents:moderate",
        /// See a content.
        ContentsView => "contents:view",
        /// List reports on contents.
        ContentsReportsList => "contents:reports:list",
        /// Decide about reports on contents.
        ContentsReportsModerate => "contents:reports:moderate",
        /// Ban people, and lift bans.
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
    /// Every scope, in the order of the interface.
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

wire_enum! {
    /// What somebody may do in the console beyond the scopes of content moderation (docs/CONSOLE.md).
    pub enum ConsoleScope {
        /// Decide checks of documents that wait for a reviewer, and see their pictures.
        DocumentsReview => "documents:review",
        /// Decide appeals of age verification.
        AgesReview => "ages:review",
        /// See all cases, hand them to others, release them.
        CasesManage => "cases:manage",
        /// Create and change queues, reason codes and golden cases; see how well reviewers agree.
        QueuesManage => "queues:manage",
        /// See document verification and age verification sessions, without pictures.
        SessionsView => "sessions:view",
        /// Redact and cancel sessions.
        SessionsManage => "sessions:manage",
        /// Create and revoke keys.
        KeysManage => "keys:manage",
        /// See webhook messages and their attempts.
        DeliveriesView => "deliveries:view",
        /// Send messages again, and change secrets.
        DeliveriesManage => "deliveries:manage",
        /// Set what a sandbox answers, and its clock.
        SandboxManage => "sandbox:manage",
        /// See which requests were made, and how much was used.
        UsageView => "usage:view",
        /// Make roles, and give them to members.
        RolesManage => "roles:manage",
        /// See the audit trail.
        AuditView => "audit:view",
    }
}

impl ConsoleScope {
    /// Every scope, in the order of docs/CONSOLE.md.
    pub const ALL: [Self; 13] = [
        Self::DocumentsReview,
        Self::AgesReview,
        Self::CasesManage,
        Self::QueuesManage,
        Self::SessionsView,
        Self::SessionsManage,
        Self::KeysManage,
        Self::DeliveriesView,
        Self::DeliveriesManage,
        Self::SandboxManage,
        Self::UsageView,
        Self::RolesManage,
        Self::AuditView,
    ];

    /// Whether the administrators of an account have it without being given it. The others reach beyond the account, into its
    /// application: an operator gives them, or somebody who has them.
    pub const fn is_of_account(self) -> bool {
        matches!(self, Self::CasesManage | Self::QueuesManage | Self::RolesManage | Self::AuditView)
    }

    /// Whether a second operator must approve that an operator gives it, where four eyes are needed (`console.four_eyes`). It
    /// allows for one application, without an approval, what operators need an approval for.
    pub const fn needs_approval(self) -> bool {
        matches!(self, Self::KeysManage | Self::SessionsManage)
    }
}

/// The word among an API key's scopes that makes it an administrator. A key without any scopes is one as well.
pub const ADMIN_SCOPE: &str = "admin";

/// Who makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrincipalKind {
    /// An application, by one of its keys.
    ApiKey(ApiKeyId),
    /// A member of one account, signed in.
    Member {
        /// The only account they may see.
        account: AccountId,
        member: MemberId,
    },
}

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The application whose accounts they may see; of a member, the application of their account.
    pub app: AppId,
    pub kind: PrincipalKind,
    pub scopes: Vec<Scope>,
    /// What they may do in the console beyond that; nothing for an API key.
    pub console_scopes: Vec<ConsoleScope>,
    /// Administrators may do everything, whatever their scopes are, and what no scope allows.
    pub admin: bool,
    /// The application's limits that an operator has set.
    pub limits: ApplicationLimits,
}

impl Principal {
    /// Whether they may do what the scope allows.
    pub fn has_scope(&self, scope: Scope) -> bool {
        self.admin || self.scopes.contains(&scope)
    }

    /// Whether they may do in the console what the scope allows.
    pub fn has_console_scope(&self, scope: ConsoleScope) -> bool {
        self.is_member() && (self.console_scopes.contains(&scope) || (self.admin && scope.is_of_account()))
    }

    /// Everything they may do in the console, in the order of docs/CONSOLE.md.
    pub fn granted_console_scopes(&self) -> Vec<ConsoleScope> {
        ConsoleScope::ALL.into_iter().filter(|scope| self.has_console_scope(*scope)).collect()
    }

    /// Everything they may do, in the order of the interface: all scopes for an administrator.
    pub fn granted_scopes(&self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| self.has_scope(*scope)).collect()
    }

    /// The first of these scopes that they do not have themselves, and so cannot give to anybody.
    pub fn lacks_one_of(&self, scopes: &[Scope]) -> Option<Scope> {
        scopes.iter().copied().find(|scope| !self.has_scope(*scope))
    }

    /// The first of these scopes of the console that they do not have themselves, and so cannot give to anybody.
    pub fn lacks_one_of_console(&self, scopes: &[ConsoleScope]) -> Option<ConsoleScope> {
        scopes.iter().copied().find(|scope| !self.has_console_scope(*scope))
    }

    /// The only account they may see if they are a member; `None` for an API key, which may see all of its application.
    pub fn account(&self) -> Option<AccountId> {
        match self.kind {
            PrincipalKind::ApiKey(_) => None,
            PrincipalKind::Member { account, .. } => Some(account),
        }
    }

    /// Whether they are a member, and not an API key.
    pub fn is_member(&self) -> bool {
        matches!(self.kind, PrincipalKind::Member { .. })
    }

    /// Their name in the audit trail.
    pub fn audit_actor(&self) -> String {
        match self.kind {
            PrincipalKind::ApiKey(key) => format!("api-key:{key}"),
            PrincipalKind::Member { member, .. } => format!("member:{member}"),
        }
    }

    /// Their id in reviews and decision records: the member's, or the API key's.
    pub fn id(&self) -> base::Uuid {
        match self.kind {
            PrincipalKind::ApiKey(key) => key.into(),
            PrincipalKind::Member { member, .. } => member.into(),
        }
    }
}

/// Why a caller is not authenticated. The interface answers 401 to each.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// The key is unknown, expired or revoked, or belongs to another application.
    #[error("the API key is unknown, or not this application's")]
    UnknownApiKey,
    /// The session is unknown or has ended.
    #[error("the session is over; sign in again")]
    SessionExpired,
    /// The session has no second factor yet, and needs one: its member has one, or must have one (`console.mfa`).
    #[error("a second factor is needed; present one, or set one up, in the console")]
    SecondFactorRequired,
    /// The application is disabled, or its organisation is not active.
    #[error("the application is disabled, or its organisation is not active")]
    ApplicationDisabled,
    /// The application does not have the feature `moderation`.
    #[error("the application may not use moderation")]
    FeatureNotEnabled,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct ApiKeyRow {
    id: ApiKeyId,
    last_used_at: Option<DbTimestamp>,
    #[sqlx(json)]
    scopes: Vec<String>,
    state: String,
    #[sqlx(json)]
    features: Vec<Feature>,
    org_status: Option<String>,
    #[sqlx(flatten)]
    limits: ApplicationLimits,
}

/// Authenticates an API key of an application that may use moderation. Also returns its use, to be recorded.
pub async fn authenticate_api_key(
    view: &mut ReadTx,
    environment: &dyn Environment,
    app: AppId,
    key: &str,
) -> Result<(Principal, ApiKeyUse), AuthenticationError> {
    let row: Option<ApiKeyRow> = view
        .fetch_optional(sql!(
            "SELECT k.id, k.last_used_at, k.scopes, a.state, a.features, o.status AS org_status, a.calls_per_minute, a.burst,
                    a.running_jobs, a.waiting_jobs, a.live_streams, a.stored_bytes
               FROM api_keys k JOIN applications a ON a.id = k.app_id
               LEFT JOIN organisations o ON o.id = a.organisation_id
              WHERE k.hash = $1 AND k.app_id = $2 AND k.revoked_at IS NULL
                AND (k.expires_at IS NULL OR k.expires_at > $3)",
            api_keys::hash(key),
            app,
            environment.now(),
        ))
        .await?;
    let row = row.ok_or(AuthenticationError::UnknownApiKey)?;
    require_application_served(&row.state, row.org_status.as_deref(), &row.features)?;
    let (admin, scopes) = read_key_scopes(&row.scopes);
    let kind = PrincipalKind::ApiKey(row.id);
    let key_use = ApiKeyUse { id: row.id, last_used_at: row.last_used_at.map(Timestamp::from) };
    Ok((Principal { app, kind, scopes, console_scopes: Vec::new(), admin, limits: row.limits }, key_use))
}

/// What the words of an API key allow: whether it is an administrator, and its scopes. API keys are shared by all interfaces:
/// words that are no scope here are scopes elsewhere.
pub(super) fn read_key_scopes(words: &[String]) -> (bool, Vec<Scope>) {
    let admin = words.is_empty() || words.iter().any(|word| word == ADMIN_SCOPE);
    (admin, words.iter().filter_map(|word| word.parse().ok()).collect())
}

/// Refuses an application that is not enabled, whose organisation is not active, or that may not use moderation.
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
