//! Finds every `sql!` in the workspace and asks the engine to prepare it, so that a typo in SQL fails a test.

use db::{Engine, testing::TestDb};
use proc_macro2::{TokenStream, TokenTree};
use std::path::Path;

struct Statement {
    text: String,
    only: Option<Engine>,
    place: String,
}

#[tokio::test]
async fn every_statement_prepares() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for crate_folder in std::fs::read_dir(workspace).unwrap() {
        collect(&crate_folder.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 10, "the scan finds the statements of the house, not {}", found.len());

    let test = TestDb::open().await;
    let mut wrong = Vec::new();
    for statement in found.iter().filter(|s| s.only.is_none_or(|engine| engine == test.db.engine())) {
        if let Err(error) = test.db.prepare(&statement.text).await {
            wrong.push(format!("{}: {error:?}\n{}", statement.place, statement.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn collect(folder: &Path, found: &mut Vec<Statement>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let code: TokenStream =
                std::fs::read_to_string(&path).unwrap().parse().expect("the file is Rust");
            walk(code, &path, found);
        }
    }
}

fn walk(code: TokenStream, file: &Path, found: &mut Vec<Statement>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        if i >= 2 && tokens[i - 2].to_string() == "sql" && tokens[i - 1].to_string() == "!" {
            take(group.stream(), file, found);
        }
        walk(group.stream(), file, found);
    }
}

fn take(inside: TokenStream, file: &Path, found: &mut Vec<Statement>) {
    let tokens: Vec<TokenTree> = inside.into_iter().collect();
    let mut literal = |at: usize, only| {
        let Some(TokenTree::Literal(literal)) = tokens.get(at) else { return };
        let text: syn::LitStr = syn::parse_str(&literal.to_string()).expect("SQL is a string");
        let place = format!("{}:{}", file.display(), literal.span().start().line);
        found.push(Statement { text: text.value(), only, place });
    };
    if tokens.first().is_some_and(|token| token.to_string() == "sqlite") {
        literal(2, Some(Engine::Sqlite));
        literal(6, Some(Engine::Postgres));
    } else {
        literal(0, None);
    }
}
