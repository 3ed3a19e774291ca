//! How the faces of accounts stand to the model that serves now.

use super::{FaceIndexError, FaceIndexService, ids_json};
use base::{AccountId, ProfileId};
use db::{DbError, FromRow, ReadTx, sql};

/// The faces of an account, counted.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, serde::Serialize)]
pub struct FaceIndexStatus {
    /// The account.
    pub account_id: AccountId,
    /// Its faces.
    pub faces: i64,
    /// Those of another model, which no search finds.
    pub other_model: i64,
    /// Those among them whose picture is kept, so that they can be embedded anew.
    pub can_be_renewed: i64,
    /// Profiles that have faces, all of them of another model and without a picture: they must be enrolled anew.
    pub lost_profiles: i64,
}

#[derive(FromRow)]
pub(super) struct ProfileFlagsRow {
    pub(super) id: ProfileId,
    pub(super) kind: i64,
    pub(super) active: bool,
    pub(super) banned: bool,
    pub(super) adult: bool,
}

impl FaceIndexService {
    /// The accounts that have faces, by id.
    pub async fn index_statuses(&self) -> Result<Vec<FaceIndexStatus>, FaceIndexError> {
        let model = self.space().await?.sha256.to_vec();
        let mut view = self.0.db.read().await?;
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

    /// What a search must know of profiles, without their texts.
    pub(super) async fn profile_flags(
        &self,
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
}
