//! Groups of profiles, so that a moderation can name many people at once.

use super::{FaceIndexError, InvalidProfileFieldError, profile::ProfileStore};
use base::{AccountId, Environment, GroupId, Id as _, LimitViolation, ProfileId};
use db::{DbError, FromRow, ReadTx, WriteTx, ids_json, sql};

/// The longest label of a group, in characters.
pub const MAX_GROUP_LABEL_CHARS: usize = 100;

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProfileGroup {
    pub id: GroupId,
    /// 1 to [`MAX_GROUP_LABEL_CHARS`] characters; unique within the account.
    pub label: String,
}

/// Creates a group. The label is trimmed.
pub(super) async fn create(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    account: AccountId,
    label: &str,
) -> Result<GroupId, FaceIndexError> {
    let label = label.trim();
    let length = label.chars().count();
    let bad = |message: &str, measured| {
        FaceIndexError::from(InvalidProfileFieldError {
            property: "label",
            message: message.to_owned(),
            measured,
        })
    };
    if !(1..=MAX_GROUP_LABEL_CHARS).contains(&length) {
        let limit = format!("1 to {MAX_GROUP_LABEL_CHARS} characters");
        let measured = LimitViolation::new(length as f64, limit, "choose another label");
        return Err(bad("it is empty or too long", Some(measured)));
    }
    if label.chars().any(char::is_control) {
        return Err(bad("it has no control characters", None));
    }
    let id = GroupId::new(environment);
    let rows = tx
        .execute(sql!(
            "INSERT INTO profile_groups (id, account_id, label, created_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (account_id, label) DO NOTHING",
            id,
            account,
            label,
            environment.now(),
        ))
        .await?;
    if rows == 1 { Ok(id) } else { Err(FaceIndexError::DuplicateLabel) }
}

/// A page of an account's groups, newest first.
pub(super) async fn list(
    view: &mut ReadTx,
    account: AccountId,
    limit: i64,
    offset: i64,
) -> Result<Vec<ProfileGroup>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, label FROM profile_groups WHERE account_id = $1
          ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3",
        account,
        limit,
        offset,
    ))
    .await
}

/// Groups by id, in no particular order; those that are not the account's are left out.
pub(super) async fn find(
    view: &mut ReadTx,
    account: AccountId,
    ids: &[GroupId],
) -> Result<Vec<ProfileGroup>, DbError> {
    view.fetch_all(sql!(
        sqlite: "SELECT id, label FROM profile_groups
                  WHERE account_id = $1 AND id IN (SELECT unhex(value) FROM json_each($2))",
        postgres: "SELECT id, label FROM profile_groups
                    WHERE account_id = $1
                      AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))",
        account,
        ids_json(ids),
    ))
    .await
}

/// A group of an account. Until the transaction ends it is not deleted.
async fn lock(tx: &mut WriteTx, account: AccountId, group: GroupId) -> Result<Option<ProfileGroup>, DbError> {
    tx.fetch_optional(sql!(
        sqlite: "SELECT id, label FROM profile_groups WHERE id = $1 AND account_id = $2",
        postgres: "SELECT id, label FROM profile_groups WHERE id = $1 AND account_id = $2 FOR SHARE",
        group,
        account,
    ))
    .await
}

/// Deletes a group; its profiles stay.
pub(super) async fn remove(
    tx: &mut WriteTx,
    account: AccountId,
    group: GroupId,
) -> Result<(), FaceIndexError> {
    let rows = tx
        .execute(sql!("DELETE FROM profile_groups WHERE id = $1 AND account_id = $2", group, account))
        .await?;
    if rows == 1 { Ok(()) } else { Err(FaceIndexError::Missing("group")) }
}

/// Adds a profile to a group; nothing changes if it is in the group already.
pub(super) async fn add_profile(
    tx: &mut WriteTx,
    profiles: &ProfileStore,
    account: AccountId,
    group: GroupId,
    profile: ProfileId,
) -> Result<(), FaceIndexError> {
    // Both are locked, so that neither can be deleted at the same time and the profile still become a member.
    lock(tx, account, group).await?.ok_or(FaceIndexError::Missing("group"))?;
    profiles.lock(tx, account, profile).await?;
    tx.execute(sql!(
        "INSERT INTO group_profiles (group_id, profile_id, account_id, joined_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING",
        group,
        profile,
        account,
        profiles.environment.now(),
    ))
    .await?;
    Ok(())
}

/// Removes a profile from a group.
pub(super) async fn remove_profile(
    tx: &mut WriteTx,
    account: AccountId,
    group: GroupId,
    profile: ProfileId,
) -> Result<(), FaceIndexError> {
    let rows = tx
        .execute(sql!(
            "DELETE FROM group_profiles WHERE group_id = $1 AND profile_id = $2 AND account_id = $3",
            group,
            profile,
            account,
        ))
        .await?;
    if rows == 1 { Ok(()) } else { Err(FaceIndexError::Missing("profile in the group")) }
}

/// The profiles in any of these groups, each once; groups that are not the account's are left out.
pub(super) async fn members(
    view: &mut ReadTx,
    account: AccountId,
    groups: &[GroupId],
) -> Result<Vec<ProfileId>, DbError> {
    #[derive(FromRow)]
    struct GroupMemberRow {
        profile_id: ProfileId,
    }
    let rows: Vec<GroupMemberRow> = view
        .fetch_all(sql!(
            sqlite: "SELECT DISTINCT profile_id FROM group_profiles
                      WHERE account_id = $1 AND group_id IN (SELECT unhex(value) FROM json_each($2))",
            postgres: "SELECT DISTINCT profile_id FROM group_profiles
                        WHERE account_id = $1
                          AND group_id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))",
            account,
            ids_json(groups),
        ))
        .await?;
    Ok(rows.into_iter().map(|row| row.profile_id).collect())
}
