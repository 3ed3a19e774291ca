//! Where an application's messages go, and how that goes.

use base::{AppId, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};

/// Endpoints of one application that are listed.
const MAX_LISTED_ENDPOINTS: i64 = 200;

/// What the name of an endpoint ends in whose certificate is not verified.
const UNVERIFIED_SUFFIX: &str = " unverified";

/// The endpoint that a message belongs to. Messages whose certificate is not verified have an endpoint of their own: an
/// invalid certificate fails every other message, and must not open the circuit breaker for these.
pub(super) fn endpoint_key(app: AppId, origin: impl std::fmt::Display, verify_tls: bool) -> String {
    let unverified = if verify_tls { "" } else { UNVERIFIED_SUFFIX };
    format!("{app} {origin}{unverified}")
}

/// The origin of an endpoint's name without the application, and whether the receiver's certificate is verified.
pub(super) fn split_destination(destination: &str) -> (&str, bool) {
    destination.strip_suffix(UNVERIFIED_SUFFIX).map_or((destination, true), |origin| (origin, false))
}

/// An origin that messages of an application went to, with the figures of a period.
#[derive(Clone, Debug)]
pub struct EndpointFigures {
    /// Such as `https://hooks.example.com`.
    pub origin: String,
    /// Whether its certificate is verified.
    pub verify_tls: bool,
    /// Messages that are not over.
    pub pending: i64,
    pub delivered: i64,
    /// Messages that were given up.
    pub failed: i64,
    pub last_delivered_at: Option<Timestamp>,
    pub last_failed_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct EndpointFiguresRow {
    destination: String,
    pending: i64,
    delivered: i64,
    failed: i64,
    last_delivered_at: Option<DbTimestamp>,
    last_failed_at: Option<DbTimestamp>,
}

impl From<EndpointFiguresRow> for EndpointFigures {
    fn from(row: EndpointFiguresRow) -> Self {
        let (origin, verify_tls) = split_destination(&row.destination);
        Self {
            origin: origin.to_owned(),
            verify_tls,
            pending: row.pending,
            delivered: row.delivered,
            failed: row.failed,
            last_delivered_at: row.last_delivered_at.map(Timestamp::from),
            last_failed_at: row.last_failed_at.map(Timestamp::from),
        }
    }
}

/// Where an application's messages went that were queued since then, in the order of the origins' names.
pub async fn list_endpoints(
    view: &mut ReadTx,
    app: AppId,
    since: Timestamp,
) -> Result<Vec<EndpointFigures>, DbError> {
    let rows: Vec<EndpointFiguresRow> = view
        .fetch_all(sql!(
            "SELECT substr(endpoint, 38) AS destination,
                    CAST(sum(CASE WHEN state = 'WAITING' OR state = 'RUNNING' THEN 1 ELSE 0 END) AS BIGINT) AS pending,
                    CAST(sum(CASE WHEN state = 'DELIVERED' THEN 1 ELSE 0 END) AS BIGINT) AS delivered,
                    CAST(sum(CASE WHEN state = 'FAILED' THEN 1 ELSE 0 END) AS BIGINT) AS failed,
                    max(CASE WHEN state = 'DELIVERED' THEN ended_at END) AS last_delivered_at,
                    max(CASE WHEN state = 'FAILED' THEN ended_at END) AS last_failed_at
               FROM deliveries WHERE app_id = $1 AND created_at >= $2
              GROUP BY endpoint ORDER BY endpoint LIMIT $3",
            app,
            since,
            MAX_LISTED_ENDPOINTS,
        ))
        .await?;
    Ok(rows.into_iter().map(EndpointFigures::from).collect())
}
