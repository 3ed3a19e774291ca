//! The parameters of query strings, as types. A refusal lists everything that is wrong with them.

use super::{ModerationApiError, ModerationErrorCode, error, violations::CommandViolations};
use crate::{ApiState, http::pagination::PageNumber};
use axum::{
    extract::{FromRequestParts as _, Query},
    http::request::Parts,
};
use base::Timestamp;
use domain::{Violation, content_moderation::contents::ContentType};
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
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}

pub(super) async fn read<Q: QueryParameters>(
    parts: &mut Parts,
    api: &ApiState,
) -> Result<Q, ModerationApiError> {
    let Query(pairs) = Query::from_request_parts(parts, api)
        .await
        .map_err(|error| ModerationApiError::violation("query", error.body_text()))?;
    let mut violations = CommandViolations::default();
    let read = Q::read(&QueryString(pairs), &mut violations);
    violations.into_result(read)
}

/// Refuses a page past the end of a list.
pub(super) fn check_page(page: PageNumber, total: i64) -> Result<(), ModerationApiError> {
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
    #[param(value_type = Option<i64>)]
    pub(super) epoch: Option<Timestamp>,
}

impl QueryParameters for NotificationQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = violations.check(PageNumber::read(query.get("page")));
        let moment = |text: &str| text.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        let wrong = || Violation::new("epoch", "it is a moment in whole seconds since 1970");
        let epoch = query.get("epoch").map(|text| moment(text).ok_or_else(wrong));
        let epoch = violations.check(epoch.transpose());
        Some(Self { page: page?, epoch: epoch? })
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
}

impl QueryParameters for ModerationQuery {
    fn read(query: &QueryString, violations: &mut CommandViolations) -> Option<Self> {
        let page = violations.check(PageNumber::read(query.get("page")));
        let wrong = |_| Violation::new("type", format!("it is one of {}", ContentType::VARIANTS.join(", ")));
        let content_type = query.get("type").map(|word| word.parse().map_err(wrong));
        let content_type = violations.check(content_type.transpose());
        Some(Self { page: page?, r#type: content_type? })
    }
}
