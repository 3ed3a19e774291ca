// A new key of an application: its name, what it may do, and until when.

import { Button } from "react-aria-components/Button";
import { SCOPES, type Scope } from "../api/session";
import { createKey } from "../api/tenants";
import { useSubmit } from "../one-at-a-time";
import { useIsShown } from "../router";
import { useAction } from "../session-context";
import { useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { DialogFrame } from "./dialog-frame";
import { Choice, Field, Tick } from "./field";
import { ScopeBoxes } from "./scope-boxes";
import { useShowSecret } from "./secret-once";

const MAX_NAME_CHARS = 200;
const DAY_SECONDS = 86_400;
/** For how many days a key works; 0: until it is revoked. */
const LIFETIME_DAYS = ["0", "30", "90", "180", "365"] as const;

interface KeyDialogProps {
  application: string;
  onCreated(): void;
  close(): void;
}

export function KeyDialog({ application, onCreated, close }: KeyDialogProps) {
  const { tenants: words, members } = useTexts();
  const format = useFormat();
  const act = useAction();
  const isShown = useIsShown();
  const showSecret = useShowSecret();
  const of = `of a new key of ${application}`;
  const [name, setName] = useUnsent(`name ${of}`, "");
  const [days, setDays] = useUnsent<(typeof LIFETIME_DAYS)[number]>(`days ${of}`, "365");
  const [everything, setEverything] = useUnsent(`everything ${of}`, false);
  const [scopes, setScopes] = useUnsent<readonly Scope[]>(`scopes ${of}`, []);
  const isNothing = !everything && scopes.length === 0;
  const submit = useSubmit(async () => {
    await act(async () => {
      const ends = Date.now() + Number(days) * DAY_SECONDS * 1000;
      const key = await createKey(application, {
        name,
        scopes: everything ? [] : [...scopes],
        ...(days === "0" ? {} : { expires_at: new Date(ends).toISOString() }),
      });
      if (isShown()) {
        close();
      }
      onCreated();
      showSecret({
        heading: words.keyMade,
        name,
        label: words.key,
        secret: key.key,
        note: "approval_id" in key ? words.keyPending : undefined,
      });
    });
  });
  return (
    <DialogFrame heading={words.newKey} close={close} id="new-key">
      <form onSubmit={submit}>
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          minLength={1}
          maxLength={MAX_NAME_CHARS}
          isRequired
          autoFocus
        />
        <Choice<(typeof LIFETIME_DAYS)[number]>
          label={words.worksFor}
          value={days}
          options={LIFETIME_DAYS.map(
            (one) => [one, one === "0" ? words.untilRevoked : format.span(Number(one) * DAY_SECONDS)] as const,
          )}
          onChange={setDays}
        />
        <Tick label={words.everything} isTicked={everything} onChange={setEverything} value="everything" />
        {!everything && (
          <ScopeBoxes
            label={words.keyScopes}
            all={SCOPES}
            words={members.scopes}
            chosen={scopes}
            onChange={setScopes}
          />
        )}
        {isNothing && <p className="soft">{words.chooseScopes}</p>}
        <div className="answers">
          <Button className="button primary" type="submit" isDisabled={isNothing}>
            {words.createKey}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
