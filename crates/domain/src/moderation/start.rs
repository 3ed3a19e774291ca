//! Starting and stopping.

use super::{Check, CheckType, Destinations, Moderations, RunModeration, State, Wanted, place};
use crate::{
    content::{self, ContentType, NotKept, known_profiles},
    violation::{Violation, at_most, at_most_items, violation},
};
use base::{AccountId, CheckId, ContentId, GroupId, Id as _, MemberId, ModerationId};
use db::{DbError, FromRow, Tx, sql};
use media::video::VideoError;

/// Destinations of each kind.
const MOST_DESTINATIONS: usize = 20;
/// Profiles and groups of a moderation.
const MOST_NAMED: usize = 1000;

/// A moderation as it was sent.
#[derive(Clone, Debug, Default)]
pub struct NewModeration {
    /// What to look at.
    pub content_id: String,
    /// Who is known.
    pub profile_ids: Vec<String>,
    /// Groups of them.
    pub group_ids: Vec<String>,
    /// The age that unknown faces must look, 0 to 100.
    pub age_estimation: Option<i64>,
    /// Whether unknown faces are told.
    pub unknown_faces: bool,
    /// Where notifications go.
    pub destinations: Destinations,
    /// In whose inbox they go.
    pub member_id: Option<String>,
}

/// Why no moderation was started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// What was sent cannot be used.
    #[error(transparent)]
    Invalid(#[from] Violation),
    /// The content does not answer.
    #[error("the content cannot be reached: {0}")]
    Unreachable(VideoError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<NotKept> for NotStarted {
    fn from(no: NotKept) -> Self {
        match no {
            NotKept::Invalid(invalid) => Self::Invalid(invalid),
            NotKept::Missing(what) => Self::Invalid(violation(what, "there is no such")),
            NotKept::Db(error) => Self::Db(error),
        }
    }
}

/// A moderation that was checked, and whose content answered.
#[derive(Debug)]
pub struct Ready {
    content: ContentId,
    content_type: ContentType,
    url: String,
    wanted: Wanted,
    destinations: Destinations,
}

#[derive(FromRow)]
struct Row {
    #[sqlx(try_from = "String")]
    state: State,
    job_id: base::Uuid,
}

impl Moderations {
    /// Checks a moderation that is to be, and that its content answers; at most 30 seconds. Nothing is written yet.
    pub async fn prepare(&self, account: AccountId, new: &NewModeration) -> Result<Ready, NotStarted> {
        let age = new.age_estimation.map(age).transpose()?;
        let destinations = self.destinations(&new.destinations)?;
        at_most_items("profile_ids", new.profile_ids.len(), MOST_NAMED, "use a group")?;
        at_most_items("group_ids", new.group_ids.len(), MOST_NAMED, "name fewer groups")?;
        let (content, wanted) = {
            let mut view = self.0.db.read().await?;
            let view = &mut view;
            let content = match new.content_id.parse() {
                Ok(id) => content::find(view, account, id).await?,
                Err(_) => None,
            };
            let content = content.ok_or_else(|| violation("content_id", "there is no such content"))?;
            if content.archived {
                return Err(
                    violation("content_id", "the content is archived; take it out of the archive").into()
                );
            }
            let faces = &self.0.faces;
            let profiles = known_profiles(view, faces, account, "profile_ids", &new.profile_ids).await?;
            let asked: Vec<Option<GroupId>> = new.group_ids.iter().map(|id| id.parse().ok()).collect();
            let groups: Vec<GroupId> = asked.iter().copied().flatten().collect();
            let known = faces.groups(view, account, &groups).await?;
            for (at, id) in asked.iter().enumerate() {
                if !id.is_some_and(|id| known.iter().any(|group| group.id == id)) {
                    return Err(violation(format!("group_ids[{at}]"), "there is no such group").into());
                }
            }
            let member = match &new.member_id {
                Some(text) => Some(self.member(view, account, text).await?),
                None => None,
            };
            let checks = self.checks(age.is_some(), new);
            (content, Wanted { checks, age, unknown_faces: new.unknown_faces, profiles, groups, member })
        };
        self.0.videos.reach(&content.url).await.map_err(NotStarted::Unreachable)?;
        Ok(Ready {
            content: content.id,
            content_type: content.content_type,
            url: content.url,
            wanted,
            destinations,
        })
    }

    async fn member(
        &self,
        view: &mut db::Read,
        account: AccountId,
        text: &str,
    ) -> Result<MemberId, NotStarted> {
        let missing = || violation("member_id", "there is no such member");
        let id: MemberId = text.parse().map_err(|_| missing())?;
        let known = view
            .count(sql!("SELECT count(*) FROM members WHERE id = $1 AND account_id = $2", id, account))
            .await?;
        if known == 1 { Ok(id) } else { Err(missing().into()) }
    }

    fn checks(&self, age: bool, new: &NewModeration) -> Vec<Check> {
        let named = !new.profile_ids.is_empty() || !new.group_ids.is_empty();
        [
            (CheckType::BannedProfile, true),
            (CheckType::UnknownFace, new.unknown_faces),
            (CheckType::AgeEstimation, age),
            (CheckType::KnownFace, named),
        ]
        .into_iter()
        .filter(|(_, wanted)| *wanted)
        .map(|(check_type, _)| Check { id: CheckId::new(&*self.0.world), check_type })
        .collect()
    }

    fn destinations(&self, asked: &Destinations) -> Result<Destinations, Violation> {
        for (path, urls) in [
            ("notifications.web_destinations", &asked.web),
            ("notifications.slack_destinations", &asked.slack),
        ] {
            at_most_items(path, urls.len(), MOST_DESTINATIONS, "name fewer destinations")?;
            for (at, url) in urls.iter().enumerate() {
                let path = format!("{path}[{at}]");
                at_most(
                    path.clone(),
                    "it has",
                    url.chars().count(),
                    content::LONGEST_URL,
                    "use a shorter address",
                )?;
                self.0.outbox.check(url, true).map_err(|refused| violation(path, refused.to_string()))?;
            }
        }
        let each_once = |urls: &[String]| {
            let mut seen = std::collections::HashSet::new();
            urls.iter().filter(|url| seen.insert(url.as_str())).cloned().collect()
        };
        Ok(Destinations { web: each_once(&asked.web), slack: each_once(&asked.slack) })
    }

    /// Writes a moderation and its job.
    pub async fn start(
        &self,
        tx: &mut Tx,
        account: AccountId,
        ready: Ready,
    ) -> Result<ModerationId, DbError> {
        let Ready { content, content_type, url, wanted, destinations } = ready;
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
        if row.state == State::Queued {
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
