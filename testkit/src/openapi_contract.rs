//! Checks every answer that a test receives against the OpenAPI document of its operation, so that the documents stay true:
//! status and content type are listed, and the body fits the schema and has no member that the schema does not name.

use api::{Brand, openapi};
use axum::http::{HeaderMap, StatusCode, header};
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

/// The documents of all interfaces, as a server of one brand publishes them.
#[derive(Debug)]
pub(crate) struct OpenApiContract {
    operations: Vec<ContractOperation>,
    documents: Vec<Value>,
    validators: Mutex<HashMap<(usize, String), Arc<Validator>>>,
}

#[derive(Debug)]
struct ContractOperation {
    document: usize,
    path: String,
    segments: Vec<PathSegment>,
    method: String,
}

#[derive(Debug, PartialEq)]
enum PathSegment {
    Literal(String),
    Parameter,
}

/// Cached, because the documents of a brand are the same for all tests and take a while to make.
static CONTRACTS_BY_BRAND: LazyLock<Mutex<HashMap<String, Arc<OpenApiContract>>>> =
    LazyLock::new(Mutex::default);

impl OpenApiContract {
    /// The contract of a server with this brand.
    pub(crate) fn of(brand: &Brand) -> Arc<Self> {
        let mut contracts = CONTRACTS_BY_BRAND.lock().unwrap_or_else(PoisonError::into_inner);
        let known = contracts.entry(brand.auth_id().to_string());
        known.or_insert_with(|| Arc::new(Self::read(brand))).clone()
    }

    fn read(brand: &Brand) -> Self {
        let mut documents = Vec::new();
        let mut operations = Vec::new();
        for name in openapi::DOCUMENT_NAMES {
            let text = openapi::document_json(name, brand).expect("a document for each name");
            let mut document: Value = serde_json::from_str(&text).expect("documents are JSON");
            for (path, item) in document["paths"].as_object().into_iter().flatten() {
                for method in item.as_object().into_iter().flatten().map(|(method, _)| method) {
                    operations.push(ContractOperation {
                        document: documents.len(),
                        path: path.clone(),
                        segments: segments(path),
                        method: method.to_ascii_uppercase(),
                    });
                }
            }
            forbid_unknown_members(&mut document);
            documents.push(document);
        }
        Self { operations, documents, validators: Mutex::default() }
    }

    /// The operation of a request as its document names it; method and path where no document has it.
    pub(crate) fn name_of(&self, (method, path): (&str, &str)) -> String {
        let path = self.operation(method, path).map_or(path, |operation| &operation.path);
        format!("{method} {path}")
    }

    /// Checks an answer against the document of its operation; an answer to a request that no document has passes.
    ///
    /// # Panics
    /// When the answer does not fit.
    pub(crate) fn check(
        &self,
        (method, path): (&str, &str),
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) {
        let Some(operation) = self.operation(method, path) else { return };
        let document = &self.documents[operation.document];
        let named = format!("{method} {}", operation.path);
        let lower = operation.method.to_ascii_lowercase();
        let response = &document["paths"][&operation.path][&lower]["responses"][status.as_str()];
        let link = response["$ref"].as_str().and_then(|link| link.strip_prefix('#'));
        let (response, place) = if let Some(shared) = link {
            (document.pointer(shared).unwrap_or(&Value::Null), shared.to_owned())
        } else {
            let parts = ["paths", &operation.path, &lower, "responses", status.as_str()];
            (response, format!("/{}", parts.map(escape).join("/")))
        };
        let shown = String::from_utf8_lossy(body.get(..2000).unwrap_or(body));
        assert!(response.is_object(), "{named}: its document has no answer {status}\n{shown}");
        let content = response["content"].as_object();
        let Some(content) = content.filter(|content| !content.is_empty()) else {
            assert!(body.is_empty(), "{named}: its document has no body for {status}\n{shown}");
            return;
        };
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        let listed = content.keys().find(|listed| *listed == essence || *listed == "*/*");
        let Some(listed) = listed else {
            let known: Vec<_> = content.keys().collect();
            panic!("{named}: its document has no {kind:?} for {status}, but {known:?}\n{shown}");
        };
        if !(essence == "application/json" || essence.ends_with("+json")) || method == "HEAD" {
            return;
        }
        let schema = &content[listed]["schema"];
        assert!(
            schema.as_object().is_some_and(|schema| !schema.is_empty()),
            "{named}: its document has no schema for {status}\n{shown}"
        );
        let schema = format!("#{place}/content/{}/schema", escape(listed));
        let validator = self.validator(operation.document, &schema);
        let json: Value = serde_json::from_slice(body).expect("an answer of JSON is JSON");
        let faults: Vec<_> =
            validator.iter_errors(&json).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{named} {status} is not as its document says:\n{faults:#?}\n{shown}");
    }

    /// The operation of a request: of those that match, the one with the most segments that are no parameters. Operations of
    /// the sandbox that have no path of their own are those of production.
    fn operation(&self, method: &str, path: &str) -> Option<&ContractOperation> {
        let path = path.split('?').next().unwrap_or_default();
        let in_production = path.strip_prefix("/sandbox");
        self.at(method, path).or_else(|| self.at(method, in_production?))
    }

    fn at(&self, method: &str, path: &str) -> Option<&ContractOperation> {
        let asked: Vec<_> = path.split('/').collect();
        let matches = |operation: &&ContractOperation| {
            operation.method == method
                && operation.segments.len() == asked.len()
                && operation.segments.iter().zip(&asked).all(|(segment, asked)| match segment {
                    PathSegment::Literal(literal) => literal == asked,
                    PathSegment::Parameter => !asked.is_empty(),
                })
        };
        let literals = |operation: &&ContractOperation| {
            operation.segments.iter().filter(|segment| **segment != PathSegment::Parameter).count()
        };
        self.operations.iter().filter(matches).max_by_key(literals)
    }

    fn validator(&self, document: usize, reference: &str) -> Arc<Validator> {
        let key = (document, reference.to_owned());
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let made = validators.entry(key).or_insert_with(|| {
            let mut schema = self.documents[document].clone();
            schema["$ref"] = reference.into();
            let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
            Arc::new(options.build(&schema).expect("the schemas of a document are schemas"))
        });
        made.clone()
    }
}

/// A name as a segment of a JSON pointer in a URI fragment (RFC 6901).
fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1").replace('{', "%7B").replace('}', "%7D")
}

fn segments(path: &str) -> Vec<PathSegment> {
    let segment = |segment: &str| {
        if segment.starts_with('{') {
            PathSegment::Parameter
        } else {
            PathSegment::Literal(segment.to_owned())
        }
    };
    path.split('/').map(segment).collect()
}

/// Makes the schemas of answers refuse members that they do not name. Clients must ignore such members, but here they reveal
/// a member that the document omits. Schemas that say something about further members are left as they are.
fn forbid_unknown_members(document: &mut Value) {
    let mut open = BTreeSet::new();
    parts_of_compositions(document, &mut open);
    let schemas = document["components"]["schemas"].as_object_mut();
    for (name, schema) in schemas.into_iter().flatten() {
        close_schema(schema, !open.contains(name));
    }
    let shared = document["components"]["responses"].as_object_mut();
    for response in shared.into_iter().flatten().map(|(_, response)| response) {
        close_response_schema(response);
    }
    for path in document["paths"].as_object_mut().into_iter().flatten().map(|(_, path)| path) {
        for operation in path.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            for response in operation["responses"].as_object_mut().into_iter().flatten().map(|(_, one)| one) {
                close_response_schema(response);
            }
        }
    }
}

fn close_response_schema(response: &mut Value) {
    for content in response["content"].as_object_mut().into_iter().flatten().map(|(_, content)| content) {
        if let Some(schema) = content.get_mut("schema") {
            close_schema(schema, true);
        }
    }
}

/// The components that are parts of an `allOf`: only the whole names all members.
fn parts_of_compositions(value: &Value, found: &mut BTreeSet<String>) {
    if let Some(parts) = value.get("allOf").and_then(Value::as_array) {
        let names = parts.iter().filter_map(|part| part["$ref"].as_str()?.rsplit('/').next());
        found.extend(names.map(str::to_owned));
    }
    match value {
        Value::Object(members) => members.values().for_each(|member| parts_of_compositions(member, found)),
        Value::Array(items) => items.iter().for_each(|item| parts_of_compositions(item, found)),
        _ => {}
    }
}

fn close_schema(schema: &mut Value, whole: bool) {
    let Some(members) = schema.as_object_mut() else { return };
    let says =
        ["additionalProperties", "unevaluatedProperties"].iter().any(|word| members.contains_key(*word));
    if whole && !says && (members.contains_key("properties") || members.contains_key("allOf")) {
        members.insert("unevaluatedProperties".to_owned(), json!(false));
    }
    let inner = |members: &mut Map<String, Value>, word: &str, whole: bool| {
        if let Some(inner) = members.get_mut(word) {
            close_schema(inner, whole);
        }
    };
    inner(members, "items", true);
    inner(members, "additionalProperties", true);
    for property in members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        close_schema(property.1, true);
    }
    for (word, whole) in [("allOf", false), ("oneOf", whole), ("anyOf", whole), ("prefixItems", true)] {
        for part in members.get_mut(word).and_then(Value::as_array_mut).into_iter().flatten() {
            close_schema(part, whole);
        }
    }
}
