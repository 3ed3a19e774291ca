// The camera's window, for what is looked at now.

import { button } from "../shared/dom";
import { createViewfinder as paneOf, type Viewfinder, type ViewfinderOptions } from "../shared/viewfinder";
import type { DocumentChoice, Requirement } from "./requirements";
import type { ScreenContext } from "./screens";
import { currentRequirement, isFaceRequirement } from "./state-machine";

export type { Viewfinder };

export function createViewfinder(
  { state, texts, actions }: ScreenContext,
  view: ViewfinderOptions,
  act: { take(): void; change(): void },
): Viewfinder {
  const requirement = currentRequirement(state) as Requirement;
  const { camera, face, tips } = texts;
  const words = {
    ...camera,
    approach: face.approach,
    take: isFaceRequirement(requirement) && requirement.zoom ? camera.start : camera.take,
    hint: isFaceRequirement(requirement) ? "" : camera.takeSoon,
  };
  const file = requirement.upload ? button(tips.file, () => actions.dispatch({ is: "fileChosen" })) : undefined;
  return paneOf(words, view, act, file);
}

/** Which document forms the frame has: ID-1, a passport's page, a sheet. */
export function documentAspect(requirement: Requirement, choice: DocumentChoice | undefined): number {
  if (requirement.kind === "SUPPLEMENTARY_DOCUMENT") {
    return 210 / 297;
  }
  return choice?.type === "PASSPORT" ? 125 / 88 : 85.6 / 53.98;
}
