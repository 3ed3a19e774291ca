//! What an appearance of a face means: whose it is, how old it looks, and what of that is reported.

use crate::{
    content_moderation::{AgeGroup, ModerationParameters, NotificationReason},
    faces::ProfileCandidate,
};
use base::ProfileId;
use std::{collections::HashSet, sync::Arc};

/// The profiles that count as known.
#[derive(Clone, Debug)]
pub(super) enum KnownProfiles {
    /// Every profile of the account.
    Everybody,
    /// Those that the moderation or its content names. Banned profiles are recognised all the same.
    Only(Arc<HashSet<ProfileId>>),
}

impl KnownProfiles {
    /// Every profile if nothing is named; otherwise the profiles that are named, which an empty group has none of.
    pub(super) fn of(is_any_named: bool, named: impl Iterator<Item = ProfileId>) -> Self {
        if is_any_named { Self::Only(Arc::new(named.collect())) } else { Self::Everybody }
    }

    /// The profiles that are named, unless everybody counts.
    pub(super) fn named(&self) -> Option<Arc<HashSet<ProfileId>>> {
        match self {
            Self::Everybody => None,
            Self::Only(named) => Some(named.clone()),
        }
    }

    fn contains(&self, profile: ProfileId) -> bool {
        match self {
            Self::Everybody => true,
            Self::Only(named) => named.contains(&profile),
        }
    }
}

/// What an appearance means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FaceVerdict {
    pub(super) profile: Option<ProfileId>,
    /// The distance to the nearest face of that profile.
    pub(super) distance: Option<f32>,
    pub(super) is_banned: bool,
    pub(super) age_group: AgeGroup,
    /// What is reported, each reason once.
    pub(super) reasons: Vec<NotificationReason>,
}

/// Judges an appearance by the profiles it looks like, nearest first, and by its estimated age in years.
pub(super) fn judge_face(
    parameters: &ModerationParameters,
    known: &KnownProfiles,
    candidates: &[ProfileCandidate],
    years: Option<f32>,
) -> FaceVerdict {
    let banned = candidates.iter().find(|candidate| candidate.is_banned);
    let matched = banned.or_else(|| candidates.iter().find(|candidate| known.contains(candidate.profile)));
    let below = |age: u8| years.is_some_and(|years| years < f32::from(age));
    let only_the_age = parameters.age.is_some()
        && !parameters.unknown_faces
        && parameters.profiles.is_empty()
        && parameters.groups.is_empty();
    let age_group = match (matched, years) {
        (Some(profile), _) if profile.is_adult => AgeGroup::NotRequired,
        (_, None) => AgeGroup::Unknown,
        (_, Some(_)) if only_the_age && !parameters.age.is_some_and(below) => AgeGroup::ThresholdMet,
        (_, Some(years)) => AgeGroup::of(years),
    };
    let reasons = [
        (NotificationReason::BannedProfile, banned.is_some()),
        (NotificationReason::UnknownFace, matched.is_none() && parameters.unknown_faces),
        (NotificationReason::AgeEstimation, matched.is_none() && parameters.age.is_some_and(below)),
    ];
    FaceVerdict {
        profile: matched.map(|candidate| candidate.profile),
        distance: matched.map(|candidate| candidate.distance),
        is_banned: banned.is_some(),
        age_group,
        reasons: reasons.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{FaceId, Uuid};

    fn id(number: u128) -> ProfileId {
        Uuid::from_u128(number).into()
    }

    fn candidate(number: u128, is_banned: bool, is_adult: bool) -> ProfileCandidate {
        let face: FaceId = Uuid::from_u128(number).into();
        ProfileCandidate { profile: id(number), face, distance: 0.3, is_banned, is_adult }
    }

    fn parameters(age: Option<u8>, unknown_faces: bool) -> ModerationParameters {
        ModerationParameters {
            checks: Vec::new(),
            age,
            unknown_faces,
            profiles: Vec::new(),
            groups: Vec::new(),
            member: None,
            min_similarity: None,
            named_profile_deleted: false,
        }
    }

    /// A verdict as text: the profile's number, whether it is banned, the age group, the reasons.
    fn verdict(
        parameters: &ModerationParameters,
        known: &KnownProfiles,
        candidates: &[ProfileCandidate],
        years: Option<f32>,
    ) -> String {
        let verdict = judge_face(parameters, known, candidates, years);
        let reasons: Vec<_> = verdict.reasons.iter().map(|reason| reason.as_str()).collect();
        let profile = verdict.profile.map_or(0, |profile| Uuid::from(profile).as_u128());
        format!("{profile} {} {} {}", verdict.is_banned, verdict.age_group, reasons.join("+"))
    }

    #[test]
    fn each_appearance_is_reported_for_what_it_is() {
        let everybody = KnownProfiles::Everybody;
        let only_two = KnownProfiles::of(true, [id(2)].into_iter());
        let nobody = KnownProfiles::of(true, std::iter::empty());
        let (one, two, banned) =
            (candidate(1, false, true), candidate(2, false, false), candidate(3, true, false));
        let both = [one, two, banned];
        for (parameters, known, candidates, years, expected) in [
            (parameters(None, true), &everybody, &both[..0], Some(30.0), "0 false adult UNKNOWN_FACE"),
            (parameters(None, false), &everybody, &both[..0], Some(30.0), "0 false adult "),
            (parameters(None, true), &everybody, &both[..0], None, "0 false unknown UNKNOWN_FACE"),
            (
                parameters(Some(18), false),
                &everybody,
                &both[..0],
                Some(17.9),
                "0 false teenager_old AGE_ESTIMATION",
            ),
            (parameters(Some(18), false), &everybody, &both[..0], Some(18.0), "0 false threshold_met "),
            (
                parameters(Some(18), true),
                &everybody,
                &both[..0],
                Some(12.0),
                "0 false child UNKNOWN_FACE+AGE_ESTIMATION",
            ),
            (
                parameters(Some(18), true),
                &everybody,
                &both[..0],
                Some(20.0),
                "0 false adult_young UNKNOWN_FACE",
            ),
            (parameters(Some(0), false), &everybody, &both[..0], Some(0.0), "0 false threshold_met "),
            // Known people are not reported, however young they look.
            (parameters(Some(18), true), &everybody, &both[..1], Some(12.0), "1 false not_required "),
            (parameters(Some(18), true), &everybody, &both[1..2], Some(15.5), "2 false teenager_young "),
            // A banned person is reported even if somebody else is nearer, or others are named.
            (parameters(Some(18), true), &everybody, &both[..], Some(30.0), "3 true adult BANNED_PROFILE"),
            (parameters(None, true), &only_two, &both[2..], Some(30.0), "3 true adult BANNED_PROFILE"),
            // Where an empty group is named, nobody is known.
            (
                parameters(Some(18), true),
                &nobody,
                &both[..1],
                Some(12.0),
                "0 false child UNKNOWN_FACE+AGE_ESTIMATION",
            ),
            // If profiles are named, all others count as unknown.
            (parameters(None, true), &only_two, &both[..1], Some(30.0), "0 false adult UNKNOWN_FACE"),
            (parameters(None, true), &only_two, &both[..2], Some(30.0), "2 false adult "),
        ] {
            assert_eq!(verdict(&parameters, known, candidates, years), expected);
        }
    }
}
