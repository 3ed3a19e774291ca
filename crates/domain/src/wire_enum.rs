//! Closed sets of values: the wire and the database spell them one way, and the code matches on variants.

/// A value that is not one of the set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is none of {}", .expected.join(", "))]
pub struct UnknownVariantError {
    pub word: String,
    /// The values of the set.
    pub expected: &'static [&'static str],
}

/// Declares an enum together with how its variants are spelt: `as_str`, `FromStr`, serde, OpenAPI schema and database
/// value.
macro_rules! wire_enum {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$variant_doc:meta])* $variant:ident => $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
        $vis enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// Every value as it is spelt, in the order of declaration.
            $vis const VARIANTS: &'static [&'static str] = &[$($word),*];

            /// The value on the wire and in the database.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
        impl std::str::FromStr for $name {
            type Err = $crate::UnknownVariantError;
            fn from_str(word: &str) -> Result<Self, $crate::UnknownVariantError> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err($crate::UnknownVariantError { word: word.to_owned(), expected: Self::VARIANTS }),
                }
            }
        }
        // Written out, because the derived one reports a value that is not a string as an error of the JSON itself.
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
                let unknown =
                    |unknown: $crate::UnknownVariantError| format!("it is one of {}", unknown.expected.join(", "));
                word.parse().map_err(|error| serde::de::Error::custom(unknown(error)))
            }
        }
        impl TryFrom<String> for $name {
            type Error = $crate::UnknownVariantError;
            fn try_from(word: String) -> Result<Self, $crate::UnknownVariantError> { word.parse() }
        }
        impl From<$name> for db::Value {
            fn from(value: $name) -> Self { value.as_str().into() }
        }
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .enum_values(Some([$($word),*]))
                    .into()
            }
        }
        impl utoipa::ToSchema for $name {}
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }
    };
}
pub(crate) use wire_enum;
