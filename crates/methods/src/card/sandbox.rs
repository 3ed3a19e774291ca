//! Cards that try things out; the numbers are those that payment providers publish for tests.

use super::{Card, Checked, Held, PROVES};
use crate::{Evidence, Failure, sandbox::Outcome};
use base::World;

/// What a sandbox's check that waits for the bank is called.
const WAITING: &str = "sandbox-waiting";

pub(super) fn check(card: &Card, world: &dyn World, return_url: &str) -> Result<Checked, Failure> {
    let outcome = match card.number.expose() {
        "4000000000000002" => return Err(Failure::unknown("the sandbox's card is declined")),
        "4000056655665556" => return Err(Failure::unknown("the card is no credit card")),
        "4000000000000127" => return Err(Failure::invalid("code")),
        "4000000000009995" => Outcome::Unavailable,
        // The bank is played by the page that the holder comes back to.
        "4000002500003155" => {
            let held = Held { setup_intent: WAITING.to_owned() };
            return Ok(Checked::Redirect { url: return_url.to_owned(), held });
        }
        _ => Outcome::Over,
    };
    outcome.answer(PROVES, world).map(Checked::Done)
}

pub(super) fn resume(held: &Held, world: &dyn World) -> Result<Evidence, Failure> {
    if held.setup_intent == WAITING {
        Outcome::Over.answer(PROVES, world)
    } else {
        Err(Failure::unavailable("the sandbox knows no such check"))
    }
}
