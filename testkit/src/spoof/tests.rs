use super::*;

/// A drawn head: enough for the machinery, not for a claim.
fn drawn() -> Portrait {
    let (w, h) = (240u32, 300u32);
    let mut rgb = Vec::new();
    for y in 0..h {
        for x in 0..w {
            let (dx, dy) = ((x as f32 - 120.0) / 60.0, (y as f32 - 130.0) / 80.0);
            rgb.extend(if dx * dx + dy * dy < 1.0 { [205, 165, 140] } else { [70, 90, 120] });
        }
    }
    let face = FaceBox { left: 60.0, top: 60.0, right: 180.0, bottom: 200.0 };
    Portrait { name: "drawn_1".to_owned(), picture: Picture::new(w, h, rgb).unwrap(), face }
}

#[test]
fn a_seed_makes_the_same_file_twice() {
    for species in [Species::Live, Species::Inkjet, Species::ScreenPhone] {
        let first = shoot(&drawn(), species, Half::Fit, 3).unwrap();
        let again = shoot(&drawn(), species, Half::Fit, 3).unwrap();
        assert_eq!(first.jpeg, again.jpeg);
        let other = shoot(&drawn(), species, Half::Fit, 4).unwrap();
        assert_ne!(first.jpeg, other.jpeg, "another seed is another picture");
    }
}

#[test]
fn the_halves_share_no_parameter() {
    let mut dice = Dice::new(1);
    for _ in 0..500 {
        let fit = (dice.held(Half::Fit, 0.0, 8.0)) as u32;
        let report = (dice.held(Half::Report, 0.0, 8.0)) as u32;
        assert_eq!((fit % 2, report % 2), (0, 1));
    }
}

#[test]
fn a_written_set_passes_the_strict_limits() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::create_dir(&from).unwrap();
    let portrait = drawn();
    let bytes = encode(240, 300, portrait.picture.rgb(), 95).unwrap();
    std::fs::write(from.join("drawn_1.jpg"), bytes).unwrap();
    assert_eq!(write_set(&from, &to, 1).unwrap(), 12);
    let labels = std::fs::read_to_string(to.join("labels.csv")).unwrap();
    assert_eq!(labels.lines().next(), Some("path,label,species"));
    for line in labels.lines().skip(1) {
        let bytes = std::fs::read(to.join(line.split(',').next().unwrap())).unwrap();
        assert!((50_000..=1_500_000).contains(&bytes.len()), "{line}: {} bytes", bytes.len());
        let picture = decode(&bytes).unwrap();
        assert!((300..=2000).contains(&picture.width()) && (300..=2000).contains(&picture.height()));
    }
}
