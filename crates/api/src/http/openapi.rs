//! Parts of OpenAPI documents that handlers do not stand for: what this server sends by itself.

use super::virtual_hosts::SANDBOX;
use utoipa::{
    ToSchema,
    openapi::{
        ContentBuilder, HttpMethod, ObjectBuilder, OpenApi, PathItem, PathsBuilder, Ref, RefOr, Required,
        ResponseBuilder, Type,
        path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
    },
};

/// A message that this server posts to an address of the application's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Webhook<'a> {
    /// Its name in the document, as `proof.result`.
    pub(crate) name: &'a str,
    /// One line.
    pub(crate) summary: &'a str,
    /// When it is sent, and what it carries.
    pub(crate) description: &'a str,
    /// The statuses that count as delivered, as `2XX`.
    pub(crate) delivered: &'a str,
    /// Headers beside those of Standard Webhooks: their name, and what is in them.
    pub(crate) headers: &'a [(&'a str, &'a str)],
}

/// The headers of Standard Webhooks.
const STANDARD_HEADERS: [(&str, &str); 3] = [
    ("webhook-id", "The id of the message; a repeat has the same."),
    ("webhook-timestamp", "When this attempt was made, Unix seconds."),
    (
        "webhook-signature",
        "`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` with the application's secret; \
         several, separated by blanks, while secrets overlap.",
    ),
];

/// Writes a webhook, whose body is a `T`, into a document.
pub(crate) fn add_webhook<T: ToSchema>(document: &mut OpenApi, webhook: Webhook<'_>) {
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
    let headers = STANDARD_HEADERS.iter().chain(webhook.headers).copied().map(header);
    let delivered = ResponseBuilder::new().description("It is delivered; anything else is tried again.");
    let operation = OperationBuilder::new()
        .operation_id(Some(webhook.name))
        .summary(Some(webhook.summary))
        .description(Some(webhook.description))
        .parameters(Some(headers))
        .request_body(Some(body.build()))
        .response(webhook.delivered, delivered.build())
        .build();
    let known = document.webhooks.take().unwrap_or_default();
    let item = PathItem::new(HttpMethod::Post, operation);
    let mut all = PathsBuilder::new().path(webhook.name, item).build();
    all.paths.extend(known.paths);
    document.webhooks = Some(all);
}

/// Puts operations that only the sandbox serves at the paths at which it does.
pub(crate) fn only_in_sandbox(document: &mut OpenApi, paths: &[&str]) {
    for path in paths {
        if let Some(item) = document.paths.paths.remove(*path) {
            document.paths.paths.insert(format!("{SANDBOX}{path}"), item);
        }
    }
}
