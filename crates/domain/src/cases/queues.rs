//! Queues: which cases they take, how soon these are due, and how many reviewers decide about each.

use super::{
    CaseKind, CaseService,
    creation::NewCase,
    leases::CaseChangeError,
    opinions::{MAX_COMMENT_CHARS, is_malformed_code},
};
use crate::violation::{Violation, check_max_chars, check_max_items};
use base::{AccountId, AppId, CaseQueueId, Environment, Id as _, LimitViolation, SignedDuration, Timestamp};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest name of a queue, in characters.
const MAX_QUEUE_NAME_CHARS: usize = 100;
/// The longest text of a policy, in characters.
const MAX_POLICY_CHARS: usize = 10_000;
/// How many queues an account, or an application, may have.
const MAX_QUEUES: i64 = 50;
/// How many values a rule may list.
const MAX_RULE_VALUES: usize = 50;
/// The longest value of a rule, in characters.
const MAX_RULE_VALUE_CHARS: usize = 64;
/// Reason codes of a queue, at most.
const MAX_REASON_CODES: usize = 20;
/// Reviewers that decide about one case, at most.
const MAX_OPINIONS: i64 = 9;
/// A month of minutes: the longest target.
const MAX_TARGET_MINUTES: i64 = 31 * 24 * 60;
/// How long a case may wait that no queue takes.
pub(super) const TARGET_WITHOUT_QUEUE: SignedDuration = SignedDuration::from_hours(24);
/// How far a queue raises or lowers the priority of its cases, at most.
const MAX_PRIORITY: i64 = 1000;

/// The language that a tag (RFC 5646) or the name of a locale begins with, in lower case: `de` of `de-AT` and of `de_AT`.
/// `None` where it begins with none.
pub(crate) fn primary_language(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_']).next()?;
    let is_language =
        (2..=8).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_language.then(|| primary.to_ascii_lowercase())
}

/// Which cases a queue takes: those that every list allows. An empty list allows all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct QueueRules {
    /// Kinds of cases.
    pub kinds: Vec<CaseKind>,
    /// Reasons: of findings `BANNED_PROFILE`, `AGE_ESTIMATION` and `UNKNOWN_FACE`, of checks their types.
    pub reasons: Vec<String>,
    /// Languages of the people concerned, such as `de`; of `de-AT` the `de` counts. A case of unknown language is not taken.
    pub languages: Vec<String>,
}

impl QueueRules {
    fn take(&self, case: &NewCase) -> bool {
        fn allows<T: PartialEq>(list: &[T], value: impl Fn(&T) -> bool) -> bool {
            list.is_empty() || list.iter().any(value)
        }
        allows(&self.kinds, |kind| *kind == case.kind)
            && allows(&self.reasons, |reason| *reason == case.reason)
            && allows(&self.languages, |language| {
                case.language.is_some() && primary_language(language) == case.language
            })
    }
}

/// A reason that reviewers give a decision with one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReasonCode {
    /// One word of capital letters, such as `DATA_MISMATCH`; at most 64 bytes.
    #[schema(max_length = 64, pattern = "^[A-Z0-9_]+$")]
    pub code: String,
    /// What reviewers read; 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub label: String,
    /// The comment that it begins with; at most 500 characters.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub comment: String,
}

impl ReasonCode {
    fn violation(&self) -> Option<&'static str> {
        if is_malformed_code(&self.code) {
            return Some("its code is one word of capital letters, such as DATA_MISMATCH");
        }
        if !(1..=MAX_QUEUE_NAME_CHARS).contains(&self.label.trim().chars().count()) {
            return Some("its label has 1 to 100 characters");
        }
        (self.comment.chars().count() > MAX_COMMENT_CHARS).then_some("its comment has at most 500 characters")
    }
}

/// A queue as it is set up.
#[derive(Clone, Debug)]
pub struct QueueInput {
    /// 1 to 100 characters.
    pub name: String,
    pub rules: QueueRules,
    /// Added to the priority of its cases.
    pub priority: i64,
    /// Minutes from the creation of a case until it is due.
    pub target_minutes: i64,
    /// How many reviewers decide about each case independently.
    pub opinions: i64,
    /// About how many of a hundred cases one more reviewer decides.
    pub second_opinion_percent: i64,
    /// How many of a hundred cases that a reviewer gets are golden ones.
    pub golden_percent: i64,
    /// What reviewers read beside its cases.
    pub policy: String,
    /// Reasons that they give decisions; at most 20.
    pub reason_codes: Vec<ReasonCode>,
}

impl QueueInput {
    /// What is wrong with it; empty if nothing is.
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let name = self.name.trim().chars().count();
        if name == 0 {
            found.push(Violation::new("name", "it is required"));
        }
        found.extend(check_max_chars("name", "it has", name, MAX_QUEUE_NAME_CHARS, "shorten it").err());
        let policy = self.policy.chars().count();
        found.extend(check_max_chars("policy", "it has", policy, MAX_POLICY_CHARS, "shorten it").err());
        for (path, list) in
            [("rules.reasons", &self.rules.reasons), ("rules.languages", &self.rules.languages)]
        {
            found.extend(check_max_items(path, list.len(), MAX_RULE_VALUES, "make another queue").err());
            if list.iter().any(|value| value.is_empty() || value.chars().count() > MAX_RULE_VALUE_CHARS) {
                let message = format!("each value has 1 to {MAX_RULE_VALUE_CHARS} characters");
                found.push(Violation::new(path, message));
            }
        }
        let codes = self.reason_codes.len();
        found.extend(check_max_items("reason_codes", codes, MAX_REASON_CODES, "leave some out").err());
        for (at, code) in self.reason_codes.iter().enumerate() {
            found.extend(code.violation().map(|words| Violation::new(format!("reason_codes[{at}]"), words)));
        }
        for (path, value, least, most) in [
            ("priority", self.priority, -MAX_PRIORITY, MAX_PRIORITY),
            ("target_minutes", self.target_minutes, 1, MAX_TARGET_MINUTES),
            ("opinions", self.opinions, 1, MAX_OPINIONS),
            ("second_opinion_percent", self.second_opinion_percent, 0, 100),
            ("golden_percent", self.golden_percent, 0, 50),
        ] {
            if !(least..=most).contains(&value) {
                let limit = LimitViolation::new(value as f64, format!("{least} to {most}"), "change it");
                found.push(Violation::with_limit(path, format!("it is {value}"), limit));
            }
        }
        found
    }
}

/// A queue.
#[derive(Clone, Debug, FromRow)]
pub struct CaseQueue {
    pub id: CaseQueueId,
    /// `None`: it takes checks of documents and appeals, which are the application's.
    pub account_id: Option<AccountId>,
    pub name: String,
    /// Queues are asked in this order whether they take a case.
    pub position: i64,
    #[sqlx(json)]
    pub rules: QueueRules,
    pub priority: i64,
    pub target_minutes: i64,
    pub opinions: i64,
    pub second_opinion_percent: i64,
    pub golden_percent: i64,
    pub policy: String,
    #[sqlx(json)]
    pub reason_codes: Vec<ReasonCode>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Where a case goes, and how it is decided.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) queue: Option<CaseQueueId>,
    pub(super) priority: i64,
    pub(super) due_at: Timestamp,
    pub(super) opinions: i64,
}

/// Where queues belong: to an account, or to an application as a whole.
pub(super) type QueueOwner = (AppId, Option<AccountId>);

/// The queues of an account, or those of an application that are no account's, in the order in which they are asked.
pub(super) async fn list(view: &mut ReadTx, (app, account): QueueOwner) -> Result<Vec<CaseQueue>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, account_id, name, position, rules, priority, target_minutes, opinions, second_opinion_percent,
                golden_percent, policy, reason_codes, created_at
           FROM case_queues
          WHERE app_id = $1 AND (account_id = $2 OR (account_id IS NULL AND $2 IS NULL))
          ORDER BY position, id",
        app,
        account,
    ))
    .await
}

/// The route of a new case: that of the first queue that takes it.
pub(super) async fn route(
    view: &mut ReadTx,
    environment: &dyn Environment,
    case: &NewCase,
) -> Result<Route, DbError> {
    let now = environment.now();
    let queues = list(view, (case.app, case.account)).await?;
    let Some(queue) = queues.into_iter().find(|queue| queue.rules.take(case)) else {
        return Ok(Route {
            queue: None,
            priority: case.priority,
            due_at: now + TARGET_WITHOUT_QUEUE,
            opinions: 1,
        });
    };
    let further = i64::from(happens(environment, queue.second_opinion_percent));
    Ok(Route {
        queue: Some(queue.id),
        priority: case.priority + queue.priority,
        due_at: now + SignedDuration::from_mins(queue.target_minutes),
        opinions: queue.opinions + further,
    })
}

/// Draws whether something happens that happens `percent` times in a hundred.
pub(super) fn happens(environment: &dyn Environment, percent: i64) -> bool {
    let mut random = [0; 4];
    environment.fill_random(&mut random);
    i64::from(u32::from_le_bytes(random) % 100) < percent
}

impl CaseService {
    /// Creates a queue behind the others. The caller has checked [`QueueInput::violations`].
    pub async fn create_queue(
        &self,
        tx: &mut WriteTx,
        owner: (AppId, Option<AccountId>),
        input: &QueueInput,
    ) -> Result<CaseQueueId, CaseChangeError> {
        let (app, account) = owner;
        let existing = list(tx, owner).await?;
        if existing.len() as i64 >= MAX_QUEUES {
            let limit = LimitViolation::new(
                existing.len() as f64,
                format!("at most {MAX_QUEUES} queues"),
                "delete one first",
            );
            return Err(
                Violation::with_limit("", format!("there are {} queues", existing.len()), limit).into()
            );
        }
        let position = existing.last().map_or(1, |last| last.position + 1);
        let id = CaseQueueId::new(&*self.environment);
        tx.execute(sql!(
            "INSERT INTO case_queues (id, app_id, account_id, name, position, rules, priority, target_minutes, opinions,
                                      second_opinion_percent, golden_percent, policy, created_at, reason_codes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            id,
            app,
            account,
            input.name.trim(),
            position,
            serde_json::to_value(&input.rules).expect("lists of words are JSON"),
            input.priority,
            input.target_minutes,
            input.opinions,
            input.second_opinion_percent,
            input.golden_percent,
            input.policy.as_str(),
            self.environment.now(),
            serde_json::to_value(&input.reason_codes).expect("words are JSON"),
        ))
        .await?;
        tx.audit(queue_event("case-queue.create", owner, id));
        Ok(id)
    }

    /// Changes a queue; returns whether its owner has it. Cases that it has keep what they were given.
    pub async fn change_queue(
        &self,
        tx: &mut WriteTx,
        owner: (AppId, Option<AccountId>),
        id: CaseQueueId,
        input: &QueueInput,
    ) -> Result<bool, DbError> {
        let (app, account) = owner;
        let rows = tx
            .execute(sql!(
                "UPDATE case_queues
                    SET name = $4, rules = $5, priority = $6, target_minutes = $7, opinions = $8,
                        second_opinion_percent = $9, golden_percent = $10, policy = $11, reason_codes = $12
                  WHERE id = $1 AND app_id = $2 AND (account_id = $3 OR (account_id IS NULL AND $3 IS NULL))",
                id,
                app,
                account,
                input.name.trim(),
                serde_json::to_value(&input.rules).expect("lists of words are JSON"),
                input.priority,
                input.target_minutes,
                input.opinions,
                input.second_opinion_percent,
                input.golden_percent,
                input.policy.as_str(),
                serde_json::to_value(&input.reason_codes).expect("words are JSON"),
            ))
            .await?;
        if rows == 1 {
            tx.audit(queue_event("case-queue.change", owner, id));
        }
        Ok(rows == 1)
    }

    /// Deletes a queue; returns whether its owner had it. Its cases stay, in no queue.
    pub async fn delete_queue(
        &self,
        tx: &mut WriteTx,
        owner: (AppId, Option<AccountId>),
        id: CaseQueueId,
    ) -> Result<bool, DbError> {
        let (app, account) = owner;
        let rows = tx
            .execute(sql!(
                "DELETE FROM case_queues
                  WHERE id = $1 AND app_id = $2 AND (account_id = $3 OR (account_id IS NULL AND $3 IS NULL))",
                id,
                app,
                account,
            ))
            .await?;
        if rows == 1 {
            tx.audit(queue_event("case-queue.delete", owner, id));
        }
        Ok(rows == 1)
    }

    /// The queues of an account, or those of an application that are no account's, in the order in which they are asked.
    pub async fn queues(
        &self,
        view: &mut ReadTx,
        owner: (AppId, Option<AccountId>),
    ) -> Result<Vec<CaseQueue>, DbError> {
        list(view, owner).await
    }
}

fn queue_event(kind: &'static str, (app, account): QueueOwner, id: CaseQueueId) -> AuditEvent {
    let event = AuditEvent::new(kind).app(app).target(id);
    match account {
        Some(account) => event.account(account),
        None => event,
    }
}
