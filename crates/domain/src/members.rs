//! Reads JSON member by member: every wrong one is told with its path, unknown ones are ignored, null is absent.

use crate::violation::{Violation, violation};
use serde_json::{Map, Value};
use std::{cell::RefCell, str::FromStr};

/// Longer texts are refused.
const LONGEST: usize = 2048;
/// Longer lists are refused.
const MOST: usize = 300;

/// What was found wrong, in the order in which it was.
#[derive(Debug, Default)]
pub(crate) struct Wrongs(RefCell<Vec<Violation>>);

impl Wrongs {
    /// A reader of an object that stands at a path; empty for the body itself.
    pub(crate) fn members<'a>(&'a self, map: &'a Map<String, Value>) -> Members<'a> {
        Members { path: String::new(), map, wrongs: self }
    }

    pub(crate) fn push(&self, path: impl Into<String>, words: impl Into<String>) {
        self.0.borrow_mut().push(violation(path.into(), words));
    }

    /// `Err` with everything that is wrong.
    pub(crate) fn end(self) -> Result<(), Vec<Violation>> {
        let wrong = self.0.into_inner();
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

/// An object and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a> {
    path: String,
    map: &'a Map<String, Value>,
    wrongs: &'a Wrongs,
}

impl<'a> Members<'a> {
    /// Where a member stands.
    pub(crate) fn path(&self, name: &str) -> String {
        match (self.path.is_empty(), name.is_empty()) {
            (true, _) => name.to_owned(),
            (false, true) => self.path.clone(),
            (false, false) => format!("{}.{name}", self.path),
        }
    }

    /// Tells that a member is wrong.
    pub(crate) fn refuse(&self, name: &str, words: impl Into<String>) {
        self.wrongs.push(self.path(name), words);
    }

    /// Whether a member is there and not null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// A member as it is.
    pub(crate) fn value(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn read<T>(&self, name: &str, what: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.value(name)?;
        let read = read(value);
        if read.is_none() {
            self.refuse(name, format!("{what} is expected"));
        }
        read
    }

    /// A text of at most 2,048 characters.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        let text = self.read(name, "a text", Value::as_str)?;
        let length = text.chars().count();
        if length > LONGEST {
            self.refuse(name, format!("it has {length} characters, at most {LONGEST} are read"));
            return None;
        }
        Some(text)
    }

    /// The same, owned.
    pub(crate) fn string(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// A whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<i64> {
        self.read(name, "a whole number", Value::as_i64)
    }

    /// A whole number within limits.
    pub(crate) fn within(&self, name: &str, least: i64, most: i64) -> Option<i64> {
        let number = self.whole(name)?;
        if (least..=most).contains(&number) {
            return Some(number);
        }
        self.refuse(name, format!("it is {number}; a whole number from {least} to {most} is expected"));
        None
    }

    /// A word of a closed set, in any case.
    pub(crate) fn word<T: FromStr<Err = crate::UnknownWord>>(&self, name: &str) -> Option<T> {
        word(self.text(name)?).map_err(|words| self.refuse(name, words)).ok()
    }

    /// An address that a person is sent to: never one that a browser would run.
    pub(crate) fn page(&self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        // Applications on a phone have schemes of their own.
        let fine = scheme.is_some_and(|scheme| {
            scheme.starts_with(|c: char| c.is_ascii_lowercase())
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
                && !["javascript", "data", "vbscript", "file", "blob"].contains(&scheme.as_str())
        });
        if fine && !text.chars().any(char::is_control) {
            return Some(text.to_owned());
        }
        self.refuse(name, "it is no address that a person can be sent to");
        None
    }

    /// An object.
    pub(crate) fn inner(&self, name: &str) -> Option<Members<'a>> {
        let map = self.read(name, "an object", Value::as_object)?;
        Some(Members { path: self.path(name), map, wrongs: self.wrongs })
    }

    fn list(&self, name: &str) -> &'a [Value] {
        let list = self.read(name, "a list", Value::as_array).map_or(&[][..], Vec::as_slice);
        if list.len() > MOST {
            self.refuse(name, format!("it has {} items, at most {MOST} are read", list.len()));
            return &[];
        }
        list
    }

    /// A list of texts, each with its path.
    pub(crate) fn texts(&self, name: &str) -> Vec<(String, &'a str)> {
        let texts = self.list(name).iter().enumerate().filter_map(|(at, value)| {
            let path = format!("{name}[{at}]");
            let text = value.as_str().filter(|text| text.chars().count() <= LONGEST);
            if text.is_none() {
                self.refuse(&path, "a text is expected");
            }
            Some((path, text?))
        });
        texts.collect()
    }
}

fn word<T: FromStr<Err = crate::UnknownWord>>(text: &str) -> Result<T, String> {
    text.trim()
        .to_ascii_uppercase()
        .parse()
        .map_err(|unknown: crate::UnknownWord| format!("it is one of {}", unknown.expected.join(", ")))
}
