//! The ways to show an age. Each is a file: how it is opened, and what it makes of a turn.
//!
//! Nothing that a person types or shows is kept here or in a row. What a method must remember until the next turn travels
//! through the page as a sealed continuation; what is more than that (a document session, say) is named by the attempt.

mod document;
mod estimation;

pub use document::FollowDocument;

use super::{
    Ages, NotDone,
    session::{Attempt, Session, Verdict},
    wanted::Block,
    words::Method,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// What the page is to do next.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// Take a photo of the face.
    Camera {
        /// How it is made sure that it is live.
        level: &'static str,
        /// Where the page gets what vouches for the photo.
        capture: Capture,
    },
    /// The same, with moves of the head, in this order.
    Frames {
        /// LEFT, RIGHT, UP, NEARER, FARTHER, the person's own left and right.
        moves: Vec<&'static str>,
        /// Where the page gets what vouches for the photo.
        capture: Capture,
    },
    /// Go through a document session of this server.
    Document {
        /// Its page.
        url: String,
    },
    /// Wait, and ask again.
    Wait {
        /// Milliseconds.
        poll_ms: u32,
    },
}

/// Where the page gets what vouches for a photo.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Capture {
    /// The path of the secure capture protocol.
    pub path: &'static str,
}

/// Secure capture of this server.
const CAPTURE: Capture = Capture { path: "/ai/sm/v1/secure/1" };

/// What of an input could not be used.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// In one word.
    pub code: &'static str,
    /// Which field, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// Tries that are left, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining: Option<i64>,
}

impl Problem {
    pub(super) fn new(code: &'static str) -> Self {
        Self { code, field: None, remaining: None }
    }
}

/// How an attempt goes on.
#[derive(Debug)]
pub(super) enum Next {
    /// The page is asked for something.
    Ask(Ask),
    /// A check runs on without the person.
    Waits,
    /// It is over.
    End(Verdict),
}

/// What the page is asked for.
#[derive(Debug)]
pub(super) struct Ask {
    /// What.
    pub step: Step,
    /// What of the last input could not be used.
    pub problem: Option<Problem>,
    /// What the method must remember; it travels sealed.
    pub held: Value,
    /// What the attempt must know, where that changes.
    pub kept: Option<Value>,
}

impl Ask {
    pub(super) fn new(step: Step, held: Value) -> Self {
        Self { step, problem: None, held, kept: None }
    }
}

/// An attempt, as a method sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub session: &'a Session,
    pub block: &'a Block,
    pub attempt: &'a Attempt,
    /// The language of the page, where it said one.
    pub locale: &'a str,
}

impl Ages {
    /// Opens a method.
    pub(super) async fn open_method(&self, at: At<'_>) -> Result<Next, NotDone> {
        match at.block.method {
            Method::AgeEstimation => Ok(self.open_estimation(at)),
            Method::DocScan => self.open_document(at).await,
            _ => Ok(Next::End(Verdict::Broken { code: "NOT_CONFIGURED" })),
        }
    }

    /// Takes a turn.
    pub(super) async fn take_turn(
        &self,
        at: At<'_>,
        held: Value,
        input: &Map<String, Value>,
    ) -> Result<Next, NotDone> {
        match at.block.method {
            Method::AgeEstimation => self.estimate_age(at, held, input).await,
            Method::DocScan => self.look_at_document(at).await,
            _ => Ok(Next::End(Verdict::Broken { code: "NOT_CONFIGURED" })),
        }
    }
}

/// Whether a method's turns only ask how things are, so that they may be repeated.
pub(super) fn only_asks(method: Method) -> bool {
    matches!(method, Method::DocScan)
}
