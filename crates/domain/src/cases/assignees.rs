//! To whom a case may be handed.

use super::{CaseChangeError, CaseKind, CaseService, Reviewer};
use crate::accounts::{ConsoleScope, Scope, members, roles};
use base::{CaseId, MemberId};
use db::{FromRow, ReadTx, sql};

/// A member to whom a case may be handed.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignee {
    pub member: MemberId,
    pub name: String,
}

/// The scope that somebody needs to decide cases of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewScope {
    Account(Scope),
    Console(ConsoleScope),
}

impl CaseKind {
    /// The scope that somebody needs to decide cases of this kind.
    pub const fn review_scope(self) -> ReviewScope {
        match self {
            Self::Finding => ReviewScope::Account(Scope::NotificationsManage),
            Self::DocumentCheck => ReviewScope::Console(ConsoleScope::DocumentsReview),
            Self::AgeAppeal => ReviewScope::Console(ConsoleScope::AgesReview),
        }
    }

    /// What the stored scopes of somebody who has that scope are LIKE, as text.
    pub(super) fn stored_scope_pattern(self) -> String {
        let scope = match self.review_scope() {
            ReviewScope::Account(scope) => scope.as_str(),
            ReviewScope::Console(scope) => scope.as_str(),
        };
        format!("%\"{scope}\"%")
    }
}

#[derive(FromRow)]
struct OpinionRow {
    reviewer_id: MemberId,
}

#[derive(FromRow)]
struct KindRow {
    #[sqlx(try_from = "String")]
    kind: CaseKind,
}

impl CaseService {
    /// The members of the reviewer's account who may decide this case and have not done so, by name; the reviewer is not among
    /// them. Of an appeal, nobody is who has decided any case of its subject.
    pub async fn assignees(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<Vec<Assignee>, CaseChangeError> {
        self.require_visible(view, reviewer, case).await?;
        let found: Option<KindRow> =
            view.fetch_optional(sql!("SELECT kind FROM cases WHERE id = $1", case)).await?;
        let KindRow { kind } = found.ok_or(CaseChangeError::Missing)?;
        let decided: Vec<OpinionRow> = view
            .fetch_all(sql!(
                "SELECT o.reviewer_id FROM case_opinions o JOIN cases c ON c.id = $1
                  WHERE o.case_id IN (c.id, c.appeal_of)
                 UNION SELECT o.reviewer_id FROM cases c
                   JOIN cases d ON d.notification_id = c.notification_id OR d.check_id = c.check_id
                        OR d.age_session_id = c.age_session_id
                   JOIN case_opinions o ON o.case_id = d.id
                  WHERE c.id = $1 AND c.appeal_of IS NOT NULL AND c.golden_answer IS NULL AND d.golden_answer IS NULL",
                case,
            ))
            .await?;
        let roles = roles::list(view, reviewer.account).await?;
        let members = members::list(view, reviewer.account).await?;
        let may_decide = |member: &members::Member| {
            let role = roles.iter().find(|role| Some(role.id) == member.role_id);
            match kind.review_scope() {
                ReviewScope::Account(scope) => {
                    member.granted_scopes().contains(&scope)
                        || role.is_some_and(|role| role.scopes.contains(&scope))
                }
                ReviewScope::Console(scope) => {
                    member.granted_console_scopes().contains(&scope)
                        || role.is_some_and(|role| role.console_scopes.contains(&scope))
                }
            }
        };
        let mut assignees: Vec<Assignee> = members
            .iter()
            .filter(|member| member.id != reviewer.member && may_decide(member))
            .filter(|member| decided.iter().all(|opinion| opinion.reviewer_id != member.id))
            .map(|member| Assignee { member: member.id, name: member.username.clone() })
            .collect();
        assignees.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(assignees)
    }
}
