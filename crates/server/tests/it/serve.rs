//! `assay serve`: the first ten minutes, and what happens when something is missing.

use crate::test_installation::{TestInstallation, repository, text};
use domain::tenancy::signed_request::{CanonicalRequest, HttpRequestSigner};
use serde_json::Value;
use std::{os::unix::fs::PermissionsExt as _, process::Command, time::Duration};

#[test]
fn a_newcomer_gets_an_age() {
    let place = TestInstallation::new();
    let server = place.serve();
    let ready: Value = serde_json::from_str(&server.until("/readyz", 200)).unwrap();
    assert_eq!(ready["ready"], true);

    // Models take a hundred megabytes, and are loaded for the first picture: by no job that every start brings either. Only
    // root may see what is mapped, because the server's memory is private.
    std::thread::sleep(Duration::from_secs(2));
    let has_loaded_models = || {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", server.process_id())).ok()?;
        Some(maps.contains("libonnxruntime"))
    };
    assert_ne!(has_loaded_models(), Some(true), "before there is a picture");

    let file = place.path("dev-credentials.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let credentials = place.credentials();
    let mut members: Vec<_> = credentials.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["api_key", "base_url", "organisation_id", "private_key_path", "sdk_id"]);
    let key = place.path(credentials["private_key_path"].as_str().unwrap());
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);

    let face = place.path("face.jpg");
    std::fs::write(&face, testkit::face_jpeg()).unwrap();
    let face = face.to_str().unwrap();
    let answer: Value = serde_json::from_str(&place.ask(&["call", "/ai/v1/age", "--img", face])).unwrap();
    assert!((15.0..60.0).contains(&answer["age"].as_f64().unwrap()), "{answer}");

    assert_ne!(has_loaded_models(), Some(false), "after one");
    // The models' runtime keeps no record of its use, which it would send to its maker.
    assert!(!place.path("home").exists(), "nothing is written to the home folder");

    let refused = place.run(&["call", "/ai/v1/age-verify", "--img", face, "--set", "threshold=0"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stdout).contains("INVALID_REQUEST_BODY"), "{refused:?}");

    // The key is beside the credentials wherever they are; files of earlier versions have its whole path.
    assert_eq!(credentials["private_key_path"], "dev-private-key.pem");
    let moved = place.path("moved");
    std::fs::create_dir(&moved).unwrap();
    std::fs::copy(&key, moved.join("dev-private-key.pem")).unwrap();
    std::fs::copy(&file, moved.join("dev-credentials.json")).unwrap();
    let earlier = place.path("earlier.json");
    let mut with_whole_path = credentials.clone();
    with_whole_path["private_key_path"] = key.to_str().unwrap().into();
    std::fs::write(&earlier, serde_json::to_string_pretty(&with_whole_path).unwrap()).unwrap();
    for program in [["bash", "first-call.sh"], ["python3", "first_call.py"], ["node", "first-call.mjs"]] {
        let script = repository("docs/examples").join(program[1]).canonicalize().unwrap();
        for credentials in [file.to_str().unwrap(), earlier.to_str().unwrap(), "dev-credentials.json"] {
            let mut command = Command::new(program[0]);
            let output = command.arg(&script).args([credentials, face]).current_dir(&moved).output().unwrap();
            let same: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            assert_eq!(same, answer, "{program:?} {credentials}: {}", text(&output.stderr));
        }
    }
    let credentials = moved.join("dev-credentials.json");
    let arguments = ["call", "/ai/v1/age", "--img", face, "--credentials", credentials.to_str().unwrap()];
    assert_eq!(serde_json::from_str::<Value>(&place.ask(&arguments)).unwrap(), answer);

    // The README shows the answer for another face; processors round a little differently.
    let sample = place.path("sample-face.jpg");
    let sample = sample.to_str().unwrap();
    let cut = place.command(&["sample-face", sample]).current_dir(repository("")).output().unwrap();
    assert!(cut.status.success(), "{}", text(&cut.stderr));
    let answer: Value = serde_json::from_str(&place.ask(&["call", "/ai/v1/age", "--img", sample])).unwrap();
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let (_, shown) = readme.split_once("```json\n").unwrap();
    let shown: Value = serde_json::from_str(shown.split_once("```").unwrap().0).unwrap();
    for member in ["age", "st_dev"] {
        let [shown, measured] = [&shown, &answer].map(|it| it[member].as_f64().unwrap());
        assert!((shown - measured).abs() < 0.1, "README.md shows {member} {shown}, and it is {measured}");
    }

    let page = repository("crates/server/tests/it/capture.mjs");
    let captured = Command::new("node").arg(page).args([file.to_str().unwrap(), face]).output().unwrap();
    assert_eq!(
        text(&captured.stdout),
        "fresh\nan age\nUNTRUSTED_SECURE_SESSION\nSECURE_REQUEST_IS_EMPTY\n",
        "{}",
        text(&captured.stderr)
    );
    let metrics = server.until("/metrics", 200);
    assert!(
        metrics.contains("assay_http_requests_total") && metrics.contains("assay_model_info"),
        "{metrics}"
    );
    let named = |mark: &str| -> Vec<String> {
        let lines = metrics.lines().filter_map(|line| line.strip_prefix(mark));
        lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(named("# HELP "), named("# TYPE "), "every metric says what it counts");
    assert_eq!(server.stop(), Some(0), "a stop that was asked for is no failure");
}

#[test]
fn a_restart_keeps_the_tenant_and_does_not_reopen_the_window_for_replays() {
    let place = TestInstallation::new();
    let server = place.serve();
    let before = place.credentials();
    let send = |credentials: &Value| {
        let key = std::fs::read_to_string(place.path(credentials["private_key_path"].as_str().unwrap()));
        let key = key.unwrap();
        let seconds = base::Environment::now(&base::SystemEnvironment).as_second();
        let query = format!("nonce=018f3c8e-0000-7000-8000-00000000000a&timestamp={seconds}");
        let message =
            CanonicalRequest { method: "POST", path: "/ai/v1/age", query: Some(&query), body: b"{}" };
        let digest = HttpRequestSigner::from_pem(&key).unwrap().sign(&message);
        let url = format!("{}/ai/v1/age?{query}", credentials["base_url"].as_str().unwrap());
        let id = format!("X-Svc-Auth-Id: {}", credentials["sdk_id"].as_str().unwrap());
        let digest = format!("X-Svc-Auth-Digest: {digest}");
        let call = Command::new("curl").args(["-s", "-d", "{}", "-H", &id, "-H", &digest, &url]).output();
        let answer: Value = serde_json::from_slice(&call.unwrap().stdout).unwrap();
        answer["error_code"].as_str().unwrap().to_owned()
    };
    assert_eq!(send(&before), "IMAGE_NOT_PROVIDED");
    assert_eq!(server.stop(), Some(0));

    let _server = place.serve();
    let after = place.credentials();
    assert_ne!(before["base_url"], after["base_url"], "the address follows the port");
    for member in ["organisation_id", "sdk_id", "private_key_path", "api_key"] {
        assert_eq!(before[member], after[member], "{member}");
    }
    assert_eq!(send(&after), "INVALID_NONCE");
}

#[test]
fn models_may_arrive_while_it_serves() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("pack");
    let place = TestInstallation::with_models(models.clone());
    let server = place.serve();
    let unready: Value = serde_json::from_str(&server.until("/readyz", 503)).unwrap();
    assert_eq!((&unready["models"]["ready"], &unready["database"]["ready"]), (&false.into(), &true.into()));
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    assert!(text(&doctor.stdout).contains("assay models import"), "{}", text(&doctor.stdout));

    let packages = repository("models/node_modules");
    place.ask(&["models", "import", "--from", packages.to_str().unwrap(), "--to", models.to_str().unwrap()]);
    server.until("/readyz", 200);
}

/// Which parts this machine has is not the test's to choose; that whatever is missing is told of is.
#[test]
fn children_are_confined_or_refused() {
    let strict = TestInstallation::new().set("ASSAY__CHILDREN__REQUIRE_SANDBOX", "true");
    let server = strict.serve_unready();
    let lax = TestInstallation::new();
    let doctor = text(&lax.run(&["doctor"]).stdout);
    let lacks = doctor.contains("lack parts of the sandbox");
    assert!(lacks || doctor.contains("are confined by every part of the sandbox"), "{doctor}");
    assert!(doctor.contains("of address space in all"), "{doctor}");

    let ready: Value = serde_json::from_str(&server.until("/readyz", if lacks { 503 } else { 200 })).unwrap();
    assert_eq!(ready["children"]["ready"], !lacks);
    let doctor = strict.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(i32::from(lacks)));
    assert_eq!(
        text(&doctor.stdout).contains("are not started, because children.require_sandbox is set"),
        lacks
    );
}

#[test]
fn an_installation_that_children_could_read_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let readable = folder.path().to_str().unwrap();
    // As the environment has it: a list of paths is a setting of the file.
    let file = folder.path().join("assay.toml");
    std::fs::write(&file, format!("[children]\nreadable_paths = [{readable:?}]\n")).unwrap();
    let place = TestInstallation::new();
    let doctor = place.run(&["doctor", "--config", file.to_str().unwrap()]);
    assert_eq!(doctor.status.code(), Some(1));
    let said = text(&doctor.stdout);
    assert!(said.contains("ffmpeg and poppler can read") && said.contains("assay.toml"), "{said}");
}

#[test]
fn an_unreachable_database_is_told_of_and_nothing_breaks() {
    let place = TestInstallation::new().set("ASSAY__DATABASE__URL", "postgres://nobody@127.0.0.1:1/none");
    let server = place.serve_unready();
    let unready: Value = serde_json::from_str(&server.until("/readyz", 503)).unwrap();
    assert_eq!(unready["database"]["ready"], false);
    let doctor = place.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(1));
    assert!(text(&doctor.stdout).contains("start the database"), "{}", text(&doctor.stdout));
    assert_eq!(server.stop(), Some(0), "waiting for a database does not keep it from stopping");
}

/// Prometheus sees no increase in a counter that appears as 1.
#[test]
fn counters_that_alerts_watch_are_there_from_the_start() {
    let place = TestInstallation::with_models("nowhere".into());
    let server = place.serve_unready();
    let metrics = server.until("/metrics", 200);
    for name in ["assay_panics_total", "assay_job_panics_total", "assay_inference_panics_total"] {
        assert!(metrics.lines().any(|line| line == format!("{name} 0")), "{name}: {metrics}");
    }
}

/// Connections that cost their holder nothing must not cost others their turn: whoever sends nothing, the beginning of
/// HTTP/2's preface, half of the headers or headers without their body or with one byte of it makes room.
#[test]
#[expect(clippy::disallowed_methods, reason = "clients of the server on this machine")]
fn silent_connections_make_room_for_others() {
    let place = TestInstallation::new().set("ASSAY__SERVER__CONNECTIONS", "40");
    let server = place.serve();
    let address = server.url.strip_prefix("http://").unwrap();
    let bodiless = "POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n";
    let begun = format!("{bodiless}g");
    for opening in ["", "PRI", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-", bodiless, &begun] {
        let silent: Vec<_> = (0..80)
            .map(|_| {
                let mut socket = std::net::TcpStream::connect(address).unwrap();
                std::io::Write::write_all(&mut socket, opening.as_bytes()).unwrap();
                socket
            })
            .collect();
        for path in ["/readyz", "/healthz", "/ai/v1/age"] {
            let began = std::time::Instant::now();
            let answered = crate::test_installation::get(&format!("{}{path}", server.url));
            assert!(answered.is_some(), "{path} after {opening:?}");
            assert!(began.elapsed().as_secs() < 5, "{path} after {opening:?}: {:?}", began.elapsed());
        }
        drop(silent);
    }
    assert_eq!(server.stop(), Some(0));
}

/// Whoever takes nothing of their answer makes room, too. Over HTTP/2, one request and a window of no bytes is all it takes to
/// keep an answer from being sent.
#[test]
#[expect(clippy::disallowed_methods, reason = "clients of the server on this machine")]
fn connections_that_take_nothing_of_their_answers_make_room_for_others() {
    let place = TestInstallation::new()
        .set("ASSAY__SERVER__CONNECTIONS", "40")
        .set("ASSAY__SERVER__READ_TIMEOUT_SECONDS", "1");
    let server = place.serve();
    let address = server.url.strip_prefix("http://").unwrap();
    let opening = [
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
        // SETTINGS (RFC 9113, section 6.5): INITIAL_WINDOW_SIZE is 0.
        &[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0],
        // HEADERS of stream 1, which are all of the request (RFC 9113, section 6.2).
        &[0, 0, 15, 1, 5, 0, 0, 0, 1],
        // GET, http and the path (RFC 7541, appendix A), and the authority `x`.
        &[0x82, 0x86, 4, 8],
        b"/healthz",
        &[1, 1, b'x'],
    ]
    .concat();
    let taking_nothing: Vec<_> = (0..80)
        .map(|_| {
            let mut socket = std::net::TcpStream::connect(address).unwrap();
            std::io::Write::write_all(&mut socket, &opening).unwrap();
            socket
        })
        .collect();
    for path in ["/healthz", "/readyz"] {
        let began = std::time::Instant::now();
        let answered = crate::test_installation::get(&format!("{}{path}", server.url));
        assert!(answered.is_some(), "{path}");
        assert!(began.elapsed().as_secs() < 15, "{path}: {:?}", began.elapsed());
    }
    drop(taking_nothing);
    assert_eq!(server.stop(), Some(0));
}

/// Whoever is refused gets to read why, although their body was not read.
#[test]
fn a_refused_body_is_answered() {
    let place = TestInstallation::new();
    let server = place.serve();
    let body = place.path("body");
    std::fs::write(&body, vec![b'x'; 6_000_000]).unwrap();
    let url = format!("{}/v1/oauth/token", server.url);
    for version in ["--http1.1", "--http2-prior-knowledge"] {
        let data = format!("@{}", body.display());
        let arguments = [
            "-s",
            "-o",
            "/dev/null",
            "-w",
            "%{http_code}",
            version,
            "-H",
            "Expect:",
            "--data-binary",
            &data,
            &url,
        ];
        for _ in 0..5 {
            let answered = Command::new("curl").args(arguments).output().unwrap();
            assert_eq!(text(&answered.stdout), "413", "{version}");
        }
    }
    let script = "import sys, urllib.request, urllib.error\n\
        try:\n    urllib.request.urlopen(sys.argv[1], open(sys.argv[2], 'rb').read())\n\
        except urllib.error.HTTPError as error:\n    print(error.code)";
    for _ in 0..5 {
        let arguments = ["-c", script, &url, body.to_str().unwrap()];
        let answered = Command::new("python3").args(arguments).output().unwrap();
        assert_eq!(text(&answered.stdout).trim(), "413", "{}", text(&answered.stderr));
    }
}
