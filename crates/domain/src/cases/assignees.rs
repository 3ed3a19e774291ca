//! To whom a case may be handed.

use super::{CaseChangeError, CaseKind, CaseService, Reviewer};
use crate::accounts::{
    ConsoleScope, Scope,
    members::{self, Member},
    roles::{self, MemberRole},
};
use base::{AccountId, AppId, CaseId, MemberId};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::collections::{HashMap, hash_map::Entry};

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

/// A case that was handed to somebody.
#[derive(FromRow)]
struct AssignedRow {
    id: CaseId,
    #[sqlx(try_from = "String")]
    kind: CaseKind,
    assigned_to: MemberId,
    /// Of the member; `None` if they are none any more.
    account_id: Option<AccountId>,
}

/// The members of an account, with what they may decide.
struct AccountReviewers {
    members: Vec<Member>,
    roles: Vec<MemberRole>,
}

impl AccountReviewers {
    async fn list(view: &mut ReadTx, account: AccountId) -> Result<Self, DbError> {
        Ok(Self { members: members::list(view, account).await?, roles: roles::list(view, account).await? })
    }

    /// Those who may decide cases of a kind.
    fn of(&self, kind: CaseKind) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(move |member| match kind.review_scope() {
            ReviewScope::Account(scope) => member.granted_scopes().contains(&scope),
            ReviewScope::Console(scope) => {
                let role = self.roles.iter().find(|role| Some(role.id) == member.role_id);
                member.granted_console_scopes().contains(&scope)
                    || role.is_some_and(|role| role.console_scopes.contains(&scope))
            }
        })
    }
}

/// Makes cases of an application anybody's again that were handed to somebody who is no longer a member, or may not decide such
/// cases any more.
pub(super) async fn take_back_assignments(tx: &mut WriteTx, app: AppId) -> Result<(), DbError> {
    let assigned: Vec<AssignedRow> = tx
        .fetch_all(sql!(
            "SELECT c.id, c.kind, c.assigned_to, m.account_id FROM cases c LEFT JOIN members m ON m.id = c.assigned_to
              WHERE c.app_id = $1 AND c.assigned_to IS NOT NULL AND c.state IN ('OPEN', 'HELD') ORDER BY c.id",
            app,
        ))
        .await?;
    let mut reviewers: HashMap<AccountId, AccountReviewers> = HashMap::new();
    for AssignedRow { id, kind, assigned_to, account_id } in assigned {
        if let Some(account) = account_id {
            let reviewers = match reviewers.entry(account) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(AccountReviewers::list(tx, account).await?),
            };
            if reviewers.of(kind).any(|member| member.id == assigned_to) {
                continue;
            }
        }
        tx.execute(sql!(
            "UPDATE cases SET assigned_to = NULL WHERE id = $1 AND assigned_to = $2",
            id,
            assigned_to,
        ))
        .await?;
    }
    Ok(())
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
        let reviewers = AccountReviewers::list(view, reviewer.account).await?;
        let mut assignees: Vec<Assignee> = reviewers
            .of(kind)
            .filter(|member| member.id != reviewer.member)
            .filter(|member| decided.iter().all(|opinion| opinion.reviewer_id != member.id))
            .map(|member| Assignee { member: member.id, name: member.username.clone() })
            .collect();
        assignees.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(assignees)
    }
}
