//! The rules that a request must follow. Each violation names the member that breaks a rule by its path in the payload.

use super::{
    DocumentSessionRequest, MAX_REQUESTED_ITEMS, RESOURCES_TTL_SECONDS, RequestedCheck, SdkConfig,
    WebhookSubscription,
};
use crate::{
    delivery::Outbox,
    document_verification::{
        identity_sources::IdentitySources,
        restrictions::is_country_code,
        types::{RetryCategory, TaskType, VerificationCheckType},
    },
    redirect_url::{check_link_url, check_redirect_url},
    time_left::whole_seconds_until,
    violation::Violation,
};
use age_methods::identity_source::IdentitySourceKind;
use base::{LimitViolation, Timestamp};
use std::ops::RangeInclusive;

/// Attempts after the first that may be asked for.
const RETRY_COUNT_RANGE: RangeInclusive<i64> = 0..=10;

impl DocumentSessionRequest {
    /// Everything that is wrong with the request; empty if nothing is. `sources` are those that checks may ask; `None` in
    /// a sandbox, where nobody is asked.
    pub(in crate::document_verification) fn violations(
        &self,
        now: Timestamp,
        outbox: &Outbox,
        sources: Option<&IdentitySources>,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        let resources_ttl = out_of_range("resources_ttl", self.resources_ttl, &RESOURCES_TTL_SECONDS);
        found.extend(resources_ttl.or_else(|| self.early_destruction(now)));
        found.extend(self.notifications.iter().flat_map(|subscription| subscription.violations(outbox)));
        for (at, check) in self.checks.iter().enumerate() {
            let path = format!("requested_checks[{at}].config.max_retries");
            found.extend(out_of_range(path, check.max_retries, &RETRY_COUNT_RANGE));
        }
        found.extend(self.sdk_config.violations());
        found.extend(self.inconsistencies());
        found.extend(sources.into_iter().flat_map(|sources| self.missing_sources(sources)));
        found
    }

    /// Resources that would be destroyed while the end user still supplies them.
    fn early_destruction(&self, now: Timestamp) -> Option<Violation> {
        let (kept, least) = (self.resources_ttl, whole_seconds_until(self.until, now));
        let message =
            format!("it is {kept}; the end user has {least} seconds, so at least as many are expected");
        let hint = "keep them for as long as the end user has, or give the end user less time";
        let measured = LimitViolation::new(kept as f64, format!("at least {least} seconds"), hint);
        (kept < least).then(|| Violation::with_limit("resources_ttl", message, measured))
    }

    /// What asks for a source that is not set up.
    fn missing_sources(&self, sources: &IdentitySources) -> Vec<Violation> {
        let mut found = Vec::new();
        for (at, check) in self.checks.iter().enumerate() {
            let path = format!("requested_checks[{at}]");
            let of_kind = match check.kind {
                VerificationCheckType::Watchlist => Some((IdentitySourceKind::Watchlist, "type")),
                VerificationCheckType::ThirdPartyIdentity => {
                    Some((IdentitySourceKind::ThirdPartyIdentity, "type"))
                }
                VerificationCheckType::Authenticity if check.issuing_authority => {
                    let member = "config.issuing_authority_sub_check.requested";
                    Some((IdentitySourceKind::IssuingAuthority, member))
                }
                _ => None,
            };
            if let Some((source, member)) = of_kind.filter(|(source, _)| !sources.has(*source)) {
                let message = format!("this server has no provider that answers it ({})", source.name());
                found.push(Violation::new(format!("{path}.{member}"), message));
            }
        }
        found
    }

    /// Checks and tasks that lack something they depend on, or are requested twice.
    fn inconsistencies(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        let has = |kind| self.checks.iter().any(|check| check.kind == kind);
        for (at, check) in self.checks.iter().enumerate() {
            let kind_path = format!("requested_checks[{at}].type");
            if matches!(check.kind, VerificationCheckType::FaceMatch | VerificationCheckType::FaceComparison)
                && !has(VerificationCheckType::Liveness)
            {
                let message = format!("{} needs a check LIVENESS, whose face it compares", check.kind);
                found.push(Violation::new(kind_path.clone(), message));
            }
            let repeated = |other: &RequestedCheck| {
                other.kind == check.kind
                    && other.filter == check.filter
                    && other.liveness_type == check.liveness_type
            };
            let is_about_documents =
                matches!(check.kind, VerificationCheckType::Authenticity | VerificationCheckType::FaceMatch);
            if check.filter.is_some() && !is_about_documents {
                let message =
                    format!("{} is not about one identity document, so it takes no filter", check.kind);
                found.push(Violation::new(format!("requested_checks[{at}].filter"), message));
            }
            if check.issuing_authority && check.kind != VerificationCheckType::Authenticity {
                let path = format!("requested_checks[{at}].config.issuing_authority_sub_check");
                let message = format!("{} has no such sub-check", check.kind);
                found.push(Violation::new(path, message));
            }
            if !check.watchlist_categories.is_empty() && check.kind != VerificationCheckType::Watchlist {
                let path = format!("requested_checks[{at}].config.categories");
                found.push(Violation::new(path, format!("{} has no categories", check.kind)));
            }
            if self.checks.iter().take(at).any(repeated) {
                let message = "the same check is asked for twice";
                found.push(Violation::new(format!("requested_checks[{at}]"), message));
            }
            if check.kind == VerificationCheckType::Comparison && self.documents.len() < 2 {
                let message = "ID_DOCUMENT_COMPARISON needs two required_documents to compare";
                found.push(Violation::new(kind_path, message));
            }
        }
        for (at, task) in self.tasks.iter().enumerate() {
            if self.tasks.iter().take(at).any(|other| other.kind == task.kind) {
                let message = "the same task is asked for twice";
                found.push(Violation::new(format!("requested_tasks[{at}]"), message));
            }
        }
        found
    }
}

impl WebhookSubscription {
    fn violations(&self, outbox: &Outbox) -> Vec<Violation> {
        let mut found = Vec::new();
        let unfit = |token: &str| token.chars().any(|c| c.is_control() || !c.is_ascii());
        if self.auth_token.as_deref().is_some_and(unfit) {
            let message = "it has characters that no header can carry";
            found.push(Violation::new("notifications.auth_token", message));
        }
        if let Err(refused) = outbox.check_destination(&self.endpoint, true) {
            found.push(Violation::new("notifications.endpoint", refused.to_string()));
        }
        found
    }
}

impl SdkConfig {
    fn violations(&self) -> Vec<Violation> {
        let (mut found, mut counts_out_of_range) = (Vec::new(), Vec::new());
        let mut refuse = |name: &str, message: String| {
            found.push(Violation::new(format!("sdk_config.{name}"), message));
        };
        for (name, colour) in [
            ("primary_colour", &self.primary_colour),
            ("primary_colour_dark_mode", &self.primary_colour_dark_mode),
            ("secondary_colour", &self.secondary_colour),
            ("font_colour", &self.font_colour),
        ] {
            if colour.as_deref().is_some_and(|text| !is_colour(text)) {
                refuse(name, "it is not a colour, which is # and three or six hexadecimal digits".to_owned());
            }
        }
        if self.locale.as_deref().is_some_and(|locale| locale.trim().is_empty()) {
            refuse("locale", "it is empty".to_owned());
        }
        if self.preset_issuing_country.as_deref().is_some_and(|code| !is_country_code(code)) {
            refuse("preset_issuing_country", "it is not an ISO 3166-1 alpha-3 code".to_owned());
        }
        for (name, checked) in [
            ("success_url", self.success_url.as_deref().map(check_redirect_url)),
            ("error_url", self.error_url.as_deref().map(check_redirect_url)),
            ("privacy_policy_url", self.privacy_policy_url.as_deref().map(check_link_url)),
        ] {
            if let Some(Err(refused)) = checked {
                refuse(name, refused.to_string());
            }
        }
        for (task, counts) in &self.attempts_configuration {
            if task.parse::<TaskType>().is_err() {
                let message = format!("it is one of {}", TaskType::VARIANTS.join(", "));
                refuse(&format!("attempts_configuration.{task}"), message);
                continue;
            }
            for (name, count) in counts {
                if name.parse::<RetryCategory>().is_err() {
                    let message = format!("it is one of {}", RetryCategory::VARIANTS.join(", "));
                    refuse(&format!("attempts_configuration.{task}.{name}"), message);
                }
                let path = format!("sdk_config.attempts_configuration.{task}.{name}");
                counts_out_of_range.extend(out_of_range(path, *count, &RETRY_COUNT_RANGE));
            }
        }
        if self.attempts_configuration.len() > MAX_REQUESTED_ITEMS {
            refuse("attempts_configuration", format!("at most {MAX_REQUESTED_ITEMS} members are taken"));
        }
        found.extend(counts_out_of_range);
        found
    }
}

/// The violation of a number that is outside of its range.
fn out_of_range(path: impl Into<String>, number: i64, range: &RangeInclusive<i64>) -> Option<Violation> {
    let (least, most) = (range.start(), range.end());
    let message = format!("it is {number}; a whole number from {least} to {most} is expected");
    let measured =
        LimitViolation::new(number as f64, format!("{least} to {most}"), "choose a number in this range");
    (!range.contains(&number)).then(|| Violation::with_limit(path.into(), message, measured))
}

/// Whether a text is `#` and three or six hexadecimal digits.
fn is_colour(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}
