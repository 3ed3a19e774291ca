use crate::support::{around, best_face, edited_pack, faces, load, model, photo};
use serde_json::{Value, json};
use vision::{EmbeddingSpace, VisionModels, embedding_distance};

fn embeddings(vision: &mut VisionModels) -> Vec<Vec<f32>> {
    let embed = |picture| {
        let face = best_face(vision, picture);
        vision.embed(picture, &face).unwrap()
    };
    faces().iter().map(embed).collect()
}

#[test]
fn two_crops_of_a_face_have_close_embeddings() {
    let mut vision = load();
    let photo = photo(1);
    for face in vision.detect(&photo).unwrap() {
        let whole = vision.embed(&photo, &face).unwrap();
        assert_eq!(whole.len(), vision.embedding_space().unwrap().dimension);
        for scale in [1.6, 2.0, 3.0] {
            let other = around(&photo, &face, scale);
            let found = best_face(&mut vision, &other);
            let again = vision.embed(&other, &found).unwrap();
            assert!(
                embedding_distance(&whole, &again) < 0.4,
                "{scale}: {}",
                embedding_distance(&whole, &again)
            );
        }
    }
}

#[test]
fn different_people_of_one_photo_have_distant_embeddings() {
    let mut vision = load();
    let limit = vision.embedding_space().unwrap().distance_at(1e-4).unwrap();
    for number in 1..=6 {
        let photo = photo(number);
        let found = vision.detect(&photo).unwrap();
        let all: Vec<_> = found.iter().map(|face| vision.embed(&photo, face).unwrap()).collect();
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                assert!(
                    embedding_distance(one, other) > limit,
                    "photo {number}: {}",
                    embedding_distance(one, other)
                );
            }
        }
    }
}

#[test]
fn the_space_changes_with_the_crop_and_the_mirror_and_not_with_the_thresholds() {
    let space = |edit: fn(&mut Value)| -> EmbeddingSpace {
        let folder = edited_pack(|manifest| edit(model(manifest, "face-api-recognition")));
        VisionModels::load(folder.path()).unwrap().embedding_space().unwrap().clone()
    };
    let own = space(|_| ());
    assert_eq!((own.model.as_str(), own.dimension), ("face-api-recognition", 128));
    assert_eq!(own.thresholds, [(1e-4, 0.485), (1e-3, 0.53), (1e-2, 0.585)]);
    // Stored embeddings are tied to this digest: if it changes, they become useless.
    assert_eq!(own.digest(), DEFAULT_SPACE_SHA256);
    let stricter = space(|model| model["output"]["thresholds"] = json!([{"rate": 0.001, "distance": 0.4}]));
    assert_eq!(own.sha256, stricter.sha256);
    assert_eq!(stricter.thresholds, [(1e-3, 0.4)]);
    let others = [
        space(|model| model["input"]["crop"]["scales"] = json!([1.1])),
        space(|model| model["input"]["crop"]["rule"] = json!("box")),
        space(|model| model["output"]["mirror"] = json!(true)),
        space(|model| model["output"]["metric"] = json!("cosine")),
    ];
    assert!(others.iter().all(|other| other.sha256 != own.sha256));
}

const DEFAULT_SPACE_SHA256: &str = "19468175c8bd3cf97b43989b681116248d8cc4b2b07fe737b0a252655c6d7241";

#[test]
fn a_mirrored_picture_has_the_same_embedding_where_both_are_put_in() {
    let folder = edited_pack(|manifest| {
        model(manifest, "face-api-recognition")["output"]["mirror"] = json!(true);
    });
    let mut both = VisionModels::load(folder.path()).unwrap();
    let mut one = load();
    let picture = &faces()[0];
    let face = best_face(&mut one, picture);
    let (plain, mean) = (one.embed(picture, &face).unwrap(), both.embed(picture, &face).unwrap());
    assert!(embedding_distance(&plain, &mean) > 1e-3);
    assert!(embedding_distance(&plain, &mean) < 0.4);
}

#[test]
fn cosine_embeddings_have_length_one() {
    let folder = edited_pack(|manifest| {
        model(manifest, "face-api-recognition")["output"]["metric"] = json!("cosine");
    });
    let mut vision = VisionModels::load(folder.path()).unwrap();
    for embedding in embeddings(&mut vision) {
        let length = embedding.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-4, "{length}");
    }
}
