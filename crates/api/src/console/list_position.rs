//! Where a list goes on: behind the item that was listed last. So a page costs no more at the end of a long list, and
//! nothing is listed twice because something was added meanwhile.

use base::{Timestamp, Uuid, storable_moment};
use std::{fmt, str::FromStr};

/// Items of one page.
pub(super) const ITEMS_PER_LIST: i64 = 50;
/// What is wrong with a position that cannot be read.
pub(super) const POSITION_WORDS: &str = "the member `next` of the page before";

/// An item of a list that is in the order of a moment, and of ids where moments are the same. Callers send back what they
/// were given, and do not look into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListPosition {
    pub(super) at: Timestamp,
    pub(super) id: Uuid,
}

impl fmt::Display for ListPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at.as_microsecond(), self.id)
    }
}

impl FromStr for ListPosition {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (at, id) = text.split_once('.').ok_or(())?;
        let at = Timestamp::from_microsecond(at.parse().map_err(drop)?).map_err(drop)?;
        let at = storable_moment(at).ok_or(())?;
        Ok(Self { at, id: Uuid::parse_str(id).map_err(drop)? })
    }
}

/// Takes what was found beyond a page off it; the position of the last item that is left, if there was more.
pub(super) fn cut_page<T>(found: &mut Vec<T>, position: impl Fn(&T) -> ListPosition) -> Option<String> {
    let has_more = found.len() as i64 > ITEMS_PER_LIST;
    found.truncate(ITEMS_PER_LIST as usize);
    found.last().filter(|_| has_more).map(|last| position(last).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_was_written() {
        let position =
            ListPosition { at: "2026-01-16T14:40:00.123456Z".parse().unwrap(), id: Uuid::from_u128(7) };
        assert_eq!(position.to_string().parse(), Ok(position));
        for wrong in ["", ".", "1", "1.7", "99999999999999999999.7"] {
            assert_eq!(wrong.parse::<ListPosition>(), Err(()), "{wrong}");
        }
        for at in ["x", "-1", "-377705023201000000"] {
            assert_eq!(format!("{at}.{}", position.id).parse::<ListPosition>(), Err(()), "{at}");
        }
    }

    #[test]
    fn a_page_that_is_full_and_is_all_there_is_has_no_next() {
        let position =
            |at: &i64| ListPosition { at: Timestamp::from_microsecond(*at).unwrap(), id: Uuid::from_u128(0) };
        let mut all: Vec<i64> = (0..ITEMS_PER_LIST).collect();
        assert_eq!(cut_page(&mut all, position), None);
        all.push(ITEMS_PER_LIST);
        let next = cut_page(&mut all, position).unwrap();
        assert_eq!(next.parse::<ListPosition>().unwrap().at.as_microsecond(), ITEMS_PER_LIST - 1);
        assert_eq!(all.len() as i64, ITEMS_PER_LIST);
    }
}
