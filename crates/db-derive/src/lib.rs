//! `#[derive(FromRow)]`: a struct with named fields is read from a row of SQLite and of PostgreSQL.
//!
//! It does what the derive of sqlx does for the attributes below. That one has both drivers, TLS and the C libraries under
//! them as dependencies, which Cargo then builds a second time for the compiler's own use: minutes of every clean build.
//!
//! | `#[sqlx(…)]` | The field is |
//! |---|---|
//! | nothing | the column of its name |
//! | `rename = "column"` | another column |
//! | `try_from = "Type"` | made from what the column holds as a `Type` |
//! | `json` | made from the JSON in the column |
//! | `flatten` | a struct of its own, read from the same row |

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Type, ext::IdentExt as _, parse_macro_input};

/// Reads a struct from a row of either database.
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
    let fields =
        named.ok_or_else(|| Error::new_spanned(input, "only a struct with named fields is a row"))?;
    if !input.generics.params.is_empty() {
        return Err(Error::new_spanned(&input.generics, "a row has no parameters"));
    }
    let values = fields.iter().map(field_initialiser).collect::<syn::Result<Vec<_>>>()?;
    let name = &input.ident;
    // One implementation for each engine: a single generic one would be compiled where it is used, again and again.
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

/// How a field is read.
#[derive(Default)]
struct FieldAttributes {
    rename: Option<String>,
    try_from: Option<Type>,
    json: bool,
    flatten: bool,
}

impl FieldAttributes {
    fn of(field: &Field) -> syn::Result<Self> {
        let mut read = Self::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("sqlx")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rename") {
                    read.rename = Some(meta.value()?.parse::<LitStr>()?.value());
                } else if meta.path.is_ident("try_from") {
                    read.try_from = Some(meta.value()?.parse::<LitStr>()?.parse()?);
                } else if meta.path.is_ident("json") {
                    read.json = true;
                } else if meta.path.is_ident("flatten") {
                    read.flatten = true;
                } else {
                    return Err(meta.error("this is not known here: rename, try_from, json, flatten"));
                }
                Ok(())
            })?;
        }
        Ok(read)
    }
}

/// The field of a struct expression.
fn field_initialiser(field: &Field) -> syn::Result<TokenStream> {
    let name = &field.ident;
    let FieldAttributes { rename, try_from, json, flatten } = FieldAttributes::of(field)?;
    let column = rename.or_else(|| name.as_ref().map(|name| name.unraw().to_string())).unwrap_or_default();
    Ok(match (try_from, json, flatten) {
        (None, false, false) => quote!(#name: ::db::row::column(row, #column)?),
        (Some(from), false, false) => quote!(#name: ::db::row::converted::<#from, _, _>(row, #column)?),
        (None, true, false) => quote!(#name: ::db::row::json(row, #column)?),
        (None, false, true) => quote!(#name: ::db::row::FromRow::from_row(row)?),
        _ => return Err(Error::new_spanned(field, "one of try_from, json and flatten is enough")),
    })
}
