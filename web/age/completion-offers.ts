// Offers after a passed check: a passkey that keeps the result on this device, and a proof of age for the phone.

import { button, make } from "../shared/dom";
import { paragraph, row } from "../shared/elements";
import { qrPlaceholder, showQrCode } from "../shared/handoff";
import { importAgain } from "../shared/import-again";
import { InterruptedError } from "../shared/network";
import { createPasskey, passkeysSupported } from "../shared/passkeys";
import type { Api } from "./api";
import { noteResultKept } from "./kept-here";
import type { Texts } from "./texts";

/** What an offer can use of the page. */
export interface OfferContext {
  api: Api;
  texts: Texts;
  say(words: string): void;
  /** Cancels the return to the business, because the person took up the offer. */
  stay(): void;
}

/** The offers of a session that this browser supports. */
export function completionOffers(
  { key, proof }: { key: boolean; proof: boolean },
  offering: OfferContext,
): HTMLElement[] {
  return [...(key && passkeysSupported() ? [passkeyOffer(offering)] : []), ...(proof ? [proofOffer(offering)] : [])];
}

/** Keeps the result under a passkey. */
function passkeyOffer({ api, texts: { key: say }, say: speak, stay }: OfferContext): HTMLElement {
  const told = make("p", { class: "told", hidden: true });
  const tell = (words: string) => {
    told.textContent = words;
    told.hidden = false;
    speak(words);
  };
  const press = button(say.make, () => {
    stay();
    press.disabled = true;
    registerPasskey(api).then(
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

async function registerPasskey(api: Api): Promise<void> {
  const { options, continuation } = await api.passkeyOptions();
  await api.registerPasskey(continuation, await createPasskey(options));
  noteResultKept(true);
}

/** Puts a proof of age on the holder's phone. */
function proofOffer({ api, texts: { proof: say }, say: speak, stay }: OfferContext): HTMLElement {
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
  // Before the proof is made: without its code it would be made in vain.
  const { drawQr } = await importAgain(() => import("../shared/qr"));
  const url = await api.createProof();
  const { protocol } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new InterruptedError("serviceDown");
  }
  const link = make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, say.open);
  place.replaceChildren(qrPlaceholder(say.code), paragraph(say.scan), make("p", {}, link));
  showQrCode(drawQr(url, "byte"));
}
