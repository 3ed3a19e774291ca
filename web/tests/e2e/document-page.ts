// What a person does on the page for documents, by itself or in a frame of the page of age sessions.

import { errors, type Frame } from "@playwright/test";
import { waitForCamera } from "../browser/actions";

/** The document that is chosen, where there is a choice. */
export interface Choice {
  country?: string;
  type?: string;
  /** A file that stands in for the camera, where the page takes one. */
  file?: string;
}

/** A page that has gone on by itself is not pressed any more. */
const PRESS_MS = 10_000;

/** Presses what a step waits for; nothing at the others. */
export async function pressThrough(frame: Frame, step: string, choice: Choice): Promise<void> {
  await unlessGone(() => pressAt(frame, step, choice));
}

async function pressAt(frame: Frame, step: string, { country = "", type = "", file }: Choice): Promise<void> {
  const instead = frame.getByRole("button", { name: "Choose a file instead" });
  switch (step) {
    case "tips":
      await (file && (await instead.count()) > 0 ? instead : frame.locator("#body .primary")).click({
        timeout: PRESS_MS,
      });
      return;
    case "file":
      await frame.locator("input[type=file]").setInputFiles(file ?? "", { timeout: PRESS_MS });
      await frame.locator("#body .primary").click({ timeout: PRESS_MS });
      return;
    case "welcome":
    case "consent":
    case "retry":
    case "interrupted":
    case "trouble":
      await frame.locator("#body .primary").click({ timeout: PRESS_MS });
      return;
    case "review":
      // The first of two is to use the picture, whatever was found wrong with it.
      await frame.locator("#body .row button").first().click({ timeout: PRESS_MS });
      return;
    case "choose":
      await frame.locator("select").selectOption(country, { timeout: PRESS_MS });
      await frame
        .locator("label")
        .filter({ has: frame.locator(`input[value="${type}"]`) })
        .click({ timeout: PRESS_MS });
      await frame.locator("form .primary").click({ timeout: PRESS_MS });
      return;
    default:
      return;
  }
}

/** Takes the picture by hand. */
export async function takePicture(frame: Frame): Promise<void> {
  await waitForCamera(frame);
  await unlessGone(() => frame.locator(".viewer .primary").click({ timeout: PRESS_MS }));
}

async function unlessGone(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) {
      throw error;
    }
  }
}
