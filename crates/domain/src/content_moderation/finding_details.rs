//! What a reviewer judges a finding by: the numbers behind it, where it was seen, who is said to be in it, and what was said
//! about them before.

use super::{
    FaceMeasurements, ModerationNotification, ModerationParameters, NotificationReason,
    contents::{self, Content},
    notifications,
};
use crate::faces::{FaceIndexError, FaceIndexService, Profile};
use base::{AccountId, ContentId, NotificationId, ProfileId, Uuid};
use db::{DbError, FromRow, Json, ReadTx, sql};

/// How many earlier notifications a history counts, at most.
const MAX_HISTORY: i64 = 1000;

/// What a reviewer judges a finding by.
#[derive(Clone, Debug)]
pub struct FindingDetails {
    pub notification: ModerationNotification,
    /// `None` if it was deleted meanwhile.
    pub content: Option<Content>,
    /// The numbers behind it; none of builds that did not keep them.
    pub measurements: Option<FaceMeasurements>,
    /// The age that the moderation asks for, in years.
    pub age_threshold: Option<u8>,
    /// The person whom the face was matched to.
    pub person: Option<Profile>,
    /// What was said about the person's findings before.
    pub person_history: FindingHistory,
    /// What was said about findings in contents of the same uploader before.
    pub uploader_history: FindingHistory,
}

/// What was said about earlier findings; at most the latest 1,000 are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct FindingHistory {
    pub findings: i64,
    /// Of these, how many were accepted as right.
    pub confirmed: i64,
    /// Of these, how many were dismissed as wrong.
    pub dismissed: i64,
}

/// What a notification about a face was decided by.
#[derive(Debug)]
pub(super) struct DecisionBasis {
    /// The numbers; none of builds that did not keep them.
    pub(super) measurements: Option<FaceMeasurements>,
    /// The age that the moderation asks for, in years.
    pub(super) age_threshold: Option<u8>,
}

#[derive(FromRow)]
struct DecisionBasisRow {
    measurements: Option<Json<FaceMeasurements>>,
    finding_measurements: Option<Json<FaceMeasurements>>,
    finding_profile: Option<ProfileId>,
    finding_time: Option<f64>,
    wanted: Json<ModerationParameters>,
}

/// Reads what a notification about a face was decided by.
pub(super) async fn load_basis(
    view: &mut ReadTx,
    notification: &ModerationNotification,
) -> Result<DecisionBasis, DbError> {
    let row: Option<DecisionBasisRow> = view
        .fetch_optional(sql!(
            "SELECT n.measurements, f.measurements AS finding_measurements, f.profile_id AS finding_profile,
                    f.frame_time AS finding_time, m.wanted
               FROM notifications n JOIN moderations m ON m.id = n.moderation_id LEFT JOIN findings f ON f.id = n.finding_id
              WHERE n.id = $1",
            notification.id,
        ))
        .await?;
    let Some(row) = row else { return Ok(DecisionBasis { measurements: None, age_threshold: None }) };
    let age_threshold = row.wanted.0.age;
    let measurements = match row.measurements {
        Some(Json(told)) => Some(told),
        None => row.measurements_of_finding(notification),
    };
    Ok(DecisionBasis { measurements, age_threshold })
}

impl DecisionBasisRow {
    /// The numbers of the finding, for a notification that an older build wrote without its own: as far as they still are those
    /// that it was decided by.
    fn measurements_of_finding(self, notification: &ModerationNotification) -> Option<FaceMeasurements> {
        // Otherwise the appearance was seen better since, and judged by another picture.
        let is_of_same_picture = self.finding_time == notification.frame_time;
        let Json(mut measured) = self.finding_measurements.filter(|_| is_of_same_picture)?;
        let is_of_same_person = notification.reason == NotificationReason::BannedProfile
            && self.finding_profile == notification.profile_id;
        measured.distance = measured.distance.filter(|_| is_of_same_person);
        Some(measured)
    }
}

/// Reads what belongs to a notification about a face; `None` if the account has no such notification.
pub(super) async fn load(
    view: &mut ReadTx,
    faces: &FaceIndexService,
    account: AccountId,
    id: NotificationId,
) -> Result<Option<FindingDetails>, DbError> {
    let Some(notification) = notifications::find(view, account, id).await? else { return Ok(None) };
    let DecisionBasis { measurements, age_threshold } = load_basis(view, &notification).await?;
    let content = contents::find(view, account, notification.content_id).await?;
    let person = match notification.profile_id {
        Some(profile) => match faces.profile(view, account, profile).await {
            Ok(person) => Some(person),
            Err(FaceIndexError::Db(error)) => return Err(error),
            // They were deleted since.
            Err(_) => None,
        },
        None => None,
    };
    let person_history = match notification.profile_id {
        Some(profile) => of_person(view, account, profile, id).await?,
        None => FindingHistory::default(),
    };
    let uploader = content.as_ref().and_then(|content| content.uploader_id);
    let uploader_history = match uploader {
        Some(uploader) => of_uploader(view, account, uploader, notification.content_id).await?,
        None => FindingHistory::default(),
    };
    Ok(Some(FindingDetails {
        notification,
        content,
        measurements,
        age_threshold,
        person,
        person_history,
        uploader_history,
    }))
}

async fn of_person(
    view: &mut ReadTx,
    account: AccountId,
    profile: ProfileId,
    but: NotificationId,
) -> Result<FindingHistory, DbError> {
    let row: Option<FindingHistory> = view
        .fetch_optional(sql!(
            "SELECT count(*) AS findings, count(CASE WHEN e.score >= 50 THEN 1 END) AS confirmed,
                    count(CASE WHEN e.score < 50 THEN 1 END) AS dismissed
               FROM (SELECT (SELECT CAST(avg(r.score) AS DOUBLE PRECISION) FROM reviews r WHERE r.notification_id = n.id) AS score
                       FROM notifications n
                      WHERE n.profile_id = $2 AND n.account_id = $1 AND n.id <> $3 ORDER BY n.created_at DESC LIMIT $4) e",
            account,
            profile,
            but,
            MAX_HISTORY,
        ))
        .await?;
    Ok(row.unwrap_or_default())
}

async fn of_uploader(
    view: &mut ReadTx,
    account: AccountId,
    uploader: Uuid,
    but: ContentId,
) -> Result<FindingHistory, DbError> {
    let row: Option<FindingHistory> = view
        .fetch_optional(sql!(
            "SELECT count(*) AS findings, count(CASE WHEN e.score >= 50 THEN 1 END) AS confirmed,
                    count(CASE WHEN e.score < 50 THEN 1 END) AS dismissed
               FROM (SELECT (SELECT CAST(avg(r.score) AS DOUBLE PRECISION) FROM reviews r WHERE r.notification_id = n.id) AS score
                       FROM contents c JOIN moderations m ON m.content_id = c.id JOIN notifications n ON n.moderation_id = m.id
                      WHERE c.uploader_id = $2 AND c.account_id = $1 AND c.id <> $3 AND n.type = 'FACE'
                      ORDER BY n.created_at DESC LIMIT $4) e",
            account,
            uploader,
            but,
            MAX_HISTORY,
        ))
        .await?;
    Ok(row.unwrap_or_default())
}
