// What is offered after a passed check: keeping the proof on this device, and taking it along.

import { button, make } from "../shared/dom";
import { placeForCode, showCode } from "../shared/handoff";
import { Interrupted } from "../shared/network";
import { paragraph, row } from "../shared/pieces";
import type { Api } from "./api";
import { available, create } from "./passkeys";
import type { Texts } from "./texts";

/** What an offer may ask of the page. */
export interface Offering {
  api: Api;
  texts: Texts;
  say(words: string): void;
  /** Somebody took it up, so nobody is to be led away. */
  stay(): void;
}

/** The offers of a session, as far as this browser can take them up. */
export function offersOf({ key, proof }: { key: boolean; proof: boolean }, offering: Offering): HTMLElement[] {
  return [...(key && available() ? [keyOffer(offering)] : []), ...(proof ? [proofOffer(offering)] : [])];
}

/** A passkey that keeps the proof. */
function keyOffer({ api, texts: { key: say }, say: speak, stay }: Offering): HTMLElement {
  const told = make("p", { class: "told", hidden: true });
  const tell = (words: string) => {
    told.textContent = words;
    told.hidden = false;
    speak(words);
  };
  const press = button(say.make, () => {
    stay();
    press.disabled = true;
    keepKey(api).then(
      () => {
        press.remove();
        tell(say.kept);
      },
      () => {
        press.disabled = false;
        tell(say.failed);
      },
    );
  });
  return make("section", {}, make("h2", {}, say.heading), paragraph(say.body), told, row(press));
}

async function keepKey(api: Api): Promise<void> {
  const { options, continuation } = await api.keyOptions();
  await api.keepKey(continuation, await create(options));
}

/** A proof of age for the holder's phone. */
function proofOffer({ api, texts: { proof: say }, say: speak, stay }: Offering): HTMLElement {
  const told = make("p", { class: "told", hidden: true });
  const place = make("div", {});
  const press = button(say.make, () => {
    stay();
    press.disabled = true;
    showProof(api, say, place).then(
      () => {
        press.remove();
        told.hidden = true;
        speak(say.scan);
      },
      () => {
        press.disabled = false;
        told.textContent = say.failed;
        told.hidden = false;
        speak(say.failed);
      },
    );
  });
  return make("section", {}, make("h2", {}, say.heading), paragraph(say.body), told, place, row(press));
}

async function showProof(api: Api, say: Texts["proof"], place: HTMLElement): Promise<void> {
  const [url, { drawQr }] = await Promise.all([api.proof(), import("../shared/qr")]);
  const { protocol } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new Interrupted("serviceDown");
  }
  const link = make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, say.open);
  place.replaceChildren(placeForCode(say.code), paragraph(say.scan), make("p", {}, link));
  showCode(drawQr(url, "byte"));
}
