//! The OpenAPI document of this interface. The parameters of each credential are added to the operations that accept
//! it.

use super::{
    error::{DocumentErrorBody, DocumentViolationBody},
    operations, webhooks,
};
use crate::{http::openapi::move_to_sandbox_paths, oauth};
use utoipa::{
    PartialSchema as _,
    openapi::{
        HeaderBuilder, ObjectBuilder, OpenApi, PathItem, RefOr, Required, SecurityRequirement, Type,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn},
        security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

pub(crate) fn openapi_document() -> OpenApi {
    let mut document = operations().merge(oauth::router()).split_for_parts().1;
    for (path, item) in &mut document.paths.paths {
        if path.starts_with("/idverify/") {
            operations_of(item).for_each(add_common_parameters);
        }
    }
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".to_owned(), DocumentErrorBody::schema());
    components.schemas.insert("Violation".to_owned(), DocumentViolationBody::schema());
    let key = |name: &str, words: &str| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, words)))
    };
    components.add_security_scheme(
        "signature",
        key(
            "X-Svc-Auth-Digest",
            "The base64 of an RSASSA-PKCS1-v1_5 signature with SHA-256 over method, path, query and base64 body, with \
             `sdkId`, `nonce` and `timestamp` in the query.",
        ),
    );
    components.add_security_scheme(
        "session",
        key("X-Svc-Auth-Token", "The `client_session_token` of a session, for its person."),
    );
    let bearer: Http = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token of `POST /v1/oauth/token` with the scope `idv:sessions`, instead of a signature.",
        ))
        .build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    webhooks::describe_webhooks(&mut document);
    move_to_sandbox_paths(&mut document, &["/idverify/v1/sessions/{sessionId}/agent"]);
    document
}

fn operations_of(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, head, patch, .. } = item;
    [get, put, post, delete, head, patch].into_iter().flatten()
}

/// Adds the parameters that belong to the credentials of an operation, and the headers that every answer to it has.
fn add_common_parameters(operation: &mut Operation) {
    let takes = |scheme: &str| {
        let requirement = SecurityRequirement::new::<_, [&str; 0], &str>(scheme, []);
        operation.security.as_ref().is_some_and(|all| all.contains(&requirement))
    };
    let (signed, open) = (takes("signature"), operation.security.is_none());
    let parameters = operation.parameters.get_or_insert_default();
    if signed {
        parameters.extend([
            parameter(ParameterIn::Query, "sdkId", "The application, where the request is signed."),
            parameter(ParameterIn::Query, "nonce", "A UUID that is used once, where the request is signed."),
            parameter(
                ParameterIn::Query,
                "timestamp",
                "When the request was signed, seconds since 1970; required with a signature.",
            ),
        ]);
    }
    if !open {
        parameters.push(parameter(
            ParameterIn::Header,
            "X-Svc-Device-Meta",
            "What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters.",
        ));
    }
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        let mut add = |name: &str, kind, words: &str| {
            let schema = ObjectBuilder::new().schema_type(kind);
            let header = HeaderBuilder::new().schema(Some(schema)).description(Some(words)).build();
            response.headers.insert(name.to_owned(), RefOr::T(header));
        };
        add("X-Request-Id", Type::String, "The id of the request, as the log has it.");
        if status == "429" {
            add("RateLimit-Limit", Type::Integer, "Calls that are possible at once.");
            add("RateLimit-Remaining", Type::Integer, "Calls that are possible now.");
            add("RateLimit-Reset", Type::Integer, "Seconds until the next call is possible.");
        }
    }
}

fn parameter(place: ParameterIn, name: &str, words: &str) -> RefOr<Parameter> {
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(Required::False)
        .description(Some(words))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build();
    RefOr::T(parameter)
}
