//! Parts of OpenAPI documents that do not come from handlers: webhooks, and what all operations share.

use super::virtual_hosts::SANDBOX_PREFIX;
use axum::http::StatusCode;
use std::collections::BTreeMap;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, ContentBuilder, HttpMethod, KnownFormat, ObjectBuilder, OpenApi, PathItem, PathsBuilder,
        Ref, RefOr, Required, ResponseBuilder, Schema, Type,
        header::{Header, HeaderBuilder},
        path::{Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
        schema::SchemaFormat,
    },
};

/// What the one documented answer to a webhook means.
pub(crate) const DELIVERED_DESCRIPTION: &str =
    "Delivered. After 410 the message is not sent again; after any other answer it is, for a day.";

/// A body that is a file, or a part of one: bytes, whatever its media type says.
pub(crate) struct BinaryContent;

impl PartialSchema for BinaryContent {
    fn schema() -> RefOr<Schema> {
        let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new().schema_type(Type::String).format(Some(binary)).into()
    }
}

impl ToSchema for BinaryContent {}

/// A message that this server posts to an address of the application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WebhookDescription<'a> {
    /// Its name in the document, such as `proof.result`.
    pub(crate) name: &'a str,
    /// One line.
    pub(crate) summary: &'a str,
    /// When it is sent, and what it carries.
    pub(crate) description: &'a str,
    /// The statuses that count as delivered, such as `2XX`.
    pub(crate) delivered_status: &'a str,
    /// Headers besides those of Standard Webhooks: names and descriptions.
    pub(crate) headers: &'a [(&'a str, &'a str)],
}

const STANDARD_WEBHOOK_HEADERS: [(&str, &str); 3] = [
    ("webhook-id", "The id of the message; a repeat has the same."),
    ("webhook-timestamp", "When this attempt was made, Unix seconds."),
    (
        "webhook-signature",
        "`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` with the application's secret; \
         several, separated by blanks, while secrets overlap.",
    ),
];

/// Adds a webhook, whose body is a `T`, to a document.
pub(crate) fn add_webhook<T: ToSchema>(document: &mut OpenApi, webhook: WebhookDescription<'_>) {
    let components = document.components.get_or_insert_default();
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    components.schemas.extend(schemas);

    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(T::name()))).build();
    let body = RequestBodyBuilder::new().content("application/json", body).required(Some(Required::True));
    let text = || RefOr::T(ObjectBuilder::new().schema_type(Type::String).build().into());
    let header = |(name, description): (&str, &str)| -> Parameter {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(description))
            .schema(Some(text()))
            .build()
    };
    let headers = STANDARD_WEBHOOK_HEADERS.iter().chain(webhook.headers).copied().map(header);
    let delivered = ResponseBuilder::new().description(DELIVERED_DESCRIPTION);
    let operation = OperationBuilder::new()
        .operation_id(Some(webhook.name))
        .summary(Some(webhook.summary))
        .description(Some(webhook.description))
        .parameters(Some(headers))
        .request_body(Some(body.build()))
        .response(webhook.delivered_status, delivered.build())
        .build();
    let known = document.webhooks.take().unwrap_or_default();
    let item = PathItem::new(HttpMethod::Post, operation);
    let mut all = PathsBuilder::new().path(webhook.name, item).build();
    all.paths.extend(known.paths);
    document.webhooks = Some(all);
}

/// Moves operations that only the sandbox serves to their paths there.
pub(crate) fn move_to_sandbox_paths(document: &mut OpenApi, paths: &[&str]) {
    for path in paths {
        if let Some(item) = document.paths.paths.remove(*path) {
            document.paths.paths.insert(format!("{SANDBOX_PREFIX}{path}"), item);
        }
    }
}

/// Headers of answers: the rate limit, and when to try again.
const RESPONSE_HEADERS: [(&str, &str); 4] = [
    ("RateLimit-Limit", "Calls that are allowed at once. It is told where the call was counted."),
    ("RateLimit-Remaining", "Calls that are allowed now."),
    ("RateLimit-Reset", "Seconds until all are allowed again or, when none is left, until the next one is."),
    ("Retry-After", "Seconds until it is worth trying again."),
];

/// Documents `Retry-After` of temporary refusals and `RateLimit-*` of operations with a rate limit, and moves refusals
/// that several operations share to the components, so that each is described once.
pub(crate) fn deduplicate_responses(document: &mut OpenApi) {
    let mut shared = BTreeMap::<String, String>::new();
    let components = document.components.get_or_insert_default();
    for path in document.paths.paths.values_mut() {
        let operations =
            [&mut path.get, &mut path.put, &mut path.post, &mut path.patch, &mut path.delete, &mut path.head];
        for operation in operations.into_iter().flatten() {
            describe_headers(operation, components);
            deduplicate_error_responses(operation, components, &mut shared);
        }
    }
}

fn describe_headers(operation: &mut Operation, components: &mut Components) {
    let is_counted = operation.responses.responses.contains_key("429");
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        let passes = status == "429" || status == "503";
        for (name, words) in RESPONSE_HEADERS {
            if if name == "Retry-After" { passes } else { is_counted } {
                let header = components.headers.entry(name.to_owned());
                header.or_insert_with(|| RefOr::T(integer_header(words)));
                response
                    .headers
                    .insert(name.to_owned(), RefOr::Ref(Ref::new(format!("#/components/headers/{name}"))));
            }
        }
    }
}

/// Moves the refusals of an operation to the components, under names like `NotFound` and, if several have the same
/// status, `NotFound2`. `shared` has the names of those that are there.
fn deduplicate_error_responses(
    operation: &mut Operation,
    components: &mut Components,
    shared: &mut BTreeMap<String, String>,
) {
    for (status, response) in &mut operation.responses.responses {
        let code = status.parse::<u16>().ok().and_then(|code| StatusCode::from_u16(code).ok());
        let Some(code) = code.filter(|code| code.is_client_error() || code.is_server_error()) else {
            continue;
        };
        let RefOr::T(described) = &*response else { continue };
        let key = serde_json::to_string(described).expect("a response of our own serialises");
        let name = shared.entry(format!("{status} {key}")).or_insert_with(|| {
            let phrase = code.canonical_reason().unwrap_or("Refused").replace(' ', "");
            let alike =
                components.responses.keys().filter(|name| name.trim_end_matches(char::is_numeric) == phrase);
            let name = match alike.count() {
                0 => phrase,
                others => format!("{phrase}{}", others + 1),
            };
            components.responses.insert(name.clone(), RefOr::T(described.clone()));
            name
        });
        *response = RefOr::Ref(Ref::new(format!("#/components/responses/{name}")));
    }
}

fn integer_header(words: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    HeaderBuilder::new().schema(Some(schema)).description(Some(words)).build()
}
