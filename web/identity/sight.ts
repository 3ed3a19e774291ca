// The camera's screen: opens the camera, says what it sees, and hands over what it took.

import { Camera, NoCamera, type Trouble } from "../shared/camera";
import { OVALS } from "../shared/oval";
import { FaceCapture, loadFaceNet, type Portrait } from "../shared/portrait";
import { DocumentCapture, frameIn } from "./capture";
import { current, isFace } from "./journey";
import type { Need } from "./plan";
import { type Shown, sideName } from "./screens";
import type { View } from "./view";
import { formOf, type Viewer, viewer } from "./viewer";

/** How long a picture may be waited for before the button is the better way, in milliseconds. */
const HELP_MS = 9000;

/** What comes of looking. */
export interface Outcome {
  photo(photo: Blob): void;
  face(pictures: Portrait[]): void;
  failed(trouble: Trouble): void;
  /** Another camera is wanted: the screen is to be opened anew. */
  changed(): void;
}

export class Sight {
  readonly #view: View;
  readonly #outcome: Outcome;
  #camera: Camera | undefined;
  #looking: DocumentCapture | FaceCapture | undefined;
  #otherCamera: string | undefined;
  #help: ReturnType<typeof setTimeout> | undefined;
  /** How often a camera was opened or closed: only the last time counts. */
  #openings = 0;

  constructor(view: View, outcome: Outcome) {
    this.#view = view;
    this.#outcome = outcome;
  }

  get open(): boolean {
    return this.#camera !== undefined;
  }

  close(): void {
    this.#openings += 1;
    clearTimeout(this.#help);
    this.#looking?.stop();
    this.#looking = undefined;
    this.#camera?.close();
    this.#camera = undefined;
  }

  /** Shows the screen and looks until there is something. */
  async look(shown: Shown): Promise<void> {
    const { state, texts } = shown;
    const need = current(state);
    if (!need) {
      return;
    }
    this.close();
    const opening = this.#openings;
    const here = () => this.#openings === opening;
    const face = isFace(need);
    const form = formOf(need, state.choice);
    const aspect = face || form < 1 ? 3 / 4 : 4 / 3;
    const pane = viewer(
      shown,
      {
        aspect,
        frame: face ? undefined : frameIn(aspect, form),
        mirrored: face && !this.#otherCamera,
        oval: OVALS[need.zoom ? "far" : "portrait"],
      },
      { take: () => void this.#looking?.take(), change: () => void this.#change(here) },
    );
    const faceHeading = need.zoom ? texts.tips.zoomHeading : texts.faceTips.heading;
    const heading = face ? faceHeading : sideName(shown);
    this.#view.show({ heading, body: [pane.root], spoken: texts.camera.opening }, texts, "camera");

    const [camera, net] = await Promise.all([
      Camera.open(
        pane.video,
        face ? "user" : "environment",
        () => here() && this.#outcome.failed("busy"),
        this.#otherCamera,
      ).catch((error: unknown) => error as Error),
      face ? loadFaceNet() : undefined,
    ]);
    if (!(camera instanceof Camera)) {
      if (!(camera instanceof NoCamera)) {
        throw camera;
      }
      if (here()) {
        this.#outcome.failed(camera.trouble);
      }
      return;
    }
    // Somebody may have gone on while it was being opened.
    if (!here()) {
      camera.close();
      return;
    }
    this.#camera = camera;
    this.#looking = face
      ? this.#lookAtFace(camera, aspect, need, net, pane, shown)
      : new DocumentCapture(
          camera,
          aspect,
          form,
          (advice) => this.#advise(pane, texts.document[advice], advice === "ready"),
          (photo) => this.#outcome.photo(photo),
        );
    this.#advise(pane, face ? texts.face.find : texts.camera.document, false);
    pane.take.disabled = false;
    // An approach is better guided than begun by hand; who cannot be guided is helped after a while.
    pane.take.hidden = need.zoom && net !== undefined;
    this.#help = setTimeout(() => {
      pane.root.classList.add("help");
      pane.take.hidden = false;
    }, HELP_MS);
    this.#looking.start();
    pane.change.hidden = (await camera.others()).length === 0;
  }

  #lookAtFace(
    camera: Camera,
    aspect: number,
    { zoom }: Need,
    net: Awaited<ReturnType<typeof loadFaceNet>>,
    pane: Viewer,
    { texts }: Shown,
  ): FaceCapture {
    return new FaceCapture(
      camera,
      aspect,
      zoom,
      net,
      (advice, progress) => {
        this.#advise(pane, texts.face[advice], advice === "ready" || advice === "approach");
        pane.turn(OVALS[advice === "approach" ? "near" : zoom ? "far" : "portrait"]);
        pane.bar.hidden = !zoom || progress === 0;
        pane.bar.value = progress;
      },
      (pictures) => this.#outcome.face(pictures),
    );
  }

  #advise(pane: Viewer, words: string, good: boolean): void {
    if (pane.advice.textContent !== words) {
      pane.advice.textContent = words;
      this.#view.say(words);
    }
    pane.mark(good);
  }

  async #change(here: () => boolean): Promise<void> {
    const [other] = (await this.#camera?.others()) ?? [];
    if (other && here()) {
      this.#otherCamera = other;
      this.#outcome.changed();
    }
  }
}
