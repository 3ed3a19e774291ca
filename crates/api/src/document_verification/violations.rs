//! Collects everything that is wrong with a request, so that a caller learns it at once.

use super::DocumentApiError;
use base::LimitViolation;
use domain::Violation;
use serde_json::Value;

/// Longer texts are refused.
const MAX_TEXT_CHARS: usize = 2048;

/// What is wrong with a request, in the order in which it was found.
#[derive(Debug, Default)]
pub(super) struct PayloadViolations(Vec<Violation>);

impl PayloadViolations {
    /// Begins with the members of a wrong type.
    pub(super) fn new(found: Vec<Violation>) -> Self {
        Self(found)
    }

    /// Records a violation, unless there is one of the same member or of one around it: what follows from a fault is
    /// not reported as another.
    pub(super) fn add(&mut self, path: &str, words: impl Into<String>) {
        self.extend([Violation::new(path.to_owned(), words)]);
    }

    /// The same of a limit that was exceeded.
    pub(super) fn add_limit(&mut self, path: &str, words: impl Into<String>, measured: LimitViolation) {
        self.extend([Violation::with_limit(path.to_owned(), words, measured)]);
    }

    /// Everything that was found.
    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.0
    }

    /// Records several violations as [`Self::add`] does one, with what was measured.
    pub(super) fn extend(&mut self, found: impl IntoIterator<Item = Violation>) {
        for violation in found {
            let is_told = self.0.iter().any(|known| {
                let rest = violation.path.strip_prefix(&*known.path);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            });
            if !is_told {
                self.0.push(violation);
            }
        }
    }

    /// A text; one of more than 2,048 characters is refused.
    pub(super) fn text(&mut self, path: &str, text: Option<String>) -> Option<String> {
        let text = text?;
        let length = text.chars().count();
        if length > MAX_TEXT_CHARS {
            let words = format!("it has {length} characters, at most {MAX_TEXT_CHARS} are read");
            let limit = format!("at most {MAX_TEXT_CHARS} characters");
            self.add_limit(path, words, LimitViolation::new(length as f64, limit, "send a shorter text"));
            return None;
        }
        Some(text)
    }

    /// A required member; records a violation if it is absent.
    pub(super) fn required<T>(&mut self, path: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.add(path, "it is required");
        }
        value
    }

    /// A list; one of more than `most` items is refused, and read as empty.
    pub(super) fn list<T>(&mut self, path: &str, items: Option<Vec<T>>, most: usize) -> Vec<T> {
        let items = items.unwrap_or_default();
        if items.len() > most {
            let words = format!("it has {} items, at most {most} are taken", items.len());
            let limit = format!("at most {most} items");
            self.add_limit(path, words, LimitViolation::new(items.len() as f64, limit, "leave some out"));
            return Vec::new();
        }
        items
    }

    /// A list of at most `most` texts; nulls are left out.
    pub(super) fn texts(
        &mut self,
        path: &str,
        texts: Option<Vec<Option<String>>>,
        most: usize,
    ) -> Vec<String> {
        let texts = self.list(path, texts, most).into_iter().enumerate();
        texts.filter_map(|(at, text)| self.text(&format!("{path}[{at}]"), text)).collect()
    }

    /// A list of at most `most` words, in capital letters; nulls and empty texts are left out.
    pub(super) fn words(
        &mut self,
        path: &str,
        words: Option<Vec<Option<String>>>,
        most: usize,
    ) -> Vec<String> {
        let words = self.texts(path, words, most).into_iter().map(|word| word.trim().to_ascii_uppercase());
        words.filter(|word| !word.is_empty()).collect()
    }

    /// Refuses a member that cannot be done, unless its value asks for nothing.
    pub(super) fn refuse(&mut self, path: &str, value: Option<&Value>, words: &str) {
        if value.is_some_and(|value| !asks_for_nothing(value)) {
            self.add(path, words);
        }
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses the request if anything is wrong with it.
    pub(super) fn into_result(self) -> Result<(), DocumentApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0.into()) }
    }
}

/// Whether a value asks for nothing: null, `false`, and what is empty.
fn asks_for_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(asks_for_nothing),
        Value::Object(members) => members.values().all(asks_for_nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_a_fault_is_not_told_again() {
        let mut violations = PayloadViolations::new(vec![Violation::new("scheme", "an object is expected")]);
        violations.add("scheme.type", "it is required");
        violations.add("schemes", "it is required");
        violations.add("schemes", "it is unknown");
        let told: Vec<_> = violations.0.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["scheme: an object is expected", "schemes: it is required"]);
    }

    #[test]
    fn texts_and_lists_have_limits() {
        let mut violations = PayloadViolations::default();
        assert_eq!(violations.text("a", Some("ä".repeat(2048))).map(|text| text.len()), Some(4096));
        assert_eq!(violations.text("a", Some("ä".repeat(2049))), None);
        assert!(violations.list("b", Some(vec![1, 2]), 1).is_empty());
        assert_eq!(violations.texts("c", Some(vec![Some("x".to_owned()), None]), 2), ["x"]);
        assert_eq!(violations.required::<u8>("d", None), None);
        let told: Vec<_> = violations.0.iter().map(|violation| violation.path.clone()).collect();
        assert_eq!(told, ["a", "b", "d"]);
        let measured: Vec<_> = violations
            .0
            .iter()
            .map(|violation| violation.measured.as_ref().map(|limit| (limit.measured, limit.limit.as_str())))
            .collect();
        assert_eq!(
            measured,
            [Some((2049.0, "at most 2048 characters")), Some((2.0, "at most 1 items")), None]
        );
    }
}
