// The camera's screen: opens the camera, says what it sees, and hands over what it took.

import { Camera, CameraError, type CameraProblem, type Facing } from "../shared/camera";
import { FaceCapture, loadFaceDetector, type Portrait } from "../shared/face-capture";
import { OVAL_WIDTHS } from "../shared/face-guidance";
import { DocumentCapture, documentFrame } from "./document-capture";
import type { Requirement } from "./requirements";
import { type ScreenContext, sideName } from "./screens";
import { currentRequirement, isFaceRequirement } from "./state-machine";
import type { View } from "./view";
import { createViewfinder, documentAspect, type Viewfinder } from "./viewfinder";

/** How long a picture may be waited for before the button is the better way, in milliseconds. */
const MANUAL_CAPTURE_HINT_MS = 9000;

/** What comes of looking. */
export interface CameraCallbacks {
  photo(photo: Blob): void;
  face(pictures: Portrait[]): void;
  failed(trouble: CameraProblem): void;
  /** Another camera is wanted: the screen is to be opened anew. */
  changed(): void;
}

export class CameraView {
  readonly #view: View;
  readonly #callbacks: CameraCallbacks;
  #camera: Camera | undefined;
  #capture: DocumentCapture | FaceCapture | undefined;
  /** The devices that somebody changed to, each for the pictures that need a camera of this facing. */
  readonly #chosenDevices = new Map<Facing, string>();
  #hintTimer: ReturnType<typeof setTimeout> | undefined;
  /** How often a camera was opened or closed: only the last time counts. */
  #openings = 0;

  constructor(view: View, outcome: CameraCallbacks) {
    this.#view = view;
    this.#callbacks = outcome;
  }

  get isOpen(): boolean {
    return this.#camera !== undefined;
  }

  close(): void {
    this.#openings += 1;
    clearTimeout(this.#hintTimer);
    this.#capture?.stop();
    this.#capture = undefined;
    this.#camera?.close();
    this.#camera = undefined;
  }

  /** Shows the screen and looks until there is something. */
  async show(shown: ScreenContext): Promise<void> {
    const { state, texts } = shown;
    const requirement = currentRequirement(state);
    if (!requirement) {
      return;
    }
    this.close();
    const opening = this.#openings;
    const here = () => this.#openings === opening;
    const face = isFaceRequirement(requirement);
    const facing = face ? "user" : "environment";
    const device = this.#chosenDevices.get(facing);
    const form = documentAspect(requirement, state.choice);
    const aspect = face || form < 1 ? 3 / 4 : 4 / 3;
    const pane = createViewfinder(
      shown,
      {
        aspect,
        frame: face ? undefined : documentFrame(aspect, form),
        mirrored: face && !device,
        oval: OVAL_WIDTHS[requirement.zoom ? "far" : "portrait"],
      },
      { take: () => void this.#capture?.take(), change: () => void this.#switchCamera(facing, here) },
    );
    const faceHeading = requirement.zoom ? texts.tips.zoomHeading : texts.faceTips.heading;
    const heading = face ? faceHeading : sideName(shown);
    this.#view.show({ heading, body: [pane.root], spoken: texts.camera.opening }, texts, "camera");

    // Both are waited for at the same time, and a camera that is open is known at once, so that it can be closed.
    const loading = face ? loadFaceDetector() : undefined;
    const camera = await Camera.open(pane.video, facing, () => here() && this.#callbacks.failed("busy"), device).catch(
      (error: unknown) => error as Error,
    );
    if (!(camera instanceof Camera)) {
      if (!(camera instanceof CameraError)) {
        throw camera;
      }
      if (here()) {
        // Trying again opens the usual camera: the chosen one may have been unplugged, or never give a picture.
        this.#chosenDevices.delete(facing);
        if (device && camera.problem === "absent") {
          this.#callbacks.changed();
        } else {
          this.#callbacks.failed(camera.problem);
        }
      }
      return;
    }
    // Somebody may have gone on while it was being opened.
    if (!here()) {
      camera.close();
      return;
    }
    this.#camera = camera;
    const net = await loading;
    if (!here()) {
      return;
    }
    this.#capture = face
      ? this.#captureFace(camera, aspect, requirement, net, pane, shown)
      : new DocumentCapture(
          camera,
          aspect,
          form,
          (advice) => this.#advise(pane, texts.document[advice], advice === "ready"),
          (photo) => this.#callbacks.photo(photo),
        );
    this.#advise(pane, face ? texts.face.find : texts.camera.document, false);
    pane.take.disabled = false;
    // An approach is better guided than begun by hand; who cannot be guided is helped after a while.
    pane.take.hidden = requirement.zoom && net !== undefined;
    this.#hintTimer = setTimeout(() => {
      pane.root.classList.add("help");
      pane.take.hidden = false;
    }, MANUAL_CAPTURE_HINT_MS);
    this.#capture.start();
    pane.switchCamera.hidden = (await camera.otherDevices()).length === 0;
  }

  #captureFace(
    camera: Camera,
    aspect: number,
    { zoom }: Requirement,
    net: Awaited<ReturnType<typeof loadFaceDetector>>,
    pane: Viewfinder,
    { texts }: ScreenContext,
  ): FaceCapture {
    return new FaceCapture(
      camera,
      aspect,
      zoom,
      net,
      (advice, progress) => {
        this.#advise(pane, texts.face[advice], advice === "ready" || advice === "approach");
        pane.setOvalWidth(OVAL_WIDTHS[advice === "approach" ? "near" : zoom ? "far" : "portrait"]);
        pane.bar.hidden = !zoom || progress === 0;
        pane.bar.value = progress;
      },
      (pictures) => this.#callbacks.face(pictures),
    );
  }

  #advise(pane: Viewfinder, words: string, good: boolean): void {
    if (pane.advice.textContent !== words) {
      pane.advice.textContent = words;
      this.#view.announce(words);
    }
    pane.setReady(good);
  }

  async #switchCamera(facing: Facing, here: () => boolean): Promise<void> {
    const [other] = (await this.#camera?.otherDevices()) ?? [];
    if (other && here()) {
      this.#chosenDevices.set(facing, other);
      this.#callbacks.changed();
    }
  }
}
