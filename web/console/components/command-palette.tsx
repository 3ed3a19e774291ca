// The palette that opens with Ctrl-K: a few letters lead to a screen, an action, a person, a content, or what an id names.

import { useMemo, useState } from "react";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Dialog } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Collection, Header, ListBox, ListBoxItem, ListBoxSection } from "react-aria-components/ListBox";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import { useShortcutList } from "../keys/shortcuts";
import { setPreferences, THEMES } from "../preferences";
import { isId, navigate, placeHref } from "../router";
import type { PlaceEntry } from "../screens";
import { useSession } from "../session-context";
import { fill, useTexts } from "../texts";
import { Icon } from "./icon";
import { type Command, usePaletteSearch } from "./palette-search";
import { themeWords } from "./shell";

export function CommandPalette({ places, close }: { places: readonly PlaceEntry[]; close(): void }) {
  const texts = useTexts();
  const { may } = useSession();
  const shortcuts = useShortcutList();
  const [query, setQuery] = useState("");
  // What can be done is what could be done when the palette was opened.
  const [here] = useState(() => shortcuts().filter(({ scope, release }) => scope === "here" && !release));

  const sections = useMemo(() => {
    const screens: Command[] = places.map(({ place, icon, key }) => ({
      id: place,
      label: texts.nav[place],
      icon,
      keys: `g ${key}`,
      run: () => navigate(placeHref(place)),
    }));
    const actions: Command[] = [
      ...here.map(({ keys, label, run }) => ({ id: keys, label, icon: "forward" as const, keys, run })),
      ...THEMES.map((theme) => ({
        id: `theme-${theme}`,
        label: themeWords(texts, theme),
        icon: "sun" as const,
        run: () => setPreferences({ theme }),
      })),
    ];
    return [
      { id: "screens", heading: texts.palette.screens, commands: screens },
      { id: "actions", heading: texts.palette.actions, commands: actions },
    ];
  }, [places, texts, here]);

  const wanted = query.trim().toLowerCase();
  const server = usePaletteSearch(query);
  const reference = query.trim();
  // Not before it is known that nobody is found: what is chosen by Enter must not change under the reader's hand.
  const search: Command[] =
    reference !== "" && !isId(wanted) && may("profiles:list") && !server.isSearching && server.people.length === 0
      ? [
          {
            id: "by-reference",
            label: fill(texts.palette.byReference, { reference }),
            icon: "search",
            run: () => navigate(placeHref("people", { reference })),
          },
        ]
      : [];
  const found = [
    { id: "ids", heading: texts.palette.ids, commands: server.ids },
    ...sections.map((section) => ({
      ...section,
      commands: section.commands.filter(({ label }) => label.toLowerCase().includes(wanted)),
    })),
    { id: "people", heading: texts.nav.people, commands: server.people },
    { id: "contents", heading: texts.nav.contents, commands: server.contents },
    { id: "search", heading: texts.palette.open, commands: search },
  ].filter(({ commands }) => commands.length > 0);
  const run = (key: unknown) => {
    const command = found.flatMap(({ commands }) => commands).find(({ id }) => id === key);
    close();
    // After the palette has given the focus back to where it was.
    setTimeout(() => command?.run());
  };
  return (
    <ModalOverlay className="overlay top-aligned" isOpen onOpenChange={(open) => !open && close()} isDismissable>
      <Modal className="modal palette">
        <Dialog className="palette-dialog" aria-label={texts.palette.label}>
          <Autocomplete inputValue={query} onInputChange={setQuery}>
            <SearchField className="palette-field" autoFocus aria-label={texts.palette.placeholder}>
              <Label className="hidden-visually">{texts.palette.placeholder}</Label>
              <Icon name="search" />
              <Input placeholder={texts.palette.placeholder} />
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard; options never have the focus. */}
            <section className="palette-scroll" aria-label={texts.palette.results} tabIndex={0}>
              <ListBox
                className="palette-list"
                aria-label={texts.palette.label}
                items={found}
                selectionMode="none"
                onAction={run}
                renderEmptyState={() => (
                  <p className="empty">{server.isSearching ? texts.palette.searching : texts.palette.nothing}</p>
                )}
              >
                {({ heading, commands }) => (
                  <ListBoxSection className="palette-section">
                    <Header>{heading}</Header>
                    <Collection items={commands}>
                      {({ label, detail, icon, keys }) => (
                        <ListBoxItem className="palette-item" textValue={label}>
                          <Icon name={icon} /> <span>{label}</span>
                          {detail && <span className="palette-detail">{detail}</span>}
                          {keys && (
                            <span className="palette-keys" aria-hidden="true">
                              {keys.split(" ").map((key) => (
                                <kbd key={key}>{key.toUpperCase()}</kbd>
                              ))}
                            </span>
                          )}
                        </ListBoxItem>
                      )}
                    </Collection>
                  </ListBoxSection>
                )}
              </ListBox>
            </section>
            <p className="palette-note" role="status">
              {server.isSearching ? texts.palette.searching : server.note}
            </p>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
