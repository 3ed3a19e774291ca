// The camera's window, for what is looked at now.

import { button } from "../shared/dom";
import { viewer as paneOf, type View, type Viewer } from "../shared/viewer";
import { current, isFace } from "./journey";
import type { Choice, Need } from "./plan";
import type { Shown } from "./screens";

export type { Viewer };

export function viewer({ state, texts, acts }: Shown, view: View, act: { take(): void; change(): void }): Viewer {
  const need = current(state) as Need;
  const { camera, face, tips } = texts;
  const words = {
    ...camera,
    approach: face.approach,
    take: isFace(need) && need.zoom ? camera.start : camera.take,
    hint: isFace(need) ? "" : camera.takeSoon,
  };
  const file = need.upload ? button(tips.file, () => acts.happen({ is: "byFile" })) : undefined;
  return paneOf(words, view, act, file);
}

/** Which document forms the frame has: ID-1, a passport's page, a sheet. */
export function formOf(need: Need, choice: Choice | undefined): number {
  if (need.kind === "SUPPLEMENTARY_DOCUMENT") {
    return 210 / 297;
  }
  return choice?.type === "PASSPORT" ? 125 / 88 : 85.6 / 53.98;
}
