//! The sources of the workspace's crates, as tokens: comments and the insides of strings are none.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// One file of a crate, without what is compiled for unit tests only.
pub(crate) struct Source {
    /// Relative to `src`.
    pub(crate) name: String,
    /// The module that the file is; empty for the crate's root.
    pub(crate) module: Vec<String>,
    pub(crate) code: TokenStream,
}

/// Every folder of `crates/`.
pub(crate) fn crate_names() -> Vec<String> {
    let entries = std::fs::read_dir(crates_folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = entries
        .filter(|folder| folder.join("Cargo.toml").exists())
        .map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The sources of a crate, by its folder in `crates/`.
pub(crate) fn read_sources(crate_name: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    collect(&crates_folder().join(crate_name).join("src"), &mut Vec::new(), &mut sources);
    sources
}

fn crates_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn collect(folder: &Path, module: &mut Vec<String>, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if stem == "tests" {
            continue;
        }
        if path.is_dir() {
            module.push(stem);
            collect(&path, module, sources);
            module.pop();
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let mut own = module.clone();
            if !matches!(stem.as_str(), "lib" | "main" | "mod") {
                own.push(stem);
            }
            let name =
                [module.as_slice(), &[path.file_name().unwrap().to_str().unwrap().to_owned()]].concat();
            let code = std::fs::read_to_string(&path).unwrap().parse().expect("the file is Rust");
            sources.push(Source { name: name.join("/"), module: own, code: remove_unit_tests(code) });
        }
    }
}

/// Removes the items under `#[cfg(test)]`.
pub(crate) fn remove_unit_tests(code: TokenStream) -> TokenStream {
    let mut remaining = Vec::new();
    let mut in_test_item = false;
    for token in code {
        match token {
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Bracket
                    && ends_with(&remaining, "#")
                    && group.stream().to_string().replace(' ', "") == "cfg(test)" =>
            {
                remaining.pop();
                in_test_item = true;
            }
            TokenTree::Group(group) if !in_test_item => {
                let mut without = Group::new(group.delimiter(), remove_unit_tests(group.stream()));
                without.set_span(group.span());
                remaining.push(TokenTree::Group(without));
            }
            TokenTree::Group(group) => in_test_item = group.delimiter() != Delimiter::Brace,
            token if in_test_item => in_test_item = token.to_string() != ";",
            token => remaining.push(token),
        }
    }
    remaining.into_iter().collect()
}

/// Whether the last token is this one.
pub(crate) fn ends_with(tokens: &[TokenTree], text: &str) -> bool {
    tokens.last().is_some_and(|token| token.to_string() == text)
}
