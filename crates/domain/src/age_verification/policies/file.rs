//! What a policy file holds, and how it is read.

use super::{POLICY_SIGNATURE_SUFFIX, PolicyKey, PolicySignatureError};
use crate::{
    age_verification::{
        request::{AgeMethodRequest, AgeMethodTerms},
        types::{AgeMethod, AgeSessionType},
    },
    violation,
};
use jiff::civil::Date;
use serde::Deserialize;
use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

/// The longest file, bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// The longest name of a policy, characters.
pub(super) const MAX_ID_CHARS: usize = 40;
/// Members of a method's entry that are terms of its use.
const TERM_NAMES: [&str; 11] = [
    "threshold",
    "level",
    "authenticity",
    "confidence",
    "age_estimation_allowed",
    "age_estimation_threshold",
    "age_estimation_confidence",
    "allow_non_latin_documents",
    "authentication",
    "assurance",
    "attestation",
];

crate::wire_enum::wire_enum! {
    /// Whose a policy is.
    pub enum AgePolicyOrigin {
        /// It is part of this program.
        Program => "PROGRAM",
        /// The operator's own.
        Operator => "OPERATOR",
    }
}

/// A policy: what a law asks for, as a session.
#[derive(Clone, Debug)]
pub struct AgePolicy {
    /// Its name, which is that of the file.
    pub id: String,
    /// Counted up with each change.
    pub version: u32,
    /// What it is about.
    pub title: String,
    /// Where it applies: `EU`, or codes of ISO 3166-1 and 3166-2.
    pub regions: Vec<String>,
    /// What is asked about the age.
    pub kind: AgeSessionType,
    /// When its sources were last read.
    pub checked: Date,
    /// What it leaves open.
    pub note: String,
    /// Where its rules come from.
    pub sources: Vec<AgePolicySource>,
    /// The methods, in the order in which they are offered.
    pub methods: Vec<AgePolicyMethod>,
    pub origin: AgePolicyOrigin,
    /// The file as it was signed.
    pub text: String,
    /// Its detached signature.
    pub signature: String,
}

/// A law or guidance.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgePolicySource {
    /// Its name.
    pub name: String,
    /// What it asks for, in our words.
    pub says: String,
    /// Since when it applies.
    pub since: Option<Date>,
}

/// A method that a policy accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct AgePolicyMethod {
    pub method: AgeMethod,
    /// The terms of its use.
    pub terms: AgeMethodTerms,
    /// Why it is accepted on these terms.
    pub why: String,
}

/// Why a policy file is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFileError {
    #[error("{} cannot be read: {problem}", file.display())]
    Unreadable { file: PathBuf, problem: String },
    #[error("it has more than {MAX_FILE_BYTES} bytes")]
    TooLong,
    #[error(transparent)]
    Signature(#[from] PolicySignatureError),
    #[error("{0}")]
    Malformed(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyDocument {
    id: String,
    version: u32,
    title: String,
    regions: Vec<String>,
    #[serde(rename = "type")]
    kind: AgeSessionType,
    checked: Date,
    note: String,
    sources: Vec<AgePolicySource>,
    methods: Vec<toml::Table>,
}

fn malformed(words: impl Into<String>) -> PolicyFileError {
    PolicyFileError::Malformed(words.into())
}

impl AgePolicy {
    /// Reads a file and the signature beside it.
    pub fn read_file(path: &Path, key: &PolicyKey, origin: AgePolicyOrigin) -> Result<Self, PolicyFileError> {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let mut signature = path.as_os_str().to_owned();
        signature.push(POLICY_SIGNATURE_SUFFIX);
        let signature = read_bounded(Path::new(&signature))?;
        let signature = String::from_utf8(signature).map_err(|_| PolicySignatureError::Malformed)?;
        Self::read_signed(name, &read_bounded(path)?, &signature, key, origin)
    }

    /// Reads a policy whose signature must be the key's.
    pub fn read_signed(
        name: &str,
        file: &[u8],
        signature: &str,
        key: &PolicyKey,
        origin: AgePolicyOrigin,
    ) -> Result<Self, PolicyFileError> {
        // Nothing is made of bytes that nobody has signed.
        key.verify(file, signature)?;
        let policy = Self::parse(file, origin)?;
        if policy.id != name {
            return Err(malformed(format!("its id is `{}`, the file's name is `{name}`", policy.id)));
        }
        Ok(Self { signature: signature.trim().to_owned(), ..policy })
    }

    /// Reads a policy that is not signed yet.
    pub fn parse(file: &[u8], origin: AgePolicyOrigin) -> Result<Self, PolicyFileError> {
        if file.len() as u64 > MAX_FILE_BYTES {
            return Err(PolicyFileError::TooLong);
        }
        let text = std::str::from_utf8(file).map_err(|_| malformed("it is not UTF-8"))?;
        let document: PolicyDocument =
            toml::from_str(text).map_err(|error| malformed(error.message().to_owned()))?;
        let PolicyDocument { id, version, title, regions, kind, checked, note, sources, methods } = document;
        let is_id = |id: &str| {
            (2..=MAX_ID_CHARS).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if !is_id(&id) {
            return Err(malformed("its id has 2 to 40 lower-case letters, digits and hyphens"));
        }
        if version == 0 || title.trim().is_empty() || sources.is_empty() || regions.is_empty() {
            return Err(malformed("it has a version from 1, a title, regions and sources"));
        }
        let methods = methods.into_iter().map(AgePolicyMethod::read).collect::<Result<Vec<_>, _>>()?;
        let policy = Self {
            id,
            version,
            title,
            regions,
            kind,
            checked,
            note,
            sources,
            methods,
            origin,
            text: text.to_owned(),
            signature: String::new(),
        };
        policy.check_methods()?;
        Ok(policy)
    }

    /// Refuses methods that are named twice, that could not answer, or whose terms break a rule of sessions.
    fn check_methods(&self) -> Result<(), PolicyFileError> {
        if self.methods.is_empty() {
            return Err(malformed("it names no method"));
        }
        for (at, one) in self.methods.iter().enumerate() {
            let name = one.method.block_name();
            if self.methods[..at].iter().any(|earlier| earlier.method == one.method) {
                return Err(malformed(format!("it names {name} twice")));
            }
            if !one.method.discloses().can_answer(self.kind) {
                return Err(malformed(format!("{name} cannot answer the type {}", self.kind)));
            }
            let request =
                AgeMethodRequest { method: one.method, name: name.to_owned(), terms: one.terms.clone() };
            let violations = request.violations(self.kind);
            if !violations.is_empty() {
                return Err(malformed(violation::join_messages(&violations)));
            }
        }
        Ok(())
    }

    /// Its name and version, as records have it: `gb@1`.
    pub fn reference(&self) -> String {
        format!("{}@{}", self.id, self.version)
    }
}

impl AgePolicyMethod {
    fn read(mut entry: toml::Table) -> Result<Self, PolicyFileError> {
        let mut text = |name: &str| match entry.remove(name) {
            Some(toml::Value::String(text)) if !text.trim().is_empty() => Ok(text),
            _ => Err(malformed(format!("each of its methods has a text `{name}`"))),
        };
        let (name, why) = (text("method")?, text("why")?);
        let method = AgeMethod::from_block_name(&name, "svc");
        let method = method.ok_or_else(|| malformed(format!("there is no method `{name}`")))?;
        if let Some(unknown) = entry.keys().find(|term| !TERM_NAMES.contains(&term.as_str())) {
            return Err(malformed(format!("{name}.{unknown} is not a member that a policy sets")));
        }
        let terms: AgeMethodTerms = toml::Value::Table(entry)
            .try_into()
            .map_err(|error: toml::de::Error| malformed(format!("{name}: {}", error.message())))?;
        if terms.threshold.is_none() {
            return Err(malformed(format!("{name} has no threshold")));
        }
        Ok(Self { method, terms, why })
    }
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, PolicyFileError> {
    let failed = |error: std::io::Error| PolicyFileError::Unreadable {
        file: path.to_owned(),
        problem: error.to_string(),
    };
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(PolicyFileError::TooLong) } else { Ok(bytes) }
}
