//! Writes a set of simulated live and attack pictures: `spoof_set <portraits> <out> [seed]`.

use std::path::Path;

#[expect(clippy::print_stdout, reason = "a command line tool says what it did")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (portraits, out, seed) = match arguments.as_slice() {
        [portraits, out] => (portraits, out, 1),
        [portraits, out, seed] => (portraits, out, seed.parse()?),
        _ => return Err("usage: spoof_set <portraits> <out> [seed]".into()),
    };
    let count = testkit::spoof::write_set(Path::new(portraits), Path::new(out), seed)?;
    println!("{count} pictures in {out}");
    Ok(())
}
