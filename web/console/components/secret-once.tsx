// A secret that is shown once: it is closed only by saying that it was copied.

import { Button } from "react-aria-components/Button";
import { useTexts } from "../texts";
import { CopyField } from "./copy-field";
import { DialogFrame } from "./dialog-frame";
import { Icon } from "./icon";

interface SecretOnceProps {
  heading: string;
  label: string;
  secret: string;
  /** What else is to be known of it. */
  note?: string | undefined;
  close(): void;
}

export function SecretOnce({ heading, label, secret, note, close }: SecretOnceProps) {
  const { copy: words } = useTexts();
  return (
    <DialogFrame heading={heading} close={close} id="secret" stays>
      <p>
        <Icon name="warning" /> {words.once}
      </p>
      {note && <p className="note">{note}</p>}
      <CopyField label={label} value={secret} autoFocus />
      <div className="answers">
        <Button className="button primary" onPress={close}>
          {words.done}
        </Button>
      </div>
    </DialogFrame>
  );
}
