//! The search of past findings: in which contents a face was seen.

use super::{
    AgeGroup,
    contents::{ContentType, uploads::ContentLocation},
    kept_findings::{FindingPosition, KeptFinding, KeptFindings},
    run,
};
use crate::{
    faces::{FaceIndexError, FaceIndexService, FaceLikeness},
    fair_slots::FairSlots,
};
use base::{
    AccountId, AppId, ContentId, ModerationFindingId, ModerationId, ProfileId, SignedDuration, Timestamp,
};
use db::{DbError, FromRow, ReadTx, sql};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// How many findings one search compares, at most; the next goes on behind them.
pub const MAX_COMPARED_FINDINGS: usize = 20_000;
/// How many are read and compared at once.
const FINDINGS_PER_BATCH: usize = 1000;
/// How long a search waits for others to end before it is refused.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Whose face is looked for.
#[derive(Clone, Debug)]
pub enum SearchedPerson {
    /// That in a picture of exactly one face, JPEG or PNG.
    Picture(Vec<u8>),
    /// That of a profile.
    Profile(ProfileId),
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct FindingSearch {
    pub person: SearchedPerson,
    /// How similar a face must be, 0 to 1; as the server demands of a search, if `None`.
    pub min_similarity: Option<f64>,
    /// How many findings are returned, at most.
    pub limit: usize,
    /// Only findings that are older than this one.
    pub after: Option<ModerationFindingId>,
}

/// A face that was found.
#[derive(Clone, Debug)]
pub struct FindingMatch {
    pub id: ModerationFindingId,
    pub moderation_id: ModerationId,
    pub content_id: ContentId,
    pub content_type: ContentType,
    /// Where the content is.
    pub location: ContentLocation,
    /// When it was seen.
    pub observed_at: Timestamp,
    /// The position in the content, in seconds.
    pub frame_time: f64,
    /// Whether the moderation knew it as that of a banned profile.
    pub is_banned: bool,
    pub age_group: AgeGroup,
    /// The profile that the moderation took it for.
    pub profile_id: Option<ProfileId>,
    /// Top, right, bottom and left, in pixels of the content.
    pub edges: [i64; 4],
    /// The distance in the embedding space of the model; smaller means more alike.
    pub distance: f32,
    /// The distance as a similarity, 0 to 1.
    pub similarity: f64,
    /// See [`FaceIndexService::false_match_rate`].
    pub false_match_rate: Option<f64>,
}

/// What a search found, and how far it looked.
#[derive(Clone, Debug)]
pub struct FindingMatches {
    /// The most similar first.
    pub findings: Vec<FindingMatch>,
    /// How many are similar enough, of those that were compared.
    pub total: u64,
    /// How many findings were compared.
    pub compared: u64,
    /// How many could not be compared: another model computed them, or they do not open.
    pub incomparable: u64,
    /// The last one that was looked at, if there are older ones.
    pub last: Option<ModerationFindingId>,
    /// When the oldest of those that were looked at was seen.
    pub oldest: Option<Timestamp>,
}

/// Why past findings were not searched.
#[derive(Debug, thiserror::Error)]
pub enum FindingSearchError {
    /// The account has no such finding to go on from.
    #[error("there is no such finding, or it is not kept any more")]
    UnknownPosition,
    /// There is nobody to look for.
    #[error(transparent)]
    Faces(#[from] FaceIndexError),
}

impl From<DbError> for FindingSearchError {
    fn from(error: DbError) -> Self {
        Self::Faces(error.into())
    }
}

/// Searches past findings.
#[derive(Debug)]
pub(super) struct FindingSearcher {
    pub(super) faces: FaceIndexService,
    pub(super) findings: KeptFindings,
    /// One for each search that runs: each keeps a core busy.
    pub(super) slots: FairSlots,
    /// How long embeddings are kept.
    pub(super) retention: SignedDuration,
}

impl FindingSearcher {
    /// How many searches one process runs at once.
    pub(super) fn max_concurrent_searches() -> usize {
        std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
    }

    pub(super) async fn search(
        &self,
        app: AppId,
        account: AccountId,
        search: FindingSearch,
    ) -> Result<FindingMatches, FindingSearchError> {
        let mut after = match search.after {
            Some(id) => Some(find_position(&mut self.findings.db.read().await?, account, id).await?),
            None => None,
        };
        let person = Arc::new(self.likeness(account, search.person).await?);
        let max_distance = self.faces.max_distance(search.min_similarity).await?;
        let slot = timeout(MAX_WAIT, self.slots.acquire(app)).await;
        let Ok(_slot) = slot else { return Err(FaceIndexError::Busy(MAX_WAIT).into()) };

        let (mut compared, mut incomparable, mut looked_at, mut total) = (0, 0, 0, 0);
        let mut similar: Vec<(KeptFinding, f32)> = Vec::new();
        let mut oldest = None;
        let mut is_complete = false;
        while !is_complete && looked_at < MAX_COMPARED_FINDINGS {
            let batch = self.findings.load(account, after, true, FINDINGS_PER_BATCH).await?;
            is_complete = batch.len() < FINDINGS_PER_BATCH;
            looked_at += batch.len();
            after = batch.last().map(KeptFinding::position).or(after);
            oldest = batch.last().map(|finding| finding.observed_at).or(oldest);
            let limit =
                move |measured: &super::FaceMeasurements| run::distance_limit(max_distance, measured.quality);
            let found = self.findings.compare(batch, person.clone(), limit).await?;
            compared += found.compared;
            incomparable += found.incomparable;
            total += found.similar.len() as u64;
            similar.extend(found.similar);
            // Newer ones stay before older ones that are as similar.
            similar.sort_by(|(_, one), (_, other)| one.total_cmp(other));
            similar.truncate(search.limit);
        }
        let mut findings = Vec::with_capacity(similar.len());
        for (finding, distance) in similar {
            let similarity = self.faces.similarity(distance).await?;
            let false_match_rate = self.faces.false_match_rate(distance).await?;
            findings.push(to_match(finding, distance, (similarity, false_match_rate)));
        }
        let last = if is_complete { None } else { after.map(|(_, id)| id) };
        Ok(FindingMatches { findings, total, compared, incomparable, last, oldest })
    }

    async fn likeness(
        &self,
        account: AccountId,
        person: SearchedPerson,
    ) -> Result<FaceLikeness, FaceIndexError> {
        match person {
            SearchedPerson::Picture(picture) => self.faces.likeness_of_picture(account, picture).await,
            SearchedPerson::Profile(profile) => self.faces.likeness_of_profile(account, profile).await,
        }
    }
}

#[derive(FromRow)]
struct FindingPositionRow {
    id: ModerationFindingId,
    #[sqlx(try_from = "db::DbTimestamp")]
    observed_at: Timestamp,
}

async fn find_position(
    view: &mut ReadTx,
    account: AccountId,
    id: ModerationFindingId,
) -> Result<FindingPosition, FindingSearchError> {
    let row: Option<FindingPositionRow> = view
        .fetch_optional(sql!(
            "SELECT id, observed_at FROM findings WHERE id = $1 AND account_id = $2 AND observed_at IS NOT NULL",
            id,
            account,
        ))
        .await?;
    row.map(|row| (row.observed_at, row.id)).ok_or(FindingSearchError::UnknownPosition)
}

fn to_match(
    finding: KeptFinding,
    distance: f32,
    (similarity, false_match_rate): (f64, Option<f64>),
) -> FindingMatch {
    FindingMatch {
        id: finding.id,
        moderation_id: finding.moderation_id,
        content_id: finding.content_id,
        content_type: finding.content_type,
        location: finding.location,
        observed_at: finding.observed_at,
        frame_time: finding.frame_time,
        is_banned: finding.is_banned,
        age_group: finding.age_group,
        profile_id: finding.profile_id,
        edges: [finding.face_top, finding.face_right, finding.face_bottom, finding.face_left],
        distance,
        similarity,
        false_match_rate,
    }
}
