// The console's door: asking for a link, and what a link is good for.

import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { RefusedError } from "../api/client";
import { beginSession, type Session, sendLink } from "../api/session";
import { Field } from "../components/field";
import { Screen } from "../components/screen";
import { useToasts } from "../components/toasts";
import { errorText } from "../session-context";
import { useTexts } from "../texts";

/** What was in the address: an invitation, or a link by which a member signs in. */
export interface SignInLink {
  kind: "invitation" | "link";
  token: string;
}

interface SignInLinkProps {
  link: SignInLink;
  onSignedIn(session: Session): void;
  /** The link cannot be used any more. */
  onUseless(): void;
}

/** Shows what a link is good for. */
export function SignInLinkScreen({ link, onSignedIn, onUseless }: SignInLinkProps) {
  const texts = useTexts();
  const { show } = useToasts();
  const [busy, setBusy] = useState(false);
  const said = link.kind === "invitation" ? texts.invitation : texts.link;
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

/** Asks for an address to send a link to. */
export function SignInForm() {
  const { signIn, ...texts } = useTexts();
  const { show } = useToasts();
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const [email, setEmail] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await sendLink(email);
      setSent(true);
    } catch (error) {
      show({ text: errorText({ signIn, ...texts }, error), tone: "bad" });
    }
    setBusy(false);
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
  return (
    <Screen key="form" heading={signIn.heading}>
      <form id="sign-in" onSubmit={(event) => void submit(event)}>
        <p>{signIn.body}</p>
        <Field
          label={signIn.email}
          type="email"
          id="email"
          value={email}
          onChange={setEmail}
          minLength={7}
          maxLength={100}
          autoComplete="email"
          isRequired
        />
        <Button className="button primary wide" type="submit" isDisabled={busy}>
          {signIn.send}
        </Button>
      </form>
    </Screen>
  );
}
