//! The parameters of query strings, as types. A refusal lists everything that is wrong with them.

use super::{ModerationApiError, ModerationErrorCode, error, violations::CommandViolations};
use crate::{ApiState, http::pagination::PageNumber};
use axum::{
    extract::{FromRequestParts as _, Query},
    http::request::Parts,
};
use base::{GroupId, MOMENT_WORDS, Timestamp, Uuid, parse_moment, storable_moment};
use domain::{
    CreationRange, Violation,
    content_moderation::{
        ModerationState, NotificationFilter, NotificationReason, REPORT_FINDINGS_PER_PAGE,
        contents::{self, ContentType},
    },
    faces::{ProfileText, check_name_part},
};
use std::str::FromStr;
use utoipa::IntoParams;

/// The parameters that an operation reads from its query string.
pub(crate) trait QueryParameters: Sized {
    /// Reads them; `None` only if a violation was recorded.
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self>;
}

/// A query string: names and values as text.
pub(crate) struct QueryString(Vec<(String, String)>);

impl QueryString {
    /// The value of a parameter; the last one if it is repeated.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// A parameter that may be absent; one that cannot be read counts as absent, and a violation is recorded. `wanted` says
    /// what it is, in words.
    pub(crate) fn read<T: FromStr>(
        &self,
        name: &'static str,
        wanted: impl Into<String>,
        violations: &mut CommandViolations,
    ) -> Option<T> {
        let wrong = |_| Violation::new(name, format!("it is {}", wanted.into()));
        violations.check(self.get(name)?.parse().map_err(wrong))
    }

    pub(crate) fn page(&self, violations: &mut CommandViolations) -> Option<PageNumber> {
        violations.check(PageNumber::read(self.get("page")))
    }

    /// A moment from 1970 to 9999 that may be absent.
    pub(crate) fn moment(&self, name: &'static str, violations: &mut CommandViolations) -> Option<Timestamp> {
        let wrong = || Violation::new(name, format!("it is {MOMENT_WORDS}, such as 2026-01-16T00:00:00Z"));
        violations.check(parse_moment(self.get(name)?).ok_or_else(wrong))
    }
}

pub(crate) async fn read<Q: QueryParameters>(
    parts: &mut Parts,
    api: &ApiState,
) -> Result<Q, ModerationApiError> {
    let Query(pairs): Query<Vec<(String, String)>> = Query::from_request_parts(parts, api)
        .await
        .map_err(|error| ModerationApiError::violation("query", error.body_text()))?;
    // As in bodies: one of the databases cannot compare it with anything.
    if let Some((name, _)) = pairs.iter().find(|(_, text)| text.contains('\0')) {
        return Err(ModerationApiError::violation(name.clone(), "texts have no character U+0000"));
    }
    let mut violations = CommandViolations::default();
    let read = Q::read(&QueryString(pairs), &mut violations);
    violations.into_result(read)
}

/// Refuses a page past the end of a list.
pub(crate) fn check_page(page: PageNumber, total: i64) -> Result<(), ModerationApiError> {
    page.check_within(total).map_err(|violation| {
        error::violations_with_code(ModerationErrorCode::PageOutOfRange, vec![violation])
    })
}

/// For operations without parameters.
impl QueryParameters for () {
    fn read(_query: &QueryString, _violations: &mut CommandViolations) -> Option<Self> {
        Some(())
    }
}

/// Which page of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// The page, from 1.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    pub(super) page: PageNumber,
}

impl QueryParameters for PageQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        Some(Self { page: query.page(violations)? })
    }
}

/// Which contents.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContentQuery {
    /// The page, from 1.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    pub(super) page: PageNumber,
    /// Only contents of this type.
    #[param(value_type = Option<ContentType>)]
    pub(super) r#type: Option<ContentType>,
    /// Only contents that this uploader uploaded.
    pub(super) uploader_id: Option<Uuid>,
    /// Only contents whose title contains this text; A to Z count like a to z.
    #[param(max_length = 200)]
    pub(super) title: Option<String>,
    /// Only archived contents, or only those that are not.
    pub(super) archived: Option<bool>,
    /// Only contents registered at or after this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_from: Option<Timestamp>,
    /// Only contents registered before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_before: Option<Timestamp>,
}

impl QueryParameters for ContentQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = query.page(violations);
        let content_type = query.read("type", one_of(ContentType::VARIANTS), violations);
        let uploader_id = query.read("uploader_id", "a UUID", violations);
        let title: Option<String> = query.read("title", "a text", violations);
        if let Some(title) = &title {
            violations.check(contents::check_title(title));
        }
        let archived = query.read("archived", "true or false", violations);
        let created_from = query.moment("created_from", violations);
        let created_before = query.moment("created_before", violations);
        Some(Self {
            page: page?,
            r#type: content_type,
            uploader_id,
            title,
            archived,
            created_from,
            created_before,
        })
    }
}

/// Which part of a report.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReportQuery {
    /// The page, from 1; each has 10,000 appearances.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    page: PageNumber,
}

impl ReportQuery {
    /// The number of appearances before the page.
    pub(super) fn offset(&self) -> i64 {
        (self.page.number() - 1) * REPORT_FINDINGS_PER_PAGE
    }
}

impl QueryParameters for ReportQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        Some(Self { page: violations.check(PageNumber::read(query.get("page")))? })
    }
}

/// Which notifications.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NotificationQuery {
    /// The page, from 1.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    pub(super) page: PageNumber,
    /// Only those at or after this moment, seconds since 1970.
    #[param(value_type = Option<i64>, minimum = 0)]
    pub(super) epoch: Option<Timestamp>,
    /// Only those before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_before: Option<Timestamp>,
    /// Only those for this reason.
    #[param(value_type = Option<NotificationReason>)]
    pub(super) reason: Option<NotificationReason>,
    /// Only those that somebody has accepted or dismissed, or only those that nobody has.
    pub(super) reviewed: Option<bool>,
}

impl NotificationQuery {
    pub(super) fn filter(&self) -> NotificationFilter {
        NotificationFilter {
            created: CreationRange { from: self.epoch, before: self.created_before },
            reason: self.reason,
            reviewed: self.reviewed,
        }
    }
}

impl QueryParameters for NotificationQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = query.page(violations);
        let moment = |text: &str| storable_moment(Timestamp::from_second(text.parse().ok()?).ok()?);
        let wrong = || Violation::new("epoch", "it is a moment in whole seconds since 1970");
        let epoch = query.get("epoch").map(|text| moment(text).ok_or_else(wrong));
        let epoch = violations.check(epoch.transpose());
        let created_before = query.moment("created_before", violations);
        let reason = query.read("reason", one_of(NotificationReason::VARIANTS), violations);
        let reviewed = query.read("reviewed", "true or false", violations);
        Some(Self { page: page?, epoch: epoch?, created_before, reason, reviewed })
    }
}

/// Which moderations.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ModerationQuery {
    /// The page, from 1.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    pub(super) page: PageNumber,
    /// Only moderations of contents of this type.
    #[param(value_type = Option<ContentType>)]
    pub(super) r#type: Option<ContentType>,
    /// Only moderations in this state.
    #[param(value_type = Option<ModerationState>)]
    pub(super) state: Option<ModerationState>,
    /// Only moderations started at or after this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_from: Option<Timestamp>,
    /// Only moderations started before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_before: Option<Timestamp>,
}

impl QueryParameters for ModerationQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = query.page(violations);
        let content_type = query.read("type", one_of(ContentType::VARIANTS), violations);
        let state = query.read("state", one_of(ModerationState::VARIANTS), violations);
        let created_from = query.moment("created_from", violations);
        let created_before = query.moment("created_before", violations);
        Some(Self { page: page?, r#type: content_type, state, created_from, created_before })
    }
}

/// Which profiles.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProfileQuery {
    /// The page, from 1.
    #[param(value_type = Option<u32>, minimum = 1, default = 1)]
    pub(super) page: PageNumber,
    /// Only profiles with exactly this reference.
    #[param(max_length = 200)]
    pub(super) reference: Option<String>,
    /// Only profiles whose name contains this text, of which letters and digits count, without their case and accents. The
    /// 10,000 newest profiles that the other parameters allow are looked through; see `searched_back_to` of the answer.
    #[param(min_length = 1, max_length = 200)]
    pub(super) name: Option<String>,
    /// Only banned people, or only those who are not.
    pub(super) banned: Option<bool>,
    /// Only profiles that exist, or only deleted ones.
    pub(super) active: Option<bool>,
    /// Only members of this group.
    #[param(value_type = Option<Uuid>)]
    pub(super) group_id: Option<GroupId>,
    /// Only profiles created at or after this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_from: Option<Timestamp>,
    /// Only profiles created before this moment (RFC 3339).
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) created_before: Option<Timestamp>,
}

impl QueryParameters for ProfileQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = query.page(violations);
        let reference: Option<String> = query.read("reference", "a text", violations);
        if let Some(reference) = &reference {
            violations.check(ProfileText::Reference.validate(reference));
        }
        let name: Option<String> = query.read("name", "a text", violations);
        if let Some(name) = &name {
            violations.check(check_name_part(name));
        }
        let banned = query.read("banned", "true or false", violations);
        let active = query.read("active", "true or false", violations);
        let group_id = query.read("group_id", "a UUID", violations);
        let created_from = query.moment("created_from", violations);
        let created_before = query.moment("created_before", violations);
        Some(Self { page: page?, reference, name, banned, active, group_id, created_from, created_before })
    }
}

/// The words of a closed set, for a refusal.
pub(crate) fn one_of(words: &[&str]) -> String {
    format!("one of {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_query(created_before: &str, epoch: &str) -> Option<NotificationQuery> {
        let query = QueryString(vec![
            ("created_before".to_owned(), created_before.to_owned()),
            ("epoch".to_owned(), epoch.to_owned()),
        ]);
        let mut violations = CommandViolations::default();
        let read = NotificationQuery::read(&query, &mut violations);
        violations.into_result(read).ok()
    }

    #[test]
    fn moments_are_from_1970_to_9999() {
        let (first, last) = ("1970-01-01T00:00:00Z", "9999-12-30T00:00:00Z");
        for (created_before, epoch) in [(first, "0"), (last, "253402128000")] {
            let read = read_query(created_before, epoch).unwrap();
            assert_eq!([read.epoch, read.created_before], [created_before.parse().ok(); 2]);
        }
        for (created_before, epoch) in [
            ("-009999-01-02T02:00:00Z", "0"),
            ("1969-12-31T23:59:59Z", "0"),
            ("9999-12-31T00:00:00Z", "0"),
            (first, "-300000000000"),
            (first, "-1"),
            (first, "253402214400"),
        ] {
            assert!(read_query(created_before, epoch).is_none(), "{created_before}, {epoch}");
        }
    }
}
