//! Matching: the profiles that a face is nearest to.

use super::{
    FaceIndexError, ProfileSummary, ProfileType,
    account_index::{AccountIndex, AccountIndexes, run_blocking},
    face_extraction::ExtractionPurpose,
    face_model::FaceModel,
    negative_labels::MatchedFace,
    profile::{self, ProfileStore},
};
use crate::accounts;
use base::{AccountId, ContentId, FaceId, ProfileId};
use db::Db;
use search::{IndexError, PersonFilter, SearchHit, SearchQuery};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError},
};

/// A profile that a face may belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileCandidate {
    pub profile: ProfileId,
    /// The nearest of the profile's faces.
    pub face: FaceId,
    /// The distance to that face, in the embedding space of the model; smaller means more alike.
    pub distance: f32,
    pub is_banned: bool,
    /// Whether the person is known to be an adult.
    pub is_adult: bool,
}

/// A person who was found by a picture.
#[derive(Clone, Debug)]
pub struct ProfileMatch {
    pub profile: ProfileSummary,
    /// The nearest of the profile's faces.
    pub face: FaceId,
    /// The distance to that face, in the embedding space of the model; smaller means more alike.
    pub distance: f32,
    /// The distance as a similarity, 0 to 1: see
    /// [`FaceIndexService::similarity`](super::FaceIndexService::similarity).
    pub similarity: f64,
    /// See [`FaceIndexService::false_match_rate`](super::FaceIndexService::false_match_rate).
    pub false_match_rate: Option<f64>,
}

/// Which profiles are looked for.
#[derive(Clone, Debug)]
pub struct CandidateQuery {
    /// How many profiles are found for a face, at most.
    pub limit: usize,
    /// The greatest distance of a face to a profile's nearest one. `None`: that up to which a search finds a face.
    pub max_distance: Option<f32>,
    /// The content that the faces were seen in: dismissals that count in it alone count.
    pub content: Option<ContentId>,
    /// The profiles that may be found; all, if `None`.
    pub only: Option<Arc<HashSet<ProfileId>>>,
}

impl CandidateQuery {
    /// The nearest profiles of all, as many as `limit`.
    pub fn nearest(limit: usize) -> Self {
        Self { limit, max_distance: None, content: None, only: None }
    }
}

/// Finds profiles by faces.
#[derive(Debug)]
pub(super) struct ProfileMatcher {
    pub(super) db: Db,
    pub(super) model: Arc<FaceModel>,
    pub(super) profiles: ProfileStore,
    pub(super) indexes: Arc<AccountIndexes>,
}

impl ProfileMatcher {
    /// For each embedding, the active and searchable profiles of an account that are near enough, nearest first. Profiles
    /// that a negative label keeps the face from are left out.
    pub(super) async fn find_candidates(
        &self,
        account: AccountId,
        embeddings: &[Vec<f32>],
        query: &CandidateQuery,
    ) -> Result<Vec<Vec<ProfileCandidate>>, FaceIndexError> {
        if embeddings.is_empty() {
            return Ok(Vec::new());
        }
        let match_distance = self.model.identify_distance().await?;
        let search = |index: Arc<AccountIndex>| {
            let (embeddings, query) = (embeddings.to_vec(), query.clone());
            run_blocking(move || search_index(&index, &embeddings, &query, match_distance))
        };
        let index = self.indexes.get(account).await?;
        let found = match search(index.clone()).await {
            // The database has what is damaged there.
            Err(FaceIndexError::Index(IndexError::Damaged { .. })) => {
                index.repair().await?;
                search(self.indexes.get(account).await?).await?
            }
            found => found?,
        };

        let mut ids: Vec<ProfileId> = found.iter().flatten().map(|hit| hit.person.into()).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut flags = HashMap::new();
        if !ids.is_empty() {
            let mut view = self.db.read().await?;
            for row in profile::flags(&mut view, account, &ids).await? {
                flags.insert(row.id, row);
            }
        }
        let candidate = |hit: SearchHit| {
            // The profile may have been changed or deleted since the index was searched.
            let row = flags.get(&hit.person.into())?;
            (row.active && row.kind == ProfileType::Searchable.number()).then_some(ProfileCandidate {
                profile: row.id,
                face: hit.face.into(),
                distance: hit.distance,
                is_banned: row.banned,
                is_adult: row.adult,
            })
        };
        Ok(found.into_iter().map(|hits| hits.into_iter().filter_map(candidate).collect()).collect())
    }

    /// [`Self::find_candidates`], and where a face looks like more profiles than are found at once, the nearest of those that
    /// are banned and of those in `named` besides: others may look more like it, and whoever is banned is recognised all the
    /// same.
    pub(super) async fn find_candidates_and_banned(
        &self,
        account: AccountId,
        embeddings: &[Vec<f32>],
        query: &CandidateQuery,
        named: Option<Arc<HashSet<ProfileId>>>,
    ) -> Result<Vec<Vec<ProfileCandidate>>, FaceIndexError> {
        let mut found = self.find_candidates(account, embeddings, query).await?;
        let full: Vec<usize> = (0..found.len())
            .filter(|at| found.get(*at).is_some_and(|candidates| candidates.len() >= query.limit))
            .collect();
        if full.is_empty() {
            return Ok(found);
        }
        let embeddings: Vec<Vec<f32>> = full.iter().filter_map(|at| embeddings.get(*at).cloned()).collect();
        let banned = Arc::new(self.profiles.banned(&mut self.db.read().await?, account).await?);
        for only in [Some(banned), named].into_iter().flatten().filter(|only| !only.is_empty()) {
            let query = CandidateQuery { only: Some(only), ..query.clone() };
            let more = self.find_candidates(account, &embeddings, &query).await?;
            for (at, more) in full.iter().zip(more) {
                if let Some(candidates) = found.get_mut(*at) {
                    add_candidates(candidates, more);
                }
            }
        }
        Ok(found)
    }

    /// The banned profiles that a face looks like, nearest first.
    pub(super) async fn find_banned(
        &self,
        account: AccountId,
        embedding: Vec<f32>,
        limit: usize,
    ) -> Result<Vec<ProfileCandidate>, FaceIndexError> {
        let banned = self.profiles.banned(&mut self.db.read().await?, account).await?;
        if banned.is_empty() {
            return Ok(Vec::new());
        }
        let query = CandidateQuery { only: Some(Arc::new(banned)), ..CandidateQuery::nearest(limit) };
        let found = self.find_candidates(account, &[embedding], &query).await?;
        // A ban may have been lifted since.
        Ok(found.into_iter().flatten().filter(|candidate| candidate.is_banned).collect())
    }

    /// The embedding of the one face in a picture that somebody is looked for by.
    pub(super) async fn embed_for_search(
        &self,
        account: AccountId,
        picture: Vec<u8>,
    ) -> Result<Vec<f32>, FaceIndexError> {
        let app = accounts::application_of(&mut self.db.read().await?, account).await?;
        Ok(self.model.extract_face(app, picture, ExtractionPurpose::Search).await?.embedding)
    }

    /// The profiles that the face in a picture may belong to, nearest first.
    pub(super) async fn search_by_picture(
        &self,
        account: AccountId,
        picture: Vec<u8>,
        query: &CandidateQuery,
    ) -> Result<Vec<ProfileMatch>, FaceIndexError> {
        let embedding = self.embed_for_search(account, picture).await?;
        let found = self.find_candidates(account, &[embedding], query).await?;
        let found = found.into_iter().next().unwrap_or_default();
        let ids: Vec<_> = found.iter().map(|candidate| candidate.profile).collect();
        let profiles = self.profiles.summaries(&mut self.db.read().await?, account, &ids).await?;
        let mut matches = Vec::with_capacity(found.len());
        for ProfileCandidate { profile, face, distance, .. } in found {
            // The profile may have been deleted in the meantime.
            if let Some(profile) = profiles.iter().find(|known| known.id == profile && known.active) {
                let similarity = self.model.similarity(distance).await?;
                let false_match_rate = self.model.false_match_rate(distance).await?;
                let profile = profile.clone();
                matches.push(ProfileMatch { profile, face, distance, similarity, false_match_rate });
            }
        }
        Ok(matches)
    }
}

/// Adds candidates of another search, each profile once; the nearest stay first.
fn add_candidates(candidates: &mut Vec<ProfileCandidate>, more: Vec<ProfileCandidate>) {
    for candidate in more {
        if candidates.iter().all(|known| known.profile != candidate.profile) {
            candidates.push(candidate);
        }
    }
    candidates.sort_by(|one, other| one.distance.total_cmp(&other.distance));
}

/// Searches an index for each embedding. A profile that a negative label keeps the face from is left out, and the next
/// nearest takes its place. Labels reach as far as `match_distance` says, however near a face must be to be found.
fn search_index(
    index: &AccountIndex,
    embeddings: &[Vec<f32>],
    candidates: &CandidateQuery,
    match_distance: f32,
) -> Result<Vec<Vec<SearchHit>>, FaceIndexError> {
    let CandidateQuery { limit, content, max_distance, .. } = *candidates;
    let filter: Option<PersonFilter> = candidates
        .only
        .clone()
        .map(|only| -> PersonFilter { Arc::new(move |person| only.contains(&ProfileId::from(person))) });
    let query = SearchQuery {
        top_k: limit,
        max_distance: Some(max_distance.unwrap_or(match_distance)),
        prefilter: true,
        person_filter: filter,
    };
    let queries: Vec<&[f32]> = embeddings.iter().map(Vec::as_slice).collect();
    let mut found = index.faces.search_many(&queries, &query)?;
    let labels = index.labels.read().unwrap_or_else(PoisonError::into_inner);
    for (hits, embedding) in found.iter_mut().zip(embeddings) {
        let face = MatchedFace { embedding, content, match_distance };
        let is_excluded = |hit: &SearchHit| labels.exclude(hit.person.into(), face, hit.distance);
        if !hits.iter().any(is_excluded) {
            continue;
        }
        // The excluded profiles took the places of others, so the search is repeated with room for them.
        let top_k = limit + labels.count_excludable(face);
        *hits = index.faces.search(embedding, &SearchQuery { top_k, ..query.clone() })?;
        hits.retain(|hit| !is_excluded(hit));
        hits.truncate(limit);
    }
    Ok(found)
}
