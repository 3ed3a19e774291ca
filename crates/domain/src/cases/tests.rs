//! Cases on a database, with a subject that only notes what was decided.

use super::{
    CaseChangeError, CaseDecision, CaseKind, CaseOutcome, CaseService, CaseSettings, CaseState, CaseSubject,
    CaseSubjects, DecisionError, OpinionInput, QueueInput, QueueRules, Reviewer, opinions::SettleCaseOpinion,
};
use crate::{
    accounts::{
        self, Scope, members,
        roles::{self, ConsoleGrant, Giver, MemberRoleContent},
    },
    tenancy::testing::TestApplication,
};
use base::{
    AccountId, AgeSessionId, AppId, CaseId, CaseOpinionId, CaseQueueId, Environment, Id as _, MemberId,
    SignedDuration, TestEnvironment, Timestamp,
};
use db::{DbError, FromRow, WriteTx, sql, testing::TestDb};
use futures_util::future::BoxFuture;
use jobs::Job as _;
use proptest::prelude::*;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

/// Notes every outcome.
#[derive(Debug, Default)]
struct Outcomes {
    noted: Mutex<Vec<(CaseId, CaseDecision)>>,
    is_account_closing: AtomicBool,
}

impl CaseSubjects for Outcomes {
    fn lock<'a>(
        &'a self,
        _: &'a mut WriteTx,
        _: Option<AccountId>,
        _: CaseSubject,
    ) -> BoxFuture<'a, Result<bool, DbError>> {
        Box::pin(std::future::ready(Ok(!self.is_account_closing.load(Ordering::Relaxed))))
    }

    fn apply<'a>(
        &'a self,
        _: &'a mut WriteTx,
        outcome: &'a CaseOutcome,
    ) -> BoxFuture<'a, Result<bool, DbError>> {
        self.noted.lock().unwrap().push((outcome.case, outcome.decision));
        Box::pin(std::future::ready(Ok(true)))
    }
}

struct Desk {
    test: TestDb,
    environment: Arc<TestEnvironment>,
    outcomes: Arc<Outcomes>,
    service: CaseService,
    app: AppId,
    account: AccountId,
}

impl Desk {
    async fn open() -> Self {
        Self::open_with(CaseSettings::default()).await
    }

    async fn open_with(settings: CaseSettings) -> Self {
        let TestApplication { test, environment, vault, app } = TestApplication::open().await;
        let outcomes = Arc::new(Outcomes::default());
        let service =
            CaseService::new(test.db.clone(), environment.clone(), vault, settings, outcomes.clone());
        let mut tx = test.db.write().await.unwrap();
        let account = accounts::create(&mut tx, &*environment, app, "Production", 100).await.unwrap();
        tx.commit().await.unwrap();
        Self { test, environment, outcomes, service, app, account }
    }

    async fn reviewer(&self, name: &str) -> Reviewer {
        let member = MemberId::new(&*self.environment);
        let mut tx = self.test.db.write().await.unwrap();
        tx.execute(sql!(
            "INSERT INTO members (id, account_id, email, address, username, admin, scopes, created_at)
             VALUES ($1, $2, $3, $3, $3, FALSE, $4, $5)",
            member,
            self.account,
            name,
            serde_json::json!([Scope::NotificationsManage.as_str()]),
            self.environment.now(),
        ))
        .await
        .unwrap();
        tx.commit().await.unwrap();
        Reviewer {
            app: self.app,
            account: self.account,
            member,
            name: name.to_owned(),
            kinds: vec![CaseKind::Finding],
            is_lead: false,
        }
    }

    /// A case of a finding, about an age session that stands for a notification.
    async fn case(&self, priority: i64, opinions: i64) -> CaseId {
        let (id, subject) = (CaseId::new(&*self.environment), AgeSessionId::new(&*self.environment));
        let mut tx = self.test.db.write().await.unwrap();
        tx.execute(sql!(
            "INSERT INTO age_sessions (id, app_id, sandbox, state, sealed, version, until_at, forget_at, created_at)
             VALUES ($1, $2, FALSE, 'PENDING', $3, 1, $4, $4, $4)",
            subject,
            self.app,
            vec![0_u8],
            self.environment.now(),
        ))
        .await
        .unwrap();
        tx.execute(sql!(
            "INSERT INTO cases (id, app_id, account_id, owner_id, kind, reason, priority, age_session_id, state, opinions_needed,
                                due_at, created_at)
             VALUES ($1, $2, $3, $3, 'FINDING', 'UNKNOWN_FACE', $4, $5, 'OPEN', $6, $7, $7)",
            id,
            self.app,
            self.account,
            priority,
            subject,
            opinions,
            self.environment.now(),
        ))
        .await
        .unwrap();
        tx.commit().await.unwrap();
        id
    }

    async fn claim(&self, reviewer: &Reviewer, count: usize) -> Result<Vec<CaseId>, CaseChangeError> {
        let mut tx = self.test.db.write().await?;
        let claimed = self.service.claim(&mut tx, reviewer, None, count).await?;
        tx.commit().await?;
        Ok(claimed)
    }

    /// Renews leases, and returns the cases that are still the reviewer's.
    async fn renew(&self, reviewer: &Reviewer, cases: &[CaseId]) -> Vec<CaseId> {
        let mut tx = self.test.db.write().await.unwrap();
        let renewed = self.service.renew(&mut tx, reviewer, cases).await.unwrap();
        tx.commit().await.unwrap();
        renewed.into_iter().map(|(case, _)| case).collect()
    }

    async fn decide(
        &self,
        reviewer: &Reviewer,
        case: CaseId,
        decision: CaseDecision,
    ) -> Result<Timestamp, DecisionError> {
        let input =
            OpinionInput { decision, reason_code: None, comment: "why".to_owned(), exposure_seconds: 1.5 };
        let mut tx = self.test.db.write().await?;
        let settles_at = self.service.decide(&mut tx, reviewer, case, &input).await?;
        tx.commit().await?;
        Ok(settles_at)
    }

    async fn undo(&self, reviewer: &Reviewer, case: CaseId) -> Result<Timestamp, DecisionError> {
        let mut tx = self.test.db.write().await?;
        let until = self.service.undo(&mut tx, reviewer, case).await?;
        tx.commit().await?;
        Ok(until)
    }

    /// Has a reviewer claim the only case, and hand it over.
    async fn hand_over(&self, from: &Reviewer, case: CaseId, to: &Reviewer) {
        assert_eq!(self.claim(from, 1).await.unwrap(), [case]);
        let mut tx = self.test.db.write().await.unwrap();
        self.service.assign(&mut tx, from, case, to.member).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(self.claim(from, 1).await.unwrap(), [], "it is {}'s alone", to.name);
    }

    async fn appeal(&self, lead: &Reviewer, case: CaseId) -> CaseId {
        let mut tx = self.test.db.write().await.unwrap();
        let appeal = self.service.create_appeal(&mut tx, lead, case).await.unwrap();
        tx.commit().await.unwrap();
        appeal
    }

    /// A golden case, made of one that the reviewer has decided, in a queue that always draws it.
    async fn golden_case(&self, reviewer: &Reviewer) -> (CaseQueueId, CaseId) {
        let case = self.case(1, 1).await;
        assert_eq!(self.claim(reviewer, 1).await.unwrap(), [case]);
        self.decide(reviewer, case, CaseDecision::Confirm).await.unwrap();
        self.settle_after_undo_time().await;
        let queue = queue_that_draws_golden_cases();
        let mut tx = self.test.db.write().await.unwrap();
        let owner = (self.app, Some(self.account));
        let queue = self.service.create_queue(&mut tx, owner, &queue).await.unwrap();
        let golden =
            self.service.create_golden(&mut tx, reviewer, case, CaseDecision::Confirm).await.unwrap();
        tx.execute(sql!("UPDATE cases SET queue_id = $2 WHERE id = $1", golden, queue)).await.unwrap();
        tx.commit().await.unwrap();
        (queue, golden)
    }

    async fn claim_of(&self, reviewer: &Reviewer, queue: CaseQueueId) -> Vec<CaseId> {
        let mut tx = self.test.db.write().await.unwrap();
        let claimed = self.service.claim(&mut tx, reviewer, Some(queue), 1).await.unwrap();
        tx.commit().await.unwrap();
        claimed
    }

    /// Settles what is due, as the worker does.
    async fn settle_due(&self) {
        #[derive(FromRow)]
        struct DueJobRow {
            id: base::Uuid,
            #[sqlx(json)]
            payload: SettleCaseOpinion,
        }
        let due: Vec<DueJobRow> = self
            .test
            .db
            .read()
            .await
            .unwrap()
            .fetch_all(sql!(
                "SELECT id, payload FROM jobs WHERE kind = $1 AND run_at <= $2",
                SettleCaseOpinion::KIND,
                self.environment.now()
            ))
            .await
            .unwrap();
        for DueJobRow { id, payload } in due {
            let mut tx = self.test.db.write().await.unwrap();
            self.service.settle_in(&mut tx, payload.opinion).await.unwrap();
            tx.execute(sql!("DELETE FROM jobs WHERE id = $1", id)).await.unwrap();
            tx.commit().await.unwrap();
        }
    }

    async fn settle_after_undo_time(&self) {
        self.environment.advance(SignedDuration::from_secs(10));
        self.settle_due().await;
    }

    fn outcomes(&self) -> Vec<(CaseId, CaseDecision)> {
        self.outcomes.noted.lock().unwrap().clone()
    }
}

fn queue_that_draws_golden_cases() -> QueueInput {
    QueueInput {
        name: "All".to_owned(),
        rules: QueueRules::default(),
        priority: 0,
        target_minutes: 90,
        opinions: 1,
        second_opinion_percent: 0,
        golden_percent: 100,
        policy: String::new(),
        reason_codes: Vec::new(),
    }
}

#[tokio::test]
async fn nothing_is_settled_of_an_account_that_is_being_deleted() {
    let desk = Desk::open().await;
    let ada = desk.reviewer("ada").await;
    let case = desk.case(1, 1).await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [case]);
    desk.decide(&ada, case, CaseDecision::Confirm).await.unwrap();
    desk.outcomes.is_account_closing.store(true, Ordering::Relaxed);
    desk.settle_after_undo_time().await;
    assert_eq!(desk.outcomes(), []);
}

#[tokio::test]
async fn cases_are_claimed_by_priority_and_belong_to_one_reviewer() {
    let desk = Desk::open().await;
    let (ada, eve) = (desk.reviewer("ada").await, desk.reviewer("eve").await);
    let low = desk.case(1, 1).await;
    let high = desk.case(9, 1).await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [high]);
    assert_eq!(desk.claim(&eve, 5).await.unwrap(), [low], "the other one is taken");
    assert_eq!(desk.claim(&ada, 5).await.unwrap(), [high], "it is still hers");
    desk.environment.advance(SignedDuration::from_secs(61));
    assert_eq!(
        desk.claim(&eve, 2).await.unwrap(),
        [low, high],
        "whose lease ended loses the case to whoever claims it"
    );
    let refused = desk.decide(&ada, high, CaseDecision::Confirm).await;
    assert!(matches!(refused, Err(DecisionError::Case(CaseChangeError::NotHeld))));
}

#[tokio::test]
async fn a_decision_has_its_effect_after_ten_seconds_and_not_before() {
    let desk = Desk::open().await;
    let ada = desk.reviewer("ada").await;
    let case = desk.case(1, 1).await;
    desk.claim(&ada, 1).await.unwrap();
    let settles_at = desk.decide(&ada, case, CaseDecision::FalseAlarm).await.unwrap();
    assert_eq!(settles_at, desk.environment.now() + SignedDuration::from_secs(10));
    desk.environment.advance(SignedDuration::from_secs(9));
    desk.settle_due().await;
    assert_eq!(desk.outcomes(), []);
    desk.environment.advance(SignedDuration::from_secs(1));
    desk.settle_due().await;
    assert_eq!(desk.outcomes(), [(case, CaseDecision::FalseAlarm)]);
    assert!(matches!(desk.undo(&ada, case).await, Err(DecisionError::Settled)));
}

#[tokio::test]
async fn a_decision_that_is_taken_back_has_no_effect() {
    let desk = Desk::open().await;
    let (ada, eve) = (desk.reviewer("ada").await, desk.reviewer("eve").await);
    let case = desk.case(1, 1).await;
    desk.claim(&ada, 1).await.unwrap();
    desk.decide(&ada, case, CaseDecision::FalseAlarm).await.unwrap();
    desk.undo(&ada, case).await.unwrap();
    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [], "it is hers again");
    desk.settle_after_undo_time().await;
    assert_eq!(desk.outcomes(), []);
    desk.decide(&ada, case, CaseDecision::Confirm).await.unwrap();
    desk.settle_after_undo_time().await;
    assert_eq!(desk.outcomes(), [(case, CaseDecision::Confirm)]);
}

#[tokio::test]
async fn two_opinions_are_independent_and_a_third_reviewer_breaks_the_tie() {
    let desk = Desk::open().await;
    let [ada, eve, kim] =
        [desk.reviewer("ada").await, desk.reviewer("eve").await, desk.reviewer("kim").await];
    let case = desk.case(1, 2).await;
    desk.claim(&ada, 1).await.unwrap();
    desk.decide(&ada, case, CaseDecision::Confirm).await.unwrap();
    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [], "the first decision can still be taken back");
    desk.settle_after_undo_time().await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [], "she has decided");
    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [case]);
    desk.decide(&eve, case, CaseDecision::FalseAlarm).await.unwrap();
    desk.settle_after_undo_time().await;
    assert_eq!(desk.outcomes(), [], "they differ");
    assert_eq!(desk.claim(&kim, 1).await.unwrap(), [case]);
    desk.decide(&kim, case, CaseDecision::FalseAlarm).await.unwrap();
    desk.settle_after_undo_time().await;
    assert_eq!(desk.outcomes(), [(case, CaseDecision::FalseAlarm)]);
}

#[tokio::test]
async fn a_case_on_hold_comes_back_and_one_that_was_handed_over_is_the_receivers_alone() {
    let desk = Desk::open().await;
    let (ada, eve) = (desk.reviewer("ada").await, desk.reviewer("eve").await);
    let case = desk.case(1, 1).await;
    desk.claim(&ada, 1).await.unwrap();
    let until = desk.environment.now() + SignedDuration::from_hours(1);
    let mut tx = desk.test.db.write().await.unwrap();
    let hold = super::HoldRequest { until, note: "ask them".to_owned() };
    desk.service.hold(&mut tx, &ada, case, &hold).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), []);
    desk.environment.advance(SignedDuration::from_hours(1));
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [case]);
    let mut tx = desk.test.db.write().await.unwrap();
    desk.service.assign(&mut tx, &ada, case, eve.member).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), []);
    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [case]);
}

#[tokio::test]
async fn a_case_is_anybodys_again_once_whoever_it_was_handed_to_may_not_decide_it_any_more() {
    let desk = Desk::open().await;
    let [ada, eve, kim, lea] = [
        desk.reviewer("ada").await,
        desk.reviewer("eve").await,
        desk.reviewer("kim").await,
        desk.reviewer("lea").await,
    ];
    let case = desk.case(1, 1).await;

    desk.hand_over(&ada, case, &eve).await;
    let until = desk.environment.now() + SignedDuration::from_hours(1);
    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [case]);
    let mut tx = desk.test.db.write().await.unwrap();
    let hold = super::HoldRequest { until, note: String::new() };
    desk.service.hold(&mut tx, &eve, case, &hold).await.unwrap();
    members::remove(&mut tx, desk.account, eve.member, true).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [], "it is still on hold");
    desk.environment.advance(SignedDuration::from_hours(1));

    desk.hand_over(&ada, case, &kim).await;
    let without_scopes = serde_json::json!([]);
    let mut tx = desk.test.db.write().await.unwrap();
    tx.execute(sql!("UPDATE members SET scopes = $2 WHERE id = $1", kim.member, without_scopes.clone()))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [case], "Kim has lost the scope");
    let mut view = desk.test.db.read().await.unwrap();
    assert_eq!(desk.service.find(&mut view, &ada, case).await.unwrap().assigned_to, None);
    drop(view);

    let mut role = MemberRoleContent {
        name: "Reviewers".to_owned(),
        scopes: vec![Scope::NotificationsManage],
        console_scopes: Vec::new(),
    };
    let mut tx = desk.test.db.write().await.unwrap();
    let id = roles::create(&mut tx, &*desk.environment, Giver::Operator, desk.account, &role).await.unwrap();
    let grant = ConsoleGrant { role: Some(id), console_scopes: Vec::new() };
    roles::set_grant(&mut tx, Giver::Operator, desk.account, lea.member, &grant).await.unwrap();
    tx.execute(sql!("UPDATE members SET scopes = $2 WHERE id = $1", lea.member, without_scopes))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    desk.hand_over(&ada, case, &lea).await;
    role.scopes.clear();
    let mut tx = desk.test.db.write().await.unwrap();
    roles::change(&mut tx, Giver::Operator, desk.account, id, &role).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [case], "Lea's role has lost the scope");
}

#[tokio::test]
async fn an_appeal_goes_to_nobody_who_has_decided_about_the_same_subject() {
    let desk = Desk::open().await;
    let [ada, eve, kim] =
        [desk.reviewer("ada").await, desk.reviewer("eve").await, desk.reviewer("kim").await];
    let decide = async |reviewer: &Reviewer, case: CaseId| {
        assert_eq!(desk.claim(reviewer, 1).await.unwrap(), [case]);
        desk.decide(reviewer, case, CaseDecision::Confirm).await.unwrap();
        desk.settle_after_undo_time().await;
    };
    let first = desk.case(1, 1).await;
    decide(&ada, first).await;
    let appeal = desk.appeal(&ada, first).await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), []);
    decide(&eve, appeal).await;

    // Against what was decided about the appeal, and once more against the first decision.
    for appealed in [appeal, first] {
        let again = desk.appeal(&ada, appealed).await;
        assert_eq!(desk.claim(&ada, 1).await.unwrap(), [], "she decided first");
        assert_eq!(desk.claim(&eve, 1).await.unwrap(), [], "she decided about the appeal");
        let lead = Reviewer { is_lead: true, ..ada.clone() };
        for (to, may_get_it) in [(&ada, false), (&eve, false), (&kim, true)] {
            let mut tx = desk.test.db.write().await.unwrap();
            let assigned = desk.service.assign(&mut tx, &lead, again, to.member).await;
            assert_eq!(assigned.is_ok(), may_get_it, "{}: {assigned:?}", to.name);
            tx.commit().await.unwrap();
        }
        let mut tx = desk.test.db.write().await.unwrap();
        desk.service.release(&mut tx, &lead, again).await.unwrap();
        tx.execute(sql!("DELETE FROM cases WHERE id = $1", again)).await.unwrap();
        tx.commit().await.unwrap();
    }
    let other = desk.case(1, 1).await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [other], "what is about somebody else is not barred");
}

#[tokio::test]
async fn a_queue_that_the_database_refuses_is_no_fault_of_the_request() {
    let desk = Desk::open().await;
    let mut tx = desk.test.db.write().await.unwrap();
    let nobody = (AppId::new(&*desk.environment), None);
    let refused = desk.service.create_queue(&mut tx, nobody, &queue_that_draws_golden_cases()).await;
    assert!(matches!(refused, Err(CaseChangeError::Db(_))), "{refused:?}");
}

#[tokio::test]
async fn a_golden_case_looks_like_one_that_has_just_come_in() {
    let desk = Desk::open().await;
    let (ada, eve) = (desk.reviewer("ada").await, desk.reviewer("eve").await);
    let (queue, golden) = desk.golden_case(&ada).await;
    desk.environment.advance(SignedDuration::from_hours(24 * 30));
    assert_eq!(desk.claim_of(&ada, queue).await, [], "she decided about it");
    assert_eq!(desk.claim_of(&eve, queue).await, [golden]);
    let now = desk.environment.now();
    let mut view = desk.test.db.read().await.unwrap();
    let seen = desk.service.find(&mut view, &eve, golden).await.unwrap();
    assert_eq!((seen.state, seen.appeal_of), (CaseState::Open, None));
    assert_eq!((seen.created_at, seen.due_at), (now, now + SignedDuration::from_mins(90)));
}

#[tokio::test]
async fn a_golden_case_is_put_on_hold_and_handed_over_like_any_other_and_stays_one() {
    let desk = Desk::open().await;
    let [ada, eve, kim] =
        [desk.reviewer("ada").await, desk.reviewer("eve").await, desk.reviewer("kim").await];
    let (queue, golden) = desk.golden_case(&ada).await;
    assert_eq!(desk.claim_of(&eve, queue).await, [golden]);
    let until = desk.environment.now() + SignedDuration::from_hours(1);
    let mut tx = desk.test.db.write().await.unwrap();
    let hold = super::HoldRequest { until, note: "ask them".to_owned() };
    desk.service.hold(&mut tx, &eve, golden, &hold).await.unwrap();
    tx.commit().await.unwrap();
    for reviewer in [&eve, &kim] {
        assert_eq!(desk.claim_of(reviewer, queue).await, [], "{}", reviewer.name);
    }
    desk.environment.advance(SignedDuration::from_hours(1));
    assert_eq!(desk.claim_of(&kim, queue).await, [golden]);
    let mut tx = desk.test.db.write().await.unwrap();
    desk.service.assign(&mut tx, &kim, golden, eve.member).await.unwrap();
    tx.commit().await.unwrap();
    let mut view = desk.test.db.read().await.unwrap();
    let golden_still = sql!(
        "SELECT count(*) FROM cases WHERE state = 'GOLDEN' AND assigned_to IS NULL AND holder_id IS NULL"
    );
    assert_eq!(view.count(golden_still).await.unwrap(), 1);
    drop(view);
    assert_eq!(desk.claim_of(&kim, queue).await, [golden], "it measures whoever draws it");
}

#[tokio::test]
async fn a_case_whose_lease_has_ended_comes_back_to_its_holder_golden_or_not() {
    let desk = Desk::open().await;
    let (ada, eve) = (desk.reviewer("ada").await, desk.reviewer("eve").await);
    let (queue, golden) = desk.golden_case(&ada).await;
    assert_eq!(desk.claim_of(&eve, queue).await, [golden]);
    // More urgent ones come in meanwhile.
    for _ in 0..2 {
        desk.case(9, 1).await;
    }
    desk.environment.advance(SignedDuration::from_secs(61));
    assert_eq!(desk.renew(&eve, &[golden]).await, [golden]);
    desk.environment.advance(SignedDuration::from_secs(61));
    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [golden]);
    desk.decide(&eve, golden, CaseDecision::Confirm).await.unwrap();
    assert_eq!(desk.renew(&eve, &[golden]).await, [], "it is decided");

    let desk = Desk::open().await;
    let ada = desk.reviewer("ada").await;
    let ordinary = desk.case(1, 1).await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [ordinary]);
    for _ in 0..2 {
        desk.case(9, 1).await;
    }
    desk.environment.advance(SignedDuration::from_secs(61));
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [ordinary]);
    desk.environment.advance(SignedDuration::from_secs(61));
    assert_eq!(desk.renew(&ada, &[ordinary]).await, [ordinary]);
    desk.decide(&ada, ordinary, CaseDecision::Confirm).await.unwrap();
}

#[tokio::test]
async fn a_case_whose_lease_has_ended_comes_back_to_nobody_who_has_lost_it_since() {
    let desk = Desk::open().await;
    let (ada, eve) = (desk.reviewer("ada").await, desk.reviewer("eve").await);
    let case = desk.case(1, 1).await;
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [case]);
    desk.environment.advance(SignedDuration::from_secs(61));
    let without_scope = Reviewer { kinds: vec![CaseKind::DocumentCheck], ..ada.clone() };
    assert_eq!(desk.claim(&without_scope, 1).await.unwrap(), [], "she may not decide it any more");
    assert_eq!(desk.renew(&without_scope, &[case]).await, []);

    assert_eq!(desk.claim(&eve, 1).await.unwrap(), [case]);
    desk.environment.advance(SignedDuration::from_secs(61));
    assert_eq!(desk.renew(&ada, &[case]).await, [], "Eve was the last to claim it");
    assert_eq!(desk.renew(&eve, &[case]).await, [case]);
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), []);

    let lead = Reviewer { is_lead: true, ..ada.clone() };
    let mut tx = desk.test.db.write().await.unwrap();
    desk.service.release(&mut tx, &lead, case).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(desk.renew(&eve, &[case]).await, [], "it was taken from her");
}

#[tokio::test]
async fn no_more_cases_come_back_than_are_wanted() {
    let desk = Desk::open().await;
    let ada = desk.reviewer("ada").await;
    let (first, second) = (desk.case(9, 1).await, desk.case(1, 1).await);
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [first]);
    desk.environment.advance(SignedDuration::from_secs(30));
    assert_eq!(desk.claim(&ada, 2).await.unwrap(), [first, second]);
    desk.environment.advance(SignedDuration::from_secs(30));
    assert_eq!(desk.renew(&ada, &[first]).await, [first]);
    desk.environment.advance(SignedDuration::from_secs(31));
    assert_eq!(desk.claim(&ada, 1).await.unwrap(), [first], "the other lease has ended");
    assert_eq!(desk.claim(&ada, 2).await.unwrap(), [first, second]);
}

#[tokio::test]
async fn whoever_has_looked_for_too_long_gets_no_further_cases() {
    let settings = CaseSettings { exposure_budget: SignedDuration::from_mins(1), ..CaseSettings::default() };
    let desk = Desk::open_with(settings).await;
    let ada = desk.reviewer("ada").await;
    let case = desk.case(1, 1).await;
    desk.case(1, 1).await;
    desk.claim(&ada, 1).await.unwrap();
    let mut tx = desk.test.db.write().await.unwrap();
    let view = super::PictureView { picture: "face".to_owned(), seconds: 60.0 };
    desk.service.record_views(&mut tx, &ada, case, &[view]).await.unwrap();
    tx.commit().await.unwrap();
    assert!(matches!(desk.claim(&ada, 2).await, Err(CaseChangeError::BudgetUsedUp { .. })));
    desk.environment.advance(SignedDuration::from_hours(10));
    assert_eq!(desk.claim(&ada, 1).await.unwrap().len(), 1, "it is another day");
}

#[tokio::test]
async fn another_account_sees_nothing() {
    let desk = Desk::open().await;
    let ada = desk.reviewer("ada").await;
    let case = desk.case(1, 1).await;
    let stranger = Reviewer { account: AccountId::new(&*desk.environment), ..ada.clone() };
    assert_eq!(desk.claim(&stranger, 1).await.unwrap(), []);
    let mut view = desk.test.db.read().await.unwrap();
    assert!(matches!(desk.service.find(&mut view, &stranger, case).await, Err(CaseChangeError::Missing)));
    let elsewhere = Reviewer { app: AppId::new(&*desk.environment), ..ada.clone() };
    assert!(matches!(desk.service.find(&mut view, &elsewhere, case).await, Err(CaseChangeError::Missing)));
    let without_scope = Reviewer { kinds: vec![CaseKind::DocumentCheck], ..ada };
    assert!(matches!(
        desk.service.find(&mut view, &without_scope, case).await,
        Err(CaseChangeError::Missing)
    ));
}

/// What reviewers do, in an order that chance chooses.
#[derive(Clone, Copy, Debug)]
enum Step {
    Claim(usize),
    Renew(usize),
    Decide(usize, bool),
    Undo(usize),
    Release(usize),
    Wait(u8),
    Settle,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_usize).prop_map(Step::Claim),
        2 => (0..3_usize).prop_map(Step::Renew),
        3 => (0..3_usize, any::<bool>()).prop_map(|(who, yes)| Step::Decide(who, yes)),
        2 => (0..3_usize).prop_map(Step::Undo),
        1 => (0..3_usize).prop_map(Step::Release),
        3 => (1..70_u8).prop_map(Step::Wait),
        2 => Just(Step::Settle),
    ];
    prop::collection::vec(step, 1..60)
}

/// What each reviewer believes to hold, by what they were told; nobody's belief may overlap with another's.
async fn play(desk: &Desk, reviewers: &[Reviewer], steps: &[Step]) {
    let lease = desk.service.settings().lease;
    let mut held: HashMap<CaseId, (usize, Timestamp)> = HashMap::new();
    let mut decided: HashMap<CaseId, usize> = HashMap::new();
    let mut undone = 0;
    for step in steps {
        let now = desk.environment.now();
        let mine = |held: &HashMap<CaseId, (usize, Timestamp)>, who: usize| {
            let mut own: Vec<CaseId> = held
                .iter()
                .filter(|(_, (holder, until))| *holder == who && *until > now)
                .map(|(case, _)| *case)
                .collect();
            own.sort();
            own
        };
        match *step {
            Step::Claim(who) => {
                for case in desk.claim(&reviewers[who], 2).await.unwrap() {
                    let other = held.get(&case).filter(|(holder, until)| *holder != who && *until > now);
                    assert!(other.is_none(), "{case} is held twice");
                    held.insert(case, (who, now + lease));
                }
            }
            Step::Renew(who) => {
                // Leases that have ended too.
                let own: Vec<CaseId> =
                    held.iter().filter(|(_, (holder, _))| *holder == who).map(|(case, _)| *case).collect();
                let mut tx = desk.test.db.write().await.unwrap();
                let renewed = desk.service.renew(&mut tx, &reviewers[who], &own).await.unwrap();
                tx.commit().await.unwrap();
                assert_eq!(renewed.len(), own.len(), "a lease goes on until somebody else has the case");
                held.extend(renewed.into_iter().map(|(case, until)| (case, (who, until))));
            }
            Step::Decide(who, yes) => {
                let Some(case) = mine(&held, who).first().copied() else { continue };
                let decision = if yes { CaseDecision::Confirm } else { CaseDecision::FalseAlarm };
                desk.decide(&reviewers[who], case, decision).await.unwrap();
                held.remove(&case);
                decided.insert(case, who);
            }
            Step::Undo(who) => {
                let Some(case) = decided.iter().find(|(_, by)| **by == who).map(|(case, _)| *case) else {
                    continue;
                };
                if let Ok(until) = desk.undo(&reviewers[who], case).await {
                    assert!(desk.outcomes().iter().all(|(settled, _)| *settled != case), "it had left");
                    undone += 1;
                    held.insert(case, (who, until));
                }
                decided.remove(&case);
            }
            Step::Release(who) => {
                let Some(case) = mine(&held, who).first().copied() else { continue };
                let mut tx = desk.test.db.write().await.unwrap();
                desk.service.release(&mut tx, &reviewers[who], case).await.unwrap();
                tx.commit().await.unwrap();
                held.remove(&case);
            }
            Step::Wait(seconds) => desk.environment.advance(SignedDuration::from_secs(seconds.into())),
            Step::Settle => desk.settle_due().await,
        }
    }
    desk.environment.advance(SignedDuration::from_hours(1));
    desk.settle_due().await;
    let mut settled: Vec<CaseId> = desk.outcomes().into_iter().map(|(case, _)| case).collect();
    let all = settled.len();
    settled.sort();
    settled.dedup();
    assert_eq!(settled.len(), all, "a case was settled twice ({undone} were undone)");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_reviewers_never_hold_one_case_and_nothing_is_settled_twice(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = Desk::open().await;
            let reviewers = [desk.reviewer("ada").await, desk.reviewer("eve").await, desk.reviewer("kim").await];
            for priority in 0..4 {
                desk.case(priority, 1 + priority % 2).await;
            }
            play(&desk, &reviewers, &steps).await;
        });
    }
}

/// Reviewers who really act at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reviewers_who_claim_at_the_same_time_get_different_cases() {
    let desk = Arc::new(Desk::open().await);
    for _ in 0..60 {
        desk.case(1, 1).await;
    }
    let held = Arc::new(Mutex::new(HashMap::<CaseId, String>::new()));
    let mut tasks = Vec::new();
    for name in ["ada", "eve", "kim", "lea"] {
        let (desk, held) = (desk.clone(), held.clone());
        let reviewer = desk.reviewer(name).await;
        tasks.push(tokio::spawn(async move {
            let mut settled = 0;
            loop {
                let claimed = desk.claim(&reviewer, 2).await.unwrap();
                let Some(case) = claimed.first().copied() else { break settled };
                for case in claimed {
                    let other = held.lock().unwrap().insert(case, reviewer.name.clone());
                    assert!(other.is_none_or(|other| other == reviewer.name), "{case} is held twice");
                }
                held.lock().unwrap().remove(&case);
                desk.decide(&reviewer, case, CaseDecision::Confirm).await.unwrap();
                settled += 1;
            }
        }));
    }
    let mut all = 0;
    for task in tasks {
        all += task.await.unwrap();
    }
    assert_eq!(all, 60);
}

/// Settling and taking back at the same moment: one of the two wins, whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_decision_is_either_taken_back_or_settled() {
    let desk = Arc::new(Desk::open().await);
    let ada = desk.reviewer("ada").await;
    let mut taken_back = 0;
    for _ in 0..20 {
        let case = desk.case(1, 1).await;
        desk.claim(&ada, 1).await.unwrap();
        desk.decide(&ada, case, CaseDecision::Confirm).await.unwrap();
        desk.environment.advance(SignedDuration::from_secs(10));
        let settling = tokio::spawn({
            let desk = desk.clone();
            async move { desk.settle_due().await }
        });
        let undone = desk.undo(&ada, case).await;
        settling.await.unwrap();
        let settled = desk.outcomes().iter().any(|(known, _)| *known == case);
        assert_ne!(undone.is_ok(), settled, "{undone:?}");
        if undone.is_ok() {
            taken_back += 1;
            desk.decide(&ada, case, CaseDecision::Confirm).await.unwrap();
        }
        desk.settle_after_undo_time().await;
    }
    assert_eq!(desk.outcomes().len(), 20, "{taken_back} were taken back first");
}

/// A row that an older version queued must still be readable.
#[test]
fn old_payloads_still_parse() {
    let id: CaseOpinionId = base::Uuid::from_u128(7).into();
    let parsed: SettleCaseOpinion = serde_json::from_value(serde_json::json!({ "opinion": id })).unwrap();
    assert_eq!(parsed.opinion, id);
}
