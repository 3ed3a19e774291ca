//! What can be seen of moderations.

use super::{
    AgeGroup, ContentModerationService, ModerationCheck, ModerationParameters, ModerationState,
    NotificationDestinations, aad,
};
use crate::content::{self, ContentType};
use base::{AccountId, ContentId, GroupId, ModerationFindingId, ModerationId, ProfileId, Timestamp, Uuid};
use db::{DbError, DbTimestamp, FromRow, Json, ReadTx, sql};

/// A moderation in a list.
#[derive(Clone, Debug)]
pub struct ModerationSummary {
    /// Its id.
    pub id: ModerationId,
    /// The content.
    pub content_id: ContentId,
    /// What it is.
    pub content_type: ContentType,
    /// Where it is.
    pub url: String,
    /// What is checked.
    pub checks: Vec<ModerationCheck>,
    /// Where notifications go.
    pub destinations: NotificationDestinations,
    /// How it stands.
    pub progress: ModerationProgress,
}

/// How a moderation stands.
#[derive(Clone, Debug)]
pub struct ModerationProgress {
    /// How far it is.
    pub state: ModerationState,
    /// Why it failed: a code, and a sentence.
    pub error: Option<(String, String)>,
    /// Seconds of the content that were looked at.
    pub position: f64,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was begun.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// A moderation and whom it is about.
#[derive(Clone, Debug)]
pub struct ModerationOverview {
    /// The moderation.
    pub moderation: ModerationSummary,
    /// Who brought the content, as far as that is known.
    pub uploader: Option<PersonSummary>,
    /// Profiles it asks for, and those of the content.
    pub profiles: Vec<PersonSummary>,
    /// Groups it asks for.
    pub groups: Vec<(GroupId, String)>,
}

/// Somebody, as an overview names them.
#[derive(Clone, Debug)]
pub struct PersonSummary {
    /// The id.
    pub id: Uuid,
    /// The name that is shown; empty where nobody knows it.
    pub display_name: String,
    /// The reference; empty where there is none.
    pub reference: String,
}

/// One appearance of a face.
#[derive(Clone, Debug, FromRow)]
pub struct FaceFinding {
    /// Its id.
    pub id: ModerationFindingId,
    /// Where in the content, seconds.
    pub frame_time: f64,
    /// Whether it is a banned profile's.
    pub is_banned: bool,
    /// How old it looks.
    #[sqlx(try_from = "String")]
    pub age_group: AgeGroup,
    /// Whose it is.
    pub profile_id: Option<ProfileId>,
    /// Upper edge, pixels.
    pub face_top: i64,
    /// Right edge.
    pub face_right: i64,
    /// Lower edge.
    pub face_bottom: i64,
    /// Left edge.
    pub face_left: i64,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct ModerationReport {
    /// What the content is.
    pub content_type: ContentType,
    /// Where it is.
    pub url: String,
    /// Every appearance, in the order of time.
    pub findings: Vec<FaceFinding>,
}

/// Appearances that a report shows at most; a moderation that found more says so in its notifications.
const MAX_REPORT_FINDINGS: i64 = 10_000;

#[derive(FromRow)]
struct ModerationRow {
    id: ModerationId,
    content_id: ContentId,
    #[sqlx(try_from = "String")]
    content_type: ContentType,
    url: String,
    wanted: Json<ModerationParameters>,
    destinations: Vec<u8>,
    #[sqlx(try_from = "String")]
    state: ModerationState,
    error_code: Option<String>,
    error: Option<String>,
    position: f64,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    started_at: Option<DbTimestamp>,
    ended_at: Option<DbTimestamp>,
}

impl ContentModerationService {
    fn to_summary(&self, row: ModerationRow) -> ModerationSummary {
        ModerationSummary {
            destinations: self.open_destinations(row.id, &row.destinations),
            id: row.id,
            content_id: row.content_id,
            content_type: row.content_type,
            url: row.url,
            checks: row.wanted.0.checks,
            progress: ModerationProgress {
                state: row.state,
                error: row.error_code.map(|code| (code, row.error.unwrap_or_default())),
                position: row.position,
                created_at: row.created_at,
                started_at: row.started_at.map(|at| at.0),
                ended_at: row.ended_at.map(|at| at.0),
            },
        }
    }

    /// Where notifications of a moderation go; nowhere, where that was sealed under another master key.
    pub(super) fn open_destinations(&self, id: ModerationId, sealed: &[u8]) -> NotificationDestinations {
        let plain = self.0.vault.open(&aad("destinations", id), sealed).ok();
        plain.and_then(|plain| serde_json::from_slice(&plain).ok()).unwrap_or_default()
    }

    /// A page of an account's moderations, newest first, of one type of content or of all.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        content_type: Option<ContentType>,
        (offset, most): (i64, i64),
    ) -> Result<Vec<ModerationSummary>, DbError> {
        let rows: Vec<ModerationRow> = view
            .fetch_all(sql!(
                "SELECT id, content_id, content_type, url, wanted, destinations, state, error_code, error, position,
                        created_at, started_at, ended_at
                   FROM moderations WHERE account_id = $1 AND (content_type = $2 OR $2 IS NULL)
                  ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
                account,
                content_type.map(ContentType::as_str),
                most,
                offset,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| self.to_summary(row)).collect())
    }

    /// A page of a content's moderations, newest first.
    pub async fn list_by_content(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        content: ContentId,
        (offset, most): (i64, i64),
    ) -> Result<Vec<ModerationSummary>, DbError> {
        let rows: Vec<ModerationRow> = view
            .fetch_all(sql!(
                "SELECT id, content_id, content_type, url, wanted, destinations, state, error_code, error, position,
                        created_at, started_at, ended_at
                   FROM moderations WHERE account_id = $1 AND content_id = $2
                  ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
                account,
                content,
                most,
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
                    created_at, started_at, ended_at
               FROM moderations WHERE id = $1 AND account_id = $2",
            id,
            account,
        ))
        .await
    }

    /// A moderation of an account.
    pub async fn find(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationSummary>, DbError> {
        Ok(self.find_row(view, account, id).await?.map(|row| self.to_summary(row)))
    }

    /// A moderation, and whom it is about.
    pub async fn overview(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationOverview>, DbError> {
        let Some(row) = self.find_row(view, account, id).await? else { return Ok(None) };
        let uploader = content::find(view, account, row.content_id).await?.and_then(|c| c.uploader_id);
        let mut named = content::profiles(view, account, row.content_id).await?;
        named.extend(&row.wanted.0.profiles);
        named.sort_unstable();
        named.dedup();
        let faces = &self.0.faces;
        let somebody = |line: &crate::faces::ProfileSummary| PersonSummary {
            id: line.id.into(),
            display_name: line.display_name.clone().unwrap_or_default(),
            reference: line.reference.clone().unwrap_or_default(),
        };
        let profiles = faces.profiles(view, account, &named).await?.iter().map(somebody).collect();
        let uploader = match uploader {
            Some(id) => {
                let known = faces.profiles(view, account, &[id.into()]).await?;
                let nobody = PersonSummary { id, display_name: String::new(), reference: String::new() };
                Some(known.first().map_or(nobody, somebody))
            }
            None => None,
        };
        let groups = faces.groups(view, account, &row.wanted.0.groups).await?;
        let groups = groups.into_iter().map(|group| (group.id, group.label)).collect();
        Ok(Some(ModerationOverview { moderation: self.to_summary(row), uploader, profiles, groups }))
    }

    /// What a moderation found so far.
    pub async fn report(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<ModerationReport>, DbError> {
        let Some(row) = self.find_row(view, account, id).await? else { return Ok(None) };
        let findings = view
            .fetch_all(sql!(
                "SELECT id, frame_time, is_banned, age_group, profile_id, face_top, face_right, face_bottom, face_left
                   FROM findings WHERE moderation_id = $1 AND account_id = $2 ORDER BY track LIMIT $3",
                id,
                account,
                MAX_REPORT_FINDINGS,
            ))
            .await?;
        Ok(Some(ModerationReport { content_type: row.content_type, url: row.url, findings }))
    }
}
