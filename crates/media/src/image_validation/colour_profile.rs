//! Colour profiles. Stored numbers are colours only together with the profile that a file names, and a profile can make a picture of
//! what looks like plain grey without it.

use base::Picture;
use moxcms::{
    Chromaticity, CicpColorPrimaries, CicpProfile, ColorPrimaries, ColorProfile, DataColorSpace, Layout,
    MatrixCoefficients, ParsingOptions, ToneReprCurve, TransferCharacteristics, Transform8BitExecutor,
    TransformOptions,
};
use png::ScaledFloat;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// A profile that changes no level of grey by more than this, of 255, and channels of all colours on average by no more than
/// [`MAX_IGNORED_MEAN_CHANGE`], is not followed: it hides nothing, and the nets have learned from pictures whose profiles nobody
/// followed. Those of phones and cameras are such ones (Display P3: 0 and 11, Adobe RGB: 9 and 11), those of wider gamuts not
/// (BT.2020: 13 and 21).
const MAX_IGNORED_GREY_CHANGE: u8 = 24;
const MAX_IGNORED_MEAN_CHANGE: f64 = 16.0;
/// Bytes of a profile, at most; those of printers, the largest, have some hundred thousand.
const MAX_PROFILE_BYTES: usize = 4 << 20;

/// Most pictures have one of a few profiles, and to prepare a conversion takes a millisecond.
static RECENT: Mutex<VecDeque<KeptConversion>> = Mutex::new(VecDeque::new());
const KEPT_CONVERSIONS: usize = 8;
const MAX_KEPT_PROFILE_BYTES: usize = 8 << 10;

struct KeptConversion {
    profile: Vec<u8>,
    is_grey: bool,
    conversion: ColourConversion,
}

/// How stored colours become those of sRGB.
#[derive(Clone)]
pub(crate) enum ColourConversion {
    /// They are near enough.
    None,
    /// Pixels of three channels, converted together.
    Colour(Arc<Transform8BitExecutor>),
    /// Grey, each level by itself.
    Grey(Box<[u8; 256]>),
}

impl ColourConversion {
    /// From an ICC profile (ICC.1:2022) of a picture that is stored in colour or in grey. A damaged profile, and one for other
    /// channels than the picture's, count for nothing: programs that show pictures leave such ones out.
    pub(crate) fn from_icc(profile: &[u8], is_grey: bool) -> Self {
        if profile.len() > MAX_KEPT_PROFILE_BYTES {
            return Self::read_icc(profile, is_grey);
        }
        let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        let is_this = |kept: &KeptConversion| kept.is_grey == is_grey && kept.profile == profile;
        if let Some(kept) = recent().iter().find(|kept| is_this(kept)) {
            return kept.conversion.clone();
        }
        let conversion = Self::read_icc(profile, is_grey);
        let mut recent = recent();
        if recent.len() == KEPT_CONVERSIONS {
            recent.pop_front();
        }
        recent.push_back(KeptConversion {
            profile: profile.to_vec(),
            is_grey,
            conversion: conversion.clone(),
        });
        conversion
    }

    fn read_icc(profile: &[u8], is_grey: bool) -> Self {
        let bounds = ParsingOptions { max_profile_size: MAX_PROFILE_BYTES, ..ParsingOptions::default() };
        let expected = if is_grey { DataColorSpace::Gray } else { DataColorSpace::Rgb };
        match ColorProfile::new_from_slice_with_options(profile, bounds) {
            Ok(profile) if profile.color_space == expected => Self::from_profile(&profile),
            _ => Self::None,
        }
    }

    /// From what a PNG says before its pixels, in the order in which its chunks count (W3C PNG, third edition, 4.3).
    pub(super) fn from_png(info: &png::Info<'_>) -> Self {
        if let Some(points) = info.coding_independent_code_points {
            let primaries = CicpColorPrimaries::try_from(points.color_primaries);
            let transfer = TransferCharacteristics::try_from(points.transfer_function);
            return match (primaries, transfer) {
                (Ok(color_primaries), Ok(transfer_characteristics)) => {
                    let (matrix_coefficients, full_range) = (MatrixCoefficients::Identity, true);
                    Self::from_profile(&ColorProfile::new_from_cicp(CicpProfile {
                        color_primaries,
                        transfer_characteristics,
                        matrix_coefficients,
                        full_range,
                    }))
                }
                _ => Self::None,
            };
        }
        if let Some(profile) = &info.icc_profile {
            let is_grey =
                matches!(info.color_type, png::ColorType::Grayscale | png::ColorType::GrayscaleAlpha);
            return Self::from_icc(profile, is_grey);
        }
        if info.srgb.is_some() {
            return Self::None;
        }
        let mut profile = ColorProfile::new_srgb();
        profile.cicp = None;
        if let Some(chromaticities) = info.chrm_chunk {
            let point =
                |(x, y): (ScaledFloat, ScaledFloat)| Chromaticity { x: x.into_value(), y: y.into_value() };
            let (red, green, blue) = (chromaticities.red, chromaticities.green, chromaticities.blue);
            let primaries = ColorPrimaries { red: point(red), green: point(green), blue: point(blue) };
            profile.update_rgb_colorimetry(point(chromaticities.white).to_xyyb(), primaries);
        }
        if let Some(gamma) = info.gama_chunk.map(ScaledFloat::into_value).filter(|gamma| *gamma > 0.0) {
            let curve = Some(ToneReprCurve::Parametric(vec![gamma.recip()]));
            (profile.red_trc, profile.green_trc, profile.blue_trc) = (curve.clone(), curve.clone(), curve);
        }
        if info.chrm_chunk.is_none() && info.gama_chunk.is_none() {
            return Self::None;
        }
        Self::from_profile(&profile)
    }

    fn from_profile(profile: &ColorProfile) -> Self {
        let layout = if profile.color_space == DataColorSpace::Gray { Layout::Gray } else { Layout::Rgb };
        let to_srgb = profile.create_transform_8bit(
            layout,
            &ColorProfile::new_srgb(),
            Layout::Rgb,
            TransformOptions::default(),
        );
        let Ok(to_srgb) = to_srgb else { return Self::None };
        if layout == Layout::Gray {
            let levels: Vec<u8> = (0..=u8::MAX).collect();
            let mut shown = [0; 256 * 3];
            let is_usable = to_srgb.transform(&levels, &mut shown).is_ok();
            let shown = std::array::from_fn(|level| shown[level * 3]);
            if !is_usable || greatest_change(&levels, &shown) <= MAX_IGNORED_GREY_CHANGE {
                return Self::None;
            }
            return Self::Grey(Box::new(shown));
        }
        // What a table says of colours between those that are tried here may be anything.
        let is_smooth = [
            &profile.lut_a_to_b_perceptual,
            &profile.lut_a_to_b_colorimetric,
            &profile.lut_a_to_b_saturation,
        ]
        .iter()
        .all(|table| table.is_none());
        let greys: Vec<u8> = (0..=u8::MAX).flat_map(|level| [level; 3]).collect();
        let colours = colour_grid();
        let (mut shown_greys, mut shown_colours) = (vec![0; greys.len()], vec![0; colours.len()]);
        let is_usable = to_srgb.transform(&greys, &mut shown_greys).is_ok()
            && to_srgb.transform(&colours, &mut shown_colours).is_ok();
        let is_usual = is_smooth
            && greatest_change(&greys, &shown_greys) <= MAX_IGNORED_GREY_CHANGE
            && mean_change(&colours, &shown_colours) <= MAX_IGNORED_MEAN_CHANGE;
        if is_usable && !is_usual { Self::Colour(to_srgb) } else { Self::None }
    }

    /// Converts a picture; one in grey has the same number in all three channels.
    pub(crate) fn apply(&self, picture: Picture) -> Picture {
        if matches!(self, Self::None) {
            return picture;
        }
        let (width, height) = (picture.width(), picture.height());
        let mut shown = picture.into_rgb();
        self.convert(&mut shown);
        Picture::new(width, height, shown).expect("a picture keeps its size")
    }

    /// The same of pixels of four bytes, of which the last stays.
    pub(crate) fn apply_to_rgba(&self, rgba: &mut [u8]) {
        if matches!(self, Self::None) {
            return;
        }
        let mut rgb: Vec<u8> =
            rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        self.convert(&mut rgb);
        for (pixel, colour) in rgba.chunks_exact_mut(4).zip(rgb.chunks_exact(3)) {
            pixel[..3].copy_from_slice(colour);
        }
    }

    fn convert(&self, rgb: &mut Vec<u8>) {
        match self {
            Self::None => {}
            Self::Colour(to_srgb) => {
                let mut shown = vec![0; rgb.len()];
                if to_srgb.transform(rgb, &mut shown).is_ok() {
                    *rgb = shown;
                }
            }
            Self::Grey(levels) => rgb.iter_mut().for_each(|channel| *channel = levels[usize::from(*channel)]),
        }
    }
}

/// Colours from the whole gamut, all combinations of sixteen levels.
fn colour_grid() -> Vec<u8> {
    let levels = || (0..=u8::MAX).step_by(17);
    let colours = levels().flat_map(|red| levels().map(move |green| (red, green)));
    colours.flat_map(|(red, green)| levels().flat_map(move |blue| [red, green, blue])).collect()
}

fn greatest_change(stored: &[u8], shown: &[u8]) -> u8 {
    stored.iter().zip(shown).map(|(stored, shown)| stored.abs_diff(*shown)).max().unwrap_or_default()
}

fn mean_change(stored: &[u8], shown: &[u8]) -> f64 {
    let changes = stored.iter().zip(shown).map(|(stored, shown)| u32::from(stored.abs_diff(*shown)));
    f64::from(changes.sum::<u32>()) / stored.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile of sRGB but for its curve: what a stored level looks like, as a level of sRGB.
    fn with_levels(shown: impl Fn(u8) -> u8) -> ColorProfile {
        let linear = |level: u8| {
            let level = f64::from(level) / 255.0;
            let linear = if level <= 0.040_45 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) };
            (linear * 65535.0).round() as u16
        };
        let curve = Some(ToneReprCurve::Lut((0..=u8::MAX).map(|level| linear(shown(level))).collect()));
        let mut profile = ColorProfile::new_srgb();
        profile.cicp = None;
        (profile.red_trc, profile.green_trc, profile.blue_trc) = (curve.clone(), curve.clone(), curve);
        profile
    }

    fn converted(profile: &ColorProfile, is_grey: bool, stored: &[u8]) -> Vec<u8> {
        let conversion = ColourConversion::from_icc(&profile.encode().unwrap(), is_grey);
        let picture = Picture::new(stored.len() as u32 / 3, 1, stored.to_vec()).unwrap();
        conversion.apply(picture).into_rgb()
    }

    #[test]
    fn usual_profiles_are_not_followed() {
        let stored = colour_grid();
        for (name, profile) in [
            ("sRGB", ColorProfile::new_srgb()),
            ("Display P3", ColorProfile::new_display_p3()),
            ("Adobe RGB", ColorProfile::new_adobe_rgb()),
            ("sRGB as a table", with_levels(|level| level)),
            ("a little lighter", with_levels(|level| level.saturating_add(12))),
        ] {
            assert!(converted(&profile, false, &stored) == stored, "{name}");
        }
        let grey: Vec<u8> = (0..=u8::MAX).flat_map(|level| [level; 3]).collect();
        assert!(converted(&ColorProfile::new_gray_with_gamma(2.2), true, &grey) == grey);
    }

    #[test]
    fn a_profile_that_makes_a_picture_of_grey_is_followed() {
        // Sixteen levels of grey, of which people see black to white.
        let stored: Vec<u8> = (120..136).flat_map(|level| [level; 3]).collect();
        let profile = with_levels(|level| level.saturating_sub(120).min(15) * 17);
        let shown = converted(&profile, false, &stored);
        for (level, shown) in (0..16).zip(shown.chunks_exact(3)) {
            assert!(shown.iter().all(|channel| channel.abs_diff(level * 17) <= 1), "{level}: {shown:?}");
        }
        let mut rgba: Vec<u8> = (120..136).flat_map(|level| [level, level, level, 7]).collect();
        ColourConversion::from_icc(&profile.encode().unwrap(), false).apply_to_rgba(&mut rgba);
        let kept: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        assert_eq!(kept, shown);
        assert!(rgba.chunks_exact(4).all(|pixel| pixel[3] == 7), "opacity is no colour");

        let grey = ColorProfile::new_gray_with_gamma(9.0);
        let shown = converted(&grey, true, &stored);
        assert!(shown.iter().all(|channel| *channel < 40), "{shown:?}");
    }

    #[test]
    fn one_level_that_looks_different_is_enough() {
        for odd in [0, 77, 255] {
            let profile = with_levels(|level| if level == odd { 255 - level } else { level });
            let shown = converted(&profile, false, &[odd; 3]);
            assert!(shown[0].abs_diff(odd) > 90, "{odd}: {shown:?}");
        }
    }

    #[test]
    fn wider_gamuts_are_followed() {
        for profile in [ColorProfile::new_bt2020(), ColorProfile::new_pro_photo_rgb()] {
            let shown = converted(&profile, false, &[100, 200, 100]);
            assert!(shown[0] < 40 && shown[1].abs_diff(200) < 30, "{shown:?}");
        }
    }

    #[test]
    fn damaged_profiles_and_those_of_other_channels_count_for_nothing() {
        let stored: Vec<u8> = (0..=u8::MAX).flat_map(|level| [level; 3]).collect();
        let profile = with_levels(|level| 255 - level);
        assert!(converted(&profile, false, &stored) != stored);
        assert!(converted(&profile, true, &stored) == stored);
        assert!(converted(&ColorProfile::new_gray_with_gamma(9.0), false, &stored) == stored);
        let file = profile.encode().unwrap();
        for length in 0..file.len() {
            // Nothing but a panic is wrong.
            let _any = ColourConversion::from_icc(&file[..length], false);
        }
        assert!(matches!(ColourConversion::from_icc(&file[..100], false), ColourConversion::None));
        assert!(matches!(ColourConversion::from_icc(&[], false), ColourConversion::None));
    }
}
