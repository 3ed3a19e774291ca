//! The reference of the interfaces in a real browser, under the policy that it is served with.

use crate::test_installation::{TestInstallation, repository, text};
use serde_json::Value;
use std::process::Command;

#[test]
fn the_reference_shows_its_operations_in_a_browser() {
    let place = TestInstallation::with_models("nowhere".into());
    let server = place.serve();
    let web = repository("web");
    let address = format!("{}/reference/", server.url);
    let read = ["--prefix", web.to_str().unwrap(), "run", "--silent", "e2e:reference", "--", &address];
    let output = Command::new("npm").args(read).output().unwrap();
    let seen: Vec<Value> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", text(&output.stdout), text(&output.stderr)));
    assert_eq!(seen.len(), 2);
    for screen in seen {
        for wrong in ["violations", "errors", "refused", "elsewhere"] {
            assert_eq!(screen[wrong].as_array().unwrap().len(), 0, "{wrong}: {screen}");
        }
        let operations = screen["operations"].as_object().unwrap();
        assert_eq!(operations.len(), 5, "{screen}");
        assert!(operations.values().all(|number| number.as_u64() > Some(0)), "{screen}");
        assert_eq!(screen["overflow"], 0, "it fits the screen: {screen}");
    }
}
