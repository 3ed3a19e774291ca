//! Negative labels: faces that a reviewer dismissed as "not this person", so that such false matches are not reported
//! again.
//!
//! A label forgets one pair, the dismissed face and the profile. A face is not matched to the profile if it lies within the
//! label's reach and is nearer to the dismissed face than to the profile's own faces. The reach ends before the profile's
//! nearest face, so a picture of the enrolled person is always matched. Where the dismissed face is hardly another one than
//! the profile's, the label counts in its content alone.

use super::{FaceIndexError, change_sequence::next_seq, embedding_vault::EmbeddingVault, enrolment};
use base::{AccountId, ContentId, FaceId, ModerationId, NotificationId, ProfileId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::collections::HashMap;

/// How many labels of a profile are kept; when there are more, the oldest are deleted.
pub const MAX_NEGATIVE_LABELS_PER_PROFILE: i64 = 200;

/// The reach of a label, as a share of the distance between the dismissed face and the nearest face of the profile.
const REACH_SHARE: f32 = 0.9;
/// A face within this share of the distance of a match is taken for a picture of the enrolled person. Reposts of one photo
/// lie within it (`docs/ACCURACY.md`, "Dismissals").
const SAME_PICTURE_SHARE: f32 = 0.75;
/// The reach of labels that were made before their distance was stored, as a share of the distance of a match.
const UNKNOWN_REACH_SHARE: f32 = 0.5;

/// What the sealed embedding of a label is bound to.
fn aad(profile: ProfileId, label: Uuid) -> Vec<u8> {
    format!("negative label {label} of {profile}").into_bytes()
}

/// A face that is not that of a profile, and who said so.
#[derive(Clone, Copy, Debug)]
pub struct DismissedFace<'a> {
    pub profile: ProfileId,
    pub embedding: &'a [f32],
    /// SHA-256 of the model that computed the embedding, hexadecimal.
    pub model: &'a str,
    pub notification: NotificationId,
    /// The content in which it was seen.
    pub content: ContentId,
    /// The member or API key.
    pub user: Uuid,
}

/// A label, as it is listed.
#[derive(Clone, Debug, FromRow)]
pub struct Dismissal {
    pub id: Uuid,
    pub profile_id: ProfileId,
    /// `None` for one that was made before this was recorded; likewise the next two.
    pub notification_id: Option<NotificationId>,
    pub content_id: Option<ContentId>,
    /// The member or API key who dismissed it.
    pub user_id: Option<Uuid>,
    /// The distance between the dismissed face and the nearest one of the profile.
    pub distance: Option<f64>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Which labels of an account are removed.
#[derive(Clone, Copy, Debug)]
pub enum DismissalSelection {
    /// One label of a profile.
    Of(ProfileId, Uuid),
    /// That of a notification.
    OfNotification(NotificationId),
    /// Those of all notifications of a moderation.
    OfModeration(ModerationId),
    /// Those of a content.
    OfContent(ContentId),
    /// Those of a profile.
    OfProfile(ProfileId),
}

#[derive(FromRow)]
struct ProfileFaceRow {
    id: FaceId,
    model: Vec<u8>,
    key: Option<Vec<u8>>,
    embedding: Vec<u8>,
}

#[derive(FromRow)]
struct LabelIdRow {
    id: Uuid,
}

#[derive(FromRow)]
struct NegativeLabelRow {
    id: Uuid,
    profile_id: ProfileId,
    content_id: Option<ContentId>,
    distance: Option<f64>,
    key: Option<Vec<u8>>,
    embedding: Vec<u8>,
    seq: i64,
}

/// Records that a face is not that of a profile. Nothing happens for a profile that was deleted or has no faces, which no face
/// is matched to, nor where another model than that of its faces computed the embedding, nor where the notification has a label
/// already.
pub(super) async fn add(
    tx: &mut WriteTx,
    embeddings: &EmbeddingVault,
    account: AccountId,
    dismissed: DismissedFace<'_>,
) -> Result<(), DbError> {
    let DismissedFace { profile, embedding, model: seen_by, notification, content, user } = dismissed;
    // First: whatever changes or deletes profiles does the same, so that this one stays as it is read here.
    let seq = next_seq(tx, account).await?;
    // Faces are matched by the model that the profile's newest face was embedded with.
    let known: Vec<ProfileFaceRow> = tx
        .fetch_all(sql!(
            "SELECT f.id, f.model, k.sealed AS key, f.embedding
               FROM faces f JOIN profiles p ON p.id = f.profile_id AND p.active
               LEFT JOIN erasure_keys k ON k.owner_id = f.profile_id
              WHERE f.profile_id = $1 AND f.account_id = $2 ORDER BY f.seq DESC",
            profile,
            account,
        ))
        .await?;
    let Some(model) = known.first().map(|face| face.model.clone()) else { return Ok(()) };
    // What another model saw is nowhere in the space of these faces.
    if hex::encode(&model) != seen_by {
        return Ok(());
    }
    let mut nearest = f32::INFINITY;
    for face in known.into_iter().filter(|face| face.model == model) {
        let aad = enrolment::aad(profile, face.id);
        // A face that cannot be opened is in no index either.
        let of_profile = embeddings.open((profile, face.key.as_deref()), &aad, &face.embedding);
        if let Some(of_profile) = of_profile.ok().filter(|it| it.len() == embedding.len()) {
            nearest = nearest.min(vision::embedding_distance(&of_profile, embedding));
        }
    }
    if nearest.is_infinite() {
        return Ok(());
    }
    let id = embeddings.environment.uuid_v4();
    let vault = embeddings.of_profile(tx, profile).await?;
    tx.execute(sql!(
        "INSERT INTO negative_labels (id, account_id, profile_id, model, embedding, seq, created_at,
                                      notification_id, content_id, distance, user_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (notification_id) DO NOTHING",
        id,
        account,
        profile,
        model,
        embeddings.seal(&vault, &aad(profile, id), embedding),
        seq,
        embeddings.environment.now(),
        notification,
        content,
        f64::from(nearest),
        user,
    ))
    .await?;
    let surplus: Vec<LabelIdRow> = tx
        .fetch_all(sql!(
            "SELECT id FROM negative_labels WHERE profile_id = $1 AND account_id = $2
              ORDER BY seq DESC LIMIT 1000 OFFSET $3",
            profile,
            account,
            MAX_NEGATIVE_LABELS_PER_PROFILE,
        ))
        .await?;
    delete(tx, account, embeddings.environment.now(), seq, surplus).await?;
    Ok(())
}

/// Removes labels of an account; returns how many.
pub(super) async fn remove(
    tx: &mut WriteTx,
    now: Timestamp,
    account: AccountId,
    which: DismissalSelection,
) -> Result<usize, DbError> {
    let query = match which {
        DismissalSelection::Of(profile, label) => sql!(
            "SELECT id FROM negative_labels WHERE id = $2 AND profile_id = $3 AND account_id = $1",
            account,
            label,
            profile,
        ),
        DismissalSelection::OfNotification(notification) => sql!(
            "SELECT id FROM negative_labels WHERE notification_id = $2 AND account_id = $1",
            account,
            notification,
        ),
        DismissalSelection::OfModeration(moderation) => sql!(
            "SELECT id FROM negative_labels WHERE account_id = $1 AND notification_id IN
                (SELECT id FROM notifications WHERE moderation_id = $2)",
            account,
            moderation,
        ),
        DismissalSelection::OfContent(content) => {
            sql!("SELECT id FROM negative_labels WHERE content_id = $2 AND account_id = $1", account, content)
        }
        DismissalSelection::OfProfile(profile) => {
            sql!("SELECT id FROM negative_labels WHERE profile_id = $2 AND account_id = $1", account, profile)
        }
    };
    let rows: Vec<LabelIdRow> = tx.fetch_all(query).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let (count, seq) = (rows.len(), next_seq(tx, account).await?);
    delete(tx, account, now, seq, rows).await?;
    Ok(count)
}

/// Deletes labels, with the change `seq` by which processes that have them learn of it.
async fn delete(
    tx: &mut WriteTx,
    account: AccountId,
    now: Timestamp,
    seq: i64,
    labels: Vec<LabelIdRow>,
) -> Result<(), DbError> {
    for LabelIdRow { id } in labels {
        tx.execute(sql!("DELETE FROM negative_labels WHERE id = $1", id)).await?;
        tx.execute(sql!(
            "INSERT INTO negative_label_removals (account_id, seq, label_id, removed_at)
             VALUES ($1, $2, $3, $4)",
            account,
            seq,
            id,
            now,
        ))
        .await?;
    }
    Ok(())
}

/// The labels of a profile, newest first; at most [`MAX_NEGATIVE_LABELS_PER_PROFILE`].
pub(super) async fn list(
    view: &mut ReadTx,
    account: AccountId,
    profile: ProfileId,
) -> Result<Vec<Dismissal>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, profile_id, notification_id, content_id, user_id, distance, created_at
           FROM negative_labels WHERE profile_id = $1 AND account_id = $2 ORDER BY seq DESC LIMIT $3",
        profile,
        account,
        MAX_NEGATIVE_LABELS_PER_PROFILE,
    ))
    .await
}

/// The labels of an account and model that are newer than the change `since`.
pub(super) async fn load_since(
    view: &mut ReadTx,
    embeddings: &EmbeddingVault,
    account: AccountId,
    model: &[u8; 32],
    since: i64,
) -> Result<NegativeLabels, FaceIndexError> {
    let rows: Vec<NegativeLabelRow> = view
        .fetch_all(sql!(
            "SELECT l.id, l.profile_id, l.content_id, l.distance, k.sealed AS key, l.embedding, l.seq
               FROM negative_labels l LEFT JOIN erasure_keys k ON k.owner_id = l.profile_id
              WHERE l.account_id = $1 AND l.seq > $2 AND l.model = $3 ORDER BY l.seq",
            account,
            since,
            model.to_vec(),
        ))
        .await?;
    open_labels(embeddings, rows)
}

/// The labels of a profile and model.
pub(super) async fn load_of_profile(
    view: &mut ReadTx,
    embeddings: &EmbeddingVault,
    (account, profile): (AccountId, ProfileId),
    model: &[u8; 32],
) -> Result<NegativeLabels, FaceIndexError> {
    let rows: Vec<NegativeLabelRow> = view
        .fetch_all(sql!(
            "SELECT l.id, l.profile_id, l.content_id, l.distance, k.sealed AS key, l.embedding, l.seq
               FROM negative_labels l LEFT JOIN erasure_keys k ON k.owner_id = l.profile_id
              WHERE l.account_id = $1 AND l.profile_id = $2 AND l.model = $3 ORDER BY l.seq",
            account,
            profile,
            model.to_vec(),
        ))
        .await?;
    open_labels(embeddings, rows)
}

fn open_labels(
    embeddings: &EmbeddingVault,
    rows: Vec<NegativeLabelRow>,
) -> Result<NegativeLabels, FaceIndexError> {
    let mut labels = NegativeLabels::default();
    for row in rows {
        let owner = (row.profile_id, row.key.as_deref());
        let label = NegativeLabel {
            id: row.id,
            seq: row.seq,
            embedding: embeddings.open(owner, &aad(row.profile_id, row.id), &row.embedding)?,
            content: row.content_id,
            distance: row.distance.map(|distance| distance as f32),
        };
        labels.0.entry(row.profile_id).or_default().push(label);
    }
    Ok(labels)
}

/// The labels of an account that were removed by changes after `since`.
pub(super) async fn removed_since(
    view: &mut ReadTx,
    account: AccountId,
    since: i64,
) -> Result<Vec<Uuid>, DbError> {
    let rows: Vec<LabelIdRow> = view
        .fetch_all(sql!(
            "SELECT label_id AS id FROM negative_label_removals WHERE account_id = $1 AND seq > $2",
            account,
            since,
        ))
        .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// A face that is matched, and what it is matched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchedFace<'a> {
    pub(super) embedding: &'a [f32],
    /// The content in which it was seen, if any.
    pub(super) content: Option<ContentId>,
    /// The distance up to which a search finds a face, not a limit that a query has of its own: what a dismissal reaches is
    /// the same for all.
    pub(super) match_distance: f32,
}

struct NegativeLabel {
    id: Uuid,
    seq: i64,
    embedding: Vec<f32>,
    /// The content in which the face was seen.
    content: Option<ContentId>,
    /// How far it is from the nearest face of the profile.
    distance: Option<f32>,
}

/// Whether a face at `distance` from a profile's nearest one is taken for a picture of the enrolled person, so that its
/// dismissal counts in its content alone.
pub(super) fn is_same_picture(distance: f32, match_distance: f32) -> bool {
    distance <= SAME_PICTURE_SHARE * match_distance
}

impl NegativeLabel {
    /// Whether it keeps a face from a profile whose nearest face is at `distance`.
    fn excludes(&self, face: MatchedFace<'_>, distance: f32) -> bool {
        if self.embedding.len() != face.embedding.len() {
            return false;
        }
        let apart = vision::embedding_distance(&self.embedding, face.embedding);
        match self.distance {
            Some(own) if is_same_picture(own, face.match_distance) => {
                self.content.is_some()
                    && face.content == self.content
                    && is_same_picture(apart, face.match_distance)
            }
            Some(own) => apart <= REACH_SHARE * own && apart < distance,
            None => apart <= UNKNOWN_REACH_SHARE * face.match_distance && apart < distance,
        }
    }
}

/// The labels of an account and model, in memory: by profile, each with the number of its change, oldest first.
#[derive(Default)]
pub(super) struct NegativeLabels(HashMap<ProfileId, Vec<NegativeLabel>>);

// Embeddings must not reach a log.
impl std::fmt::Debug for NegativeLabels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NegativeLabels({} profiles)", self.0.len())
    }
}

impl NegativeLabels {
    /// Adds newer labels.
    pub(super) fn extend(&mut self, newer: Self) {
        for (profile, labels) in newer.0 {
            let known = self.0.entry(profile).or_default();
            let last = known.last().map_or(i64::MIN, |label| label.seq);
            known.extend(labels.into_iter().filter(|label| label.seq > last));
        }
    }

    /// Forgets labels that were removed.
    pub(super) fn remove(&mut self, removed: &[Uuid]) {
        if !removed.is_empty() {
            self.0.retain(|_, labels| {
                labels.retain(|label| !removed.contains(&label.id));
                !labels.is_empty()
            });
        }
    }

    /// Whether a face is not that of a profile, whose nearest face is at `distance`.
    pub(super) fn exclude(&self, profile: ProfileId, face: MatchedFace<'_>, distance: f32) -> bool {
        self.0.get(&profile).is_some_and(|labels| labels.iter().any(|label| label.excludes(face, distance)))
    }

    /// How many profiles a face may be kept from, at whatever distance they are.
    pub(super) fn count_excludable(&self, face: MatchedFace<'_>) -> usize {
        self.0.keys().filter(|profile| self.exclude(**profile, face, f32::INFINITY)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};

    /// As for the packaged model.
    const MATCH_DISTANCE: f32 = 0.49;

    fn profile() -> ProfileId {
        Uuid::from_u128(1).into()
    }

    fn content(number: u128) -> ContentId {
        Uuid::from_u128(number).into()
    }

    fn labels(embedding: &[f32], content: Option<ContentId>, distance: Option<f32>) -> NegativeLabels {
        let label =
            NegativeLabel { id: Uuid::nil(), seq: 1, embedding: embedding.to_vec(), content, distance };
        NegativeLabels(HashMap::from([(profile(), vec![label])]))
    }

    fn face(embedding: &[f32], content: Option<ContentId>) -> MatchedFace<'_> {
        MatchedFace { embedding, content, match_distance: MATCH_DISTANCE }
    }

    /// A point at a distance from another, in a direction.
    fn away(from: &[f32], direction: &[f32], distance: f32) -> Vec<f32> {
        let length = direction.iter().map(|it| it * it).sum::<f32>().sqrt();
        from.iter().zip(direction).map(|(it, step)| it + step / length * distance).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// The enrolled face is at the origin, the look-alike's at `apart` from it; each is seen again somewhat changed.
        #[test]
        fn a_repost_is_told_and_a_dismissed_look_alike_is_not(
            apart in 0.38_f32..MATCH_DISTANCE,
            directions in proptest::array::uniform3(proptest::collection::vec(-1.0_f32..1.0, 16)),
            repost_distance in 0.0_f32..0.14,
            look_alike_distance in 0.0_f32..0.14,
        ) {
            let enrolled = [0.0; 16];
            let look_alike = away(&enrolled, &directions[0], apart);
            let labels = labels(&look_alike, Some(content(1)), Some(apart));
            let distance = |face: &[f32]| vision::embedding_distance(face, &enrolled);

            let repost = away(&enrolled, &directions[1], repost_distance);
            prop_assert!(!labels.exclude(profile(), face(&repost, None), distance(&repost)));
            let seen_again = away(&look_alike, &directions[2], look_alike_distance);
            prop_assert!(labels.exclude(profile(), face(&seen_again, None), distance(&seen_again)));
        }

        /// Whatever was dismissed, the enrolled picture itself is matched, and what is nearer to it than to the dismissed.
        #[test]
        fn what_is_nearer_to_the_enrolled_face_is_told(
            dismissed in proptest::collection::vec(-0.2_f32..0.2, 16),
            seen in proptest::collection::vec(-0.2_f32..0.2, 16),
            is_known: bool,
        ) {
            let enrolled = [0.0; 16];
            let own = vision::embedding_distance(&dismissed, &enrolled);
            let labels = labels(&dismissed, Some(content(1)), is_known.then_some(own));
            prop_assert!(!labels.exclude(profile(), face(&enrolled, None), 0.0));
            let distance = vision::embedding_distance(&seen, &enrolled);
            if distance <= vision::embedding_distance(&seen, &dismissed) {
                prop_assert!(!labels.exclude(profile(), face(&seen, None), distance));
            }
        }
    }

    #[test]
    fn a_dismissed_picture_of_the_person_counts_in_its_content_alone() {
        let enrolled = [0.0; 16];
        let labels = labels(&enrolled, Some(content(1)), Some(0.0));
        assert!(labels.exclude(profile(), face(&enrolled, Some(content(1))), 0.0));
        assert!(!labels.exclude(profile(), face(&enrolled, Some(content(2))), 0.0));
        assert!(!labels.exclude(profile(), face(&enrolled, None), 0.0), "nor where somebody searches");
    }

    #[test]
    fn a_label_that_was_removed_excludes_nobody() {
        let dismissed = [0.1; 16];
        let mut labels = labels(&dismissed, None, Some(0.4));
        assert!(labels.exclude(profile(), face(&dismissed, None), 0.4));
        labels.remove(&[Uuid::from_u128(5)]);
        assert_eq!(labels.count_excludable(face(&dismissed, None)), 1);
        labels.remove(&[Uuid::nil()]);
        assert!(!labels.exclude(profile(), face(&dismissed, None), 0.4));
        assert_eq!(labels.count_excludable(face(&dismissed, None)), 0);
    }
}
