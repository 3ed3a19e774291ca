//! Profiles are created, changed, banned and deleted.

use super::{
    BanRecord, DismissalSelection, FaceIndexError, InvalidProfileFieldError, ProfileDetails, ProfileText,
    ProfileType, ban_sweep,
    change_sequence::next_seq,
    negative_labels,
    profile::{ProfileRow, ProfileStore},
    stored_bytes, tombstones,
};
use crate::{
    delivery,
    erasure_keys::{self, KeyOwner},
    vault::Vault,
};
use base::{AccountId, Id as _, ProfileId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, ids_json, sql};
use std::collections::HashSet;

/// How many expired bans are looked for at once.
const BANS_PER_ROUND: i64 = 200;

/// Changes of a profile; what is `None`, or not in the list, stays as it is.
#[derive(Clone, Debug, Default)]
pub struct ProfilePatch {
    pub kind: Option<ProfileType>,
    /// Texts to set, or to remove if they are empty.
    pub texts: Vec<(ProfileText, Option<String>)>,
    pub is_id_verified: Option<bool>,
    pub is_adult: Option<bool>,
}

/// A refusal of what would make a ban one that nobody notices.
pub(super) fn unusable_ban(property: &'static str, message: String) -> FaceIndexError {
    InvalidProfileFieldError { property, message, measured: None }.into()
}

#[derive(FromRow)]
struct ProfileIdRow {
    id: ProfileId,
}

#[derive(FromRow)]
struct ExpiredBanRow {
    id: ProfileId,
    account_id: AccountId,
}

impl ProfileStore {
    pub(super) async fn insert(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        kind: ProfileType,
        details: &ProfileDetails,
    ) -> Result<ProfileId, DbError> {
        let (id, now) = (ProfileId::new(&*self.environment), self.environment.now());
        let vault = Vault::with_key(self.keys.create(tx, KeyOwner::Profile(id)).await?);
        tx.execute(sql!(
            "INSERT INTO profiles (id, account_id, kind, active, banned, adult, details, created_at, updated_at,
                                   reference_hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)",
            id,
            account,
            kind.number(),
            true,
            false,
            details.is_adult,
            self.seal_details(&vault, id, details),
            now,
            self.reference_hash(account, details),
        ))
        .await?;
        Ok(id)
    }

    /// Locks the row of an active profile until the transaction ends, and records that the profile changes.
    pub(super) async fn lock(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<(ProfileRow, ProfileDetails), FaceIndexError> {
        let row: Option<ProfileRow> = tx
            .fetch_optional(sql!(
                "UPDATE profiles SET updated_at = $3 WHERE id = $1 AND account_id = $2 AND active
                 RETURNING id, kind, active, banned,
                           (SELECT k.sealed FROM erasure_keys k WHERE k.owner_id = profiles.id) AS key,
                           details, created_at, updated_at",
                id,
                account,
                self.environment.now(),
            ))
            .await?;
        let row = row.ok_or(FaceIndexError::Missing("profile"))?;
        let details = self.open_details(&row)?;
        Ok((row, details))
    }

    /// Which of these profiles are there. Until the transaction ends they are, so that nothing can be written about somebody
    /// whose deletion has left it out. They are locked in the order of their ids, so that no two such transactions wait for
    /// each other.
    pub(super) async fn lock_active(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<HashSet<ProfileId>, DbError> {
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let rows: Vec<ProfileIdRow> = tx
            .fetch_all(sql!(
                sqlite: "SELECT id FROM profiles
                          WHERE account_id = $1 AND active AND id IN (SELECT unhex(value) FROM json_each($2))",
                postgres: "SELECT id FROM profiles
                            WHERE account_id = $1 AND active
                              AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))
                            ORDER BY id FOR SHARE",
                account,
                ids_json(ids),
            ))
            .await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Changes a profile.
    pub(super) async fn update(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
        patch: ProfilePatch,
    ) -> Result<(), FaceIndexError> {
        // Every transaction locks the account's row first, so that no two wait for each other.
        let seq = next_seq(tx, account).await?;
        let (row, mut details) = self.lock(tx, account, id).await?;
        let had_consent = details.biometric_consent.is_some();
        for (text, value) in patch.texts {
            details.set(text, value)?;
        }
        details.is_id_verified = patch.is_id_verified.unwrap_or(details.is_id_verified);
        details.is_adult = patch.is_adult.unwrap_or(details.is_adult);
        if had_consent && details.biometric_consent.is_none() {
            let faces = tx.count(sql!("SELECT count(*) FROM faces WHERE profile_id = $1", id)).await?;
            if faces > 0 {
                let message = "it cannot be removed while the profile has faces: delete them first";
                let property = ProfileText::BiometricConsent.name();
                return Err(InvalidProfileFieldError {
                    property,
                    message: message.to_owned(),
                    measured: None,
                }
                .into());
            }
        }
        let kind = patch.kind.unwrap_or(row.kind());
        if row.banned && kind == ProfileType::Hidden {
            let words = "the profile is banned, and would not be recognised any more; lift the ban first";
            return Err(unusable_ban("profile_type", words.to_owned()));
        }
        tx.execute(sql!(
            "UPDATE profiles SET kind = $2, adult = $3, details = $4, reference_hash = $5 WHERE id = $1",
            id,
            kind.number(),
            details.is_adult,
            self.seal_details(&self.vault_of(&row), id, &details),
            self.reference_hash(account, &details),
        ))
        .await?;
        match (row.kind(), kind) {
            (ProfileType::Searchable, ProfileType::Hidden) => {
                log_face_removals(tx, account, id, seq, self.environment.now()).await?;
            }
            (ProfileType::Hidden, ProfileType::Searchable) => {
                tx.execute(sql!("UPDATE faces SET seq = $2 WHERE profile_id = $1", id, seq)).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Bans a person, or lifts the ban (`None`). A ban of somebody who is banned replaces the one before. Where they have been
    /// seen before is looked for by a job, which ends with the ban.
    pub(super) async fn set_ban(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
        ban: Option<BanRecord>,
    ) -> Result<(), FaceIndexError> {
        let (row, mut details) = self.lock(tx, account, id).await?;
        if ban.is_some()
            && let Some((_, reason)) = self.unrecognisable(tx, account, &[id]).await?.first()
        {
            return Err(unusable_ban(reason.property(), format!("the profile cannot be banned: {reason}")));
        }
        let (is_banned, until) = (ban.is_some(), ban.as_ref().and_then(|ban| ban.until));
        details.ban = ban;
        tx.execute(sql!(
            "UPDATE profiles SET banned = $2, ban_until = $3, details = $4 WHERE id = $1",
            id,
            is_banned,
            until,
            self.seal_details(&self.vault_of(&row), id, &details),
        ))
        .await?;
        match (row.banned, is_banned) {
            (false, true) => ban_sweep::queue(tx, &*self.environment, account, id).await?,
            (_, false) => ban_sweep::cancel(tx, id).await?,
            (true, true) => {}
        }
        Ok(())
    }

    /// Queues another sweep of each ban that a moderation did not see which judged faces at `judged_at` and writes them in this
    /// transaction, if it writes them too late for the first.
    pub(super) async fn queue_sweeps_of_unseen_bans(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        judged_at: Timestamp,
    ) -> Result<(), DbError> {
        let Some(since) = ban_sweep::unseen_since(judged_at, self.environment.now()) else { return Ok(()) };
        let rows: Vec<ProfileRow> = tx
            .fetch_all(sql!(
                "SELECT p.id, p.kind, p.active, p.banned, k.sealed AS key, p.details, p.created_at, p.updated_at
                   FROM profiles p LEFT JOIN erasure_keys k ON k.owner_id = p.id
                  WHERE p.account_id = $1 AND p.banned AND p.active AND p.updated_at >= $2",
                account,
                since,
            ))
            .await?;
        for row in rows {
            // Somebody who was banned earlier may have been changed since. Details that do not open say nothing of a ban.
            let ban = self.open_details(&row).unwrap_or_default().ban;
            if ban.is_some_and(|ban| ban.since >= since) {
                ban_sweep::queue_another(tx, &*self.environment, account, row.id).await?;
            }
        }
        Ok(())
    }

    /// Everybody of an account who is banned.
    pub(super) async fn banned(
        &self,
        view: &mut ReadTx,
        account: AccountId,
    ) -> Result<HashSet<ProfileId>, DbError> {
        let rows: Vec<ProfileIdRow> = view
            .fetch_all(sql!("SELECT id FROM profiles WHERE account_id = $1 AND banned AND active", account))
            .await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Up to 200 profiles whose bans are over.
    pub(super) async fn expired_bans(
        &self,
        view: &mut ReadTx,
    ) -> Result<Vec<(AccountId, ProfileId)>, DbError> {
        let rows: Vec<ExpiredBanRow> = view
            .fetch_all(sql!(
                "SELECT id, account_id FROM profiles
                  WHERE ban_until IS NOT NULL AND ban_until <= $1 AND active ORDER BY ban_until LIMIT $2",
                self.environment.now(),
                BANS_PER_ROUND,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| (row.account_id, row.id)).collect())
    }

    /// Lifts a ban whose time is over; returns whether it still was.
    pub(super) async fn lift_expired_ban(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<bool, FaceIndexError> {
        let rows = tx
            .execute(sql!(
                "UPDATE profiles SET ban_until = NULL WHERE id = $1 AND active AND ban_until <= $2",
                id,
                self.environment.now(),
            ))
            .await?;
        if rows == 1 {
            self.set_ban(tx, account, id, None).await?;
        }
        Ok(rows == 1)
    }

    /// Deletes a profile: everything that is known of the person is deleted, in contents where they were found as well, and
    /// an inactive row is left.
    pub(super) async fn delete(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<(), FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        self.lock(tx, account, id).await?;
        log_face_removals(tx, account, id, seq, self.environment.now()).await?;
        tombstones::insert_for_profile(tx, account, id, self.environment.now()).await?;
        negative_labels::remove(tx, self.environment.now(), account, DismissalSelection::OfProfile(id))
            .await?;
        let faces = sql!("DELETE FROM faces WHERE profile_id = $1 RETURNING image_bytes", id);
        stored_bytes::delete_faces(tx, account, faces).await?;
        for query in [
            sql!("DELETE FROM group_profiles WHERE profile_id = $1", id),
            sql!("UPDATE findings SET profile_id = NULL, sealed_embedding = NULL WHERE profile_id = $1", id),
            sql!("UPDATE notifications SET profile_id = NULL WHERE profile_id = $1", id),
            sql!(
                "UPDATE contents SET uploader_id = NULL WHERE account_id = $1 AND uploader_id = $2",
                account,
                id
            ),
            // An empty list would mean all profiles, so a place is left that is nobody's.
            sql!(
                sqlite: "UPDATE moderations SET wanted = replace(wanted, $2, $3)
                          WHERE account_id = $1 AND instr(wanted, $2) > 0",
                postgres: "UPDATE moderations SET wanted = CAST(replace(CAST(wanted AS TEXT), $2, $3) AS JSONB)
                            WHERE account_id = $1 AND strpos(CAST(wanted AS TEXT), $2) > 0",
                account,
                id.to_string(),
                Uuid::nil().to_string(),
            ),
            // Nor does a content that is being moderated name all profiles now, if it named nobody else.
            sql!(
                sqlite: "UPDATE moderations SET wanted = json_set(wanted, '$.named_profile_deleted', json('true'))
                          WHERE state IN ('QUEUED', 'RUNNING', 'STOPPING')
                            AND content_id IN (SELECT content_id FROM content_profiles WHERE profile_id = $1)",
                postgres: "UPDATE moderations SET wanted = jsonb_set(wanted, '{named_profile_deleted}', 'true')
                            WHERE state IN ('QUEUED', 'RUNNING', 'STOPPING')
                              AND content_id IN (SELECT content_id FROM content_profiles WHERE profile_id = $1)",
                id,
            ),
            sql!("DELETE FROM content_profiles WHERE profile_id = $1", id),
        ] {
            tx.execute(query).await?;
        }
        ban_sweep::cancel(tx, id).await?;
        delivery::erase_messages_about(tx, &[id.into()], self.environment.now()).await?;
        tx.execute(sql!(
            "UPDATE profiles SET active = $2, banned = $2, ban_until = NULL, adult = $2, details = NULL,
                    reference_hash = NULL WHERE id = $1",
            id,
            false,
        ))
        .await?;
        Ok(erasure_keys::erase(tx, KeyOwner::Profile(id)).await?)
    }
}

/// Records that all faces of a profile are removed from the indexes by the change `seq`.
async fn log_face_removals(
    tx: &mut WriteTx,
    account: AccountId,
    profile: ProfileId,
    seq: i64,
    now: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO face_removals (account_id, seq, face_id, removed_at)
         SELECT account_id, CAST($3 AS BIGINT), id, CAST($4 AS TIMESTAMPTZ) FROM faces
          WHERE profile_id = $1 AND account_id = $2",
        profile,
        account,
        seq,
        now,
    ))
    .await
    .map(drop)
}
