//! What an operation of the console demands of whoever is signed in; part of the operation's type.

use crate::content_moderation::{ModerationApiError, ModerationErrorCode};
use domain::{
    accounts::{ConsoleScope, Scope},
    console::{ConsoleCaller, ConsolePerson},
    operators::OperatorScope,
};

/// A demand of an operation. The interface has no 403, so a caller without it gets 401.
pub(super) trait ConsolePermission: Send + Sync + 'static {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError>;
}

fn refused(words: impl Into<std::borrow::Cow<'static, str>>) -> ModerationApiError {
    ModerationApiError::new(ModerationErrorCode::Unauthorized, words)
}

/// Everybody who is signed in, even if a second factor is missing: to present or set up one, and to see who one is.
pub(super) struct AnySession;

impl ConsolePermission for AnySession {
    fn authorise(_caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        Ok(())
    }
}

/// Everybody who is signed in with all that they need.
pub(super) struct CompleteSession;

impl ConsolePermission for CompleteSession {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        if caller.is_complete() {
            return Ok(());
        }
        Err(refused("a second factor is needed; present one, or set one up"))
    }
}

/// Members who may manage the members of their account.
pub(super) struct ManagesMembers;

impl ConsolePermission for ManagesMembers {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        CompleteSession::authorise(caller)?;
        match &caller.person {
            ConsolePerson::Member { principal, .. } if principal.has_scope(Scope::MembersManage) => Ok(()),
            ConsolePerson::Member { .. } => {
                Err(refused(format!("the scope {} is needed", Scope::MembersManage)))
            }
            ConsolePerson::Operator(_) => Err(refused("this is for members of an account")),
        }
    }
}

/// Members who may make roles of their account, and give them.
pub(super) struct RolesManage;

impl ConsolePermission for RolesManage {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        require_member_scope(caller, ConsoleScope::RolesManage)
    }
}

/// Members who may give roles of their account, and operators who may manage operators.
pub(super) struct GivesConsoleScopes;

impl ConsolePermission for GivesConsoleScopes {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        match &caller.person {
            ConsolePerson::Member { .. } => RolesManage::authorise(caller),
            ConsolePerson::Operator(_) => OperatorsManage::authorise(caller),
        }
    }
}

/// Every operator.
pub(super) struct AnyOperator;

impl ConsolePermission for AnyOperator {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        CompleteSession::authorise(caller)?;
        match &caller.person {
            ConsolePerson::Operator(_) => Ok(()),
            ConsolePerson::Member { .. } => Err(refused("this is for operators of the installation")),
        }
    }
}

fn require_scope(caller: &ConsoleCaller, scope: OperatorScope) -> Result<(), ModerationApiError> {
    AnyOperator::authorise(caller)?;
    match &caller.person {
        ConsolePerson::Operator(operator) if operator.has_scope(scope) => Ok(()),
        _ => Err(refused(format!("the scope {scope} is needed"))),
    }
}

fn require_member_scope(caller: &ConsoleCaller, scope: ConsoleScope) -> Result<(), ModerationApiError> {
    CompleteSession::authorise(caller)?;
    match &caller.person {
        ConsolePerson::Member { principal, .. } if principal.has_console_scope(scope) => Ok(()),
        ConsolePerson::Member { .. } => Err(refused(format!("the scope {scope} is needed"))),
        ConsolePerson::Operator(_) => Err(refused("this is for members of an account")),
    }
}

/// Requires a scope of operators, or one of some scopes of members.
fn require_either(
    caller: &ConsoleCaller,
    of_operator: OperatorScope,
    of_member: &[ConsoleScope],
) -> Result<(), ModerationApiError> {
    let ConsolePerson::Member { principal, .. } = &caller.person else {
        return require_scope(caller, of_operator);
    };
    CompleteSession::authorise(caller)?;
    if of_member.iter().any(|scope| principal.has_console_scope(*scope)) {
        return Ok(());
    }
    let words: Vec<_> = of_member.iter().map(|scope| scope.as_str()).collect();
    Err(refused(format!("the scope {} is needed", words.join(" or "))))
}

/// Declares permissions that operators and members have by scopes of theirs.
macro_rules! shared_permissions {
    ($($name:ident: $of_operator:ident, $($of_member:ident)|+;)*) => {$(
        #[doc = concat!("Operators who have [`OperatorScope::", stringify!($of_operator), "`], and members with a scope like it.")]
        pub(super) struct $name;

        impl ConsolePermission for $name {
            fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
                require_either(caller, OperatorScope::$of_operator, &[$(ConsoleScope::$of_member),+])
            }
        }
    )*};
}

shared_permissions! {
    SessionsView: SessionsView, SessionsView;
    SessionsManage: SessionsManage, SessionsManage;
    KeysManage: KeysManage, KeysManage;
    UsageView: HealthView, UsageView;
    DeliveriesView: DeliveriesManage, DeliveriesView | DeliveriesManage;
    DeliveriesManage: DeliveriesManage, DeliveriesManage;
    AuditView: AuditView, AuditView;
}

/// Members who may set what a sandbox answers, and its clock.
pub(super) struct SandboxManage;

impl ConsolePermission for SandboxManage {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        require_member_scope(caller, ConsoleScope::SandboxManage)
    }
}

/// Operators who may see whom this server trusts: those with `settings:view` or `trust:manage`.
pub(super) struct TrustView;

impl ConsolePermission for TrustView {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        AnyOperator::authorise(caller)?;
        let scopes = [OperatorScope::SettingsView, OperatorScope::TrustManage];
        match &caller.person {
            ConsolePerson::Operator(operator) if scopes.iter().any(|scope| operator.has_scope(*scope)) => {
                Ok(())
            }
            _ => Err(refused(format!("the scope {} or {} is needed", scopes[0], scopes[1]))),
        }
    }
}

/// Operators who may see the audit trail as a whole.
pub(super) struct WholeAuditView;

impl ConsolePermission for WholeAuditView {
    fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
        require_scope(caller, OperatorScope::AuditView)
    }
}

/// Declares the permissions that operations ask of operators: a scope each.
macro_rules! operator_permissions {
    ($($scope:ident),* $(,)?) => {$(
        #[doc = concat!("Operators who have [`OperatorScope::", stringify!($scope), "`].")]
        pub(super) struct $scope;

        impl ConsolePermission for $scope {
            fn authorise(caller: &ConsoleCaller) -> Result<(), ModerationApiError> {
                require_scope(caller, OperatorScope::$scope)
            }
        }
    )*};
}

operator_permissions! {
    ApplicationsManage,
    DeletionsApprove,
    HealthView,
    JobsManage,
    ModelsView,
    OperatorsManage,
    OrganisationsManage,
    ProvidersTest,
    SettingsView,
}
