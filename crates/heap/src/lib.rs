//! Freed memory, given back. The C library keeps what was freed in the heaps of the threads that freed it: after models
//! were loaded, that is several times what they take.

/// Gives the pages of this process that hold only freed memory back to the operating system; a few milliseconds. Does
/// nothing where the C library is not glibc.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library")]
pub fn return_freed_memory() {
    // SAFETY: `malloc_trim` (malloc_trim(3)) takes the locks of all heaps and touches only chunks that are free.
    let _whether_any_was_returned = unsafe { libc::malloc_trim(0) };
}

/// Gives the pages of this process that hold only freed memory back to the operating system; a few milliseconds. Does
/// nothing where the C library is not glibc.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_freed_memory() {}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    /// Resident memory of this process that belongs to no file, kilobytes.
    fn resident_kilobytes() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("Linux says it");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[test]
    fn what_a_thread_freed_is_given_back() {
        let after_use = std::thread::spawn(|| {
            // Every second one is kept, so that no heap shrinks by itself.
            let mut blocks: Vec<_> = (0..4000).map(|_| vec![1_u8; 16 * 1024]).collect();
            let mut at = 0;
            blocks.retain(|_| {
                at += 1;
                at % 2 == 0
            });
            let before = resident_kilobytes();
            super::return_freed_memory();
            let after = resident_kilobytes();
            drop(blocks);
            (before, after)
        });
        let (before, after) = after_use.join().expect("the thread ends");
        assert!(after + 20_000 < before, "{before} kB before, {after} kB after");
    }
}
