//! What is told of a panic: where it happened. Not its message, which may quote what was being read: that of a text which is cut
//! within a character, for example, has the text.

use crate::out;
use std::panic::{self, PanicHookInfo};

/// Tells of panics on stderr, for commands.
pub(crate) fn report_on_stderr() {
    panic::set_hook(Box::new(|info| out::remark(format_args!("error: a panic at {}", place(info)))));
}

/// Tells of panics in the log, which must have been started.
pub(crate) fn report_in_log() {
    panic::set_hook(Box::new(log));
}

fn log(info: &PanicHookInfo<'_>) {
    tracing::error!(panic.location = place(info), "a panic");
}

fn place(info: &PanicHookInfo<'_>) -> String {
    info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read as _, Seek as _},
        sync::Arc,
        thread,
    };

    fn fail() {
        panic!("the name is Ada");
    }

    #[test]
    fn the_log_says_where_a_panic_happened_and_nothing_of_its_message() {
        let file = Arc::new(tempfile::tempfile().unwrap());
        let lines = tracing_subscriber::fmt().with_writer(file.clone()).finish();
        let (own, usual) = (thread::current().id(), panic::take_hook());
        // Another test may fail meanwhile.
        panic::set_hook(Box::new(
            move |info| {
                if thread::current().id() == own { log(info) } else { usual(info) }
            },
        ));
        let ended = tracing::subscriber::with_default(lines, || panic::catch_unwind(fail));
        drop(panic::take_hook());
        assert!(ended.is_err());
        let (mut log, mut logged) = (&*file, String::new());
        log.rewind().unwrap();
        log.read_to_string(&mut logged).unwrap();
        assert!(logged.contains(file!()), "{logged}");
        assert!(!logged.contains("Ada"), "{logged}");
    }
}
