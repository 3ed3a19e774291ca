//! Starting and stopping.

use super::{
    ContentModerationService, ModerationCheck, ModerationCheckType, ModerationParameters, ModerationState,
    NotificationDestinations, RunModeration, aad,
};
use crate::{
    accounts,
    content::{self, Content, ContentType},
    delivery::Outbox,
    violation::{Violation, check_max_items, join_messages, violation},
};
use base::{AccountId, ContentId, GroupId, Id as _, MemberId, ModerationCheckId, ModerationId, ProfileId};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use media::video::VideoError;
use std::collections::HashSet;

/// Destinations of each kind.
const MAX_DESTINATIONS_PER_KIND: usize = 20;
/// Profiles and groups of a moderation.
const MAX_PROFILES_OR_GROUPS: usize = 1000;

/// A moderation as it was sent: nothing of it is known to be right.
#[derive(Clone, Debug, Default)]
pub struct ModerationInput {
    /// What to look at.
    pub content_id: Option<ContentId>,
    /// Who is known.
    pub profile_ids: Vec<ProfileId>,
    /// Groups of them.
    pub group_ids: Vec<GroupId>,
    /// The age that unknown faces must look, 0 to 100.
    pub age_estimation: Option<i64>,
    /// Whether unknown faces are told.
    pub unknown_faces: bool,
    /// Where notifications go.
    pub destinations: NotificationDestinations,
    /// In whose inbox they go.
    pub member_id: Option<MemberId>,
}

/// A moderation that may be asked for: it breaks no rule, and names nothing that the account is known to have.
#[derive(Clone, Debug)]
pub struct ModerationRequest {
    content: ContentId,
    profiles: Vec<ProfileId>,
    groups: Vec<GroupId>,
    age: Option<u8>,
    unknown_faces: bool,
    destinations: NotificationDestinations,
    member: Option<MemberId>,
}

impl ModerationInput {
    /// Holds it against every rule that needs no look at what the account has; tells all that are broken.
    pub fn validate(self, outbox: &Outbox) -> Result<ModerationRequest, Vec<Violation>> {
        let mut violations = Vec::new();
        if self.content_id.is_none() {
            violations.push(violation("content_id", "it is required"));
        }
        let (profiles, groups) = (self.profile_ids.len(), self.group_ids.len());
        violations
            .extend(check_max_items("profile_ids", profiles, MAX_PROFILES_OR_GROUPS, "use a group").err());
        violations
            .extend(check_max_items("group_ids", groups, MAX_PROFILES_OR_GROUPS, "name fewer groups").err());
        let age =
            self.age_estimation.and_then(|years| validate_age(years).map_err(|no| violations.push(no)).ok());
        violations.extend(self.destinations.violations(outbox));
        match self.content_id {
            Some(content) if violations.is_empty() => Ok(ModerationRequest {
                content,
                profiles: self.profile_ids,
                groups: self.group_ids,
                age,
                unknown_faces: self.unknown_faces,
                destinations: self.destinations.deduplicated(),
                member: self.member_id,
            }),
            _ => Err(violations),
        }
    }
}

impl NotificationDestinations {
    fn violations(&self, outbox: &Outbox) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (path, urls) in
            [("notifications.web_destinations", &self.web), ("notifications.slack_destinations", &self.slack)]
        {
            let few = check_max_items(path, urls.len(), MAX_DESTINATIONS_PER_KIND, "name fewer destinations");
            if let Err(too_many) = few {
                violations.push(too_many);
                continue;
            }
            let check =
                |(at, url): (usize, &String)| content::check_url(outbox, format!("{path}[{at}]"), url).err();
            violations.extend(urls.iter().enumerate().filter_map(check));
        }
        violations
    }

    fn deduplicated(self) -> Self {
        let each_once = |urls: Vec<String>| {
            let mut seen = HashSet::new();
            urls.into_iter().filter(|url| seen.insert(url.clone())).collect()
        };
        Self { web: each_once(self.web), slack: each_once(self.slack) }
    }
}

fn deduplicate_profiles(mut profiles: Vec<ProfileId>) -> Vec<ProfileId> {
    profiles.sort_unstable();
    profiles.dedup();
    profiles
}

/// Why no moderation was started.
#[derive(Debug, thiserror::Error)]
pub enum ModerationStartError {
    /// What was sent cannot be used; at least one member of it.
    #[error("{}", join_messages(.0))]
    Invalid(Vec<Violation>),
    /// The content does not answer.
    #[error("the content cannot be reached: {0}")]
    Unreachable(VideoError),
    /// The account was closed meanwhile.
    #[error("there is no such account")]
    NoAccount,
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// A moderation that was checked, and whose content answered.
#[derive(Debug)]
pub struct PreparedModeration {
    account: AccountId,
    content: ContentId,
    content_type: ContentType,
    url: String,
    parameters: ModerationParameters,
    destinations: NotificationDestinations,
}

#[derive(FromRow)]
struct ModerationJobRow {
    #[sqlx(try_from = "String")]
    state: ModerationState,
    job_id: base::Uuid,
}

impl ContentModerationService {
    /// Looks for all that a moderation names, and whether its content answers; at most 30 seconds. Nothing is written yet.
    pub async fn prepare(
        &self,
        account: AccountId,
        new: ModerationRequest,
    ) -> Result<PreparedModeration, ModerationStartError> {
        let content = {
            let mut view = self.0.db.read().await?;
            self.resolve_references(&mut view, account, &new).await?
        };
        self.0.videos.check_reachable(&content.url).await.map_err(ModerationStartError::Unreachable)?;
        let ModerationRequest { profiles, groups, age, unknown_faces, destinations, member, .. } = new;
        let checks =
            self.build_checks(age.is_some(), unknown_faces, !profiles.is_empty() || !groups.is_empty());
        let profiles = deduplicate_profiles(profiles);
        let wanted = ModerationParameters { checks, age, unknown_faces, profiles, groups, member };
        let (url, content_type) = (content.url, content.content_type);
        Ok(PreparedModeration {
            account,
            content: content.id,
            content_type,
            url,
            parameters: wanted,
            destinations,
        })
    }

    /// The content of a moderation, where the account has it and all else that is named.
    async fn resolve_references(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        new: &ModerationRequest,
    ) -> Result<Content, ModerationStartError> {
        let mut violations = Vec::new();
        let content = content::find(view, account, new.content).await?;
        if content.is_none() {
            violations.push(violation("content_id", "there is no such content"));
        }
        if content.as_ref().is_some_and(|content| content.archived) {
            violations.push(violation("content_id", "the content is archived; take it out of the archive"));
        }
        let faces = &self.0.faces;
        violations
            .extend(content::unknown_profiles(view, faces, account, "profile_ids", &new.profiles).await?);
        let known = faces.groups(view, account, &new.groups).await?;
        let unknown =
            new.groups.iter().enumerate().filter(|(_, id)| !known.iter().any(|group| group.id == **id));
        violations
            .extend(unknown.map(|(at, _)| violation(format!("group_ids[{at}]"), "there is no such group")));
        if let Some(member) = new.member
            && accounts::members::find(view, account, member).await?.is_none()
        {
            violations.push(violation("member_id", "there is no such member"));
        }
        content.filter(|_| violations.is_empty()).ok_or(ModerationStartError::Invalid(violations))
    }

    fn build_checks(&self, age: bool, unknown_faces: bool, named: bool) -> Vec<ModerationCheck> {
        [
            (ModerationCheckType::BannedProfile, true),
            (ModerationCheckType::UnknownFace, unknown_faces),
            (ModerationCheckType::AgeEstimation, age),
            (ModerationCheckType::KnownFace, named),
        ]
        .into_iter()
        .filter(|(_, wanted)| *wanted)
        .map(|(check_type, _)| ModerationCheck { id: ModerationCheckId::new(&*self.0.world), check_type })
        .collect()
    }

    /// Writes a moderation and its job, where the account is still there.
    pub async fn start(
        &self,
        tx: &mut WriteTx,
        ready: PreparedModeration,
    ) -> Result<ModerationId, ModerationStartError> {
        let PreparedModeration { account, content, content_type, url, parameters: wanted, destinations } =
            ready;
        if !accounts::lock_shared(tx, account).await? {
            return Err(ModerationStartError::NoAccount);
        }
        let (world, id) = (&*self.0.world, ModerationId::new(&*self.0.world));
        let job_id = RunModeration::enqueue(tx, world, account, id, content_type).await?;
        let plain = serde_json::to_vec(&destinations).expect("addresses are JSON");
        tx.execute(sql!(
            "INSERT INTO moderations (id, account_id, content_id, content_type, url, wanted, destinations, state,
                                      job_id, position, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'QUEUED', $8, 0, $9)",
            id,
            account,
            content,
            content_type,
            url,
            serde_json::to_value(&wanted).expect("what was asked for is JSON"),
            self.seal(&aad("destinations", id), &plain),
            job_id,
            world.now(),
        ))
        .await?;
        Ok(id)
    }

    /// Asks a moderation to stop; whether there is such a one. One that has ended stays as it is.
    pub async fn stop(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: ModerationId,
    ) -> Result<bool, DbError> {
        let now = self.0.world.now();
        let row: Option<ModerationJobRow> = tx
            .fetch_optional(sql!(
                "SELECT state, job_id FROM moderations WHERE id = $1 AND account_id = $2",
                id,
                account,
            ))
            .await?;
        let Some(row) = row else { return Ok(false) };
        if row.state == ModerationState::Queued {
            // Nobody may have begun it; a job that somebody has begun is told below.
            let waiting =
                tx.execute(sql!("DELETE FROM jobs WHERE id = $1 AND state = 'WAITING'", row.job_id)).await?;
            if waiting == 1 {
                tx.execute(sql!(
                    "UPDATE moderations SET state = 'STOPPED', ended_at = $2, checkpoint = NULL
                      WHERE id = $1 AND state = 'QUEUED'",
                    id,
                    now,
                ))
                .await?;
            }
        }
        tx.execute(sql!(
            "UPDATE moderations SET state = 'STOPPING' WHERE id = $1 AND state IN ('QUEUED', 'RUNNING')",
            id,
        ))
        .await?;
        // A run that waits for its next attempt need not wait to be told.
        tx.execute(sql!(
            "UPDATE jobs SET run_at = $2 WHERE id = $1 AND state = 'WAITING' AND run_at > $2",
            row.job_id,
            now,
        ))
        .await?;
        tx.notify_on_commit();
        Ok(true)
    }
}

fn validate_age(years: i64) -> Result<u8, Violation> {
    u8::try_from(years).ok().filter(|years| *years <= 100).ok_or_else(|| {
        let measured = base::LimitViolation::new(years as f64, "0 to 100", "state an age in years");
        Violation {
            path: "age_estimation".into(),
            message: "it is a whole number from 0 to 100".to_owned(),
            measured: Some(measured),
        }
    })
}
