// Offers after a passed check: a passkey that keeps the result on this device, and a proof of age for the phone.

import { button, make } from "../shared/dom";
import { paragraph, row } from "../shared/elements";
import { qrPlaceholder, showQrCode } from "../shared/handoff";
import { importAgain } from "../shared/import-again";
import { InterruptedError, RefusedError } from "../shared/network";
import { createPasskey, type PasskeyCredential, passkeysSupported } from "../shared/passkeys";
import type { Api } from "./api";
import { noteResultKept } from "./kept-here";
import type { Texts } from "./texts";

/** What an offer can use of the page. */
export interface OfferContext {
  api: Api;
  /** The page's path up to `/age`. */
  base: string;
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
function passkeyOffer({ api, base, texts: { key: say }, say: speak, stay }: OfferContext): HTMLElement {
  const told = make("p", { class: "told", hidden: true });
  const tell = (words: string) => {
    told.textContent = words;
    told.hidden = false;
    speak(words);
  };
  // A passkey whose registration got no answer is registered again, and not another made: it may have arrived.
  let made: { continuation: string; credential: PasskeyCredential } | undefined;
  const keep = async () => {
    const { continuation, credential } = made ?? (await makePasskey(api));
    made = { continuation, credential };
    try {
      await api.registerPasskey(continuation, credential);
    } catch (error) {
      made = error instanceof InterruptedError ? made : undefined;
      throw error;
    }
  };
  const press = button(say.make, () => {
    stay();
    press.disabled = true;
    keep().then(
      () => {
        noteResultKept(base, true);
        press.remove();
        tell(say.kept);
      },
      (error: unknown) => {
        if (isOver(error)) {
          press.remove();
          tell(say.over);
          return;
        }
        press.disabled = false;
        tell(say.failed);
      },
    );
  });
  return make("section", {}, make("h2", {}, say.heading), paragraph(say.body), told, row(press));
}

async function makePasskey(api: Api): Promise<{ continuation: string; credential: PasskeyCredential }> {
  const { options, continuation } = await api.passkeyOptions();
  return { continuation, credential: await createPasskey(options) };
}

/** Whether the session offers it no more, so that another try is in vain. */
function isOver(error: unknown): boolean {
  return (
    error instanceof RefusedError && ["INVALID_STATUS", "SESSION_EXPIRED", "SESSION_NOT_FOUND"].includes(error.code)
  );
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
      (error: unknown) => {
        // A proof is made once, and its address is told once: if that was lost, nothing brings it back.
        const over = isOver(error);
        told.textContent = over ? say.over : say.failed;
        told.hidden = false;
        speak(told.textContent);
        if (over) {
          press.remove();
        } else {
          press.disabled = false;
        }
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
