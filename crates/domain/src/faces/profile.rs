//! Profiles: who somebody is to an account, and whether they are banned.

use super::{FaceIndexError, FaceIndexService, ProfileGroup, ids_json, next_seq, tombstones};
use crate::Violation;
use base::{AccountId, FaceId, GroupId, Id as _, LimitViolation, ProfileId, Timestamp};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// Whether searches return a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileType {
    /// They do.
    #[default]
    Searchable,
    /// They never do.
    Hidden,
}

impl ProfileType {
    /// The number on the wire and in the database.
    pub const fn number(self) -> i64 {
        match self {
            Self::Searchable => 1,
            Self::Hidden => 2,
        }
    }
}

impl TryFrom<i64> for ProfileType {
    type Error = InvalidProfileFieldError;
    fn try_from(number: i64) -> Result<Self, InvalidProfileFieldError> {
        match number {
            1 => Ok(Self::Searchable),
            2 => Ok(Self::Hidden),
            _ => Err(InvalidProfileFieldError {
                property: "profile_type",
                message: "it is 1 (searchable) or 2 (not searchable)".to_owned(),
                measured: None,
            }),
        }
    }
}

/// The texts of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileText {
    /// What people call the person.
    DisplayName,
    /// What the application calls the person, whatever the name becomes.
    Reference,
    /// Where it is recorded that the person agreed to biometrics.
    BiometricConsent,
    /// Where that can be read: `http://` or `https://`.
    ConsentLink,
    /// An identity verification that belongs to the person.
    IdVerification,
}

impl ProfileText {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DisplayName => "display_name",
            Self::Reference => "reference",
            Self::BiometricConsent => "biometric_consent",
            Self::ConsentLink => "consent_link",
            Self::IdVerification => "id_verification",
        }
    }

    /// The longest, in characters.
    pub const fn max_chars(self) -> usize {
        match self {
            Self::DisplayName | Self::Reference | Self::IdVerification => 200,
            Self::BiometricConsent => 500,
            Self::ConsentLink => 2000,
        }
    }

    /// Refuses a value that it cannot have; an empty one is none, and takes the text away.
    pub fn validate(self, value: &str) -> Result<(), InvalidProfileFieldError> {
        if value.is_empty() {
            return Ok(());
        }
        let (length, longest) = (value.chars().count(), self.max_chars());
        let bad = |message: String, measured| {
            Err(InvalidProfileFieldError { property: self.name(), message, measured })
        };
        if length > longest {
            let limit = format!("at most {longest} characters");
            let measured = LimitViolation::new(length as f64, limit, "send a shorter text");
            return bad(format!("it has at most {longest} characters, this one {length}"), Some(measured));
        }
        if value.chars().any(char::is_control) {
            return bad("it has no control characters".to_owned(), None);
        }
        let link = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
        if self == Self::ConsentLink
            && !link.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()))
        {
            return bad("it is an http:// or https:// address".to_owned(), None);
        }
        Ok(())
    }
}

/// A member of a profile that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{property}: {message}")]
pub struct InvalidProfileFieldError {
    /// Its name on the wire.
    pub property: &'static str,
    /// What is wrong.
    pub message: String,
    /// What was measured, where a limit was broken.
    pub measured: Option<LimitViolation>,
}

impl From<InvalidProfileFieldError> for Violation {
    fn from(InvalidProfileFieldError { property, message, measured }: InvalidProfileFieldError) -> Self {
        Self { path: property.into(), message, measured }
    }
}

/// What is known of the person. Sealed where it is kept.
#[derive(Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ProfileDetails {
    /// See [`ProfileText::DisplayName`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// See [`ProfileText::Reference`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// See [`ProfileText::BiometricConsent`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub biometric_consent: Option<String>,
    /// See [`ProfileText::ConsentLink`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_link: Option<String>,
    /// See [`ProfileText::IdVerification`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_verification: Option<String>,
    /// Whether that verification is one that succeeded.
    pub is_id_verified: bool,
    /// Whether the person is known to be an adult: moderations then ask for no age.
    pub is_adult: bool,
}

// Names do not belong into logs.
impl std::fmt::Debug for ProfileDetails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Details(…)")
    }
}

impl ProfileDetails {
    /// Sets a text, or takes it away: an empty one is none.
    pub fn set(&mut self, text: ProfileText, value: Option<String>) -> Result<(), InvalidProfileFieldError> {
        let value = value.filter(|value| !value.is_empty());
        if let Some(value) = &value {
            text.validate(value)?;
        }
        *match text {
            ProfileText::DisplayName => &mut self.display_name,
            ProfileText::Reference => &mut self.reference,
            ProfileText::BiometricConsent => &mut self.biometric_consent,
            ProfileText::ConsentLink => &mut self.consent_link,
            ProfileText::IdVerification => &mut self.id_verification,
        } = value;
        Ok(())
    }

    /// Refuses a face of somebody who is not known to have agreed.
    pub fn require_consent(&self) -> Result<(), InvalidProfileFieldError> {
        if self.biometric_consent.is_some() {
            return Ok(());
        }
        let message = "it is required where a face is enrolled: say where the person's consent is recorded";
        Err(InvalidProfileFieldError {
            property: ProfileText::BiometricConsent.name(),
            message: message.to_owned(),
            measured: None,
        })
    }
}

/// What changes of a profile.
#[derive(Clone, Debug, Default)]
pub struct ProfilePatch {
    /// Whether searches return it.
    pub kind: Option<ProfileType>,
    /// Texts that are set, or taken away.
    pub texts: Vec<(ProfileText, Option<String>)>,
    /// Whether the identity is verified.
    pub is_id_verified: Option<bool>,
    /// Whether the person is known to be an adult.
    pub is_adult: Option<bool>,
}

/// A profile in a list.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProfileItem {
    /// Its id.
    pub id: ProfileId,
    /// Whether the person is banned.
    pub banned: bool,
    /// Whether it is there; one that was deleted is not.
    pub active: bool,
}

/// A profile as other subjects show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSummary {
    /// Its id.
    pub id: ProfileId,
    /// What people call the person.
    pub display_name: Option<String>,
    /// What the application calls the person.
    pub reference: Option<String>,
    /// Whether the person is banned.
    pub is_banned: bool,
    /// Whether it is there; one that was deleted is not, and has no texts.
    pub active: bool,
    /// Whether searches return it.
    pub profile_type: ProfileType,
}

/// A face of a profile.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct EnrolledFace {
    /// Its id.
    pub id: FaceId,
    /// 0 to 1.
    pub quality: f64,
    /// When it was enrolled.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// A profile with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// Whether searches return it.
    pub kind: ProfileType,
    /// Whether it is there.
    pub active: bool,
    /// Whether the person is banned.
    pub banned: bool,
    /// What is known of the person.
    pub details: ProfileDetails,
    /// The faces, oldest first.
    pub faces: Vec<EnrolledFace>,
    /// The groups, by label.
    pub groups: Vec<ProfileGroup>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

#[derive(FromRow)]
pub(super) struct ProfileRow {
    id: ProfileId,
    kind: i64,
    active: bool,
    banned: bool,
    details: Option<Vec<u8>>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    updated_at: Timestamp,
}

impl ProfileRow {
    pub(super) fn kind(&self) -> ProfileType {
        ProfileType::try_from(self.kind).unwrap_or(ProfileType::Hidden)
    }
}

fn aad(profile: ProfileId) -> Vec<u8> {
    format!("profile {profile}").into_bytes()
}

impl FaceIndexService {
    fn open_details(&self, row: &ProfileRow) -> Result<ProfileDetails, FaceIndexError> {
        let Some(sealed) = &row.details else { return Ok(ProfileDetails::default()) };
        let bytes = self.0.vault.open(&aad(row.id), sealed)?;
        serde_json::from_slice(&bytes).map_err(|_| crate::vault::UnsealError.into())
    }

    fn seal_details(&self, profile: ProfileId, details: &ProfileDetails) -> Vec<u8> {
        let bytes = serde_json::to_vec(details).expect("texts are JSON");
        self.0.vault.seal(&*self.0.world, &aad(profile), &bytes)
    }

    pub(super) async fn insert_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        kind: ProfileType,
        details: &ProfileDetails,
    ) -> Result<ProfileId, DbError> {
        let (id, now) = (ProfileId::new(&*self.0.world), self.0.world.now());
        tx.execute(sql!(
            "INSERT INTO profiles (id, account_id, kind, active, banned, adult, details, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
            id,
            account,
            kind.number(),
            true,
            false,
            details.is_adult,
            self.seal_details(id, details),
            now,
        ))
        .await?;
        Ok(id)
    }

    /// Profiles of an account, newest first, those that were deleted among them.
    pub async fn list_profiles(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        most: i64,
        offset: i64,
    ) -> Result<Vec<ProfileItem>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, banned, active FROM profiles WHERE account_id = $1
              ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3",
            account,
            most,
            offset,
        ))
        .await
    }

    /// How many profiles an account has, those that were deleted among them.
    pub async fn count_profiles(&self, view: &mut ReadTx, account: AccountId) -> Result<i64, DbError> {
        view.count(sql!("SELECT count(*) FROM profiles WHERE account_id = $1", account)).await
    }

    /// A profile with all that belongs to it; also one that was deleted.
    pub async fn profile(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<Profile, FaceIndexError> {
        let row: Option<ProfileRow> = view
            .fetch_optional(sql!(
                "SELECT id, kind, active, banned, details, created_at, updated_at FROM profiles
                  WHERE id = $1 AND account_id = $2",
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

    /// Profiles as other subjects show them, in no particular order; those that are not the account's are left out.
    pub async fn profiles(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<Vec<ProfileSummary>, DbError> {
        let rows: Vec<ProfileRow> = view
            .fetch_all(sql!(
                sqlite: "SELECT id, kind, active, banned, details, created_at, updated_at FROM profiles
                          WHERE account_id = $1 AND id IN (SELECT unhex(value) FROM json_each($2))",
                postgres: "SELECT id, kind, active, banned, details, created_at, updated_at FROM profiles
                            WHERE account_id = $1
                              AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($2))",
                account,
                ids_json(ids),
            ))
            .await?;
        let line = |row: ProfileRow| {
            let details = self.open_details(&row).unwrap_or_else(|error| {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    profile.id = %row.id,
                    "a profile's texts are lost"
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
        Ok(rows.into_iter().map(line).collect())
    }

    /// The active profiles among `members` of groups; nothing of groups that are not the account's.
    pub async fn group_members(
        &self,
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

    /// Takes an active profile's row for this transaction, and notes that it changes.
    pub(super) async fn lock_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<(ProfileRow, ProfileDetails), FaceIndexError> {
        let rows: Option<ProfileRow> = tx
            .fetch_optional(sql!(
                "UPDATE profiles SET updated_at = $3 WHERE id = $1 AND account_id = $2 AND active
                 RETURNING id, kind, active, banned, details, created_at, updated_at",
                id,
                account,
                self.0.world.now(),
            ))
            .await?;
        let row = rows.ok_or(FaceIndexError::Missing("profile"))?;
        let details = self.open_details(&row)?;
        Ok((row, details))
    }

    /// Changes a profile. Follow it with [`FaceIndexService::settle`].
    pub async fn update_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
        patch: ProfilePatch,
    ) -> Result<(), FaceIndexError> {
        // The account's row is always taken first, so that no two transactions wait for each other.
        let seq = next_seq(tx, account).await?;
        let (row, mut details) = self.lock_profile(tx, account, id).await?;
        let had_consent = details.biometric_consent.is_some();
        for (text, value) in patch.texts {
            details.set(text, value)?;
        }
        details.is_id_verified = patch.is_id_verified.unwrap_or(details.is_id_verified);
        details.is_adult = patch.is_adult.unwrap_or(details.is_adult);
        if had_consent && details.biometric_consent.is_none() {
            let faces = tx.count(sql!("SELECT count(*) FROM faces WHERE profile_id = $1", id)).await?;
            if faces > 0 {
                let message = "it cannot be taken away while the profile has faces: delete them first";
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
        tx.execute(sql!(
            "UPDATE profiles SET kind = $2, adult = $3, details = $4 WHERE id = $1",
            id,
            kind.number(),
            details.is_adult,
            self.seal_details(id, &details),
        ))
        .await?;
        match (row.kind(), kind) {
            (ProfileType::Searchable, ProfileType::Hidden) => {
                self.log_face_removals(tx, account, id, seq).await?;
            }
            (ProfileType::Hidden, ProfileType::Searchable) => {
                tx.execute(sql!("UPDATE faces SET seq = $2 WHERE profile_id = $1", id, seq)).await?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Bans a person, or takes that back.
    pub async fn set_banned(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
        banned: bool,
    ) -> Result<(), FaceIndexError> {
        let rows = tx
            .execute(sql!(
                "UPDATE profiles SET banned = $3, updated_at = $4
                  WHERE id = $1 AND account_id = $2 AND active",
                id,
                account,
                banned,
                self.0.world.now(),
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(FaceIndexError::Missing("profile")) }
    }

    /// Deletes a profile: all that is known of the person goes, and a row stays that says so. Follow it with
    /// [`FaceIndexService::settle`].
    pub async fn delete_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<(), FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        self.lock_profile(tx, account, id).await?;
        self.log_face_removals(tx, account, id, seq).await?;
        tombstones::insert_for_profile(tx, account, id, self.0.world.now()).await?;
        for query in [
            sql!("DELETE FROM faces WHERE profile_id = $1", id),
            sql!("DELETE FROM negative_labels WHERE profile_id = $1", id),
            sql!("DELETE FROM group_profiles WHERE profile_id = $1", id),
        ] {
            tx.execute(query).await?;
        }
        tx.execute(sql!(
            "UPDATE profiles SET active = $2, banned = $2, adult = $2, details = NULL WHERE id = $1",
            id,
            false,
        ))
        .await?;
        Ok(())
    }

    async fn log_face_removals(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        seq: i64,
    ) -> Result<(), DbError> {
        tx.execute(sql!(
            "INSERT INTO face_removals (account_id, seq, face_id, removed_at)
             SELECT account_id, CAST($3 AS BIGINT), id, CAST($4 AS TIMESTAMPTZ) FROM faces
              WHERE profile_id = $1 AND account_id = $2",
            profile,
            account,
            seq,
            self.0.world.now(),
        ))
        .await
        .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_bounds_and_links_lead_somewhere() {
        let mut details = ProfileDetails::default();
        for (text, value, good) in [
            (ProfileText::DisplayName, "Ada".to_owned(), true),
            (ProfileText::DisplayName, "ä".repeat(200), true),
            (ProfileText::DisplayName, "ä".repeat(201), false),
            (ProfileText::Reference, "a\nb".to_owned(), false),
            (ProfileText::ConsentLink, "https://example.com/consent".to_owned(), true),
            (ProfileText::ConsentLink, "http://example.com".to_owned(), true),
            (ProfileText::ConsentLink, "https://".to_owned(), false),
            (ProfileText::ConsentLink, "javascript:alert(1)".to_owned(), false),
            (ProfileText::ConsentLink, format!("https://{}", "a".repeat(1993)), false),
        ] {
            assert_eq!(details.set(text, Some(value.clone())).is_ok(), good, "{text:?} {value}");
        }
        assert_eq!(details.display_name.as_deref().map(str::len), Some(400));
        details.set(ProfileText::DisplayName, Some(String::new())).unwrap();
        assert_eq!(details.display_name, None);
        assert_eq!(format!("{details:?}"), "Details(…)");
    }

    #[test]
    fn a_refusal_says_how_long_a_text_was() {
        let refused =
            ProfileDetails::default().set(ProfileText::Reference, Some("x".repeat(201))).unwrap_err();
        assert_eq!(refused.measured.unwrap().measured, 201.0);
        assert!(ProfileType::try_from(3).is_err());
    }
}
