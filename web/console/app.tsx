// The console comes in by a session or a link, then shows its shell. What follows `#` in a link is taken out of the address
// at once, and reaches no server before somebody presses the button: mail programs open links ahead of people.

import { useCallback, useEffect, useRef, useState } from "react";
import { missingFactor, personName, personOf, resumeSession, type Session } from "./api/session";
import { Boundary, BrokenScreen } from "./components/boundary";
import { fetched } from "./components/fetched";
import { Mark } from "./components/mark";
import { Failure, Loading, Screen } from "./components/screen";
import { SecretProvider } from "./components/secret-once";
import { Shell } from "./components/shell";
import { useToasts } from "./components/toasts";
import { keepDeepLink, takeDeepLink } from "./deep-link";
import { countMove, isDeepLink, useHash } from "./router";
import { PlacesScreen, SignInForm, SignInLinkScreen } from "./screens/sign-in";
import { SessionProvider } from "./session-context";
import { announceSignIn, watchSession } from "./session-watch";
import { type SignInLink, takeSignInLink } from "./sign-in-link";
import { fill, useTexts } from "./texts";
import { unsent } from "./unsent";

const SecondFactorScreen = fetched(
  () => import("./screens/second-factor"),
  (module) => module.SecondFactorScreen,
  { Failed: BrokenScreen },
);

type Stage =
  | { at: "resuming" }
  | { at: "failed"; error: unknown }
  | { at: "link"; link: SignInLink }
  | { at: "signed-out" }
  | { at: "second-factor"; session: Session }
  | { at: "signed-in"; session: Session };

function firstStage(): Stage {
  const link = takeSignInLink();
  if (!link && isDeepLink(location.hash)) {
    keepDeepLink(location.hash);
  }
  return link ? { at: "link", link } : { at: "resuming" };
}

export function App() {
  const texts = useTexts();
  const { show } = useToasts();
  const [stage, setStage] = useState(firstStage);
  const latest = useRef(stage);
  latest.current = stage;
  const hash = useHash();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address may hold a link.
  useEffect(() => {
    const link = takeSignInLink();
    if (link) {
      setStage({ at: "link", link });
    }
  }, [hash]);

  useEffect(() => {
    if (stage.at !== "resuming") {
      return;
    }
    // A link that is followed meanwhile is not lost to the answer.
    let isWanted = true;
    resumeSession().then(
      (session) => isWanted && setStage(session ? begun(session) : { at: "signed-out" }),
      (error: unknown) => isWanted && setStage({ at: "failed", error }),
    );
    return () => {
      isWanted = false;
    };
  }, [stage.at]);

  const failure = stage.at === "link" && stage.link.kind === "failed" ? stage.link.token : undefined;
  useEffect(() => {
    if (failure) {
      show({ text: failureText(texts.signIn.providerFailures, failure), tone: "bad" });
      setStage({ at: "resuming" });
    }
  }, [failure, show, texts]);

  const onOver = useCallback(
    (ended: Session, now: Session | undefined) => {
      const { current } = latest;
      if (!("session" in current && current.session === ended)) {
        // Somebody is signed in anew since this was asked, or the door is open already.
        return;
      }
      const isKept = unsent.keep(ended, location.hash);
      const next: Stage = now ? signedIn(now) : { at: "signed-out" };
      latest.current = next;
      countMove();
      setStage(next);
      const isSomebodyElse = now && personOf(now) !== personOf(ended);
      if (!now || (isSomebodyElse && missingFactor(now))) {
        show({ text: isKept ? texts.session.overKept : texts.session.over, tone: "bad" });
      } else if (isSomebodyElse) {
        show({ text: fill(texts.session.other, { name: personName(now) }), tone: "plain" });
      }
    },
    [show, texts],
  );

  const onSignedIn = useCallback((session: Session) => {
    countMove();
    setStage(begun(session));
  }, []);

  const onUseless = useCallback(() => {
    countMove();
    setStage({ at: "signed-out" });
  }, []);

  const onSignedOut = useCallback(() => {
    unsent.clear();
    onUseless();
  }, [onUseless]);

  const resume = useCallback(() => {
    countMove();
    setStage({ at: "resuming" });
  }, []);

  const onPresented = useCallback(() => {
    // A look at who is signed in may have been faster.
    if (latest.current.at === "second-factor") {
      resume();
    }
  }, [resume]);

  // A mail's link opens a tab of its own, and an identity provider may be asked in one: whoever comes back from it to this one is
  // signed in here as well, also where both are seen side by side.
  useEffect(() => {
    if (stage.at !== "signed-out") {
      return;
    }
    return watchSession(undefined, (now) => {
      if (now) {
        countMove();
        setStage(signedIn(now));
      }
    });
  }, [stage.at]);

  switch (stage.at) {
    case "signed-in":
      return (
        <SessionProvider key={personOf(stage.session)} session={stage.session} onOver={onOver}>
          <SecretProvider>
            <Shell onSignedOut={onSignedOut} />
          </SecretProvider>
        </SessionProvider>
      );
    case "second-factor":
      return (
        <Door wide={stage.session.second_factor === "enrolment-required"}>
          <SessionProvider key={personOf(stage.session)} session={stage.session} onOver={onOver}>
            <Boundary>
              <SecondFactorScreen session={stage.session} onPresented={onPresented} onSignedOut={onSignedOut} />
            </Boundary>
          </SessionProvider>
        </Door>
      );
    case "link":
      return (
        <Door>
          {stage.link.kind === "choice" ? (
            <PlacesScreen
              key={stage.link.token}
              ticket={stage.link.token}
              onSignedIn={onSignedIn}
              onUseless={onUseless}
            />
          ) : stage.link.kind === "failed" ? (
            <Loading />
          ) : (
            <SignInLinkScreen
              key={stage.link.token}
              link={{ kind: stage.link.kind, token: stage.link.token }}
              onSignedIn={onSignedIn}
              onUseless={onUseless}
            />
          )}
        </Door>
      );
    case "signed-out":
      return (
        <Door>
          <SignInForm onSignedIn={onSignedIn} />
        </Door>
      );
    case "failed":
      return (
        <Door>
          <Screen heading="Assay">
            <Failure error={stage.error} retry={resume} />
          </Screen>
        </Door>
      );
    case "resuming":
      return (
        <Door>
          <Loading />
        </Door>
      );
  }
}

function signedIn(session: Session): Stage {
  if (missingFactor(session)) {
    unsent.dropOthers(session);
    return { at: "second-factor", session };
  }
  const left = unsent.comeBack(session);
  // A sign-in link that was followed in this page stood in the address in place of what was open.
  const followed = takeDeepLink() ?? (location.hash === "" ? left : undefined);
  if (followed) {
    history.replaceState(null, "", followed);
  }
  return { at: "signed-in", session };
}

/** The same for whoever this tab has signed in or found. The other tabs hear of it when the link that waited is taken: it is followed
 * once, here. */
function begun(session: Session): Stage {
  const stage = signedIn(session);
  announceSignIn(session);
  return stage;
}

/** What the way back from the identity provider says went wrong. */
function failureText(words: Record<"refused" | "busy" | "unavailable", string>, code: string): string {
  return code === "busy" || code === "unavailable" ? words[code] : words.refused;
}

/** What is seen of the console before somebody is in. */
function Door({ wide = false, children }: { wide?: boolean; children: React.ReactNode }) {
  return (
    <div className="door">
      <header className="brand">
        <Mark /> Assay
      </header>
      <main className="door-card" data-wide={wide}>
        {children}
      </main>
    </div>
  );
}
