//! What operators may do, and the roles that are built in.

use crate::wire_enum::wire_enum;

wire_enum! {
    /// What an operator may do, in the whole installation (docs/CONSOLE.md).
    pub enum OperatorScope {
        /// Create, change and suspend organisations; see and delete accounts.
        OrganisationsManage => "organisations:manage",
        /// Create, change and disable applications.
        ApplicationsManage => "applications:manage",
        /// Create and revoke keys of applications.
        KeysManage => "keys:manage",
        /// See the settings in force.
        SettingsView => "settings:view",
        /// See models and their figures.
        ModelsView => "models:view",
        /// Send a test to a provider.
        ProvidersTest => "providers:test",
        /// See whom the server trusts, and its keys with their lives. Changes nothing.
        TrustManage => "trust:manage",
        /// See jobs, retry and discard them.
        JobsManage => "jobs:manage",
        /// See webhook messages of all applications, send them again, and change secrets.
        DeliveriesManage => "deliveries:manage",
        /// See sessions of all applications, without pictures.
        SessionsView => "sessions:view",
        /// Redact and cancel sessions of all applications.
        SessionsManage => "sessions:manage",
        /// Invite, change and disable operators, and make roles.
        OperatorsManage => "operators:manage",
        /// See the audit trail.
        AuditView => "audit:view",
        /// See the figures of the server.
        HealthView => "health:view",
        /// Approve or refuse what a colleague asked for, such as the deletion of an account.
        DeletionsApprove => "deletions:approve",
    }
}

impl OperatorScope {
    /// Every scope, in the order of docs/CONSOLE.md.
    pub const ALL: [Self; 15] = [
        Self::OrganisationsManage,
        Self::ApplicationsManage,
        Self::KeysManage,
        Self::SettingsView,
        Self::ModelsView,
        Self::ProvidersTest,
        Self::TrustManage,
        Self::JobsManage,
        Self::DeliveriesManage,
        Self::SessionsView,
        Self::SessionsManage,
        Self::OperatorsManage,
        Self::AuditView,
        Self::HealthView,
        Self::DeletionsApprove,
    ];

    /// Whether a second operator must approve that it is given, where four eyes are needed (`console.four_eyes`). So it is with
    /// everything that lets somebody ask for what needs an approval, or approve it: an operator who could give one of them
    /// alone could make themselves the other person.
    pub const fn needs_approval(self) -> bool {
        matches!(
            self,
            Self::OrganisationsManage
                | Self::KeysManage
                | Self::SessionsManage
                | Self::OperatorsManage
                | Self::DeletionsApprove
        )
    }
}

wire_enum! {
    /// A role of operators that is built in.
    pub enum BuiltInRole {
        /// Everything.
        Administrator => "administrator",
        /// Helps others: sees how the server is, sessions and deliveries, and gets parked work going.
        Support => "support",
        /// Looks, and changes nothing.
        Auditor => "auditor",
    }
}

impl BuiltInRole {
    /// What the role may do.
    pub const fn scopes(self) -> &'static [OperatorScope] {
        match self {
            Self::Administrator => &OperatorScope::ALL,
            Self::Support => &[
                OperatorScope::SettingsView,
                OperatorScope::ModelsView,
                OperatorScope::ProvidersTest,
                OperatorScope::JobsManage,
                OperatorScope::DeliveriesManage,
                OperatorScope::SessionsView,
                OperatorScope::SessionsManage,
                OperatorScope::HealthView,
            ],
            Self::Auditor => &[
                OperatorScope::SettingsView,
                OperatorScope::ModelsView,
                OperatorScope::SessionsView,
                OperatorScope::AuditView,
                OperatorScope::HealthView,
            ],
        }
    }
}

/// Scopes as they are stored: each once, in the order of docs/CONSOLE.md.
pub(super) fn scopes_json(scopes: &[OperatorScope]) -> serde_json::Value {
    OperatorScope::ALL.iter().filter(|scope| scopes.contains(scope)).map(|scope| scope.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_auditor_changes_nothing() {
        let changes = |scope: &&OperatorScope| !scope.as_str().ends_with(":view");
        assert_eq!(BuiltInRole::Auditor.scopes().iter().find(changes), None);
        assert_eq!(OperatorScope::ALL.map(OperatorScope::as_str), OperatorScope::VARIANTS);
    }
}
