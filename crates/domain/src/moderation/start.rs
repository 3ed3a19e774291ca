//! Starting and stopping.

use super::{Check, CheckType, Destinations, ModerationState, Moderations, RunModeration, Wanted, place};
use crate::{
    accounts,
    content::{self, Content, ContentType},
    delivery::Outbox,
    violation::{Violation, at_most_items, told, violation},
};
use base::{AccountId, CheckId, ContentId, GroupId, Id as _, MemberId, ModerationId, ProfileId};
use db::{DbError, FromRow, Read, Tx, sql};
use media::video::VideoError;
use std::collections::HashSet;

/// Destinations of each kind.
const MOST_DESTINATIONS: usize = 20;
/// Profiles and groups of a moderation.
const MOST_NAMED: usize = 1000;

/// A moderation as it was sent: nothing of it is known to be right.
#[derive(Clone, Debug, Default)]
pub struct NewModeration {
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
    pub destinations: Destinations,
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
    destinations: Destinations,
    member: Option<MemberId>,
}

impl NewModeration {
    /// Holds it against every rule that needs no look at what the account has; tells all that are broken.
    pub fn check(self, outbox: &Outbox) -> Result<ModerationRequest, Vec<Violation>> {
        let mut violations = Vec::new();
        if self.content_id.is_none() {
            violations.push(violation("content_id", "it is required"));
        }
        let (profiles, groups) = (self.profile_ids.len(), self.group_ids.len());
        violations.extend(at_most_items("profile_ids", profiles, MOST_NAMED, "use a group").err());
        violations.extend(at_most_items("group_ids", groups, MOST_NAMED, "name fewer groups").err());
        let age = self.age_estimation.and_then(|years| age(years).map_err(|no| violations.push(no)).ok());
        violations.extend(self.destinations.violations(outbox));
        match self.content_id {
            Some(content) if violations.is_empty() => Ok(ModerationRequest {
                content,
                profiles: self.profile_ids,
                groups: self.group_ids,
                age,
                unknown_faces: self.unknown_faces,
                destinations: self.destinations.each_once(),
                member: self.member_id,
            }),
            _ => Err(violations),
        }
    }
}

impl Destinations {
    fn violations(&self, outbox: &Outbox) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (path, urls) in
            [("notifications.web_destinations", &self.web), ("notifications.slack_destinations", &self.slack)]
        {
            let few = at_most_items(path, urls.len(), MOST_DESTINATIONS, "name fewer destinations");
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

    fn each_once(self) -> Self {
        let each_once = |urls: Vec<String>| {
            let mut seen = HashSet::new();
            urls.into_iter().filter(|url| seen.insert(url.clone())).collect()
        };
        Self { web: each_once(self.web), slack: each_once(self.slack) }
    }
}

fn each_once(mut profiles: Vec<ProfileId>) -> Vec<ProfileId> {
    profiles.sort_unstable();
    profiles.dedup();
    profiles
}

/// Why no moderation was started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// What was sent cannot be used; at least one member of it.
    #[error("{}", told(.0))]
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
pub struct Ready {
    account: AccountId,
    content: ContentId,
    content_type: ContentType,
    url: String,
    wanted: Wanted,
    destinations: Destinations,
}

#[derive(FromRow)]
struct Row {
    #[sqlx(try_from = "String")]
    state: ModerationState,
    job_id: base::Uuid,
}

impl Moderations {
    /// Looks for all that a moderation names, and whether its content answers; at most 30 seconds. Nothing is written yet.
    pub async fn prepare(&self, account: AccountId, new: ModerationRequest) -> Result<Ready, NotStarted> {
        let content = {
            let mut view = self.0.db.read().await?;
            self.named(&mut view, account, &new).await?
        };
        self.0.videos.reach(&content.url).await.map_err(NotStarted::Unreachable)?;
        let ModerationRequest { profiles, groups, age, unknown_faces, destinations, member, .. } = new;
        let checks = self.checks(age.is_some(), unknown_faces, !profiles.is_empty() || !groups.is_empty());
        let profiles = each_once(profiles);
        let wanted = Wanted { checks, age, unknown_faces, profiles, groups, member };
        let (url, content_type) = (content.url, content.content_type);
        Ok(Ready { account, content: content.id, content_type, url, wanted, destinations })
    }

    /// The content of a moderation, where the account has it and all else that is named.
    async fn named(
        &self,
        view: &mut Read,
        account: AccountId,
        new: &ModerationRequest,
    ) -> Result<Content, NotStarted> {
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
        content.filter(|_| violations.is_empty()).ok_or(NotStarted::Invalid(violations))
    }

    fn checks(&self, age: bool, unknown_faces: bool, named: bool) -> Vec<Check> {
        [
            (CheckType::BannedProfile, true),
            (CheckType::UnknownFace, unknown_faces),
            (CheckType::AgeEstimation, age),
            (CheckType::KnownFace, named),
        ]
        .into_iter()
        .filter(|(_, wanted)| *wanted)
        .map(|(check_type, _)| Check { id: CheckId::new(&*self.0.world), check_type })
        .collect()
    }

    /// Writes a moderation and its job, where the account is still there.
    pub async fn start(&self, tx: &mut Tx, ready: Ready) -> Result<ModerationId, NotStarted> {
        let Ready { account, content, content_type, url, wanted, destinations } = ready;
        if !accounts::hold(tx, account).await? {
            return Err(NotStarted::NoAccount);
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
            self.seal(&place("destinations", id), &plain),
            job_id,
            world.now(),
        ))
        .await?;
        Ok(id)
    }

    /// Asks a moderation to stop; whether there is such a one. One that has ended stays as it is.
    pub async fn stop(&self, tx: &mut Tx, account: AccountId, id: ModerationId) -> Result<bool, DbError> {
        let now = self.0.world.now();
        let row: Option<Row> = tx
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
        tx.announce();
        Ok(true)
    }
}

fn age(years: i64) -> Result<u8, Violation> {
    u8::try_from(years).ok().filter(|years| *years <= 100).ok_or_else(|| {
        let measured = base::Measured::new(years as f64, "0 to 100", "state an age in years");
        Violation {
            path: "age_estimation".into(),
            message: "it is a whole number from 0 to 100".to_owned(),
            measured: Some(measured),
        }
    })
}
