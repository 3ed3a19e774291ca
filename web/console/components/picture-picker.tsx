// Where a picture is dropped, pasted or chosen to look for a person by it. It is shown covered, like every other picture, and
// stays in this page.

import { type DragEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ExposureMeter } from "../desk/exposure";
import { PictureStore } from "../desk/pictures";
import { firstPicture, pictureFromFile, type SearchPicture, UnusablePictureError } from "../desk/search-picture";
import { useShortcuts } from "../keys/shortcuts";
import { useTexts } from "../texts";
import { CasePicture } from "./case-picture";
import { Icon } from "./icon";
import { ViewingProvider } from "./viewing";

interface PickerProps {
  picture: SearchPicture | undefined;
  onPicture(picture: SearchPicture | undefined): void;
}

export function PicturePicker({ picture, onPicture }: PickerProps) {
  const { search, errors } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState("");
  /** Goes up with every choice: of two pictures the one that was chosen last is meant, however long each takes to be read. */
  const choices = useRef(0);
  const take = async (file: File | undefined) => {
    setOver(false);
    choices.current += 1;
    const choice = choices.current;
    try {
      if (!file) {
        throw new UnusablePictureError("unreadable");
      }
      const read = await pictureFromFile(file);
      if (choice === choices.current) {
        onPicture(read);
        setProblem("");
      }
    } catch (error) {
      if (choice === choices.current) {
        setProblem(error instanceof UnusablePictureError ? search.unusable[error.reason] : errors.screen);
      }
    }
  };
  const forget = () => {
    choices.current += 1;
    onPicture(undefined);
  };
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const file = firstPicture(event.clipboardData?.files);
      if (file) {
        event.preventDefault();
        void latest.current(file);
      }
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, []);
  const choose = () => input.current?.click();
  useShortcuts([{ keys: "u", label: search.choose, scope: "here", run: choose }]);
  const over = (event: DragEvent) => {
    if ([...event.dataTransfer.items].some(({ kind }) => kind === "file")) {
      event.preventDefault();
      setOver(true);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void take(firstPicture(event.dataTransfer.files));
  };
  return (
    <section
      className="card picker"
      aria-labelledby="by-picture"
      data-over={isOver}
      data-filled={picture !== undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="picker-head">
        <div>
          <h2 id="by-picture">{search.byPicture}</h2>
          <p className="soft">{search.howTo}</p>
          <p className="soft">{search.notKept}</p>
        </div>
        <div className="answers">
          <Button className="button" onPress={choose}>
            <Icon name="upload" /> {search.choose} <kbd>U</kbd>
          </Button>
          {picture && (
            <Button className="button" onPress={forget}>
              <Icon name="close" /> {search.forget}
            </Button>
          )}
        </div>
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = "";
          if (file) {
            void take(file);
          }
        }}
      />
      {problem !== "" && (
        <p className="picker-problem" role="alert">
          <Icon name="warning" /> {problem}
        </p>
      )}
      {picture && (
        <OwnPicture key={picture.id} picture={picture}>
          <CasePicture name={picture.id} label={search.yourPicture} caption={search.yourPicture} />
        </OwnPicture>
      )}
    </section>
  );
}

/** The reader's own picture, which is covered and uncovered as those of cases are; nobody is told that they looked at it. */
function OwnPicture({ picture, children }: { picture: SearchPicture; children: ReactNode }) {
  const store = useMemo(() => new PictureStore(async () => picture.jpeg), [picture]);
  const [meter] = useState(() => new ExposureMeter());
  useEffect(() => () => store.keepOnly([]), [store]);
  return (
    <ViewingProvider caseId="own" store={store} meter={meter} onViews={() => undefined}>
      {children}
    </ViewingProvider>
  );
}
