//! What is known of an operation before its handler runs: its name, and which ids its path has. The span of a request
//! says it.

use axum::http::Method;
use base::Uuid;
use std::collections::HashMap;
use tracing::{Span, field::display};
use utoipa::openapi::OpenApi;

/// All operations, by the pattern of their path.
#[derive(Debug, Default)]
pub(crate) struct Operations(HashMap<String, PathOperations>);

/// The operations of a path.
#[derive(Debug)]
pub(crate) struct PathOperations {
    interface: &'static str,
    ids: Vec<PathId>,
    /// Each method with the id of its operation.
    operations: Vec<(Method, String)>,
}

/// An id in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PathId {
    /// Where it is in the path, counted in segments.
    segment: usize,
    /// The field of the span.
    field: &'static str,
}

/// Whether an interface's paths are recorded with their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathIds {
    Recorded,
    /// Of age verification. Whoever knows a session's id and application is its end user, so its id is a secret; and a log
    /// that names the session of each call says when an age was shown to the issuer of blind tokens, which
    /// docs/BLIND-TOKENS.md promises that nothing says.
    Omitted,
}

/// The field for a parameter of a path. `{id}` is told apart by the segment before it.
fn field_of(previous: &str, parameter: &str) -> Option<&'static str> {
    Some(match (previous, parameter) {
        (_, "{accountId}") => "account.id",
        (_, "{checkId}") => "check.id",
        ("contents", "{id}") => "content.id",
        (_, "{faceId}") => "face.id",
        (_, "{groupId}") => "group.id",
        (_, "{mediaId}") => "media.id",
        (_, "{moderationId}") => "moderation.id",
        ("notifications", "{id}") => "notification.id",
        (_, "{profileId}") => "profile.id",
        ("verify", "{id}") => "proof.id",
        (_, "{reportId}") => "report.id",
        (_, "{resourceId}") => "resource.id",
        (_, "{sessionId}") => "session.id",
        _ => return None,
    })
}

impl Operations {
    /// Adds the operations of an interface.
    pub(crate) fn add(&mut self, interface: &'static str, ids: PathIds, document: &OpenApi) {
        for (pattern, item) in &document.paths.paths {
            let operations = [
                (Method::GET, &item.get),
                (Method::PUT, &item.put),
                (Method::POST, &item.post),
                (Method::DELETE, &item.delete),
                (Method::OPTIONS, &item.options),
                (Method::HEAD, &item.head),
                (Method::PATCH, &item.patch),
            ];
            let named = operations
                .into_iter()
                .filter_map(|(method, operation)| Some((method, operation.as_ref()?.operation_id.clone()?)));
            let known = self.0.entry(pattern.clone()).or_insert_with(|| PathOperations {
                interface,
                ids: if ids == PathIds::Recorded { ids_in(pattern) } else { Vec::new() },
                operations: Vec::new(),
            });
            known.operations.extend(named);
        }
    }

    /// The operations of the path with this pattern; `None` for pages and the server's own endpoints.
    pub(crate) fn at(&self, pattern: &str) -> Option<&PathOperations> {
        self.0.get(pattern)
    }
}

/// The ids in a pattern, such as `/accounts/{accountId}/contents/{id}`.
fn ids_in(pattern: &str) -> Vec<PathId> {
    let segments: Vec<&str> = pattern.split('/').collect();
    let pairs = segments.windows(2).enumerate();
    pairs
        .filter_map(|(index, pair)| {
            let field = field_of(pair.first()?, pair.last()?)?;
            Some(PathId { segment: index + 1, field })
        })
        .collect()
}

impl PathOperations {
    /// The name of the interface's OpenAPI document, or `oauth`.
    pub(crate) fn interface(&self) -> &'static str {
        self.interface
    }

    /// The id of the operation for a method, as the OpenAPI document has it.
    pub(crate) fn operation_id(&self, method: &Method) -> Option<&str> {
        self.operations.iter().find(|(known, _)| known == method).map(|(_, id)| id.as_str())
    }

    /// Records the ids of a request's path. Text that is not an id is not recorded, because it could be anything.
    pub(crate) fn record_ids(&self, span: &Span, path: &str) {
        for PathId { segment, field } in &self.ids {
            let Some(text) = path.split('/').nth(*segment) else { continue };
            if let Ok(id) = Uuid::try_parse(text) {
                span.record(*field, display(id));
            } else if *field == "proof.id" && is_proof_id(text) {
                span.record(*field, text);
            }
        }
    }

    /// Whether the path names an account.
    pub(crate) fn names_account(&self) -> bool {
        self.ids.iter().any(|id| id.field == "account.id")
    }
}

/// Whether a text has the form of a proof verification's id: 16 bytes in base64url.
fn is_proof_id(text: &str) -> bool {
    text.len() == 22 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_which_segments_are_ids_of_what() {
        let found =
            |pattern: &str| -> Vec<_> { ids_in(pattern).iter().map(|id| (id.segment, id.field)).collect() };
        assert_eq!(
            found("/accounts/{accountId}/archive/contents/{id}"),
            [(2, "account.id"), (5, "content.id")]
        );
        assert_eq!(
            found("/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}"),
            [(4, "session.id"), (8, "resource.id")]
        );
        assert_eq!(found("/poa/v1/verify/{id}"), [(4, "proof.id")]);
        // Neither secrets nor names.
        assert_eq!(found("/age/v1/wallet/{request}/response"), []);
        assert_eq!(found("/idverify/v1/apps/{sdkId}/response-config"), []);
    }
}
