//! Faces come in and go.

use super::{
    BadText, Details, Faces, FacesError, Kind, bump, leavings,
    picture::{self, Looked, Purpose},
};
use crate::accounts;
use base::{AccountId, FaceId, Id as _, Measured, ProfileId};
use db::{FromRow, Read, Tx, sql};
use media::blobs::{BlobKey, Segment};

/// The most faces a profile has.
pub const MOST_FACES: i64 = 10;

const KIND: Segment = Segment::literal("face");

/// Where the picture of a face is kept.
pub(super) fn blob(account: AccountId, face: FaceId) -> BlobKey {
    BlobKey::new(account, KIND, face)
}

pub(super) fn place(face: FaceId) -> Vec<u8> {
    format!("face {face}").into_bytes()
}

/// A face that is good enough, whose picture is kept already; it is nobody's yet.
#[derive(Debug)]
pub struct Prepared {
    id: FaceId,
    account: AccountId,
    looked: Looked,
    kept: bool,
}

#[derive(FromRow)]
struct Known {
    id: FaceId,
    embedding: Vec<u8>,
}

impl Faces {
    /// Looks at a picture of one face, and refuses it where it is not good enough to be enrolled.
    pub(super) async fn look(&self, bytes: Vec<u8>, purpose: Purpose) -> Result<Looked, FacesError> {
        let rules = self.0.settings.rules.clone();
        let header = picture::inspect(&bytes, &rules)?;
        let looking =
            self.0.estimator.run(move |vision| picture::look(vision, &bytes, &header, &rules, purpose));
        looking.await?
    }

    /// Takes a face in for an account: refuses a picture that is not good enough, and keeps its crop. With `profile`, a
    /// face of another person is refused already here. What comes of it is enrolled or [abandoned](Self::abandon); what a
    /// crash leaves is swept away.
    pub async fn prepare(
        &self,
        account: AccountId,
        profile: Option<ProfileId>,
        bytes: Vec<u8>,
    ) -> Result<Prepared, FacesError> {
        let looked = self.look(bytes, Purpose::Enrol).await?;
        if let Some(profile) = profile {
            self.same_person(&mut self.0.db.read().await?, profile, &looked).await?;
        }
        let id = FaceId::new(&*self.0.world);
        let kept = self.0.settings.keep_images && !looked.crop.is_empty();
        if kept {
            // The row comes later: until then a note says that there may be a picture without one.
            let mut tx = self.0.db.write().await?;
            if !accounts::hold(&mut tx, account).await? {
                return Err(FacesError::Missing("account"));
            }
            leavings::expect(&mut tx, account, id, self.0.world.now()).await?;
            tx.commit().await?;
            self.0.blobs.put(&blob(account, id), &looked.crop).await?;
        }
        Ok(Prepared { id, account, looked, kept })
    }

    /// Lets go of a face that was not enrolled.
    pub async fn abandon(&self, face: Prepared) {
        if face.kept
            && let Err(error) = self.drop_expected(face.account, face.id).await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "a picture is left to be swept away");
        }
    }

    /// Makes a profile, with a face or without. Follow it with [`Faces::settle`].
    pub async fn create(
        &self,
        tx: &mut Tx,
        account: AccountId,
        kind: Kind,
        details: &Details,
        face: Option<&Prepared>,
    ) -> Result<ProfileId, FacesError> {
        let seq = bump(tx, account).await?;
        let id = self.insert_profile(tx, account, kind, details).await?;
        if let Some(face) = face {
            details.consented()?;
            self.insert_face(tx, id, face, seq).await?;
        }
        Ok(id)
    }

    /// Refuses what need not be looked at: a profile that is not there, has no consent, or has all the faces it may have.
    pub async fn has_room(
        &self,
        view: &mut Read,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<(), FacesError> {
        let known = self.profile(view, account, profile).await?;
        if !known.active {
            return Err(FacesError::Missing("profile"));
        }
        known.details.consented()?;
        room(known.faces.len() as i64)
    }

    /// Adds a face to a profile whose person it shows. Follow it with [`Faces::settle`].
    pub async fn add(
        &self,
        tx: &mut Tx,
        account: AccountId,
        profile: ProfileId,
        face: &Prepared,
    ) -> Result<FaceId, FacesError> {
        let seq = bump(tx, account).await?;
        let (_, details) = self.hold(tx, account, profile).await?;
        details.consented()?;
        room(tx.count(sql!("SELECT count(*) FROM faces WHERE profile_id = $1", profile)).await?)?;
        self.same_person(tx, profile, &face.looked).await?;
        self.insert_face(tx, profile, face, seq).await?;
        Ok(face.id)
    }

    /// Removes a face. Follow it with [`Faces::settle`].
    pub async fn remove(
        &self,
        tx: &mut Tx,
        account: AccountId,
        profile: ProfileId,
        face: FaceId,
    ) -> Result<(), FacesError> {
        let seq = bump(tx, account).await?;
        self.hold(tx, account, profile).await?;
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
            return Err(FacesError::Missing("face"));
        }
        tx.execute(sql!(
            "INSERT INTO face_removals (account_id, seq, face_id, removed_at) VALUES ($1, $2, $3, $4)",
            account,
            seq,
            face,
            now,
        ))
        .await?;
        leavings::note(tx, account, face, now).await?;
        Ok(())
    }

    async fn insert_face(
        &self,
        tx: &mut Tx,
        profile: ProfileId,
        face: &Prepared,
        seq: i64,
    ) -> Result<(), FacesError> {
        let Prepared { id, account, looked, kept } = face;
        if *kept && !leavings::settled(tx, *id, self.0.world.now()).await? {
            // It took so long that it was swept away meanwhile.
            return Err(FacesError::Busy(std::time::Duration::from_secs(1)));
        }
        tx.execute(sql!(
            "INSERT INTO faces (id, account_id, profile_id, model, embedding, quality, image, seq, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            *id,
            *account,
            profile,
            looked.model.to_vec(),
            self.seal(&place(*id), &looked.embedding),
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
    async fn same_person(
        &self,
        view: &mut Read,
        profile: ProfileId,
        looked: &Looked,
    ) -> Result<(), FacesError> {
        let known: Vec<Known> = view
            .fetch_all(sql!(
                "SELECT id, embedding FROM faces WHERE profile_id = $1 AND model = $2 LIMIT 100",
                profile,
                looked.model.to_vec(),
            ))
            .await?;
        let mut nearest = f32::INFINITY;
        for known in &known {
            let embedding = self.open(&place(known.id), &known.embedding)?;
            nearest = nearest.min(vision::distance(&embedding, &looked.embedding));
        }
        let limit = self.verify_distance().await?;
        if known.is_empty() || nearest <= limit {
            return Ok(());
        }
        let hint = "add pictures of the same person, or make a profile of its own";
        let measured =
            Measured::new(nearest, format!("a distance of at most {limit} to a face of the profile"), hint);
        Err(FacesError::refused("the face is not of the person of this profile", Some(measured)))
    }
}

fn room(faces: i64) -> Result<(), FacesError> {
    if faces < MOST_FACES {
        return Ok(());
    }
    let measured = Measured::new(faces as f64, format!("at most {MOST_FACES} faces"), "delete one first");
    Err(BadText {
        property: "face",
        message: format!("the profile has {faces} faces, the most it may have"),
        measured: Some(measured),
    }
    .into())
}
