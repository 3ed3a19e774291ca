// The frame around every screen: navigation by what the reader may do, the open screen, and what is the same everywhere, such
// as the palette, the list of shortcuts and the theme.

import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { endSession, isOperator, personName } from "../api/session";
import { useShortcuts, useSuspendedShortcuts } from "../keys/shortcuts";
import { setPreferences, THEMES, usePreferences } from "../preferences";
import { type Detail, navigate, PLACES, type Place, parseRoute, placeHref, type Route, useHash } from "../router";
import { DETAIL_AUDIENCES, isOpenTo, PLACE_ENTRIES, PLACE_GROUPS, type PlaceEntry, SCREENS } from "../screens";
import { errorText, useAction, useConsole } from "../session-context";
import { fill, type Texts, useTexts } from "../texts";
import { Boundary } from "./boundary";
import type { CommandPaletteProps } from "./command-palette";
import { type FailedProps, fetched } from "./fetched";
import { Icon, type IconName } from "./icon";
import { Mark } from "./mark";
import { Empty, focusHeading, Screen } from "./screen";
import { useToasts } from "./toasts";

const fetchPalette = () => import("./command-palette");
const OVERLAY = { Waiting: () => null, Failed: OverlayFailed };
const CommandPalette = fetched<CommandPaletteProps, Awaited<ReturnType<typeof fetchPalette>>>(
  fetchPalette,
  (palette) => palette.CommandPalette,
  OVERLAY,
);
const ShortcutDialog = fetched<{ close(): void }, typeof import("./shortcut-dialog")>(
  () => import("./shortcut-dialog"),
  (dialog) => dialog.ShortcutDialog,
  OVERLAY,
);

/** So long after the first screen the palette is fetched, so that it opens at once. */
const FETCH_PALETTE_AFTER_MS = 1500;

type Overlay = "palette" | "shortcuts" | "menu" | undefined;

/** The places that the reader may open. */
function usePlaces(): PlaceEntry[] {
  const { session, may } = useConsole();
  return PLACE_ENTRIES.filter((entry) => isOpenTo(entry, session, may));
}

export function Shell({ onSignedOut }: { onSignedOut(): void }) {
  const texts = useTexts();
  const { session } = useConsole();
  const act = useAction();
  const { show } = useToasts();
  const main = useRef<HTMLElement>(null);
  const [overlay, setOverlay] = useState<Overlay>();
  const places = usePlaces();
  const route = parseRoute(useHash());
  const current = currentPlace(route, places);

  // Another screen closes what lies over it; the first one has nothing to close, and a key may have opened something already.
  const where = `${route.screen} ${route.id}`;
  const seen = useRef(where);
  useEffect(() => {
    if (seen.current !== where) {
      seen.current = where;
      setOverlay(undefined);
    }
  }, [where]);

  useEffect(() => {
    const timer = setTimeout(() => void fetchPalette().catch(() => undefined), FETCH_PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  /** Opens a place; the one that is open already gives its heading the focus, as another one would. */
  const open = useCallback(
    (place: Place) => {
      navigate(placeHref(place));
      if (place === current) {
        focusHeading();
      }
    },
    [current],
  );

  useSuspendedShortcuts(overlay !== undefined);
  useShortcuts([
    { keys: "mod+k", label: texts.palette.label, scope: "everywhere", run: () => setOverlay("palette") },
    { keys: "?", label: texts.keys.show, scope: "everywhere", run: () => setOverlay("shortcuts") },
    ...places.map(({ place, key }) => ({
      keys: `g ${key}`,
      label: fill(texts.nav.open, { screen: texts.nav[place] }),
      scope: "everywhere" as const,
      run: () => open(place),
    })),
  ]);

  const place = isOperator(session) ? texts.nav.wholeInstallation : session.account.name;
  const name = personName(session);
  const signOut = async () => {
    if (await act(endSession)) {
      onSignedOut();
    }
  };
  // A link to the open place changes no address, or none that makes another screen.
  const onCurrent = () => {
    setOverlay(undefined);
    // After the menu has given the focus back to where it was.
    setTimeout(focusHeading);
  };
  const onBrokenOverlay = () => {
    setOverlay(undefined);
    show({ text: texts.errors.screen, tone: "bad" });
  };
  const side = (
    <>
      <p className="account">{place}</p>
      <Navigation places={places} current={current} onCurrent={onCurrent} />
      <div className="side-foot">
        <Button className="side-button" onPress={() => setOverlay("palette")}>
          <Icon name="search" /> <span>{texts.palette.open}</span> <kbd>{texts.keys.names.mod} K</kbd>
        </Button>
        <Button className="side-button" onPress={() => setOverlay("shortcuts")}>
          <Icon name="keyboard" /> <span>{texts.keys.heading}</span> <kbd>?</kbd>
        </Button>
        <ThemeSwitch />
        <div className="who">
          <a
            className="who-name"
            href={placeHref("security")}
            aria-label={`${name}: ${texts.nav.security}`}
            aria-current={current === "security" ? "page" : undefined}
          >
            <Icon name="key" /> <span>{name}</span>
          </a>
          <Button className="icon-button" id="leave" aria-label={texts.session.signOut} onPress={() => void signOut()}>
            <Icon name="leave" />
          </Button>
        </div>
      </div>
    </>
  );
  return (
    <div className="shell">
      <Button className="skip" onPress={() => main.current?.focus()}>
        {texts.skip}
      </Button>
      <header className="top">
        <Button className="icon-button" aria-label={texts.nav.menu} onPress={() => setOverlay("menu")}>
          <Icon name="menu" />
        </Button>
        <p className="brand">
          <Mark /> <span id="where">{place}</span>
        </p>
        <Button className="icon-button" aria-label={texts.palette.label} onPress={() => setOverlay("palette")}>
          <Icon name="search" />
        </Button>
      </header>
      <aside className="side">
        <p className="brand">
          <Mark /> Assay
        </p>
        {side}
      </aside>
      <main id="main" tabIndex={-1} ref={main}>
        <Boundary key={`${current ?? route.screen}${route.id}`}>
          <OpenScreen route={route} place={current} />
        </Boundary>
      </main>
      <ModalOverlay
        className="overlay drawer-overlay"
        isOpen={overlay === "menu"}
        onOpenChange={(open) => setOverlay(open ? "menu" : undefined)}
        isDismissable
      >
        <Modal className="drawer">
          <Dialog className="drawer-dialog" aria-label={texts.nav.menu}>
            <Button className="icon-button" slot="close" aria-label={texts.close}>
              <Icon name="close" />
            </Button>
            {side}
          </Dialog>
        </Modal>
      </ModalOverlay>
      <Boundary key={overlay} onBroken={onBrokenOverlay}>
        {overlay === "palette" && <CommandPalette places={places} open={open} close={() => setOverlay(undefined)} />}
        {overlay === "shortcuts" && <ShortcutDialog close={() => setOverlay(undefined)} />}
      </Boundary>
    </div>
  );
}

/** Closes what could not be fetched to lie over the screen, and says so: it is asked for again when it is opened again. */
function OverlayFailed({ error, close }: FailedProps & { close(): void }) {
  const texts = useTexts();
  const { show } = useToasts();
  useEffect(() => {
    close();
    show({ text: errorText(texts, error), tone: "bad" });
  }, [close, show, texts, error]);
  return null;
}

/** The place that the navigation marks: the open one; nothing while a detail is open. */
function currentPlace(route: Route, places: readonly PlaceEntry[]): Place | undefined {
  const { screen } = route;
  if (screen && !isPlace(screen)) {
    return undefined;
  }
  return places.find(({ place }) => place === screen)?.place ?? places[0]?.place;
}

function isPlace(screen: string): screen is Place {
  return PLACES.some((place) => place === screen);
}

interface NavigationProps {
  places: readonly PlaceEntry[];
  current: Place | undefined;
  /** The link to the open place was followed. */
  onCurrent(): void;
}

function Navigation({ places, current, onCurrent }: NavigationProps) {
  const { nav } = useTexts();
  return (
    <nav aria-label={nav.label}>
      {PLACE_GROUPS.map((group) => {
        const entries = places.filter((entry) => entry.group === group);
        return entries.length === 0 ? null : (
          <div key={group} className="nav-group">
            <p className="nav-heading" id={`nav-${group}`}>
              {nav[group]}
            </p>
            <ul aria-labelledby={`nav-${group}`}>
              {entries.map(({ place, icon }) => (
                <li key={place}>
                  <a
                    href={placeHref(place)}
                    aria-current={place === current ? "page" : undefined}
                    onClick={place === current ? onCurrent : undefined}
                  >
                    <Icon name={icon} /> {nav[place]}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function OpenScreen({ route, place }: { route: Route; place: Place | undefined }) {
  const texts = useTexts();
  const { session, may } = useConsole();
  const { screen, id, account, query } = route;
  const note = (words: string) => (
    <Screen heading={texts.title}>
      <Empty>{words}</Empty>
    </Screen>
  );
  if (account && (isOperator(session) || account !== session.account.id)) {
    return note(texts.errors.otherAccount);
  }
  if (screen && !isPlace(screen)) {
    const audience = DETAIL_AUDIENCES[screen satisfies Detail];
    const Component = SCREENS[screen];
    return isOpenTo(audience, session, may) ? (
      <Component id={id} query={query} />
    ) : (
      note(isOperator(session) ? texts.errors.operatorNotAllowed : texts.errors.notAllowed)
    );
  }
  if (!place) {
    return note(texts.errors.nothingAllowed);
  }
  const Component = SCREENS[place];
  return <Component key={place} id={id} query={query} />;
}

const THEME_ICONS: Record<(typeof THEMES)[number], IconName> = { system: "device", light: "sun", dark: "moon" };

/** The words of a theme. */
export function themeWords(texts: Texts, theme: (typeof THEMES)[number]): string {
  return fill(texts.theme.use, { theme: texts.theme[theme] });
}

function ThemeSwitch() {
  const texts = useTexts();
  const { theme } = usePreferences();
  return (
    <fieldset className="segments">
      <legend className="hidden-visually">{texts.theme.label}</legend>
      {THEMES.map((one) => (
        <Button
          key={one}
          className="segment"
          aria-pressed={one === theme}
          aria-label={themeWords(texts, one)}
          onPress={() => setPreferences({ theme: one })}
        >
          <Icon name={THEME_ICONS[one]} />
        </Button>
      ))}
    </fieldset>
  );
}
