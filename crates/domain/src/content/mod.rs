//! Content records: images, videos and live videos of an account, known by their address. What is behind the address
//! stays where it is; a moderation fetches it.

pub mod reports;

use crate::{
    delivery::Outbox,
    faces::FaceIndexService,
    violation::{Violation, check_max_chars, check_max_items, join_messages, violation},
    wire_enum::wire_enum,
};
use base::{AccountId, ContentId, Environment, Id as _, ProfileId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::borrow::Cow;

/// The longest title, characters.
pub const MAX_TITLE_CHARS: usize = 200;
/// The longest address, characters.
pub const MAX_URL_CHARS: usize = 4096;
/// Profiles of one content.
pub const MAX_PROFILES_PER_CONTENT: usize = 100;

wire_enum! {
    /// What a content is (`ContentType` of the interface).
    pub enum ContentType {
        /// One picture.
        Image => "IMAGE",
        /// A video with an end.
        Video => "VIDEO",
        /// A stream, watched until somebody stops it.
        LiveVideo => "LIVE_VIDEO",
    }
}

/// A content as it was sent: nothing of it is known to be right.
#[derive(Clone, Debug, Default)]
pub struct ContentInput {
    /// Where it is, https.
    pub url: Option<String>,
    /// What it is.
    pub content_type: Option<ContentType>,
    /// Who is known to be in it.
    pub profile_ids: Vec<ProfileId>,
    /// Who brought it: the application's own id, which need be no profile's.
    pub uploader_id: Option<Uuid>,
    /// Up to [`MAX_TITLE_CHARS`] characters.
    pub title: Option<String>,
}

/// A content that may be registered.
#[derive(Clone, Debug)]
pub struct ContentRequest {
    url: String,
    content_type: ContentType,
    profile_ids: Vec<ProfileId>,
    uploader_id: Option<Uuid>,
    title: Option<String>,
}

impl ContentInput {
    /// Holds it against every rule that needs no look at what the account has; tells all that are broken.
    pub fn validate(self, outbox: &Outbox) -> Result<ContentRequest, Vec<Violation>> {
        let Self { url, content_type, profile_ids, uploader_id, title } = self;
        let mut violations = Vec::new();
        if let Some(url) = &url {
            violations.extend(check_url(outbox, "url", url).err());
        } else {
            violations.push(violation("url", "it is required"));
        }
        if content_type.is_none() {
            violations.push(violation("type", "it is required"));
        }
        if let Some(title) = &title {
            let length = title.chars().count();
            violations
                .extend(check_max_chars("title", "it has", length, MAX_TITLE_CHARS, "shorten it").err());
        }
        let profiles = profile_ids.len();
        violations.extend(
            check_max_items("profile_ids", profiles, MAX_PROFILES_PER_CONTENT, "attach fewer profiles").err(),
        );
        match (url, content_type) {
            (Some(url), Some(content_type)) if violations.is_empty() => {
                Ok(ContentRequest { url, content_type, profile_ids, uploader_id, title })
            }
            _ => Err(violations),
        }
    }
}

/// Refuses an address that this server would not call.
pub(crate) fn check_url(
    outbox: &Outbox,
    path: impl Into<Cow<'static, str>>,
    url: &str,
) -> Result<(), Violation> {
    let path = path.into();
    check_max_chars(path.clone(), "it has", url.chars().count(), MAX_URL_CHARS, "use a shorter address")?;
    outbox.check_destination(url, true).map_err(|refused| violation(path, refused.to_string()))
}

/// A content.
#[derive(Clone, Debug, FromRow)]
pub struct Content {
    /// Its id.
    pub id: ContentId,
    /// Where it is.
    pub url: String,
    /// What it is.
    #[sqlx(rename = "type", try_from = "String")]
    pub content_type: ContentType,
    /// Who brought it.
    pub uploader_id: Option<Uuid>,
    /// Its title.
    pub title: Option<String>,
    /// Whether it was put away.
    pub archived: bool,
    /// When it was registered.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Why a content, or something of it, was not kept.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// What was sent cannot be used; at least one member of it.
    #[error("{}", join_messages(.0))]
    Invalid(Vec<Violation>),
    /// There is no such thing in the account.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<Violation> for ContentError {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
}

/// Registers a content.
pub async fn register(
    tx: &mut WriteTx,
    world: &dyn Environment,
    faces: &FaceIndexService,
    account: AccountId,
    new: ContentRequest,
) -> Result<ContentId, ContentError> {
    let ContentRequest { url, content_type, mut profile_ids, uploader_id, title } = new;
    let unknown = unknown_profiles(tx, faces, account, "profile_ids", &profile_ids).await?;
    if !unknown.is_empty() {
        return Err(ContentError::Invalid(unknown));
    }
    let id = ContentId::new(world);
    tx.execute(sql!(
        "INSERT INTO contents (id, account_id, url, type, uploader_id, title, archived, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, FALSE, $7)",
        id,
        account,
        url,
        content_type,
        uploader_id,
        title,
        world.now(),
    ))
    .await?;
    profile_ids.sort_unstable();
    profile_ids.dedup();
    for profile in profile_ids {
        insert_content_profile(tx, account, id, profile).await?;
    }
    Ok(id)
}

/// The profiles of a list that the account does not have, each told by its place.
pub(crate) async fn unknown_profiles(
    view: &mut ReadTx,
    faces: &FaceIndexService,
    account: AccountId,
    path: &str,
    named: &[ProfileId],
) -> Result<Vec<Violation>, DbError> {
    let known = faces.profiles(view, account, named).await?;
    let is_known = |id: &ProfileId| known.iter().any(|line| line.id == *id && line.active);
    let unknown = named.iter().enumerate().filter(|(_, id)| !is_known(id));
    Ok(unknown.map(|(at, _)| violation(format!("{path}[{at}]"), "there is no such profile")).collect())
}

async fn insert_content_profile(
    tx: &mut WriteTx,
    account: AccountId,
    content: ContentId,
    profile: ProfileId,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO content_profiles (content_id, profile_id, account_id) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING",
        content,
        profile,
        account,
    ))
    .await
    .map(drop)
}

/// A content of an account.
pub async fn find(view: &mut ReadTx, account: AccountId, id: ContentId) -> Result<Option<Content>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, url, type, uploader_id, title, archived, created_at FROM contents
          WHERE id = $1 AND account_id = $2",
        id,
        account,
    ))
    .await
}

/// A page of an account's contents, newest first, and how many there are.
pub async fn list(
    view: &mut ReadTx,
    account: AccountId,
    offset: i64,
    most: i64,
) -> Result<(Vec<Content>, i64), DbError> {
    let total = view.count(sql!("SELECT count(*) FROM contents WHERE account_id = $1", account)).await?;
    let contents = view
        .fetch_all(sql!(
            "SELECT id, url, type, uploader_id, title, archived, created_at FROM contents
              WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3",
            account,
            most,
            offset,
        ))
        .await?;
    Ok((contents, total))
}

#[derive(FromRow)]
struct ContentProfileRow {
    profile_id: ProfileId,
}

/// Who is known to be in a content.
pub async fn profiles(
    view: &mut ReadTx,
    account: AccountId,
    content: ContentId,
) -> Result<Vec<ProfileId>, DbError> {
    let rows: Vec<ContentProfileRow> = view
        .fetch_all(sql!(
            "SELECT profile_id FROM content_profiles WHERE content_id = $1 AND account_id = $2 ORDER BY profile_id",
            content,
            account,
        ))
        .await?;
    Ok(rows.into_iter().map(|row| row.profile_id).collect())
}

/// Says that somebody is known to be in a content; once is as good as twice.
pub async fn attach_profile(
    tx: &mut WriteTx,
    faces: &FaceIndexService,
    account: AccountId,
    content: ContentId,
    profile: ProfileId,
) -> Result<(), ContentError> {
    find(tx, account, content).await?.ok_or(ContentError::Missing("content"))?;
    let known = faces.profiles(tx, account, &[profile]).await?;
    if !known.iter().any(|line| line.active) {
        return Err(ContentError::Missing("profile"));
    }
    let attached = profiles(tx, account, content).await?;
    let hint = "detach somebody first";
    check_max_items(
        "profile_id",
        attached.len() + usize::from(!attached.contains(&profile)),
        MAX_PROFILES_PER_CONTENT,
        hint,
    )?;
    Ok(insert_content_profile(tx, account, content, profile).await?)
}

/// Takes that back.
pub async fn detach_profile(
    tx: &mut WriteTx,
    account: AccountId,
    content: ContentId,
    profile: ProfileId,
) -> Result<(), ContentError> {
    let rows = tx
        .execute(sql!(
            "DELETE FROM content_profiles WHERE content_id = $1 AND profile_id = $2 AND account_id = $3",
            content,
            profile,
            account,
        ))
        .await?;
    if rows == 0 { Err(ContentError::Missing("profile of this content")) } else { Ok(()) }
}

/// Puts a content away, or takes it out again.
pub async fn set_archived(
    tx: &mut WriteTx,
    account: AccountId,
    content: ContentId,
    archived: bool,
) -> Result<(), ContentError> {
    let rows = tx
        .execute(sql!(
            "UPDATE contents SET archived = $3 WHERE id = $1 AND account_id = $2",
            content,
            account,
            archived,
        ))
        .await?;
    if rows == 0 { Err(ContentError::Missing("content")) } else { Ok(()) }
}
