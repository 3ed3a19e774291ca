//! Telling what was found: rows for those who ask, messages for those who are told.

use super::{
    AgeGroup, ContentModerationService, ModerationParameters, NotificationDestinations, NotificationReason,
    notification_lists,
};
use crate::{
    content::ContentType,
    delivery::{OutboxError, SuccessCriterion, WebhookMessage, WebhookMethod},
    wire_enum::wire_enum,
};
use base::{
    AccountId, AppId, ContentId, Id as _, ModerationFindingId, ModerationId, NotificationId, ProfileId,
    Timestamp, Uuid,
};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

wire_enum! {
    /// What a notification is about.
    pub enum NotificationType {
        /// A face that was seen.
        Face => "FACE",
        /// A live video that is watched, or no more.
        Action => "ACTION",
    }
}

/// A notification.
#[derive(Clone, Debug, FromRow)]
pub struct ModerationNotification {
    /// Its id.
    pub id: NotificationId,
    /// Whose it is.
    pub account_id: AccountId,
    /// What it is about.
    #[sqlx(rename = "type", try_from = "String")]
    pub notification_type: NotificationType,
    /// When it was written.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// The moderation that found it.
    pub moderation_id: ModerationId,
    /// The content it was found in.
    pub content_id: ContentId,
    /// Where the content is.
    pub url: String,
    /// What the content is.
    #[sqlx(try_from = "String")]
    pub content_type: ContentType,
    /// Why somebody is told.
    #[sqlx(try_from = "String")]
    pub reason: NotificationReason,
    /// Where in the content, seconds.
    pub frame_time: Option<f64>,
    /// When it was seen, seconds since 1970.
    pub observed_at: f64,
    /// Upper edge of the face, pixels.
    pub face_top: Option<i64>,
    /// Right edge.
    pub face_right: Option<i64>,
    /// Lower edge.
    pub face_bottom: Option<i64>,
    /// Left edge.
    pub face_left: Option<i64>,
    /// How old the face looks, in a word of [`AgeGroup`].
    pub age_group: Option<String>,
    /// Whose face it is.
    pub profile_id: Option<ProfileId>,
    /// How many members said what they think of it.
    pub reviews: i64,
    /// The sum of their scores, 0 to 100 each.
    pub scores: i64,
}

impl ModerationNotification {
    /// How old the face looks.
    pub fn age_group(&self) -> Option<AgeGroup> {
        self.age_group.as_deref().and_then(|word| word.parse().ok())
    }

    /// The mean of the scores, 0 to 100; 0 where nobody said anything.
    pub fn average_score(&self) -> i64 {
        if self.reviews == 0 { 0 } else { (self.scores as f64 / self.reviews as f64).round() as i64 }
    }
}

/// What is told of one moderation: everything its notifications have in common.
#[derive(Clone, Debug)]
pub(super) struct NotificationContext {
    pub(super) app: AppId,
    pub(super) account: AccountId,
    pub(super) moderation: ModerationId,
    pub(super) content: ContentId,
    pub(super) content_type: ContentType,
    pub(super) url: String,
    pub(super) parameters: ModerationParameters,
    pub(super) destinations: NotificationDestinations,
}

/// One thing to tell.
#[derive(Clone, Debug)]
pub(super) struct NotificationDraft {
    /// What it is of: the same is told once.
    pub(super) deduplication_key: String,
    pub(super) reason: NotificationReason,
    /// When it was seen.
    pub(super) observed_at: Timestamp,
    pub(super) face: Option<FaceSighting>,
}

/// Of a face that was seen, what is told.
#[derive(Clone, Debug)]
pub(super) struct FaceSighting {
    pub(super) finding: ModerationFindingId,
    pub(super) frame_time: f64,
    pub(super) edges: [i64; 4],
    pub(super) age_group: AgeGroup,
    pub(super) profile: Option<ProfileId>,
}

impl ContentModerationService {
    /// Writes a notification and queues its messages, in the transaction of what it tells; nothing where it was told.
    pub(super) async fn notify(
        &self,
        tx: &mut WriteTx,
        of: &NotificationContext,
        news: &NotificationDraft,
    ) -> Result<(), DbError> {
        let world = &*self.0.world;
        // The account's list is locked first, by everybody: no two transactions wait for each other.
        let created_at = notification_lists::reserve_timestamp(tx, of.account, world.now()).await?;
        let face = news.face.as_ref();
        let side = |at: usize| face.and_then(|face| face.edges.get(at).copied());
        let notification = ModerationNotification {
            id: NotificationId::new(world),
            account_id: of.account,
            notification_type: if face.is_some() { NotificationType::Face } else { NotificationType::Action },
            created_at,
            moderation_id: of.moderation,
            content_id: of.content,
            url: of.url.clone(),
            content_type: of.content_type,
            reason: news.reason,
            frame_time: face.map(|face| face.frame_time),
            observed_at: news.observed_at.as_microsecond() as f64 / 1e6,
            face_top: side(0),
            face_right: side(1),
            face_bottom: side(2),
            face_left: side(3),
            age_group: face.map(|face| face.age_group.as_str().to_owned()),
            profile_id: face.and_then(|face| face.profile),
            reviews: 0,
            scores: 0,
        };
        if !insert(tx, &notification, face.map(|face| face.finding), &news.deduplication_key).await? {
            return Ok(());
        }
        let mut places: Vec<Uuid> = vec![of.account.into(), of.moderation.into()];
        places.extend(of.parameters.member.map(Uuid::from));
        for list in places {
            notification_lists::append(tx, (list, of.account), notification.id, created_at).await?;
        }
        self.queue_webhooks(tx, of, &notification).await
    }

    async fn queue_webhooks(
        &self,
        tx: &mut WriteTx,
        of: &NotificationContext,
        notification: &ModerationNotification,
    ) -> Result<(), DbError> {
        let webhooks = &self.0.webhooks;
        let web = webhooks.notification(notification);
        let link = format!("{}/console/#notification={}", self.0.settings.public_url, notification.id);
        let slack = webhooks.slack_message(notification, &link);
        let to_web = of.destinations.web.iter().map(|url| (url, &web));
        let to_slack = of.destinations.slack.iter().map(|url| (url, &slack));
        for (url, body) in to_web.chain(to_slack) {
            let message = WebhookMessage {
                url: url.clone(),
                verb: WebhookMethod::Post,
                headers: Vec::new(),
                body: body.clone(),
                verify_tls: true,
                success: SuccessCriterion::Any2xx,
            };
            let whose = (of.app, of.account);
            match self
                .0
                .outbox
                .enqueue_for_account(tx, &*self.0.world, whose, "moderation.notification", &message)
                .await
            {
                Ok(_) => {}
                Err(OutboxError::Db(error)) => return Err(error),
                // The policy forbids since what it allowed when the moderation was started.
                Err(OutboxError::Refused(refused)) => {
                    tracing::warn!(error = &refused as &dyn std::error::Error, moderation.id = %of.moderation, "a destination is not allowed any more");
                }
            }
        }
        Ok(())
    }

    /// A page of an account's notifications.
    pub async fn notifications(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        since: Option<Timestamp>,
        (offset, most): (i64, i64),
    ) -> Result<notification_lists::NotificationPage, DbError> {
        notification_lists::load_page(view, account.into(), since, offset, most).await
    }

    /// A page of a moderation's notifications; the caller has made sure whose it is.
    pub async fn moderation_notifications(
        &self,
        view: &mut ReadTx,
        moderation: ModerationId,
        since: Option<Timestamp>,
        (offset, most): (i64, i64),
    ) -> Result<notification_lists::NotificationPage, DbError> {
        notification_lists::load_page(view, moderation.into(), since, offset, most).await
    }

    /// A page of a member's inbox; the caller has made sure whose it is.
    pub async fn inbox_notifications(
        &self,
        view: &mut ReadTx,
        member: base::MemberId,
        since: Option<Timestamp>,
        (offset, most): (i64, i64),
    ) -> Result<notification_lists::NotificationPage, DbError> {
        notification_lists::load_page(view, member.into(), since, offset, most).await
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
                n.reason, n.frame_time, n.observed_at, n.face_top, n.face_right, n.face_bottom, n.face_left,
                n.age_group, n.profile_id,
                (SELECT count(*) FROM reviews r WHERE r.notification_id = n.id) AS reviews,
                (SELECT CAST(coalesce(sum(r.score), 0) AS BIGINT) FROM reviews r WHERE r.notification_id = n.id) AS scores
           FROM notifications n WHERE n.id = $1 AND n.account_id = $2",
        id,
        account,
    ))
    .await
}

/// Whether it was new.
async fn insert(
    tx: &mut WriteTx,
    n: &ModerationNotification,
    finding: Option<ModerationFindingId>,
    subject: &str,
) -> Result<bool, DbError> {
    let rows = tx
        .execute(sql!(
            "INSERT INTO notifications (id, account_id, moderation_id, finding_id, subject, type, reason, content_id,
                                        content_type, url, frame_time, observed_at, face_top, face_right, face_bottom,
                                        face_left, age_group, profile_id, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
             ON CONFLICT (moderation_id, subject) DO NOTHING",
            n.id,
            n.account_id,
            n.moderation_id,
            finding,
            subject,
            n.notification_type,
            n.reason,
            n.content_id,
            n.content_type,
            n.url.clone(),
            n.frame_time,
            n.observed_at,
            n.face_top,
            n.face_right,
            n.face_bottom,
            n.face_left,
            n.age_group.clone(),
            n.profile_id,
            n.created_at,
        ))
        .await?;
    Ok(rows == 1)
}
