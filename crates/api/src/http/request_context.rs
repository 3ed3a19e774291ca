//! The context of the request that is being answered: its id, its span, the authenticated application, and what is left of
//! the rate limit. Every answer has the id in `X-Request-Id`, and every log line of a request has the fields of the span.

use super::{
    Brand,
    auth::RateLimitAllowance,
    error::LoggedErrorCode,
    header_text,
    operations::{Operations, PathOperations},
};
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use base::{AccountId, AppId, Environment, MemberId, Uuid};
use domain::request_log::{LoggedRequest, RequestLog};
use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Instant,
};
use tracing::{
    Instrument as _, Span,
    field::{Empty, display},
};

pub(crate) const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The longest name of a client library that is logged, bytes.
const MAX_SDK_NAME_BYTES: usize = 64;

/// What is the same for all requests.
#[derive(Debug)]
pub(crate) struct RequestTracer {
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) brand: Brand,
    pub(crate) operations: Arc<Operations>,
    /// Where requests of applications are noted.
    pub(crate) log: Option<RequestLog>,
}

#[derive(Debug)]
struct RequestContext {
    id: Uuid,
    span: Span,
    tracer: Arc<RequestTracer>,
    /// Whether `account.id` is recorded by the path.
    names_account: bool,
    app: OnceLock<AppId>,
    member: OnceLock<MemberId>,
    allowance: OnceLock<RateLimitAllowance>,
}

tokio::task_local! {
    static CURRENT_CONTEXT: Arc<RequestContext>;
}

/// The id of the current request; nil outside of a request.
pub(crate) fn request_id() -> Uuid {
    CURRENT_CONTEXT.try_with(|context| context.id).unwrap_or_default()
}

/// An error code with this server's brand in it.
pub(crate) fn brand_code(code: &'static str) -> Cow<'static, str> {
    CURRENT_CONTEXT.try_with(|context| context.tracer.brand.code(code)).unwrap_or(Cow::Borrowed(code))
}

/// Records which application the request was authenticated as.
pub(crate) fn note_application(app: AppId) {
    let _outside_of_a_request = CURRENT_CONTEXT.try_with(|context| {
        // Recorded once: the log would repeat the field.
        if context.app.set(app).is_ok() {
            context.span.record("app.id", display(app));
        }
    });
}

/// Records which member the request was authenticated as, and their account.
pub(crate) fn note_member(account: AccountId, member: MemberId) {
    let _outside_of_a_request = CURRENT_CONTEXT.try_with(|context| {
        if context.member.set(member).is_ok() {
            context.span.record("member.id", display(member));
            if !context.names_account {
                context.span.record("account.id", display(account));
            }
        }
    });
}

/// Records what is left of the caller's rate limit.
pub(crate) fn note_allowance(allowance: RateLimitAllowance) {
    let _outside_of_a_request = CURRENT_CONTEXT.try_with(|context| context.allowance.set(allowance).is_ok());
}

/// Gives the request an id and a span, logs one line about it and counts it. Neither the query, which carries tokens, nor
/// a body is logged.
pub(crate) async fn trace_request(
    State(tracer): State<Arc<RequestTracer>>,
    request: Request,
    next: Next,
) -> Response {
    let id = tracer.environment.uuid_v7();
    // The route, not the path: each path would become a metric of its own, and some paths carry secrets.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |matched| matched.as_str().to_owned());
    let operations = tracer.operations.at(&route);
    let operation = operations.and_then(|path| path.operation_id(request.method()));
    let received_at = tracer.environment.now();
    // Level ERROR: whatever `log.filter` lets through, its lines say which request they belong to.
    let span = tracing::error_span!(
        "request",
        request.id = %id,
        http.method = %request.method(),
        http.route = route,
        interface = operations.map(PathOperations::interface),
        operation,
        app.id = Empty,
        member.id = Empty,
        account.id = Empty,
        check.id = Empty,
        content.id = Empty,
        face.id = Empty,
        group.id = Empty,
        media.id = Empty,
        moderation.id = Empty,
        notification.id = Empty,
        profile.id = Empty,
        proof.id = Empty,
        report.id = Empty,
        resource.id = Empty,
        session.id = Empty,
    );
    if let Some(operations) = operations {
        operations.record_ids(&span, request.uri().path());
    }
    let (sdk, sdk_version) = tracer.brand.sdk();
    let (sdk, sdk_version) = (sdk_name(request.headers(), sdk), sdk_name(request.headers(), sdk_version));
    let context = Arc::new(RequestContext {
        id,
        span: span.clone(),
        names_account: operations.is_some_and(PathOperations::names_account),
        tracer: tracer.clone(),
        app: OnceLock::new(),
        member: OnceLock::new(),
        allowance: OnceLock::new(),
    });
    let started = Instant::now();

    let answered = CURRENT_CONTEXT.scope(context.clone(), next.run(request));
    let mut response = answered.instrument(span.clone()).await;

    let took = started.elapsed();
    let status = response.status().as_u16();
    let code = response.extensions().get::<LoggedErrorCode>().map(|code| code.0);
    span.in_scope(|| {
        tracing::info!(
            http.status = status,
            error.code = code,
            took.ms = took.as_millis() as u64,
            sdk.name = sdk,
            sdk.version = sdk_version,
            "answered"
        );
    });
    if let (Some(log), Some(app), Some(operation), Some(path)) =
        (&tracer.log, context.app.get(), operation, operations)
        && is_of_application(&context, path.interface(), &route)
    {
        log.record(LoggedRequest {
            id,
            app: *app,
            interface: path.interface(),
            operation: operation.to_owned(),
            status,
            error_code: code.map(str::to_owned),
            took,
            received_at,
        });
    }
    let labels =
        [("route", route), ("status", status.to_string()), ("code", code.unwrap_or_default().to_owned())];
    metrics::counter!("assay_http_requests_total", &labels).increment(1);
    metrics::histogram!("assay_http_request_seconds", &labels[..1]).record(took.as_secs_f64());
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        headers.insert(REQUEST_ID_HEADER, value);
    }
    if let Some(allowance) = context.allowance.get() {
        headers.insert("ratelimit-limit", allowance.limit.into());
        headers.insert("ratelimit-remaining", allowance.remaining.into());
        headers.insert("ratelimit-reset", (allowance.reset.as_secs_f64().ceil() as u64).into());
    }
    response
}

/// Whether an application made the request, and not a member or a person on a page of age verification: a log of theirs would
/// say when somebody showed their age, which docs/BLIND-TOKENS.md promises that nothing says.
fn is_of_application(context: &RequestContext, interface: &str, route: &str) -> bool {
    context.member.get().is_none() && interface != "console" && !route.starts_with("/age/v1/")
}

/// The name of a client library; `None` unless it is short and has plain characters only, because it is logged.
fn sdk_name(headers: &HeaderMap, header: &HeaderName) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ._-+/()@".contains(&byte);
    header_text(headers, header)
        .filter(|name| name.len() <= MAX_SDK_NAME_BYTES && name.bytes().all(plain))
        .map(str::to_owned)
}
