//! How jobs come into the queue, and how they are taken out of it again.

use crate::Job;
use base::{AccountId, AppId, Environment, SignedDuration, Timestamp, Uuid};
use db::{DbError, WriteTx, sql};

/// The key of jobs that recur.
pub(crate) const RECURRING_KEY: &str = "recurring";
/// No round of what recurs is put off for so long. One that waits longer was put off by a clock that was ahead.
const MAX_RECURRING_WAIT: SignedDuration = SignedDuration::from_hours(24);

/// A job for [`enqueue`]. Unless it is told otherwise it is the server's own, due at once, and one of however many.
#[derive(Debug)]
#[must_use = "it is queued by `enqueue`"]
pub struct NewJob<'a, J> {
    id: Uuid,
    payload: &'a J,
    /// `None`: that of the account.
    app: Option<AppId>,
    account: Option<AccountId>,
    unique_key: Option<&'a str>,
    run_at: Timestamp,
    created_at: Timestamp,
}

impl<'a, J: Job> NewJob<'a, J> {
    /// The server's own job, due at once.
    pub fn new(environment: &dyn Environment, payload: &'a J) -> Self {
        let now = environment.now();
        Self {
            id: environment.uuid_v7(),
            payload,
            app: None,
            account: None,
            unique_key: None,
            run_at: now,
            created_at: now,
        }
    }

    /// The id that it has in the queue.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Makes it an application's: it takes no more than the application's share of its lane when others wait.
    pub fn of_application(mut self, app: AppId) -> Self {
        self.app = Some(app);
        self
    }

    /// Makes it an account's: it is deleted with the account, and is the job of the account's application.
    pub fn of_account(mut self, account: AccountId) -> Self {
        self.account = Some(account);
        self
    }

    /// Sets when it is due.
    pub fn due_at(mut self, run_at: Timestamp) -> Self {
        self.run_at = run_at;
        self
    }

    /// Has it queued only if there is none of its kind with this key, in whatever state that one is.
    pub fn unique(mut self, key: &'a str) -> Self {
        self.unique_key = Some(key);
        self
    }

    /// Makes it recur for as long as there is a server, unless it is queued already. However often it fails or its process
    /// dies, it is tried again: nobody would queue it anew. One that is a dead letter all the same, since an earlier build
    /// parked it, is due again when this one is, and so is one that waits for a moment more than a day from now, since a clock
    /// was wrong.
    pub fn recurring(self) -> Self {
        self.unique(RECURRING_KEY)
    }
}

/// Queues a job in the transaction that causes it; until that is committed, there is no job. Returns whether it was queued,
/// and not there already ([`NewJob::unique`]).
pub async fn enqueue<J: Job>(tx: &mut WriteTx, job: NewJob<'_, J>) -> Result<bool, DbError> {
    let NewJob { id, payload, app, account, unique_key, run_at, created_at } = job;
    let payload = serde_json::to_value(payload).expect("a payload of our own is JSON");
    let rows = tx
        .execute(sql!(
            "INSERT INTO jobs (id, kind, unique_key, lane, payload, state, attempts, run_at, created_at, account_id,
                               app_id)
             VALUES ($1, $2, $3, $4, $5, 'WAITING', 0, $6, $7, $8,
                     coalesce($9, (SELECT a.app_id FROM accounts a WHERE a.id = $8)))
             ON CONFLICT (kind, unique_key) DO NOTHING",
            id,
            J::KIND,
            unique_key,
            J::LANE.as_str(),
            payload,
            run_at,
            created_at,
            account,
            app,
        ))
        .await?;
    if rows == 0 && unique_key == Some(RECURRING_KEY) {
        tx.execute(sql!(
            "UPDATE jobs SET state = 'WAITING', attempts = 0, interruptions = 0, forgiven = 0, run_at = $3
              WHERE kind = $1 AND unique_key = $2 AND (state = 'PARKED' OR (state = 'WAITING' AND run_at > $4))",
            J::KIND,
            RECURRING_KEY,
            run_at,
            created_at + MAX_RECURRING_WAIT,
        ))
        .await?;
    }
    tx.notify_on_commit();
    Ok(rows == 1)
}

/// Deletes the job of this kind and key, in whatever state it is; returns whether there was one. A run of it has lost its
/// lease, and may change nothing any more.
pub async fn withdraw<J: Job>(tx: &mut WriteTx, key: &str) -> Result<bool, DbError> {
    let rows = tx.execute(sql!("DELETE FROM jobs WHERE kind = $1 AND unique_key = $2", J::KIND, key)).await?;
    Ok(rows == 1)
}
