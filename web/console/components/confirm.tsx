// A question before something that cannot be undone. The focus is on the answer that changes nothing; what is lost for good has to be
// typed as well.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { fill, useTexts } from "../texts";
import { Field } from "./field";

interface ConfirmProps {
  question: string;
  meaning: string;
  yes: string;
  isOpen: boolean;
  /** What has to be typed before it can be done: the name of what is lost. */
  typed?: string;
  onAnswer(yes: boolean): void;
}

export function Confirm({ isOpen, onAnswer, ...asked }: ConfirmProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={(open) => !open && onAnswer(false)} isDismissable>
      <Modal className="modal narrow">
        <Question {...asked} onAnswer={onAnswer} />
      </Modal>
    </ModalOverlay>
  );
}

function Question({ question, meaning, yes, typed, onAnswer }: Omit<ConfirmProps, "isOpen">) {
  const { cancel, confirm } = useTexts();
  const [name, setName] = useState("");
  const isTyped = typed === undefined || name.trim() === typed.trim();
  return (
    <Dialog className="dialog" role="alertdialog">
      <Heading slot="title">{question}</Heading>
      <p>{meaning}</p>
      {typed !== undefined && (
        <Field label={fill(confirm.type, { name: typed })} value={name} onChange={setName} maxLength={200} />
      )}
      <div className="answers">
        <Button className="button" autoFocus onPress={() => onAnswer(false)}>
          {cancel}
        </Button>
        <Button className="button danger" isDisabled={!isTyped} onPress={() => onAnswer(true)}>
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}
