//! Running a moderation: a job that looks at a content, judges each appearance of a face once, and goes on from its
//! checkpoint where it was interrupted.
//!
//! Whatever a run has to say (findings, notifications, deliveries, how far it came, that it ended) it says in one
//! transaction that also holds the job's lease, so that it counts once or not at all: [`Moderations::keep`].

mod appearance;
mod image;
mod judge;
mod live;
mod video;

use super::{
    ModerationState, Moderations, NotificationReason, Wanted,
    notify::{News, SeenFace, Telling},
    place,
};
use crate::{accounts, content::ContentType, estimate::Refusal, faces::FacesError};
use appearance::Appearances;
use base::{AccountId, AppId, ContentId, FindingId, ModerationId, ProfileId, Timestamp, Uuid, World};
use db::{DbError, FromRow, Json, Tx, sql};
use jobs::{Failure, Job, Lane, Lease, LostLease, Outcome, Retry};
use judge::{Known, Verdict};
use media::video::VideoError;
use serde::{Deserialize, Serialize};

/// A content that cannot be had now may be had soon; after that its moderation fails.
const PATIENCE: Retry = Retry { waits: &[5, 30, 120], jitter: 0.2 };

/// Looks at an image or a video.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RunModeration {
    /// Which moderation.
    pub moderation: ModerationId,
}

impl Job for RunModeration {
    const KIND: &'static str = "run-moderation";
    const LANE: Lane = Lane::Heavy;
    const RETRY: Retry = PATIENCE;
}

/// Watches a live video.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct WatchLive {
    /// Which moderation.
    pub moderation: ModerationId,
}

impl Job for WatchLive {
    const KIND: &'static str = "watch-live";
    const LANE: Lane = Lane::Live;
    const RETRY: Retry = PATIENCE;
}

impl RunModeration {
    /// Queues the job that a content's type needs.
    pub(super) async fn enqueue(
        tx: &mut Tx,
        world: &dyn World,
        account: AccountId,
        moderation: ModerationId,
        content_type: ContentType,
    ) -> Result<Uuid, DbError> {
        let now = world.now();
        match content_type {
            ContentType::Image | ContentType::Video => {
                jobs::enqueue_of(tx, world, account, &Self { moderation }, now).await
            }
            ContentType::LiveVideo => {
                jobs::enqueue_of(tx, world, account, &WatchLive { moderation }, now).await
            }
        }
    }
}

/// Why a run does not go on.
#[derive(Debug)]
enum Halt {
    /// Another worker has the job, or the account is gone: nothing of this run counts any more.
    Lost,
    /// It was told to stop.
    Told,
    /// The worker is being stopped; the run goes on elsewhere.
    Moving,
    /// The content cannot be looked at.
    Content(VideoError),
    /// Something of this server's own is amiss.
    Server(Failure),
}

impl From<DbError> for Halt {
    fn from(error: DbError) -> Self {
        Self::Server(error.into())
    }
}

impl From<LostLease> for Halt {
    fn from(lost: LostLease) -> Self {
        match lost {
            LostLease::Lost => Self::Lost,
            LostLease::Db(error) => error.into(),
        }
    }
}

impl From<VideoError> for Halt {
    fn from(error: VideoError) -> Self {
        Self::Content(error)
    }
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Self::Server(refusal.into())
    }
}

impl From<vision::VisionError> for Halt {
    fn from(error: vision::VisionError) -> Self {
        Self::Server(error.into())
    }
}

impl From<FacesError> for Halt {
    fn from(error: FacesError) -> Self {
        Self::Server(error.into())
    }
}

/// A run that was begun.
#[derive(Debug)]
struct Task {
    telling: Telling,
    known: Known,
    lease: Lease,
    began: Timestamp,
    /// Where it began, seconds into the content.
    from: f64,
}

impl Task {
    fn wanted(&self) -> &Wanted {
        &self.telling.wanted
    }

    fn id(&self) -> ModerationId {
        self.telling.moderation
    }
}

/// What a run has to say at once.
#[derive(Debug, Default)]
struct Effects {
    found: Vec<Found>,
    news: Vec<News>,
    /// How the moderation ends, where it does.
    end: Option<(ModerationState, Option<(String, String)>)>,
}

impl Effects {
    fn ending(state: ModerationState) -> Self {
        Self { end: Some((state, None)), ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.found.is_empty() && self.news.is_empty() && self.end.is_none()
    }
}

/// An appearance that was judged.
#[derive(Debug)]
struct Found {
    id: FindingId,
    track: u64,
    frame_time: f64,
    sides: [i64; 4],
    verdict: Verdict,
    embedding: Vec<f32>,
}

impl Found {
    /// What is told of it for one reason.
    fn news(&self, reason: NotificationReason, observed_at: Timestamp) -> News {
        News {
            subject: format!("{} {reason}", self.track),
            reason,
            observed_at,
            face: Some(SeenFace {
                finding: self.id,
                frame_time: self.frame_time,
                sides: self.sides,
                age_group: self.verdict.age_group,
                profile: self.verdict.profile,
            }),
        }
    }
}

#[derive(FromRow)]
struct Row {
    account_id: AccountId,
    app_id: AppId,
    content_id: ContentId,
    #[sqlx(try_from = "String")]
    content_type: ContentType,
    url: String,
    wanted: Json<Wanted>,
    destinations: Vec<u8>,
    #[sqlx(try_from = "String")]
    state: ModerationState,
    checkpoint: Option<Vec<u8>>,
    started_at: Option<db::At>,
}

#[derive(FromRow)]
struct StateRow {
    #[sqlx(try_from = "String")]
    state: ModerationState,
}

impl Moderations {
    /// Runs a moderation, or goes on with it.
    pub async fn run(&self, id: ModerationId, lease: Lease) -> Result<Outcome, Failure> {
        let lease_kept = lease.clone();
        let begun = match self.begin(id, lease).await {
            Ok(begun) => begun,
            Err(Halt::Server(failure)) => return Err(failure),
            Err(_) => return Ok(Outcome::Done),
        };
        let (task, mut seen) = begun;
        let ran = match task.telling.content_type {
            ContentType::Image => self.look_at_image(&task).await,
            ContentType::Video => self.look_at_video(&task, &mut seen).await,
            ContentType::LiveVideo => self.watch(&task, &mut seen).await,
        };
        let Err(halt) = ran else { return Ok(Outcome::Done) };
        match self.halt(&task, seen, halt).await {
            Ok(outcome) => Ok(outcome),
            Err(Halt::Server(failure)) => {
                // The last attempt tells the caller, beside the operator.
                if lease_kept.attempts >= PATIENCE.attempts() {
                    let words = "this server could not look at the content; its operator can tell more";
                    let error = Some(("INTERNAL_ERROR".to_owned(), words.to_owned()));
                    let effects =
                        Effects { end: Some((ModerationState::Failed, error)), ..Effects::default() };
                    tracing::error!(moderation = %id, error = failure.error, "a moderation failed");
                    if self.keep(&task, None, effects).await.is_ok() {
                        return Ok(Outcome::Done);
                    }
                }
                Err(failure)
            }
            Err(_) => Ok(Outcome::Done),
        }
    }

    /// Ends a run that does not go on, or says when it does.
    async fn halt(&self, task: &Task, mut seen: Appearances, halt: Halt) -> Result<Outcome, Halt> {
        let now = self.0.world.now();
        match halt {
            Halt::Lost | Halt::Server(_) => Err(halt),
            Halt::Moving => {
                self.keep(task, Some(&seen), Effects::default()).await?;
                Ok(Outcome::Again(now))
            }
            Halt::Told => {
                let mut effects = self.close(task, &mut seen).await?;
                effects.end = Some((ModerationState::Stopped, None));
                self.keep(task, None, effects).await?;
                Ok(Outcome::Done)
            }
            Halt::Content(error) => {
                let patient = error.is_passing() && task.lease.attempts < PATIENCE.attempts();
                if patient && task.telling.content_type != ContentType::LiveVideo {
                    self.keep(task, Some(&seen), Effects::default()).await?;
                    return Err(Halt::Server(error.into()));
                }
                // What was seen up to there was seen.
                let mut effects = self.close(task, &mut seen).await?;
                effects.end =
                    Some((ModerationState::Failed, Some((error.code().to_owned(), error.to_string()))));
                self.keep(task, None, effects).await?;
                Ok(Outcome::Done)
            }
        }
    }

    /// What is still to be said when a run ends: every open appearance, and of a live video that it is no longer watched.
    async fn close(&self, task: &Task, seen: &mut Appearances) -> Result<Effects, Halt> {
        let mut effects = Effects::default();
        let ended = seen.tracker.finish();
        self.judge_ended(task, seen, ended, &mut effects).await?;
        if seen.started {
            effects.news.push(self.action(NotificationReason::Stopped));
        }
        Ok(effects)
    }

    /// News of what is done, and not of a face.
    fn action(&self, reason: NotificationReason) -> News {
        News { subject: reason.to_string(), reason, observed_at: self.0.world.now(), face: None }
    }

    async fn begin(&self, id: ModerationId, lease: Lease) -> Result<(Task, Appearances), Halt> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        lease.hold(&mut tx).await?;
        tx.execute(sql!(
            "UPDATE moderations SET state = 'RUNNING', started_at = coalesce(started_at, $2)
              WHERE id = $1 AND state IN ('QUEUED', 'RUNNING')",
            id,
            now,
        ))
        .await?;
        let row: Option<Row> = tx
            .fetch_optional(sql!(
                "SELECT m.account_id, a.app_id, m.content_id, m.content_type, m.url, m.wanted, m.destinations, m.state,
                        m.checkpoint, m.started_at
                   FROM moderations m JOIN accounts a ON a.id = m.account_id
                  WHERE m.id = $1 AND m.state IN ('RUNNING', 'STOPPING')",
                id,
            ))
            .await?;
        let Some(row) = row else {
            lease.finish(&mut tx).await?;
            tx.commit().await?;
            return Err(Halt::Lost);
        };
        let wanted = row.wanted.0;
        let attached = crate::content::profiles(&mut tx, row.account_id, row.content_id).await?;
        let of_groups = self.0.faces.members_of(&mut tx, row.account_id, &wanted.groups).await?;
        tx.commit().await?;

        let known = Known::of(wanted.profiles.iter().copied().chain(attached).chain(of_groups));
        let seen = match row.checkpoint {
            Some(sealed) => self.open_checkpoint(id, &sealed),
            None => None,
        };
        let telling = Telling {
            app: row.app_id,
            account: row.account_id,
            moderation: id,
            content: row.content_id,
            content_type: row.content_type,
            url: row.url,
            destinations: self.open_destinations(id, &row.destinations),
            wanted,
        };
        let began = row.started_at.map_or(now, |at| at.0);
        let mut seen = seen.unwrap_or_default();
        let task = Task { telling, known, lease, began, from: seen.time };
        if row.state == ModerationState::Stopping {
            let mut effects = self.close(&task, &mut seen).await?;
            effects.end = Some((ModerationState::Stopped, None));
            self.keep(&task, None, effects).await?;
            return Err(Halt::Lost);
        }
        Ok((task, seen))
    }

    /// Refuses to go on where somebody asked for a stop.
    async fn check(&self, task: &Task) -> Result<(), Halt> {
        if task.lease.is_stopping() {
            return Err(Halt::Moving);
        }
        let mut view = self.0.db.read().await?;
        let row: Option<StateRow> =
            view.fetch_optional(sql!("SELECT state FROM moderations WHERE id = $1", task.id())).await?;
        match row.map(|row| row.state) {
            Some(ModerationState::Running) => Ok(()),
            Some(ModerationState::Stopping) => Err(Halt::Told),
            _ => Err(Halt::Lost),
        }
    }

    /// Says everything at once: what was found, whom that is told, how far the run is (where `seen` is given), and that it
    /// ended.
    async fn keep(&self, task: &Task, seen: Option<&Appearances>, effects: Effects) -> Result<(), Halt> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        if !accounts::hold(&mut tx, task.telling.account).await? {
            return Err(Halt::Lost);
        }
        if effects.end.is_some() {
            task.lease.finish(&mut tx).await?;
        } else if seen.is_some_and(|seen| seen.time > task.from) {
            task.lease.advance(&mut tx).await?;
        } else {
            task.lease.hold(&mut tx).await?;
        }
        for found in &effects.found {
            self.keep_found(&mut tx, task, found).await?;
        }
        for news in &effects.news {
            self.tell(&mut tx, &task.telling, news).await?;
        }
        let checkpoint = seen.map(|seen| {
            let plain = serde_json::to_vec(seen).expect("a checkpoint of our own is JSON");
            self.seal(&place("checkpoint", task.id()), &plain)
        });
        if let Some(seen) = seen {
            tx.execute(sql!(
                "UPDATE moderations SET checkpoint = $2, position = $3 WHERE id = $1",
                task.id(),
                checkpoint,
                seen.time,
            ))
            .await?;
        }
        if let Some((state, error)) = effects.end {
            let (code, words) = error.unzip();
            tx.execute(sql!(
                "UPDATE moderations SET state = $2, error_code = $3, error = $4, ended_at = $5, checkpoint = NULL
                  WHERE id = $1",
                task.id(),
                state,
                code,
                words,
                now,
            ))
            .await?;
            metrics::counter!("assay_moderations_total", "type" => task.telling.content_type.as_str(), "state" => state.as_str())
                .increment(1);
        }
        tx.commit().await?;
        Ok(())
    }

    async fn keep_found(&self, tx: &mut Tx, task: &Task, found: &Found) -> Result<(), DbError> {
        let [top, right, bottom, left] = found.sides;
        let embedding: Vec<u8> = found.embedding.iter().flat_map(|value| value.to_le_bytes()).collect();
        let profile: Option<ProfileId> = found.verdict.profile;
        tx.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, profile_id, is_banned, age_group,
                                   face_top, face_right, face_bottom, face_left, embedding)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (moderation_id, track) DO UPDATE
                SET frame_time = excluded.frame_time, profile_id = excluded.profile_id,
                    is_banned = excluded.is_banned, age_group = excluded.age_group, face_top = excluded.face_top,
                    face_right = excluded.face_right, face_bottom = excluded.face_bottom,
                    face_left = excluded.face_left, embedding = excluded.embedding",
            found.id,
            task.telling.account,
            task.id(),
            found.track as i64,
            found.frame_time,
            profile,
            found.verdict.is_banned,
            found.verdict.age_group,
            top,
            right,
            bottom,
            left,
            self.seal(&finding_place(found.id), &embedding),
        ))
        .await
        .map(drop)
    }

    /// The embedding of a finding; nothing where it was sealed under another master key.
    pub(super) fn open_embedding(&self, id: FindingId, sealed: &[u8]) -> Option<Vec<f32>> {
        let plain = self.0.vault.open(&finding_place(id), sealed).ok()?;
        let values = plain.chunks_exact(4);
        Some(values.filter_map(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes).collect())
    }

    /// A checkpoint; a run whose checkpoint another build wrote, or another key sealed, begins anew, and repeats no
    /// notification either way.
    fn open_checkpoint(&self, id: ModerationId, sealed: &[u8]) -> Option<Appearances> {
        let plain = self.0.vault.open(&place("checkpoint", id), sealed).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

fn finding_place(id: FindingId) -> Vec<u8> {
    format!("finding {id}").into_bytes()
}
