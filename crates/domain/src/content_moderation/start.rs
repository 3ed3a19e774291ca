//! Starting moderations.

use super::{
    ModerationCheck, ModerationCheckType, ModerationParameters, ModerationRequest, NotificationDestinations,
    RunModeration,
    contents::{
        self, Content, ContentType,
        uploads::{ContentLocation, ContentUploads},
    },
    sealed_columns::SealedColumns,
};
use crate::{
    accounts,
    erasure_keys::KeyOwner,
    faces::FaceIndexService,
    tenancy::limits::{self, LimitError, LimitReachedError, LimitSettings},
    violation::{Violation, join_messages, violation},
};
use base::{AccountId, ContentId, Environment, Id as _, ModerationCheckId, ModerationId, ProfileId};
use db::{Db, DbError, ReadTx, WriteTx, sql};
use media::video::{ContentLoader, VideoError};
use std::sync::Arc;

/// Why no moderation was started.
#[derive(Debug, thiserror::Error)]
pub enum ModerationStartError {
    /// The request breaks these rules; at least one.
    #[error("{}", join_messages(.0))]
    Invalid(Vec<Violation>),
    /// The content cannot be fetched.
    #[error("the content cannot be reached: {0}")]
    Unreachable(VideoError),
    /// The application has as many live streams, or waiting jobs, as it may.
    #[error(transparent)]
    LimitReached(#[from] LimitReachedError),
    /// The account is being deleted.
    #[error("there is no such account")]
    NoAccount,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<LimitError> for ModerationStartError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}

/// A moderation that is valid, and whose content can be fetched; nothing of it is stored yet.
#[derive(Debug)]
pub struct PreparedModeration {
    account: AccountId,
    content: ContentId,
    content_type: ContentType,
    location: ContentLocation,
    parameters: ModerationParameters,
    destinations: NotificationDestinations,
}

/// Starts moderations.
#[derive(Debug)]
pub(super) struct ModerationStarter {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) sealed_columns: SealedColumns,
    pub(super) faces: FaceIndexService,
    pub(super) uploads: ContentUploads,
    pub(super) videos: ContentLoader,
    pub(super) limits: LimitSettings,
}

impl ModerationStarter {
    /// Checks that the account has everything that a moderation names, and that the content can be fetched, which takes at
    /// most 30 seconds. Nothing is written yet.
    pub(super) async fn prepare(
        &self,
        account: AccountId,
        new: ModerationRequest,
    ) -> Result<PreparedModeration, ModerationStartError> {
        let (content, source) = {
            let mut view = self.db.read().await?;
            let content = self.resolve_references(&mut view, account, &new).await?;
            let source = self.uploads.source(&mut view, account, (content.id, &content.location)).await?;
            (content, source.ok_or(ModerationStartError::Unreachable(VideoError::StoredLost))?)
        };
        let reached = self.videos.check_reachable(source).await.map_err(ModerationStartError::Unreachable)?;
        if content.content_type == ContentType::Image {
            self.videos.ensure_picture_fits(&reached).map_err(ModerationStartError::Unreachable)?;
        }
        let ModerationRequest {
            profiles,
            groups,
            age,
            unknown_faces,
            destinations,
            member,
            min_similarity,
            ..
        } = new;
        let checks =
            self.build_checks(age.is_some(), unknown_faces, !profiles.is_empty() || !groups.is_empty());
        let profiles = deduplicate_profiles(profiles);
        let parameters = ModerationParameters {
            checks,
            age,
            unknown_faces,
            profiles,
            groups,
            member,
            min_similarity,
            named_profile_deleted: false,
        };
        let Content { id: content, location, content_type, .. } = content;
        Ok(PreparedModeration { account, content, content_type, location, parameters, destinations })
    }

    /// The content of a moderation, if the account has it and everything else that is named.
    async fn resolve_references(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        new: &ModerationRequest,
    ) -> Result<Content, ModerationStartError> {
        let mut violations = Vec::new();
        let content = contents::find(view, account, new.content).await?;
        if content.is_none() {
            violations.push(violation("content_id", "there is no such content"));
        }
        if content.as_ref().is_some_and(|content| content.archived) {
            violations.push(violation("content_id", "the content is archived; take it out of the archive"));
        }
        let faces = &self.faces;
        violations
            .extend(contents::unusable_profiles(view, faces, account, "profile_ids", &new.profiles).await?);
        let known = faces.groups(view, account, &new.groups).await?;
        let unknown =
            new.groups.iter().enumerate().filter(|(_, id)| !known.iter().any(|group| group.id == **id));
        violations
            .extend(unknown.map(|(at, _)| violation(format!("group_ids[{at}]"), "there is no such group")));
        if violations.is_empty()
            && !new.groups.is_empty()
            && new.profiles.is_empty()
            && faces.group_members(view, account, &new.groups).await?.is_empty()
            && contents::profiles(view, account, new.content).await?.is_empty()
        {
            let words =
                "the groups have no members, so nobody would be known; add a profile to one, or name none";
            violations.push(violation("group_ids", words));
        }
        if let Some(member) = new.member
            && accounts::members::find(view, account, member).await?.is_none()
        {
            violations.push(violation("member_id", "there is no such member"));
        }
        content.filter(|_| violations.is_empty()).ok_or(ModerationStartError::Invalid(violations))
    }

    /// The checks that a moderation makes; banned profiles are always looked for.
    fn build_checks(&self, age: bool, unknown_faces: bool, named: bool) -> Vec<ModerationCheck> {
        [
            (ModerationCheckType::BannedProfile, true),
            (ModerationCheckType::UnknownFace, unknown_faces),
            (ModerationCheckType::AgeEstimation, age),
            (ModerationCheckType::KnownFace, named),
        ]
        .into_iter()
        .filter(|(_, requested)| *requested)
        .map(|(check_type, _)| ModerationCheck { id: ModerationCheckId::new(&*self.environment), check_type })
        .collect()
    }

    /// Refuses a moderation that the application's limits do not allow.
    async fn ensure_allowed(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        content_type: ContentType,
    ) -> Result<(), LimitError> {
        let app = accounts::application_of(tx, account).await?;
        let Some(app) = app else { return Ok(()) };
        match content_type {
            ContentType::LiveVideo => limits::ensure_live_stream_allowed(tx, &self.limits, app).await,
            ContentType::Image | ContentType::Video => {
                limits::ensure_queueing_allowed(tx, &self.limits, app).await
            }
        }
    }

    /// Refuses profiles that were deleted since they were looked at; until the transaction ends, they are not. Their deletion
    /// takes them out of the moderations that name them, and this one is not there yet.
    async fn ensure_not_deleted(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        profiles: &[ProfileId],
    ) -> Result<(), ModerationStartError> {
        let there = self.faces.lock_active_profiles(tx, account, profiles).await?;
        if profiles.iter().all(|profile| there.contains(profile)) {
            return Ok(());
        }
        let words = "one of the profiles was deleted in the meantime";
        Err(ModerationStartError::Invalid(vec![violation("profile_ids", words)]))
    }

    /// Writes a moderation and its job.
    pub(super) async fn start(
        &self,
        tx: &mut WriteTx,
        prepared: PreparedModeration,
    ) -> Result<ModerationId, ModerationStartError> {
        let PreparedModeration { account, content, content_type, location, parameters, destinations } =
            prepared;
        if !accounts::lock_shared(tx, account).await? {
            return Err(ModerationStartError::NoAccount);
        }
        self.ensure_not_deleted(tx, account, &parameters.profiles).await?;
        ensure_not_archived(tx, account, content).await?;
        self.ensure_allowed(tx, account, content_type).await?;
        let (environment, id) = (&*self.environment, ModerationId::new(&*self.environment));
        self.sealed_columns.keys.create(tx, KeyOwner::Moderation(id)).await?;
        let job_id = RunModeration::enqueue(tx, environment, account, id, content_type).await?;
        tx.execute(sql!(
            "INSERT INTO moderations (id, account_id, content_id, content_type, url, wanted, destinations, state,
                                      job_id, position, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'QUEUED', $8, 0, $9)",
            id,
            account,
            content,
            content_type,
            location.to_string(),
            serde_json::to_value(&parameters).expect("parameters are JSON"),
            self.sealed_columns.seal_destinations(id, &destinations),
            job_id,
            environment.now(),
        ))
        .await?;
        Ok(id)
    }
}

/// Refuses a content that was archived or deleted since it was looked at; until the transaction ends, it is not.
async fn ensure_not_archived(
    tx: &mut WriteTx,
    account: AccountId,
    content: ContentId,
) -> Result<(), ModerationStartError> {
    if contents::lock(tx, account, content).await?.is_some_and(|content| !content.archived) {
        return Ok(());
    }
    let words = "the content was archived or deleted in the meantime";
    Err(ModerationStartError::Invalid(vec![violation("content_id", words)]))
}

fn deduplicate_profiles(mut profiles: Vec<ProfileId>) -> Vec<ProfileId> {
    profiles.sort_unstable();
    profiles.dedup();
    profiles
}
