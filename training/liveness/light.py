"""Pictures as linear light: float32 [height, width, 3], 0 (black) to 1 (white), with a gamma of 2.2."""

import cv2
import numpy as np

_TO_LINEAR = ((np.arange(256) / 255.0) ** 2.2).astype(np.float32)
_STEPS = 4096
_TO_BYTES = np.round(255.0 * (np.arange(_STEPS + 1) / _STEPS) ** (1 / 2.2)).astype(np.float32)


def linear(picture):
    """Bytes [h, w, 3] to linear light."""
    return _TO_LINEAR[picture]


def encoded(light):
    """Linear light to gamma-encoded values from 0 to 255, float32."""
    return _TO_BYTES[(np.clip(light, 0, 1) * _STEPS).astype(np.uint16)]


def grey(light):
    return light @ np.array([0.2126, 0.7152, 0.0722], np.float32)


def blurred(light, sigma):
    return light if sigma < 0.2 else cv2.GaussianBlur(light, (0, 0), sigma)


def jpeg(picture, quality, thin_colour=True):
    """Compresses a picture as JPEG and decodes it again; `thin_colour` halves the resolution of colour (4:2:0)."""
    thin = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420 if thin_colour else cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
    options = [cv2.IMWRITE_JPEG_QUALITY, int(quality), cv2.IMWRITE_JPEG_SAMPLING_FACTOR, thin]
    return cv2.imdecode(cv2.imencode(".jpg", picture, options)[1], cv2.IMREAD_COLOR)
