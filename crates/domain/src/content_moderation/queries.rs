//! Reading moderations: lists, details, and reports of what was found.

use super::{
    AgeGroup, FaceMeasurements, ModerationParameters, ModerationState, NotificationDestinations,
    contents::{self, ContentType, uploads::ContentLocation},
    sealed_columns::SealedColumns,
};
use crate::{
    CreationRange,
    faces::{FaceIndexService, ProfileSummary},
};
use base::{AccountId, ContentId, GroupId, ModerationFindingId, ModerationId, ProfileId, Timestamp, Uuid};
use db::{DbError, DbTimestamp, FromRow, Json, ReadTx, sql};

/// A moderation in a list.
#[derive(Clone, Debug)]
pub struct ModerationSummary {
    pub id: ModerationId,
    pub content_id: ContentId,
    pub content_type: ContentType,
    /// Where the content is.
    pub location: ContentLocation,
    /// What was asked for.
    pub parameters: ModerationParameters,
    /// Where notifications are sent.
    pub destinations: NotificationDestinations,
    pub progress: ModerationProgress,
}

/// Which moderations a list has; all that is set must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModerationFilter {
    pub content_type: Option<ContentType>,
    pub state: Option<ModerationState>,
    /// When they were started.
    pub created: CreationRange,
}

/// How far a moderation has got.
#[derive(Clone, Debug)]
pub struct ModerationProgress {
    pub state: ModerationState,
    /// Why it failed: a code, and a sentence.
    pub error: Option<(String, String)>,
    /// How much of the content has been processed, in seconds.
    pub position: f64,
    /// The most faces of one picture that were found and not judged: those beyond 200 of an image, or 50 of a picture of a
    /// video.
    pub unjudged_faces: i64,
    pub created_at: Timestamp,
    /// When its first run began.
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

/// A moderation and the people it names.
#[derive(Clone, Debug)]
pub struct ModerationOverview {
    pub moderation: ModerationSummary,
    /// Who uploaded the content, if the content says so.
    pub uploader: Option<PersonSummary>,
    /// The profiles that the moderation or its content names.
    pub profiles: Vec<PersonSummary>,
    /// The groups that the moderation names: ids and labels.
    pub groups: Vec<(GroupId, String)>,
}

/// A person in an overview.
#[derive(Clone, Debug)]
pub struct PersonSummary {
    /// The id of their profile, or the application's own id of an uploader who has none.
    pub id: Uuid,
    /// The display name of their profile; empty if there is none.
    pub display_name: String,
    /// The reference of their profile; empty if there is none.
    pub reference: String,
}

/// One appearance of a face in a content.
#[derive(Clone, Debug, FromRow)]
pub struct FaceFinding {
    pub id: ModerationFindingId,
    /// The position in the content, in seconds.
    pub frame_time: f64,
    /// Whether the face matches a banned profile.
    pub is_banned: bool,
    #[sqlx(try_from = "String")]
    pub age_group: AgeGroup,
    /// The profile that the face matches.
    pub profile_id: Option<ProfileId>,
    /// The upper edge of the face, in pixels of the content; likewise the others.
    pub face_top: i64,
    pub face_right: i64,
    pub face_bottom: i64,
    pub face_left: i64,
    /// The numbers behind it; none of builds that did not keep them.
    pub measurements: Option<Json<FaceMeasurements>>,
}

/// What a moderation has found so far.
#[derive(Clone, Debug)]
pub struct ModerationReport {
    pub content_type: ContentType,
    /// Where the content is.
    pub location: ContentLocation,
    pub state: ModerationState,
    /// How many appearances there are.
    pub total: i64,
    /// Whether any of them matches a banned profile.
    pub has_banned_faces: bool,
    /// Whether any of them matched no profile. One that did counts as known even if the profile was deleted since.
    pub has_unknown_faces: bool,
    /// The age groups of all of them, each once, in the order in which they were first seen.
    pub age_groups: Vec<AgeGroup>,
    /// A page of the appearances, in the order in which they began.
    pub findings: Vec<FaceFinding>,
}

/// How many appearances a page of a report shows.
pub const REPORT_FINDINGS_PER_PAGE: i64 = 10_000;

/// The appearances of one age group.
#[derive(FromRow)]
struct AgeGroupTally {
    #[sqlx(try_from = "String")]
    age_group: AgeGroup,
    number: i64,
    banned: i64,
    unknown: i64,
}

#[derive(FromRow)]
struct ModerationRow {
    id: ModerationId,
    content_id: ContentId,
    #[sqlx(try_from = "String")]
    content_type: ContentType,
    #[sqlx(rename = "url", try_from = "String")]
    location: ContentLocation,
    wanted: Json<ModerationParameters>,
    destinations: Vec<u8>,
    #[sqlx(try_from = "String")]
    state: ModerationState,
    error_code: Option<String>,
    error: Option<String>,
    position: f64,
    unjudged_faces: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    started_at: Option<DbTimestamp>,
    ended_at: Option<DbTimestamp>,
}

/// Reads moderations.
#[derive(Debug)]
pub(super) struct ModerationQueries {
    pub(super) sealed_columns: SealedColumns,
    pub(super) faces: FaceIndexService,
}

impl ModerationQueries {
    fn to_summary(&self, row: ModerationRow) -> ModerationSummary {
        ModerationSummary {
            destinations: self.sealed_columns.open_destinations(row.id, &row.destinations),
            id: row.id,
            content_id: row.content_id,
            content_type: row.content_type,
            location: row.location,
            parameters: row.wanted.0,
            progress: ModerationProgress {
                state: row.state,
                error: row.error_code.map(|code| (code, row.error.unwrap_or_default())),
                position: row.position,
                unjudged_faces: row.unjudged_faces,
                created_at: row.created_at,
                started_at: row.started_at.map(|at| at.0),
                ended_at: row.ended_at.map(|at| at.0),
            },
        }
    }

    /// A page of an account's moderations, newest first.
    pub(super) async fn list(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ModerationFilter { content_type, state, created }: ModerationFilter,
        (offset, limit): (i64, i64),
    ) -> Result<Vec<ModerationSummary>, DbError> {
        let rows: Vec<ModerationRow> = view
            .fetch_all(sql!(
                "SELECT id, content_id, content_type, url, wanted, destinations, state, error_code, error, position,
                        unjudged_faces, created_at, started_at, ended_at
                   FROM moderations WHERE account_id = $1 AND (content_type = $2 OR $2 IS NULL)
                    AND (state = $3 OR $3 IS NULL) AND (created_at >= $4 OR $4 IS NULL)
                    AND (created_at < $5 OR $5 IS NULL)
                  ORDER BY created_at DESC, id DESC LIMIT $6 OFFSET $7",
                account,
                content_type.map(ContentType::as_str),
                state.map(ModerationState::as_str),
                created.from,
                created.before,
                limit,
                offset,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| self.to_summary(row)).collect())
    }

    /// A page of a content's moderations, newest first.
    pub(super) async fn list_by_content(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        content: ContentId,
        (offset, limit): (i64, i64),
    ) -> Result<Vec<ModerationSummary>, DbError> {
        let rows: Vec<ModerationRow> = view
            .fetch_all(sql!(
                "SELECT id, content_id, content_type, url, wanted, destinations, state, error_code, error, position,
                        unjudged_faces, created_at, started_at, ended_at
                   FROM moderations WHERE account_id = $1 AND content_id = $2
                  ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
                account,
                content,
                limit,
                offset,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| self.to_summary(row)).collect())
    }

    async fn find_row(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationRow>, DbError> {
        view.fetch_optional(sql!(
            "SELECT id, content_id, content_type, url, wanted, destinations, state, error_code, error, position,
                    unjudged_faces, created_at, started_at, ended_at
               FROM moderations WHERE id = $1 AND account_id = $2",
            id,
            account,
        ))
        .await
    }

    /// A moderation of an account.
    pub(super) async fn find(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationSummary>, DbError> {
        Ok(self.find_row(view, account, id).await?.map(|row| self.to_summary(row)))
    }

    /// A moderation and the people it names.
    pub(super) async fn overview(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationOverview>, DbError> {
        let Some(row) = self.find_row(view, account, id).await? else { return Ok(None) };
        let uploader = contents::find(view, account, row.content_id).await?.and_then(|c| c.uploader_id);
        let mut named = contents::profiles(view, account, row.content_id).await?;
        named.extend(&row.wanted.0.profiles);
        named.sort_unstable();
        named.dedup();
        let faces = &self.faces;
        let person = |profile: &ProfileSummary| PersonSummary {
            id: profile.id.into(),
            display_name: profile.display_name.clone().unwrap_or_default(),
            reference: profile.reference.clone().unwrap_or_default(),
        };
        let profiles = faces.profiles(view, account, &named).await?.iter().map(person).collect();
        let uploader = match uploader {
            Some(id) => {
                let known = faces.profiles(view, account, &[id.into()]).await?;
                let unknown = PersonSummary { id, display_name: String::new(), reference: String::new() };
                Some(known.first().map_or(unknown, person))
            }
            None => None,
        };
        let groups = faces.groups(view, account, &row.wanted.0.groups).await?;
        let groups = groups.into_iter().map(|group| (group.id, group.label)).collect();
        Ok(Some(ModerationOverview { moderation: self.to_summary(row), uploader, profiles, groups }))
    }

    /// What a moderation has found so far: of all appearances a summary, and a page of them from `offset`.
    pub(super) async fn report(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
        offset: i64,
    ) -> Result<Option<ModerationReport>, DbError> {
        let Some(row) = self.find_row(view, account, id).await? else { return Ok(None) };
        // A face that matched somebody who was deleted since still has its distance; one that was written only after the deletion
        // says so. Findings of early builds have no numbers: of them, a ban tells.
        let tallies: Vec<AgeGroupTally> = view
            .fetch_all(sql!(
                "SELECT age_group, count(*) AS number,
                        CAST(sum(CASE WHEN is_banned THEN 1 ELSE 0 END) AS BIGINT) AS banned,
                        CAST(sum(CASE WHEN profile_id IS NOT NULL OR is_banned
                                           OR measurements ->> 'distance' IS NOT NULL
                                           OR measurements ->> 'is_of_deleted' IS NOT NULL
                                      THEN 0 ELSE 1 END) AS BIGINT) AS unknown
                   FROM findings WHERE moderation_id = $1 AND account_id = $2
                  GROUP BY age_group ORDER BY min(track), age_group",
                id,
                account,
            ))
            .await?;
        let findings = view
            .fetch_all(sql!(
                "SELECT id, frame_time, is_banned, age_group, profile_id, face_top, face_right, face_bottom, face_left,
                        measurements
                   FROM findings WHERE moderation_id = $1 AND account_id = $2 ORDER BY track LIMIT $3 OFFSET $4",
                id,
                account,
                REPORT_FINDINGS_PER_PAGE,
                offset,
            ))
            .await?;
        Ok(Some(ModerationReport {
            content_type: row.content_type,
            location: row.location,
            state: row.state,
            total: tallies.iter().map(|tally| tally.number).sum(),
            has_banned_faces: tallies.iter().any(|tally| tally.banned > 0),
            has_unknown_faces: tallies.iter().any(|tally| tally.unknown > 0),
            age_groups: tallies.iter().map(|tally| tally.age_group).collect(),
            findings,
        }))
    }
}
