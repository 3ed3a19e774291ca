// How pictures are looked at: covered until a key is held or a button is pressed, counted while they are uncovered, and shown
// as the reviewer likes best.

import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { ExposureMeter, View } from "../desk/exposure";
import type { PictureStore } from "../desk/pictures";
import { useShortcuts } from "../keys/shortcuts";
import { PICTURE_SIZES, type PictureSize, setPreferences, usePreferences } from "../preferences";
import { useTexts } from "../texts";
import { Choice, Tick } from "./field";
import { Icon } from "./icon";

/** How often the clock is looked at while pictures are uncovered, and how often what was seen is reported. */
const TICK_MS = 500;
const REPORT_MS = 15_000;

interface Viewing {
  caseId: string;
  store: PictureStore;
  isUncovered: boolean;
  /** Says that a picture is on the screen, until what it answers is called. */
  appear(name: string): () => void;
}

const ViewingContext = createContext<Viewing | undefined>(undefined);

export function useViewing(): Viewing {
  const viewing = useContext(ViewingContext);
  if (!viewing) {
    throw new Error("pictures are shown where they are counted");
  }
  return viewing;
}

interface ViewingProps {
  caseId: string;
  store: PictureStore;
  onViews(caseId: string, views: View[]): void;
  /** Counts what is seen of this case; its total goes along with the decision. */
  meter: ExposureMeter;
  children: ReactNode;
}

/** Counts the pictures of one case; make it anew, by its key, for each case. */
export function ViewingProvider({ caseId, store, onViews, meter, children }: ViewingProps) {
  const texts = useTexts();
  const { blur } = usePreferences();
  const [isHeld, setHeld] = useState(false);
  const [isPinned, setPinned] = useState(false);
  const [isSeen, setSeen] = useState(!document.hidden);
  const [shown, setShown] = useState<readonly string[]>([]);
  const isUncovered = !blur || isHeld || isPinned;
  const latestReport = useRef(onViews);
  latestReport.current = onViews;

  useShortcuts([
    {
      keys: "space",
      label: texts.viewing.hold,
      scope: "here",
      run: () => setHeld(true),
      release: () => setHeld(false),
    },
  ]);

  useEffect(() => {
    const look = () => setSeen(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);

  useEffect(() => {
    meter.see(isUncovered && isSeen ? shown : [], performance.now());
  }, [meter, isUncovered, isSeen, shown]);

  useEffect(() => {
    const report = () => {
      meter.tick(performance.now());
      const views = meter.take();
      if (views.length > 0) {
        latestReport.current(caseId, views);
      }
    };
    const ticking = setInterval(() => meter.tick(performance.now()), TICK_MS);
    const reporting = setInterval(report, REPORT_MS);
    return () => {
      clearInterval(ticking);
      clearInterval(reporting);
      report();
      meter.see([], performance.now());
    };
  }, [meter, caseId]);

  const value = useMemo<Viewing>(
    () => ({
      caseId,
      store,
      isUncovered,
      appear: (name) => {
        setShown((all) => [...all, name]);
        return () => setShown((all) => all.filter((_, at) => at !== all.indexOf(name)));
      },
    }),
    [caseId, store, isUncovered],
  );
  return (
    <ViewingContext.Provider value={value}>
      <div className="viewing-bar">
        {blur && (
          <Button className="button" aria-pressed={isPinned} onPress={() => setPinned(!isPinned)}>
            <Icon name="eye" /> {isPinned ? texts.viewing.cover : texts.viewing.show}
            <kbd>{texts.keys.names.space}</kbd>
          </Button>
        )}
        <ViewingPreferences />
      </div>
      {children}
    </ViewingContext.Provider>
  );
}

function ViewingPreferences() {
  const { viewing } = useTexts();
  const { blur, grey, size } = usePreferences();
  return (
    <Disclosure className="disclosure viewing-preferences">
      <Heading level={2}>
        <Button slot="trigger" className="disclosure-button">
          <Icon name="forward" /> {viewing.preferences}
        </Button>
      </Heading>
      <DisclosurePanel>
        <div className="filters">
          <Choice<PictureSize>
            label={viewing.size}
            value={size}
            options={PICTURE_SIZES.map((one) => [one, viewing.sizes[one]] as const)}
            onChange={(chosen) => setPreferences({ size: chosen })}
          />
          <Tick label={viewing.blur} isTicked={blur} onChange={(ticked) => setPreferences({ blur: ticked })} />
          <Tick label={viewing.grey} isTicked={grey} onChange={(ticked) => setPreferences({ grey: ticked })} />
        </div>
      </DisclosurePanel>
    </Disclosure>
  );
}
