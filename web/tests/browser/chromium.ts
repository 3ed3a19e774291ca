// Which browser the tests drive, and how it is started. Nothing is downloaded: it is Debian's.

import { type Browser, chromium, type LaunchOptions } from "@playwright/test";

/** `CHROMIUM` names another one. */
const EXECUTABLE = process.env.CHROMIUM || "/usr/bin/chromium";

/** Nothing waits so long where all is well; a machine may do much else beside. */
export const TIMEOUT_MS = 120_000;

const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--no-first-run",
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-device-for-media-stream",
];

/** `film` is what stands before the camera: a file that is played in a loop. */
export function launchOptions(film?: string): LaunchOptions {
  return {
    executablePath: EXECUTABLE,
    // Root has no sandbox to go into; the pages are our own.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...FLAGS, ...(film ? [`--use-file-for-fake-video-capture=${film}`] : [])],
  };
}

export function launch(film?: string): Promise<Browser> {
  return chromium.launch(launchOptions(film));
}
