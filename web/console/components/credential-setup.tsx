// A passkey is made, or codes of an authenticator app are set up: on the page of one's own security, and at the door where a second
// factor is demanded.

import { useEffect, useId, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { createPasskey } from "../../shared/passkeys";
import { addPasskey, beginPasskey, beginTotp, confirmTotp, type TotpSecret } from "../api/credentials";
import { useOneAtATime, useSubmit } from "../one-at-a-time";
import { useAction } from "../session-context";
import { useTexts } from "../texts";
import { BusyButton } from "./busy-button";
import { CodeField } from "./code-field";
import { CopyField } from "./copy-field";
import { Field } from "./field";
import { Icon } from "./icon";
import { QrFigure } from "./qr-figure";

export const MAX_PASSKEY_NAME_CHARS = 100;

export function PasskeyForm({ onAdded }: { onAdded(): void }) {
  const { security: words } = useTexts();
  const act = useAction();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = useSubmit(async () => {
    setBusy(true);
    const added = await act(async () => {
      const { challenge, options } = await beginPasskey();
      await addPasskey(name, challenge, await createPasskey(options));
    }, words.passkeyAdded);
    setBusy(false);
    if (added) {
      setName("");
      onAdded();
    }
  });
  return (
    <form onSubmit={submit}>
      <Field
        label={words.passkeyName}
        value={name}
        onChange={setName}
        minLength={1}
        maxLength={MAX_PASSKEY_NAME_CHARS}
        isRequired
      />
      <div className="answers">
        <BusyButton isPrimary isBusy={busy}>
          <Icon name="plus" /> {words.addPasskey}
        </BusyButton>
      </div>
    </form>
  );
}

export function TotpSetup({ onConfirmed }: { onConfirmed(): void }) {
  const { security: words } = useTexts();
  const act = useAction();
  const [secret, setSecret] = useState<TotpSecret>();
  const [code, setCode] = useState("");
  const hint = useId();
  const begun = useRef<HTMLParagraphElement>(null);
  const begin = useOneAtATime(() => act(async () => setSecret(await beginTotp())));
  useEffect(() => {
    if (secret) {
      // The button that had the focus is gone.
      begun.current?.focus();
    }
  }, [secret]);
  const submit = useSubmit(async () => {
    if (await act(() => confirmTotp(code), words.totpAdded)) {
      onConfirmed();
    } else {
      setCode("");
    }
  });
  if (!secret) {
    return (
      <div className="answers">
        <Button className="button" onPress={begin}>
          {words.beginTotp}
        </Button>
      </div>
    );
  }
  return (
    <form onSubmit={submit}>
      <p id={hint} tabIndex={-1} ref={begun}>
        {words.scan}
      </p>
      <QrFigure text={secret.uri} label={words.qr} />
      <CopyField label={words.typeInstead} value={secret.secret} />
      <CodeField label={words.firstCode} value={code} onChange={setCode} />
      <div className="answers">
        <Button className="button primary" type="submit" aria-describedby={hint}>
          {words.confirmTotp}
        </Button>
      </div>
    </form>
  );
}
