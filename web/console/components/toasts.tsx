// What the console says in passing: to those who see, at the edge of the screen, and to those who hear. A message may be
// taken back as long as its seconds run.

import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useShortcuts } from "../keys/shortcuts";
import { useTexts } from "../texts";
import { Icon } from "./icon";

export interface Toast {
  text: string;
  tone: "good" | "bad" | "plain";
  /** Taken back by a button or a key, as long as it stays. */
  undo?: () => void;
  /** So long it stays, in milliseconds; those that are bad stay until they are closed. */
  stayMs?: number;
}

interface Shown extends Toast {
  id: number;
  endsAt: number;
}

interface Toasts {
  show(toast: Toast): void;
}

const DEFAULT_STAY_MS = 5_000;
const MAX_SHOWN = 4;
const TICK_MS = 200;

const ToastContext = createContext<Toasts | undefined>(undefined);

export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  if (!toasts) {
    throw new Error("there is no place for messages here");
  }
  return toasts;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const texts = useTexts();
  const [shown, setShown] = useState<Shown[]>([]);
  const [spoken, setSpoken] = useState("");
  const lastId = useRef(0);
  const toasts = useMemo<Toasts>(() => {
    const show = (toast: Toast) => {
      lastId.current += 1;
      const id = lastId.current;
      const stay = toast.stayMs ?? (toast.tone === "bad" ? Number.POSITIVE_INFINITY : DEFAULT_STAY_MS);
      const made = { ...toast, id, endsAt: Date.now() + stay };
      setShown((all) => [...all.filter(({ text, undo }) => undo || text !== toast.text), made].slice(-MAX_SHOWN));
      // The same words twice are a change only if something else stood there between.
      setSpoken("");
      requestAnimationFrame(() => setSpoken(toast.text));
    };
    return { show };
  }, []);
  /** What had the focus last that is no message. */
  const outside = useRef<HTMLElement>(undefined);
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && !target.closest(".toasts")) {
        outside.current = target;
      }
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, []);
  const close = (id: number) => {
    if (document.activeElement?.closest(`[data-toast="${id}"]`)) {
      // The focus is not to go with the message.
      const before = outside.current;
      (before?.isConnected ? before : document.getElementById("heading"))?.focus({ preventScroll: true });
    }
    setShown((all) => all.filter((one) => one.id !== id));
  };
  return (
    <ToastContext.Provider value={toasts}>
      {children}
      {/* An open dialog hides everything else from those who hear, but not what is marked like this. */}
      <p className="hidden-visually" id="spoken" role="status" data-live-announcer="true">
        {spoken}
      </p>
      {shown.length > 0 && (
        <section className="toasts" aria-label={texts.messages} data-react-aria-top-layer="true">
          <ul>
            {shown.map((toast) => (
              <ToastItem key={toast.id} toast={toast} close={() => close(toast.id)} />
            ))}
          </ul>
        </section>
      )}
    </ToastContext.Provider>
  );
}

function ToastItem({ toast, close }: { toast: Shown; close: () => void }) {
  const texts = useTexts();
  const [now, setNow] = useState(Date.now);
  const latestClose = useRef(close);
  latestClose.current = close;
  const { endsAt, undo } = toast;
  useEffect(() => {
    if (endsAt === Number.POSITIVE_INFINITY) {
      return;
    }
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= endsAt) {
        latestClose.current();
      }
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [endsAt]);
  const takeBack = () => {
    undo?.();
    close();
  };
  useShortcuts(undo ? [{ keys: "z", label: texts.queue.undoDecision, scope: "everywhere", run: takeBack }] : []);
  const left = Math.max(0, Math.ceil((endsAt - now) / 1000));
  return (
    <li className="toast" data-tone={toast.tone} data-toast={toast.id}>
      <Icon name={toast.tone === "bad" ? "warning" : toast.tone === "good" ? "check" : "info"} />
      <span className="toast-text">{toast.text}</span>
      {undo ? (
        <>
          <span className="countdown" aria-hidden="true">
            {left}
          </span>
          <Button className="button small" onPress={takeBack}>
            {texts.undo} <kbd>Z</kbd>
          </Button>
        </>
      ) : (
        <Button className="icon-button" aria-label={texts.close} onPress={close}>
          <Icon name="close" />
        </Button>
      )}
    </li>
  );
}
