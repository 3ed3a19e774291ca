//! Groups of profiles, so that a moderation can look for many people at once.

use super::{BadText, Faces, FacesError, listed};
use base::{AccountId, GroupId, Id as _, Measured, ProfileId};
use db::{DbError, FromRow, Read, Tx, sql};

/// The longest label, characters.
pub const LONGEST_LABEL: usize = 100;

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Group {
    /// Its id.
    pub id: GroupId,
    /// 1 to [`LONGEST_LABEL`] characters; no two groups of an account have the same.
    pub label: String,
}

impl Faces {
    /// Makes a group.
    pub async fn make_group(
        &self,
        tx: &mut Tx,
        account: AccountId,
        label: &str,
    ) -> Result<GroupId, FacesError> {
        let label = label.trim();
        let length = label.chars().count();
        let bad = |message: &str, measured| {
            FacesError::from(BadText { property: "label", message: message.to_owned(), measured })
        };
        if !(1..=LONGEST_LABEL).contains(&length) {
            let limit = format!("1 to {LONGEST_LABEL} characters");
            let measured = Measured::new(length as f64, limit, "choose another label");
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
        if rows == 1 { Ok(id) } else { Err(FacesError::SameLabel) }
    }

    /// Groups of an account, newest first.
    pub async fn page_of_groups(
        &self,
        view: &mut Read,
        account: AccountId,
        most: i64,
        offset: i64,
    ) -> Result<Vec<Group>, DbError> {
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
    pub async fn count_groups(&self, view: &mut Read, account: AccountId) -> Result<i64, DbError> {
        view.count(sql!("SELECT count(*) FROM profile_groups WHERE account_id = $1", account)).await
    }

    /// Groups by id, in no particular order; those that are not the account's are left out.
    pub async fn groups(
        &self,
        view: &mut Read,
        account: AccountId,
        ids: &[GroupId],
    ) -> Result<Vec<Group>, DbError> {
        view.fetch_all(sql!(
            sqlite: "SELECT id, label FROM profile_groups
                      WHERE account_id = $1 AND id IN (SELECT unhex(value) FROM json_each($2))",
            postgres: "SELECT id, label FROM profile_groups
                        WHERE account_id = $1
                          AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))",
            account,
            listed(ids),
        ))
        .await
    }

    /// Removes a group; its profiles stay.
    pub async fn remove_group(
        &self,
        tx: &mut Tx,
        account: AccountId,
        group: GroupId,
    ) -> Result<(), FacesError> {
        let rows = tx
            .execute(sql!("DELETE FROM profile_groups WHERE id = $1 AND account_id = $2", group, account))
            .await?;
        if rows == 1 { Ok(()) } else { Err(FacesError::Missing("group")) }
    }

    /// Puts a profile into a group; one that is in it stays.
    pub async fn join(
        &self,
        tx: &mut Tx,
        account: AccountId,
        group: GroupId,
        profile: ProfileId,
    ) -> Result<(), FacesError> {
        if self.groups(tx, account, &[group]).await?.is_empty() {
            return Err(FacesError::Missing("group"));
        }
        // Held, so that it is not deleted meanwhile and then a member.
        self.hold(tx, account, profile).await?;
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
    pub async fn leave(
        &self,
        tx: &mut Tx,
        account: AccountId,
        group: GroupId,
        profile: ProfileId,
    ) -> Result<(), FacesError> {
        let rows = tx
            .execute(sql!(
                "DELETE FROM group_profiles WHERE group_id = $1 AND profile_id = $2 AND account_id = $3",
                group,
                profile,
                account,
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(FacesError::Missing("profile in the group")) }
    }
}
