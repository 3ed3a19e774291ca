// A passkey is made, or codes of an authenticator app are set up: on the page of one's own security, and at the door where a second
// factor is demanded.

import { type FormEvent, useId, useState } from "react";
import { Button } from "react-aria-components/Button";
import { createPasskey } from "../../shared/passkeys";
import { addPasskey, beginPasskey, beginTotp, confirmTotp, type TotpSecret } from "../api/credentials";
import { useAction } from "../session-context";
import { useTexts } from "../texts";
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
  const submit = async (event: FormEvent) => {
    event.preventDefault();
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
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field
        label={words.passkeyName}
        value={name}
        onChange={setName}
        minLength={1}
        maxLength={MAX_PASSKEY_NAME_CHARS}
        isRequired
      />
      <div className="answers">
        <Button className="button primary" type="submit" isDisabled={busy}>
          <Icon name="plus" /> {words.addPasskey}
        </Button>
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
  if (!secret) {
    return (
      <div className="answers">
        <Button className="button" onPress={() => void act(async () => setSecret(await beginTotp()))}>
          {words.beginTotp}
        </Button>
      </div>
    );
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await act(() => confirmTotp(code), words.totpAdded)) {
      onConfirmed();
    } else {
      setCode("");
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p id={hint}>{words.scan}</p>
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
