//! Which requests an application has made lately: what each was and how it was answered, never its content. And how many there
//! were on each day.
//!
//! Nothing is written while a request is answered: requests are put into a queue, which a task writes twice a second in one
//! transaction. What is in the queue when the process dies is lost.

use base::{AppId, Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, Durability, FromRow, ReadTx, sql};
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};
use tokio::sync::mpsc;

/// How long requests wait to be written together.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// Requests that can wait; further ones are not logged.
const QUEUE_LENGTH: usize = 20_000;
/// Requests of one application that are listed of those that are written together, the latest. All are counted.
const MAX_LISTED_PER_FLUSH: usize = 100;
/// How long the numbers of a day are kept.
pub const DAY_RETENTION: SignedDuration = SignedDuration::from_hours(24 * 400);
const DAY_MICROSECONDS: i64 = 86_400_000_000;

/// What is logged of requests; the section `[request_log]`.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestLogSettings {
    /// How long requests are listed; zero: nothing is logged or counted. Written in days.
    #[serde(rename = "days", with = "base::settings::days")]
    pub retention: SignedDuration,
    /// How many requests of one application are listed, the latest.
    #[serde(rename = "requests_per_application")]
    pub max_requests: u32,
}

impl Default for RequestLogSettings {
    fn default() -> Self {
        Self { retention: SignedDuration::from_hours(24 * 7), max_requests: 10_000 }
    }
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct LoggedRequest {
    /// Its id, as `X-Request-Id` has it.
    pub id: Uuid,
    pub app: AppId,
    /// The interface, as the log calls it: `moderation` for example.
    pub interface: &'static str,
    /// The operation of its OpenAPI document.
    pub operation: String,
    pub status: u16,
    pub error_code: Option<String>,
    pub took: Duration,
    pub received_at: Timestamp,
}

/// Takes requests; cheap to clone.
#[derive(Clone, Debug)]
pub struct RequestLog {
    queue: mpsc::Sender<LoggedRequest>,
}

impl RequestLog {
    /// Starts the task that writes; `None` if nothing is to be logged.
    pub fn start(db: Db, settings: RequestLogSettings) -> Option<Self> {
        if settings.retention <= SignedDuration::ZERO {
            return None;
        }
        let (queue, requests) = mpsc::channel(QUEUE_LENGTH);
        tokio::spawn(write_all(db, requests));
        Some(Self { queue })
    }

    /// Logs a request. If too many wait already, it is only counted as lost.
    pub fn record(&self, request: LoggedRequest) {
        if self.queue.try_send(request).is_err() {
            metrics::counter!("assay_request_log_lost_total").increment(1);
        }
    }
}

/// Writes what comes, until nobody can send any more.
async fn write_all(db: Db, mut requests: mpsc::Receiver<LoggedRequest>) {
    let mut group = Vec::new();
    while let Some(first) = requests.recv().await {
        group.push(first);
        tokio::time::sleep(FLUSH_INTERVAL).await;
        while let Ok(next) = requests.try_recv() {
            group.push(next);
        }
        if let Err(error) = write(&db, &group).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                requests = group.len(),
                "requests were not logged"
            );
            metrics::counter!("assay_request_log_lost_total").increment(group.len() as u64);
        }
        group.clear();
    }
}

async fn write(db: &Db, group: &[LoggedRequest]) -> Result<(), DbError> {
    let mut listed: HashMap<AppId, usize> = HashMap::new();
    let mut days: BTreeMap<(AppId, i64, &str), (i64, i64)> = BTreeMap::new();
    let mut rows = Vec::new();
    // From the latest on, so that of too many the latest are listed.
    for request in group.iter().rev() {
        let app = Uuid::from(request.app).simple().to_string();
        let at = request.received_at.as_microsecond();
        let day = at - at.rem_euclid(DAY_MICROSECONDS);
        let (calls, refused) = days.entry((request.app, day, request.interface)).or_default();
        *calls += 1;
        *refused += i64::from(request.status >= 400);
        let count = listed.entry(request.app).or_default();
        *count += 1;
        if *count <= MAX_LISTED_PER_FLUSH {
            rows.push(serde_json::json!([
                request.id.simple().to_string(),
                app,
                request.interface,
                request.operation,
                request.status,
                request.error_code,
                i64::try_from(request.took.as_micros()).unwrap_or(i64::MAX),
                at,
            ]));
        }
    }
    let days: Vec<_> = days
        .into_iter()
        .map(|((app, day, interface), (calls, refused))| {
            serde_json::json!([Uuid::from(app).simple().to_string(), day, interface, calls, refused])
        })
        .collect();
    let mut tx = db.write_with_durability(Durability::Process).await?;
    // The application may have been deleted meanwhile.
    tx.execute(sql!(
        sqlite: "INSERT INTO request_log (id, app_id, interface, operation, status, error_code, microseconds, received_at)
                 SELECT unhex(value ->> 0), unhex(value ->> 1), value ->> 2, value ->> 3, value ->> 4, value ->> 5,
                        value ->> 6, value ->> 7
                   FROM json_each($1)
                  WHERE EXISTS (SELECT 1 FROM applications a WHERE a.id = unhex(value ->> 1))
                 ON CONFLICT (id) DO NOTHING",
        postgres: "INSERT INTO request_log (id, app_id, interface, operation, status, error_code, microseconds, received_at)
                   SELECT CAST(value ->> 0 AS UUID), CAST(value ->> 1 AS UUID), value ->> 2, value ->> 3,
                          CAST(value ->> 4 AS BIGINT), value ->> 5, CAST(value ->> 6 AS BIGINT),
                          to_timestamp(CAST(value ->> 7 AS DOUBLE PRECISION) / 1000000)
                     FROM jsonb_array_elements($1)
                    WHERE EXISTS (SELECT 1 FROM applications a WHERE a.id = CAST(value ->> 1 AS UUID))
                   ON CONFLICT (id) DO NOTHING",
        serde_json::Value::from(rows),
    ))
    .await?;
    tx.execute(sql!(
        sqlite: "INSERT INTO request_days (app_id, day, interface, calls, refused)
                 SELECT unhex(value ->> 0), value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each($1)
                  WHERE EXISTS (SELECT 1 FROM applications a WHERE a.id = unhex(value ->> 0))
                 ON CONFLICT (app_id, day, interface) DO UPDATE
                    SET calls = request_days.calls + excluded.calls, refused = request_days.refused + excluded.refused",
        postgres: "INSERT INTO request_days (app_id, day, interface, calls, refused)
                   SELECT CAST(value ->> 0 AS UUID), to_timestamp(CAST(value ->> 1 AS DOUBLE PRECISION) / 1000000),
                          value ->> 2, CAST(value ->> 3 AS BIGINT), CAST(value ->> 4 AS BIGINT)
                     FROM jsonb_array_elements($1)
                    WHERE EXISTS (SELECT 1 FROM applications a WHERE a.id = CAST(value ->> 0 AS UUID))
                   ON CONFLICT (app_id, day, interface) DO UPDATE
                      SET calls = request_days.calls + excluded.calls, refused = request_days.refused + excluded.refused",
        serde_json::Value::from(days),
    ))
    .await?;
    tx.commit().await
}

/// A request, as it is listed.
#[derive(Clone, Debug, FromRow)]
pub struct RequestRecord {
    pub id: Uuid,
    pub interface: String,
    pub operation: String,
    pub status: i64,
    pub error_code: Option<String>,
    pub microseconds: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub received_at: Timestamp,
}

/// Which requests; `None` does not restrict.
#[derive(Clone, Debug, Default)]
pub struct RequestFilter {
    pub interface: Option<String>,
    pub operation: Option<String>,
    /// Those that were refused (a status from 400 on), or those that were not.
    pub refused: Option<bool>,
    pub id: Option<Uuid>,
}

/// Requests of an application before a place in the list, the latest first.
pub async fn list(
    view: &mut ReadTx,
    app: AppId,
    filter: &RequestFilter,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<RequestRecord>, DbError> {
    let (at, id) = before.unwrap_or((Timestamp::constant(221_845_392_000, 0), Uuid::max()));
    view.fetch_all(sql!(
        "SELECT id, interface, operation, status, error_code, microseconds, received_at FROM request_log
          WHERE app_id = $1 AND (received_at, id) < ($2, $3)
            AND (interface = $4 OR $4 IS NULL) AND (operation = $5 OR $5 IS NULL)
            AND ((status >= 400) = $6 OR $6 IS NULL) AND (id = $7 OR $7 IS NULL)
          ORDER BY received_at DESC, id DESC LIMIT $8",
        app,
        at,
        id,
        filter.interface.as_deref(),
        filter.operation.as_deref(),
        filter.refused,
        filter.id,
        limit,
    ))
    .await
}

/// How many requests of an interface there were on a day.
#[derive(Clone, Debug, FromRow)]
pub struct RequestDay {
    /// Its beginning (UTC).
    #[sqlx(try_from = "db::DbTimestamp")]
    pub day: Timestamp,
    pub interface: String,
    pub calls: i64,
    /// Those that were answered with a status from 400 on.
    pub refused: i64,
}

/// The days of an application from one on and before another, at most 5,000 rows.
pub async fn days(
    view: &mut ReadTx,
    app: AppId,
    from: Timestamp,
    before: Timestamp,
) -> Result<Vec<RequestDay>, DbError> {
    view.fetch_all(sql!(
        "SELECT day, interface, calls, refused FROM request_days
          WHERE app_id = $1 AND day >= $2 AND day < $3 ORDER BY day, interface LIMIT 5000",
        app,
        from,
        before,
    ))
    .await
}

/// Deletes requests and days whose time is over, at most 5,000 of each, or, once there are none, requests that are too many;
/// returns how many: 0 once there is nothing left.
pub(crate) async fn purge(
    db: &Db,
    environment: &dyn Environment,
    settings: &RequestLogSettings,
) -> Result<u64, DbError> {
    let now = environment.now();
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let old = tx
        .execute(sql!(
            "DELETE FROM request_log WHERE id IN
                (SELECT id FROM request_log WHERE received_at < $1 ORDER BY received_at LIMIT 5000)",
            now - settings.retention,
        ))
        .await?;
    let days = tx
        .execute(sql!(
            "DELETE FROM request_days WHERE (app_id, day, interface) IN
                (SELECT app_id, day, interface FROM request_days WHERE day < $1 LIMIT 5000)",
            now - DAY_RETENTION,
        ))
        .await?;
    tx.commit().await?;
    match old + days {
        // Last, since what is old is cheaper to find.
        0 => purge_surplus(db, settings.max_requests).await,
        purged => Ok(purged),
    }
}

/// Deletes all but the latest requests of each application; returns how many.
async fn purge_surplus(db: &Db, max_requests: u32) -> Result<u64, DbError> {
    #[derive(FromRow)]
    struct LoggedAppRow {
        app_id: AppId,
    }
    #[derive(FromRow)]
    struct PlaceRow {
        #[sqlx(try_from = "db::DbTimestamp")]
        received_at: Timestamp,
        id: Uuid,
    }
    let apps: Vec<LoggedAppRow> = db
        .read_once()
        .await?
        .fetch_all(sql!(
            "SELECT a.id AS app_id FROM applications a
              WHERE EXISTS (SELECT 1 FROM request_log r WHERE r.app_id = a.id)"
        ))
        .await?;
    let mut purged = 0;
    for LoggedAppRow { app_id } in apps {
        // Read, and before anything is locked: it goes through as many entries of an index as requests may be kept.
        let surplus: Option<PlaceRow> = db
            .read_once()
            .await?
            .fetch_optional(sql!(
                "SELECT received_at, id FROM request_log WHERE app_id = $1
                  ORDER BY received_at DESC, id DESC LIMIT 1 OFFSET $2",
                app_id,
                i64::from(max_requests),
            ))
            .await?;
        let Some(PlaceRow { received_at, id }) = surplus else { continue };
        loop {
            let mut tx = db.write_with_durability(Durability::Process).await?;
            let rows = tx
                .execute(sql!(
                    "DELETE FROM request_log WHERE id IN
                        (SELECT id FROM request_log WHERE app_id = $1 AND (received_at, id) <= ($2, $3) LIMIT 5000)",
                    app_id,
                    received_at,
                    id,
                ))
                .await?;
            tx.commit().await?;
            purged += rows;
            if rows == 0 {
                break;
            }
        }
    }
    Ok(purged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::applications;
    use base::TestEnvironment;
    use db::testing::TestDb;

    fn request(environment: &dyn Environment, app: AppId, status: u16) -> LoggedRequest {
        LoggedRequest {
            id: environment.uuid_v7(),
            app,
            interface: "ages",
            operation: "create_age_session".into(),
            status,
            error_code: (status >= 400).then_some("INVALID_REQUEST".into()),
            took: Duration::from_micros(1500),
            received_at: environment.now(),
        }
    }

    async fn application(db: &Db, environment: &dyn Environment) -> AppId {
        let mut tx = db.write().await.unwrap();
        let new = applications::NewApplication {
            name: "Shop",
            organisation: None,
            billing_source: None,
            features: &[],
        };
        let app = applications::create(&mut tx, environment, &new).await.unwrap();
        tx.commit().await.unwrap();
        app
    }

    #[tokio::test]
    async fn requests_are_listed_and_counted_and_purged() {
        let test = TestDb::open().await;
        let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
        let (app, other) =
            (application(&test.db, &environment).await, application(&test.db, &environment).await);
        let mut group: Vec<_> = (0..130).map(|_| request(&environment, app, 200)).collect();
        group.push(request(&environment, app, 400));
        group.push(request(&environment, other, 200));
        // An application that is not there any more spoils nothing.
        group.push(request(&environment, AppId::from(environment.uuid_v7()), 200));
        write(&test.db, &group).await.unwrap();
        write(&test.db, &[request(&environment, app, 200)]).await.unwrap();

        let mut view = test.db.read().await.unwrap();
        let all = list(&mut view, app, &RequestFilter::default(), None, 500).await.unwrap();
        assert_eq!(all.len(), MAX_LISTED_PER_FLUSH + 1);
        let refused = RequestFilter { refused: Some(true), ..RequestFilter::default() };
        let refused = list(&mut view, app, &refused, None, 500).await.unwrap();
        assert_eq!(refused.len(), 1);
        assert_eq!((refused[0].status, refused[0].error_code.as_deref()), (400, Some("INVALID_REQUEST")));
        let last = all.last().map(|last| (last.received_at, last.id));
        assert!(list(&mut view, app, &RequestFilter::default(), last, 500).await.unwrap().is_empty());
        let now = environment.now();
        let day = SignedDuration::from_hours(24);
        let counted = days(&mut view, app, now - day, now + day).await.unwrap();
        assert_eq!((counted.len(), counted[0].calls, counted[0].refused), (1, 132, 1));
        assert_eq!(counted[0].day.to_string(), "2026-01-16T00:00:00Z");
        assert_eq!(list(&mut view, other, &RequestFilter::default(), None, 9).await.unwrap().len(), 1);
        drop(view);

        let settings = RequestLogSettings { max_requests: 10, ..RequestLogSettings::default() };
        assert_eq!(purge(&test.db, &environment, &settings).await.unwrap(), MAX_LISTED_PER_FLUSH as u64 - 9);
        assert_eq!(purge(&test.db, &environment, &settings).await.unwrap(), 0, "as many as may be kept");
        let mut view = test.db.read().await.unwrap();
        let kept = list(&mut view, app, &RequestFilter::default(), None, 500).await.unwrap();
        drop(view);
        let ids = |records: &[RequestRecord]| records.iter().map(|record| record.id).collect::<Vec<_>>();
        assert_eq!(ids(&kept), ids(&all[..10]), "the latest");
        environment.advance(SignedDuration::from_hours(24 * 8));
        assert_eq!(purge(&test.db, &environment, &settings).await.unwrap(), 11);
        environment.advance(DAY_RETENTION);
        assert_eq!(purge(&test.db, &environment, &settings).await.unwrap(), 2, "the days");
    }

    #[tokio::test]
    async fn what_is_recorded_is_written_soon_and_nothing_if_it_is_turned_off() {
        let test = TestDb::open().await;
        let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
        let app = application(&test.db, &environment).await;
        let off = RequestLogSettings { retention: SignedDuration::ZERO, ..RequestLogSettings::default() };
        assert!(RequestLog::start(test.db.clone(), off).is_none());
        let log = RequestLog::start(test.db.clone(), RequestLogSettings::default()).unwrap();
        log.record(request(&environment, app, 200));
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let mut view = test.db.read().await.unwrap();
            if list(&mut view, app, &RequestFilter::default(), None, 9).await.unwrap().len() == 1 {
                return;
            }
        }
        panic!("the request was not written within ten seconds");
    }
}
