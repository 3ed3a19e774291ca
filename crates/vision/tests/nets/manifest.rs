use crate::support::{copy_of_pack, damage, edited_pack, model};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;
use vision::{ModelLoadError, VisionModels, model_manifest::ModelPack, verify_probe};

/// The error of loading a pack with this change.
fn refusal(edit: impl FnOnce(&mut Value)) -> String {
    load_error(&edited_pack(edit))
}

fn load_error(folder: &TempDir) -> String {
    VisionModels::load(folder.path()).unwrap_err().to_string()
}

#[test]
fn an_untouched_copy_loads() {
    let folder = copy_of_pack();
    let vision = VisionModels::load(folder.path()).unwrap();
    let names: Vec<_> = vision.models().iter().map(|model| (model.id.as_str(), model.experimental)).collect();
    assert_eq!(
        names,
        [
            ("blazeface", false),
            ("age-pair-1", false),
            ("face-api-recognition", false),
            ("liveness-net-1", true),
            ("quality-net-1", false),
            ("face-api-age", false)
        ]
    );
    let pack = ModelPack::read(folder.path()).unwrap();
    for model in pack.models.iter().filter(|model| model.input.is_some()) {
        verify_probe(folder.path(), &pack, model).unwrap();
    }
}

#[test]
fn a_model_file_with_a_flipped_bit_is_refused_by_name() {
    let pack = ModelPack::read(copy_of_pack().path()).unwrap();
    for id in
        ["blazeface", "age-net-1", "face-api-age", "face-api-recognition", "liveness-net-1", "quality-net-1"]
    {
        let folder = copy_of_pack();
        let model = pack.models.iter().find(|model| model.id == id).unwrap();
        let file = model.file_for_this_processor().unwrap().path.clone();
        damage(&folder.path().join(&file), |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        });
        let text = load_error(&folder);
        assert!(text.contains(&file) && text.contains("is not the file of the manifest: SHA-256"), "{text}");
    }
    // The file of a model that serves no task is not read.
    let folder = copy_of_pack();
    damage(&folder.path().join("faceres-age.onnx"), |bytes| bytes.push(0));
    VisionModels::load(folder.path()).unwrap();
}

#[test]
fn a_file_that_is_not_onnx_is_refused_although_its_hash_is_correct() {
    let folder = edited_pack(|manifest| {
        // SHA-256 of the three bytes `abc`.
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        model(manifest, "face-api-age")["file"]["sha256"] = json!(hash);
    });
    let file = folder.path().join("face-api-age.onnx");
    fs::remove_file(&file).unwrap();
    fs::write(&file, "abc").unwrap();
    let error = VisionModels::load(folder.path()).unwrap_err();
    assert!(matches!(&error, ModelLoadError::Model { id, .. } if id == "face-api-age"), "{error}");
}

#[test]
fn a_missing_file_is_named() {
    let folder = copy_of_pack();
    fs::remove_file(folder.path().join("face-api-age.onnx")).unwrap();
    let text = load_error(&folder);
    assert!(text.contains("face-api-age.onnx") && text.contains("No such file"), "{text}");

    let empty = TempDir::new().unwrap();
    assert!(load_error(&empty).contains("pack.json"), "{}", load_error(&empty));
}

#[test]
fn a_model_that_answers_its_probe_wrongly_is_refused_with_both_answers() {
    let text = refusal(|manifest| model(manifest, "face-api-age")["probe"]["values"] = json!([42.0]));
    assert!(text.contains("model face-api-age cannot be used: its probe gave [69.5"), "{text}");
    assert!(text.contains("instead of [42.0]"), "{text}");
    // More values than the answer has.
    refusal(|manifest| model(manifest, "face-api-age")["probe"]["values"] = json!([69.503_86, 1.0]));
    // A tensor that the net does not have.
    let text = refusal(|manifest| model(manifest, "face-api-age")["probe"]["tensor"] = json!("years"));
    assert!(text.contains("face-api-age") && text.contains("there is no output \"years\""), "{text}");
}

#[test]
fn the_probe_notices_a_changed_order_of_colours() {
    // Swapped means have the same effect as swapped channels.
    let text = refusal(|manifest| {
        manifest["use"]["age"] = json!("faceres-age");
        model(manifest, "faceres-age")["input"]["mean"] = json!([123.68, 116.779, 103.939]);
    });
    assert!(text.contains("faceres-age") && text.contains("its probe gave"), "{text}");
}

#[test]
fn an_unknown_decode_is_refused_with_the_known_ones() {
    let text = refusal(|manifest| model(manifest, "faceres-age")["output"]["decode"] = json!("age_bins"));
    assert!(text.contains("pack.json") && text.contains("unknown variant `age_bins`"), "{text}");
    let known =
        ["blazeface_anchors", "age_scalar", "age_softmax", "embedding", "pad_softmax", "pad_sigmoid", "cues"];
    assert!(known.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn an_unknown_channel_order_or_crop_rule_is_refused_with_the_known_ones() {
    let text = refusal(|manifest| model(manifest, "face-api-age")["input"]["colour"] = json!("grey"));
    assert!(["`grey`", "`rgb`", "`bgr`"].iter().all(|word| text.contains(word)), "{text}");
    let text = refusal(|manifest| model(manifest, "face-api-age")["input"]["crop"]["rule"] = json!("oval"));
    assert!(
        ["`oval`", "`letterbox`", "`box`", "`eyes_level`", "`d2`"].iter().all(|word| text.contains(word)),
        "{text}"
    );
    // Otherwise a misspelt field would silently have no effect.
    let text = refusal(|manifest| model(manifest, "face-api-age")["input"]["crop"]["scale"] = json!(2.0));
    assert!(text.contains("unknown field `scale`"), "{text}");
    let text = refusal(|manifest| model(manifest, "faceres-age")["output"]["last_age"] = json!(99));
    assert!(text.contains("unknown field `last_age`"), "{text}");
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    let rates = |first: [f64; 2], second: [f64; 2]| json!([{"rate": first[0], "distance": first[1]}, {"rate": second[0], "distance": second[1]}]);
    let cases: [(&str, &str, Value, &str); 35] = [
        ("face-api-age", "/input/width", json!(0), "1 to 2048"),
        ("face-api-age", "/input/height", json!(100_000), "1 to 2048"),
        ("face-api-age", "/input/crop/scales", json!([]), "one to eight"),
        ("face-api-age", "/input/crop/scales", json!([100.0]), "0.2 to 8 times"),
        ("face-api-age", "/input/crop/joined", json!(true), "belong to liveness"),
        ("face-api-age", "/input/crop/rule", json!("inside"), "belong to liveness"),
        ("face-api-age", "/input/crop/rule", json!("letterbox"), "belong to detect"),
        ("liveness-net-1", "/input/crop/rule", json!("letterbox"), "belong to detect"),
        ("face-api-age", "/input/crop/rule", json!("page"), "belong to find-text"),
        ("face-api-recognition", "/input/crop/rule", json!("line"), "belong to turn-text and read-text"),
        ("liveness-net-1", "/input/width", json!(191), "share the input's width evenly"),
        ("liveness-net-1", "/output/thresholds/low", json!(0.99), "ascending"),
        ("face-api-age", "/output/errors/bands", json!([]), "start at 0"),
        ("face-api-age", "/output/errors/bands/0/st_dev", json!(0.0), "positive deviations"),
        ("face-api-age", "/output/errors/bands/0/from", json!(14.0), "ascend"),
        ("face-api-age", "/output/errors/spread_weight", json!(-1.0), "0 to 10"),
        ("face-api-age", "/output/errors/capture/mouth", json!(-1.0), "0 to 100 years"),
        ("face-api-age", "/output/errors/capture/blur/0/at", json!(90.0), "measures that ascend"),
        ("age-net-1", "/output/errors/distribution/weight", json!(10.5), "a weight of 0 to 10"),
        ("face-api-age", "/output/errors/distribution", json!({"base": 2.0, "weight": 0.8}), "age_softmax"),
        ("age-pair-1", "/output/averaged_with/share", json!(1.5), "a share of 0 to 1"),
        ("age-pair-1", "/output/averaged_with/scales", json!([]), "one to eight crops"),
        ("age-pair-1", "/output/averaged_with/id", json!("age-pair-1"), "not a single model for age"),
        ("faceres-age", "/output/first_age", json!(-3.0), "0 to 120 years"),
        ("blazeface", "/output/find", json!(0.9), "ascending"),
        ("blazeface", "/output/count", json!(1.5), "0 to 1"),
        ("blazeface", "/input/width", json!(128), "256 x 256"),
        ("face-api-recognition", "/output/thresholds", rates([0.01, 0.5], [0.001, 0.6]), "ascend"),
        ("face-api-recognition", "/output/thresholds", rates([0.001, 0.6], [0.01, 0.5]), "ascend"),
        ("face-api-recognition", "/output/thresholds", rates([0.001, -0.1], [0.01, 0.5]), "ascend"),
        ("face-api-recognition", "/output/thresholds", rates([0.0, 0.4], [0.01, 0.5]), "between 0 and 1"),
        ("face-api-recognition", "/output/thresholds", rates([0.1, 0.4], [1.0, 0.5]), "between 0 and 1"),
        ("face-api-recognition", "/output/thresholds", json!([]), "states no false match rates"),
        ("face-api-recognition", "/output/same_space_as", json!("09374f4c6eea"), "64 digits"),
        ("face-api-recognition", "/output/same_space_as", json!("A".repeat(64)), "64 digits"),
    ];
    for (id, field, value, range) in cases {
        let (parent, name) = field.rsplit_once('/').unwrap();
        let text = refusal(|manifest| match model(manifest, id).pointer_mut(parent).unwrap() {
            Value::Array(list) => list[name.parse::<usize>().unwrap()] = value,
            object => object[name] = value,
        });
        assert!(text.contains(range) && text.contains(id), "{field}: {text}");
    }
    let disordered = json!({"low": 0.9, "medium": 0.5, "high": 0.7});
    let text = refusal(|manifest| model(manifest, "liveness-cues-1")["output"]["thresholds"] = disordered);
    assert!(text.contains("ascending"), "{text}");
}

#[test]
fn a_manifest_that_contradicts_itself_is_refused() {
    type Edit = fn(&mut Value);
    let cases: [(Edit, &str); 8] = [
        (|manifest| manifest["format"] = json!(2), "format 2 is not known"),
        (|manifest| manifest["use"]["age"] = json!("nobody"), "age is served by nobody"),
        (|manifest| manifest["use"]["age"] = json!("blazeface"), "blazeface is a model for detect, not age"),
        (
            |manifest| {
                manifest["use"].as_object_mut().unwrap().remove("age");
            },
            "no model serves age",
        ),
        (|manifest| manifest["use"]["mood"] = json!("blazeface"), "unknown variant `mood`"),
        (
            |manifest| {
                let twin = model(manifest, "face-api-age").clone();
                manifest["models"].as_array_mut().unwrap().push(twin);
            },
            "two models face-api-age",
        ),
        (
            |manifest| model(manifest, "face-api-age")["file"]["path"] = json!("../pack/face-api-age.onnx"),
            "outside the folder",
        ),
        (
            |manifest| model(manifest, "face-api-age")["file"]["path"] = json!("/etc/passwd"),
            "outside the folder",
        ),
    ];
    for (edit, what) in cases {
        let text = refusal(edit);
        assert!(text.contains(what), "{text}");
    }
}

#[test]
fn a_decode_that_does_not_fit_the_task_is_refused() {
    let text = refusal(|manifest| {
        let embedding = model(manifest, "face-api-recognition")["output"].clone();
        model(manifest, "faceres-age")["output"] = embedding;
        manifest["use"]["age"] = json!("faceres-age");
    });
    assert!(text.contains("faceres-age") && text.contains("its decode gives no age"), "{text}");
}

#[test]
fn an_embedding_that_cannot_be_read_is_refused() {
    let text = refusal(|manifest| {
        let age = model(manifest, "face-api-age")["output"].clone();
        model(manifest, "face-api-recognition")["output"] = age;
    });
    assert!(text.contains("face-api-recognition") && text.contains("gives no embedding"), "{text}");
    let text =
        refusal(|manifest| model(manifest, "face-api-recognition")["output"]["metric"] = json!("taxi"));
    assert!(["`taxi`", "`euclidean`", "`cosine`"].iter().all(|word| text.contains(word)), "{text}");
    let text = refusal(|manifest| model(manifest, "face-api-recognition")["output"]["tensor"] = json!("who"));
    assert!(text.contains("there is no output \"who\""), "{text}");
    let text = refusal(|manifest| {
        manifest["use"].as_object_mut().unwrap().remove("embed");
    });
    assert!(text.contains("no model serves embed"), "{text}");
}

#[test]
fn thresholds_of_the_built_in_cues_come_from_the_manifest_or_else_from_the_program() {
    use vision::liveness::BuiltInCues;
    let set = edited_pack(|manifest| {
        manifest["use"]["liveness"] = json!("liveness-cues-1");
        model(manifest, "liveness-cues-1")["output"]["thresholds"] =
            json!({"low": 0.125, "medium": 0.25, "high": 0.5});
    });
    let set = VisionModels::load(set.path()).unwrap().liveness_thresholds();
    assert_eq!([set.low, set.medium, set.high], [0.125, 0.25, 0.5]);
    let unset = edited_pack(|manifest| {
        manifest["use"]["liveness"] = json!("liveness-cues-1");
        model(manifest, "liveness-cues-1")["output"].as_object_mut().unwrap().remove("thresholds");
    });
    let unset = VisionModels::load(unset.path()).unwrap().liveness_thresholds();
    let own = BuiltInCues::THRESHOLDS;
    assert_eq!([unset.low, unset.medium, unset.high], [own.low, own.medium, own.high]);
}
