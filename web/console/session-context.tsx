// Who is signed in, as every screen sees it: what they may do, and what answers the server's refusals.

import { type Query, QueryCache, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from "react";
import { ImportError } from "../shared/import-again";
import { Account } from "./api/account";
import { isGoneOrForbidden, RefusedError, SessionOverError, UnreachableError } from "./api/client";
import { type AnyScope, isOperator, isOver, type MemberSession, resumeSession, type Session } from "./api/session";
import { useToasts } from "./components/toasts";
import { watchSession } from "./session-watch";
import { fill, type Texts, useTexts } from "./texts";

interface ConsoleValue {
  session: Session;
  may(scope: AnyScope): boolean;
  /** Leads to the door if a refusal means that the session is over; answers whether it is, or nothing where nobody knows. */
  checkSession(error: unknown): Promise<boolean | undefined>;
  /** Whether the session is known to be over: what screens do as they go would be done by whoever has one now. */
  isGone(): boolean;
}

/** What screens of an account have. */
interface AccountValue extends ConsoleValue {
  session: MemberSession;
  account: Account;
}

const SessionContext = createContext<ConsoleValue | AccountValue | undefined>(undefined);

/** How long an answer counts as fresh: going back and forth asks nobody. */
const FRESH_MS = 5_000;
const RETRIES = 2;

interface SessionProviderProps {
  session: Session;
  /** The session is over, or needs a second factor from now on: what there is now in its place, of somebody else perhaps. */
  onOver(ended: Session, now: Session | undefined): void;
  children: ReactNode;
}

/** What signed-in screens share; make it anew, by its key, for each person. */
export function SessionProvider({ session, onOver, children }: SessionProviderProps) {
  const gone = useRef(false);
  const end = useCallback(
    (now: Session | undefined) => {
      gone.current = true;
      onOver(session, now);
    },
    [session, onOver],
  );
  useEffect(() => watchSession(session, (now) => isOver(session, now) && end(now)), [session, end]);
  const value = useMemo<ConsoleValue | AccountValue>(() => {
    const granted = new Set<AnyScope>(
      isOperator(session) ? session.operator.scopes : [...session.scopes, ...session.console_scopes],
    );
    const common = {
      may: (scope: AnyScope) => granted.has(scope),
      checkSession: (error: unknown) => endIfOver(error, session, end),
      isGone: () => gone.current,
    };
    return isOperator(session)
      ? { ...common, session }
      : { ...common, session, account: new Account(session.account.id) };
  }, [session, end]);
  const client = useMemo(() => {
    const onError = async (error: unknown, query: Query<unknown, unknown>) => {
      const isOver = await endIfOver(error, session, end);
      // What was fetched before is shown no longer. Where the session is over it stays until the door is there, which keeps what was
      // typed beside it.
      if (isOver === false && isGoneOrForbidden(error) && query.state.error === error) {
        query.setState({ data: undefined, dataUpdatedAt: 0 });
      }
    };
    return new QueryClient({
      queryCache: new QueryCache({ onError: (error, query) => void onError(error, query) }),
      defaultOptions: {
        queries: {
          staleTime: FRESH_MS,
          retry: (failures, error) => error instanceof UnreachableError && failures < RETRIES,
        },
        mutations: { retry: false },
      },
    });
  }, [session, end]);
  return (
    <SessionContext.Provider value={value}>
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </SessionContext.Provider>
  );
}

/** A 401 is also how a scope is refused, or a wrong code: whether the session is over is asked apart. Answers whether it is so, or
 * nothing where nobody says. */
async function endIfOver(
  error: unknown,
  session: Session,
  end: (now: Session | undefined) => void,
): Promise<boolean | undefined> {
  if (error instanceof SessionOverError) {
    return true;
  }
  if (!(error instanceof RefusedError && error.status === 401)) {
    return false;
  }
  try {
    const now = await resumeSession();
    const over = isOver(session, now);
    if (over) {
      end(now);
    }
    return over;
  } catch {
    return undefined;
  }
}

/** Who is signed in, whoever it is. */
export function useConsole(): ConsoleValue {
  const value = useContext(SessionContext);
  if (!value) {
    throw new Error("nobody is signed in here");
  }
  return value;
}

/** The account of a member; an operator has none. */
export function useAccount(): Account | undefined {
  const value = useConsole();
  return "account" in value ? (value as AccountValue).account : undefined;
}

/** Which member is signed in, on screens that are an account's. */
export function useSession(): AccountValue {
  const value = useConsole();
  if (!("account" in value)) {
    throw new Error("an operator is signed in, who is in no account");
  }
  return value as AccountValue;
}

/** What a refusal means, in words. */
export function errorText(texts: Texts, error: unknown): string {
  if (error instanceof UnreachableError) {
    return texts.errors.unreachable;
  }
  if (error instanceof ImportError) {
    return texts.errors.part;
  }
  if (error instanceof RefusedError) {
    return error.status === 404 ? texts.errors.notFound : fill(texts.errors.refused, { reason: error.message });
  }
  if (error instanceof DOMException) {
    // The browser's own dialog was closed, or it has no passkey for this address.
    return texts.errors.passkey;
  }
  return fill(texts.errors.unknown, { reason: error instanceof Error ? error.message : String(error) });
}

/** Does something, and says what came of it: answers whether it was done. */
export function useAction(): (act: () => Promise<unknown>, done?: string) => Promise<boolean> {
  const { show } = useToasts();
  const { checkSession } = useConsole();
  const texts = useTexts();
  return async (act, done) => {
    try {
      await act();
    } catch (error) {
      if (!(await checkSession(error))) {
        show({ text: errorText(texts, error), tone: "bad" });
      }
      return false;
    }
    if (done) {
      show({ text: done, tone: "good" });
    }
    return true;
  };
}

/** The title of a content, as far as there is one and the reader may see it. */
export function useTitle(content: string | null | undefined): string {
  const { account, may } = useSession();
  const { data } = useQuery({
    queryKey: ["title", content],
    queryFn: () => account.title(content ?? ""),
    enabled: Boolean(content) && may("contents:view"),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data ?? "";
}

/** How members are called: by their names, as far as the reader may know them. */
export function useMemberName(): (id: string) => string {
  const { account, session, may } = useSession();
  const texts = useTexts();
  const { data } = useQuery({
    queryKey: ["members"],
    queryFn: () => account.members(),
    enabled: may("members:manage"),
  });
  return (id) => {
    const name = data?.find((one) => one.id === id)?.username ?? texts.cases.somebody;
    return id === session.member.id ? texts.you : name;
  };
}
