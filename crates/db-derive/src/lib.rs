//! `#[derive(FromRow)]`: reads a struct with named fields from a row of SQLite or PostgreSQL.
//!
//! It does the same as the derive of sqlx for the attributes below. That one depends on both drivers, on TLS and on the C
//! libraries below them, which Cargo then builds a second time for the compiler's own use: minutes of every clean build.
//!
//! | `#[sqlx(…)]` | The field is |
//! |---|---|
//! | nothing | the column of its name |
//! | `rename = "column"` | another column |
//! | `try_from = "Type"` | converted from the column, read as a `Type` |
//! | `json` | read from the JSON in the column |
//! | `flatten` | a struct of its own, read from the same row |

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Type, ext::IdentExt as _, parse_macro_input};

/// Implements `FromRow` for the rows of both engines.
#[proc_macro_derive(FromRow, attributes(sqlx))]
pub fn derive_from_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let named = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Some(&fields.named),
            _ => None,
        },
        _ => None,
    };
    let fields = named
        .ok_or_else(|| Error::new_spanned(input, "only a struct with named fields can be read from a row"))?;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a type with parameters cannot be read from a row"));
    }
    let values = fields.iter().map(field_initialiser).collect::<syn::Result<Vec<_>>>()?;
    let name = &input.ident;
    // An implementation for each engine: a generic one would be compiled again in every crate that uses it.
    let engines = [quote!(::db::row::SqliteRow), quote!(::db::row::PgRow)];
    Ok(engines
        .iter()
        .map(|row| {
            quote! {
                #[automatically_derived]
                impl<'r> ::db::row::FromRow<'r, #row> for #name {
                    fn from_row(row: &'r #row) -> ::core::result::Result<Self, ::db::row::Error> {
                        ::core::result::Result::Ok(Self { #(#values),* })
                    }
                }
            }
        })
        .collect())
}

/// The attributes of a field.
#[derive(Default)]
struct FieldAttributes {
    rename: Option<String>,
    try_from: Option<Type>,
    json: bool,
    flatten: bool,
}

impl FieldAttributes {
    fn of(field: &Field) -> syn::Result<Self> {
        let mut attributes = Self::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("sqlx")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rename") {
                    attributes.rename = Some(meta.value()?.parse::<LitStr>()?.value());
                } else if meta.path.is_ident("try_from") {
                    attributes.try_from = Some(meta.value()?.parse::<LitStr>()?.parse()?);
                } else if meta.path.is_ident("json") {
                    attributes.json = true;
                } else if meta.path.is_ident("flatten") {
                    attributes.flatten = true;
                } else {
                    return Err(
                        meta.error("unknown attribute: rename, try_from, json or flatten is expected")
                    );
                }
                Ok(())
            })?;
        }
        Ok(attributes)
    }
}

/// The initialiser of a field in the struct expression: `name: value`.
fn field_initialiser(field: &Field) -> syn::Result<TokenStream> {
    let name = &field.ident;
    let FieldAttributes { rename, try_from, json, flatten } = FieldAttributes::of(field)?;
    let column = rename.or_else(|| name.as_ref().map(|name| name.unraw().to_string())).unwrap_or_default();
    Ok(match (try_from, json, flatten) {
        (None, false, false) => quote!(#name: ::db::row::column(row, #column)?),
        (Some(from), false, false) => quote!(#name: ::db::row::converted::<#from, _, _>(row, #column)?),
        (None, true, false) => quote!(#name: ::db::row::json(row, #column)?),
        (None, false, true) => quote!(#name: ::db::row::FromRow::from_row(row)?),
        _ => return Err(Error::new_spanned(field, "try_from, json and flatten exclude each other")),
    })
}
