//! Makes a test executable one that can start children: the harness's `main` does not know the launcher's word, so it is
//! answered before. Linking this crate is enough: `use test_launcher as _;`.

mod hostile_child;

pub use hostile_child::{HOSTILE_WORD, WORKED};

#[ctor::ctor(unsafe)]
fn act_as_a_child() {
    media::sandbox::run_if_asked();
    hostile_child::run_if_asked();
}
