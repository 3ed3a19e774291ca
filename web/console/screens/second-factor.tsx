// A second factor is missing: one that somebody has is asked for, or one is set up. Until then the server allows nothing else.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { getPasskey, passkeysSupported } from "../../shared/passkeys";
import { listCredentials } from "../api/credentials";
import { endSession, missingFactor, type Session } from "../api/session";
import { beginPasskeySignIn, passkeyAnswer, presentSecondFactor, signInMethods } from "../api/sign-in";
import { CodeField } from "../components/code-field";
import { PasskeyForm, TotpSetup } from "../components/credential-setup";
import { Icon } from "../components/icon";
import { Answer, Card, Screen } from "../components/screen";
import { useSubmit } from "../one-at-a-time";
import { useAction } from "../session-context";
import { useTexts } from "../texts";

interface SecondFactorProps {
  session: Session;
  /** It is there: whose session it is, is asked anew. */
  onPresented(): void;
  onSignedOut(): void;
}

export function SecondFactorScreen({ session, onPresented, onSignedOut }: SecondFactorProps) {
  const texts = useTexts();
  const act = useAction();
  const isSetUp = missingFactor(session) === "required";
  const leave = async () => {
    if (await act(endSession)) {
      onSignedOut();
    }
  };
  return (
    <Screen heading={isSetUp ? texts.secondFactor.heading : texts.secondFactor.enrolHeading}>
      {isSetUp ? <Present onPresented={onPresented} /> : <Enrol onPresented={onPresented} />}
      <Button className="link-button" onPress={() => void leave()}>
        {texts.session.signOut}
      </Button>
    </Screen>
  );
}

/** Asks for one of those that somebody has. */
function Present({ onPresented }: { onPresented(): void }) {
  const { secondFactor: words } = useTexts();
  const act = useAction();
  const answer = useQuery({ queryKey: ["credentials"], queryFn: listCredentials });
  const [code, setCode] = useState("");
  const present = async (todo: () => Promise<void>) => {
    if (await act(todo)) {
      onPresented();
    } else {
      setCode("");
    }
  };
  const byPasskey = () =>
    present(async () => {
      const { challenge, options } = await beginPasskeySignIn();
      await presentSecondFactor({ passkey: passkeyAnswer(challenge, await getPasskey(options)) });
    });
  const submit = useSubmit(async () => {
    await present(() => presentSecondFactor({ code }));
  });
  return (
    <Answer query={answer}>
      {({ passkeys, codes }) => (
        <>
          <p>{words.body}</p>
          {passkeys.length > 0 && passkeysSupported() && (
            <Button className={`button wide ${codes ? "" : "primary"}`} onPress={() => void byPasskey()}>
              <Icon name="key" /> {words.passkey}
            </Button>
          )}
          {codes && (
            <form onSubmit={submit}>
              <CodeField label={words.code} value={code} onChange={setCode} />
              <Button className="button primary wide" type="submit">
                {words.act}
              </Button>
            </form>
          )}
          <p className="soft">{words.lost}</p>
        </>
      )}
    </Answer>
  );
}

/** Has somebody set one up. */
function Enrol({ onPresented }: { onPresented(): void }) {
  const { secondFactor: words, security } = useTexts();
  const methods = useQuery({ queryKey: ["sign-in-methods"], queryFn: signInMethods });
  return (
    <>
      <p>{words.enrolBody}</p>
      <Answer query={methods}>
        {({ passkeys }) => (
          <div className="columns">
            {passkeys && passkeysSupported() && (
              <Card heading={security.passkeys}>
                <p className="soft">{security.passkeysMean}</p>
                <PasskeyForm onAdded={onPresented} />
              </Card>
            )}
            <Card heading={security.totp}>
              <p className="soft">{security.totpMeans}</p>
              <TotpSetup onConfirmed={onPresented} />
            </Card>
          </div>
        )}
      </Answer>
    </>
  );
}
