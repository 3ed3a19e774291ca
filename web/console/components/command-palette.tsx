// The palette that opens with Ctrl-K: a few letters lead to a screen, an action, a person, a content, or what an id names.

import { useMemo, useState } from "react";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Dialog } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Collection, Header, ListBox, ListBoxItem, ListBoxSection } from "react-aria-components/ListBox";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import { isOperator } from "../api/session";
import { useShortcutList } from "../keys/shortcuts";
import { setPreferences, THEMES } from "../preferences";
import { DETAILS, type Detail, detailHref, isId, navigate, type Place, placeHref } from "../router";
import { DETAIL_AUDIENCES, isOpenTo, type PlaceEntry } from "../screens";
import { useConsole } from "../session-context";
import { fill, type Texts, useTexts } from "../texts";
import { Icon } from "./icon";
import { MAX_RECORDS, NEW_PLACES, useRecords } from "./palette-records";
import { type Command, usePaletteSearch } from "./palette-search";
import { themeWords } from "./shell";

export interface CommandPaletteProps {
  places: readonly PlaceEntry[];
  open(place: Place): void;
  close(): void;
}

export function CommandPalette({ places, open, close }: CommandPaletteProps) {
  const texts = useTexts();
  const { session, may } = useConsole();
  const records = useRecords();
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
      run: () => open(place),
    }));
    const newLabels = {
      organisations: texts.tenants.newOrganisation,
      applications: texts.tenants.newApplication,
      operators: texts.operators.invite,
      "operator-roles": texts.roles.create,
      roles: texts.roles.create,
      queues: texts.queues.create,
    };
    const made: Command[] = NEW_PLACES.filter((one) => places.some(({ place }) => place === one)).map((place) => ({
      id: `new-${place}`,
      label: newLabels[place],
      icon: "plus",
      run: () => navigate(placeHref(place, { new: "true" })),
    }));
    const actions: Command[] = [
      ...made,
      ...here
        .filter(({ label }) => !made.some((one) => one.label === label))
        .map(({ keys, label, run }) => ({ id: keys, label, icon: "forward" as const, keys, run })),
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
  }, [places, open, texts, here]);

  const wanted = query.trim().toLowerCase();
  const server = usePaletteSearch(query);
  // What an id of a member's names is asked of the server, but for deliveries, of which looking is recorded; operators' ids are
  // of what they may open.
  const isNothingElse = isOperator(session) || (!server.isSearching && server.ids.length === 0);
  const namable: readonly Detail[] = isOperator(session) ? DETAILS : ["delivery"];
  const named: Command[] =
    isId(wanted) && isNothingElse
      ? namable
          .filter((detail) => isOpenTo(DETAIL_AUDIENCES[detail], session, may))
          .map((detail) => ({
            id: detail,
            label: fill(texts.palette.openId, { what: detailWords(texts, detail) }),
            icon: "forward",
            run: () => navigate(detailHref(detail, wanted)),
          }))
      : [];
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
  const matching: Command[] = (wanted === "" ? [] : records)
    .filter(({ name, also }) => `${name} ${also}`.toLowerCase().includes(wanted))
    .slice(0, MAX_RECORDS)
    .map(({ id, name, kind, icon, href }) => ({
      id: `record-${id}`,
      label: name,
      icon,
      detail: kind,
      run: () => navigate(href),
    }));
  const found = [
    { id: "records", heading: texts.palette.records, commands: matching },
    { id: "ids", heading: texts.palette.ids, commands: [...server.ids, ...(matching.length > 0 ? [] : named)] },
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

/** What a detail is called. */
function detailWords({ nav, tenants, operators }: Texts, detail: Detail): string {
  switch (detail) {
    case "organisation":
    case "application":
    case "account":
      return tenants[detail];
    case "operator":
      return operators.operator;
    case "profile":
      return nav.person;
    default:
      return nav[detail];
  }
}
