//! Negative labels: faces that a reviewer dismissed as "not this person", so that such false matches are not reported
//! again.

use super::{FaceIndexError, change_sequence::next_seq, embedding_vault::EmbeddingVault};
use base::{AccountId, ProfileId, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::collections::HashMap;

/// How many labels of a profile are kept; when there are more, the oldest are deleted.
pub const MAX_NEGATIVE_LABELS_PER_PROFILE: i64 = 200;

/// What the sealed embedding of a label is bound to.
fn aad(profile: ProfileId, label: Uuid) -> Vec<u8> {
    format!("negative label {label} of {profile}").into_bytes()
}

#[derive(FromRow)]
struct ModelRow {
    model: Vec<u8>,
}

#[derive(FromRow)]
struct NegativeLabelRow {
    id: Uuid,
    profile_id: ProfileId,
    key: Option<Vec<u8>>,
    embedding: Vec<u8>,
    seq: i64,
}

/// Records that a face is not that of a profile. It is not matched to the profile again, nor is any face that is as near
/// to it as two faces of one person are. Nothing happens for a profile without faces, which no face is matched to.
pub(super) async fn add(
    tx: &mut WriteTx,
    embeddings: &EmbeddingVault,
    account: AccountId,
    profile: ProfileId,
    embedding: &[f32],
) -> Result<(), DbError> {
    let seq = next_seq(tx, account).await?;
    // The face was matched by the model that the profile's newest face was embedded with.
    let model: Option<ModelRow> = tx
        .fetch_optional(sql!(
            "SELECT model FROM faces WHERE profile_id = $1 AND account_id = $2 ORDER BY seq DESC LIMIT 1",
            profile,
            account,
        ))
        .await?;
    let Some(ModelRow { model }) = model else { return Ok(()) };
    let id = embeddings.environment.uuid_v4();
    let vault = embeddings.of_profile(tx, profile).await?;
    tx.execute(sql!(
        "INSERT INTO negative_labels (id, account_id, profile_id, model, embedding, seq, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        id,
        account,
        profile,
        model,
        embeddings.seal(&vault, &aad(profile, id), embedding),
        seq,
        embeddings.environment.now(),
    ))
    .await?;
    tx.execute(sql!(
        "DELETE FROM negative_labels WHERE profile_id = $1 AND seq <=
            (SELECT seq FROM negative_labels WHERE profile_id = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)",
        profile,
        MAX_NEGATIVE_LABELS_PER_PROFILE,
    ))
    .await?;
    Ok(())
}

/// The labels of an account and model that are newer than the change `since`.
pub(super) async fn load_since(
    view: &mut ReadTx,
    embeddings: &EmbeddingVault,
    account: AccountId,
    model: &[u8; 32],
    since: i64,
) -> Result<NegativeLabels, FaceIndexError> {
    let rows: Vec<NegativeLabelRow> = view
        .fetch_all(sql!(
            "SELECT l.id, l.profile_id, k.sealed AS key, l.embedding, l.seq FROM negative_labels l
               LEFT JOIN erasure_keys k ON k.owner_id = l.profile_id
              WHERE l.account_id = $1 AND l.seq > $2 AND l.model = $3 ORDER BY l.seq",
            account,
            since,
            model.to_vec(),
        ))
        .await?;
    let mut labels = NegativeLabels::default();
    for row in rows {
        let owner = (row.profile_id, row.key.as_deref());
        let embedding = embeddings.open(owner, &aad(row.profile_id, row.id), &row.embedding)?;
        labels.0.entry(row.profile_id).or_default().push((row.seq, embedding));
    }
    Ok(labels)
}

/// The labels of an account and model, in memory: by profile, each with the number of its change, oldest first.
#[derive(Default)]
pub(super) struct NegativeLabels(HashMap<ProfileId, Vec<(i64, Vec<f32>)>>);

// Embeddings must not reach a log.
impl std::fmt::Debug for NegativeLabels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NegativeLabels({} profiles)", self.0.len())
    }
}

impl NegativeLabels {
    /// Adds newer labels.
    pub(super) fn extend(&mut self, newer: Self) {
        for (profile, labels) in newer.0 {
            let known = self.0.entry(profile).or_default();
            let last = known.last().map_or(i64::MIN, |(seq, _)| *seq);
            known.extend(labels.into_iter().filter(|(seq, _)| *seq > last));
            let extra = known.len().saturating_sub(MAX_NEGATIVE_LABELS_PER_PROFILE as usize);
            known.drain(..extra);
        }
    }

    /// Whether the profile has a label within this distance of a face.
    pub(super) fn excludes(&self, profile: ProfileId, embedding: &[f32], within: f32) -> bool {
        let near = |(_, label): &(i64, Vec<f32>)| {
            label.len() == embedding.len() && vision::embedding_distance(label, embedding) <= within
        };
        self.0.get(&profile).is_some_and(|labels| labels.iter().any(near))
    }

    /// All profiles that have a label within this distance of a face.
    pub(super) fn excluded_profiles(&self, embedding: &[f32], within: f32) -> Vec<ProfileId> {
        self.0.keys().copied().filter(|profile| self.excludes(*profile, embedding, within)).collect()
    }
}
