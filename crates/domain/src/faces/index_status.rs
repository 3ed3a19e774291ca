//! How many faces of each account the model of this process can search (`assay faces status`).

use super::{FaceIndexError, face_model::FaceModel};
use base::AccountId;
use db::{Db, FromRow, sql};

/// The faces of an account, counted.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, serde::Serialize)]
pub struct FaceIndexStatus {
    pub account_id: AccountId,
    /// All faces.
    pub faces: i64,
    /// Faces that another model embedded, which no search finds.
    pub other_model: i64,
    /// Those among them whose picture is stored, so that they can be embedded again.
    pub can_be_renewed: i64,
    /// Profiles whose faces are all of another model and without a stored picture: they must be enrolled again.
    pub lost_profiles: i64,
}

/// The status of every account that has faces, by id.
pub(super) async fn load(db: &Db, model: &FaceModel) -> Result<Vec<FaceIndexStatus>, FaceIndexError> {
    let model = model.space_sha256().await?.to_vec();
    let mut view = db.read_once().await?;
    Ok(view
        .fetch_all(sql!(
            "SELECT f.account_id, count(*) AS faces,
                    sum(CASE WHEN f.model <> $1 THEN 1 ELSE 0 END) AS other_model,
                    sum(CASE WHEN f.model <> $1 AND f.image THEN 1 ELSE 0 END) AS can_be_renewed,
                    count(DISTINCT CASE WHEN NOT EXISTS
                          (SELECT 1 FROM faces g WHERE g.profile_id = f.profile_id AND (g.model = $1 OR g.image))
                          THEN f.profile_id END) AS lost_profiles
               FROM faces f GROUP BY f.account_id ORDER BY f.account_id",
            model,
        ))
        .await?)
}
