//! Notifications: what a moderation reports. Each is a row in the lists that callers read, and a message to every
//! destination of the moderation.

use super::{
    AgeGroup, FaceMeasurements, ModerationParameters, NotificationDestinations, NotificationReason,
    contents::{ContentType, uploads::ContentLocation},
    ending::ModerationFailure,
    notification_lists,
};
use crate::{
    accounts::members,
    cases::{self, CaseKind, CaseSubject, NewCase},
    delivery::{Outbox, OutboxError, SuccessCriterion, WebhookMessage, WebhookMethod},
    wire_enum::wire_enum,
};
use base::{
    AccountId, AppId, ContentId, Environment, Id as _, ModerationFindingId, ModerationId, NotificationId,
    ProfileId, Timestamp, Uuid,
};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;

wire_enum! {
    /// What a notification is about.
    pub enum NotificationType {
        /// A face.
        Face => "FACE",
        /// The moderation itself: that it waits, begins or ends.
        Action => "ACTION",
    }
}

/// The reason of a case about somebody who was banned after they had been seen.
const RETROACTIVE_REASON: &str = "RETROACTIVE_BAN";

/// A notification.
#[derive(Clone, Debug, FromRow)]
pub struct ModerationNotification {
    pub id: NotificationId,
    pub account_id: AccountId,
    #[sqlx(rename = "type", try_from = "String")]
    pub notification_type: NotificationType,
    /// Never before an earlier notification's of the account.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    pub moderation_id: ModerationId,
    pub content_id: ContentId,
    /// Where the content is.
    #[sqlx(rename = "url", try_from = "String")]
    pub location: ContentLocation,
    #[sqlx(try_from = "String")]
    pub content_type: ContentType,
    #[sqlx(try_from = "String")]
    pub reason: NotificationReason,
    /// The position in the content, in seconds; only of faces.
    pub frame_time: Option<f64>,
    /// When it was observed, in seconds since 1970.
    pub observed_at: f64,
    /// The upper edge of the face, in pixels of the content; likewise the others.
    pub face_top: Option<i64>,
    pub face_right: Option<i64>,
    pub face_bottom: Option<i64>,
    pub face_left: Option<i64>,
    /// How old the face looks: the wire word of an [`AgeGroup`].
    pub age_group: Option<String>,
    /// The profile that the face matches.
    pub profile_id: Option<ProfileId>,
    /// The appearance of the face in the moderation's report.
    pub finding_id: Option<ModerationFindingId>,
    /// Whether it was told afterwards, because the person was banned after they had been seen.
    pub retroactive: bool,
    /// Why the moderation failed, as a word of capital letters; only where that is the reason.
    pub error_code: Option<String>,
    /// The same in a sentence.
    pub error: Option<String>,
    /// How many reviews it has.
    pub reviews: i64,
    /// The sum of the reviews' scores, 0 to 100 each.
    pub scores: i64,
}

impl ModerationNotification {
    /// How old the face looks; `None` also for a word that this build does not know.
    pub fn age_group(&self) -> Option<AgeGroup> {
        self.age_group.as_deref().and_then(|word| word.parse().ok())
    }

    /// The mean score of the reviews, rounded, 0 to 100; 0 if there are no reviews.
    pub fn average_score(&self) -> i64 {
        if self.reviews == 0 { 0 } else { (self.scores as f64 / self.reviews as f64).round() as i64 }
    }
}

/// What all notifications of one moderation have in common.
#[derive(Clone, Debug)]
pub(super) struct NotificationContext {
    pub(super) app: AppId,
    pub(super) account: AccountId,
    pub(super) moderation: ModerationId,
    pub(super) content: ContentId,
    pub(super) content_type: ContentType,
    pub(super) location: ContentLocation,
    pub(super) parameters: ModerationParameters,
    pub(super) destinations: NotificationDestinations,
}

/// A notification that is not written yet.
#[derive(Clone, Debug)]
pub(super) struct NotificationDraft {
    /// A moderation writes one notification for each key, however often a run repeats it.
    pub(super) deduplication_key: String,
    pub(super) reason: NotificationReason,
    pub(super) observed_at: Timestamp,
    pub(super) face: Option<FaceSighting>,
    /// Why the moderation failed.
    pub(super) failure: Option<ModerationFailure>,
    /// Whether it tells of the past.
    pub(super) retroactive: bool,
}

/// The key of the notification of an appearance for one reason.
pub(super) fn face_deduplication_key(track: i64, reason: NotificationReason) -> String {
    format!("{track} {reason}")
}

/// What a notification says of a face.
#[derive(Clone, Debug)]
pub(super) struct FaceSighting {
    pub(super) finding: ModerationFindingId,
    /// The position in the content, in seconds.
    pub(super) frame_time: f64,
    /// Top, right, bottom and left, in pixels of the content.
    pub(super) edges: [i64; 4],
    pub(super) age_group: AgeGroup,
    pub(super) profile: Option<ProfileId>,
    /// The numbers behind it, of this profile.
    pub(super) measurements: Option<FaceMeasurements>,
}

/// How notifications look to their receivers. The interface implements it, so that the wire is written in one crate.
pub trait ModerationWebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body for a server of the application's own, JSON.
    fn notification(&self, notification: &ModerationNotification) -> String;

    /// The body for an incoming webhook of Slack, JSON; `link` leads to the notification in the console.
    fn slack_message(&self, notification: &ModerationNotification, link: &str) -> String;
}

/// Writes notifications and queues their messages.
#[derive(Debug)]
pub(super) struct Notifier {
    pub(super) environment: Arc<dyn Environment>,
    pub(super) outbox: Outbox,
    pub(super) webhooks: Arc<dyn ModerationWebhookFormat>,
    /// Where the console is reached, without a trailing slash.
    pub(super) public_url: String,
}

impl Notifier {
    /// Writes a notification and queues its messages, in the transaction that stores what it reports. Nothing happens, and
    /// false is returned, if the moderation has a notification with this key.
    pub(super) async fn notify(
        &self,
        tx: &mut WriteTx,
        context: &NotificationContext,
        draft: &NotificationDraft,
    ) -> Result<bool, DbError> {
        let environment = &*self.environment;
        // Every transaction locks the account's list first, so that no two wait for each other.
        let created_at =
            notification_lists::reserve_timestamp(tx, context.account, environment.now()).await?;
        let face = draft.face.as_ref();
        let edge = |index: usize| face.and_then(|face| face.edges.get(index).copied());
        let notification = ModerationNotification {
            id: NotificationId::new(environment),
            account_id: context.account,
            notification_type: if face.is_some() { NotificationType::Face } else { NotificationType::Action },
            created_at,
            moderation_id: context.moderation,
            content_id: context.content,
            location: context.location.clone(),
            content_type: context.content_type,
            reason: draft.reason,
            frame_time: face.map(|face| face.frame_time),
            observed_at: draft.observed_at.as_microsecond() as f64 / 1e6,
            face_top: edge(0),
            face_right: edge(1),
            face_bottom: edge(2),
            face_left: edge(3),
            age_group: face.map(|face| face.age_group.as_str().to_owned()),
            profile_id: face.and_then(|face| face.profile),
            finding_id: face.map(|face| face.finding),
            retroactive: draft.retroactive,
            error_code: draft.failure.as_ref().map(|failure| failure.code.clone()),
            error: draft.failure.as_ref().map(|failure| failure.message.clone()),
            reviews: 0,
            scores: 0,
        };
        if !insert(tx, &notification, draft).await? {
            return Ok(false);
        }
        let mut lists: Vec<Uuid> = vec![context.account.into(), context.moderation.into()];
        // Who was removed meanwhile has no inbox any more.
        if let Some(member) = context.parameters.member
            && members::find(tx, context.account, member).await?.is_some()
        {
            lists.push(member.into());
        }
        for list in lists {
            notification_lists::append(tx, (list, context.account), notification.id, created_at).await?;
        }
        if face.is_some() {
            self.create_case(tx, context, &notification).await?;
        }
        self.queue_webhooks(tx, context, &notification).await?;
        Ok(true)
    }

    /// Whatever was found of a face waits for somebody who says whether it is right.
    async fn create_case(
        &self,
        tx: &mut WriteTx,
        context: &NotificationContext,
        notification: &ModerationNotification,
    ) -> Result<(), DbError> {
        let priority = match notification.reason {
            NotificationReason::BannedProfile => 300,
            NotificationReason::AgeEstimation => 200,
            _ => 100,
        };
        let case = NewCase {
            app: context.app,
            account: Some(context.account),
            kind: CaseKind::Finding,
            subject: CaseSubject::Notification(notification.id),
            // What a ban finds in the past can have a queue of its own.
            reason: if notification.retroactive {
                RETROACTIVE_REASON.to_owned()
            } else {
                notification.reason.to_string()
            },
            // Contents say nothing of the language of the people in them.
            language: None,
            priority,
            appeal_of: None,
        };
        cases::create(tx, &*self.environment, &case).await.map(drop)
    }

    async fn queue_webhooks(
        &self,
        tx: &mut WriteTx,
        context: &NotificationContext,
        notification: &ModerationNotification,
    ) -> Result<(), DbError> {
        let webhooks = &self.webhooks;
        let web_body = webhooks.notification(notification);
        let (account, id) = (context.account, notification.id);
        let link = format!("{}/console/#account={account}&notification={id}", self.public_url);
        let slack_body = webhooks.slack_message(notification, &link);
        let to_web = context.destinations.web.iter().map(|url| (url, &web_body));
        let to_slack = context.destinations.slack.iter().map(|url| (url, &slack_body));
        for (url, body) in to_web.chain(to_slack) {
            let message = WebhookMessage {
                url: url.clone(),
                verb: WebhookMethod::Post,
                headers: Vec::new(),
                body: body.clone(),
                verify_tls: true,
                success: SuccessCriterion::Any2xx,
            };
            let owner = (context.app, Some(context.account));
            let about = [Some(context.moderation.into()), notification.profile_id.map(Uuid::from)];
            let about: Vec<Uuid> = about.into_iter().flatten().collect();
            let queued = self
                .outbox
                .enqueue_about(tx, &*self.environment, owner, &about, "moderation.notification", &message)
                .await;
            match queued {
                Ok(_) => {}
                Err(OutboxError::Db(error)) => return Err(error),
                // The operator has forbidden the address since the moderation was started.
                Err(OutboxError::Refused(refused)) => {
                    tracing::warn!(error = &refused as &dyn std::error::Error, moderation.id = %context.moderation, "a destination is not allowed any more");
                }
            }
        }
        Ok(())
    }
}

/// A notification of an account.
pub async fn find(
    view: &mut ReadTx,
    account: AccountId,
    id: NotificationId,
) -> Result<Option<ModerationNotification>, DbError> {
    view.fetch_optional(sql!(
        "SELECT n.id, n.account_id, n.type, n.created_at, n.moderation_id, n.content_id, n.url, n.content_type,
                coalesce(n.precise_reason, n.reason) AS reason, n.frame_time, n.observed_at, n.face_top, n.face_right,
                n.face_bottom, n.face_left,
                n.age_group, n.profile_id, n.finding_id, n.retroactive,
                CASE WHEN n.precise_reason = 'FAILED' THEN m.error_code END AS error_code,
                CASE WHEN n.precise_reason = 'FAILED' THEN m.error END AS error,
                (SELECT count(*) FROM reviews r WHERE r.notification_id = n.id) AS reviews,
                (SELECT CAST(coalesce(sum(r.score), 0) AS BIGINT) FROM reviews r WHERE r.notification_id = n.id) AS scores
           FROM notifications n JOIN moderations m ON m.id = n.moderation_id
          WHERE n.id = $1 AND n.account_id = $2",
        id,
        account,
    ))
    .await
}

/// Whether a moderation has told this, which is not about a face.
pub(super) async fn has_told(
    view: &mut ReadTx,
    moderation: ModerationId,
    reason: NotificationReason,
) -> Result<bool, DbError> {
    let told = sql!(
        "SELECT count(*) FROM notifications WHERE moderation_id = $1 AND subject = $2",
        moderation,
        reason.to_string(),
    );
    Ok(view.count(told).await? > 0)
}

/// Writes a notification; returns false if the moderation has one with this deduplication key.
async fn insert(
    tx: &mut WriteTx,
    n: &ModerationNotification,
    draft: &NotificationDraft,
) -> Result<bool, DbError> {
    let measurements = draft.face.as_ref().and_then(|face| face.measurements.as_ref());
    // An older build may read it after a roll-back.
    let (reason, precise_reason) = match n.reason {
        NotificationReason::BannedProfile
        | NotificationReason::AgeEstimation
        | NotificationReason::UnknownFace
        | NotificationReason::Started
        | NotificationReason::Stopped => (n.reason, None),
        NotificationReason::Waiting | NotificationReason::Done | NotificationReason::Failed => {
            (NotificationReason::Stopped, Some(n.reason))
        }
    };
    let rows = tx
        .execute(sql!(
            "INSERT INTO notifications (id, account_id, moderation_id, finding_id, subject, type, reason, content_id,
                                        content_type, url, frame_time, observed_at, face_top, face_right, face_bottom,
                                        face_left, age_group, profile_id, created_at, precise_reason, retroactive,
                                        measurements)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
             ON CONFLICT (moderation_id, subject) DO NOTHING",
            n.id,
            n.account_id,
            n.moderation_id,
            n.finding_id,
            draft.deduplication_key.as_str(),
            n.notification_type,
            reason,
            n.content_id,
            n.content_type,
            n.location.to_string(),
            n.frame_time,
            n.observed_at,
            n.face_top,
            n.face_right,
            n.face_bottom,
            n.face_left,
            n.age_group.clone(),
            n.profile_id,
            n.created_at,
            precise_reason.map(|reason| reason.to_string()),
            n.retroactive,
            measurements.map(|measured| serde_json::to_value(measured).expect("numbers are JSON")),
        ))
        .await?;
    Ok(rows == 1)
}
