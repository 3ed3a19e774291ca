//! Refusals: one type for all interfaces. Each interface defines its table of codes, and the body of a refusal.

use super::{auth::RateLimitError, body::BodyError, json::JsonError, request_context};
use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base::LimitViolation;
use db::DbError;
use domain::{
    Violation,
    tenancy::limits::{CallRefusal, CallWindowUsedUpError, LimitError, LimitReachedError},
};
use serde::Serialize;
use std::{borrow::Cow, collections::BTreeMap, fmt::Debug, io, time::Duration};
use tokio::task::JoinError;
use utoipa::openapi::{
    AllOfBuilder, ContentBuilder, ObjectBuilder, Ref, RefOr, ResponseBuilder, Schema, Type,
    response::Response as DocumentedResponse,
};

/// What helps whoever has reached a limit.
const WAIT_HINT: &str = "wait as long as Retry-After says";

/// `Retry-After` when a database or a model does not answer.
const RETRY_AFTER_OUTAGE: Duration = Duration::from_secs(1);

/// An interface's error table: its codes, and how a refusal looks.
pub(crate) trait ErrorTable: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Every row.
    const ALL: &'static [Self];
    /// The member of the body that has the code.
    const CODE_MEMBER: &'static str;
    /// Nothing is at this address.
    const NOT_FOUND: Self;
    /// The body cannot be read.
    const MALFORMED_BODY: Self;
    /// The body is longer than the operation reads.
    const PAYLOAD_TOO_LARGE: Self;
    /// The caller has reached the rate limit.
    const TOO_MANY_REQUESTS: Self;
    /// An error of this server.
    const INTERNAL: Self;
    /// Temporarily unavailable.
    const UNAVAILABLE: Self;

    /// The body of a refusal.
    type Body<'a>: Serialize;

    /// The code as it is sent, with the default brand.
    fn as_str(self) -> &'static str;

    /// The HTTP status of the row.
    fn status(self) -> StatusCode;

    /// The body of a refusal.
    fn body(error: &ApiError<Self>) -> Self::Body<'_>;

    /// Refuses values that are well-formed and cannot be used; there is at least one.
    fn from_violations(violations: Vec<Violation>) -> ApiError<Self>;

    /// Refuses members and headers of a wrong type or form; there is at least one.
    fn from_malformed(violations: Vec<Violation>) -> ApiError<Self> {
        Self::from_violations(violations)
    }

    /// The row for a key that was used with another body. Interfaces without `Idempotency-Key` have no such row.
    fn idempotency_key_reused() -> Self {
        Self::INTERNAL
    }

    /// An additional header of a refusal, besides `Retry-After`.
    fn headers(self) -> Option<(HeaderName, HeaderValue)> {
        None
    }
}

/// A refusal: a row of the interface's table, a message, and what is known of the cause.
#[derive(Debug)]
pub(crate) struct ApiError<T> {
    pub(crate) code: T,
    /// What went wrong, for a developer.
    pub(crate) message: Cow<'static, str>,
    /// The members of the request that are wrong.
    pub(crate) violations: Vec<Violation>,
    /// What was measured, where a limit was broken.
    pub(crate) measured: Option<Box<LimitViolation>>,
    retry_after: Option<Duration>,
}

/// The code of a refusal, for the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoggedErrorCode(pub(crate) &'static str);

impl<T: ErrorTable> ApiError<T> {
    pub(crate) fn new(code: T, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), violations: Vec::new(), measured: None, retry_after: None }
    }

    pub(crate) fn with_violations(self, violations: Vec<Violation>) -> Self {
        Self { violations, ..self }
    }

    pub(crate) fn with_measured(self, measured: impl Into<Option<LimitViolation>>) -> Self {
        Self { measured: measured.into().map(Box::new), ..self }
    }

    /// Adds `Retry-After`.
    pub(crate) fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// Refuses a member of the request.
    pub(crate) fn violation(path: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        T::from_violations(vec![Violation::new(path, message)])
    }

    /// Nothing is at this address.
    pub(crate) fn no_such_endpoint() -> Self {
        Self::new(T::NOT_FOUND, "there is no such endpoint; the reference is at /reference")
    }

    /// An error of this server. The cause is logged here, and is not part of the answer.
    pub(crate) fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error, "request failed");
        Self::internal_error()
    }

    /// An error of this server whose cause was logged before.
    pub(crate) fn internal_error() -> Self {
        Self::new(T::INTERNAL, "internal error; the log has it under this answer's X-Request-Id")
    }

    /// Temporarily unavailable; the cause is logged here.
    pub(crate) fn unavailable(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::warn!(error, "temporarily unavailable");
        Self::busy(RETRY_AFTER_OUTAGE)
    }

    /// Temporarily unavailable, because a task ended without a result. That is logged here without the message of a panic, which
    /// may quote what the task was reading.
    pub(crate) fn broken_task(broken: JoinError) -> Self {
        Self::unavailable(&io::Error::from(broken))
    }

    /// Temporarily unavailable because of high load.
    pub(crate) fn busy(wait: Duration) -> Self {
        Self::new(T::UNAVAILABLE, "temporarily unavailable, try again").with_retry_after(wait)
    }

    /// The caller has reached a limit that `limit` states, and may try again after `wait`.
    fn limit_reached(
        message: impl Into<Cow<'static, str>>,
        measured: f64,
        limit: String,
        wait: Duration,
    ) -> Self {
        Self::new(T::TOO_MANY_REQUESTS, message)
            .with_measured(LimitViolation::new(measured, limit, WAIT_HINT))
            .with_retry_after(wait)
    }

    /// What was measured, the limit and what to do about it, as bodies have them; nothing where no limit was broken.
    pub(crate) fn limit_members(&self) -> (Option<f64>, Option<&str>, Option<&'static str>) {
        match self.measured.as_deref() {
            Some(broken) => (Some(broken.measured), Some(&broken.limit), Some(broken.hint)),
            None => (None, None, None),
        }
    }

    /// The code for the body: [`ErrorTable::as_str`] with the brand of this server.
    pub(crate) fn branded_code(&self) -> Cow<'static, str> {
        request_context::brand_code(self.code.as_str())
    }
}

impl<T: ErrorTable> IntoResponse for ApiError<T> {
    fn into_response(self) -> Response {
        let mut response = (self.code.status(), Json(T::body(&self))).into_response();
        response.extensions_mut().insert(LoggedErrorCode(self.code.as_str()));
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.headers_mut().extend(self.code.headers());
        response
    }
}

impl<T: ErrorTable> From<Violation> for ApiError<T> {
    fn from(violation: Violation) -> Self {
        T::from_violations(vec![violation])
    }
}

impl<T: ErrorTable> From<Vec<Violation>> for ApiError<T> {
    fn from(violations: Vec<Violation>) -> Self {
        T::from_violations(violations)
    }
}

impl<T: ErrorTable> From<JsonError> for ApiError<T> {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Syntax(words) => Self::new(T::MALFORMED_BODY, words),
            JsonError::Violations(violations) => T::from_malformed(violations),
        }
    }
}

impl<T: ErrorTable> From<BodyError> for ApiError<T> {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(measured) => {
                let limit =
                    measured.as_ref().map(|measured| format!(": {}", measured.limit)).unwrap_or_default();
                let message = format!("the body is too large{limit}");
                Self::new(T::PAYLOAD_TOO_LARGE, message).with_measured(measured)
            }
            BodyError::BrokenOff => Self::new(T::MALFORMED_BODY, "the body broke off"),
            BodyError::Late => Self::new(T::MALFORMED_BODY, "the body did not arrive in time"),
            BodyError::NoMemory(wait) => Self::busy(wait),
        }
    }
}

impl<T: ErrorTable> From<RateLimitError> for ApiError<T> {
    fn from(RateLimitError(allowance): RateLimitError) -> Self {
        let limit = format!("at most {} calls at once, and then evenly", allowance.limit);
        let message = format!("too many calls: {limit}");
        Self::limit_reached(message, allowance.limit.into(), limit, allowance.reset)
    }
}

impl<T: ErrorTable> From<CallWindowUsedUpError> for ApiError<T> {
    fn from(refused: CallWindowUsedUpError) -> Self {
        let CallWindowUsedUpError { kind, left } = refused;
        let limit = format!("at most {} calls until the next window ({kind} of the application)", left.limit);
        Self::limit_reached(refused.to_string(), left.used() as f64, limit, left.reset)
    }
}

impl<T: ErrorTable> From<CallRefusal> for ApiError<T> {
    fn from(error: CallRefusal) -> Self {
        match error {
            CallRefusal::UsedUp(refused) => refused.into(),
            CallRefusal::Db(error) => error.into(),
        }
    }
}

impl<T: ErrorTable> From<LimitReachedError> for ApiError<T> {
    fn from(reached: LimitReachedError) -> Self {
        let LimitReachedError { kind, measured, limit, retry_after } = reached;
        let limit = format!("at most {limit} ({kind} of the application)");
        Self::limit_reached(reached.to_string(), measured as f64, limit, retry_after)
    }
}

impl<T: ErrorTable> From<LimitError> for ApiError<T> {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}

impl<T: ErrorTable> From<DbError> for ApiError<T> {
    fn from(error: DbError) -> Self {
        Self::unavailable(&error)
    }
}

/// The refusals of an operation for its OpenAPI document, by status; each row of the table once.
pub(crate) fn document_error_responses<T: ErrorTable>(
    groups: &[&[T]],
) -> BTreeMap<String, RefOr<DocumentedResponse>> {
    let mut by_status = BTreeMap::<u16, Vec<&'static str>>::new();
    for code in T::ALL.iter().filter(|code| groups.iter().any(|group| group.contains(code))) {
        by_status.entry(code.status().as_u16()).or_default().push(code.as_str());
    }
    let response = |(status, codes): (u16, Vec<&'static str>)| {
        let code = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(codes.iter().copied()));
        let narrowed = ObjectBuilder::new().property(T::CODE_MEMBER, code).required(T::CODE_MEMBER);
        let schema = AllOfBuilder::new().item(Ref::from_schema_name("Error")).item(narrowed);
        let content = ContentBuilder::new().schema(Some(RefOr::T(Schema::AllOf(schema.build())))).build();
        let response = ResponseBuilder::new()
            .description(format!("`{}` is one of: {}.", T::CODE_MEMBER, codes.join(", ")))
            .content("application/json", content);
        (status.to_string(), RefOr::T(response.build()))
    };
    by_status.into_iter().map(response).collect()
}

/// Declares an interface's error codes.
macro_rules! error_codes {
    ($(#[$doc:meta])* pub enum $table:ident; $($name:ident => $status:ident $word:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $table { $($name),* }

        impl $table {
            /// Every row, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as it is sent, with the default brand.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            /// The HTTP status of the row.
            pub const fn status(self) -> axum::http::StatusCode {
                match self { $(Self::$name => axum::http::StatusCode::$status),* }
            }
        }
    };
}
pub(crate) use error_codes;

/// Declares which rows of a table operations can answer with, for their OpenAPI documents: a type for each operation or
/// kind of operation, for use in `responses(…)`. The row for errors of this server is in each.
macro_rules! error_responses {
    ($table:ty; $($name:ident: $($codes:expr),+;)*) => {$(
        #[doc = concat!("Refusals of an operation: ", stringify!($name), ".")]
        pub(crate) struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<
                String,
                utoipa::openapi::RefOr<utoipa::openapi::response::Response>,
            > {
                use $crate::http::error::ErrorTable;
                let groups: &[&[$table]] = &[$($codes),+, &[<$table as ErrorTable>::INTERNAL]];
                $crate::http::error::document_error_responses(groups)
            }
        }
    )*};
}
pub(crate) use error_responses;
