//! Commands that are printed for people to run.

use std::path::Path;

/// Characters that mean nothing to a shell, besides letters and digits.
const PLAIN: &[u8] = b"_-./:=@%+,";

/// A path as a word of a POSIX shell: as it is where nothing in it means anything to a shell, else in single quotes. Bytes that
/// are no UTF-8 are replaced, because they cannot be printed.
pub(crate) fn quote_path(path: &Path) -> String {
    let word = path.to_string_lossy();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || PLAIN.contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.into_owned();
    }
    // A quote cannot be quoted within quotes.
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_path_without_special_characters_stays_as_it_is() {
        for path in ["data", "/srv/assay", "target/debug/assay", "./a-b_c.d:e=f@g%h+i,j"] {
            assert_eq!(quote_path(Path::new(path)), path);
        }
        assert_eq!(quote_path(Path::new("/srv/my data")), "'/srv/my data'");
        assert_eq!(quote_path(Path::new("it's")), r"'it'\''s'");
    }

    #[test]
    fn a_shell_reads_the_path_that_was_quoted() {
        let paths = [
            "/srv/my data",
            "it's",
            "\"$HOME\" `id` \\",
            "~/assay",
            "a;b&c|d",
            "*?[x]",
            "#",
            "",
            "line\nbreak",
            "ä!",
        ];
        for path in paths {
            let script = format!("printf %s {}", quote_path(Path::new(path)));
            let printed = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(printed.stdout).unwrap(), path, "{script}");
        }
    }
}
