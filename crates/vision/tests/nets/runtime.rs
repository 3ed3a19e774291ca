//! Loading ONNX Runtime. A process loads one runtime and keeps it, so each case runs in a process of its own.

use crate::support::{edit_manifest, edited_pack};
use fixtures::pack;
use serde_json::json;
use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;
use vision::VisionModels;

const FOLDER: &str = "ASSAY_TEST_PACK";

/// The other process: loads the pack that the environment names, twice, and prints the results.
#[test]
#[ignore = "the other tests of this module run it, in a process of its own"]
fn load_in_this_process() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    for _ in 0..2 {
        match VisionModels::load(Path::new(&folder)) {
            Ok(_) => println!("<loaded>"),
            Err(error) => println!("<{error}>"),
        }
    }
}

/// Loads a pack twice in another process; returns both results. Fails after ten minutes.
fn load_elsewhere(folder: &Path) -> [String; 2] {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "runtime::load_in_this_process", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_mins(10);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("loading hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{printed}\n{errors}");
    let mut answers = printed.split('<').skip(1).map(|rest| rest.split('>').next().unwrap().to_owned());
    [answers.next().unwrap(), answers.next().unwrap()]
}

/// A pack whose runtime is this file, with its correct hash.
fn pack_with_runtime(bytes: &[u8]) -> TempDir {
    let folder = edited_pack(|manifest| {
        manifest["runtime"] = json!({"path": "own.so", "sha256": sha256(bytes), "bytes": bytes.len()});
    });
    fs::write(folder.path().join("own.so"), bytes).unwrap();
    folder
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes))
}

fn assert_both_contain(answers: &[String; 2], words: &[&str]) {
    for answer in answers {
        assert!(words.iter().all(|word| answer.contains(word)), "{answer}");
    }
}

#[test]
fn the_runtime_of_the_pack_loads_also_by_a_relative_path() {
    assert_eq!(load_elsewhere(&pack()), ["loaded", "loaded"]);
    let here = env::current_dir().unwrap().canonicalize().unwrap();
    let up: std::path::PathBuf = here.components().skip(1).map(|_| "..").collect();
    let relative = up.join(pack().strip_prefix("/").unwrap());
    assert_eq!(load_elsewhere(&relative), ["loaded", "loaded"]);
}

#[test]
fn a_missing_runtime_is_named() {
    let folder = edited_pack(|manifest| manifest["runtime"]["path"] = json!("lib/nothing.so"));
    assert_both_contain(&load_elsewhere(folder.path()), &["lib/nothing.so", "No such file"]);
}

#[test]
fn a_runtime_with_another_hash_is_not_even_loaded() {
    let folder = edited_pack(|manifest| manifest["runtime"]["sha256"] = json!("00".repeat(32)));
    let words = ["libonnxruntime.so.1", "is not the file of the manifest", "instead of 0000"];
    assert_both_contain(&load_elsewhere(folder.path()), &words);
}

#[test]
fn a_runtime_that_is_no_library_is_refused() {
    let folder = pack_with_runtime(b"this is no library");
    assert_both_contain(&load_elsewhere(folder.path()), &["own.so", "cannot be loaded"]);
    let folder = pack_with_runtime(b"");
    assert_both_contain(&load_elsewhere(folder.path()), &["own.so", "cannot be loaded"]);
}

/// Loading half a library would kill the process with a bus error, so the hash must be checked first.
#[test]
fn a_truncated_runtime_is_refused() {
    let whole = fs::read(pack().join("lib/libonnxruntime.so.1")).unwrap();
    let folder = pack_with_runtime(&whole);
    fs::write(folder.path().join("own.so"), &whole[..whole.len() / 3]).unwrap();
    assert_both_contain(&load_elsewhere(folder.path()), &["own.so", "is not the file of the manifest"]);
}

#[test]
fn a_library_that_is_no_runtime_is_refused() {
    // Any shared library will do; every process has loaded this one.
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let libc = maps.split_whitespace().find(|word| word.contains("/libc.so") || word.contains("/libc-"));
    let Some(libc) = libc else { return };
    let folder = pack_with_runtime(&fs::read(libc).unwrap());
    assert_both_contain(&load_elsewhere(folder.path()), &["own.so", "cannot be loaded"]);
}

#[test]
fn a_process_with_one_runtime_refuses_another() {
    VisionModels::load(&pack()).unwrap();
    let folder = pack_with_runtime(b"another build");
    let text = VisionModels::load(folder.path()).unwrap_err().to_string();
    assert!(text.contains("own.so") && text.contains("restart"), "{text}");
    edit_manifest(folder.path(), |manifest| manifest["runtime"]["path"] = json!("../own.so"));
    let text = VisionModels::load(folder.path()).unwrap_err().to_string();
    assert!(text.contains("outside the folder"), "{text}");
}
