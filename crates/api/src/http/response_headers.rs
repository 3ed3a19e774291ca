//! Headers of answers that operations of every interface have, for their documents.

use utoipa::openapi::{
    ObjectBuilder, OpenApi, RefOr, Type,
    header::{Header, HeaderBuilder},
    path::Operation,
};

/// How the counting of calls is told.
const RATE_LIMIT: [(&str, &str); 3] = [
    ("RateLimit-Limit", "Calls that are allowed at once. It is told where the call was counted."),
    ("RateLimit-Remaining", "Calls that are allowed now."),
    ("RateLimit-Reset", "Seconds until all are allowed again or, when none is left, until the next one is."),
];

/// Describes `Retry-After` of refusals that pass by themselves, and `RateLimit-*` of operations whose calls are counted.
pub(crate) fn describe_response_headers(document: &mut OpenApi) {
    for path in document.paths.paths.values_mut() {
        let operations =
            [&mut path.get, &mut path.put, &mut path.post, &mut path.patch, &mut path.delete, &mut path.head];
        operations.into_iter().flatten().for_each(describe);
    }
}

fn describe(operation: &mut Operation) {
    let is_counted = operation.responses.responses.contains_key("429");
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        let mut add = |name: &str, words: &str| {
            response.headers.insert(name.to_owned(), RefOr::T(whole_number(words)));
        };
        if status == "429" || status == "503" {
            add("Retry-After", "Seconds until it is worth trying again.");
        }
        if is_counted {
            RATE_LIMIT.iter().for_each(|(name, words)| add(name, words));
        }
    }
}

fn whole_number(words: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    HeaderBuilder::new().schema(Some(schema)).description(Some(words)).build()
}
