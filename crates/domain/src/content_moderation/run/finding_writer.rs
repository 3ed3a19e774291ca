//! Writes appearances, with the pictures of each.

use super::effects::JudgedFace;
use crate::content_moderation::{
    FaceMeasurements, finding_pictures::FindingPictureStore, notifications::NotificationDraft,
    sealed_columns::EmbeddingOwner,
};
use base::{AccountId, ModerationFindingId, ModerationId, ProfileId};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::collections::{HashMap, HashSet};

/// An appearance that was written before.
#[derive(FromRow)]
struct EarlierFindingRow {
    id: ModerationFindingId,
    profile_id: Option<ProfileId>,
}

#[derive(FromRow)]
struct MatchedProfileRow {
    profile_id: ProfileId,
}

/// The profiles that these appearances of a moderation were matched to when they were last written.
pub(super) async fn find_earlier_matches(
    view: &mut ReadTx,
    moderation: ModerationId,
    tracks: &[u64],
) -> Result<Vec<ProfileId>, DbError> {
    if tracks.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<MatchedProfileRow> = view
        .fetch_all(sql!(
            sqlite: "SELECT DISTINCT profile_id FROM findings
                      WHERE moderation_id = $1 AND profile_id IS NOT NULL
                        AND track IN (SELECT value FROM json_each($2))",
            postgres: "SELECT DISTINCT profile_id FROM findings
                        WHERE moderation_id = $1 AND profile_id IS NOT NULL
                          AND track IN (SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text($2))",
            moderation,
            serde_json::json!(tracks),
        ))
        .await?;
    Ok(rows.into_iter().map(|row| row.profile_id).collect())
}

/// Writes the appearances of a moderation in one transaction.
#[derive(Debug)]
pub(super) struct FindingWriter<'a> {
    pub(super) pictures: &'a FindingPictureStore,
    /// Whether embeddings are kept at all.
    pub(super) keeps_embeddings: bool,
    pub(super) account: AccountId,
    pub(super) moderation: ModerationId,
    /// The profiles that are there until the transaction ends, of those that faces were matched to.
    pub(super) profiles: HashSet<ProfileId>,
}

impl FindingWriter<'_> {
    /// Writes an appearance; a later judgement of the same one replaces the earlier one. Returns its id, which stays that of
    /// the first judgement.
    ///
    /// Somebody may have been deleted since the face was matched to them. Then nothing is kept that is known of them, neither
    /// who it was nor their face: only that the face was not unknown.
    pub(super) async fn save(
        &self,
        tx: &mut WriteTx,
        face: &JudgedFace,
    ) -> Result<ModerationFindingId, DbError> {
        let earlier = self.find_earlier(tx, face.track).await?;
        let id = earlier.as_ref().map_or(face.id, |earlier| earlier.id);
        let is_of_deleted = self.is_deleted(face.verdict.profile);
        let profile = face.verdict.profile.filter(|_| !is_of_deleted);
        let owner = EmbeddingOwner { moderation: self.moderation, profile };
        let sealed = if self.keeps_embeddings && !is_of_deleted {
            Some(self.pictures.sealed_columns.seal_embedding(tx, id, owner, &face.embedding).await?)
        } else {
            None
        };
        self.write_row(tx, (id, profile), face, sealed).await?;
        if is_of_deleted {
            self.pictures.detach(tx, id).await?;
            if let Some(stored) = &face.pictures {
                self.pictures.discard(tx, self.account, stored).await?;
            }
        } else if let Some(stored) = &face.pictures {
            self.pictures.attach(tx, self.account, (id, owner), stored).await?;
        } else if let Some(earlier) = earlier
            && earlier.profile_id != profile
        {
            let before = EmbeddingOwner { profile: earlier.profile_id, ..owner };
            self.pictures.reseal(tx, id, (before, owner)).await?;
        }
        Ok(id)
    }

    /// A notification as it is to be written; `findings` has the id under which each appearance was written. `None` for one that
    /// tells of somebody who was deleted.
    pub(super) fn as_written(
        &self,
        draft: &NotificationDraft,
        findings: &HashMap<ModerationFindingId, ModerationFindingId>,
    ) -> Option<NotificationDraft> {
        let mut draft = draft.clone();
        if let Some(face) = &mut draft.face {
            if self.is_deleted(face.profile) {
                return None;
            }
            face.finding = findings.get(&face.finding).copied().unwrap_or(face.finding);
        }
        Some(draft)
    }

    fn is_deleted(&self, profile: Option<ProfileId>) -> bool {
        profile.is_some_and(|profile| !self.profiles.contains(&profile))
    }

    /// The row of an appearance, which stays as it is until the transaction ends.
    async fn find_earlier(&self, tx: &mut WriteTx, track: u64) -> Result<Option<EarlierFindingRow>, DbError> {
        tx.fetch_optional(sql!(
            sqlite: "SELECT id, profile_id FROM findings WHERE moderation_id = $1 AND track = $2",
            postgres: "SELECT id, profile_id FROM findings WHERE moderation_id = $1 AND track = $2 FOR UPDATE",
            self.moderation,
            track as i64,
        ))
        .await
    }

    async fn write_row(
        &self,
        tx: &mut WriteTx,
        (id, profile): (ModerationFindingId, Option<ProfileId>),
        face: &JudgedFace,
        sealed_embedding: Option<Vec<u8>>,
    ) -> Result<(), DbError> {
        let [top, right, bottom, left] = face.edges;
        let is_of_deleted = profile != face.verdict.profile;
        let measurements = FaceMeasurements {
            distance: face.measurements.distance.filter(|_| !is_of_deleted),
            is_of_deleted,
            ..face.measurements.clone()
        };
        tx.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, profile_id, is_banned, age_group,
                                   face_top, face_right, face_bottom, face_left, sealed_embedding, measurements,
                                   observed_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
             ON CONFLICT (moderation_id, track) DO UPDATE
                SET frame_time = excluded.frame_time, profile_id = excluded.profile_id,
                    is_banned = excluded.is_banned, age_group = excluded.age_group, face_top = excluded.face_top,
                    face_right = excluded.face_right, face_bottom = excluded.face_bottom,
                    face_left = excluded.face_left, sealed_embedding = excluded.sealed_embedding,
                    measurements = excluded.measurements",
            id,
            self.account,
            self.moderation,
            face.track as i64,
            face.frame_time,
            profile,
            face.verdict.is_banned && !is_of_deleted,
            face.verdict.age_group,
            top,
            right,
            bottom,
            left,
            sealed_embedding,
            serde_json::to_value(&measurements).expect("numbers are JSON"),
            self.pictures.environment.now(),
        ))
        .await
        .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        content_moderation::{
            AgeGroup, NotificationReason,
            finding_pictures::{AppearancePictures, SharedFrame, StoredPictures},
            run::decision::FaceVerdict,
            sealed_columns::SealedColumns,
        },
        erasure_keys::{ErasureKeys, KeyOwner},
        keyring::Keyring,
        tenancy::testing::create_application,
        vault::Vault,
    };
    use base::{Environment as _, Picture, SignedDuration, TestEnvironment, Uuid};
    use db::testing::TestDb;
    use futures_util::TryStreamExt as _;
    use media::blobs::{BlobBackend, BlobPrefix, BlobStore};
    use std::sync::Arc;
    use vision::Face;

    /// A file that the sweep deletes.
    const LEFT_TO_SWEEP: (Option<ModerationFindingId>, [bool; 2]) = (None, [false; 2]);

    /// A moderation that runs, and Ada, whom its faces may match.
    struct Writing {
        test: TestDb,
        environment: Arc<TestEnvironment>,
        pictures: FindingPictureStore,
        account: AccountId,
        moderation: ModerationId,
        ada: ProfileId,
    }

    #[derive(Debug, PartialEq, FromRow)]
    struct WrittenRow {
        id: ModerationFindingId,
        profile_id: Option<ProfileId>,
        is_banned: bool,
        is_of_deleted: bool,
        sealed_embedding: Option<Vec<u8>>,
    }

    #[derive(FromRow)]
    struct PictureRow {
        finding_id: Option<ModerationFindingId>,
        sealed_key: Vec<u8>,
    }

    impl Writing {
        async fn open() -> Self {
            let test = TestDb::open().await;
            let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
            let keyring = Keyring::parse(&"01".repeat(32)).unwrap();
            let keys = ErasureKeys { vault: Vault::new(&keyring), environment: environment.clone() };
            let pictures = FindingPictureStore {
                db: test.db.clone(),
                environment: environment.clone(),
                blobs: BlobStore::open(&BlobBackend::Memory, keyring.derive("blobs"), environment.clone())
                    .unwrap(),
                sealed_columns: SealedColumns { keys, environment: environment.clone() },
                retention: SignedDuration::from_hours(24),
                rowless_search: Arc::default(),
            };
            let writing = Self {
                test,
                environment,
                pictures,
                account: Uuid::from_u128(1).into(),
                moderation: Uuid::from_u128(2).into(),
                ada: Uuid::from_u128(3).into(),
            };
            let (content, now) = (Uuid::from_u128(4), writing.environment.now());
            let mut tx = writing.test.db.write().await.unwrap();
            for owner in [KeyOwner::Moderation(writing.moderation), KeyOwner::Profile(writing.ada)] {
                writing.pictures.sealed_columns.keys.create(&mut tx, owner).await.unwrap();
            }
            for query in [
                sql!(
                    "INSERT INTO contents (id, account_id, url, type, archived, created_at)
                     VALUES ($1, $2, 'https://media.example.com/1.mp4', 'VIDEO', FALSE, $3)",
                    content,
                    writing.account,
                    now,
                ),
                sql!(
                    "INSERT INTO moderations (id, account_id, content_id, content_type, url, wanted, destinations, state,
                                              job_id, position, created_at)
                     VALUES ($1, $2, $3, 'VIDEO', 'https://media.example.com/1.mp4', $4, $5, 'RUNNING', $1, 0.0, $6)",
                    writing.moderation,
                    writing.account,
                    content,
                    serde_json::json!({}),
                    Vec::<u8>::new(),
                    now,
                ),
            ] {
                tx.execute(query).await.unwrap();
            }
            tx.commit().await.unwrap();
            writing
        }

        fn writer(&self, profiles: &[ProfileId]) -> FindingWriter<'_> {
            FindingWriter {
                pictures: &self.pictures,
                keeps_embeddings: true,
                account: self.account,
                moderation: self.moderation,
                profiles: profiles.iter().copied().collect(),
            }
        }

        /// What a run finds of the first appearance, under an id of its own.
        fn face(&self, profile: Option<ProfileId>, pictures: Option<StoredPictures>) -> JudgedFace {
            JudgedFace {
                id: self.environment.uuid_v4().into(),
                track: 0,
                judged_at: self.environment.now(),
                frame_time: 0.0,
                edges: [0, 1, 1, 0],
                verdict: FaceVerdict {
                    profile,
                    distance: profile.map(|_| 0.3),
                    is_banned: profile.is_some(),
                    age_group: AgeGroup::Unknown,
                    reasons: Vec::new(),
                },
                measurements: FaceMeasurements {
                    distance: profile.map(|_| 0.3),
                    max_distance: 0.5,
                    model: "a model".to_owned(),
                    years: None,
                    years_interval: None,
                    quality: 1.0,
                    score: 1.0,
                    picture_size: None,
                    is_of_deleted: false,
                },
                embedding: vec![1.0, 0.0],
                pictures,
            }
        }

        async fn take_pictures(&self) -> Option<StoredPictures> {
            let picture = Picture::new(1200, 100, vec![90; 1200 * 100 * 3]).unwrap();
            let points = [[40.0, 40.0], [60.0, 40.0], [50.0, 50.0], [50.0, 60.0], [30.0, 45.0], [70.0, 45.0]];
            let face = Face { left: 30.0, top: 25.0, right: 70.0, bottom: 70.0, score: 1.0, points };
            let mut taken = AppearancePictures::default();
            taken.take_best((&picture, &mut SharedFrame::default()), &face, 0.9, 0.0);
            self.pictures.put(self.account, &taken).await
        }

        /// Writes the row of the account, which few statements look at.
        async fn open_account(&self) {
            let mut tx = self.test.db.write().await.unwrap();
            let app = create_application(&mut tx, &*self.environment).await;
            tx.execute(sql!(
                "INSERT INTO accounts (id, app_id, name, created_at) VALUES ($1, $2, 'Test', $3)",
                self.account,
                app,
                self.environment.now(),
            ))
            .await
            .unwrap();
            tx.commit().await.unwrap();
        }

        /// The names of the files that there are.
        async fn stored_files(&self) -> Vec<String> {
            let listed = self.pictures.blobs.list(&BlobPrefix::tenant(self.account));
            let listed: Vec<_> = listed.try_collect().await.unwrap();
            listed.into_iter().map(|file| file.key.id().as_str().to_owned()).collect()
        }

        async fn save(&self, profiles: &[ProfileId], face: &JudgedFace) -> ModerationFindingId {
            let mut tx = self.test.db.write().await.unwrap();
            let id = self.writer(profiles).save(&mut tx, face).await.unwrap();
            tx.commit().await.unwrap();
            id
        }

        async fn written(&self) -> Vec<WrittenRow> {
            let mut view = self.test.db.read().await.unwrap();
            let rows = sql!(
                "SELECT id, profile_id, is_banned, measurements ->> 'is_of_deleted' IS NOT NULL AS is_of_deleted,
                        sealed_embedding
                   FROM findings"
            );
            view.fetch_all(rows).await.unwrap()
        }

        /// Of each file: the finding that it belongs to, and whether its key opens for the moderation and for Ada.
        async fn files(&self) -> Vec<(Option<ModerationFindingId>, [bool; 2])> {
            let mut view = self.test.db.read().await.unwrap();
            let rows = sql!("SELECT finding_id, sealed_key FROM finding_pictures ORDER BY id");
            let rows: Vec<PictureRow> = view.fetch_all(rows).await.unwrap();
            let columns = &self.pictures.sealed_columns;
            let mut files = Vec::new();
            for PictureRow { finding_id, sealed_key } in rows {
                let mut opens = [false; 2];
                for (is_open, profile) in opens.iter_mut().zip([None, Some(self.ada)]) {
                    let owner = EmbeddingOwner { moderation: self.moderation, profile };
                    if let Some(id) = finding_id {
                        let opened = columns.open_picture_key(&mut view, id, owner, &sealed_key).await;
                        *is_open = opened.unwrap().is_some();
                    }
                }
                files.push((finding_id, opens));
            }
            files
        }
    }

    #[tokio::test]
    async fn nothing_is_written_of_somebody_who_was_deleted_since_they_were_matched() {
        let writing = Writing::open().await;
        let unknown = writing.face(None, writing.take_pictures().await);
        let id = writing.save(&[], &unknown).await;
        assert_eq!(writing.files().await, [(Some(id), [true, false])]);
        let matched = writing.face(Some(writing.ada), writing.take_pictures().await);
        assert_eq!(writing.save(&[], &matched).await, id);
        // That the face was somebody's is kept: it was not unknown.
        let expected = WrittenRow {
            id,
            profile_id: None,
            is_banned: false,
            is_of_deleted: true,
            sealed_embedding: None,
        };
        assert_eq!(writing.written().await, [expected]);
        assert_eq!(writing.files().await, [LEFT_TO_SWEEP; 2], "both");
        let stored = sql!("SELECT count(*) FROM findings WHERE CAST(measurements AS TEXT) LIKE '%0.3%'");
        assert_eq!(writing.test.db.read().await.unwrap().count(stored).await.unwrap(), 0);

        let draft = matched.draft_notification(NotificationReason::BannedProfile, writing.environment.now());
        let findings = HashMap::from([(matched.id, id)]);
        assert!(writing.writer(&[]).as_written(&draft, &findings).is_none());
        let told = writing.writer(&[writing.ada]).as_written(&draft, &findings).unwrap();
        assert_eq!(told.face.map(|face| face.finding), Some(id));
    }

    #[tokio::test]
    async fn who_an_appearance_was_matched_to_is_locked_before_it_is_written_again() {
        let writing = Writing::open().await;
        let earlier_matches = async |tracks: &[u64]| {
            let mut view = writing.test.db.read().await.unwrap();
            find_earlier_matches(&mut view, writing.moderation, tracks).await.unwrap()
        };
        writing.save(&[], &writing.face(None, None)).await;
        assert_eq!(earlier_matches(&[0]).await, [], "nobody");
        writing.save(&[writing.ada], &writing.face(Some(writing.ada), None)).await;
        assert_eq!(earlier_matches(&[0, 1]).await, [writing.ada]);
        assert_eq!((earlier_matches(&[1]).await, earlier_matches(&[]).await), (Vec::new(), Vec::new()));
    }

    #[tokio::test]
    async fn pictures_belong_to_whom_their_face_is_matched_to_last() {
        let writing = Writing::open().await;
        let unknown = writing.face(None, writing.take_pictures().await);
        let id = writing.save(&[], &unknown).await;
        let matched = writing.face(Some(writing.ada), None);
        writing.save(&[writing.ada], &matched).await;
        assert_eq!(writing.files().await, [(Some(id), [false, true])], "they go with Ada");
        writing.save(&[], &writing.face(None, None)).await;
        assert_eq!(writing.files().await, [(Some(id), [true, false])]);

        // Where nobody can open them any more, they are left to the sweep.
        let mut tx = writing.test.db.write().await.unwrap();
        let owner = KeyOwner::Moderation(writing.moderation);
        writing.pictures.sealed_columns.keys.create(&mut tx, owner).await.unwrap();
        tx.commit().await.unwrap();
        writing.save(&[writing.ada], &matched).await;
        assert_eq!(writing.files().await, [LEFT_TO_SWEEP]);
    }

    /// A run may die between a file and its row, and nobody has the key of the file then.
    #[tokio::test]
    async fn a_file_that_gets_no_row_is_deleted_after_a_day() {
        let mut writing = Writing::open().await;
        // Longer than the clock is moved: the file of a finding stays.
        writing.pictures.retention = SignedDuration::from_hours(24 * 365 * 1000);
        writing.open_account().await;
        let written = writing.face(None, writing.take_pictures().await);
        writing.save(&[], &written).await;
        let kept = writing.stored_files().await;
        assert!(writing.take_pictures().await.is_some());
        writing.pictures.sweep().await.unwrap();
        assert_eq!(writing.stored_files().await.len(), 2, "its row may still come");

        // The store has the machine's clock.
        writing.environment.advance(SignedDuration::from_hours(24 * 365 * 100));
        writing.pictures.sweep().await.unwrap();
        assert_eq!(writing.stored_files().await, kept);
    }

    /// The row had the key of the file.
    #[tokio::test]
    async fn a_file_that_is_kept_no_longer_is_erased() {
        let writing = Writing::open().await;
        let written = writing.face(None, writing.take_pictures().await);
        writing.save(&[], &written).await;
        let erasures = async || {
            let mut view = writing.test.db.read().await.unwrap();
            view.count(sql!("SELECT erased FROM erasure_progress WHERE id = 1")).await.unwrap()
        };
        let before = erasures().await;
        writing.pictures.sweep().await.unwrap();
        assert_eq!((writing.files().await.len(), erasures().await), (1, before), "it is kept yet");
        writing.environment.advance(writing.pictures.retention);
        writing.pictures.sweep().await.unwrap();
        assert_eq!((writing.files().await.len(), erasures().await), (0, before + 1));
    }

    #[tokio::test]
    async fn a_run_that_starts_again_writes_the_same_findings() {
        let writing = Writing::open().await;
        let first = writing.face(None, None);
        assert_eq!(writing.save(&[], &first).await, first.id);
        let again = writing.face(None, writing.take_pictures().await);
        assert_eq!(writing.save(&[], &again).await, first.id);
        assert_eq!(writing.files().await, [(Some(first.id), [true, false])]);
        let mut written = writing.written().await;
        let found = written.remove(0);
        assert_eq!((found.id, found.is_of_deleted, written), (first.id, false, Vec::new()));
        let owner = EmbeddingOwner { moderation: writing.moderation, profile: None };
        let mut view = writing.test.db.read().await.unwrap();
        let columns = &writing.pictures.sealed_columns;
        let embedding = found.sealed_embedding.unwrap();
        let opened = columns.open_embedding(&mut view, first.id, owner, &embedding).await.unwrap();
        assert_eq!(opened, Some(vec![1.0, 0.0]));
    }
}
