//! Whether an application is served at all. Every way of authenticating asks this.

use super::{ApplicationState, Feature, OrganisationStatus, limits::ApplicationLimits};
use base::AppId;
use db::{DbError, FromRow, ReadTx, sql};

/// The state of an application and of its organisation.
///
/// Read from a row with the columns `state`, `features`, `org_status`, which is NULL without an organisation, and those of
/// the limits.
#[derive(Clone, Debug, FromRow)]
pub struct ApplicationStatus {
    #[sqlx(try_from = "String")]
    pub(super) state: ApplicationState,
    #[sqlx(json)]
    pub(super) features: Vec<Feature>,
    org_status: Option<String>,
    /// The limits that an operator has set.
    #[sqlx(flatten)]
    pub limits: ApplicationLimits,
}

impl ApplicationStatus {
    /// Whether its calls are answered: it is enabled, and its organisation is active. An organisation's status that
    /// this build does not know counts as suspended.
    pub fn is_served(&self) -> bool {
        self.state == ApplicationState::Enabled && self.org_status() == Some(OrganisationStatus::Active)
    }

    /// Whether it is served, and may use this interface.
    pub fn allows(&self, feature: Feature) -> bool {
        self.is_served() && self.features.contains(&feature)
    }

    /// The status of its organisation, if it has one.
    pub(super) fn org_status(&self) -> Option<OrganisationStatus> {
        self.org_status.as_ref().map(|status| status.parse().unwrap_or(OrganisationStatus::Suspended))
    }
}

/// The status of an application. `None` if there is no such application.
pub async fn find(view: &mut ReadTx, app: AppId) -> Result<Option<ApplicationStatus>, DbError> {
    view.fetch_optional(sql!(
        "SELECT a.state, a.features, o.status AS org_status, a.calls_per_minute, a.burst, a.running_jobs,
                a.waiting_jobs, a.live_streams, a.stored_bytes
           FROM applications a LEFT JOIN organisations o ON o.id = a.organisation_id
          WHERE a.id = $1",
        app,
    ))
    .await
}
