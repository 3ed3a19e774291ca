//! Negative labels: faces that people said are not a profile's.

use super::{Faces, FacesError, bump};
use base::{AccountId, ProfileId, Uuid};
use db::{DbError, FromRow, Read, Tx, sql};
use std::collections::HashMap;

/// The most labels of a profile that are kept; the oldest go.
pub const MOST_LABELS: i64 = 200;

fn place(label: Uuid) -> Vec<u8> {
    format!("negative label {label}").into_bytes()
}

#[derive(FromRow)]
struct Model {
    model: Vec<u8>,
}

#[derive(FromRow)]
struct Row {
    id: Uuid,
    profile_id: ProfileId,
    embedding: Vec<u8>,
    seq: i64,
}

impl Faces {
    /// "This face is not that profile": it is not matched to it again, nor is one that is as near to it as faces of one
    /// person are. A profile without faces needs no such word.
    pub async fn mark_wrong(
        &self,
        tx: &mut Tx,
        account: AccountId,
        profile: ProfileId,
        embedding: &[f32],
    ) -> Result<(), DbError> {
        let seq = bump(tx, account).await?;
        // The face was matched in the space that the profile's faces lie in.
        let model: Option<Model> = tx
            .fetch_optional(sql!(
                "SELECT model FROM faces WHERE profile_id = $1 AND account_id = $2 ORDER BY seq DESC LIMIT 1",
                profile,
                account,
            ))
            .await?;
        let Some(Model { model }) = model else { return Ok(()) };
        let id = self.0.world.random_uuid();
        tx.execute(sql!(
            "INSERT INTO negative_labels (id, account_id, profile_id, model, embedding, seq, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            id,
            account,
            profile,
            model,
            self.seal(&place(id), embedding),
            seq,
            self.0.world.now(),
        ))
        .await?;
        tx.execute(sql!(
            "DELETE FROM negative_labels WHERE profile_id = $1 AND seq <=
                (SELECT seq FROM negative_labels WHERE profile_id = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)",
            profile,
            MOST_LABELS,
        ))
        .await?;
        Ok(())
    }

    /// Labels of an account that came after a change, the oldest first.
    pub(super) async fn labels_since(
        &self,
        view: &mut Read,
        account: AccountId,
        model: &[u8; 32],
        since: i64,
    ) -> Result<Labels, FacesError> {
        let rows: Vec<Row> = view
            .fetch_all(sql!(
                "SELECT id, profile_id, embedding, seq FROM negative_labels
                  WHERE account_id = $1 AND seq > $2 AND model = $3 ORDER BY seq",
                account,
                since,
                model.to_vec(),
            ))
            .await?;
        let mut labels = Labels::default();
        for row in rows {
            let embedding = self.open(&place(row.id), &row.embedding)?;
            labels.0.entry(row.profile_id).or_default().push((row.seq, embedding));
        }
        Ok(labels)
    }
}

/// The labels of an account, in memory.
#[derive(Default)]
pub(super) struct Labels(HashMap<ProfileId, Vec<(i64, Vec<f32>)>>);

// Embeddings do not belong into logs.
impl std::fmt::Debug for Labels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Labels of {} profiles", self.0.len())
    }
}

impl Labels {
    /// Takes newer ones in.
    pub(super) fn extend(&mut self, newer: Self) {
        for (profile, labels) in newer.0 {
            let known = self.0.entry(profile).or_default();
            let last = known.last().map_or(i64::MIN, |(seq, _)| *seq);
            known.extend(labels.into_iter().filter(|(seq, _)| *seq > last));
            let extra = known.len().saturating_sub(MOST_LABELS as usize);
            known.drain(..extra);
        }
    }

    /// Whether somebody said that a face as near to this as faces of one person are is not the profile's.
    pub(super) fn exclude(&self, profile: ProfileId, embedding: &[f32], within: f32) -> bool {
        let near = |(_, label): &(i64, Vec<f32>)| {
            label.len() == embedding.len() && vision::distance(label, embedding) <= within
        };
        self.0.get(&profile).is_some_and(|labels| labels.iter().any(near))
    }

    /// All profiles that a face is excluded from.
    pub(super) fn excluded(&self, embedding: &[f32], within: f32) -> Vec<ProfileId> {
        self.0.keys().copied().filter(|profile| self.exclude(*profile, embedding, within)).collect()
    }
}
