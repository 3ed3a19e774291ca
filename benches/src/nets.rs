//! What `vision` adds to the nets: cutting out and scaling the picture, reading the answer.

use crate::{
    bare::Bare,
    clock::time,
    report::{Figure, Report},
};

const ROUNDS: usize = 60;

pub(crate) fn measure(report: &mut Report, bare: &mut Bare) -> anyhow::Result<()> {
    let [mut detect, mut age] = [(); 2].map(|()| (Vec::new(), Vec::new()));
    for _ in 0..ROUNDS {
        detect.1.push(bare.detect()?);
        let (faces, took) = time(|| bare.vision.detect(&bare.picture));
        faces?;
        detect.0.push(took);
        age.1.push(bare.age()?);
        let (estimate, took) = time(|| bare.vision.age(&bare.picture, &bare.face));
        estimate?;
        age.0.push(took);
    }
    for (name, (ours, peer)) in [("find the face", detect), ("estimate the age", age)] {
        report.add(
            name,
            Figure::times(&ours),
            Some(("ONNX Runtime alone", Figure::times(&peer))),
            None,
            None,
        );
    }
    Ok(())
}
