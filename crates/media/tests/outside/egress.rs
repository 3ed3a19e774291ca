//! Only the fetcher connects to addresses that users supply: no other crate depends on a client, and no other source
//! names one.

use proc_macro2::{TokenStream, TokenTree};
use std::{
    fs,
    path::{Path, PathBuf},
};
use toml::{Table, Value};

/// Crates that open connections.
const CLIENTS: &[&str] = &[
    "async-net",
    "async-tungstenite",
    "attohttpc",
    "awc",
    "curl",
    "h2",
    "h3",
    "hickory-client",
    "hickory-net",
    "hickory-resolver",
    "hyper",
    "hyper-rustls",
    "hyper-tls",
    "hyper-util",
    "isahc",
    "lettre",
    "minreq",
    "native-tls",
    "object_store",
    "opentelemetry-http",
    "opentelemetry-otlp",
    "quinn",
    "redis",
    "reqwest",
    "rustls",
    "socket2",
    "surf",
    "tokio-native-tls",
    "tokio-rustls",
    "tokio-tungstenite",
    "tonic",
    "tungstenite",
    "ureq",
];

/// Identifiers that open connections or resolve names: those of the standard library and tokio, and the clients that a
/// crate here may depend on.
const WORDS: &[&str] = &[
    "TcpSocket",
    "TcpStream",
    "ToSocketAddrs",
    "UdpSocket",
    "hickory_resolver",
    "hyper_util",
    "lettre",
    "lookup_host",
    "object_store",
    "opentelemetry_http",
    "opentelemetry_otlp",
    "reqwest",
    "to_socket_addrs",
];

/// Which crate may depend on which client.
const DEPEND: &[(&str, &str)] = &[
    ("assay-media", "hickory-resolver"),
    ("assay-media", "reqwest"),
    // TLS to cameras.
    ("assay-media", "tokio-rustls"),
    // The store for blobs, at the operator's own address.
    ("assay-media", "object_store"),
    // Mail, through the operator's own server only: its address is a setting, and callers cannot choose it.
    ("assay-domain", "lettre"),
    // `assay call`: a tool of the operator, which calls the operator's own address.
    ("assay", "reqwest"),
    // Spans, to the operator's collector: its address is a setting, and callers cannot choose it.
    ("assay", "opentelemetry-http"),
    ("assay", "opentelemetry-otlp"),
    // For serving only; see `serves_alone`.
    ("assay", "hyper-util"),
    // `assay bench` and the benches: files that a server on this machine fetches, and calls to that server.
    ("assay-measure", "hyper-util"),
    ("assay-measure", "tokio-rustls"),
];

/// Which sources may contain which identifiers. The database driver, `sqlx`, connects only to the operator's own
/// address.
const NAME: &[(&str, &[&str])] = &[
    ("crates/media/src/fetch/", &["TcpStream", "hickory_resolver", "reqwest"]),
    ("crates/media/src/blobs/", &["object_store"]),
    ("crates/domain/src/mail/", &["lettre"]),
    // Parses email addresses; opens no connection.
    ("crates/domain/src/authentication/email.rs", &["lettre"]),
    ("crates/measure/src/client.rs", &["TcpStream"]),
    ("crates/measure/src/file_server.rs", &["hyper_util"]),
    ("crates/server/src/commands/call.rs", &["reqwest"]),
    ("crates/server/src/serve/listen/mod.rs", &["TcpStream", "hyper_util"]),
    ("crates/server/src/telemetry.rs", &["opentelemetry_http", "opentelemetry_otlp", "reqwest"]),
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read_manifest(folder: &Path) -> Table {
    fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap()
}

/// The folders of the crates that are part of the product; benches, fuzz targets and test tools are not.
fn crates() -> Vec<PathBuf> {
    let root = read_manifest(&workspace());
    let members: Vec<_> =
        root["workspace"]["members"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(
        members,
        ["benches", "benches/bare", "crates/*", "fuzz", "testkit", "testkit/fixtures", "testkit/launcher"],
        "another member needs a place in this test"
    );
    let folders = fs::read_dir(workspace().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|folder| folder.join("Cargo.toml").exists()).collect()
}

/// A crate's dependencies: their names in the registry, and their entries in the manifest.
fn dependencies(manifest: &Table, shared: &Table) -> Vec<(String, Value)> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = targets.filter_map(Value::as_table).chain([manifest]);
    let kinds = ["dependencies", "build-dependencies", "build_dependencies"];
    let found = tables.flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()));
    let name = |(key, asked): (&String, &Value)| {
        let shared = asked.get("workspace").map(|_| &shared[key]);
        let renamed = shared.unwrap_or(asked).get("package").and_then(Value::as_str);
        (renamed.unwrap_or(key).to_owned(), asked.clone())
    };
    found.flatten().map(name).collect()
}

#[test]
fn no_other_crate_depends_on_a_client() {
    let root = read_manifest(&workspace());
    let shared = root["workspace"]["dependencies"].as_table().unwrap();
    let mut found = Vec::new();
    for folder in crates() {
        let manifest = read_manifest(&folder);
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        for (dependency, asked) in dependencies(&manifest, shared) {
            if CLIENTS.contains(&dependency.as_str()) {
                assert!(
                    DEPEND.contains(&(&name, &dependency)),
                    "{name} depends on {dependency}: use media::fetch"
                );
                if dependency == "hyper-util" {
                    assert!(serves_alone(&asked), "{name} takes more of hyper-util than it needs to serve");
                }
                found.push((name.clone(), dependency));
            }
        }
    }
    assert!(
        found.contains(&("assay-media".to_owned(), "reqwest".to_owned())),
        "the manifests are read: {found:?}"
    );
}

/// Whether hyper-util is used without its client features.
fn serves_alone(asked: &Value) -> bool {
    let features = asked.get("features").and_then(Value::as_array).cloned().unwrap_or_default();
    features
        .iter()
        .filter_map(Value::as_str)
        .all(|feature| !feature.starts_with("client") && feature != "full")
}

#[test]
fn no_other_source_names_a_client() {
    let root = workspace();
    let (mut files, mut wrong) = (0, Vec::new());
    for folder in crates() {
        let mut sources = Vec::new();
        collect(&folder.join("src"), &mut sources);
        sources.extend(Some(folder.join("build.rs")).filter(|file| file.exists()));
        for file in sources {
            files += 1;
            let path = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let may = NAME.iter().filter(|(place, _)| path.starts_with(place)).flat_map(|(_, words)| *words);
            let may: Vec<_> = may.copied().collect();
            let code = fs::read_to_string(&file).unwrap().parse().expect("the file is Rust");
            let words = clients_in(code).into_iter().filter(|(word, _)| !may.contains(&word.as_str()));
            wrong.extend(words.map(|(word, line)| format!("{path}:{line} names {word}: use media::fetch")));
        }
    }
    assert!(files > 50, "the scan finds the sources of the house, not {files}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sources.push(path);
        }
    }
}

/// The identifiers in a source that open connections, with their lines. Comments and strings are ignored.
fn clients_in(code: TokenStream) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for token in code {
        match token {
            TokenTree::Group(group) => found.extend(clients_in(group.stream())),
            TokenTree::Ident(ident) => {
                let word = ident.to_string();
                if WORDS.contains(&word.as_str()) {
                    found.push((word, ident.span().start().line));
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}

#[test]
fn the_scan_sees_what_it_looks_for() {
    let code = "use tokio::net::TcpStream; // reqwest\n mod a { fn b() { let _ = (\"ureq\", hyper_util::client()); } }";
    assert_eq!(
        clients_in(code.parse().unwrap()),
        [("TcpStream".to_owned(), 1), ("hyper_util".to_owned(), 2)]
    );
    let manifest = "[target.'cfg(unix)'.dependencies]\nweb = { package = 'ureq', version = '3' }\n[dev-dependencies]\ncurl = '1'\n[build-dependencies]\nx.workspace = true";
    let shared = "x = { package = 'reqwest', version = '1' }".parse().unwrap();
    let found: Vec<_> =
        dependencies(&manifest.parse().unwrap(), &shared).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, ["ureq", "reqwest"]);
}
