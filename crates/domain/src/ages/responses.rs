//! What a sandbox's session is told to come to.

use super::{
    NotDone,
    session::{Outcome, Session},
    words::{CheckType, Kind, Method, State},
};
use crate::members::Wrongs;
use base::Timestamp;
use serde_json::{Map, Value};

/// A response configuration: `{status, age, method}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The state that the session takes.
    pub state: State,
    /// The age, years.
    pub age: Option<i64>,
    /// The method that it came of.
    pub method: Option<Method>,
}

impl Response {
    /// Reads a configuration; everything that is wrong with it is told at once.
    pub fn read(body: &Map<String, Value>) -> Result<Self, NotDone> {
        let wrongs = Wrongs::default();
        let members = wrongs.members(body);
        let state = members.word("status");
        if !members.has("status") {
            members.refuse("status", "it is required");
        }
        let age = members.within("age", 0, 120);
        let method = members.word("method");
        wrongs.end().map_err(NotDone::Invalid)?;
        Ok(Self { state: state.unwrap_or(State::Pending), age, method })
    }

    /// Refuses what no session of this kind comes to.
    pub(super) fn fits(&self, kind: Kind) -> Result<(), NotDone> {
        match (kind, self.state, self.age) {
            (Kind::Age, State::Fail, _) => {
                Err(NotDone::wrong("status", "FAIL is for OVER and UNDER; the session asks for an age"))
            }
            (Kind::Age, State::Complete, None) => Err(NotDone::wrong("age", "the session asks for an age")),
            _ => Ok(()),
        }
    }

    /// The outcome of it.
    pub(super) fn outcome(&self, session: &Session, now: Timestamp) -> Outcome {
        let asked = session.wanted.blocks.iter().find(|block| block.allowed);
        let method = self.method.or(asked.map(|block| block.method)).unwrap_or(Method::AgeEstimation);
        let threshold = session.wanted.block(method).or(asked).map(|block| block.threshold);
        let age =
            if session.wanted.kind == Kind::Age { self.age } else { self.age.and(threshold).or(threshold) };
        let error_code = match self.state {
            State::Fail if session.wanted.kind == Kind::Under => Some("OVER_AGE"),
            State::Fail => Some("UNDER_AGE"),
            State::Error => Some("SANDBOX_ERROR"),
            _ => None,
        };
        Outcome {
            method,
            passed: self.state == State::Complete,
            age,
            evidence_id: None,
            error_code: error_code.map(str::to_owned),
            check_type: CheckType::Session,
            at: now,
            held: None,
        }
    }
}
