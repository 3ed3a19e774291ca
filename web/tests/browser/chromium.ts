// Which browser the tests drive, and how it is started. Nothing is downloaded: it is Debian's.

import { type Browser, chromium, type LaunchOptions } from "@playwright/test";

/** `CHROMIUM` names another one. */
const EXECUTABLE = process.env.CHROMIUM || "/usr/bin/chromium";

/** Nothing waits so long where all is well; a machine may do much else beside. */
export const TIMEOUT_MS = 120_000;

/**
 * Of these the first three draw the list below the address bar as two pages of four hundred modules, loaded anew with every
 * window, which no test sees. The others are what Playwright turns off itself on Linux and would lose: of two such flags the last counts.
 */
const DISABLED_FEATURES = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  `--disable-features=${DISABLED_FEATURES.join(",")}`,
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
