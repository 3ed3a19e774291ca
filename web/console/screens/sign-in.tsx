// The console's door: the ways of signing in that there are here, what a link is good for, and the first start of a server.

import { type FormEvent, useEffect, useId, useState } from "react";
import { Button } from "react-aria-components/Button";
import { getPasskey, passkeysSupported } from "../../shared/passkeys";
import { RefusedError } from "../api/client";
import { beginSession, type Session, type SignInCredential } from "../api/session";
import {
  beginPasskeySignIn,
  beginProviderSignIn,
  passkeyAnswer,
  type SignInMethods,
  type SignInPlace,
  sendLink,
  signInMethods,
  signInPlaces,
} from "../api/sign-in";
import { CopyField } from "../components/copy-field";
import { Field } from "../components/field";
import { Icon } from "../components/icon";
import { Failure, Loading, Screen } from "../components/screen";
import { useToasts } from "../components/toasts";
import { usePasskeyOffer } from "../passkey-offer";
import { countMove } from "../router";
import { errorText } from "../session-context";
import type { SignInLink } from "../sign-in-link";
import { fill, useTexts } from "../texts";
import { unsent } from "../unsent";

interface SignInLinkProps {
  link: { kind: Exclude<SignInLink["kind"], "choice" | "failed">; token: string };
  onSignedIn(session: Session): void;
  /** The link cannot be used any more. */
  onUseless(): void;
}

/** Shows what a link is good for. */
export function SignInLinkScreen({ link, onSignedIn, onUseless }: SignInLinkProps) {
  const texts = useTexts();
  const { show } = useToasts();
  const [busy, setBusy] = useState(false);
  const said = {
    invitation: texts.invitation,
    link: texts.link,
    operator_invitation: texts.operatorInvitation,
    operator_link: texts.operatorLink,
  }[link.kind];
  const accept = async () => {
    setBusy(true);
    try {
      onSignedIn(await beginSession({ [link.kind]: link.token }));
    } catch (error) {
      show({ text: errorText(texts, error), tone: "bad" });
      setBusy(false);
      if (error instanceof RefusedError && error.status === 401) {
        onUseless();
      }
    }
  };
  return (
    <Screen heading={said.heading}>
      <p>{said.body}</p>
      <Button className="button primary wide" isDisabled={busy} onPress={() => void accept()}>
        {said.act}
      </Button>
    </Screen>
  );
}

interface PlacesProps {
  ticket: string;
  onSignedIn(session: Session): void;
  onUseless(): void;
}

/** Whether the same may be answered later: nobody answered, or the server was busy. */
function isPassing(error: unknown): boolean {
  return !(error instanceof RefusedError) || error.status === 429 || error.status >= 500;
}

/** Somebody who works in several places chooses one, after the identity provider. Their ticket is good until it is refused. */
export function PlacesScreen({ ticket, onSignedIn, onUseless }: PlacesProps) {
  const texts = useTexts();
  const { show } = useToasts();
  const [places, setPlaces] = useState<SignInPlace[]>();
  const [failure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const [busy, setBusy] = useState(false);
  const refuse = (error: unknown) => {
    show({ text: errorText(texts, error), tone: "bad" });
    onUseless();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a ticket is asked about once in each attempt.
  useEffect(() => {
    let isWanted = true;
    signInPlaces(ticket).then(
      (found) => isWanted && setPlaces(found),
      (error: unknown) => isWanted && (isPassing(error) ? setFailure(error) : refuse(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [ticket, attempt]);
  const choose = async (id: string) => {
    setBusy(true);
    try {
      onSignedIn(await beginSession({ choice: { ticket, id } }));
    } catch (error) {
      if (!isPassing(error)) {
        refuse(error);
        return;
      }
      show({ text: errorText(texts, error), tone: "bad" });
      setBusy(false);
    }
  };
  const again = () => {
    setFailure(undefined);
    setAttempt(attempt + 1);
  };
  return (
    <Screen heading={texts.signIn.places} focusKey={attempt}>
      {places ? (
        <ul className="choices">
          {places.map(({ id, account }) => (
            <li key={id}>
              <Button className="button wide" isDisabled={busy} onPress={() => void choose(id)}>
                {account ?? texts.nav.wholeInstallation}
              </Button>
            </li>
          ))}
        </ul>
      ) : failure === undefined ? (
        <Loading />
      ) : (
        <Failure error={failure} retry={again} />
      )}
    </Screen>
  );
}

/** The ways of signing in, once they are known. */
export function SignInForm({ onSignedIn }: { onSignedIn(session: Session): void }) {
  const { signIn } = useTexts();
  const [methods, setMethods] = useState<SignInMethods>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks again.
  useEffect(() => {
    signInMethods().then(setMethods, setError);
  }, [attempt]);
  const again = () => {
    // The button goes: the heading of the screen that comes takes the focus.
    countMove();
    setError(undefined);
    setAttempt(attempt + 1);
  };
  if (methods) {
    return methods.is_set_up ? (
      <SignInMethodsForm methods={methods} onSignedIn={onSignedIn} />
    ) : (
      <FirstStart again={again} />
    );
  }
  return (
    <Screen heading={signIn.heading}>
      {error === undefined ? <Loading /> : <Failure error={error} retry={again} />}
    </Screen>
  );
}

/** What makes the first operator; not to be translated. As it stands here it is refused: the server itself prints it whole, which is
 * nothing to tell strangers. */
const INIT_COMMAND = "assay init --data-dir DATA --email ADDRESS";

/** A server that has no operator yet. */
function FirstStart({ again }: { again(): void }) {
  const { firstStart } = useTexts();
  return (
    <Screen heading={firstStart.heading}>
      <p>{firstStart.body}</p>
      <ol className="steps">
        <li>
          <CopyField label={firstStart.run} value={INIT_COMMAND} />
          <p className="soft">{firstStart.printed}</p>
        </li>
        <li>{firstStart.follow}</li>
        <li>{firstStart.secure}</li>
      </ol>
      <Button className="button wide" onPress={again}>
        {firstStart.again}
      </Button>
    </Screen>
  );
}

interface MethodsProps {
  methods: SignInMethods;
  onSignedIn(session: Session): void;
}

function SignInMethodsForm({ methods, onSignedIn }: MethodsProps) {
  const texts = useTexts();
  const { signIn } = texts;
  const { show } = useToasts();
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [withPassword, setWithPassword] = useState(!methods.mail_links);
  const provider = methods.identity_provider;
  const warning = useId();
  // What was typed is in the memory of this page alone, which ends where the page leads to the provider.
  const isLostByLeaving = Boolean(provider) && unsent.isKeeping;
  const hasPasskeys = methods.passkeys && passkeysSupported();
  const act = async (todo: () => Promise<void>) => {
    setBusy(true);
    try {
      await todo();
    } catch (error) {
      show({ text: errorText(texts, error), tone: "bad" });
    }
    setBusy(false);
  };
  const begin = (credential: SignInCredential) => act(async () => onSignedIn(await beginSession(credential)));
  usePasskeyOffer(hasPasskeys && !busy && !sent, (passkey) => void begin({ passkey }));
  const byPasskey = () =>
    act(async () => {
      const { challenge, options } = await beginPasskeySignIn();
      const passkey = passkeyAnswer(challenge, await getPasskey(options));
      onSignedIn(await beginSession({ passkey }));
    });
  const byProvider = () => act(async () => location.assign(await beginProviderSignIn()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void (withPassword
      ? begin({ password: { email, password } })
      : act(async () => {
          await sendLink(email);
          setSent(true);
        }));
  };
  if (sent) {
    return (
      <Screen key="sent" heading={signIn.sentHeading} focusKey="sent">
        <p>{signIn.sentBody}</p>
        <Button className="button wide" onPress={() => setSent(false)}>
          {signIn.again}
        </Button>
      </Screen>
    );
  }
  const isOnlyForm = !hasPasskeys && !provider;
  return (
    <Screen key="form" heading={signIn.heading}>
      {hasPasskeys && (
        <Button className="button primary wide" isDisabled={busy} onPress={() => void byPasskey()}>
          <Icon name="key" /> {signIn.passkey}
        </Button>
      )}
      {provider && isLostByLeaving && (
        <>
          <p className="note" id={warning}>
            {fill(signIn.keptHere, { name: provider })}
          </p>
          <a className="button wide" href={location.pathname} target="_blank" rel="noopener">
            <Icon name="external" /> {signIn.otherTab}
          </a>
        </>
      )}
      {provider && (
        <Button
          className="button wide"
          isDisabled={busy}
          onPress={() => void byProvider()}
          {...(isLostByLeaving ? { "aria-describedby": warning } : {})}
        >
          {fill(signIn.provider, { name: provider })}
        </Button>
      )}
      {!isOnlyForm && <p className="divider">{signIn.or}</p>}
      <form id="sign-in" onSubmit={submit}>
        {withPassword ? <p>{signIn.passwordBody}</p> : <p>{signIn.body}</p>}
        <Field
          label={signIn.email}
          type="email"
          id="email"
          value={email}
          onChange={setEmail}
          minLength={7}
          maxLength={100}
          autoComplete="username webauthn"
          isRequired
        />
        {withPassword && (
          <Field
            label={signIn.password}
            type="password"
            id="password"
            value={password}
            onChange={setPassword}
            maxLength={200}
            autoComplete="current-password"
            isRequired
          />
        )}
        <Button className={`button wide ${isOnlyForm ? "primary" : ""}`} type="submit" isDisabled={busy}>
          {withPassword ? signIn.act : signIn.send}
        </Button>
      </form>
      {methods.mail_links ? (
        <Button className="link-button" onPress={() => setWithPassword(!withPassword)}>
          {withPassword ? signIn.byLink : signIn.byPassword}
        </Button>
      ) : (
        <p className="soft">{signIn.noMail}</p>
      )}
    </Screen>
  );
}
