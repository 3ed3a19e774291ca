//! Content records: images, videos and live videos of an account, known by their address. What is behind the address
//! stays where it is; a moderation fetches it.

pub mod reports;

use crate::{
    delivery::Outbox,
    faces::Faces,
    violation::{Violation, at_most, at_most_items, violation},
    words::closed,
};
use base::{AccountId, ContentId, Id as _, ProfileId, Timestamp, Uuid, World};
use db::{DbError, FromRow, Read, Tx, sql};

/// The longest title, characters.
pub const LONGEST_TITLE: usize = 200;
/// The longest address, characters.
pub const LONGEST_URL: usize = 4096;
/// Profiles of one content.
pub const MOST_PROFILES: usize = 100;

closed! {
    /// What a content is (interface 1, "`ContentType`").
    pub enum ContentType {
        /// One picture.
        Image => "IMAGE",
        /// A video with an end.
        Video => "VIDEO",
        /// A stream, watched until somebody stops it.
        LiveVideo => "LIVE_VIDEO",
    }
}

/// A content as it was sent.
#[derive(Clone, Debug)]
pub struct NewContent {
    /// Where it is, https.
    pub url: String,
    /// What it is.
    pub content_type: ContentType,
    /// Who is known to be in it.
    pub profile_ids: Vec<String>,
    /// Who brought it: the application's own id, which need be no profile's.
    pub uploader_id: Option<Uuid>,
    /// Up to [`LONGEST_TITLE`] characters.
    pub title: Option<String>,
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
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

/// Why a content, or something of it, was not kept.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// What was sent cannot be used.
    #[error(transparent)]
    Invalid(#[from] Violation),
    /// There is no such thing in the account.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Registers a content.
pub async fn register(
    tx: &mut Tx,
    world: &dyn World,
    (outbox, faces): (&Outbox, &Faces),
    account: AccountId,
    new: &NewContent,
) -> Result<ContentId, NotKept> {
    at_most("url", "it has", new.url.chars().count(), LONGEST_URL, "use a shorter address")?;
    outbox.check(&new.url, true).map_err(|refused| violation("url", refused.to_string()))?;
    if let Some(title) = &new.title {
        at_most("title", "it has", title.chars().count(), LONGEST_TITLE, "shorten it")?;
    }
    at_most_items("profile_ids", new.profile_ids.len(), MOST_PROFILES, "attach fewer profiles")?;
    let profiles = known_profiles(tx, faces, account, "profile_ids", &new.profile_ids).await?;
    let id = ContentId::new(world);
    tx.execute(sql!(
        "INSERT INTO contents (id, account_id, url, type, uploader_id, title, archived, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, FALSE, $7)",
        id,
        account,
        new.url.clone(),
        new.content_type,
        new.uploader_id,
        new.title.clone(),
        world.now(),
    ))
    .await?;
    for profile in profiles {
        attach(tx, account, id, profile).await?;
    }
    Ok(id)
}

/// The profiles that a list names; one that the account does not have is refused by its place in the list.
pub(crate) async fn known_profiles(
    view: &mut Read,
    faces: &Faces,
    account: AccountId,
    path: &'static str,
    named: &[String],
) -> Result<Vec<ProfileId>, NotKept> {
    let ids: Vec<Option<ProfileId>> = named.iter().map(|text| text.parse().ok()).collect();
    let asked: Vec<ProfileId> = ids.iter().copied().flatten().collect();
    let known = faces.profiles(view, account, &asked).await?;
    for (at, id) in ids.iter().enumerate() {
        let active = |id: &ProfileId| known.iter().any(|line| line.id == *id && line.active);
        if !id.as_ref().is_some_and(active) {
            return Err(violation(format!("{path}[{at}]"), "there is no such profile").into());
        }
    }
    let mut asked = asked;
    asked.sort_unstable();
    asked.dedup();
    Ok(asked)
}

async fn attach(
    tx: &mut Tx,
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
pub async fn find(view: &mut Read, account: AccountId, id: ContentId) -> Result<Option<Content>, DbError> {
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
    view: &mut Read,
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
struct Attached {
    profile_id: ProfileId,
}

/// Who is known to be in a content.
pub async fn profiles(
    view: &mut Read,
    account: AccountId,
    content: ContentId,
) -> Result<Vec<ProfileId>, DbError> {
    let rows: Vec<Attached> = view
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
    tx: &mut Tx,
    faces: &Faces,
    account: AccountId,
    content: ContentId,
    profile: ProfileId,
) -> Result<(), NotKept> {
    find(tx, account, content).await?.ok_or(NotKept::Missing("content"))?;
    let known = faces.profiles(tx, account, &[profile]).await?;
    if !known.iter().any(|line| line.active) {
        return Err(NotKept::Missing("profile"));
    }
    let attached = profiles(tx, account, content).await?;
    let hint = "detach somebody first";
    at_most_items(
        "profile_id",
        attached.len() + usize::from(!attached.contains(&profile)),
        MOST_PROFILES,
        hint,
    )?;
    Ok(attach(tx, account, content, profile).await?)
}

/// Takes that back.
pub async fn detach_profile(
    tx: &mut Tx,
    account: AccountId,
    content: ContentId,
    profile: ProfileId,
) -> Result<(), NotKept> {
    let rows = tx
        .execute(sql!(
            "DELETE FROM content_profiles WHERE content_id = $1 AND profile_id = $2 AND account_id = $3",
            content,
            profile,
            account,
        ))
        .await?;
    if rows == 0 { Err(NotKept::Missing("profile of this content")) } else { Ok(()) }
}

/// Puts a content away, or takes it out again.
pub async fn archive(
    tx: &mut Tx,
    account: AccountId,
    content: ContentId,
    archived: bool,
) -> Result<(), NotKept> {
    let rows = tx
        .execute(sql!(
            "UPDATE contents SET archived = $3 WHERE id = $1 AND account_id = $2",
            content,
            account,
            archived,
        ))
        .await?;
    if rows == 0 { Err(NotKept::Missing("content")) } else { Ok(()) }
}
