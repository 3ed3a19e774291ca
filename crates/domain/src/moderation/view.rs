//! What can be seen of moderations.

use super::{AgeGroup, Check, Destinations, ModerationState, Moderations, Wanted, place};
use crate::content::{self, ContentType};
use base::{AccountId, ContentId, FindingId, GroupId, ModerationId, ProfileId, Timestamp, Uuid};
use db::{At, DbError, FromRow, Json, Read, sql};

/// A moderation in a list (interface 1, "Moderation listing item").
#[derive(Clone, Debug)]
pub struct Item {
    /// Its id.
    pub id: ModerationId,
    /// The content.
    pub content_id: ContentId,
    /// What it is.
    pub content_type: ContentType,
    /// Where it is.
    pub url: String,
    /// What is checked.
    pub checks: Vec<Check>,
    /// Where notifications go.
    pub destinations: Destinations,
    /// How it stands.
    pub standing: Standing,
}

/// How a moderation stands.
#[derive(Clone, Debug)]
pub struct Standing {
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

/// A moderation and whom it is about (interface 1, "Moderation overview").
#[derive(Clone, Debug)]
pub struct Overview {
    /// The moderation.
    pub item: Item,
    /// Who brought the content, as far as that is known.
    pub uploader: Option<Uploader>,
    /// Profiles it asks for, and those of the content.
    pub profiles: Vec<Uploader>,
    /// Groups it asks for.
    pub groups: Vec<(GroupId, String)>,
}

/// Somebody, as an overview names them.
#[derive(Clone, Debug)]
pub struct Uploader {
    /// The id.
    pub id: Uuid,
    /// The name that is shown; empty where nobody knows it.
    pub display_name: String,
    /// The reference; empty where there is none.
    pub reference: String,
}

/// One appearance of a face (interface 1, "Face check result").
#[derive(Clone, Debug, FromRow)]
pub struct Finding {
    /// Its id.
    pub id: FindingId,
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
pub struct Report {
    /// What the content is.
    pub content_type: ContentType,
    /// Where it is.
    pub url: String,
    /// Every appearance, in the order of time.
    pub findings: Vec<Finding>,
}

/// Appearances that a report shows at most; a moderation that found more says so in its notifications.
const MOST_FINDINGS: i64 = 10_000;

#[derive(FromRow)]
struct Row {
    id: ModerationId,
    content_id: ContentId,
    #[sqlx(try_from = "String")]
    content_type: ContentType,
    url: String,
    wanted: Json<Wanted>,
    destinations: Vec<u8>,
    #[sqlx(try_from = "String")]
    state: ModerationState,
    error_code: Option<String>,
    error: Option<String>,
    position: f64,
    #[sqlx(try_from = "db::At")]
    created_at: Timestamp,
    started_at: Option<At>,
    ended_at: Option<At>,
}

impl Moderations {
    fn item(&self, row: Row) -> Item {
        Item {
            destinations: self.open_destinations(row.id, &row.destinations),
            id: row.id,
            content_id: row.content_id,
            content_type: row.content_type,
            url: row.url,
            checks: row.wanted.0.checks,
            standing: Standing {
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
    pub(super) fn open_destinations(&self, id: ModerationId, sealed: &[u8]) -> Destinations {
        let plain = self.0.vault.open(&place("destinations", id), sealed).ok();
        plain.and_then(|plain| serde_json::from_slice(&plain).ok()).unwrap_or_default()
    }

    /// A page of an account's moderations, newest first, of one type of content or of all.
    pub async fn list(
        &self,
        view: &mut Read,
        account: AccountId,
        content_type: Option<ContentType>,
        (offset, most): (i64, i64),
    ) -> Result<Vec<Item>, DbError> {
        let rows: Vec<Row> = view
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
        Ok(rows.into_iter().map(|row| self.item(row)).collect())
    }

    /// A page of a content's moderations, newest first.
    pub async fn of_content(
        &self,
        view: &mut Read,
        account: AccountId,
        content: ContentId,
        (offset, most): (i64, i64),
    ) -> Result<Vec<Item>, DbError> {
        let rows: Vec<Row> = view
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
        Ok(rows.into_iter().map(|row| self.item(row)).collect())
    }

    async fn row(
        &self,
        view: &mut Read,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<Row>, DbError> {
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
    pub async fn details(
        &self,
        view: &mut Read,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<Item>, DbError> {
        Ok(self.row(view, account, id).await?.map(|row| self.item(row)))
    }

    /// A moderation, and whom it is about.
    pub async fn overview(
        &self,
        view: &mut Read,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<Overview>, DbError> {
        let Some(row) = self.row(view, account, id).await? else { return Ok(None) };
        let uploader = content::find(view, account, row.content_id).await?.and_then(|c| c.uploader_id);
        let mut named = content::profiles(view, account, row.content_id).await?;
        named.extend(&row.wanted.0.profiles);
        named.sort_unstable();
        named.dedup();
        let faces = &self.0.faces;
        let somebody = |line: &crate::faces::ProfileLine| Uploader {
            id: line.id.into(),
            display_name: line.display_name.clone().unwrap_or_default(),
            reference: line.reference.clone().unwrap_or_default(),
        };
        let profiles = faces.profiles(view, account, &named).await?.iter().map(somebody).collect();
        let uploader = match uploader {
            Some(id) => {
                let known = faces.profiles(view, account, &[id.into()]).await?;
                let nobody = Uploader { id, display_name: String::new(), reference: String::new() };
                Some(known.first().map_or(nobody, somebody))
            }
            None => None,
        };
        let groups = faces.groups(view, account, &row.wanted.0.groups).await?;
        let groups = groups.into_iter().map(|group| (group.id, group.label)).collect();
        Ok(Some(Overview { item: self.item(row), uploader, profiles, groups }))
    }

    /// What a moderation found so far.
    pub async fn report(
        &self,
        view: &mut Read,
        account: AccountId,
        id: ModerationId,
    ) -> Result<Option<Report>, DbError> {
        let Some(row) = self.row(view, account, id).await? else { return Ok(None) };
        let findings = view
            .fetch_all(sql!(
                "SELECT id, frame_time, is_banned, age_group, profile_id, face_top, face_right, face_bottom, face_left
                   FROM findings WHERE moderation_id = $1 AND account_id = $2 ORDER BY track LIMIT $3",
                id,
                account,
                MOST_FINDINGS,
            ))
            .await?;
        Ok(Some(Report { content_type: row.content_type, url: row.url, findings }))
    }
}
