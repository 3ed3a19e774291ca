//! What people see of a picture that is transparent in places.

use super::{ColourConversion, upright};
use base::Picture;

/// A picture as pages show it. What lies under its transparent places is not part of it: nobody sees that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlendedPicture {
    /// On a white page.
    pub on_white: Picture,
    /// On a black page; `None` where nothing is transparent, so that it looks the same there.
    pub on_black: Option<Picture>,
}

impl BlendedPicture {
    /// A picture without transparency.
    pub(crate) fn opaque(picture: Picture) -> Self {
        Self { on_white: picture, on_black: None }
    }

    /// Lays pixels of four bytes, `r`, `g`, `b` and how opaque they are, over both pages, once their colours are converted; `None`
    /// if their number is not that of the size.
    pub(super) fn from_rgba(
        width: u32,
        height: u32,
        mut rgba: Vec<u8>,
        conversion: &ColourConversion,
    ) -> Option<Self> {
        conversion.apply_to_rgba(&mut rgba);
        let pixels = rgba.len() / 4;
        if rgba.chunks_exact(4).all(|pixel| pixel[3] == u8::MAX) {
            // Packs the others in place.
            for pixel in 0..pixels {
                rgba.copy_within(pixel * 4..pixel * 4 + 3, pixel * 3);
            }
            rgba.truncate(pixels * 3);
            return Picture::new(width, height, rgba).map(Self::opaque);
        }
        let (mut on_white, mut on_black) = (Vec::with_capacity(pixels * 3), Vec::with_capacity(pixels * 3));
        for pixel in rgba.chunks_exact(4) {
            let opacity = u16::from(pixel[3]);
            for &channel in &pixel[..3] {
                let shown = ((u16::from(channel) * opacity + 127) / 255) as u8;
                on_black.push(shown);
                on_white.push(shown + (u8::MAX - pixel[3]));
            }
        }
        Some(Self {
            on_white: Picture::new(width, height, on_white)?,
            on_black: Some(Picture::new(width, height, on_black)?),
        })
    }

    /// From a picture of twice the height: above as on a black page, and below how opaque it is, in each channel. Its colours are
    /// not converted yet. `None` if the height is odd.
    pub(crate) fn from_black_over_opacity(stacked: Picture, conversion: &ColourConversion) -> Option<Self> {
        let (width, height) = (stacked.width(), stacked.height() / 2);
        let mut shown = stacked.into_rgb();
        let opacity = shown.split_off(width as usize * height as usize * 3);
        if opacity.len() != shown.len() {
            return None;
        }
        if opacity.iter().all(|&opacity| opacity == u8::MAX) {
            let stored = Picture::new(width, height, shown)?;
            return Some(Self::opaque(conversion.apply(stored)));
        }
        // As it is stored: what is half as opaque is half as light on black.
        let stored =
            |shown: u8, opacity: u8| (u32::from(shown) * 255 / u32::from(opacity.max(1))).min(255) as u8;
        let pixels = shown.chunks_exact(3).zip(opacity.chunks_exact(3));
        let rgba = pixels.flat_map(|(shown, opacity)| {
            let channel = |at: usize| stored(shown[at], opacity[at]);
            [channel(0), channel(1), channel(2), opacity[0]]
        });
        Self::from_rgba(width, height, rgba.collect(), conversion)
    }

    /// Rotated and mirrored as an EXIF orientation says.
    pub(crate) fn rotate_upright(self, orientation: u8) -> Self {
        let rotate = |picture| upright::rotate_upright(picture, orientation);
        Self { on_white: rotate(self.on_white), on_black: self.on_black.map(rotate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_transparent_shows_the_page() {
        // Opaque, half and not at all.
        let rgba = [[10, 20, 30, 255], [200, 100, 0, 128], [250, 240, 230, 0]].concat();
        let shown = BlendedPicture::from_rgba(3, 1, rgba, &ColourConversion::None).unwrap();
        assert_eq!(shown.on_white.rgb(), [10, 20, 30, 227, 177, 127, 255, 255, 255]);
        assert_eq!(shown.on_black.unwrap().rgb(), [10, 20, 30, 100, 50, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_opaque_looks_the_same_everywhere() {
        let rgba = [[10, 20, 30, 255], [200, 100, 0, 255]].concat();
        let shown = BlendedPicture::from_rgba(2, 1, rgba, &ColourConversion::None).unwrap();
        assert_eq!((shown.on_white.rgb(), shown.on_black), (&[10, 20, 30, 200, 100, 0][..], None));
        let stacked = Picture::new(1, 2, vec![1, 2, 3, 255, 255, 255]).unwrap();
        let shown = BlendedPicture::from_black_over_opacity(stacked, &ColourConversion::None).unwrap();
        assert_eq!((shown.on_white.rgb(), shown.on_black), (&[1, 2, 3][..], None));
    }

    #[test]
    fn pixels_that_are_not_of_the_size_are_refused() {
        assert_eq!(BlendedPicture::from_rgba(2, 1, vec![0; 4], &ColourConversion::None), None);
        assert_eq!(BlendedPicture::from_rgba(2, 1, vec![255; 4], &ColourConversion::None), None);
        let odd = Picture::new(1, 3, vec![0; 9]).unwrap();
        assert_eq!(BlendedPicture::from_black_over_opacity(odd, &ColourConversion::None), None);
    }

    #[test]
    fn opacity_below_a_picture_lightens_it_on_white() {
        let stacked = Picture::new(1, 4, vec![100, 50, 0, 0, 0, 0, 128, 128, 128, 0, 0, 0]).unwrap();
        let shown = BlendedPicture::from_black_over_opacity(stacked, &ColourConversion::None).unwrap();
        assert_eq!(shown.on_white.rgb(), [227, 177, 127, 255, 255, 255]);
        assert_eq!(shown.on_black.unwrap().rgb(), [100, 50, 0, 0, 0, 0]);
    }
}
