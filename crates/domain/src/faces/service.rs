//! The public front of profiles and faces: gives each part what it needs, and passes calls on.
//!
//! Methods that take a transaction and change faces must be followed by [`FaceIndexService::apply_committed_changes`] once
//! the transaction is committed.

use super::{
    BanRecord, BanRequest, CandidateQuery, FaceIndexError, FaceIndexSettings, FaceIndexStatus,
    FaceIndexStorage, FaceLikeness, PreparedFace, Profile, ProfileCandidate, ProfileDetails, ProfileFilter,
    ProfileGroup, ProfileMatch, ProfilePage, ProfilePatch, ProfileSummary, ProfileType, ReembedFaces,
    SweepFaces, UnrecognisableReason,
    account_index::AccountIndexes,
    change_sequence,
    embedding_vault::EmbeddingVault,
    enrolment::Enrolment,
    face_model::FaceModel,
    groups, index_status,
    matching::ProfileMatcher,
    negative_labels::{self, Dismissal, DismissalSelection, DismissedFace},
    pictures::{FacePictures, PictureKey, PictureOwner},
    profile::{self, ProfileStore},
    reembedding::Reembedding,
    tombstones::TombstoneSweeper,
};
use crate::{
    accounts,
    erasure_keys::{self, ErasureKeys},
    image_analysis::ImageAnalyser,
    tenancy::limits::LimitSettings,
    vault::Vault,
};
use base::{AccountId, Environment, FaceId, GroupId, ProfileId, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, FromRow, ReadTx, WriteTx, sql};
use jobs::{JobError, JobOutcome, Worker};
use media::blobs::BlobStore;
use std::{collections::HashSet, sync::Arc};

/// How many banned profiles that a face looks like are told, at most.
const MAX_LOOKALIKES: usize = 8;

/// The profiles of accounts, and the search by faces; cheap to clone.
#[derive(Clone, Debug)]
pub struct FaceIndexService(Arc<FaceIndexParts>);

#[derive(FromRow)]
struct StoredPictureRow {
    picture_key: Option<Vec<u8>>,
    picture_key_used: bool,
}

#[derive(Debug)]
struct FaceIndexParts {
    db: Db,
    model: Arc<FaceModel>,
    embeddings: EmbeddingVault,
    profiles: ProfileStore,
    indexes: Arc<AccountIndexes>,
    sweeper: Arc<TombstoneSweeper>,
    enrolment: Enrolment,
    matcher: ProfileMatcher,
    reembedding: Reembedding,
    pictures: FacePictures,
}

impl FaceIndexService {
    /// Wires the parts. No index is opened and no model is loaded yet.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, named where it is passed")]
    pub fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        blobs: BlobStore,
        analyser: ImageAnalyser,
        storage: FaceIndexStorage,
        settings: FaceIndexSettings,
        limits: LimitSettings,
    ) -> Self {
        let FaceIndexSettings { keep_images, open_indexes, .. } = settings;
        let model = Arc::new(FaceModel::new(analyser, settings));
        let keys = ErasureKeys { vault, environment: environment.clone() };
        let embeddings = EmbeddingVault { keys: keys.clone(), environment: environment.clone() };
        let pictures = FacePictures {
            db: db.clone(),
            environment: environment.clone(),
            blobs: blobs.clone(),
            keys: keys.clone(),
        };
        let profiles = ProfileStore { keys, environment: environment.clone() };
        let indexes = Arc::new(AccountIndexes::new(
            db.clone(),
            embeddings.clone(),
            model.clone(),
            storage,
            open_indexes,
        ));
        let sweeper = Arc::new(TombstoneSweeper {
            db: db.clone(),
            environment: environment.clone(),
            blobs,
            profiles: profiles.clone(),
            pictures: pictures.clone(),
            indexes: indexes.clone(),
        });
        let enrolment = Enrolment {
            db: db.clone(),
            environment: environment.clone(),
            pictures: pictures.clone(),
            model: model.clone(),
            embeddings: embeddings.clone(),
            profiles: profiles.clone(),
            sweeper: sweeper.clone(),
            keep_images,
            limits,
        };
        let matcher = ProfileMatcher {
            db: db.clone(),
            model: model.clone(),
            profiles: profiles.clone(),
            indexes: indexes.clone(),
        };
        let reembedding = Reembedding {
            db: db.clone(),
            environment,
            pictures: pictures.clone(),
            model: model.clone(),
            embeddings: embeddings.clone(),
        };
        Self(Arc::new(FaceIndexParts {
            db,
            model,
            embeddings,
            profiles,
            indexes,
            sweeper,
            enrolment,
            matcher,
            reembedding,
            pictures,
        }))
    }

    /// Registers the jobs of faces with a worker.
    #[must_use]
    pub fn register_jobs(&self, worker: Worker) -> Worker {
        let (sweeping, embedding) = (self.clone(), self.clone());
        worker
            .register(move |_: SweepFaces, _| {
                let faces = sweeping.clone();
                async move { faces.sweep_tombstones().await }
            })
            .register(move |job: ReembedFaces, _| {
                let faces = embedding.clone();
                async move { faces.reembed(&job).await }
            })
    }

    pub(super) fn indexes(&self) -> &AccountIndexes {
        &self.0.indexes
    }

    /// The distance up to which a search finds a face.
    pub async fn identify_distance(&self) -> Result<f32, FaceIndexError> {
        self.0.model.identify_distance().await
    }

    /// The distance that belongs to a similarity (see [`Self::similarity`]); without one, [`Self::identify_distance`].
    pub async fn max_distance(&self, min_similarity: Option<f64>) -> Result<f32, FaceIndexError> {
        self.0.model.max_distance(min_similarity).await
    }

    /// SHA-256 of the model that computes embeddings, hexadecimal.
    pub async fn model_digest(&self) -> Result<String, FaceIndexError> {
        Ok(self.0.model.space().await?.digest())
    }

    /// How similar two faces at a distance are, 0 to 1: 1 for the same picture, 0.5 at the distance up to which two faces
    /// are one person's.
    pub async fn similarity(&self, distance: f32) -> Result<f64, FaceIndexError> {
        self.0.model.similarity(distance).await
    }

    /// The share of strangers who are as near as this distance, or nearer, 0 to 1; `None` if the model states none.
    pub async fn false_match_rate(&self, distance: f32) -> Result<Option<f64>, FaceIndexError> {
        self.0.model.false_match_rate(distance).await
    }

    /// An enrolled face, upright, as JPEG of `side` x `side` pixels, for a reviewer who compares it. `None` if its picture is not
    /// stored.
    pub async fn enrolled_portrait(
        &self,
        account: AccountId,
        (profile, face): (ProfileId, FaceId),
        side: u32,
    ) -> Result<Option<Vec<u8>>, FaceIndexError> {
        let mut view = self.0.db.read().await?;
        let row: Option<StoredPictureRow> = view
            .fetch_optional(sql!(
                "SELECT picture_key, picture_key_used FROM faces
                  WHERE id = $1 AND profile_id = $2 AND account_id = $3 AND image",
                face,
                profile,
                account,
            ))
            .await?;
        let Some(StoredPictureRow { picture_key, picture_key_used }) = row else { return Ok(None) };
        let vault = self.0.embeddings.of_profile(&mut view, profile).await?;
        let app = accounts::application_of(&mut view, account).await?;
        drop(view);
        let owner = PictureOwner { account, profile, face };
        let key = PictureKey { sealed: picture_key.as_deref(), is_used: picture_key_used };
        let stored = self.0.pictures.get(&vault, &owner, key).await?;
        Ok(Some(self.0.model.portrait_of_stored(app, stored, side).await?))
    }

    /// A page of an account's profiles, newest first, and how many there are in all. A range is how many to leave out, and
    /// how many to take.
    pub async fn list_profiles(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        filter: &ProfileFilter,
        range: (i64, i64),
    ) -> Result<ProfilePage, DbError> {
        self.0.profiles.list(view, account, filter, range).await
    }

    /// A profile with everything that belongs to it, even if it was deleted.
    pub async fn profile(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<Profile, FaceIndexError> {
        self.0.profiles.find(view, account, id).await
    }

    /// Profiles by id, in no particular order; those that are not the account's are left out.
    pub async fn profiles(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<Vec<ProfileSummary>, DbError> {
        self.0.profiles.summaries(view, account, ids).await
    }

    /// Creates a profile, with a face or without.
    pub async fn create_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        kind: ProfileType,
        details: &ProfileDetails,
        face: Option<&PreparedFace>,
    ) -> Result<ProfileId, FaceIndexError> {
        let id = self.0.enrolment.create_profile(tx, account, kind, details, face).await?;
        tx.audit(profile_event("profile.create", account, id).detail("face", face.is_some()));
        Ok(id)
    }

    /// Changes a profile.
    pub async fn update_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
        patch: ProfilePatch,
    ) -> Result<(), FaceIndexError> {
        tx.audit(profile_event("profile.change", account, id));
        self.0.profiles.update(tx, account, id, patch).await
    }

    /// Bans a person; a ban of somebody who is banned replaces the one before. `user` is who does it.
    pub async fn ban(
        &self,
        tx: &mut WriteTx,
        (account, user): (AccountId, Uuid),
        id: ProfileId,
        request: BanRequest,
    ) -> Result<(), FaceIndexError> {
        let event = profile_event("profile.ban", account, id);
        tx.audit(match request.until {
            Some(until) => event.detail("until", until.to_string()),
            None => event,
        });
        let BanRequest { reason, until } = request;
        let ban = BanRecord { reason, user, since: self.0.profiles.environment.now(), until };
        self.0.profiles.set_ban(tx, account, id, Some(ban)).await
    }

    /// Lifts a ban.
    pub async fn unban(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<(), FaceIndexError> {
        tx.audit(profile_event("profile.unban", account, id));
        self.0.profiles.set_ban(tx, account, id, None).await
    }

    /// The banned profiles that a face looks like, nearest first.
    pub async fn banned_lookalikes(
        &self,
        account: AccountId,
        face: &PreparedFace,
    ) -> Result<Vec<(ProfileId, f64)>, FaceIndexError> {
        // Among those alone: others may look more like it.
        let found = self.0.matcher.find_banned(account, face.embedding().to_vec(), MAX_LOOKALIKES).await?;
        let mut banned = Vec::new();
        for candidate in found {
            banned.push((candidate.profile, self.similarity(candidate.distance).await?));
        }
        Ok(banned)
    }

    /// Deletes a profile: everything that is known of the person is deleted, and an inactive row is left.
    pub async fn delete_profile(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ProfileId,
    ) -> Result<(), FaceIndexError> {
        tx.audit(profile_event("profile.delete", account, id));
        self.0.profiles.delete(tx, account, id).await
    }

    /// Creates a group. The label is trimmed.
    pub async fn create_group(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        label: &str,
    ) -> Result<GroupId, FaceIndexError> {
        groups::create(tx, &*self.0.profiles.environment, account, label).await
    }

    /// A page of an account's groups, newest first.
    pub async fn list_groups(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<ProfileGroup>, DbError> {
        groups::list(view, account, limit, offset).await
    }

    /// Groups by id, in no particular order; those that are not the account's are left out.
    pub async fn groups(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ids: &[GroupId],
    ) -> Result<Vec<ProfileGroup>, DbError> {
        groups::find(view, account, ids).await
    }

    /// Deletes a group; its profiles stay.
    pub async fn remove_group(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        group: GroupId,
    ) -> Result<(), FaceIndexError> {
        groups::remove(tx, account, group).await
    }

    /// Adds a profile to a group; nothing changes if it is in the group already.
    pub async fn add_to_group(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        group: GroupId,
        profile: ProfileId,
    ) -> Result<(), FaceIndexError> {
        groups::add_profile(tx, &self.0.profiles, account, group, profile).await
    }

    /// Removes a profile from a group.
    pub async fn remove_from_group(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        group: GroupId,
        profile: ProfileId,
    ) -> Result<(), FaceIndexError> {
        groups::remove_profile(tx, account, group, profile).await
    }

    /// Which of these active profiles can never be recognised, and why.
    pub async fn unrecognisable(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<Vec<(ProfileId, UnrecognisableReason)>, DbError> {
        self.0.profiles.unrecognisable(view, account, ids).await
    }

    /// The profiles in any of these groups, each once; groups that are not the account's are left out.
    pub async fn group_members(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        groups: &[GroupId],
    ) -> Result<Vec<ProfileId>, DbError> {
        groups::members(view, account, groups).await
    }

    /// Refuses, before a picture is processed, a profile that does not exist, has no consent recorded, or has as many faces
    /// as it may have.
    pub async fn require_enrolment_allowed(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<(), FaceIndexError> {
        self.0.enrolment.require_allowed(view, account, profile).await
    }

    /// Extracts a face for an account and stores its picture; refuses a picture that is not good enough. With `profile`, the
    /// face of another person is refused as well. The result is either enrolled or passed to
    /// [`Self::discard_prepared_face`]; what a crash leaves behind is swept.
    pub async fn prepare_face(
        &self,
        account: AccountId,
        profile: Option<ProfileId>,
        bytes: Vec<u8>,
    ) -> Result<PreparedFace, FaceIndexError> {
        self.0.enrolment.prepare(account, profile, bytes).await
    }

    /// Deletes the picture of a face that will not be enrolled. If that fails, the sweep does it.
    pub async fn discard_prepared_face(&self, face: PreparedFace) {
        self.0.enrolment.discard(face).await;
    }

    /// Adds a face to a profile; refuses the face of another person.
    pub async fn add_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: &PreparedFace,
    ) -> Result<FaceId, FaceIndexError> {
        let face = self.0.enrolment.add_face(tx, account, profile, face).await?;
        tx.audit(profile_event("profile.add-face", account, profile).detail("face", face.to_string()));
        Ok(face)
    }

    /// Removes a face from a profile; refuses the last one of a banned profile, which would not be recognised any more.
    pub async fn remove_face(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: FaceId,
    ) -> Result<(), FaceIndexError> {
        tx.audit(face_removal_event(account, profile, face));
        self.0.enrolment.remove_face(tx, account, profile, face).await
    }

    /// Removes a face again, after a backup brought it back: the last one of a banned profile, too. The profile stays banned.
    pub(crate) async fn remove_face_again(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        face: FaceId,
    ) -> Result<(), FaceIndexError> {
        tx.audit(face_removal_event(account, profile, face));
        self.0.enrolment.delete_face(tx, account, profile, face).await.map(drop)
    }

    /// Completes committed changes of an account: deletes the pictures of removed faces, and brings this process's index up
    /// to date. A failure is only logged, because the sweep and the next search do the same.
    pub async fn apply_committed_changes(&self, account: AccountId) {
        self.0.sweeper.apply_committed_changes(account).await;
    }

    /// Runs a [`SweepFaces`].
    pub async fn sweep_tombstones(&self) -> Result<JobOutcome, JobError> {
        self.0.sweeper.sweep().await
    }

    /// For each embedding, the active and searchable profiles of an account that are near enough, nearest first. Profiles
    /// that a dismissal keeps the face from are left out.
    pub async fn find_candidates(
        &self,
        account: AccountId,
        embeddings: &[Vec<f32>],
        query: &CandidateQuery,
    ) -> Result<Vec<Vec<ProfileCandidate>>, FaceIndexError> {
        self.0.matcher.find_candidates(account, embeddings, query).await
    }

    /// [`Self::find_candidates`], and where a face looks like more profiles than are found at once, the nearest of those that
    /// are banned and of those in `named` besides.
    pub(crate) async fn find_candidates_and_banned(
        &self,
        account: AccountId,
        embeddings: &[Vec<f32>],
        query: &CandidateQuery,
        named: Option<Arc<HashSet<ProfileId>>>,
    ) -> Result<Vec<Vec<ProfileCandidate>>, FaceIndexError> {
        self.0.matcher.find_candidates_and_banned(account, embeddings, query, named).await
    }

    /// The profiles that the face in a picture may belong to, nearest first.
    pub async fn search_by_picture(
        &self,
        account: AccountId,
        picture: Vec<u8>,
        query: &CandidateQuery,
    ) -> Result<Vec<ProfileMatch>, FaceIndexError> {
        self.0.matcher.search_by_picture(account, picture, query).await
    }

    /// What the one face in a picture looks like.
    pub async fn likeness_of_picture(
        &self,
        account: AccountId,
        picture: Vec<u8>,
    ) -> Result<FaceLikeness, FaceIndexError> {
        let embedding = self.0.matcher.embed_for_search(account, picture).await?;
        FaceLikeness::of_embedding(&self.0.model, embedding).await
    }

    /// What the person of a profile looks like; refuses a profile by which nobody can be recognised.
    pub async fn likeness_of_profile(
        &self,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<FaceLikeness, FaceIndexError> {
        let FaceIndexParts { db, model, embeddings, profiles, .. } = &*self.0;
        FaceLikeness::of_profile(db, model, embeddings, profiles, (account, profile)).await
    }

    /// Keeps other transactions from changing an account's profiles, reviewing what was found of them, or deleting it, until
    /// this one ends. Asked before anything else but the account is locked.
    pub(crate) async fn lock_changes(&self, tx: &mut WriteTx, account: AccountId) -> Result<(), DbError> {
        change_sequence::lock(tx, account).await
    }

    /// Which of these profiles are there; until the transaction ends, they are. Asked before anything else that a deletion of
    /// a profile writes is locked.
    pub(crate) async fn lock_active_profiles(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        ids: &[ProfileId],
    ) -> Result<HashSet<ProfileId>, DbError> {
        self.0.profiles.lock_active(tx, account, ids).await
    }

    /// Whether a profile is banned.
    pub async fn is_banned(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<bool, DbError> {
        let flags = profile::flags(view, account, &[profile]).await?;
        Ok(flags.first().is_some_and(|row| row.active && row.banned))
    }

    /// Has people looked for once more whose bans a moderation did not see that judged faces at `judged_at` and writes them in
    /// this transaction, if it writes them too late for the sweeps of these bans. Asked after they are written.
    pub(crate) async fn queue_sweeps_of_unseen_bans(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        judged_at: Timestamp,
    ) -> Result<(), DbError> {
        self.0.profiles.queue_sweeps_of_unseen_bans(tx, account, judged_at).await
    }

    /// Records that a face is not that of a profile: it is not matched to the profile again, nor are faces that are nearer to
    /// it than to the profile's own. If it is hardly another face than the profile's, that holds in its content alone. Nothing
    /// happens for a profile without faces, which no face is matched to, nor where its faces are of another model.
    pub async fn dismiss(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        dismissed: DismissedFace<'_>,
    ) -> Result<(), DbError> {
        negative_labels::add(tx, &self.0.embeddings, account, dismissed).await
    }

    /// Undoes dismissals; returns how many there were. That something is erased is recorded by the caller, because it comes
    /// last in a transaction.
    pub async fn undo_dismissals(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        which: DismissalSelection,
    ) -> Result<usize, DbError> {
        negative_labels::remove(tx, self.0.profiles.environment.now(), account, which).await
    }

    /// Undoes one dismissal of a profile.
    pub async fn undo_dismissal(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profile: ProfileId,
        dismissal: Uuid,
    ) -> Result<(), FaceIndexError> {
        let which = DismissalSelection::Of(profile, dismissal);
        if self.undo_dismissals(tx, account, which).await? == 0 {
            return Err(FaceIndexError::Missing("dismissal"));
        }
        tx.audit(
            profile_event("profile.undo-dismissal", account, profile)
                .detail("dismissal", dismissal.to_string()),
        );
        Ok(erasure_keys::record_erasure(tx).await?)
    }

    /// The faces that were dismissed as not being a profile's, newest first, at most
    /// [`MAX_NEGATIVE_LABELS_PER_PROFILE`](super::MAX_NEGATIVE_LABELS_PER_PROFILE).
    pub async fn list_dismissals(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        profile: ProfileId,
    ) -> Result<Vec<Dismissal>, DbError> {
        negative_labels::list(view, account, profile).await
    }

    /// Whether a dismissed face at this distance from a profile's nearest one is taken for a picture of the enrolled person,
    /// so that the dismissal counts in its content alone.
    pub async fn counts_in_its_content_alone(&self, distance: f64) -> Result<bool, FaceIndexError> {
        Ok(negative_labels::is_same_picture(distance as f32, self.identify_distance().await?))
    }

    /// Queues a [`ReembedFaces`] for each account that has faces of another model with stored pictures; returns how many
    /// were queued.
    pub async fn queue_reembedding(&self) -> Result<u64, FaceIndexError> {
        self.0.reembedding.queue().await
    }

    /// Runs a [`ReembedFaces`].
    pub async fn reembed(&self, job: &ReembedFaces) -> Result<JobOutcome, JobError> {
        self.0.reembedding.run(job).await
    }

    /// The status of every account that has faces, by id.
    pub async fn index_statuses(&self) -> Result<Vec<FaceIndexStatus>, FaceIndexError> {
        index_status::load(&self.0.db, &self.0.model).await
    }

    /// Brings every open index up to date and writes it to disk, and deletes the folders of deleted accounts. For processes
    /// that nobody sends searches to. Returns how many folders were deleted.
    pub async fn maintain_indexes(&self) -> Result<u64, FaceIndexError> {
        self.indexes().maintain().await
    }

    /// Deletes the indexes of an account on this machine; returns how many files there were.
    pub async fn erase_indexes(&self, account: AccountId) -> Result<u64, FaceIndexError> {
        self.indexes().erase(account).await
    }
}

fn profile_event(kind: &'static str, account: AccountId, profile: ProfileId) -> AuditEvent {
    AuditEvent::new(kind).account(account).target(profile)
}

fn face_removal_event(account: AccountId, profile: ProfileId, face: FaceId) -> AuditEvent {
    profile_event("profile.remove-face", account, profile).detail("face", face.to_string())
}
