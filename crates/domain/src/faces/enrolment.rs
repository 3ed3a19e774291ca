//! Enrolment: faces are added to profiles, and removed from them. Every method that changes faces must be followed by
//! [`FaceIndexService::apply_committed_changes`](super::FaceIndexService::apply_committed_changes) once its transaction is
//! committed.

use super::{
    FaceIndexError, InvalidProfileFieldError, ProfileDetails, ProfileType,
    change_sequence::next_seq,
    embedding_vault::EmbeddingVault,
    face_extraction::{ExtractedFace, ExtractionPurpose},
    face_model::FaceModel,
    pictures::{FacePictures, PictureOwner},
    profile::ProfileStore,
    profile_changes::unusable_ban,
    stored_bytes,
    tombstones::{self, TombstoneSweeper},
};
use crate::{
    accounts, erasure_keys,
    tenancy::limits::{self, LimitSettings},
};
use base::{AccountId, Environment, FaceId, Id as _, LimitViolation, ProfileId, Secret};
use db::{Db, FromRow, ReadTx, WriteTx, sql};
use std::{sync::Arc, time::Duration};

/// How many faces a profile may have.
pub const MAX_FACES_PER_PROFILE: i64 = 10;

/// What the sealed embedding of a face is bound to.
pub(super) fn aad(profile: ProfileId, face: FaceId) -> Vec<u8> {
    format!("face {face} of {profile}").into_bytes()
}

/// A face that is good enough to be enrolled, and belongs to no profile yet. Its picture is stored already, if pictures are
/// kept at all.
#[derive(Debug)]
pub struct PreparedFace {
    id: FaceId,
    account: AccountId,
    extracted: ExtractedFace,
    /// The key of its stored picture.
    picture_key: Option<Secret<[u8; 32]>>,
}

impl PreparedFace {
    pub(super) fn embedding(&self) -> &[f32] {
        &self.extracted.embedding
    }
}

#[derive(FromRow)]
struct StoredEmbeddingRow {
    id: FaceId,
    key: Option<Vec<u8>>,
    embedding: Vec<u8>,
}

/// Adds and removes faces.
#[derive(Debug)]
pub(super) struct Enrolment {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) pictures: FacePictures,
    pub(super) model: Arc<FaceModel>,
    pub(super) embeddings: EmbeddingVault,
    pub(super) profiles: ProfileStore,
    pub(super) sweeper: Arc<TombstoneSweeper>,
    /// Whether pictures of faces are kept, so that another model can embed them later.
    pub(super) keep_images: bool,
    pub(super) limits: LimitSettings,
}

impl Enrolment {
    /// Extracts a face for an account and stores its picture; refuses a picture that is not good enough. With `profile`, the
    /// face of another person is refused as well. The result is either enrolled or discarded; what a crash leaves behind is
    /// swept.
    pub(super) async fn prepare(
        &self,
        account: AccountId,
        profile: Option<ProfileId>,
        bytes: Vec<u8>,
    ) -> Result<PreparedFace, FaceIndexError> {
        let app = accounts::application_of(&mut self.db.read().await?, account).await?;
        let extracted = self.model.extract_face(app, bytes, ExtractionPurpose::Enrol).await?;
        if let Some(profile) = profile {
            self.require_same_person(&mut self.db.read().await?, profile, &extracted).await?;
        }
        let id = FaceId::new(&*self.environment);
        let mut picture_key = None;
        if self.keep_images && !extracted.crop.is_empty() {
            // The face's row is written later. Until then a tombstone says that there may be a picture without a row.
            let mut tx = self.db.write().await?;
            if !accounts::lock_shared(&mut tx, account).await? {
                return Err(FaceIndexError::Missing("account"));
            }
            if let Some(app) = accounts::application_of(&mut tx, account).await? {
                let bytes = extracted.crop.len() as u64;
                limits::ensure_storage_left(&mut tx, &self.limits, app, bytes).await?;
            }
            tombstones::insert_pending(&mut tx, account, id, self.environment.now()).await?;
            tx.commit().await?;
            picture_key = Some(self.pictures.put(account, id, &extracted.crop).await?);
        }
        Ok(PreparedFace { id, account, extracted, picture_key })
    }

    /// Deletes the picture of a face that will not be enrolled. If that fails, the sweep does it.
    pub(super) async fn discard(&self, face: PreparedFace) {
        if face.picture_key.is_some()
            && let Err(error) = self.sweeper.discard_pending_picture(face.account, face.id).await
        {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the picture of a discarded face is left to the sweep"
            );
        }
    }

    /// Creates a profile, with a face or without.
    pub(super) async fn create_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        kind: ProfileType,
        details: &ProfileDetails,
        face: Option<&PreparedFace>,
    ) -> Result<ProfileId, FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        let id = self.profiles.insert(tx, account, kind, details).await?;
        if let Some(face) = face {
            details.require_consent()?;
            self.insert_face(tx, id, face, seq).await?;
        }
        Ok(id)
    }

    /// Refuses, before a picture is processed, a profile that does not exist, has no consent recorded, or has as many faces
    /// as it may have.
    pub(super) async fn require_allowed(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<(), FaceIndexError> {
        let profile = self.profiles.find(view, account, profile).await?;
        if !profile.active {
            return Err(FaceIndexError::Missing("profile"));
        }
        profile.details.require_consent()?;
        require_face_quota(profile.faces.len() as i64)
    }

    /// Adds a face to a profile; refuses the face of another person.
    pub(super) async fn add_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: &PreparedFace,
    ) -> Result<FaceId, FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        let (_, details) = self.profiles.lock(tx, account, profile).await?;
        details.require_consent()?;
        require_face_quota(
            tx.count(sql!("SELECT count(*) FROM faces WHERE profile_id = $1", profile)).await?,
        )?;
        self.require_same_person(tx, profile, &face.extracted).await?;
        self.insert_face(tx, profile, face, seq).await?;
        Ok(face.id)
    }

    /// Removes a face from a profile; refuses the last one of a banned profile.
    pub(super) async fn remove_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: FaceId,
    ) -> Result<(), FaceIndexError> {
        let is_banned = self.delete_face(tx, account, profile, face).await?;
        let unrecognisable = self.profiles.unrecognisable(tx, account, &[profile]).await?;
        if is_banned && !unrecognisable.is_empty() {
            let words = "it is the last face of a banned profile, which would not be recognised any more; enrol another one \
                         first, lift the ban, or delete the profile";
            return Err(unusable_ban("faces", words.to_owned()));
        }
        Ok(())
    }

    /// Deletes a face of a profile, be it the last one; returns whether the profile is banned.
    pub(super) async fn delete_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: FaceId,
    ) -> Result<bool, FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        let (row, _) = self.profiles.lock(tx, account, profile).await?;
        let now = self.environment.now();
        let removed = sql!(
            "DELETE FROM faces WHERE id = $1 AND profile_id = $2 AND account_id = $3 RETURNING image_bytes",
            face,
            profile,
            account,
        );
        if stored_bytes::delete_faces(tx, account, removed).await? == 0 {
            return Err(FaceIndexError::Missing("face"));
        }
        tx.execute(sql!(
            "INSERT INTO face_removals (account_id, seq, face_id, removed_at) VALUES ($1, $2, $3, $4)",
            account,
            seq,
            face,
            now,
        ))
        .await?;
        tombstones::insert(tx, account, face, now).await?;
        erasure_keys::record_erasure(tx).await?;
        Ok(row.banned)
    }

    async fn insert_face(
        &self,
        tx: &mut WriteTx,
        profile: ProfileId,
        face: &PreparedFace,
        seq: i64,
    ) -> Result<(), FaceIndexError> {
        let PreparedFace { id, account, extracted, picture_key } = face;
        if picture_key.is_some() && !tombstones::take_pending(tx, *id, self.environment.now()).await? {
            // The enrolment took so long that the picture has been swept.
            return Err(FaceIndexError::Busy(Duration::from_secs(1)));
        }
        let image_bytes = if picture_key.is_some() { extracted.crop.len() as u64 } else { 0 };
        if image_bytes > 0
            && let Some(app) = accounts::application_of(tx, *account).await?
        {
            let stored = limits::count_stored_bytes(tx, app, image_bytes.cast_signed()).await?;
            limits::ensure_stored_bytes_allowed(tx, &self.limits, app, stored).await?;
        }
        let vault = self.embeddings.of_profile(tx, profile).await?;
        let owner = PictureOwner { account: *account, profile, face: *id };
        let sealed_key = picture_key.as_ref().map(|key| self.pictures.seal_key(&vault, &owner, key));
        tx.execute(sql!(
            "INSERT INTO faces (id, account_id, profile_id, model, embedding, quality, image, seq, created_at,
                                picture_key, picture_key_used, image_bytes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $7, $11)",
            *id,
            *account,
            profile,
            extracted.model.to_vec(),
            self.embeddings.seal(&vault, &aad(profile, *id), &extracted.embedding),
            f64::from((extracted.quality * 1e4).round()) / 1e4,
            sealed_key.is_some(),
            seq,
            self.environment.now(),
            sealed_key,
            image_bytes.cast_signed(),
        ))
        .await?;
        Ok(())
    }

    /// Refuses a face that is not that of the profile's person. Faces of other models cannot be compared: if the profile has no
    /// others, any face is accepted.
    async fn require_same_person(
        &self,
        view: &mut ReadTx,
        profile: ProfileId,
        extracted: &ExtractedFace,
    ) -> Result<(), FaceIndexError> {
        let known: Vec<StoredEmbeddingRow> = view
            .fetch_all(sql!(
                "SELECT f.id, k.sealed AS key, f.embedding FROM faces f
                   LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
                  WHERE f.profile_id = $1 AND f.model = $2 LIMIT 100",
                profile,
                extracted.model.to_vec(),
            ))
            .await?;
        let mut nearest = f32::INFINITY;
        for face in &known {
            let owner = (profile, face.key.as_deref());
            let embedding = self.embeddings.open(owner, &aad(profile, face.id), &face.embedding)?;
            nearest = nearest.min(vision::embedding_distance(&embedding, &extracted.embedding));
        }
        let limit = self.model.verify_distance().await?;
        if known.is_empty() || nearest <= limit {
            return Ok(());
        }
        let hint = "send a picture of the same person, or create another profile";
        let measured = LimitViolation::new(
            nearest,
            format!("a distance of at most {limit} to a face of the profile"),
            hint,
        );
        Err(FaceIndexError::refused("the face does not match the faces of this profile", Some(measured)))
    }
}

fn require_face_quota(faces: i64) -> Result<(), FaceIndexError> {
    if faces < MAX_FACES_PER_PROFILE {
        return Ok(());
    }
    let measured = LimitViolation::new(
        faces as f64,
        format!("at most {MAX_FACES_PER_PROFILE} faces"),
        "delete one first",
    );
    Err(InvalidProfileFieldError {
        property: "face",
        message: format!("the profile has {faces} faces, the most it may have"),
        measured: Some(measured),
    }
    .into())
}
