//! The likeness of one person, for comparing faces that are in no index with them.

use super::{
    FaceIndexError, InvalidProfileFieldError,
    embedding_vault::EmbeddingVault,
    enrolment,
    face_model::FaceModel,
    negative_labels::{self, MatchedFace, NegativeLabels},
    profile::{self, ProfileStore},
};
use base::{AccountId, ContentId, FaceId, ProfileId};
use db::{Db, FromRow, sql};

/// The faces of one person, and what people said of faces that are not theirs.
pub struct FaceLikeness {
    faces: Vec<Vec<f32>>,
    /// The profile, and the faces that were dismissed as not being its own; of a picture, none.
    dismissals: Option<(ProfileId, NegativeLabels)>,
    /// SHA-256 of the model that computed the embeddings, hexadecimal.
    model: String,
    /// The distance up to which a search finds a face.
    match_distance: f32,
}

// Embeddings must not reach a log.
impl std::fmt::Debug for FaceLikeness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FaceLikeness({} faces)", self.faces.len())
    }
}

#[derive(FromRow)]
struct FaceRow {
    id: FaceId,
    key: Option<Vec<u8>>,
    embedding: Vec<u8>,
}

impl FaceLikeness {
    /// That of the one face in a picture.
    pub(super) async fn of_embedding(model: &FaceModel, embedding: Vec<f32>) -> Result<Self, FaceIndexError> {
        let digest = model.space().await?.digest();
        Ok(Self::of_faces(vec![embedding], digest, model.identify_distance().await?))
    }

    /// The likeness of these faces, without negative labels. `model` is the digest of what computed them.
    pub(crate) fn of_faces(faces: Vec<Vec<f32>>, model: String, match_distance: f32) -> Self {
        Self { faces, dismissals: None, model, match_distance }
    }

    /// That of a profile by which somebody can be recognised. Faces of another model are left out.
    pub(super) async fn of_profile(
        db: &Db,
        model: &FaceModel,
        embeddings: &EmbeddingVault,
        profiles: &ProfileStore,
        (account, profile): (AccountId, ProfileId),
    ) -> Result<Self, FaceIndexError> {
        let space = model.space().await?.clone();
        let match_distance = model.identify_distance().await?;
        let mut view = db.read().await?;
        let flags = profile::flags(&mut view, account, &[profile]).await?;
        if !flags.first().is_some_and(|row| row.active) {
            return Err(FaceIndexError::Missing("profile"));
        }
        if let Some((_, reason)) = profiles.unrecognisable(&mut view, account, &[profile]).await?.first() {
            let message = format!("nobody can be found by the profile: {reason}");
            return Err(InvalidProfileFieldError { property: "profile_id", message, measured: None }.into());
        }
        let rows: Vec<FaceRow> = view
            .fetch_all(sql!(
                "SELECT f.id, k.sealed AS key, f.embedding FROM faces f
                   LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
                  WHERE f.profile_id = $1 AND f.account_id = $2 AND f.model = $3",
                profile,
                account,
                space.sha256.to_vec(),
            ))
            .await?;
        let open = |row: FaceRow| {
            let aad = enrolment::aad(profile, row.id);
            embeddings.open((profile, row.key.as_deref()), &aad, &row.embedding)
        };
        let faces = rows.into_iter().map(open).collect::<Result<_, _>>()?;
        let labels =
            negative_labels::load_of_profile(&mut view, embeddings, (account, profile), &space.sha256)
                .await?;
        Ok(Self { faces, dismissals: Some((profile, labels)), model: space.digest(), match_distance })
    }

    /// SHA-256 of the model that computed the embeddings, hexadecimal: others cannot be compared.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How far a face that was seen in a content is from the nearest of the person's. `None` where a dismissal says that it
    /// is not theirs, and where there is nothing to compare.
    pub fn distance(&self, embedding: &[f32], content: ContentId) -> Option<f32> {
        let same_space = self.faces.iter().filter(|face| face.len() == embedding.len());
        let distance =
            same_space.map(|face| vision::embedding_distance(face, embedding)).min_by(f32::total_cmp)?;
        let face = MatchedFace { embedding, content: Some(content), match_distance: self.match_distance };
        let is_dismissed = self
            .dismissals
            .as_ref()
            .is_some_and(|(profile, labels)| labels.exclude(*profile, face, distance));
        (!is_dismissed).then_some(distance)
    }
}
