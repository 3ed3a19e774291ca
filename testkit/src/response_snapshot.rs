//! A whole answer as a text that is the same on every machine and database, for snapshots.
//!
//! ```text
//! POST /accounts/{accountId}/groups          the operation, as its document names it
//! 201 Created
//! content-type: application/json             every header but those that tell nothing of an operation
//!
//! {                                          the body: JSON with its members in alphabetical order
//!   "id": "<uuid 1>"                         ids are numbered as they appear, so equal ids stay equal
//! }
//! ```

use crate::TestResponse;
use axum::http::{HeaderMap, header};
use serde_json::Value;

/// Headers that every answer has, or that follow from the body.
const OMITTED_HEADERS: [&str; 2] = ["content-length", "x-request-id"];
/// Headers that every answer has with this value unless its operation says otherwise.
const DEFAULT_HEADERS: [(&str, &str); 3] = [
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];
/// Headers whose values depend on the moment; that they are there is shown.
const VOLATILE_HEADERS: [&str; 3] = ["ratelimit-remaining", "ratelimit-reset", "retry-after"];

/// What is replaced because it differs from run to run.
#[derive(Clone, Debug)]
pub enum Redaction<'a> {
    /// The value at a path of the body, as `session.offers.*.id`, or of a header, as `@location`; several paths are
    /// separated by spaces. `*` stands for any one member or item, a leading `**` for any number of them. What is left is
    /// the kind of the value: `<number>`.
    Path(&'a str),
    /// A text wherever it is, and the name that is put in its place.
    Text(String, &'a str),
}

impl<'a> From<&'a str> for Redaction<'a> {
    fn from(path: &'a str) -> Self {
        Self::Path(path)
    }
}

impl<'a> From<(&str, &'a str)> for Redaction<'a> {
    fn from((text, name): (&str, &'a str)) -> Self {
        Self::Text(text.to_owned(), name)
    }
}

impl<'a> From<(&Value, &'a str)> for Redaction<'a> {
    /// # Panics
    /// When the value is no text.
    fn from((text, name): (&Value, &'a str)) -> Self {
        Self::Text(text.as_str().expect("a text is to be redacted").to_owned(), name)
    }
}

/// The text of an answer. Ids of the form of a UUID, the id of the request and the ports of stand-in servers are replaced
/// without being asked for; what else differs from run to run must be named.
///
/// # Panics
/// When a redaction finds nothing to replace, so that none outlives what it was for.
pub fn render(answer: &TestResponse, redactions: &[Redaction<'_>]) -> String {
    let mut headers = shown_headers(&answer.headers);
    let mut body = readable_body(answer);
    for redaction in redactions {
        let Redaction::Path(paths) = redaction else { continue };
        for path in paths.split_whitespace() {
            let replaced = if let Some(name) = path.strip_prefix('@') {
                let found = headers.iter_mut().filter(|(known, _)| known == name);
                found.map(|(_, value)| "<text>".clone_into(value)).count()
            } else {
                let segments: Vec<_> = path.split('.').collect();
                body.as_mut().map_or(0, |body| redact(body, &segments))
            };
            assert!(replaced > 0, "`{path}` is not in the answer: {headers:?} {body:?}");
        }
    }
    let mut text = format!("{}\n{}\n", answer.request, answer.status);
    for (name, value) in &headers {
        text.extend([name, ": ", value, "\n"]);
    }
    match &body {
        Some(body) => text.extend(["\n", &pretty(body), "\n"]),
        None if answer.body.is_empty() => {}
        None => text.extend(["\n", &opaque_body(answer), "\n"]),
    }
    for redaction in redactions {
        let Redaction::Text(value, name) = redaction else { continue };
        assert!(!value.is_empty() && text.contains(value), "{name} `{value}` is not in the answer: {text}");
        text = text.replace(value, &format!("<{name}>"));
    }
    let request_id = answer.header("x-request-id");
    if !request_id.is_empty() {
        text = text.replace(request_id, "<request id>");
    }
    without_ports(&with_numbered_uuids(&text))
}

/// Names and values, sorted by name.
fn shown_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut shown: Vec<_> = headers
        .iter()
        .filter(|(name, _)| !OMITTED_HEADERS.contains(&name.as_str()))
        .filter(|(name, value)| {
            !DEFAULT_HEADERS.iter().any(|(known, usual)| name.as_str() == *known && *value == *usual)
        })
        .map(|(name, value)| {
            let value = value.to_str().expect("the headers of answers are ASCII");
            let shown = match name.as_str() {
                "set-cookie" => without_cookie_value(value),
                name if VOLATILE_HEADERS.contains(&name) => "<number>".to_owned(),
                _ => value.to_owned(),
            };
            (name.as_str().to_owned(), shown)
        })
        .collect();
    shown.sort();
    shown
}

/// A `Set-Cookie` with its attributes alone; an empty value, which deletes the cookie, stays empty.
fn without_cookie_value(cookie: &str) -> String {
    match cookie.split_once('=').map(|(name, rest)| (name, rest.split_once(';').unwrap_or((rest, "")))) {
        Some((name, (value, attributes))) if !value.is_empty() => format!("{name}=<secret>;{attributes}"),
        _ => cookie.to_owned(),
    }
}

/// The body as JSON, whatever its content type calls it.
fn readable_body(answer: &TestResponse) -> Option<Value> {
    let structured = matches!(answer.body.first(), Some(b'{' | b'['));
    serde_json::from_slice(&answer.body).ok().filter(|_| structured)
}

/// A body that is no JSON: texts for people as they are, of other kinds nothing but the kind.
fn opaque_body(answer: &TestResponse) -> String {
    let content_type = answer.header(header::CONTENT_TYPE.as_str());
    if content_type.starts_with("text/html") || content_type.starts_with("text/plain") {
        return without_style(String::from_utf8_lossy(&answer.body).trim_end());
    }
    format!("<{content_type}>")
}

/// A page without its style sheet.
fn without_style(page: &str) -> String {
    let parts =
        page.split_once("<style>").and_then(|(head, rest)| Some((head, rest.split_once("</style>")?.1)));
    parts.map_or_else(|| page.to_owned(), |(head, tail)| format!("{head}<style></style>{tail}"))
}

/// Replaces what is at a path; returns how many values that were.
fn redact(value: &mut Value, path: &[&str]) -> usize {
    let Some((first, rest)) = path.split_first() else {
        *value = kind_of(value).into();
        return 1;
    };
    let children: Vec<(Option<&str>, &mut Value)> = match value {
        Value::Object(members) => {
            members.iter_mut().map(|(name, value)| (Some(name.as_str()), value)).collect()
        }
        Value::Array(items) => items.iter_mut().map(|item| (None, item)).collect(),
        _ => Vec::new(),
    };
    let mut replaced = 0;
    for (name, child) in children {
        if *first == "**" {
            let fits = name.is_some() && name == rest.first().copied();
            replaced += if fits { redact(child, &rest[1..]) } else { redact(child, path) };
        } else if *first == "*" || name == Some(*first) {
            replaced += redact(child, rest);
        }
    }
    replaced
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "<null>",
        Value::Bool(_) => "<boolean>",
        Value::Number(_) => "<number>",
        Value::String(text) if text.parse::<jiff::Timestamp>().is_ok() => "<time>",
        Value::String(_) => "<text>",
        Value::Array(_) => "<list>",
        Value::Object(_) => "<object>",
    }
}

/// JSON with its members in alphabetical order, whichever order this build's maps have.
fn pretty(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    serde_json::to_string_pretty(&sorted).expect("JSON is text")
}

/// Numbers UUIDs in the order in which they first appear.
fn with_numbered_uuids(text: &str) -> String {
    const UUID_CHARS: usize = 36;
    let (mut known, mut out, mut rest) = (Vec::new(), String::new(), text);
    while let Some(next) = rest.chars().next() {
        let candidate = rest.get(..UUID_CHARS).filter(|candidate| is_uuid(candidate));
        if let Some(uuid) = candidate {
            let number = known.iter().position(|one| *one == uuid).unwrap_or_else(|| {
                known.push(uuid);
                known.len() - 1
            });
            out.extend(["<uuid ", &(number + 1).to_string(), ">"]);
            rest = &rest[UUID_CHARS..];
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// Stand-in servers listen on any free port of `localhost`.
fn without_ports(text: &str) -> String {
    let mut parts = text.split("localhost:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "localhost:<port>";
        out += part.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out
}
