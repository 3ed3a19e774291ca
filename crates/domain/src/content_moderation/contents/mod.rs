//! Contents: images, videos and live videos of an account, registered by their address. The data stays at that address; a
//! moderation fetches it. Images and videos may also be uploaded.
//!
//! `input` has what callers send and its rules, `camera_credentials` what cameras demand, `uploads` the files of contents that were uploaded, `reports` what people
//! report about contents.

pub mod camera_credentials;
mod input;
pub mod reports;
pub mod uploads;

pub use input::{ContentInput, ContentRequest, MAX_PROFILES_PER_CONTENT, MAX_TITLE_CHARS, check_title};
pub(super) use input::{check_url, with_lower_case_scheme};

use crate::{
    CreationRange,
    faces::FaceIndexService,
    violation::{Violation, check_max_items, join_messages, violation},
    wire_enum::wire_enum,
};
use base::{AccountId, ContentId, Environment, Id as _, ProfileId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, ids_json, sql};
use std::collections::HashMap;
use uploads::{ContentLocation, ContentUploads};

wire_enum! {
    /// The kinds of content (`ContentType` of the interface).
    pub enum ContentType {
        /// A single image.
        Image => "IMAGE",
        /// A video with an end.
        Video => "VIDEO",
        /// A stream, watched until it ends or somebody stops it.
        LiveVideo => "LIVE_VIDEO",
    }
}

/// A registered content.
#[derive(Clone, Debug, FromRow)]
pub struct Content {
    pub id: ContentId,
    /// Its address, or the file that was uploaded.
    #[sqlx(rename = "url", try_from = "String")]
    pub location: ContentLocation,
    #[sqlx(rename = "type", try_from = "String")]
    pub content_type: ContentType,
    /// Who uploaded it: an id of the application's own, which may be a profile's.
    pub uploader_id: Option<Uuid>,
    pub title: Option<String>,
    /// Archived contents cannot be moderated.
    pub archived: bool,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Why a content was not registered or changed.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The request breaks these rules; at least one.
    #[error("{}", join_messages(.0))]
    Invalid(Vec<Violation>),
    /// The account has no such resource; its kind is named.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// The database failed.
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
    environment: &dyn Environment,
    (faces, files): (&FaceIndexService, &ContentUploads),
    account: AccountId,
    new: ContentRequest,
) -> Result<ContentId, ContentError> {
    let ContentRequest { location, content_type, credentials, mut profile_ids, uploader_id, title } = new;
    // Who is being deleted is waited for: their deletion takes them out of the contents that it sees, and of no other.
    let named: Vec<ProfileId> = profile_ids.iter().copied().chain(uploader_id.map(ProfileId::from)).collect();
    faces.lock_active_profiles(tx, account, &named).await?;
    let unusable = unusable_profiles(tx, faces, account, "profile_ids", &profile_ids).await?;
    if !unusable.is_empty() {
        return Err(ContentError::Invalid(unusable));
    }
    let uploader_id = match uploader_id {
        Some(uploader) if is_deleted_profile(tx, faces, account, uploader.into()).await? => None,
        other => other,
    };
    let (id, now) = (ContentId::new(environment), environment.now());
    if let Some(upload) = location.upload() {
        let taken = uploads::take(tx, account, upload, (id, content_type), now).await?;
        taken.map_err(|words| violation("upload_id", words))?;
    }
    let sealed = credentials.map(|one| camera_credentials::seal(files.vault(), environment, id, &one));
    tx.execute(sql!(
        "INSERT INTO contents (id, account_id, url, type, uploader_id, title, sealed_credentials, archived, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, $8)",
        id,
        account,
        location.to_string(),
        content_type,
        uploader_id,
        title,
        sealed,
        now,
    ))
    .await?;
    profile_ids.sort_unstable();
    profile_ids.dedup();
    for profile in profile_ids {
        insert_content_profile(tx, account, id, profile).await?;
    }
    Ok(id)
}

/// Whether a profile of the account had this id, and was deleted.
async fn is_deleted_profile(
    view: &mut ReadTx,
    faces: &FaceIndexService,
    account: AccountId,
    id: ProfileId,
) -> Result<bool, DbError> {
    Ok(faces.profiles(view, account, &[id]).await?.iter().any(|profile| !profile.active))
}

/// A violation for each profile of a list that the account does not have, or that can never be recognised; `path` is the list's path in the request.
pub(super) async fn unusable_profiles(
    view: &mut ReadTx,
    faces: &FaceIndexService,
    account: AccountId,
    path: &str,
    ids: &[ProfileId],
) -> Result<Vec<Violation>, DbError> {
    let known = faces.profiles(view, account, ids).await?;
    let is_known = |id: &ProfileId| known.iter().any(|profile| profile.id == *id && profile.active);
    let unrecognisable = faces.unrecognisable(view, account, ids).await?;
    let words = |id: &ProfileId| {
        if !is_known(id) {
            return Some("there is no such profile".to_owned());
        }
        let found = unrecognisable.iter().find(|(profile, _)| profile == id);
        found.map(|(_, reason)| reason.to_string())
    };
    let broken = ids.iter().enumerate().filter_map(|(index, id)| Some((index, words(id)?)));
    Ok(broken.map(|(index, words)| violation(format!("{path}[{index}]"), words)).collect())
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

/// The same. Until the transaction ends it is neither archived nor deleted, so that nothing can be written about a content whose
/// deletion has left it out. Profiles are locked before contents, as in their deletion.
pub(super) async fn lock(
    tx: &mut WriteTx,
    account: AccountId,
    id: ContentId,
) -> Result<Option<Content>, DbError> {
    tx.fetch_optional(sql!(
        sqlite: "SELECT id, url, type, uploader_id, title, archived, created_at FROM contents
                  WHERE id = $1 AND account_id = $2",
        postgres: "SELECT id, url, type, uploader_id, title, archived, created_at FROM contents
                    WHERE id = $1 AND account_id = $2 FOR SHARE",
        id,
        account,
    ))
    .await
}

/// Which contents a list has; all that is set must hold.
#[derive(Clone, Debug, Default)]
pub struct ContentFilter {
    pub content_type: Option<ContentType>,
    pub uploader_id: Option<Uuid>,
    /// A part of the title; A to Z count like a to z.
    pub title: Option<String>,
    pub archived: Option<bool>,
    pub created: CreationRange,
}

/// A page of an account's contents, newest first, and how many there are in all. A range is how many to leave out, and how
/// many to take.
pub async fn list(
    view: &mut ReadTx,
    account: AccountId,
    filter: &ContentFilter,
    (offset, limit): (i64, i64),
) -> Result<(Vec<Content>, i64), DbError> {
    let ContentFilter { content_type, uploader_id, title, archived, created } = filter;
    let content_type = content_type.map(ContentType::as_str);
    let total = view
        .count(sql!(
            sqlite: "SELECT count(*) FROM contents WHERE account_id = $1 AND (type = $2 OR $2 IS NULL)
                        AND (uploader_id = $3 OR $3 IS NULL) AND (instr(lower(title), lower($4)) > 0 OR $4 IS NULL)
                        AND (archived = $5 OR $5 IS NULL) AND (created_at >= $6 OR $6 IS NULL)
                        AND (created_at < $7 OR $7 IS NULL)",
            postgres: "SELECT count(*) FROM contents WHERE account_id = $1 AND (type = $2 OR $2 IS NULL)
                          AND (uploader_id = $3 OR $3 IS NULL)
                          AND (strpos(lower(title COLLATE \"C\"), lower($4 COLLATE \"C\")) > 0 OR $4 IS NULL)
                          AND (archived = $5 OR $5 IS NULL) AND (created_at >= $6 OR $6 IS NULL)
                          AND (created_at < $7 OR $7 IS NULL)",
            account,
            content_type,
            *uploader_id,
            title.as_deref(),
            *archived,
            created.from,
            created.before,
        ))
        .await?;
    let contents = view
        .fetch_all(sql!(
            sqlite: "SELECT id, url, type, uploader_id, title, archived, created_at FROM contents
                      WHERE account_id = $1 AND (type = $2 OR $2 IS NULL)
                        AND (uploader_id = $3 OR $3 IS NULL) AND (instr(lower(title), lower($4)) > 0 OR $4 IS NULL)
                        AND (archived = $5 OR $5 IS NULL) AND (created_at >= $6 OR $6 IS NULL)
                        AND (created_at < $7 OR $7 IS NULL)
                      ORDER BY created_at DESC, id DESC LIMIT $8 OFFSET $9",
            postgres: "SELECT id, url, type, uploader_id, title, archived, created_at FROM contents
                        WHERE account_id = $1 AND (type = $2 OR $2 IS NULL)
                          AND (uploader_id = $3 OR $3 IS NULL)
                          AND (strpos(lower(title COLLATE \"C\"), lower($4 COLLATE \"C\")) > 0 OR $4 IS NULL)
                          AND (archived = $5 OR $5 IS NULL) AND (created_at >= $6 OR $6 IS NULL)
                          AND (created_at < $7 OR $7 IS NULL)
                        ORDER BY created_at DESC, id DESC LIMIT $8 OFFSET $9",
            account,
            content_type,
            *uploader_id,
            title.as_deref(),
            *archived,
            created.from,
            created.before,
            limit,
            offset,
        ))
        .await?;
    Ok((contents, total))
}

#[derive(FromRow)]
struct AttachedProfileRow {
    content_id: ContentId,
    profile_id: ProfileId,
}

/// The profiles of people who are known to be in some contents, by id.
pub async fn profiles_of(
    view: &mut ReadTx,
    account: AccountId,
    contents: &[ContentId],
) -> Result<HashMap<ContentId, Vec<ProfileId>>, DbError> {
    let rows: Vec<AttachedProfileRow> = view
        .fetch_all(sql!(
            sqlite: "SELECT content_id, profile_id FROM content_profiles
                      WHERE account_id = $1 AND content_id IN (SELECT unhex(value) FROM json_each($2))
                      ORDER BY content_id, profile_id",
            postgres: "SELECT content_id, profile_id FROM content_profiles
                        WHERE account_id = $1
                          AND content_id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))
                        ORDER BY content_id, profile_id",
            account,
            ids_json(contents),
        ))
        .await?;
    let mut profiles: HashMap<ContentId, Vec<ProfileId>> = HashMap::new();
    for AttachedProfileRow { content_id, profile_id } in rows {
        profiles.entry(content_id).or_default().push(profile_id);
    }
    Ok(profiles)
}

/// The profiles of people who are known to be in a content, by id.
pub async fn profiles(
    view: &mut ReadTx,
    account: AccountId,
    content: ContentId,
) -> Result<Vec<ProfileId>, DbError> {
    Ok(profiles_of(view, account, &[content]).await?.remove(&content).unwrap_or_default())
}

/// Records that a person is known to be in a content; nothing changes if that is recorded already.
pub async fn attach_profile(
    tx: &mut WriteTx,
    faces: &FaceIndexService,
    account: AccountId,
    content: ContentId,
    profile: ProfileId,
) -> Result<(), ContentError> {
    find(tx, account, content).await?.ok_or(ContentError::Missing("content"))?;
    // As in [`register`].
    if !faces.lock_active_profiles(tx, account, &[profile]).await?.contains(&profile) {
        return Err(ContentError::Missing("profile"));
    }
    lock(tx, account, content).await?.ok_or(ContentError::Missing("content"))?;
    if let Some((_, reason)) = faces.unrecognisable(tx, account, &[profile]).await?.first() {
        return Err(violation("profile_id", reason.to_string()).into());
    }
    let attached = profiles(tx, account, content).await?;
    let hint = "detach another profile first";
    check_max_items(
        "profile_id",
        attached.len() + usize::from(!attached.contains(&profile)),
        MAX_PROFILES_PER_CONTENT,
        hint,
    )?;
    Ok(insert_content_profile(tx, account, content, profile).await?)
}

/// Records that a person is not known to be in a content any more.
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

/// Archives a content, or restores it from the archive.
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
