// Every key of the open screen, and of the console; and the switch that turns single keys off.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import type { Shortcut } from "../keys/registry";
import { useShortcutList } from "../keys/shortcuts";
import { setPreferences, usePreferences } from "../preferences";
import { lookup, useTexts } from "../texts";
import { Tick } from "./field";
import { Icon } from "./icon";

export function ShortcutDialog({ close }: { close(): void }) {
  const { keys: words, ...texts } = useTexts();
  const list = useShortcutList();
  const [shortcuts] = useState(list);
  const { singleKeys } = usePreferences();
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(open) => !open && close()} isDismissable>
      <Modal className="modal">
        <Dialog className="dialog">
          <div className="dialog-head">
            <Heading slot="title">{words.heading}</Heading>
            <Button className="icon-button" slot="close" aria-label={texts.close} autoFocus>
              <Icon name="close" />
            </Button>
          </div>
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
          <Tick
            label={words.single}
            isTicked={singleKeys}
            onChange={(ticked) => setPreferences({ singleKeys: ticked })}
          />
          <p className="soft">{words.singleHint}</p>
        </Dialog>
      </Modal>
    </ModalOverlay>
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
