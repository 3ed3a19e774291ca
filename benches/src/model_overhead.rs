//! What `vision` adds to the nets: cropping and scaling the picture, and interpreting the output.

use crate::{
    bare_models::BareModels,
    report::{BenchReport, MeasuredFigure},
};
use measure::clock::time;

const MODEL_ROUNDS: usize = 60;

pub(crate) fn measure(report: &mut BenchReport, bare: &mut BareModels) -> anyhow::Result<()> {
    let [mut detect, mut age] = [(); 2].map(|()| (Vec::new(), Vec::new()));
    for _ in 0..MODEL_ROUNDS {
        detect.1.push(bare.detect()?);
        let (faces, took) = time(|| bare.vision.detect(&bare.picture));
        faces?;
        detect.0.push(took);
        age.1.push(bare.age()?);
        let (estimate, took) = time(|| bare.vision.estimate_age_of(&bare.picture, &bare.face, None));
        estimate?;
        age.0.push(took);
    }
    for (name, (ours, peer)) in [("find the face", detect), ("estimate the age", age)] {
        report.add(
            name,
            MeasuredFigure::times(&ours),
            Some(("ONNX Runtime alone", MeasuredFigure::times(&peer))),
            None,
            None,
        );
    }
    Ok(())
}
