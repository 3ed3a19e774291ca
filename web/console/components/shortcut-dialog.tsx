// Every key of the open screen, and of the console; and the switch that turns single keys off.

import { useState } from "react";
import type { Shortcut } from "../keys/registry";
import { useShortcutList } from "../keys/shortcuts";
import { setPreferences, usePreferences } from "../preferences";
import { lookup, useTexts } from "../texts";
import { DialogFrame } from "./dialog-frame";
import { Tick } from "./field";

export function ShortcutDialog({ close }: { close(): void }) {
  const { keys: words } = useTexts();
  const list = useShortcutList();
  const [shortcuts] = useState(list);
  const { singleKeys } = usePreferences();
  return (
    <DialogFrame heading={words.heading} close={close}>
      <div className="shortcut-groups">
        {(["here", "everywhere"] as const).map((scope) => {
          const own = shortcuts.filter((one) => one.scope === scope);
          return own.length === 0 ? null : (
            <section key={scope} aria-labelledby={`keys-${scope}`}>
              <h3 id={`keys-${scope}`}>{words[scope]}</h3>
              <dl className="shortcuts">
                {own.map((one) => (
                  <div key={one.keys}>
                    <dt>{one.label}</dt>
                    <dd className="shortcut-keys">
                      <KeyNames shortcut={one} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
      <Tick label={words.single} isTicked={singleKeys} onChange={(ticked) => setPreferences({ singleKeys: ticked })} />
      <p className="soft">{words.singleHint}</p>
    </DialogFrame>
  );
}

/** The keys of a shortcut as they stand on a keyboard. */
function KeyNames({ shortcut }: { shortcut: Shortcut }) {
  const { keys: words } = useTexts();
  const steps = shortcut.keys.split(" ");
  return (
    <>
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one shortcut never change.
        <span key={at}>
          {at > 0 && <span className="soft"> {words.then} </span>}
          {step.split("+").map((key) => (
            <kbd key={key}>{lookup(words.names, key) ?? key.toUpperCase()}</kbd>
          ))}
        </span>
      ))}
    </>
  );
}
