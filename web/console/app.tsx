// The console comes in by a session or a link, then shows its shell. What follows `#` in a link is taken out of the address
// at once, and reaches no server before somebody presses the button: mail programs open links ahead of people.

import { useCallback, useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { endSession, resumeSession, type Session, UnservedError } from "./api/session";
import { Mark } from "./components/mark";
import { Failure, Loading, Screen } from "./components/screen";
import { Shell } from "./components/shell";
import { useToasts } from "./components/toasts";
import { keepDeepLink, takeDeepLink } from "./deep-link";
import { countMove, isDeepLink, useHash } from "./router";
import { SignInForm, type SignInLink, SignInLinkScreen } from "./screens/sign-in";
import { SessionProvider } from "./session-context";
import { useTexts } from "./texts";

type Stage =
  | { at: "resuming" }
  | { at: "failed"; error: unknown }
  | { at: "link"; link: SignInLink }
  | { at: "signed-out" }
  | { at: "signed-in"; session: Session };

/** A link in the address, which is taken out of it. */
function takeSignInLink(): SignInLink | undefined {
  const [, what, token] = /^#(invite|sign-in)=([\w-]{20,200})$/.exec(location.hash) ?? [];
  if (!what || !token) {
    return undefined;
  }
  history.replaceState(null, "", location.pathname);
  return { kind: what === "invite" ? "invitation" : "link", token };
}

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
  const hash = useHash();

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address may hold a link.
  useEffect(() => {
    const link = takeSignInLink();
    if (link) {
      setStage({ at: "link", link });
    }
  }, [hash]);

  useEffect(() => {
    if (stage.at === "resuming") {
      resumeSession().then(
        (session) => setStage(session ? signedIn(session) : { at: "signed-out" }),
        (error: unknown) => setStage({ at: "failed", error }),
      );
    }
  }, [stage.at]);

  const onOver = useCallback(() => {
    countMove();
    setStage({ at: "signed-out" });
    show({ text: texts.session.over, tone: "bad" });
  }, [show, texts]);

  const onSignedIn = useCallback((session: Session) => {
    countMove();
    setStage(signedIn(session));
  }, []);

  const onSignedOut = useCallback(() => {
    countMove();
    setStage({ at: "signed-out" });
  }, []);

  switch (stage.at) {
    case "signed-in":
      return (
        <SessionProvider session={stage.session} onOver={onOver}>
          <Shell onSignedOut={onSignedOut} />
        </SessionProvider>
      );
    case "link":
      return (
        <Door>
          <SignInLinkScreen
            key={stage.link.token}
            link={stage.link}
            onSignedIn={onSignedIn}
            onUseless={() => setStage({ at: "signed-out" })}
          />
        </Door>
      );
    case "signed-out":
      return (
        <Door>
          <SignInForm />
        </Door>
      );
    case "failed":
      return (
        <Door>
          <Screen heading="Assay">
            <Failure error={stage.error} retry={() => setStage({ at: "resuming" })} />
            {stage.error instanceof UnservedError && (
              <Button className="button wide" onPress={() => void endSession().then(onSignedOut)}>
                {texts.session.signOut}
              </Button>
            )}
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
  const followed = takeDeepLink();
  if (followed) {
    history.replaceState(null, "", followed);
  }
  return { at: "signed-in", session };
}

/** What is seen of the console before somebody is in. */
function Door({ children }: { children: React.ReactNode }) {
  return (
    <div className="door">
      <header className="brand">
        <Mark /> Assay
      </header>
      <main className="door-card">{children}</main>
    </div>
  );
}
