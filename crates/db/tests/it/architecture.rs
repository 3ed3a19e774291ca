//! The top-level modules of a crate import each other in one direction only.
//!
//! What counts is a path that begins with `crate`, `self` or `super`, in a `use` or in code. Unit tests do not count,
//! nor does a crate's root, which ties its modules together; a name that the root re-exports stands for the module it
//! comes from. What a macro writes is not seen.

use crate::sources::{read_sources, remove_unit_tests};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The crates that are checked, as folders in `crates/`.
const CRATES_WITHOUT_CIRCLES: &[&str] = &[
    "age_methods",
    "api",
    "base",
    "credentials",
    "db",
    "documents",
    "domain",
    "evaluate",
    "jobs",
    "measure",
    "media",
    "model-import",
    "search",
    "server",
    "vision",
];

/// For each module the modules that it imports, each with the first place where it does.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn modules_import_each_other_in_one_direction() {
    let mut circles = Vec::new();
    for name in CRATES_WITHOUT_CIRCLES {
        let imports = read_imports(name);
        assert!(imports.len() > 1, "{name} has modules");
        circles.extend(shortest_circles(&imports).into_iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(circles.is_empty(), "modules that import each other:\n\n{}", circles.join("\n\n"));
}

/// The imports between the top-level modules of a crate.
fn read_imports(crate_name: &str) -> Imports {
    let sources = read_sources(crate_name);
    let root = sources.iter().find(|source| source.module.is_empty()).expect("the crate has a root");
    let reexports = read_reexports(root.code.clone());
    let modules: BTreeSet<_> = sources.iter().filter_map(|source| source.module.first().cloned()).collect();
    let mut imports: Imports = modules.iter().map(|module| (module.clone(), BTreeMap::new())).collect();
    for source in sources {
        let Some(from) = source.module.first() else { continue };
        for reference in find_references(source.code, &source.module) {
            let Some(name) = reference.path.first() else { continue };
            let to = if modules.contains(name) { Some(name) } else { reexports.get(name) };
            if let Some(to) = to.filter(|to| *to != from) {
                let place = format!("{}:{}", source.name, reference.line);
                imports.entry(from.clone()).or_default().entry(to.clone()).or_insert(place);
            }
        }
    }
    imports
}

/// An item of the same crate that code refers to: its path from the root.
#[derive(Debug, PartialEq)]
struct Reference {
    path: Vec<String>,
    line: usize,
}

/// What code in `module` refers to.
fn find_references(code: TokenStream, module: &[String]) -> Vec<Reference> {
    let tokens: Vec<_> = code.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Group(group) => {
                let inline = at > 1 && tokens[at - 2].to_string() == "mod";
                let inner =
                    if inline { [module, &[tokens[at - 1].to_string()]].concat() } else { module.to_vec() };
                found.extend(find_references(group.stream(), &inner));
            }
            TokenTree::Ident(ident) if is_path_start(&tokens, at) => {
                let base = match ident.to_string().as_str() {
                    "crate" => Some(&[][..]),
                    "self" => Some(module),
                    "super" => module.split_last().map(|(_, parent)| parent),
                    _ => None,
                };
                if let Some(base) = base {
                    at = read_path(&tokens, at, base, &mut found);
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        at += 1;
    }
    found
}

/// Whether the token before `at` is this character.
fn is_punct(tokens: &[TokenTree], at: usize, character: char) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    matches!(before, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

/// Whether an identifier is the first segment of a path of several.
fn is_path_start(tokens: &[TokenTree], at: usize) -> bool {
    let continues = at > 1 && is_punct(tokens, at, ':') && is_punct(tokens, at - 1, ':');
    !continues && is_punct(tokens, at + 2, ':') && is_punct(tokens, at + 3, ':')
}

/// Reads the path whose first segment is at `at` and means `base`; a tree in braces is several paths. Returns where it
/// ends.
fn read_path(tokens: &[TokenTree], at: usize, base: &[String], found: &mut Vec<Reference>) -> usize {
    let mut path = base.to_vec();
    let mut end = at;
    while is_punct(tokens, end + 2, ':') && is_punct(tokens, end + 3, ':') {
        match tokens.get(end + 3) {
            Some(TokenTree::Ident(segment)) => match segment.to_string().as_str() {
                "super" => drop(path.pop()),
                segment => path.push(segment.to_owned()),
            },
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let branches: Vec<_> = group.stream().into_iter().collect();
                for branch in branches.split(|token| token.to_string() == ",") {
                    read_branch(branch, &path, found);
                }
                return end + 3;
            }
            // The generic arguments of a path, or the star of a glob.
            _ => break,
        }
        end += 3;
    }
    found.push(Reference { path, line: tokens[at].span().start().line });
    end
}

/// One branch of a tree in braces: `a`, `a::b`, `a::{b, c}`, `self`, `*`.
fn read_branch(branch: &[TokenTree], base: &[String], found: &mut Vec<Reference>) {
    let Some(TokenTree::Ident(first)) = branch.first() else { return };
    let mut base = base.to_vec();
    match first.to_string().as_str() {
        "self" => {}
        "super" => drop(base.pop()),
        segment => base.push(segment.to_owned()),
    }
    read_path(branch, 0, &base, found);
}

/// The names that a crate's root re-exports, and the module that each comes from.
fn read_reexports(root: TokenStream) -> BTreeMap<String, String> {
    let tokens: Vec<_> = root.into_iter().collect();
    let mut reexports = BTreeMap::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.to_string() == "use" {
            let end = at + tokens[at..].iter().take_while(|token| token.to_string() != ";").count();
            let mut found = Vec::new();
            read_branch(&tokens[at + 1..end], &[], &mut found);
            for Reference { path, .. } in found {
                let path: Vec<_> = path.into_iter().filter(|segment| segment != "crate").collect();
                if let [module, .., name] = &path[..] {
                    reexports.insert(name.clone(), module.clone());
                }
            }
            at = end;
        }
        at += 1;
    }
    reexports
}

/// For each group of modules that import each other its shortest circle, with a place for each import.
fn shortest_circles(imports: &Imports) -> Vec<String> {
    let mut covered = BTreeSet::new();
    let mut circles = Vec::new();
    for start in imports.keys() {
        if let Some(circle) = shortest_circle(imports, start)
            && circle.iter().all(|module| !covered.contains(module))
        {
            let arrow = |(from, to): (&String, &String)| format!("{from} -> {to} ({})", imports[from][to]);
            let arrows: Vec<_> = circle.iter().zip(circle.iter().cycle().skip(1)).map(arrow).collect();
            circles.push(arrows.join("\n    "));
            covered.extend(circle);
        }
    }
    circles
}

/// The modules on a shortest way from a module back to itself.
fn shortest_circle(imports: &Imports, start: &String) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for next in imports.get(module).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let mut circle = vec![module.clone()];
                while let Some(before) = circle.last().and_then(|module| came_from.get(module)) {
                    circle.push((*before).clone());
                }
                circle.reverse();
                return Some(circle);
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, module);
                queue.push_back(next);
            }
        }
    }
    None
}

#[test]
fn references_are_found_in_every_form_and_nowhere_else() {
    let code = r#"
        //! crate::comment::X
        use crate::{
            a::{b, c::D as E},
            f, // crate::comment
            g::*,
        };
        use super::{h, super::i::J};
        use self::k::L;
        pub(crate) fn m(x: crate::n::O<crate::p::Q>) { let _ = ("crate::string", crate::r::s::<u8>(1)); }
        mod t { use super::u; mod v { use super::super::w; } }
        #[cfg(test)] mod tests { use crate::test::X; }
        #[cfg(test)] use crate::test::Y;
        use crate::z;
    "#;
    let module = ["one".to_owned(), "two".to_owned()];
    let found: Vec<_> = find_references(remove_unit_tests(code.parse().unwrap()), &module)
        .into_iter()
        .map(|reference| format!("{}:{}", reference.path.join("::"), reference.line))
        .collect();
    assert_eq!(
        found,
        [
            "a::b:4",
            "a::c::D:4",
            "f:5",
            "g:6",
            "one::h:8",
            "i::J:8",
            "one::two::k::L:9",
            "n::O:10",
            "p::Q:10",
            "r::s:10",
            "one::two::u:11",
            "one::two::w:11",
            "z:14",
        ]
    );
    let root = "pub use a::{B, c::D}; pub(crate) use crate::e::F; use other::G; pub mod a;";
    let reexports = read_reexports(root.parse().unwrap());
    for (name, module) in [("B", "a"), ("D", "a"), ("F", "e")] {
        assert_eq!(reexports.get(name).map(String::as_str), Some(module));
    }
}

#[test]
fn a_circle_is_spelt_out_with_the_places_where_it_imports() {
    let imports = |arrows: &[(&str, &str)]| {
        let mut imports = Imports::new();
        for (from, to) in arrows {
            let place = format!("{from}.rs:1");
            imports.entry((*from).to_owned()).or_default().insert((*to).to_owned(), place);
        }
        imports
    };
    assert!(shortest_circles(&imports(&[("a", "b"), ("b", "c"), ("a", "c"), ("d", "a")])).is_empty());
    assert_eq!(
        shortest_circles(&imports(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "a"), ("d", "a")])),
        ["a -> b (a.rs:1)\n    b -> c (b.rs:1)\n    c -> a (c.rs:1)"]
    );
}
