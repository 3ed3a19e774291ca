//! Lists by pages of 20 items; `page` of the query counts from 1.

use base::LimitViolation;
use domain::Violation;
use std::num::IntErrorKind;

pub(crate) const ITEMS_PER_PAGE: i64 = 20;

/// A greater number is read as this one: no list has so many pages, and the number of items before the page would overflow.
const MAX_PAGE_NUMBER: i64 = u32::MAX as i64;

/// `page` of a query string, 1 by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageNumber(i64);

impl PageNumber {
    pub(crate) fn read(parameter: Option<&str>) -> Result<Self, Violation> {
        let Some(text) = parameter else { return Ok(Self(1)) };
        match text.parse::<i64>() {
            Ok(page) if page >= 1 => Ok(Self(page.min(MAX_PAGE_NUMBER))),
            // What comes after the digits that were too many was not looked at.
            Err(error)
                if *error.kind() == IntErrorKind::PosOverflow
                    && text.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                Ok(Self(MAX_PAGE_NUMBER))
            }
            _ => Err(Violation::new("page", "it is a whole number from 1")),
        }
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
