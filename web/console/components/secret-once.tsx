// Secrets that are shown once, by the console itself and not by the screen where they were asked for: one that is made late is seen
// wherever its reader has gone since. Each is kept in memory alone, until it is closed by saying that it was copied, or until the
// session ends.

import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../texts";
import { CopyField } from "./copy-field";
import { DialogFrame } from "./dialog-frame";
import { Icon } from "./icon";
import { catchFocus } from "./screen";

export interface MadeSecret {
  heading: string;
  /** What it is called, where it has a name. */
  name?: string;
  label: string;
  secret: string;
  /** What else is to be known of it. */
  note?: string | undefined;
  /** Called when its dialog has been closed. */
  onClosed?(): void;
}

interface Waiting {
  id: number;
  made: MadeSecret;
}

type ShowSecret = (made: MadeSecret) => void;

const SecretContext = createContext<ShowSecret | undefined>(undefined);

/** Shows a secret that was made, as long as the session lasts in which it was asked for. */
export function useShowSecret(): ShowSecret {
  const show = useContext(SecretContext);
  if (!show) {
    throw new Error("there is no place for secrets here");
  }
  return show;
}

/** Shows the secrets of one session, one after the other. */
export function SecretProvider({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  const lastId = useRef(0);
  const show = useCallback((made: MadeSecret) => {
    lastId.current += 1;
    const { current: id } = lastId;
    setWaiting((all) => [...all, { id, made }]);
  }, []);
  const [shown] = waiting;
  const close = ({ id, made }: Waiting) => {
    setWaiting((all) => all.filter((one) => one.id !== id));
    made.onClosed?.();
    catchFocus();
  };
  return (
    <SecretContext.Provider value={show}>
      {children}
      {shown && <SecretOnce key={shown.id} made={shown.made} close={() => close(shown)} />}
    </SecretContext.Provider>
  );
}

function SecretOnce({ made, close }: { made: MadeSecret; close(): void }) {
  const { copy: words } = useTexts();
  const { heading, name, label, secret, note } = made;
  return (
    <DialogFrame heading={heading} close={close} id="secret" stays>
      {name && (
        <p className="strong">
          <bdi>{name}</bdi>
        </p>
      )}
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
