// Who is signed in, as every screen sees it: what they may do, and what answers the server's refusals.

import { QueryCache, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { Account } from "./api/account";
import { RefusedError, UnreachableError } from "./api/client";
import { type AnyScope, resumeSession, type Session, UnservedError } from "./api/session";
import { useToasts } from "./components/toasts";
import { fill, type Texts, useTexts } from "./texts";

interface SessionValue {
  session: Session;
  account: Account;
  may(scope: AnyScope): boolean;
  /** Leads to the door if a refusal means that the session is over; answers whether it is. */
  checkSession(error: unknown): Promise<boolean>;
}

const SessionContext = createContext<SessionValue | undefined>(undefined);

/** How long an answer counts as fresh: going back and forth asks nobody. */
const FRESH_MS = 5_000;
const RETRIES = 2;

/** What signed-in screens share. `onOver` hears that the session is over. */
export function SessionProvider(props: { session: Session; onOver(): void; children: ReactNode }) {
  const { session, onOver, children } = props;
  const value = useMemo<SessionValue>(() => {
    const granted = new Set<AnyScope>([...session.scopes, ...session.console_scopes]);
    return {
      session,
      account: new Account(session.account.id),
      may: (scope) => granted.has(scope),
      checkSession: (error) => endIfOver(error, onOver),
    };
  }, [session, onOver]);
  const client = useMemo(() => {
    const onError = (error: unknown) => void endIfOver(error, onOver);
    return new QueryClient({
      queryCache: new QueryCache({ onError }),
      defaultOptions: {
        queries: {
          staleTime: FRESH_MS,
          retry: (failures, error) => error instanceof UnreachableError && failures < RETRIES,
        },
        mutations: { retry: false },
      },
    });
  }, [onOver]);
  return (
    <SessionContext.Provider value={value}>
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </SessionContext.Provider>
  );
}

/** A 401 is also how a scope is refused: whether the session is over is asked apart. Answers whether it is. */
async function endIfOver(error: unknown, onOver: () => void): Promise<boolean> {
  if (!(error instanceof RefusedError && error.status === 401)) {
    return false;
  }
  const over = await resumeSession().then(
    (session) => session === undefined,
    () => false,
  );
  if (over) {
    onOver();
  }
  return over;
}

export function useSession(): SessionValue {
  const value = useContext(SessionContext);
  if (!value) {
    throw new Error("nobody is signed in here");
  }
  return value;
}

/** What a refusal means, in words. */
export function errorText(texts: Texts, error: unknown): string {
  if (error instanceof UnreachableError) {
    return texts.errors.unreachable;
  }
  if (error instanceof UnservedError) {
    return texts.errors[error.reason];
  }
  if (error instanceof RefusedError) {
    return error.status === 404 ? texts.errors.notFound : fill(texts.errors.refused, { reason: error.message });
  }
  return fill(texts.errors.unknown, { reason: error instanceof Error ? error.message : String(error) });
}

/** Does something, and says what came of it: answers whether it was done. */
export function useAction(): (act: () => Promise<unknown>, done?: string) => Promise<boolean> {
  const { show } = useToasts();
  const { checkSession } = useSession();
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
