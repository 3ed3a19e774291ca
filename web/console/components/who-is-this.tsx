// "Who is this?": the people whom the face of a case may be, found without leaving the case.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { pictureFromUrl, type SearchPicture } from "../desk/search-picture";
import { useShortcuts } from "../keys/shortcuts";
import { useAction, useSession } from "../session-context";
import { useTexts } from "../texts";
import { fetched } from "./fetched";
import { Icon } from "./icon";
import { useViewing } from "./viewing";

const FaceSearch = fetched(
  () => import("./face-search"),
  (module) => module.FaceSearch,
);

/** Asks by the picture of this name; for whoever may look for people. */
export function WhoIsThis({ name }: { name: string }) {
  const { may } = useSession();
  return may("profiles:list") ? <WhoButton name={name} /> : null;
}

function WhoButton({ name }: { name: string }) {
  const { search } = useTexts();
  const { caseId, store } = useViewing();
  const act = useAction();
  const [picture, setPicture] = useState<SearchPicture>();
  const ask = () => void act(async () => setPicture(await pictureFromUrl(await store.load(caseId, name))));
  useShortcuts([{ keys: "w", label: search.who, scope: "here", run: ask }]);
  return (
    <div className="answers">
      <Button className="button small" onPress={ask}>
        <Icon name="search" /> {search.who} <kbd>W</kbd>
      </Button>
      {picture && <WhoDialog picture={picture} close={() => setPicture(undefined)} />}
    </div>
  );
}

function WhoDialog({ picture, close }: { picture: SearchPicture; close(): void }) {
  const texts = useTexts();
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(open) => !open && close()} isDismissable>
      <Modal className="modal broad">
        <Dialog className="dialog">
          <div className="dialog-head">
            <Heading slot="title">{texts.search.who}</Heading>
            <Button className="icon-button" slot="close" aria-label={texts.close} autoFocus>
              <Icon name="close" />
            </Button>
          </div>
          <FaceSearch picture={picture} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
