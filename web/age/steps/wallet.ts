// Step: present a credential from a wallet, by a QR code for another device or a link on this one.

import { make } from "../../shared/dom";
import { paragraph, row } from "../../shared/elements";
import { isPhone, qrPlaceholder, showQrCode } from "../../shared/handoff";
import { drawQr } from "../../shared/qr";
import type { StepProblem, StepsByKind } from "../session";
import { otherMethodRow, problemText, type StepContext, type StepView } from "./step";
import { pollIntervalMs } from "./wait";

/** Schemes that must never be opened as a wallet link. */
const FORBIDDEN_SCHEMES = /^(about|blob|data|file|filesystem|http|javascript|vbscript|view-source):/i;

/** Whether a link may open a wallet, by a custom scheme or an https address. The sandbox's wallet is a page of this
 * server. */
function isWalletUrl(url: string): boolean {
  return url.startsWith(`${location.origin}/`) || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !FORBIDDEN_SCHEMES.test(url));
}

/** Links that open wallets on this device. A wallet cannot return into a frame, so an embedded page uses the address of
 * the QR code. */
function walletLinks({ url, links }: StepsByKind["wallet"], { embedded }: StepContext): string[] {
  const usable = links.filter(isWalletUrl);
  return embedded || usable.length === 0 ? [url] : usable;
}

export function render(context: StepContext, step: StepsByKind["wallet"], problem: StepProblem | undefined): StepView {
  const { wallet: say, unknown } = context.texts;
  const { url } = step;
  if (!isWalletUrl(url)) {
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), otherMethodRow(context)] });
    return {};
  }
  const phone = isPhone();
  const links = walletLinks(step, context);
  const open = row(
    ...links.map((link, number) => {
      const kind = phone && number === 0 ? "press main" : "press";
      const words = number === 0 ? say.open : `${say.open} (${link.split(":")[0]})`;
      // Open web wallets in a new tab: in the frame they would replace this page, and most refuse to be shown in frames.
      const tab = context.embedded && /^https?:/i.test(link) ? { target: "_blank", rel: "noopener" } : {};
      const made = make("a", { href: link, class: kind, ...tab }, words);
      made.addEventListener("click", () => context.embedded || context.expectWalletReturn());
      return made;
    }),
  );
  const code = qrPlaceholder(say.code);
  const why = problem ? make("p", { class: "why" }, problemText(problem, context.texts)) : undefined;
  const waiting = make("p", { class: "followed" }, say.waiting);
  context.show({
    heading: say.heading,
    body: [why, paragraph(say.body), ...(phone ? [open, code] : [code, open]), waiting, otherMethodRow(context)],
    spoken: say.body,
  });
  showQrCode(drawQr(url, "byte"));
  context.poll(pollIntervalMs(step));
  return {};
}
