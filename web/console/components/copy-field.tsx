// A text that is to be copied exactly: a secret, an id, a command.

import { useId, useRef } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../texts";
import { Icon } from "./icon";
import { useToasts } from "./toasts";

interface CopyFieldProps {
  label: string;
  value: string;
  autoFocus?: boolean;
}

export function CopyField({ label, value, autoFocus = false }: CopyFieldProps) {
  const { copy: words } = useTexts();
  const { show } = useToasts();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      show({ text: words.copied, tone: "good" });
    } catch {
      // It is selected: the reader's own keys copy it.
      show({ text: words.notCopied, tone: "bad" });
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy-row">
        <input
          id={id}
          ref={field}
          className="code"
          readOnly
          value={value}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          onFocus={(event) => event.target.select()}
        />
        <Button className="button" autoFocus={autoFocus} onPress={() => void copy()}>
          <Icon name="copy" /> {words.act}
        </Button>
      </div>
    </div>
  );
}
