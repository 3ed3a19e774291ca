// The holder's page: every 30 seconds another code, each signed with a key that is used for it alone.
//
// While codes are left, showing one contacts nobody; the server hears of the page only when it asks for more.

import { Clock } from "../shared/clock";
import { choose as chooseLanguage } from "../shared/language";
import { drawQr, type QrCode } from "../shared/qr";
import { present } from "./presentation";
import { askTime, type Outcome, refill } from "./refill";
import { choose, runningLow, type Supply } from "./screen";
import { type Left, type Notes, Stock } from "./stock";
import { View } from "./view";

/** A code is shown this long. */
const TURN_MS = 30_000;
/** A credential must live at least as long as its code is shown. */
const TURN = TURN_MS / 1000;
/** What an invitation looks like; anything else need not be sent. */
const INVITATION = /^[\w-]{1,200}$/;
const REFILLING = "assay-holder-refill";
/** Tabs tell each other here that what is kept has changed. */
const CHANGES = "assay-holder";

interface OnShow {
  code: QrCode;
  age: number;
  from: number;
}

class Page {
  readonly #stock: Stock;
  readonly #clock: Clock;
  readonly #view: View;
  readonly #changes = new BroadcastChannel(CHANGES);
  #notes: Notes;
  #left: Left = { count: 0, until: 0 };
  #onShow: OnShow | undefined;
  #age = 0;
  #supply: Supply = "idle";
  #refusedAnother = false;
  #removed = false;
  #failed = false;
  /** When the server may be asked again, on the clock that never jumps, and how long to wait after the next failure. */
  #nextTry = 0;
  #patience = 10_000;
  #turning: Promise<void> | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #awake: Promise<WakeLockSentinel | undefined> | undefined;

  constructor(stock: Stock, notes: Notes, view: View) {
    this.#stock = stock;
    this.#notes = notes;
    this.#view = view;
    this.#clock = new Clock(notes.offset, notes.seen);
  }

  async start(): Promise<void> {
    this.#changes.onmessage = () => this.#reread();
    document.addEventListener("visibilitychange", () => this.#watch());
    window.addEventListener("online", () => this.retry());
    window.addEventListener("offline", () => this.#render());
    await this.#count();
    this.#watch();
  }

  /** Takes an invitation from the address. It replaces another only once it has given something. */
  async invite(code: string): Promise<void> {
    if (this.#removed) {
      this.#removed = false;
      keepFiles();
    }
    this.#refusedAnother = false;
    if (!INVITATION.test(code)) {
      await this.#refuse(code);
    } else if (code !== this.#notes.code) {
      await this.#note({ offered: code });
    }
    this.retry();
  }

  /** Asks the server again at once. */
  retry(): void {
    this.#failed = false;
    this.#nextTry = 0;
    this.#patience = 10_000;
    void this.#tick();
  }

  /** Shows the next code before its time. */
  async renew(): Promise<void> {
    const before = this.#onShow;
    await this.#turn().catch(() => undefined);
    if (this.#onShow !== before) {
      this.#view.sayRenewed();
    }
    void this.#tick();
  }

  /** Leaves nothing of the holder in this browser, nor of the page. */
  async remove(): Promise<void> {
    this.#removed = true;
    this.#onShow = undefined;
    this.#notes = {};
    this.#left = { count: 0, until: 0 };
    this.#render();
    this.#view.focusHeading();
    await this.#turning?.catch(() => undefined);
    await this.#stock.clear();
    this.#changes.postMessage("changed");
    const workers = await navigator.serviceWorker.getRegistrations();
    const here = new URL("./", location.href).href;
    await Promise.all(workers.filter(({ scope }) => scope === here).map((worker) => worker.unregister()));
    const ours = (await caches.keys()).filter((name) => name.startsWith("assay-holder-"));
    await Promise.all(ours.map((name) => caches.delete(name)));
  }

  /** Runs while somebody can see the page: a code that nobody sees would be spent for nothing. */
  #watch(): void {
    clearInterval(this.#ticking);
    if (document.visibilityState === "visible") {
      this.#ticking = setInterval(() => void this.#tick(), 1000);
      this.#awake = undefined;
      void this.#tick();
    }
  }

  async #tick(): Promise<void> {
    this.#render();
    if (this.#removed || this.#failed || document.visibilityState !== "visible") {
      return;
    }
    try {
      if (!this.#clock.believable()) {
        this.#onShow = undefined;
        await this.#askTime();
      } else if (!this.#showing() && this.#left.count > 0) {
        await this.#turn();
      }
      this.#render();
      await this.#supplyIfLow();
    } catch {
      this.#failed = true;
    }
    this.#render();
  }

  /** Takes the next credential and shows it; a call while another is under way joins it. */
  #turn(): Promise<void> {
    this.#turning ??= this.#showNext().finally(() => {
      this.#turning = undefined;
    });
    return this.#turning;
  }

  async #showNext(): Promise<void> {
    const held = await this.#stock.take(this.#seconds() + TURN);
    if (held && !this.#removed) {
      const from = this.#clock.now();
      const code = drawQr(await present(held.credential, held.key, Math.floor(from / 1000)));
      this.#age = held.ages[0] ?? 0;
      this.#onShow = { code, age: this.#age, from };
      await this.#note({ seen: this.#clock.seen });
    }
    await this.#count();
  }

  async #supplyIfLow(): Promise<void> {
    const wanted = this.#wanted();
    if (this.#supply === "asking" || !this.#clock.believable()) {
      return;
    }
    if (!wanted) {
      this.#supply = "idle";
    } else if (!navigator.onLine) {
      this.#supply = "offline";
    } else if (performance.now() >= this.#nextTry) {
      this.#supply = "asking";
      await navigator.locks.request(REFILLING, () => this.#ask(wanted));
      void this.#tick();
    }
  }

  /** The invitation to ask for credentials with, where it is time to. */
  #wanted(): string | undefined {
    const { offered, code, spent } = this.#notes;
    const low = !spent && runningLow(this.#left, this.#seconds());
    return offered ?? (low ? code : undefined);
  }

  /** Asks for credentials; no other tab does at the same time. */
  async #ask(wanted: string): Promise<void> {
    await this.#recall();
    // Another tab may have asked while this one waited, or removed everything.
    if (this.#wanted() === wanted) {
      const outcome = await refill(wanted, this.#clock);
      await this.#recall();
      if ((this.#notes.offered ?? this.#notes.code) === wanted) {
        await this.#settle(wanted, outcome);
        return;
      }
    }
    this.#supply = "idle";
  }

  /** Draws the consequences of an attempt to fetch credentials. */
  async #settle(asked: string, outcome: Outcome): Promise<void> {
    if (outcome.kind === "offline" || outcome.kind === "busy" || outcome.kind === "broken") {
      this.#supply = outcome.kind;
      this.#wait(outcome.kind === "busy" ? outcome.wait * 1000 : 0);
      return;
    }
    this.#supply = "idle";
    this.#patience = 10_000;
    // Credentials that end too soon must not make it ask all the time.
    this.#nextTry = performance.now() + this.#patience;
    if (outcome.kind === "refused") {
      await this.#refuse(asked);
    } else {
      const replacing = this.#notes.offered === asked;
      await this.#stock.add(outcome.batch, this.#seconds(), replacing);
      await this.#note({ code: asked, offered: undefined, spent: outcome.last, ...this.#time() });
      this.#onShow = replacing ? undefined : this.#onShow;
      await this.#count();
    }
    this.#changes.postMessage("changed");
  }

  /** Remembers that an invitation gives nothing, and keeps to the earlier one where there is one. */
  async #refuse(code: string): Promise<void> {
    this.#refusedAnother = this.#notes.code !== undefined && this.#notes.code !== code;
    const notes = this.#refusedAnother ? { offered: undefined } : { code, offered: undefined, spent: true };
    await this.#note({ ...notes, ...this.#time() });
  }

  async #askTime(): Promise<void> {
    if (this.#supply === "asking" || performance.now() < this.#nextTry) {
      return;
    }
    this.#supply = "asking";
    const reached = navigator.onLine && (await askTime(this.#clock));
    this.#supply = reached ? "idle" : "offline";
    if (reached) {
      await this.#note(this.#time());
    } else {
      this.#wait(0);
    }
  }

  /** Waits twice as long after each failure, up to two minutes. */
  #wait(atLeast: number): void {
    this.#nextTry = performance.now() + Math.max(atLeast, this.#patience);
    this.#patience = Math.min(this.#patience * 2, 120_000);
  }

  async #reread(): Promise<void> {
    await this.#recall();
    if (this.#notes.code === undefined) {
      this.#onShow = undefined;
    }
    void this.#tick();
  }

  async #note(change: { [Key in keyof Notes]?: Notes[Key] | undefined }): Promise<void> {
    this.#notes = await this.#stock.note((notes) => ({ ...notes, ...change }) as Notes);
  }

  async #recall(): Promise<void> {
    this.#notes = await this.#stock.notes();
    await this.#count();
  }

  async #count(): Promise<void> {
    this.#left = await this.#stock.left(this.#seconds() + TURN);
  }

  #time(): Notes {
    return { offset: this.#clock.offset, seen: this.#clock.seen };
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #showing(): OnShow | undefined {
    const age = this.#clock.now() - (this.#onShow?.from ?? 0);
    return age >= -1000 && age < TURN_MS ? this.#onShow : undefined;
  }

  #render(): void {
    const onShow = this.#showing();
    const screen = choose({
      removed: this.#removed,
      failed: this.#failed,
      clockBelievable: this.#clock.believable(),
      clockOffset: this.#clock.offset,
      invited: (this.#notes.offered ?? this.#notes.code) !== undefined,
      spent: this.#notes.spent === true && this.#notes.offered === undefined,
      refusedAnother: this.#refusedAnother,
      supply: this.#supply,
      online: navigator.onLine,
      showing: onShow !== undefined,
      left: this.#left,
    });
    if (screen.kind !== "code") {
      this.#view.showTrouble(screen.kind);
    } else if (this.#age === 0) {
      this.#view.showTrouble("loading");
    } else {
      this.#view.showCode(screen.remarks, {
        code: onShow?.code,
        age: this.#age,
        seconds: onShow ? Math.ceil((onShow.from + TURN_MS - this.#clock.now()) / 1000) : 0,
        count: this.#left.count,
        until: this.#left.until * 1000,
        offline: screen.offline,
      });
      this.#stayAwake();
    }
    this.#view.offerRemoval(!this.#removed && (this.#notes.code ?? this.#notes.offered) !== undefined);
  }

  /** Keeps the screen lit while a code is on it; browsers end that by themselves when the page is hidden. */
  #stayAwake(): void {
    if ("wakeLock" in navigator) {
      this.#awake ??= navigator.wakeLock.request("screen").catch(() => undefined);
    }
  }
}

/** Takes the invitation out of the address bar, so that it is neither seen nor copied nor kept in the history. */
function takeInvitation(): string | undefined {
  const code = location.hash.slice(1);
  if (!code) {
    return undefined;
  }
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Lets the page open without a connection. Where that fails it still works, but only as long as it stays open. */
function keepFiles(): void {
  navigator.serviceWorker.register("sw.js", { scope: "./", updateViaCache: "none" }).catch(() => undefined);
}

function fit(): boolean {
  const needed = ["serviceWorker" in navigator, "locks" in navigator, "indexedDB" in window, "subtle" in crypto];
  return isSecureContext && needed.every(Boolean) && "timeout" in AbortSignal;
}

async function main(): Promise<void> {
  const code = takeInvitation();
  let page: Page | undefined;
  const view = new View(chooseLanguage(navigator.languages), {
    renew: () => void page?.renew(),
    retry: () => page?.retry(),
    remove: () => void page?.remove(),
  });
  try {
    if (!fit()) {
      throw new Error("this browser lacks something");
    }
    const stock = await Stock.open();
    page = new Page(stock, await stock.notes(), view);
  } catch {
    view.showTrouble("unfit");
    return;
  }
  window.addEventListener("hashchange", () => {
    const another = takeInvitation();
    if (another) {
      void page?.invite(another);
    }
  });
  keepFiles();
  if (code) {
    await page.invite(code);
  }
  await page.start();
}

void main();
