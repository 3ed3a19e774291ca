//! Error tables: each row once, with its word and its status.

use axum::http::StatusCode;
use std::collections::BTreeMap;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder, response::Response};

/// The refusals of an operation for its document, by status; `member` is where the code stands in the body.
pub(crate) fn refusals(
    table: impl Iterator<Item = (StatusCode, &'static str)>,
    member: &str,
) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status = BTreeMap::<u16, Vec<&str>>::new();
    for (status, word) in table {
        by_status.entry(status.as_u16()).or_default().push(word);
    }
    let response = |(status, words): (u16, Vec<&str>)| {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error"))).build();
        let response = ResponseBuilder::new()
            .description(format!("`{member}` is one of: {}.", words.join(", ")))
            .content("application/json", content)
            .build();
        (status.to_string(), RefOr::T(response))
    };
    by_status.into_iter().map(response).collect()
}

/// Declares an interface's error codes.
macro_rules! codes {
    ($(#[$doc:meta])* pub enum $table:ident; $($name:ident => $status:ident $word:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the words are the documentation, and stand beside the names")]
        pub enum $table { $($name),* }

        impl $table {
            /// Every row, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The word on the wire, with the default brand.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            /// The status that goes with it.
            pub const fn status(self) -> axum::http::StatusCode {
                match self { $(Self::$name => axum::http::StatusCode::$status),* }
            }
        }
    };
}
pub(crate) use codes;
