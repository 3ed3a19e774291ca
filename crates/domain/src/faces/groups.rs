//! Groups of profiles, so that a moderation can look for many people at once.

use super::{FaceIndexError, FaceIndexService, InvalidProfileFieldError, ids_json};
use base::{AccountId, GroupId, Id as _, LimitViolation, ProfileId};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// The longest label, characters.
pub const MAX_GROUP_LABEL_CHARS: usize = 100;

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProfileGroup {
    /// Its id.
    pub id: GroupId,
    /// 1 to [`MAX_GROUP_LABEL_CHARS`] characters; no two groups of an account have the same.
    pub label: String,
}

impl FaceIndexService {
    /// Makes a group.
    pub async fn create_group(
        &self,
        tx: &mut WriteTx,
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
        let id = GroupId::new(&*self.0.world);
        let rows = tx
            .execute(sql!(
                "INSERT INTO profile_groups (id, account_id, label, created_at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (account_id, label) DO NOTHING",
                id,
                account,
                label,
                self.0.world.now(),
            ))
            .await?;
        if rows == 1 { Ok(id) } else { Err(FaceIndexError::DuplicateLabel) }
    }

    /// Groups of an account, newest first.
    pub async fn list_groups(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        most: i64,
        offset: i64,
    ) -> Result<Vec<ProfileGroup>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, label FROM profile_groups WHERE account_id = $1
              ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3",
            account,
            most,
            offset,
        ))
        .await
    }

    /// How many groups an account has.
    pub async fn count_groups(&self, view: &mut ReadTx, account: AccountId) -> Result<i64, DbError> {
        view.count(sql!("SELECT count(*) FROM profile_groups WHERE account_id = $1", account)).await
    }

    /// Groups by id, in no particular order; those that are not the account's are left out.
    pub async fn groups(
        &self,
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

    /// Removes a group; its profiles stay.
    pub async fn remove_group(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        group: GroupId,
    ) -> Result<(), FaceIndexError> {
        let rows = tx
            .execute(sql!("DELETE FROM profile_groups WHERE id = $1 AND account_id = $2", group, account))
            .await?;
        if rows == 1 { Ok(()) } else { Err(FaceIndexError::Missing("group")) }
    }

    /// Puts a profile into a group; one that is in it stays.
    pub async fn add_to_group(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        group: GroupId,
        profile: ProfileId,
    ) -> Result<(), FaceIndexError> {
        if self.groups(tx, account, &[group]).await?.is_empty() {
            return Err(FaceIndexError::Missing("group"));
        }
        // Held, so that it is not deleted meanwhile and then a member.
        self.lock_profile(tx, account, profile).await?;
        tx.execute(sql!(
            "INSERT INTO group_profiles (group_id, profile_id, account_id, joined_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING",
            group,
            profile,
            account,
            self.0.world.now(),
        ))
        .await?;
        Ok(())
    }

    /// Takes a profile out of a group.
    pub async fn remove_from_group(
        &self,
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
}
