//! The trust list as JSON. Every error names the entry and the member.

use super::{InvalidTrustListError, StatusPolicy, TrustList, TrustListInner, TrustedIssuer};
use crate::age_claims::MAX_AGE_YEARS;
use crate::certificate_chain::{RevocationList, RootCertificate};
use crate::https_host;
use crate::keys::VerificationKey;
use crate::strict_json;
use crate::verification::CredentialFormat;
use base::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

const ENTRY_MEMBERS: [&str; 19] = [
    "id",
    "provider",
    "formats",
    "keys",
    "roots",
    "crls",
    "key_set_url",
    "reference_hosts",
    "status",
    "status_unavailable",
    "status_hosts",
    "highest_age_over",
    "valid_for_alcohol",
    "not_before",
    "not_after",
    "vct",
    "freshness_seconds",
    "unbound",
    "comment",
];

pub(super) fn parse_trust_list(members: &Map<String, Value>) -> Result<TrustList, InvalidTrustListError> {
    let top = EntryReader { place: "the list".to_owned(), members };
    // A signed list carries registered claims beside its issuers.
    top.deny_unknown(&["issuers", "exp", "iat", "nbf", "iss", "sub", "aud", "jti", "comment"])?;
    let expires = match members.get("exp") {
        None => None,
        Some(exp) => {
            let exp =
                strict_json::parse_seconds(exp).and_then(|seconds| Timestamp::from_second(seconds).ok());
            Some(exp.ok_or_else(|| top.bad("exp", "is not a moment in seconds"))?)
        }
    };
    let entries = members.get("issuers").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| top.bad("issuers", "is missing or no list"))?;
    let (mut issuers, mut index_by_id) = (Vec::new(), HashMap::new());
    for (index, entry) in entries.iter().enumerate() {
        let id = entry.get("id").and_then(Value::as_str).unwrap_or_default();
        let place = format!("issuers[{index}] ({id:?})");
        let members = entry.as_object().ok_or_else(|| InvalidTrustListError {
            place: place.clone(),
            problem: "is not a JSON object".to_owned(),
        })?;
        let entry = EntryReader { place, members };
        let issuer = parse_issuer(&entry)?;
        if index_by_id.insert(issuer.id.clone(), index).is_some() {
            return Err(entry.bad("id", "is listed twice"));
        }
        issuers.push(Arc::new(issuer));
    }
    Ok(TrustList(Arc::new(TrustListInner { issuers, index_by_id, expires })))
}

fn parse_issuer(entry: &EntryReader<'_>) -> Result<TrustedIssuer, InvalidTrustListError> {
    entry.deny_unknown(&ENTRY_MEMBERS)?;
    let id = entry.text("id")?.filter(|id| !id.is_empty()).ok_or_else(|| entry.bad("id", "is missing"))?;
    let word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let provider =
        entry.text("provider")?.filter(|name| (1..=64).contains(&name.len()) && name.bytes().all(word));
    let provider = provider.ok_or_else(|| entry.bad("provider", "is not 1 to 64 capitals, digits and _"))?;
    let formats = entry
        .texts("formats")?
        .iter()
        .map(|word| CredentialFormat::from_name(word))
        .collect::<Option<Vec<_>>>()
        .filter(|formats| !formats.is_empty())
        .ok_or_else(|| entry.bad("formats", "is not a list of cwt, sd-jwt-vc, jwt, mdoc"))?;
    let keys = entry.each("keys", |key| {
        let key =
            VerificationKey::parse(key).map_err(|error| (format!(".{}", error.member), error.problem))?;
        if key.kid().is_some() { Ok(key) } else { Err((".kid".to_owned(), "is missing".to_owned())) }
    })?;
    let roots = entry.each("roots", |root| {
        let der = root.as_str().and_then(|text| decode_pem_or_base64(text, "CERTIFICATE"));
        let root = der.and_then(|der| RootCertificate::parse(&der));
        root.ok_or_else(|| (String::new(), "is not a certificate as PEM or base64 of DER".to_owned()))
    })?;
    let revocation_lists = entry.each("crls", |list| {
        let der = list.as_str().and_then(|text| decode_pem_or_base64(text, "X509 CRL"));
        let list = der.and_then(|der| RevocationList::parse(&der));
        list.ok_or_else(|| (String::new(), "is not a complete CRL as PEM or base64 of DER".to_owned()))
    })?;
    if !revocation_lists.is_empty() && roots.is_empty() {
        return Err(entry.bad("crls", "are listed, but no roots"));
    }
    let key_set_url = entry.text("key_set_url")?;
    if key_set_url.is_some_and(|url| https_host::https_host(url).is_none()) {
        return Err(entry.bad("key_set_url", "is not a plain https address"));
    }
    if formats.contains(&CredentialFormat::Mdoc) && roots.is_empty() {
        return Err(entry.bad("roots", "is empty, and mdoc needs one"));
    }
    if formats.iter().any(|format| *format != CredentialFormat::Mdoc)
        && keys.is_empty()
        && roots.is_empty()
        && key_set_url.is_none()
    {
        return Err(entry.bad("keys", "is empty, and so are roots and key_set_url"));
    }
    let mut status_hosts = entry.hosts("status_hosts")?;
    if !entry.members.contains_key("status_hosts") {
        status_hosts.extend(https_host::https_host(id));
    }
    let number = |member, max| entry.number(member, max);
    Ok(TrustedIssuer {
        id: id.to_owned(),
        provider: provider.to_owned(),
        formats,
        keys,
        fetched_keys: Vec::new(),
        roots,
        revocation_lists,
        key_set_url: key_set_url.map(str::to_owned),
        reference_hosts: entry.hosts("reference_hosts")?,
        status: match entry.text("status")? {
            Some("required") => StatusPolicy::Required,
            None | Some("when_present") => StatusPolicy::WhenPresent,
            Some("ignored") => StatusPolicy::Ignored,
            Some(_) => return Err(entry.bad("status", "is none of required, when_present, ignored")),
        },
        accepts_unavailable_status: match entry.text("status_unavailable")? {
            None | Some("refuse") => false,
            Some("accept") => true,
            Some(_) => return Err(entry.bad("status_unavailable", "is neither refuse nor accept")),
        },
        status_hosts,
        highest_age_over: number("highest_age_over", u64::from(MAX_AGE_YEARS))?.map(|years| years as u8),
        valid_for_alcohol: entry.flag("valid_for_alcohol", true)?,
        not_before: entry.moment("not_before")?,
        not_after: entry.moment("not_after")?,
        vct: entry.texts("vct")?.into_iter().map(str::to_owned).collect(),
        freshness: number("freshness_seconds", 86_400)?
            .map(|seconds| SignedDuration::from_secs(seconds as i64)),
        accepts_unbound: entry.flag("unbound", false)?,
    })
}

fn decode_pem_or_base64(text: &str, tag: &str) -> Option<Vec<u8>> {
    if text.contains("-----BEGIN") {
        let pem = pem::parse(text).ok().filter(|pem| pem.tag() == tag)?;
        return Some(pem.into_contents());
    }
    base64_simd::STANDARD.decode_to_vec(text.split_ascii_whitespace().collect::<String>()).ok()
}

/// A JSON object and its place in the list, for errors.
struct EntryReader<'a> {
    place: String,
    members: &'a Map<String, Value>,
}

impl<'a> EntryReader<'a> {
    fn bad(&self, member: &str, problem: &str) -> InvalidTrustListError {
        InvalidTrustListError { place: format!("{} {member}", self.place), problem: problem.to_owned() }
    }

    fn deny_unknown(&self, known: &[&str]) -> Result<(), InvalidTrustListError> {
        match self.members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(self.bad(name, "is not a member that is known here")),
            None => Ok(()),
        }
    }

    fn text(&self, member: &str) -> Result<Option<&'a str>, InvalidTrustListError> {
        match self.members.get(member) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| self.bad(member, "is not text")),
        }
    }

    fn flag(&self, member: &str, default: bool) -> Result<bool, InvalidTrustListError> {
        match self.members.get(member) {
            None => Ok(default),
            Some(value) => value.as_bool().ok_or_else(|| self.bad(member, "is neither true nor false")),
        }
    }

    fn number(&self, member: &str, max: u64) -> Result<Option<u64>, InvalidTrustListError> {
        match self.members.get(member) {
            None => Ok(None),
            Some(value) => {
                let number = value.as_u64().filter(|number| (1..=max).contains(number));
                number
                    .map(Some)
                    .ok_or_else(|| self.bad(member, &format!("is not a whole number of 1 to {max}")))
            }
        }
    }

    fn moment(&self, member: &str) -> Result<Option<Timestamp>, InvalidTrustListError> {
        let bad = |_| self.bad(member, "is not an RFC 3339 moment");
        self.text(member)?.map(|text| text.parse().map_err(bad)).transpose()
    }

    /// Reads an array element by element. The error of `read` is what follows `member[index]`, and the problem.
    fn each<T>(
        &self,
        member: &str,
        read: impl Fn(&'a Value) -> Result<T, (String, String)>,
    ) -> Result<Vec<T>, InvalidTrustListError> {
        let Some(value) = self.members.get(member) else { return Ok(Vec::new()) };
        let values = value.as_array().ok_or_else(|| self.bad(member, "is not a list"))?;
        let one = |(index, value): (usize, &'a Value)| {
            read(value).map_err(|(inner, problem)| self.bad(&format!("{member}[{index}]{inner}"), &problem))
        };
        values.iter().enumerate().map(one).collect()
    }

    fn texts(&self, member: &str) -> Result<Vec<&'a str>, InvalidTrustListError> {
        self.each(member, |value| value.as_str().ok_or_else(|| (String::new(), "is not text".to_owned())))
    }

    fn hosts(&self, member: &str) -> Result<Vec<String>, InvalidTrustListError> {
        self.each(member, |value| {
            let host = value.as_str().filter(|host| https_host::is_host(host)).map(str::to_ascii_lowercase);
            host.ok_or_else(|| (String::new(), "is not a host name".to_owned()))
        })
    }
}
