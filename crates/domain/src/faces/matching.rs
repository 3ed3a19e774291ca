//! Who a face might be.

use super::{
    FaceIndexError, FaceIndexService, ProfileSummary, ProfileType,
    account_index::{AccountIndex, run_blocking},
    face_extraction::ExtractionPurpose,
};
use base::{AccountId, FaceId, ProfileId};
use search::{SearchHit, SearchQuery};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError},
};

/// A profile that a face might be of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileCandidate {
    /// The profile.
    pub profile: ProfileId,
    /// The nearest of its faces.
    pub face: FaceId,
    /// How far that is; the smaller, the more alike.
    pub distance: f32,
    /// Whether the person is banned.
    pub is_banned: bool,
    /// Whether the person is known to be an adult.
    pub is_adult: bool,
}

/// A person who was found by a picture.
#[derive(Clone, Debug)]
pub struct ProfileMatch {
    /// Who it is.
    pub profile: ProfileSummary,
    /// The nearest of their faces.
    pub face: FaceId,
    /// How far that is; the smaller, the more alike.
    pub distance: f32,
    /// The same as [`FaceIndexService::similarity`] has it.
    pub similarity: f64,
}

impl FaceIndexService {
    /// For each embedding the active, searchable profiles of an account within the distance of a search, nearest first, at
    /// most `most`. Profiles that somebody said this face is not are left out. `only` leaves out all others.
    pub async fn find_candidates(
        &self,
        account: AccountId,
        embeddings: &[Vec<f32>],
        most: usize,
        only: Option<Arc<HashSet<ProfileId>>>,
    ) -> Result<Vec<Vec<ProfileCandidate>>, FaceIndexError> {
        if embeddings.is_empty() {
            return Ok(Vec::new());
        }
        let (within, same) = (self.identify_distance().await?, self.verify_distance().await?);
        let gallery = self.account_index(account).await?;
        let embeddings = embeddings.to_vec();
        let found =
            run_blocking(move || search_index(&gallery, &embeddings, most, within, same, only.as_deref()))
                .await?;

        let mut ids: Vec<ProfileId> = found.iter().flatten().map(|hit| hit.person.into()).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut lines = HashMap::new();
        if !ids.is_empty() {
            let mut view = self.0.db.read().await?;
            for line in self.profile_flags(&mut view, account, &ids).await? {
                lines.insert(line.id, line);
            }
        }
        let candidate = |hit: SearchHit| {
            // A profile that changed since the index was searched.
            let line = lines.get(&hit.person.into())?;
            (line.active && line.kind == ProfileType::Searchable.number()).then_some(ProfileCandidate {
                profile: line.id,
                face: hit.face.into(),
                distance: hit.distance,
                is_banned: line.banned,
                is_adult: line.adult,
            })
        };
        Ok(found.into_iter().map(|hits| hits.into_iter().filter_map(candidate).collect()).collect())
    }

    /// The same for a picture of one face, and who they are.
    pub async fn search_by_picture(
        &self,
        account: AccountId,
        picture: Vec<u8>,
        most: usize,
    ) -> Result<Vec<ProfileMatch>, FaceIndexError> {
        let looked = self.extract_face(picture, ExtractionPurpose::Search).await?;
        let found = self.find_candidates(account, &[looked.embedding], most, None).await?;
        let found = found.into_iter().next().unwrap_or_default();
        let ids: Vec<_> = found.iter().map(|candidate| candidate.profile).collect();
        let profiles = self.profiles(&mut self.0.db.read().await?, account, &ids).await?;
        let mut matches = Vec::with_capacity(found.len());
        for ProfileCandidate { profile, face, distance, .. } in found {
            // One that was deleted just now is gone.
            if let Some(profile) = profiles.iter().find(|line| line.id == profile && line.active) {
                let similarity = self.similarity(distance).await?;
                matches.push(ProfileMatch { profile: profile.clone(), face, distance, similarity });
            }
        }
        Ok(matches)
    }
}

fn search_index(
    gallery: &AccountIndex,
    embeddings: &[Vec<f32>],
    most: usize,
    within: f32,
    same: f32,
    only: Option<&HashSet<ProfileId>>,
) -> Result<Vec<Vec<SearchHit>>, FaceIndexError> {
    let may = |person| only.is_none_or(|only| only.contains(&ProfileId::from(person)));
    let filter: Option<&(dyn Fn(base::Uuid) -> bool + Sync)> = only.is_some().then_some(&may);
    let ask = SearchQuery { top_k: most, max_distance: Some(within), prefilter: true, person_filter: filter };
    let queries: Vec<&[f32]> = embeddings.iter().map(Vec::as_slice).collect();
    let mut found = gallery.index.search_many(&queries, &ask)?;
    let labels = gallery.labels.read().unwrap_or_else(PoisonError::into_inner);
    for (hits, embedding) in found.iter_mut().zip(embeddings) {
        if !hits.iter().any(|hit| labels.excludes(hit.person.into(), embedding, same)) {
            continue;
        }
        // Whoever is excluded took somebody's place.
        let excluded: HashSet<_> = labels.excluded_profiles(embedding, same).into_iter().collect();
        let may = |person| may(person) && !excluded.contains(&ProfileId::from(person));
        *hits = gallery.index.search(embedding, &SearchQuery { person_filter: Some(&may), ..ask })?;
    }
    Ok(found)
}
