//! A server for as much of S3 as the store for blobs needs, over HTTP on loopback. Unsigned requests are refused.

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Query, State},
    http::{HeaderMap, Method, Response, StatusCode, Uri},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub(crate) const BUCKET: &str = "faces";
pub(crate) const REGION: &str = "eu-test-1";
pub(crate) const ACCESS_KEY: &str = "AKIDEXAMPLE";

/// A bucket in memory.
#[derive(Clone, Default)]
pub(crate) struct Bucket(Arc<Mutex<Kept>>);

#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) objects: BTreeMap<String, Object>,
    /// Multipart uploads that are not complete.
    pub(crate) uploads: HashMap<String, (String, BTreeMap<u32, Bytes>)>,
    /// The number of requests of each kind.
    pub(crate) asked: BTreeMap<&'static str, u32>,
    /// The part number from which on parts are refused.
    pub(crate) refuse_parts_from: Option<u32>,
    drawn: u32,
}

#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) bytes: Bytes,
    etag: String,
}

impl Bucket {
    /// Serves a bucket; returns it and the endpoint.
    pub(crate) async fn serve() -> (Self, String) {
        let bucket = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let router =
            Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(bucket.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (bucket, endpoint)
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Answer = Response<Body>;

fn status(status: StatusCode) -> Answer {
    Response::builder().status(status).body(Body::empty()).unwrap()
}

fn xml(text: String) -> Answer {
    Response::builder().header("content-type", "application/xml").body(text.into()).unwrap()
}

/// Whether a request has a signature of AWS Signature Version 4 over its body, for this bucket's region. The signature
/// is not verified.
fn is_signed(headers: &HeaderMap, body: &[u8]) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, body);
    let date = text("x-amz-date").get(..8).unwrap_or_default();
    let begin =
        format!("AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{date}/{REGION}/s3/aws4_request, SignedHeaders=");
    let Some(rest) = text("authorization").strip_prefix(&begin) else { return false };
    let Some((signed, signature)) = rest.split_once(", Signature=") else { return false };
    text("x-amz-content-sha256") == hex::encode(hash)
        && ["host", "x-amz-content-sha256", "x-amz-date"]
            .iter()
            .all(|name| signed.split(';').any(|one| one == *name))
        && signature.len() == 64
        && signature.bytes().all(|byte| byte.is_ascii_hexdigit())
}

async fn answer(
    State(bucket): State<Bucket>,
    method: Method,
    uri: Uri,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    if !is_signed(&headers, &body) {
        return status(StatusCode::FORBIDDEN);
    }
    let Some(key) = uri.path().strip_prefix(&format!("/{BUCKET}")) else {
        return status(StatusCode::NOT_FOUND);
    };
    let key = key.trim_start_matches('/').to_owned();
    let asks = |name: &str| query.contains_key(name);
    let mut kept = bucket.kept();
    let (name, answer) = match method {
        Method::GET if asks("list-type") => ("list", kept.list(&query)),
        Method::GET => ("get", kept.get(&key, &headers, true)),
        Method::HEAD => ("head", kept.get(&key, &headers, false)),
        Method::PUT if asks("uploadId") => ("part", kept.part(&query, body)),
        Method::PUT => ("put", kept.put(key, body)),
        Method::POST if asks("uploads") => ("begin", kept.begin(key)),
        Method::POST if asks("uploadId") => ("complete", kept.complete(&query, &body)),
        Method::POST if asks("delete") => ("delete many", kept.delete_many(&body)),
        Method::DELETE if asks("uploadId") => ("abort", kept.abort(&query)),
        Method::DELETE => ("delete", kept.delete(&key)),
        _ => ("other", status(StatusCode::NOT_IMPLEMENTED)),
    };
    *kept.asked.entry(name).or_default() += 1;
    answer
}

/// The text of each element with this tag.
fn between<'a>(text: &'a str, tag: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    text.split(&open).skip(1).filter_map(|rest| rest.split_once(&close)).map(|(inner, _)| inner).collect()
}

impl Kept {
    fn tag(&mut self) -> String {
        self.drawn += 1;
        format!("\"{}\"", self.drawn)
    }

    fn put(&mut self, key: String, bytes: Bytes) -> Answer {
        let etag = self.tag();
        self.objects.insert(key, Object { bytes, etag: etag.clone() });
        Response::builder().header("etag", etag).body(Body::empty()).unwrap()
    }

    fn get(&self, key: &str, headers: &HeaderMap, with_body: bool) -> Answer {
        let Some(Object { bytes, etag }) = self.objects.get(key) else {
            return status(StatusCode::NOT_FOUND);
        };
        if headers.get("if-match").is_some_and(|wanted| wanted != etag) {
            return status(StatusCode::PRECONDITION_FAILED);
        }
        let answer =
            Response::builder().header("etag", etag).header("last-modified", "Fri, 16 Jan 2026 14:40:00 GMT");
        let range = headers
            .get("range")
            .and_then(|range| range.to_str().ok()?.strip_prefix("bytes=")?.split_once('-'));
        let Some((from, to)) = range else {
            let answer = answer.header("content-length", bytes.len());
            return answer.body(if with_body { bytes.clone().into() } else { Body::empty() }).unwrap();
        };
        let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
        if from >= bytes.len() {
            return status(StatusCode::RANGE_NOT_SATISFIABLE);
        }
        let to = to.min(bytes.len() - 1);
        answer
            .status(StatusCode::PARTIAL_CONTENT)
            .header("content-range", format!("bytes {from}-{to}/{}", bytes.len()))
            .body(bytes.slice(from..=to).into())
            .unwrap()
    }

    /// Lists two objects per page, so that a few objects take several pages.
    fn list(&self, query: &HashMap<String, String>) -> Answer {
        let prefix = query.get("prefix").map_or("", String::as_str);
        let after = query.get("continuation-token").map_or("", String::as_str);
        let mut found = self
            .objects
            .iter()
            .filter(|(key, _)| key.starts_with(prefix) && (after.is_empty() || key.as_str() > after));
        let page: Vec<_> = found.by_ref().take(2).collect();
        let mut out = String::from("<ListBucketResult>");
        for (key, object) in &page {
            write!(
                out,
                "<Contents><Key>{key}</Key><Size>{}</Size><LastModified>2026-01-16T14:40:00.000Z</LastModified>\
                 <ETag>{}</ETag></Contents>",
                object.bytes.len(),
                object.etag
            )
            .unwrap();
        }
        if let (Some((last, _)), Some(_)) = (page.last(), found.next()) {
            write!(out, "<NextContinuationToken>{last}</NextContinuationToken>").unwrap();
        }
        xml(out + "</ListBucketResult>")
    }

    fn begin(&mut self, key: String) -> Answer {
        let id = format!("upload-{}", self.tag().trim_matches('"'));
        self.uploads.insert(id.clone(), (key, BTreeMap::new()));
        xml(format!(
            "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
        ))
    }

    fn part(&mut self, query: &HashMap<String, String>, body: Bytes) -> Answer {
        let number: u32 = query["partNumber"].parse().unwrap();
        if self.refuse_parts_from.is_some_and(|first| number >= first) {
            return status(StatusCode::FORBIDDEN);
        }
        let etag = self.tag();
        let Some((_, parts)) = self.uploads.get_mut(&query["uploadId"]) else {
            return status(StatusCode::NOT_FOUND);
        };
        parts.insert(number, body);
        Response::builder().header("etag", etag).body(Body::empty()).unwrap()
    }

    fn complete(&mut self, query: &HashMap<String, String>, body: &[u8]) -> Answer {
        let Some((key, parts)) = self.uploads.remove(&query["uploadId"]) else {
            return status(StatusCode::NOT_FOUND);
        };
        let named = between(std::str::from_utf8(body).unwrap(), "PartNumber").len();
        let (_, all_but_last) =
            parts.values().collect::<Vec<_>>().split_last().map(|(a, b)| (*a, b.to_vec())).unwrap();
        // As S3 requires: every part is listed, and only the last is smaller than 5 MiB.
        if named != parts.len() || all_but_last.iter().any(|part| part.len() < 5 << 20) {
            return status(StatusCode::BAD_REQUEST);
        }
        let whole: Vec<u8> = parts.values().flatten().copied().collect();
        self.put(key, whole.into());
        xml("<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>"
            .to_owned())
    }

    fn abort(&mut self, query: &HashMap<String, String>) -> Answer {
        self.uploads.remove(&query["uploadId"]);
        status(StatusCode::NO_CONTENT)
    }

    fn delete(&mut self, key: &str) -> Answer {
        self.objects.remove(key);
        status(StatusCode::NO_CONTENT)
    }

    fn delete_many(&mut self, body: &[u8]) -> Answer {
        let mut out = String::from("<DeleteResult>");
        for key in between(std::str::from_utf8(body).unwrap(), "Key") {
            self.objects.remove(key);
            write!(out, "<Deleted><Key>{key}</Key></Deleted>").unwrap();
        }
        xml(out + "</DeleteResult>")
    }
}
