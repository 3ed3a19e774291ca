//! What reviewers look at, and for how long. Pictures of this kind wear people down, so their time is counted.

use super::{CaseService, Reviewer, leases::CaseChangeError};
use base::{CaseId, MemberId, SignedDuration, Timestamp};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// The longest time that one report of a page may count: pages report more often.
const MAX_SECONDS_PER_VIEW: f64 = 600.0;
/// A pause of this length is a break.
const BREAK: SignedDuration = SignedDuration::from_mins(10);
/// The longest name of a picture, in bytes.
const MAX_PICTURE_NAME_BYTES: usize = 40;

/// A picture that was looked at.
#[derive(Clone, Debug)]
pub struct PictureView {
    /// The name of the picture in the case.
    pub picture: String,
    /// For how long, in seconds.
    pub seconds: f64,
}

/// How long a reviewer has looked at pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposure {
    /// Today (UTC), in seconds.
    pub seconds_today: f64,
    /// As long as they should in a day; `None` without a limit.
    pub budget: Option<SignedDuration>,
    /// Whether they have looked for so long without a pause of ten minutes that a break is proposed.
    pub break_due: bool,
}

#[derive(FromRow)]
struct SecondsRow {
    seconds: f64,
}

#[derive(FromRow)]
struct ViewRow {
    seconds: f64,
    #[sqlx(try_from = "db::DbTimestamp")]
    viewed_at: Timestamp,
}

/// How long a reviewer has looked at pictures since midnight (UTC), in seconds.
pub(super) async fn seconds_today(
    view: &mut ReadTx,
    reviewer: MemberId,
    now: Timestamp,
) -> Result<f64, DbError> {
    let row: Option<SecondsRow> = view
        .fetch_optional(sql!(
            "SELECT CAST(coalesce(sum(seconds), 0) AS DOUBLE PRECISION) AS seconds FROM case_views
              WHERE reviewer_id = $1 AND viewed_at >= $2",
            reviewer,
            midnight(now),
        ))
        .await?;
    Ok(row.map_or(0.0, |row| row.seconds))
}

fn midnight(now: Timestamp) -> Timestamp {
    let seconds = now.as_second();
    Timestamp::from_second(seconds - seconds.rem_euclid(24 * 3600)).unwrap_or(now)
}

impl CaseService {
    /// How long a reviewer has looked at pictures, and whether they should rest.
    pub async fn exposure(&self, view: &mut ReadTx, reviewer: &Reviewer) -> Result<Exposure, DbError> {
        let now = self.environment.now();
        let seconds_today = seconds_today(view, reviewer.member, now).await?;
        let views: Vec<ViewRow> = view
            .fetch_all(sql!(
                "SELECT seconds, viewed_at FROM case_views WHERE reviewer_id = $1 AND viewed_at >= $2 AND seconds > 0
                  ORDER BY viewed_at DESC, id LIMIT 5000",
                reviewer.member,
                midnight(now),
            ))
            .await?;
        let limit = self.settings.break_after.as_secs() as f64;
        let break_due = limit > 0.0 && seconds_since_break(&views, now) >= limit;
        let budget = Some(self.settings.exposure_budget).filter(|budget| !budget.is_zero());
        Ok(Exposure { seconds_today, budget, break_due })
    }

    /// Records which pictures of a case a reviewer looked at.
    pub async fn record_views(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        views: &[PictureView],
    ) -> Result<(), CaseChangeError> {
        self.require_visible(tx, reviewer, case).await?;
        for PictureView { picture, seconds } in views {
            let name: String = picture.chars().take(MAX_PICTURE_NAME_BYTES).collect();
            let seconds = if seconds.is_finite() { seconds.clamp(0.0, MAX_SECONDS_PER_VIEW) } else { 0.0 };
            tx.execute(sql!(
                "INSERT INTO case_views (id, case_id, account_id, reviewer_id, picture, seconds, viewed_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                self.environment.uuid_v7(),
                case,
                reviewer.account,
                reviewer.member,
                name,
                seconds,
                self.environment.now(),
            ))
            .await?;
        }
        Ok(())
    }
}

/// How long somebody has looked since their last break; `views` has the newest first.
fn seconds_since_break(views: &[ViewRow], now: Timestamp) -> f64 {
    let (mut seconds, mut later) = (0.0, now);
    for ViewRow { seconds: looked, viewed_at } in views {
        if later.duration_since(*viewed_at) >= BREAK {
            break;
        }
        seconds += looked;
        later = *viewed_at;
    }
    seconds
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn a_pause_of_ten_minutes_is_a_break() {
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let view =
            |minutes: i64, seconds| ViewRow { seconds, viewed_at: now - SignedDuration::from_mins(minutes) };
        assert_eq!(seconds_since_break(&[], now), 0.0);
        assert_eq!(seconds_since_break(&[view(1, 30.0), view(5, 40.0), view(20, 900.0)], now), 70.0);
        assert_eq!(seconds_since_break(&[view(11, 30.0)], now), 0.0);
    }

    #[test]
    fn a_day_begins_at_midnight_utc() {
        let now: Timestamp = "2026-01-16T14:40:00.5Z".parse().unwrap();
        assert_eq!(midnight(now).to_string(), "2026-01-16T00:00:00Z");
    }
}
