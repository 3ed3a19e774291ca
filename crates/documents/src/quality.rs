//! Faults of a photo of a document, as numbers with limits.
//!
//! Each measure is a number with a limit and advice. The limits were chosen on simulated photographs
//! (`fixtures::specimens`; `tests/docs/page.rs` says how often each is right and wrong there), which differ from real
//! ones. Above all the limits of [`PhotoFault::Screen`], [`PhotoFault::Bezel`] and [`PhotoFault::Photocopy`] may ask
//! for a second look, but decide nothing.

mod exposure;
mod focus;
mod recapture;

use crate::{
    limit::Limit,
    locate::{LocatedPage, PageFormat},
};
use base::{LimitViolation, Picture};

/// A fault of a photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhotoFault {
    /// The page continues outside the photo.
    Partial,
    /// The resolution is too low for the print.
    TooSmall,
    /// There is too little light.
    TooDark,
    /// Paper and light print are saturated alike.
    Overexposed,
    /// A reflection hides a part of the page.
    Glare,
    /// The photo is out of focus or blurred by motion.
    Blurred,
    /// There is no colour anywhere in the photo.
    BlackAndWhite,
    /// The page was shown on a display.
    Screen,
    /// The page is surrounded by the dark frame of a display.
    Bezel,
    /// The page has no colours of its own, like a copy.
    Photocopy,
}

impl PhotoFault {
    /// All faults, in the order in which they should be reported.
    pub const ALL: [Self; 10] = [
        Self::Partial,
        Self::TooSmall,
        Self::TooDark,
        Self::Overexposed,
        Self::Glare,
        Self::Blurred,
        Self::BlackAndWhite,
        Self::Screen,
        Self::Bezel,
        Self::Photocopy,
    ];

    /// The name in tables and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Partial => "partial",
            Self::TooSmall => "too_small",
            Self::TooDark => "too_dark",
            Self::Overexposed => "overexposed",
            Self::Glare => "glare",
            Self::Blurred => "blurred",
            Self::BlackAndWhite => "black_and_white",
            Self::Screen => "screen",
            Self::Bezel => "bezel",
            Self::Photocopy => "photocopy",
        }
    }

    /// What the person can do about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Partial => "show the whole document, with a margin around it",
            Self::TooSmall => "go closer, or use a camera with more pixels",
            Self::TooDark => "use more light",
            Self::Overexposed => "use less light, or turn the flash off",
            Self::Glare => "tilt the document or the lamp until the reflection is gone",
            Self::Blurred => "hold the camera still and let it focus",
            Self::BlackAndWhite => "take the photo in colour",
            Self::Screen | Self::Bezel => "photograph the document itself, not a display that shows it",
            Self::Photocopy => "photograph the document itself, not a copy of it",
        }
    }

    /// The limit of the measured number.
    pub fn limit(self) -> Limit {
        match self {
            Self::Partial => Limit::AtMost(0.5, "sides cut off"),
            Self::TooSmall => Limit::AtLeast(3.3, "pixels to the millimetre"),
            Self::TooDark => Limit::AtLeast(110.0, "of 255, the brightest tenth of the page"),
            Self::Overexposed => Limit::AtMost(0.5, "of the page without any tone"),
            Self::Glare => Limit::AtMost(0.05, "of the page under a reflection"),
            Self::Blurred => {
                Limit::AtLeast(0.56, "of the contrast at edges is lost when it is blurred again")
            }
            Self::BlackAndWhite => Limit::AtLeast(1.5, "of 255, the colour of the most colourful hundredth"),
            Self::Screen => Limit::AtMost(1.8, "decades by which a peak of the spectrum stands out"),
            Self::Bezel => Limit::AtMost(0.5, "sides along which the dark frame of a display lies"),
            Self::Photocopy => Limit::AtLeast(1.8, "of 255, how much colour differs over the page"),
        }
    }
}

/// A measured number; its limit is [`PhotoFault::limit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QualityMeasure {
    pub fault: PhotoFault,
    /// The number, in the unit of the limit.
    pub value: f32,
}

impl QualityMeasure {
    pub fn is_broken(&self) -> bool {
        self.fault.limit().is_broken(self.value)
    }

    /// The number, the limit in words and the advice, as shown to callers.
    pub fn to_limit_violation(&self) -> LimitViolation {
        LimitViolation::new(self.value, self.fault.limit().to_string(), self.fault.hint())
    }
}

/// Measures a photo and the page that was found in it. Returns all of [`PhotoFault::ALL`], in that order.
pub fn measure(photo: &Picture, located: &LocatedPage) -> Vec<QualityMeasure> {
    let page = &located.page;
    let scale = pixels_per_millimetre(located);
    let light = exposure::measure(page, located.format);
    let value = |fault| match fault {
        PhotoFault::Partial => located.cut_off as f32,
        PhotoFault::TooSmall => scale,
        PhotoFault::TooDark => light.white,
        PhotoFault::Overexposed => light.toneless,
        PhotoFault::Glare => light.glare,
        PhotoFault::Blurred => focus::measure(page, located.format),
        PhotoFault::BlackAndWhite => recapture::colourfulness(photo),
        PhotoFault::Screen => recapture::spectral_peak(photo, &located.corners),
        PhotoFault::Bezel => recapture::bezel(photo, located),
        PhotoFault::Photocopy => recapture::colour_spread(page),
    };
    PhotoFault::ALL.into_iter().map(|fault| QualityMeasure { fault, value: value(fault) }).collect()
}

/// Resolution of the page in pixels of the photo per millimetre, in the direction in which it is lower.
pub(crate) fn pixels_per_millimetre(located: &LocatedPage) -> f32 {
    let [a, b, c, d] = located.corners;
    let side = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let (across, down) = (f32::midpoint(side(a, b), side(d, c)), f32::midpoint(side(a, d), side(b, c)));
    let [width, height] = located.format.size();
    // Where a part of the page is missing, the shortened side would give too low a number.
    if located.cut_off > 0 {
        (across / width).max(down / height)
    } else {
        (across / width).min(down / height)
    }
}

/// Resolution at which a format is measured, in pixels per millimetre.
fn reading_scale(format: PageFormat) -> f32 {
    if format == PageFormat::A4 { 5.0 } else { 8.0 }
}
