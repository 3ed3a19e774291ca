//! Names that need no path to be understood (STYLE.md): a type's is its own within its crate, and a constant that other
//! files see has a noun and what kind of thing it is, so at least two words.

use crate::sources::{crate_names, read_sources};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Types that share their name with another of their crate, and why: crate, name, reason.
const SHARED_TYPE_NAMES: &[(&str, &str, &str)] = &[(
    "domain",
    "InvalidTransitionError",
    "the same for two state machines, which have the same shape and know nothing of each other",
)];

/// Constants of one word, and why that is enough: crate, name, reason.
const ONE_WORD_CONSTANTS: &[(&str, &str, &str)] = &[
    ("age_methods", "AUTHORIZATION", "the header of that name"),
    ("db", "MIGRATIONS", "there is one list"),
    ("documents", "ALPHABET", "always written `mrz::ALPHABET`"),
    ("documents", "FILLER", "ICAO 9303 calls it that"),
    ("vision", "BIAS", "of the one regression that the file holds"),
    ("vision", "THRESHOLDS", "of the one regression that the file holds"),
    ("vision", "WEIGHTS", "of the one regression that the file holds"),
];

#[test]
fn a_types_name_is_its_own_within_its_crate() {
    let mut shared = BTreeSet::new();
    let mut messages = Vec::new();
    for crate_name in crate_names() {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for source in read_sources(&crate_name) {
            for name in find_declarations(source.code).types {
                places.entry(name).or_default().push(source.name.clone());
            }
        }
        for (name, places) in places.into_iter().filter(|(_, places)| places.len() > 1) {
            if !is_listed(SHARED_TYPE_NAMES, &crate_name, &name) {
                messages.push(format!("{crate_name}: {name} is declared in {}", places.join(" and ")));
            }
            shared.insert((crate_name.clone(), name));
        }
    }
    assert!(messages.is_empty(), "{}", messages.join("\n"));
    assert_eq!(unneeded(SHARED_TYPE_NAMES, &shared), "", "entries that nothing needs any more");
}

#[test]
fn a_constant_that_other_files_see_has_more_than_one_word() {
    let mut short = BTreeSet::new();
    let mut messages = Vec::new();
    let mut constants = 0;
    for crate_name in crate_names() {
        for source in read_sources(&crate_name) {
            let names = find_declarations(source.code).constants;
            constants += names.len();
            for name in names.into_iter().filter(|name| !name.contains('_')) {
                if !is_listed(ONE_WORD_CONSTANTS, &crate_name, &name) {
                    messages.push(format!("{crate_name}: {name} in {}", source.name));
                }
                short.insert((crate_name.clone(), name));
            }
        }
    }
    assert!(constants > 100, "the scan finds the constants of the workspace, not {constants}");
    assert!(messages.is_empty(), "constants of one word:\n{}", messages.join("\n"));
    assert_eq!(unneeded(ONE_WORD_CONSTANTS, &short), "", "entries that nothing needs any more");
}

fn is_listed(list: &[(&str, &str, &str)], crate_name: &str, name: &str) -> bool {
    list.iter().any(|(listed_crate, listed, _)| *listed_crate == crate_name && *listed == name)
}

fn unneeded(list: &[(&str, &str, &str)], found: &BTreeSet<(String, String)>) -> String {
    let is_unneeded =
        |entry: &&(&str, &str, &str)| !found.contains(&(entry.0.to_owned(), entry.1.to_owned()));
    let entries: Vec<_> =
        list.iter().filter(is_unneeded).map(|entry| format!("{} {}", entry.0, entry.1)).collect();
    entries.join(", ")
}

/// The names of a file that others can see.
#[derive(Debug, Default, PartialEq)]
struct Declarations {
    types: Vec<String>,
    constants: Vec<String>,
}

/// Everything of any visibility but private. What stands in an `impl` is named by its type, and does not count.
fn find_declarations(code: TokenStream) -> Declarations {
    let mut found = Declarations::default();
    let mut item: Vec<String> = Vec::new();
    for token in code {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                if !item.iter().any(|word| word == "impl") {
                    let inner = find_declarations(group.stream());
                    found.types.extend(inner.types);
                    found.constants.extend(inner.constants);
                }
                item.clear();
            }
            // An attribute, the `crate` of `pub(crate)`, a function's parameters.
            TokenTree::Group(_) | TokenTree::Literal(_) => {}
            TokenTree::Punct(punct) if punct.as_char() == ';' => item.clear(),
            TokenTree::Punct(punct) => item.push(punct.to_string()),
            TokenTree::Ident(ident) => {
                item.push(ident.to_string());
                let words: Vec<_> = item.iter().map(String::as_str).collect();
                match &words[..] {
                    [.., "pub", "struct" | "enum" | "union" | "trait" | "type", name] => {
                        found.types.push((*name).to_owned());
                    }
                    [.., "pub", "const" | "static", name] if !matches!(*name, "fn" | "unsafe") => {
                        found.constants.push((*name).to_owned());
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

#[test]
fn declarations_are_found_wherever_they_stand() {
    let code = "
        #[derive(Debug)] pub struct A<T>(T);
        /// pub struct Comment;
        pub(crate) enum B { C }
        struct Private;
        wire_enum! { /// Of a macro.
            pub enum D { } }
        pub mod e { pub trait F { const G: u8; } pub(super) const H: &str = \"pub const I: u8\"; }
        impl A<u8> { pub const J: u8 = 1; }
        pub const fn k() -> impl L { }
        pub static M_N: u8 = 1;
        const O: u8 = 1;
    ";
    let found = find_declarations(code.parse().unwrap());
    assert_eq!(found.types, ["A", "B", "D", "F"]);
    assert_eq!(found.constants, ["H", "M_N"]);
}
