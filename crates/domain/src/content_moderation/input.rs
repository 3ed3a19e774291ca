//! Moderations as callers send them, and the rules that can be checked without the database.

use super::{NotificationDestinations, contents};
use crate::{
    delivery::Outbox,
    violation::{Violation, check_max_items, violation},
};
use base::{ContentId, GroupId, MemberId, ProfileId};
use std::{collections::HashSet, ops::RangeInclusive};

/// How many destinations of each kind a moderation may have.
const MAX_DESTINATIONS_PER_KIND: usize = 20;
/// How many profiles a moderation may name, and how many groups.
const MAX_PROFILES_OR_GROUPS: usize = 1000;

/// A moderation as a caller sent it, not validated.
#[derive(Clone, Debug, Default)]
pub struct ModerationInput {
    pub content_id: Option<ContentId>,
    /// The profiles that count as known.
    pub profile_ids: Vec<ProfileId>,
    /// Groups whose profiles count as known.
    pub group_ids: Vec<GroupId>,
    /// Unknown faces that look younger are reported: years, 0 to 100.
    pub age_estimation: Option<i64>,
    /// Whether faces that match no known profile are reported.
    pub unknown_faces: bool,
    /// Where notifications are sent.
    pub destinations: NotificationDestinations,
    /// The member in whose inbox they are put.
    pub member_id: Option<MemberId>,
    /// How similar a face must be to a profile's to match it, 0 to 1.
    pub min_similarity: Option<f64>,
}

/// A moderation that is valid, as far as that can be told without looking at what the account has.
#[derive(Clone, Debug)]
pub struct ModerationRequest {
    pub(super) content: ContentId,
    pub(super) profiles: Vec<ProfileId>,
    pub(super) groups: Vec<GroupId>,
    pub(super) age: Option<u8>,
    pub(super) unknown_faces: bool,
    pub(super) destinations: NotificationDestinations,
    pub(super) member: Option<MemberId>,
    pub(super) min_similarity: Option<f64>,
}

impl ModerationInput {
    /// Checks every rule that does not depend on what the account has; the error lists all that are broken.
    pub(super) fn validate(
        self,
        outbox: &Outbox,
        similarities: RangeInclusive<f64>,
    ) -> Result<ModerationRequest, Vec<Violation>> {
        let mut violations = Vec::new();
        if self.content_id.is_none() {
            violations.push(violation("content_id", "it is required"));
        }
        let (profiles, groups) = (self.profile_ids.len(), self.group_ids.len());
        violations
            .extend(check_max_items("profile_ids", profiles, MAX_PROFILES_OR_GROUPS, "use a group").err());
        violations
            .extend(check_max_items("group_ids", groups, MAX_PROFILES_OR_GROUPS, "name fewer groups").err());
        let age = self
            .age_estimation
            .and_then(|years| validate_age(years).map_err(|bad| violations.push(bad)).ok());
        violations.extend(self.destinations.violations(outbox));
        violations.extend(self.min_similarity.and_then(|value| check_similarity(value, &similarities).err()));
        match self.content_id {
            Some(content) if violations.is_empty() => Ok(ModerationRequest {
                content,
                profiles: self.profile_ids,
                groups: self.group_ids,
                age,
                unknown_faces: self.unknown_faces,
                destinations: self.destinations.deduplicated(),
                member: self.member_id,
                min_similarity: self.min_similarity,
            }),
            _ => Err(violations),
        }
    }
}

impl NotificationDestinations {
    fn violations(&self, outbox: &Outbox) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (path, urls) in
            [("notifications.web_destinations", &self.web), ("notifications.slack_destinations", &self.slack)]
        {
            let count =
                check_max_items(path, urls.len(), MAX_DESTINATIONS_PER_KIND, "name fewer destinations");
            if let Err(too_many) = count {
                violations.push(too_many);
                continue;
            }
            let check =
                |(at, url): (usize, &String)| contents::check_url(outbox, format!("{path}[{at}]"), url).err();
            violations.extend(urls.iter().enumerate().filter_map(check));
        }
        violations
    }

    fn deduplicated(self) -> Self {
        let each_once = |urls: Vec<String>| {
            let mut seen = HashSet::new();
            let urls = urls.into_iter().map(contents::with_lower_case_scheme);
            urls.filter(|url| seen.insert(url.clone())).collect()
        };
        Self { web: each_once(self.web), slack: each_once(self.slack) }
    }
}

pub(super) fn check_similarity(value: f64, allowed: &RangeInclusive<f64>) -> Result<(), Violation> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let (least, most) = (allowed.start(), allowed.end());
    let limit = format!("{least} to {most}");
    let message = format!("it is a number from {limit}");
    let measured = base::LimitViolation::new(value, &limit, "state one that the operator allows");
    Err(Violation { path: "min_similarity".into(), message, measured: Some(measured) })
}

fn validate_age(years: i64) -> Result<u8, Violation> {
    u8::try_from(years).ok().filter(|years| *years <= 100).ok_or_else(|| {
        let measured = base::LimitViolation::new(years as f64, "0 to 100", "state an age in years");
        Violation {
            path: "age_estimation".into(),
            message: "it is a whole number from 0 to 100".to_owned(),
            measured: Some(measured),
        }
    })
}
