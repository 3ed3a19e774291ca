//! What an appearance means: whose it is, how old it looks, and whom that is told.

use crate::{
    content_moderation::{AgeGroup, ModerationParameters, NotificationReason},
    faces::ProfileCandidate,
};
use base::ProfileId;
use std::{collections::HashSet, sync::Arc};

/// Who counts as known.
#[derive(Clone, Debug)]
pub(super) enum KnownProfiles {
    /// Every profile of the account.
    Everybody,
    /// Those that the moderation or its content names. Banned ones are recognised anyway.
    Only(Arc<HashSet<ProfileId>>),
}

impl KnownProfiles {
    /// Those who are named, or everybody where nobody is.
    pub(super) fn of(named: impl Iterator<Item = ProfileId>) -> Self {
        let named: HashSet<_> = named.collect();
        if named.is_empty() { Self::Everybody } else { Self::Only(Arc::new(named)) }
    }

    fn contains(&self, profile: ProfileId) -> bool {
        match self {
            Self::Everybody => true,
            Self::Only(named) => named.contains(&profile),
        }
    }
}

/// What was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FaceVerdict {
    pub(super) profile: Option<ProfileId>,
    pub(super) is_banned: bool,
    pub(super) age_group: AgeGroup,
    /// Why somebody is told, each reason once.
    pub(super) reasons: Vec<NotificationReason>,
}

/// Judges an appearance by whom it looks like, nearest first, and how old.
pub(super) fn judge_face(
    wanted: &ModerationParameters,
    known: &KnownProfiles,
    candidates: &[ProfileCandidate],
    years: Option<f32>,
) -> FaceVerdict {
    let banned = candidates.iter().find(|candidate| candidate.is_banned);
    let whose = banned.or_else(|| candidates.iter().find(|candidate| known.contains(candidate.profile)));
    let below = |age: u8| years.is_some_and(|years| years < f32::from(age));
    let only_the_age = wanted.age.is_some()
        && !wanted.unknown_faces
        && wanted.profiles.is_empty()
        && wanted.groups.is_empty();
    let age_group = match (whose, years) {
        (Some(whose), _) if whose.is_adult => AgeGroup::NotRequired,
        (_, None) => AgeGroup::Unknown,
        (_, Some(_)) if only_the_age && !wanted.age.is_some_and(below) => AgeGroup::ThresholdMet,
        (_, Some(years)) => AgeGroup::of(years),
    };
    let reasons = [
        (NotificationReason::BannedProfile, banned.is_some()),
        (NotificationReason::UnknownFace, whose.is_none() && wanted.unknown_faces),
        (NotificationReason::AgeEstimation, whose.is_none() && wanted.age.is_some_and(below)),
    ];
    FaceVerdict {
        profile: whose.map(|whose| whose.profile),
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

    fn wanted(age: Option<u8>, unknown_faces: bool) -> ModerationParameters {
        ModerationParameters {
            checks: Vec::new(),
            age,
            unknown_faces,
            profiles: Vec::new(),
            groups: Vec::new(),
            member: None,
        }
    }

    /// Whose, banned, age group, reasons.
    fn told(
        wanted: &ModerationParameters,
        known: &KnownProfiles,
        candidates: &[ProfileCandidate],
        years: Option<f32>,
    ) -> String {
        let verdict = judge_face(wanted, known, candidates, years);
        let reasons: Vec<_> = verdict.reasons.iter().map(|reason| reason.as_str()).collect();
        let whose = verdict.profile.map_or(0, |profile| Uuid::from(profile).as_u128());
        format!("{whose} {} {} {}", verdict.is_banned, verdict.age_group, reasons.join("+"))
    }

    #[test]
    fn each_appearance_is_told_for_what_it_is() {
        let everybody = KnownProfiles::Everybody;
        let only_two = KnownProfiles::of([id(2)].into_iter());
        let (one, two, banned) =
            (candidate(1, false, true), candidate(2, false, false), candidate(3, true, false));
        let both = [one, two, banned];
        for (wanted, known, candidates, years, expected) in [
            (wanted(None, true), &everybody, &both[..0], Some(30.0), "0 false adult UNKNOWN_FACE"),
            (wanted(None, false), &everybody, &both[..0], Some(30.0), "0 false adult "),
            (wanted(None, true), &everybody, &both[..0], None, "0 false unknown UNKNOWN_FACE"),
            (
                wanted(Some(18), false),
                &everybody,
                &both[..0],
                Some(17.9),
                "0 false teenager_old AGE_ESTIMATION",
            ),
            (wanted(Some(18), false), &everybody, &both[..0], Some(18.0), "0 false threshold_met "),
            (
                wanted(Some(18), true),
                &everybody,
                &both[..0],
                Some(12.0),
                "0 false child UNKNOWN_FACE+AGE_ESTIMATION",
            ),
            (wanted(Some(18), true), &everybody, &both[..0], Some(20.0), "0 false adult_young UNKNOWN_FACE"),
            (wanted(Some(0), false), &everybody, &both[..0], Some(0.0), "0 false threshold_met "),
            // Known ones are not told, however young they look.
            (wanted(Some(18), true), &everybody, &both[..1], Some(12.0), "1 false not_required "),
            (wanted(Some(18), true), &everybody, &both[1..2], Some(15.5), "2 false teenager_young "),
            // A banned one is told even where somebody else is nearer, and where they are not named.
            (wanted(Some(18), true), &everybody, &both[..], Some(30.0), "3 true adult BANNED_PROFILE"),
            (wanted(None, true), &only_two, &both[2..], Some(30.0), "3 true adult BANNED_PROFILE"),
            // Where some are named, others are nobody.
            (wanted(None, true), &only_two, &both[..1], Some(30.0), "0 false adult UNKNOWN_FACE"),
            (wanted(None, true), &only_two, &both[..2], Some(30.0), "2 false adult "),
        ] {
            assert_eq!(told(&wanted, known, candidates, years), expected);
        }
    }
}
