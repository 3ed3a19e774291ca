// A dialog: its heading, a button that closes it, and what it asks or shows. Escape closes it as well, and so does a press beside
// it as long as nothing was filled in that would be lost.

import { type InputEvent, type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTexts } from "../texts";
import { Icon } from "./icon";

interface DialogFrameProps {
  heading: string;
  close(): void;
  id?: string;
  narrow?: boolean;
  /** Stays open when something beside it is pressed: what it shows is shown once. */
  stays?: boolean;
  children: ReactNode;
}

export function DialogFrame({ heading, close, id, narrow = false, stays = false, children }: DialogFrameProps) {
  const texts = useTexts();
  const [isFilledIn, setFilledIn] = useState(false);
  const hear = ({ target }: InputEvent<HTMLElement>) => {
    if (target instanceof Element && target.closest("form")) {
      setFilledIn(true);
    }
  };
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      onOpenChange={(open) => !open && close()}
      isDismissable={!stays && !isFilledIn}
      isKeyboardDismissDisabled={stays}
    >
      <Modal className={`modal ${narrow ? "narrow" : ""}`}>
        <Dialog className="dialog" {...(id ? { id } : {})}>
          <div className="dialog-head">
            <Heading slot="title">{heading}</Heading>
            {!stays && (
              <Button className="icon-button" slot="close" aria-label={texts.close}>
                <Icon name="close" />
              </Button>
            )}
          </div>
          <div className="dialog-content" onInput={hear}>
            {children}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
