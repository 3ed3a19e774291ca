// The holder's page: every 30 seconds another code, each signed with a key that is used for it alone.
//
// While codes are left, showing one contacts nobody; the server hears of the page only when it asks for more.

import { Clock } from "../shared/clock";
import { chooseLanguage } from "../shared/language";
import { drawQr, type QrCode } from "../shared/qr";
import {
  type BatchRequest,
  type BatchResult,
  createBatchRequest,
  fetchBatch,
  fetchServerTime,
} from "./credential-batch";
import {
  CredentialStore,
  currentInvitation,
  type InvitationState,
  type RemainingCredentials,
} from "./credential-store";
import { createPresentation } from "./presentation";
import { isRunningLow, type SupplyStatus, selectScreen } from "./screen-selection";
import { View } from "./view";

/** A code is shown this long. */
const CODE_MS = 30_000;
/** A credential must live at least as long as its code is shown. */
const CODE_S = CODE_MS / 1000;
/** What an invitation looks like; anything else need not be sent. */
const INVITATION_PATTERN = /^[\w-]{1,200}$/;
const REFILL_LOCK = "assay-holder-refill";
/** Tabs tell each other here that what is kept has changed. */
const CHANGES_CHANNEL = "assay-holder";

interface ShownCode {
  code: QrCode;
  age: number;
  from: number;
}

class Page {
  readonly #store: CredentialStore;
  readonly #clock: Clock;
  readonly #view: View;
  readonly #changes = new BroadcastChannel(CHANGES_CHANNEL);
  #state: InvitationState;
  #remaining: RemainingCredentials = { count: 0, until: 0 };
  #shownCode: ShownCode | undefined;
  #age = 0;
  #supply: SupplyStatus = "idle";
  /** What was asked last, until its answer is stored. */
  #request: BatchRequest | undefined;
  #refusedAnother = false;
  #removed = false;
  #failed = false;
  /** When the server may be asked again, on the clock that never jumps, and how long to wait after the next failure. */
  #retryAt = 0;
  #retryDelay = 10_000;
  #showingNext: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #wakeLock: Promise<WakeLockSentinel | undefined> | undefined;

  constructor(store: CredentialStore, notes: InvitationState, view: View) {
    this.#store = store;
    this.#state = notes;
    this.#view = view;
    this.#clock = new Clock(notes.offset, notes.seen);
  }

  async start(): Promise<void> {
    this.#changes.onmessage = () => this.#reload();
    document.addEventListener("visibilitychange", () => this.#watchVisibility());
    window.addEventListener("online", () => this.retry());
    window.addEventListener("offline", () => this.#render());
    await this.#countRemaining();
    this.#watchVisibility();
  }

  /** Takes an invitation from the address. It replaces another only once it has given something. */
  async invite(code: string): Promise<void> {
    if (this.#removed) {
      this.#removed = false;
      registerServiceWorker();
    }
    this.#refusedAnother = false;
    if (!INVITATION_PATTERN.test(code)) {
      await this.#refuse(code, () => true);
    } else if (code !== this.#state.code || this.#state.spent) {
      // One that gave nothing more may give something again, and is asked for when its holder comes back with it.
      await this.#updateState({ offered: code });
    }
    this.retry();
  }

  /** Asks the server again at once. */
  retry(): void {
    this.#failed = false;
    this.#retryAt = 0;
    this.#retryDelay = 10_000;
    void this.#tick();
  }

  /** Shows the next code before its time. */
  async renew(): Promise<void> {
    const before = this.#shownCode;
    await this.#nextCode().catch(() => undefined);
    if (this.#shownCode !== before) {
      this.#view.sayRenewed();
    }
    void this.#tick();
  }

  /** Leaves nothing of the holder in this browser, nor of the page. */
  async remove(): Promise<void> {
    this.#removed = true;
    this.#shownCode = undefined;
    this.#request = undefined;
    this.#state = {};
    this.#remaining = { count: 0, until: 0 };
    this.#render();
    this.#view.focusHeading();
    await this.#showingNext?.catch(() => undefined);
    await this.#store.clear();
    // What was being stored meanwhile has left its notes here.
    await this.#readState();
    this.#changes.postMessage("changed");
    const workers = await navigator.serviceWorker.getRegistrations();
    const here = new URL("./", location.href).href;
    await Promise.all(workers.filter(({ scope }) => scope === here).map((worker) => worker.unregister()));
    const ours = (await caches.keys()).filter((name) => name.startsWith("assay-holder-"));
    await Promise.all(ours.map((name) => caches.delete(name)));
  }

  /** Runs while somebody can see the page: a code that nobody sees would be spent for nothing. */
  #watchVisibility(): void {
    clearInterval(this.#timer);
    if (document.visibilityState === "visible") {
      this.#timer = setInterval(() => void this.#tick(), 1000);
      this.#wakeLock = undefined;
      void this.#tick();
    }
  }

  async #tick(): Promise<void> {
    this.#render();
    if (this.#removed || this.#failed || document.visibilityState !== "visible") {
      return;
    }
    try {
      if (!this.#clock.isBelievable()) {
        this.#shownCode = undefined;
        await this.#askTime();
      } else if (!this.#showing() && this.#remaining.count > 0) {
        await this.#nextCode();
      }
      this.#render();
      await this.#refillIfLow();
    } catch {
      this.#failed = true;
    }
    this.#render();
  }

  /** Takes the next credential and shows it; a call while another is under way joins it. */
  #nextCode(): Promise<void> {
    this.#showingNext ??= this.#showNext().finally(() => {
      this.#showingNext = undefined;
    });
    return this.#showingNext;
  }

  async #showNext(): Promise<void> {
    const held = await this.#store.take(this.#nowSeconds() + CODE_S);
    if (held && !this.#removed) {
      const from = this.#clock.now();
      const code = drawQr(await createPresentation(held.credential, held.key, Math.floor(from / 1000)));
      this.#age = held.ages[0] ?? 0;
      this.#shownCode = { code, age: this.#age, from };
      await this.#updateState({ seen: this.#clock.seen });
    }
    await this.#countRemaining();
  }

  async #refillIfLow(): Promise<void> {
    const wanted = this.#invitationToRedeem();
    if (this.#supply === "asking" || !this.#clock.isBelievable()) {
      return;
    }
    if (!wanted) {
      this.#supply = "idle";
    } else if (!navigator.onLine) {
      this.#supply = "offline";
    } else if (performance.now() >= this.#retryAt) {
      this.#supply = "asking";
      await navigator.locks
        .request(REFILL_LOCK, () => this.#redeem(wanted))
        .catch((error: unknown) => {
          // Nothing is under way any more that another attempt would have to wait for.
          this.#supply = "idle";
          throw error;
        });
      void this.#tick();
    }
  }

  /** The invitation to ask for credentials with, where it is time to. */
  #invitationToRedeem(): string | undefined {
    const { offered, code, spent } = this.#state;
    const low = !spent && isRunningLow(this.#remaining, this.#nowSeconds());
    return offered ?? (low ? code : undefined);
  }

  /** Asks for credentials; no other tab does at the same time. */
  async #redeem(wanted: string): Promise<void> {
    await this.#readState();
    // Another tab may have asked while this one waited, or removed everything.
    if (this.#invitationToRedeem() === wanted) {
      if (this.#request?.code !== wanted) {
        this.#request = await createBatchRequest(wanted);
      }
      const outcome = await fetchBatch(this.#request, this.#clock);
      await this.#readState();
      if (currentInvitation(this.#state) === wanted) {
        await this.#applyResult(wanted, outcome);
        return;
      }
      this.#request = undefined;
    }
    this.#supply = "idle";
  }

  /** Draws the consequences of an attempt to fetch credentials. */
  async #applyResult(asked: string, outcome: BatchResult): Promise<void> {
    if (outcome.kind === "offline" || outcome.kind === "busy" || outcome.kind === "broken") {
      if (outcome.kind === "broken") {
        this.#request = undefined;
      }
      this.#supply = outcome.kind;
      this.#backOff(outcome.kind === "busy" ? outcome.wait * 1000 : 0);
      return;
    }
    this.#supply = "idle";
    this.#retryDelay = 10_000;
    // Credentials that end too soon must not make it ask all the time.
    this.#retryAt = performance.now() + this.#retryDelay;
    if (outcome.kind === "refused") {
      await this.#refuse(asked, (notes) => currentInvitation(notes) === asked);
    } else {
      const change = { spent: outcome.last, ...this.#clockState() };
      const added = await this.#store.addBatch(asked, outcome.batch, this.#nowSeconds(), change);
      this.#state = added.notes;
      this.#shownCode = added.replaced ? undefined : this.#shownCode;
      await this.#countRemaining();
    }
    this.#request = undefined;
    this.#changes.postMessage("changed");
  }

  /**
   * Remembers that an invitation gives nothing, and keeps to the earlier one where there is one; nothing where the notes are by
   * now such that it does not matter.
   */
  async #refuse(code: string, matters: (notes: InvitationState) => boolean): Promise<void> {
    this.#state = await this.#store.updateState((notes) => {
      if (!matters(notes)) {
        return notes;
      }
      this.#refusedAnother = notes.code !== undefined && notes.code !== code;
      const { offered: _, ...others } = notes;
      const refused = this.#refusedAnother ? others : { ...others, code, spent: true };
      return { ...refused, ...this.#clockState() };
    });
  }

  async #askTime(): Promise<void> {
    if (this.#supply === "asking" || performance.now() < this.#retryAt) {
      return;
    }
    this.#supply = "asking";
    const reached = navigator.onLine && (await fetchServerTime(this.#clock));
    this.#supply = reached ? "idle" : "offline";
    if (reached) {
      await this.#updateState(this.#clockState());
    } else {
      this.#backOff(0);
    }
  }

  /** Waits twice as long after each failure, up to two minutes. */
  #backOff(atLeast: number): void {
    this.#retryAt = performance.now() + Math.max(atLeast, this.#retryDelay);
    this.#retryDelay = Math.min(this.#retryDelay * 2, 120_000);
  }

  async #reload(): Promise<void> {
    await this.#readState();
    if (this.#state.code === undefined) {
      this.#shownCode = undefined;
    }
    if (currentInvitation(this.#state) === undefined) {
      this.#request = undefined;
    }
    void this.#tick();
  }

  async #updateState(change: { [Key in keyof InvitationState]?: InvitationState[Key] | undefined }): Promise<void> {
    this.#state = await this.#store.updateState((notes) => ({ ...notes, ...change }) as InvitationState);
  }

  async #readState(): Promise<void> {
    this.#state = await this.#store.state();
    await this.#countRemaining();
  }

  async #countRemaining(): Promise<void> {
    this.#remaining = await this.#store.remaining(this.#nowSeconds() + CODE_S);
  }

  #clockState(): InvitationState {
    return { offset: this.#clock.offset, seen: this.#clock.seen };
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #showing(): ShownCode | undefined {
    const age = this.#clock.now() - (this.#shownCode?.from ?? 0);
    return age >= -1000 && age < CODE_MS ? this.#shownCode : undefined;
  }

  #render(): void {
    const onShow = this.#showing();
    const screen = selectScreen({
      removed: this.#removed,
      failed: this.#failed,
      clockBelievable: this.#clock.isBelievable(),
      clockOffset: this.#clock.offset,
      invited: currentInvitation(this.#state) !== undefined,
      spent: this.#state.spent === true && this.#state.offered === undefined,
      refusedAnother: this.#refusedAnother,
      supply: this.#supply,
      online: navigator.onLine,
      showing: onShow !== undefined,
      remaining: this.#remaining,
    });
    if (screen.kind !== "code") {
      this.#view.showTrouble(screen.kind);
    } else if (this.#age === 0) {
      this.#view.showTrouble("loading");
    } else {
      this.#view.showCode(screen.remarks, {
        code: onShow?.code,
        age: this.#age,
        seconds: onShow ? Math.ceil((onShow.from + CODE_MS - this.#clock.now()) / 1000) : 0,
        count: this.#remaining.count,
        until: this.#remaining.until * 1000,
        offline: screen.offline,
      });
      this.#keepScreenOn();
    }
    this.#view.offerRemoval(!this.#removed && currentInvitation(this.#state) !== undefined);
  }

  /** Keeps the screen lit while a code is on it; browsers end that by themselves when the page is hidden. */
  #keepScreenOn(): void {
    if ("wakeLock" in navigator) {
      this.#wakeLock ??= navigator.wakeLock.request("screen").catch(() => undefined);
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
function registerServiceWorker(): void {
  navigator.serviceWorker.register("sw.js", { scope: "./", updateViaCache: "none" }).catch(() => undefined);
}

function isSupported(): boolean {
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
    if (!isSupported()) {
      throw new Error("this browser lacks something");
    }
    const store = await CredentialStore.open();
    page = new Page(store, await store.state(), view);
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
  registerServiceWorker();
  if (code) {
    await page.invite(code);
  }
  await page.start();
}

void main();
