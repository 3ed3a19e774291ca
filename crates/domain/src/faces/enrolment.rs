//! Faces come in and go.

use super::{
    FaceIndexError, FaceIndexService, InvalidProfileFieldError, ProfileDetails, ProfileType,
    face_extraction::{self, ExtractedFace, ExtractionPurpose},
    next_seq, tombstones,
};
use crate::accounts;
use base::{AccountId, FaceId, Id as _, LimitViolation, ProfileId};
use db::{FromRow, ReadTx, WriteTx, sql};
use media::blobs::{BlobKey, BlobKeySegment};

/// The most faces a profile has.
pub const MAX_FACES_PER_PROFILE: i64 = 10;

const FACE_BLOB_SEGMENT: BlobKeySegment = BlobKeySegment::literal("face");

/// Where the picture of a face is kept.
pub(super) fn blob_key(account: AccountId, face: FaceId) -> BlobKey {
    BlobKey::new(account, FACE_BLOB_SEGMENT, face)
}

/// What a sealed embedding belongs to.
pub(super) fn aad(profile: ProfileId, face: FaceId) -> Vec<u8> {
    format!("face {face} of {profile}").into_bytes()
}

/// A face that is good enough, whose picture is kept already; it is nobody's yet.
#[derive(Debug)]
pub struct PreparedFace {
    id: FaceId,
    account: AccountId,
    extracted: ExtractedFace,
    picture_stored: bool,
}

#[derive(FromRow)]
struct StoredEmbeddingRow {
    id: FaceId,
    embedding: Vec<u8>,
}

impl FaceIndexService {
    /// Looks at a picture of one face, and refuses it where it is not good enough to be enrolled.
    pub(super) async fn extract_face(
        &self,
        bytes: Vec<u8>,
        purpose: ExtractionPurpose,
    ) -> Result<ExtractedFace, FaceIndexError> {
        let rules = self.0.settings.rules.clone();
        let header = face_extraction::inspect(&bytes, &rules)?;
        let looking = self
            .0
            .estimator
            .run(move |vision| face_extraction::extract(vision, &bytes, &header, &rules, purpose));
        looking.await?
    }

    /// Takes a face in for an account: refuses a picture that is not good enough, and keeps its crop. With `profile`, a
    /// face of another person is refused already here. What comes of it is enrolled or [abandoned](Self::abandon); what a
    /// crash leaves is swept away.
    pub async fn prepare_face(
        &self,
        account: AccountId,
        profile: Option<ProfileId>,
        bytes: Vec<u8>,
    ) -> Result<PreparedFace, FaceIndexError> {
        let looked = self.extract_face(bytes, ExtractionPurpose::Enrol).await?;
        if let Some(profile) = profile {
            self.require_same_person(&mut self.0.db.read().await?, profile, &looked).await?;
        }
        let id = FaceId::new(&*self.0.world);
        let kept = self.0.settings.keep_images && !looked.crop.is_empty();
        if kept {
            // The row comes later: until then a note says that there may be a picture without one.
            let mut tx = self.0.db.write().await?;
            if !accounts::lock_shared(&mut tx, account).await? {
                return Err(FaceIndexError::Missing("account"));
            }
            tombstones::insert_pending(&mut tx, account, id, self.0.world.now()).await?;
            tx.commit().await?;
            self.0.blobs.put(&blob_key(account, id), &looked.crop).await?;
        }
        Ok(PreparedFace { id, account, extracted: looked, picture_stored: kept })
    }

    /// Lets go of a face that was not enrolled.
    pub async fn discard_prepared_face(&self, face: PreparedFace) {
        if face.picture_stored
            && let Err(error) = self.discard_pending_picture(face.account, face.id).await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "a picture is left to be swept away");
        }
    }

    /// Makes a profile, with a face or without. Follow it with [`FaceIndexService::settle`].
    pub async fn create_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        kind: ProfileType,
        details: &ProfileDetails,
        face: Option<&PreparedFace>,
    ) -> Result<ProfileId, FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        let id = self.insert_profile(tx, account, kind, details).await?;
        if let Some(face) = face {
            details.require_consent()?;
            self.insert_face(tx, id, face, seq).await?;
        }
        Ok(id)
    }

    /// Refuses what need not be looked at: a profile that is not there, has no consent, or has all the faces it may have.
    pub async fn require_enrolment_allowed(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<(), FaceIndexError> {
        let known = self.profile(view, account, profile).await?;
        if !known.active {
            return Err(FaceIndexError::Missing("profile"));
        }
        known.details.require_consent()?;
        require_face_quota(known.faces.len() as i64)
    }

    /// Adds a face to a profile whose person it shows. Follow it with [`FaceIndexService::settle`].
    pub async fn add_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: &PreparedFace,
    ) -> Result<FaceId, FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        let (_, details) = self.lock_profile(tx, account, profile).await?;
        details.require_consent()?;
        require_face_quota(
            tx.count(sql!("SELECT count(*) FROM faces WHERE profile_id = $1", profile)).await?,
        )?;
        self.require_same_person(tx, profile, &face.extracted).await?;
        self.insert_face(tx, profile, face, seq).await?;
        Ok(face.id)
    }

    /// Removes a face. Follow it with [`FaceIndexService::settle`].
    pub async fn remove_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: FaceId,
    ) -> Result<(), FaceIndexError> {
        let seq = next_seq(tx, account).await?;
        self.lock_profile(tx, account, profile).await?;
        let now = self.0.world.now();
        let rows = tx
            .execute(sql!(
                "DELETE FROM faces WHERE id = $1 AND profile_id = $2 AND account_id = $3",
                face,
                profile,
                account,
            ))
            .await?;
        if rows == 0 {
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
        Ok(())
    }

    async fn insert_face(
        &self,
        tx: &mut WriteTx,
        profile: ProfileId,
        face: &PreparedFace,
        seq: i64,
    ) -> Result<(), FaceIndexError> {
        let PreparedFace { id, account, extracted: looked, picture_stored: kept } = face;
        if *kept && !tombstones::take_pending(tx, *id, self.0.world.now()).await? {
            // It took so long that it was swept away meanwhile.
            return Err(FaceIndexError::Busy(std::time::Duration::from_secs(1)));
        }
        tx.execute(sql!(
            "INSERT INTO faces (id, account_id, profile_id, model, embedding, quality, image, seq, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            *id,
            *account,
            profile,
            looked.model.to_vec(),
            self.seal_embedding(&aad(profile, *id), &looked.embedding),
            f64::from((looked.quality * 1e4).round()) / 1e4,
            *kept,
            seq,
            self.0.world.now(),
        ))
        .await?;
        Ok(())
    }

    /// Refuses a face that is not of the person whose faces a profile has. Faces of another model say nothing about it:
    /// where there are no others, any face is taken.
    async fn require_same_person(
        &self,
        view: &mut ReadTx,
        profile: ProfileId,
        looked: &ExtractedFace,
    ) -> Result<(), FaceIndexError> {
        let known: Vec<StoredEmbeddingRow> = view
            .fetch_all(sql!(
                "SELECT id, embedding FROM faces WHERE profile_id = $1 AND model = $2 LIMIT 100",
                profile,
                looked.model.to_vec(),
            ))
            .await?;
        let mut nearest = f32::INFINITY;
        for known in &known {
            let embedding = self.open_embedding(&aad(profile, known.id), &known.embedding)?;
            nearest = nearest.min(vision::embedding_distance(&embedding, &looked.embedding));
        }
        let limit = self.verify_distance().await?;
        if known.is_empty() || nearest <= limit {
            return Ok(());
        }
        let hint = "add pictures of the same person, or make a profile of its own";
        let measured = LimitViolation::new(
            nearest,
            format!("a distance of at most {limit} to a face of the profile"),
            hint,
        );
        Err(FaceIndexError::refused("the face is not of the person of this profile", Some(measured)))
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
