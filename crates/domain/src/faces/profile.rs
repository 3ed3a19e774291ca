//! Profiles, as they are read.

use super::{FaceIndexError, ProfileDetails, ProfileGroup, ProfileType};
use crate::{
    CreationRange,
    erasure_keys::{ErasureKeys, KeyOwner},
    vault::Vault,
};
use base::{AccountId, Environment, FaceId, GroupId, ProfileId, Timestamp};
use db::{Db, DbError, FromRow, ReadTx, ids_json, sql};
use documents::text::normalise;
use std::{collections::HashMap, sync::Arc};

/// A profile in a list.
#[derive(Clone, PartialEq, Eq)]
pub struct ProfileItem {
    pub id: ProfileId,
    pub banned: bool,
    /// False for a profile that was deleted; it has no texts.
    pub active: bool,
    /// See [`ProfileText::DisplayName`](super::ProfileText::DisplayName).
    pub display_name: Option<String>,
    /// See [`ProfileText::Reference`](super::ProfileText::Reference).
    pub reference: Option<String>,
}

impl ProfileItem {
    /// Whether the name has this part, which is normalised.
    fn is_named(&self, part: &str) -> bool {
        self.display_name.as_ref().is_some_and(|name| normalise(name).contains(part))
    }
}

#[derive(FromRow)]
struct ListedProfileRow {
    id: ProfileId,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
}

/// Which profiles a list has, deleted ones included; all that is set must hold.
#[derive(Clone, Default)]
pub struct ProfileFilter {
    /// Exactly this [`ProfileText::Reference`](super::ProfileText::Reference).
    pub reference: Option<String>,
    /// A part of the [`ProfileText::DisplayName`](super::ProfileText::DisplayName): letters and digits count, without their
    /// case and diacritics.
    pub name: Option<String>,
    pub banned: Option<bool>,
    /// Whether they have not been deleted.
    pub active: Option<bool>,
    /// A group they are members of.
    pub group: Option<GroupId>,
    pub created: CreationRange,
}

/// How many profiles are found by one reference, at most.
const MAX_PROFILES_OF_A_REFERENCE: i64 = 1000;
/// How many profiles one search looks through for a name, at most: names are sealed, so that each has to be opened.
const MAX_NAMES_COMPARED: i64 = 10_000;
/// How many of them are opened at a time.
const NAMES_PER_BATCH: usize = 250;

/// A page of profiles, newest first.
#[derive(Default)]
pub struct ProfilePage {
    pub profiles: Vec<ProfileItem>,
    /// How many there are in all, of those that were looked at.
    pub total: i64,
    /// Only where a name was looked for and older profiles were left out: when the oldest of the others was created.
    pub searched_back_to: Option<Timestamp>,
}

#[derive(FromRow)]
struct UnhashedProfileRow {
    account_id: AccountId,
    #[sqlx(flatten)]
    row: ProfileRow,
}

/// A profile as moderations and searches show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSummary {
    pub id: ProfileId,
    /// See [`ProfileText::DisplayName`](super::ProfileText::DisplayName).
    pub display_name: Option<String>,
    /// See [`ProfileText::Reference`](super::ProfileText::Reference).
    pub reference: Option<String>,
    pub is_banned: bool,
    /// False for a profile that was deleted; it has no texts.
    pub active: bool,
    pub profile_type: ProfileType,
}

/// Why a profile can never be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnrecognisableReason {
    /// Its type keeps it from being found.
    #[error("its profile_type is 2: it is never recognised; change it to 1 first")]
    Hidden,
    /// It has no face.
    #[error("it has no face, so nobody can be recognised by it; enrol one first")]
    Faceless,
}

impl UnrecognisableReason {
    /// The member of a profile that is in the way.
    pub(super) fn property(self) -> &'static str {
        match self {
            Self::Hidden => "profile_type",
            Self::Faceless => "faces",
        }
    }
}

#[derive(FromRow)]
struct RecognitionRow {
    id: ProfileId,
    kind: i64,
}

/// A face of a profile.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct EnrolledFace {
    pub id: FaceId,
    /// The quality of its picture, 0 to 1.
    pub quality: f64,
    /// When it was enrolled.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// A profile with everything that belongs to it.
#[derive(Clone, Debug)]
pub struct Profile {
    pub id: ProfileId,
    pub kind: ProfileType,
    /// False for a profile that was deleted.
    pub active: bool,
    pub banned: bool,
    pub details: ProfileDetails,
    /// Oldest first.
    pub faces: Vec<EnrolledFace>,
    /// By label.
    pub groups: Vec<ProfileGroup>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(FromRow)]
pub(super) struct ProfileRow {
    pub(super) id: ProfileId,
    kind: i64,
    active: bool,
    pub(super) banned: bool,
    /// The profile's key, sealed.
    key: Option<Vec<u8>>,
    details: Option<Vec<u8>>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    updated_at: Timestamp,
}

impl ProfileRow {
    /// The type of the profile. A number that this build does not know counts as hidden.
    pub(super) fn kind(&self) -> ProfileType {
        ProfileType::try_from(self.kind).unwrap_or(ProfileType::Hidden)
    }
}

/// What is needed to know of profiles that a search has found: no texts.
#[derive(FromRow)]
pub(super) struct ProfileFlagsRow {
    pub(super) id: ProfileId,
    /// [`ProfileType::number`].
    pub(super) kind: i64,
    pub(super) active: bool,
    pub(super) banned: bool,
    pub(super) adult: bool,
}

/// What sealed details are bound to.
fn aad(profile: ProfileId) -> Vec<u8> {
    format!("profile {profile}").into_bytes()
}

/// Reads profiles, whose details are sealed; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct ProfileStore {
    pub(super) keys: ErasureKeys,
    pub(super) environment: Arc<dyn Environment>,
}

impl ProfileStore {
    pub(super) fn open_details(&self, row: &ProfileRow) -> Result<ProfileDetails, FaceIndexError> {
        let Some(sealed) = &row.details else { return Ok(ProfileDetails::default()) };
        let bytes = self.vault_of(row).open(&aad(row.id), sealed)?;
        serde_json::from_slice(&bytes).map_err(|_| crate::vault::UnsealError.into())
    }

    pub(super) fn vault_of(&self, row: &ProfileRow) -> Vault {
        self.keys.vault_of(KeyOwner::Profile(row.id), row.key.as_deref())
    }

    pub(super) fn seal_details(
        &self,
        vault: &Vault,
        profile: ProfileId,
        details: &ProfileDetails,
    ) -> Vec<u8> {
        let bytes = serde_json::to_vec(details).expect("texts are JSON");
        vault.seal(&*self.environment, &aad(profile), &bytes)
    }

    /// A profile with everything that belongs to it, even if it was deleted.
    pub(super) async fn find(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<Profile, FaceIndexError> {
        let row: Option<ProfileRow> = view
            .fetch_optional(sql!(
                "SELECT p.id, p.kind, p.active, p.banned, k.sealed AS key, p.details, p.created_at, p.updated_at
                   FROM profiles p LEFT JOIN erasure_keys k ON k.owner_id = p.id
                  WHERE p.id = $1 AND p.account_id = $2",
                id,
                account,
            ))
            .await?;
        let row = row.ok_or(FaceIndexError::Missing("profile"))?;
        let faces = view
            .fetch_all(sql!(
                "SELECT id, quality, created_at FROM faces WHERE profile_id = $1 AND account_id = $2
                  ORDER BY created_at, id",
                id,
                account,
            ))
            .await?;
        let groups = view
            .fetch_all(sql!(
                "SELECT g.id, g.label FROM profile_groups g JOIN group_profiles m ON m.group_id = g.id
                  WHERE m.profile_id = $1 AND g.account_id = $2 ORDER BY g.label, g.id",
                id,
                account,
            ))
            .await?;
        Ok(Profile {
            id,
            kind: row.kind(),
            active: row.active,
            banned: row.banned,
            details: self.open_details(&row)?,
            faces,
            groups,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }

    /// What a reference is found by: its details are sealed. Two accounts' hashes of one reference differ.
    pub(super) fn reference_hash(&self, account: AccountId, details: &ProfileDetails) -> Vec<u8> {
        let hash = |reference: &String| {
            let context = format!("reference in {account}");
            self.keys.vault.keyed_hash(context.as_bytes(), reference.as_bytes()).to_vec()
        };
        details.reference.as_ref().map(hash).unwrap_or_default()
    }

    /// A page of an account's profiles. A range is how many to leave out, and how many to take.
    pub(super) async fn list(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        filter: &ProfileFilter,
        (offset, limit): (i64, i64),
    ) -> Result<ProfilePage, DbError> {
        if filter.reference.is_none() && filter.name.is_none() {
            let ProfileFilter { banned, active, group, created, .. } = filter;
            let total = view
                .count(sql!(
                    "SELECT count(*) FROM profiles WHERE account_id = $1 AND (banned = $2 OR $2 IS NULL)
                        AND (active = $3 OR $3 IS NULL)
                        AND (id IN (SELECT profile_id FROM group_profiles WHERE group_id = $4) OR $4 IS NULL)
                        AND (created_at >= $5 OR $5 IS NULL) AND (created_at < $6 OR $6 IS NULL)",
                    account,
                    *banned,
                    *active,
                    *group,
                    created.from,
                    created.before,
                ))
                .await?;
            let found = list_ids(view, account, filter, (offset, limit)).await?;
            let profiles = self.items(view, account, &found).await?;
            return Ok(ProfilePage { profiles, total, searched_back_to: None });
        }
        let mut candidates = match &filter.reference {
            Some(reference) => self.ids_of_reference(view, account, filter, reference).await?,
            None => list_ids(view, account, filter, (0, MAX_NAMES_COMPARED + 1)).await?,
        };
        let is_cut_off = candidates.len() as i64 > MAX_NAMES_COMPARED;
        candidates.truncate(MAX_NAMES_COMPARED as usize);
        let oldest = candidates.last().filter(|_| is_cut_off).map(|row| row.created_at);
        let name = filter.name.as_deref().map(normalise);
        let mut found = Vec::new();
        for batch in candidates.chunks(NAMES_PER_BATCH) {
            let mut items = self.items(view, account, batch).await?;
            // An older build that ran after a roll-back changes references without their hashes.
            items.retain(|item| filter.reference.is_none() || item.reference == filter.reference);
            items.retain(|item| name.as_ref().is_none_or(|part| item.is_named(part)));
            found.extend(items);
        }
        let total = found.len() as i64;
        let page = found.into_iter().skip(offset.max(0) as usize).take(limit.max(0) as usize);
        Ok(ProfilePage { profiles: page.collect(), total, searched_back_to: oldest })
    }

    /// The profiles of a filter whose reference has a hash.
    async fn ids_of_reference(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        filter: &ProfileFilter,
        reference: &str,
    ) -> Result<Vec<ListedProfileRow>, DbError> {
        let ProfileFilter { banned, active, group, created, .. } = filter;
        let details = ProfileDetails { reference: Some(reference.to_owned()), ..ProfileDetails::default() };
        view.fetch_all(sql!(
            "SELECT id, created_at FROM profiles
              WHERE account_id = $1 AND reference_hash = $2
                AND (banned = $3 OR $3 IS NULL) AND (active = $4 OR $4 IS NULL)
                AND (id IN (SELECT profile_id FROM group_profiles WHERE group_id = $5) OR $5 IS NULL)
                AND (created_at >= $6 OR $6 IS NULL) AND (created_at < $7 OR $7 IS NULL)
              ORDER BY created_at DESC, id DESC LIMIT $8",
            account,
            self.reference_hash(account, &details),
            *banned,
            *active,
            *group,
            created.from,
            created.before,
            MAX_PROFILES_OF_A_REFERENCE,
        ))
        .await
    }

    /// The items of a list, in its order.
    async fn items(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        rows: &[ListedProfileRow],
    ) -> Result<Vec<ProfileItem>, DbError> {
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let mut summaries: HashMap<_, _> =
            self.summaries(view, account, &ids).await?.into_iter().map(|found| (found.id, found)).collect();
        let item = |id| {
            let ProfileSummary { id, display_name, reference, is_banned, active, .. } =
                summaries.remove(&id)?;
            Some(ProfileItem { id, banned: is_banned, active, display_name, reference })
        };
        Ok(ids.into_iter().filter_map(item).collect())
    }

    /// Writes the hashes of references that older builds stored without.
    pub(super) async fn hash_references(&self, db: &Db) -> Result<(), DbError> {
        loop {
            let rows: Vec<UnhashedProfileRow> = db
                .read_once()
                .await?
                .fetch_all(sql!(
                    "SELECT p.id, p.account_id, p.kind, p.active, p.banned, k.sealed AS key, p.details, p.created_at,
                            p.updated_at
                       FROM profiles p LEFT JOIN erasure_keys k ON k.owner_id = p.id
                      WHERE p.reference_hash IS NULL AND p.active LIMIT 200"
                ))
                .await?;
            if rows.is_empty() {
                return Ok(());
            }
            let mut tx = db.write().await?;
            for UnhashedProfileRow { account_id, row } in rows {
                // What does not open has no reference that anybody could look up.
                let details = self.open_details(&row).unwrap_or_default();
                tx.execute(sql!(
                    "UPDATE profiles SET reference_hash = $2 WHERE id = $1 AND reference_hash IS NULL AND active",
                    row.id,
                    self.reference_hash(account_id, &details),
                ))
                .await?;
            }
            tx.commit().await?;
        }
    }

    /// Profiles by id, in no particular order; those that are not the account's are left out.
    pub(super) async fn summaries(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<Vec<ProfileSummary>, DbError> {
        let rows: Vec<ProfileRow> = view
            .fetch_all(sql!(
                sqlite: "SELECT p.id, p.kind, p.active, p.banned, k.sealed AS key, p.details, p.created_at, p.updated_at
                           FROM profiles p LEFT JOIN erasure_keys k ON k.owner_id = p.id
                          WHERE p.account_id = $1 AND p.id IN (SELECT unhex(value) FROM json_each($2))",
                postgres: "SELECT p.id, p.kind, p.active, p.banned, k.sealed AS key, p.details, p.created_at, p.updated_at
                             FROM profiles p LEFT JOIN erasure_keys k ON k.owner_id = p.id
                            WHERE p.account_id = $1
                              AND p.id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))",
                account,
                ids_json(ids),
            ))
            .await?;
        let summary = |row: ProfileRow| {
            let details = self.open_details(&row).unwrap_or_else(|error| {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    profile.id = %row.id,
                    "the details of a profile cannot be opened"
                );
                ProfileDetails::default()
            });
            ProfileSummary {
                id: row.id,
                display_name: details.display_name,
                reference: details.reference,
                is_banned: row.banned,
                active: row.active,
                profile_type: row.kind(),
            }
        };
        Ok(rows.into_iter().map(summary).collect())
    }

    /// Which of these active profiles can never be recognised, and why.
    pub(super) async fn unrecognisable(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<Vec<(ProfileId, UnrecognisableReason)>, DbError> {
        let rows: Vec<RecognitionRow> = view
            .fetch_all(sql!(
                sqlite: "SELECT p.id, p.kind FROM profiles p
                          WHERE p.account_id = $1 AND p.active AND p.id IN (SELECT unhex(value) FROM json_each($2))
                            AND (p.kind <> $3 OR NOT EXISTS (SELECT 1 FROM faces f WHERE f.profile_id = p.id))",
                postgres: "SELECT p.id, p.kind FROM profiles p
                            WHERE p.account_id = $1 AND p.active
                              AND p.id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))
                              AND (p.kind <> $3 OR NOT EXISTS (SELECT 1 FROM faces f WHERE f.profile_id = p.id))",
                account,
                ids_json(ids),
                ProfileType::Searchable.number(),
            ))
            .await?;
        let reason = |row: RecognitionRow| {
            let is_hidden = row.kind != ProfileType::Searchable.number();
            let reason =
                if is_hidden { UnrecognisableReason::Hidden } else { UnrecognisableReason::Faceless };
            (row.id, reason)
        };
        Ok(rows.into_iter().map(reason).collect())
    }
}

/// Profiles of a filter, whatever their reference and name, newest first.
async fn list_ids(
    view: &mut ReadTx,
    account: AccountId,
    filter: &ProfileFilter,
    (offset, limit): (i64, i64),
) -> Result<Vec<ListedProfileRow>, DbError> {
    let ProfileFilter { banned, active, group, created, .. } = filter;
    view.fetch_all(sql!(
        "SELECT id, created_at FROM profiles
          WHERE account_id = $1 AND (banned = $2 OR $2 IS NULL) AND (active = $3 OR $3 IS NULL)
            AND (id IN (SELECT profile_id FROM group_profiles WHERE group_id = $4) OR $4 IS NULL)
            AND (created_at >= $5 OR $5 IS NULL) AND (created_at < $6 OR $6 IS NULL)
          ORDER BY created_at DESC, id DESC LIMIT $7 OFFSET $8",
        account,
        *banned,
        *active,
        *group,
        created.from,
        created.before,
        limit,
        offset,
    ))
    .await
}

/// What a search must know of the profiles it has found.
pub(super) async fn flags(
    view: &mut ReadTx,
    account: AccountId,
    ids: &[ProfileId],
) -> Result<Vec<ProfileFlagsRow>, DbError> {
    view.fetch_all(sql!(
        sqlite: "SELECT id, kind, active, banned, adult FROM profiles
                  WHERE account_id = $1 AND id IN (SELECT unhex(value) FROM json_each($2))",
        postgres: "SELECT id, kind, active, banned, adult FROM profiles
                    WHERE account_id = $1
                      AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))",
        account,
        ids_json(ids),
    ))
    .await
}
