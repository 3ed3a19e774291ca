//! Lists by pages of 20 items; `page` of the query counts from 1.

use base::LimitViolation;
use domain::Violation;

pub(crate) const ITEMS_PER_PAGE: i64 = 20;

/// `page` of a query string, 1 by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageNumber(i64);

impl PageNumber {
    pub(crate) fn read(parameter: Option<&str>) -> Result<Self, Violation> {
        let Some(text) = parameter else { return Ok(Self(1)) };
        // A greater number would overflow the offset.
        let page = text.parse().ok().filter(|page| (1..=i64::from(u32::MAX)).contains(page));
        page.map(Self).ok_or_else(|| Violation::new("page", "it is a whole number from 1"))
    }

    /// The number of items before it.
    pub(crate) fn offset(self) -> i64 {
        (self.0 - 1) * ITEMS_PER_PAGE
    }

    /// The page's number, from 1.
    pub(crate) fn number(self) -> i64 {
        self.0
    }

    /// Refuses a page past the end of `total` items; an empty list has a first page.
    pub(crate) fn check_within(self, total: i64) -> Result<(), Violation> {
        let last = ((total + ITEMS_PER_PAGE - 1) / ITEMS_PER_PAGE).max(1);
        if self.0 <= last {
            return Ok(());
        }
        let measured =
            LimitViolation::new(self.0 as f64, format!("at most {last}"), "ask for a page that exists");
        Err(Violation::with_limit("page", "there is no such page", measured))
    }
}
