//! Error tables: each row once, with its word and its status.

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
