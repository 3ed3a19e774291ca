// A question before something that cannot be undone. The focus is on the answer that changes nothing.

import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useTexts } from "../texts";

interface ConfirmProps {
  question: string;
  meaning: string;
  yes: string;
  isOpen: boolean;
  onAnswer(yes: boolean): void;
}

export function Confirm({ question, meaning, yes, isOpen, onAnswer }: ConfirmProps) {
  const { cancel } = useTexts();
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={(open) => !open && onAnswer(false)} isDismissable>
      <Modal className="modal narrow">
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title">{question}</Heading>
          <p>{meaning}</p>
          <div className="answers">
            <Button className="button" autoFocus onPress={() => onAnswer(false)}>
              {cancel}
            </Button>
            <Button className="button danger" onPress={() => onAnswer(true)}>
              {yes}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
