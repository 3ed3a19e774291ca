// A blind token: an issuer checks the age in a tab of its own and does not learn what for; this page does not learn of whom.

import { toBase64url } from "../../shared/bytes";
import { button, make } from "../../shared/dom";
import { followable } from "../../shared/follow";
import { busy, paragraph, row } from "../../shared/pieces";
import { listen, NOTHING, orderAddress } from "../order";
import { named } from "../screens";
import type { Problem, Steps } from "../session";
import { fill } from "../texts";
import { type Blinded, blind } from "../tokens";
import { elsewhere, type StepContext, type StepView, worded } from "./step";

/** How often a page in a frame asks whether the other tab is done. */
const FOLLOW_MS = 2500;

export function render(context: StepContext, step: Steps["token"], problem: Problem | undefined): StepView {
  const { token: say, unknown } = context.texts;
  const unable = () => context.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(context)] });
  if (context.embedded) {
    // A frame and a tab share no channel, so all of it takes place in a tab.
    const link = make("a", { href: context.tab, target: "_blank", rel: "noopener", class: "press" }, say.frameOpen);
    context.show({
      heading: say.heading,
      body: [paragraph(say.frame), row(link), elsewhere(context)],
      spoken: say.frame,
    });
    context.watch(FOLLOW_MS);
    return {};
  }
  const { challenge, key, threshold } = step;
  const page = followable(step.issuer_url);
  if (!page || typeof crypto.subtle === "undefined") {
    unable();
    return {};
  }
  context.show({ heading: say.heading, body: [busy()] });
  const channel = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  const back = page.origin === location.origin ? undefined : context.base;
  const told = { issuer: page.host, business: named(context.session, context.texts), age: threshold };
  const why = make("p", { class: "why", hidden: !problem }, problem ? worded(problem, context.texts) : "");
  const waiting = make("p", { class: "followed", hidden: true }, say.waiting);
  // No referrer and no opener: the other page has nothing but what stands after `#`.
  const link = make("a", { target: "_blank", rel: "noopener noreferrer", class: "press main" }, fill(say.open, told));
  link.addEventListener("click", () => {
    waiting.hidden = false;
    why.hidden = true;
    context.say(say.waiting);
  });
  const decline = button(say.decline, () => {
    decline.disabled = true;
    context.answer({ declined: true });
  });
  const declining = row(decline);
  declining.hidden = true;
  const tell = (words: string) => {
    waiting.hidden = true;
    why.textContent = words;
    why.hidden = false;
    context.say(words);
    link.focus();
  };

  // The link is made for another token after each vain visit, so the issuer cannot tell that it is the same person again;
  // an answer to an earlier one counts as well.
  const made: Blinded[] = [];
  const renew = async () => {
    const one = await blind(challenge, key);
    const url = orderAddress(page.href, { threshold, request: one.request, channel, back });
    if (!url) {
      throw new TypeError("no address");
    }
    made.unshift(one);
    link.href = url.href;
  };
  let ended = false;
  const hear = (response: string) => {
    if (response === NOTHING) {
      // Only the person says that this is all: another tab may still be at it.
      declining.hidden = false;
      tell(say.nothing);
      renew().catch(() => undefined);
      return;
    }
    Promise.any(made.map(({ finish }) => finish(response))).then(
      (token) => {
        if (!ended) {
          ended = true;
          context.answer({ token });
        }
      },
      () => tell(say.failed),
    );
  };
  renew().then(() => {
    context.leaving(listen(channel, hear));
    const body = fill(say.why, told);
    context.show({
      heading: say.heading,
      body: [why, paragraph(body), paragraph(fill(say.how, told)), row(link), waiting, declining, elsewhere(context)],
      spoken: problem ? worded(problem, context.texts) : body,
    });
  }, unable);
  return {};
}
