//! Findings whose embeddings are kept, compared with one person's likeness; newest first, batch by batch.

use super::{
    AgeGroup, FaceMeasurements,
    contents::{ContentType, uploads::ContentLocation},
    sealed_columns::{EmbeddingOwner, SealedColumns},
};
use crate::faces::{FaceIndexError, FaceLikeness};
use base::{AccountId, ContentId, ModerationFindingId, ModerationId, ProfileId, Timestamp, Uuid};
use db::{Db, DbError, FromRow, Json, sql};
use std::{collections::HashMap, sync::Arc};

/// How many findings [`date_findings`] dates in one transaction.
const FINDINGS_PER_ROUND: i64 = 1000;

/// The place of a finding among those of its account: when it was seen, and its id.
pub(super) type FindingPosition = (Timestamp, ModerationFindingId);

/// A finding whose embedding is kept.
#[derive(Clone, Debug, FromRow)]
pub(super) struct KeptFinding {
    pub(super) id: ModerationFindingId,
    pub(super) moderation_id: ModerationId,
    pub(super) content_id: ContentId,
    #[sqlx(try_from = "String")]
    pub(super) content_type: ContentType,
    #[sqlx(rename = "url", try_from = "String")]
    pub(super) location: ContentLocation,
    pub(super) track: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub(super) observed_at: Timestamp,
    pub(super) frame_time: f64,
    pub(super) is_banned: bool,
    #[sqlx(try_from = "String")]
    pub(super) age_group: AgeGroup,
    pub(super) profile_id: Option<ProfileId>,
    pub(super) face_top: i64,
    pub(super) face_right: i64,
    pub(super) face_bottom: i64,
    pub(super) face_left: i64,
    pub(super) measurements: Option<Json<FaceMeasurements>>,
    /// The key of the profile or moderation that the embedding is sealed with, itself sealed.
    key: Option<Vec<u8>>,
    sealed_embedding: Vec<u8>,
}

impl KeptFinding {
    pub(super) fn position(&self) -> FindingPosition {
        (self.observed_at, self.id)
    }
}

/// What a batch of findings has of a person.
#[derive(Debug, Default)]
pub(super) struct ComparedFindings {
    /// Those that are near enough, each with its distance; newest first.
    pub(super) similar: Vec<(KeptFinding, f32)>,
    /// How many were compared.
    pub(super) compared: u64,
    /// How many could not be: another model computed them, or they do not open.
    pub(super) incomparable: u64,
}

/// Reads and compares findings; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct KeptFindings {
    pub(super) db: Db,
    pub(super) sealed_columns: SealedColumns,
}

impl KeptFindings {
    /// Up to `limit` findings of an account after this one, newest first; from the newest on, if `None`.
    pub(super) async fn load(
        &self,
        account: AccountId,
        after: Option<FindingPosition>,
        with_archived_contents: bool,
        limit: usize,
    ) -> Result<Vec<KeptFinding>, DbError> {
        let (at, id) = after.unwrap_or((Timestamp::MAX, Uuid::max().into()));
        self.db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT f.id, f.moderation_id, m.content_id, m.content_type, m.url, f.track, f.observed_at, f.frame_time,
                        f.is_banned, f.age_group, f.profile_id, f.face_top, f.face_right, f.face_bottom, f.face_left,
                        f.measurements, k.sealed AS key, f.sealed_embedding
                   FROM findings f JOIN moderations m ON m.id = f.moderation_id
                   JOIN contents c ON c.id = m.content_id
                   LEFT JOIN erasure_keys k ON k.owner_id = coalesce(f.profile_id, f.moderation_id)
                  WHERE f.account_id = $1 AND f.sealed_embedding IS NOT NULL AND f.observed_at <= $2
                    AND (f.observed_at < $2 OR f.id < $3) AND (NOT c.archived OR $4)
                  ORDER BY f.observed_at DESC, f.id DESC LIMIT $5",
                account,
                at,
                id,
                with_archived_contents,
                limit as i64,
            ))
            .await
    }

    /// Compares findings with a person, on a thread of its own. A finding is similar where its distance is at most what
    /// `limit` says of its measurements.
    pub(super) async fn compare(
        &self,
        findings: Vec<KeptFinding>,
        person: Arc<FaceLikeness>,
        limit: impl Fn(&FaceMeasurements) -> f32 + Send + 'static,
    ) -> Result<ComparedFindings, FaceIndexError> {
        let columns = self.sealed_columns.clone();
        let span = tracing::Span::current();
        let compare = move || span.in_scope(|| compare(&columns, findings, &person, limit));
        Ok(tokio::task::spawn_blocking(compare).await.map_err(std::io::Error::from)?)
    }
}

fn compare(
    columns: &SealedColumns,
    findings: Vec<KeptFinding>,
    person: &FaceLikeness,
    limit: impl Fn(&FaceMeasurements) -> f32,
) -> ComparedFindings {
    let mut result = ComparedFindings::default();
    // Many findings of one moderation, or of one profile, have one key.
    let mut vaults = HashMap::new();
    for finding in findings {
        let measured = finding.measurements.as_ref().filter(|measured| measured.0.model == person.model());
        let owner = EmbeddingOwner { moderation: finding.moderation_id, profile: finding.profile_id };
        let embedding = measured.and_then(|_| {
            let vault =
                vaults.entry(owner).or_insert_with(|| columns.vault_of(owner, finding.key.as_deref()));
            SealedColumns::open_embedding_with(vault, finding.id, &finding.sealed_embedding)
        });
        let (Some(embedding), Some(measured)) = (embedding, measured) else {
            result.incomparable += 1;
            continue;
        };
        result.compared += 1;
        let distance = person.distance(&embedding, finding.content_id);
        if let Some(distance) = distance.filter(|distance| *distance <= limit(&measured.0)) {
            result.similar.push((finding, distance));
        }
    }
    result
}

/// Dates the findings of builds that did not write when they were seen: they are as old as their moderation's first run.
pub(super) async fn date_findings(db: &Db) -> Result<(), DbError> {
    loop {
        let undated = sql!(
            "SELECT count(*) FROM (SELECT 1 AS one FROM findings WHERE observed_at IS NULL LIMIT 1) undated"
        );
        if db.read_once().await?.count(undated).await? == 0 {
            return Ok(());
        }
        let mut tx = db.write().await?;
        tx.execute(sql!(
                "UPDATE findings SET observed_at =
                        (SELECT coalesce(m.started_at, m.created_at) FROM moderations m WHERE m.id = findings.moderation_id)
                  WHERE id IN (SELECT id FROM findings WHERE observed_at IS NULL LIMIT $1)",
                FINDINGS_PER_ROUND,
            ))
            .await?;
        tx.commit().await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        erasure_keys::{ErasureKeys, KeyOwner},
        keyring::Keyring,
    };
    use base::{Environment as _, SignedDuration, TestEnvironment};
    use db::testing::TestDb;

    const MODEL: &str = "a model";

    struct Findings {
        test: TestDb,
        environment: Arc<TestEnvironment>,
        kept: KeptFindings,
        account: AccountId,
    }

    impl Findings {
        async fn open() -> Self {
            let test = TestDb::open().await;
            let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
            let vault = crate::vault::Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
            let keys = ErasureKeys { vault, environment: environment.clone() };
            let sealed_columns = SealedColumns { keys, environment: environment.clone() };
            let kept = KeptFindings { db: test.db.clone(), sealed_columns };
            Self { test, environment, kept, account: Uuid::from_u128(1).into() }
        }

        /// Writes a content, a moderation with a key of its own and a finding a minute later than the one before, for
        /// each embedding; returns the findings' ids.
        async fn add(
            &self,
            archived: bool,
            model: &str,
            embeddings: &[Vec<f32>],
        ) -> Vec<ModerationFindingId> {
            let mut tx = self.test.db.write().await.unwrap();
            let mut ids = Vec::new();
            for embedding in embeddings {
                self.environment.advance(SignedDuration::from_mins(1));
                let now = self.environment.now();
                let (content, moderation) = (self.environment.uuid_v4(), self.environment.uuid_v4());
                let id = ModerationFindingId::from(self.environment.uuid_v4());
                let owner = EmbeddingOwner { moderation: moderation.into(), profile: None };
                let columns = &self.kept.sealed_columns;
                columns.keys.create(&mut tx, KeyOwner::Moderation(moderation.into())).await.unwrap();
                let sealed = columns.seal_embedding(&mut tx, id, owner, embedding).await.unwrap();
                let measured = FaceMeasurements {
                    distance: None,
                    max_distance: 0.5,
                    model: model.to_owned(),
                    years: None,
                    years_interval: None,
                    quality: 1.0,
                    score: 1.0,
                    picture_size: None,
                    is_of_deleted: false,
                };
                for query in [
                    sql!(
                        "INSERT INTO contents (id, account_id, url, type, archived, created_at)
                         VALUES ($1, $2, 'https://media.example.com/1.jpg', 'IMAGE', $3, $4)",
                        content,
                        self.account,
                        archived,
                        now,
                    ),
                    sql!(
                        "INSERT INTO moderations (id, account_id, content_id, content_type, url, wanted, destinations,
                                                  state, job_id, position, created_at)
                         VALUES ($1, $2, $3, 'IMAGE', 'https://media.example.com/1.jpg', $4, $5, 'DONE', $1, 0.0, $6)",
                        moderation,
                        self.account,
                        content,
                        serde_json::json!({}),
                        Vec::<u8>::new(),
                        now,
                    ),
                    sql!(
                        "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, is_banned, age_group,
                                               face_top, face_right, face_bottom, face_left, sealed_embedding,
                                               measurements, observed_at)
                         VALUES ($1, $2, $3, 0, 0.0, $4, 'adult', 0, 1, 1, 0, $5, $6, $7)",
                        id,
                        self.account,
                        moderation,
                        false,
                        sealed,
                        serde_json::to_value(&measured).unwrap(),
                        now,
                    ),
                ] {
                    tx.execute(query).await.unwrap();
                }
                ids.push(id);
            }
            tx.commit().await.unwrap();
            ids
        }

        async fn ids(
            &self,
            after: Option<FindingPosition>,
            archived: bool,
            limit: usize,
        ) -> Vec<ModerationFindingId> {
            let found = self.kept.load(self.account, after, archived, limit).await.unwrap();
            found.iter().map(|finding| finding.id).collect()
        }
    }

    #[tokio::test]
    async fn findings_come_newest_first_batch_by_batch_and_are_compared_by_their_own_model() {
        let findings = Findings::open().await;
        let axis = |at: usize| -> Vec<f32> { (0..4).map(|axis| f32::from(axis == at)).collect() };
        let seen = findings.add(false, MODEL, &[axis(0), axis(1), axis(0)]).await;
        let archived = findings.add(true, MODEL, &[axis(0)]).await;
        let foreign = findings.add(false, "another model", &[axis(0)]).await;
        let newest_first = [foreign[0], archived[0], seen[2], seen[1], seen[0]];
        assert_eq!(findings.ids(None, true, 10).await, newest_first);
        assert_eq!(findings.ids(None, false, 10).await, [foreign[0], seen[2], seen[1], seen[0]]);
        let batch = findings.kept.load(findings.account, None, true, 3).await.unwrap();
        let after = batch.last().map(KeptFinding::position);
        assert_eq!(findings.ids(after, true, 3).await, newest_first[3..]);
        assert!(findings.kept.load(Uuid::nil().into(), None, true, 10).await.unwrap().is_empty());

        let all = findings.kept.load(findings.account, None, true, 10).await.unwrap();
        let person = Arc::new(FaceLikeness::of_faces(vec![axis(0)], MODEL.to_owned(), 0.5));
        let found = findings.kept.compare(all, person, |measured| measured.max_distance).await.unwrap();
        let similar: Vec<_> =
            found.similar.iter().map(|(finding, distance)| (finding.id, *distance)).collect();
        assert_eq!(similar, [(archived[0], 0.0), (seen[2], 0.0), (seen[0], 0.0)]);
        assert_eq!((found.compared, found.incomparable), (4, 1));
    }

    #[tokio::test]
    async fn findings_of_older_builds_are_as_old_as_their_moderation() {
        let findings = Findings::open().await;
        let ids = findings.add(false, MODEL, &[vec![1.0, 0.0], vec![0.0, 1.0]]).await;
        let mut tx = findings.test.db.write().await.unwrap();
        tx.execute(sql!("UPDATE findings SET observed_at = NULL")).await.unwrap();
        tx.commit().await.unwrap();
        assert!(findings.ids(None, true, 10).await.is_empty());
        date_findings(&findings.test.db).await.unwrap();
        assert_eq!(findings.ids(None, true, 10).await, [ids[1], ids[0]]);
    }
}
