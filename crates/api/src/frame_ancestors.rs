//! Who may show a hosted page in a frame: the business whose session it is, by the origins that the session names.
//!
//! The pages are files that know no session, and their policy allows no frame. The address of a page names the session,
//! so what the policy says of frames is filled in here.

use crate::ApiState;
use axum::{
    extract::{Request, State},
    http::{HeaderValue, Uri, header},
    middleware::Next,
    response::Response,
};
use base::{AgeSessionId, DocumentSessionId, Uuid};
use std::{collections::BTreeSet, fmt};

/// What the policies of pages say that may be shown in a frame.
const NO_FRAME: &str = "frame-ancestors 'none'";
/// Longer queries are not looked at.
const MAX_QUERY_BYTES: usize = 2048;
/// Origins of one policy, at most.
const MAX_ORIGINS: usize = 16;

/// An origin: scheme, host and port, as `https://shop.example`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Origin(String);

/// The text is no origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an origin is https:// or http:// and a host, with a port if need be, as https://shop.example")]
pub struct InvalidOriginError;

impl Origin {
    /// The origin of an address.
    fn of(address: &str) -> Option<Self> {
        let uri: Uri = address.parse().ok()?;
        let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "https" | "http"))?;
        let authority = uri.authority()?.as_str();
        // Nothing that would mean something in a policy.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        authority
            .bytes()
            .all(is_plain)
            .then(|| Self(format!("{scheme}://{}", authority.to_ascii_lowercase())))
    }
}

impl TryFrom<String> for Origin {
    type Error = InvalidOriginError;

    fn try_from(text: String) -> Result<Self, InvalidOriginError> {
        Self::of(&text).filter(|origin| origin.0.eq_ignore_ascii_case(&text)).ok_or(InvalidOriginError)
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Completes the policy of a hosted page for the session that its address names.
pub(crate) async fn allow(State(api): State<ApiState>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let mut response = next.run(request).await;
    let is_embeddable = is_hosted_page(uri.path());
    let policy = response.headers().get(header::CONTENT_SECURITY_POLICY).filter(|_| is_embeddable);
    let Some(policy) = policy.and_then(|policy| policy.to_str().ok()).filter(|text| text.contains(NO_FRAME))
    else {
        return response;
    };
    let origins = origins(&api, &uri).await;
    let names: Vec<_> = origins.iter().take(MAX_ORIGINS).map(|origin| origin.0.as_str()).collect();
    // The age page shows the document page in a frame.
    let policy = policy.replace(NO_FRAME, format!("frame-ancestors 'self' {}", names.join(" ")).trim_end());
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Whether a page may be shown in a frame at all.
fn is_hosted_page(path: &str) -> bool {
    let path = path.strip_prefix("/sandbox").unwrap_or(path);
    path.starts_with("/idverify/v1/web/") || path == "/age" || path.starts_with("/age/")
}

/// The origins that may show the page at this address, besides its own.
async fn origins(api: &ApiState, uri: &Uri) -> BTreeSet<Origin> {
    let mut origins: BTreeSet<Origin> = api.settings.frame_origins.iter().cloned().collect();
    let query = uri.query().filter(|query| query.len() <= MAX_QUERY_BYTES).unwrap_or_default();
    let sandbox = uri.path().starts_with("/sandbox/");
    let find = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.into_owned())
    };
    let is_document = uri.path().contains("/idverify/");
    let age_session: Option<AgeSessionId> =
        find(if is_document { "ageSessionId" } else { "sessionId" }).and_then(|id| id.parse().ok());
    let document_session: Option<(DocumentSessionId, Uuid)> = find("sessionID")
        .zip(find("sessionToken"))
        .filter(|_| is_document)
        .and_then(|(id, token)| id.parse().ok().zip(Uuid::try_parse(&token).ok()));
    let mut add =
        |addresses: Vec<String>| origins.extend(addresses.iter().filter_map(|address| Origin::of(address)));
    if let Some(id) = age_session {
        match api.age_verification.end_user_session(id, sandbox).await {
            Ok((session, _)) => add(session.wanted.embedder_addresses()),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "no session to be framed");
            }
        }
    }
    if let Some((id, token)) = document_session {
        match api.document_verification.embedder_addresses(id, &token).await {
            Ok(addresses) => add(addresses),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "no session to be framed");
            }
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_a_scheme_a_host_and_a_port() {
        for (address, origin) in [
            ("https://Shop.example/path?a=b#c", Some("https://shop.example")),
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("https://[::1]:1/", Some("https://[::1]:1")),
            ("https://user@shop.example/", None),
            ("https://shop.example;script-src/", None),
            ("ftp://shop.example", None),
            ("/path", None),
        ] {
            assert_eq!(Origin::of(address).map(String::from).as_deref(), origin, "{address}");
        }
        assert!(Origin::try_from("https://shop.example".to_owned()).is_ok());
        assert!(Origin::try_from("https://shop.example/page".to_owned()).is_err());
    }
}
