// What every screen is made of: its heading, which takes the focus when the screen is opened; cards; lists of facts; what is
// shown while something is fetched, and where it failed.

import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "react-aria-components/Button";
import { RefusedError } from "../api/client";
import { hasMoved } from "../router";
import { errorText } from "../session-context";
import { useFormat, useTexts } from "../texts";
import { Icon, type IconName } from "./icon";

interface ScreenProps {
  heading: string;
  /** Beside the heading: what can be done on this screen. */
  actions?: ReactNode;
  /** Where the screen belongs to a list: the way back. */
  back?: { href: string; label: string };
  /** When it changes, the heading takes the focus again. */
  focusKey?: string | number;
  wide?: boolean;
  children: ReactNode;
}

export function Screen({ heading, actions, back, focusKey = "", wide = false, children }: ScreenProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  const seen = useRef(focusKey);
  useEffect(() => {
    document.title = `${heading} · Assay`;
  }, [heading]);
  useEffect(() => {
    if (hasMoved()) {
      ref.current?.focus();
    }
  }, []);
  useEffect(() => {
    if (seen.current !== focusKey) {
      seen.current = focusKey;
      ref.current?.focus();
    }
  }, [focusKey]);
  return (
    <div className="screen" data-wide={wide}>
      <div className="screen-head">
        {back && (
          <a className="back" href={back.href}>
            <Icon name="back" /> {back.label}
          </a>
        )}
        <h1 id="heading" tabIndex={-1} ref={ref}>
          {heading}
        </h1>
        {actions && <div className="screen-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** Gives the focus to the heading of the open screen. */
export function focusHeading(): void {
  document.getElementById("heading")?.focus();
}

/**
 * Gives the focus to the heading of the open screen if nothing has it once what has changed is drawn: what was pressed is there no
 * more. An answer that comes late takes the focus from nothing that somebody has gone on to, and scrolls nothing out of their sight.
 */
export function catchFocus(): void {
  requestAnimationFrame(() =>
    setTimeout(() => {
      const { activeElement, body } = document;
      if (activeElement === null || activeElement === body) {
        document.getElementById("heading")?.focus({ preventScroll: true });
      }
    }),
  );
}

/**
 * For the `ref` of something that may go while the focus is in it: the heading of the section or dialog around it has the focus then,
 * or else that of the screen.
 */
export function handFocusOn(going: HTMLElement | null): () => void {
  return () => {
    if (!going?.contains(document.activeElement)) {
      return;
    }
    const around = going.closest<HTMLElement>(":is(section, article)[aria-labelledby]");
    if (!around) {
      focusHeading();
      return;
    }
    const heading = document.getElementById(around.getAttribute("aria-labelledby") ?? "") ?? around;
    heading.tabIndex = -1;
    heading.focus();
  };
}

export function Card({ heading, children, id }: { heading?: string; children: ReactNode; id?: string }) {
  const headingId = useId();
  return (
    <section className="card" id={id} aria-labelledby={heading ? headingId : undefined}>
      {heading && <h2 id={headingId}>{heading}</h2>}
      {children}
    </section>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

/** A line of a list of facts; nothing where there is no value. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  if (children === undefined || children === null || children === "" || children === false) {
    return null;
  }
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A moment as the reader's clock shows it. */
export function Moment({ at }: { at: string }) {
  const format = useFormat();
  return <time dateTime={at}>{format.moment(at)}</time>;
}

export type Tone = "good" | "bad" | "warn" | "plain";

/** A word with a colour and a shape. */
export function Badge({ tone, icon, children }: { tone: Tone; icon?: IconName; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}

export function Loading() {
  const { loading } = useTexts();
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{loading}</span>
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

/** What went wrong, with a button that tries again. The focus does not go with the button. */
export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const texts = useTexts();
  return (
    <div className="card failure" role="alert" ref={handFocusOn}>
      <p>
        <Icon name="warning" /> {errorText(texts, error)}
      </p>
      {retry && (
        <Button className="button" onPress={retry}>
          {texts.retry}
        </Button>
      )}
    </div>
  );
}

interface QueryLike<T> {
  data: T | undefined;
  error: unknown;
  refetch(): unknown;
  /** Of a list that goes on: whether what failed is its next page. */
  isFetchNextPageError?: boolean;
  fetchNextPage?(): unknown;
}

/** What a query answered, or that it is under way or failed. What cannot be fetched anew stays beside the failure; what is gone or
 * refused the `SessionProvider` takes from the cache. */
export function Answer<T>({ query, children }: { query: QueryLike<T>; children: (data: T) => ReactNode }) {
  const { data, error, isFetchNextPageError: isNextPage = false } = query;
  const retry = () => void (isNextPage ? query.fetchNextPage?.() : query.refetch());
  if (data === undefined) {
    return error ? <Failure error={error} retry={retry} /> : <Loading />;
  }
  // The session may be over: that is being asked, and the door says it.
  const isInDoubt = error instanceof RefusedError && error.status === 401;
  const failure = error && !isInDoubt ? <Failure error={error} retry={retry} /> : null;
  return (
    <>
      {!isNextPage && failure}
      {children(data)}
      {isNextPage && failure}
    </>
  );
}
