// The settings in force, grouped as docs/RUNNING.md does, with where each comes from.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listSettings, SETTING_SOURCES, type Setting } from "../api/installation";
import { Choice, Field } from "../components/field";
import { Icon } from "../components/icon";
import { Answer, Badge, Card, Empty, Screen } from "../components/screen";
import { oneOf, placeHref, replaceRoute } from "../router";
import { fill, lookup, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

/** Which sections of the file belong together, in the order of docs/RUNNING.md; those that it does not name are basics. */
const GROUPS = [
  ["basics", []],
  ["egress", ["egress"]],
  ["delivery", ["delivery"]],
  ["proof", ["proof"]],
  ["moderation", ["moderation", "video"]],
  ["identity", ["identity"]],
  ["ages", ["ages", "locations"]],
  ["faces", ["faces"]],
  ["people", ["mail", "console", "cases", "request_log"]],
] as const satisfies readonly (readonly [string, readonly string[]])[];
/** Sizes from here on are easier to read in larger units. */
const MIN_LARGE_BYTES = 1000;
type GroupName = (typeof GROUPS)[number][0];

function groupOf({ name }: Setting): GroupName {
  const [section = ""] = name.split(".");
  return (
    GROUPS.find(([, sections]: readonly [string, readonly string[]]) => sections.includes(section))?.[0] ?? "basics"
  );
}

export function SettingsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { settings: words } = texts;
  const answer = useQuery({ queryKey: ["settings"], queryFn: listSettings });
  const source = oneOf(["", ...SETTING_SOURCES], query.get("source"), "");
  const [sought, setSought] = useState("");
  return (
    <Screen heading={texts.nav.settings} wide>
      <p className="soft">{words.means}</p>
      <div className="filters">
        <Field label={texts.table.search} type="search" value={sought} onChange={setSought} />
        <Choice
          label={words.source}
          value={source}
          options={[
            ["", words.anySource] as const,
            ...SETTING_SOURCES.map((one) => [one, words.sources[one]] as const),
          ]}
          onChange={(to) => replaceRoute(placeHref("settings", { source: to }))}
        />
      </div>
      <Answer query={answer}>
        {(settings) => (
          <SettingGroups
            settings={settings.filter((one) => (source === "" || one.source === source) && isFound(one, sought))}
          />
        )}
      </Answer>
    </Screen>
  );
}

/** Whether a setting has what is sought in its name or in what is shown of it. */
function isFound(setting: Setting, sought: string): boolean {
  const shown = shownOf(setting);
  const said = shown.kind === "value" ? shown.said : "";
  return `${setting.name} ${said}`.toLowerCase().includes(sought.trim().toLowerCase());
}

function SettingGroups({ settings }: { settings: readonly Setting[] }) {
  const { settings: words, table } = useTexts();
  const format = useFormat();
  if (settings.length === 0) {
    return <Empty>{table.nothingFound}</Empty>;
  }
  return (
    <>
      <p className="soft" role="status">
        {fill(words.count, { count: format.number(settings.length) })}
      </p>
      {GROUPS.map(([group]) => {
        const own = settings.filter((one) => groupOf(one) === group);
        return own.length === 0 ? null : (
          <Card key={group} heading={words.groups[group]} id={`settings-${group}`}>
            <SettingTable label={words.groups[group]} settings={own} />
          </Card>
        );
      })}
    </>
  );
}

function SettingTable({ label, settings }: { label: string; settings: readonly Setting[] }) {
  const { settings: words } = useTexts();
  return (
    <table className="fields settings-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{words.setting}</th>
          <th scope="col">{words.value}</th>
          <th scope="col">{words.source}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map((setting) => (
          <tr key={setting.name}>
            <th scope="row">
              <code dir="ltr">{setting.name}</code>
            </th>
            <td>
              <SettingValue setting={setting} />
            </td>
            <td>
              {setting.source === "default" ? (
                <span className="soft">{words.sources.default}</span>
              ) : (
                <Badge tone="plain">{words.sources[setting.source]}</Badge>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is shown of a setting: its value as somebody would write it, with lists without their brackets. */
type Shown = { kind: "secret" } | { kind: "unset" } | { kind: "value"; said: string; value: unknown };

function shownOf({ value }: Setting): Shown {
  if (value === null || value === undefined) {
    return { kind: "secret" };
  }
  const parsed: unknown = JSON.parse(value);
  if (parsed === null || (Array.isArray(parsed) && parsed.length === 0)) {
    return { kind: "unset" };
  }
  const write = (one: unknown) => (typeof one === "string" ? one : JSON.stringify(one));
  return { kind: "value", said: Array.isArray(parsed) ? parsed.map(write).join(", ") : write(parsed), value: parsed };
}

function SettingValue({ setting }: { setting: Setting }) {
  const { settings: words } = useTexts();
  const format = useFormat();
  const shown = shownOf(setting);
  if (shown.kind === "secret") {
    return (
      <span className="soft">
        <Icon name="key" /> {words.secret}
      </span>
    );
  }
  if (shown.kind === "unset") {
    return <span className="soft">{words.unset}</span>;
  }
  const { said, value } = shown;
  const isLarge = setting.unit === "bytes" && typeof value === "number" && value >= MIN_LARGE_BYTES;
  return (
    <>
      <code dir="ltr">{said}</code>
      {setting.unit && <span className="soft"> {lookup(words.units, setting.unit) ?? setting.unit}</span>}
      {isLarge && <span className="soft"> ({format.bytes(value)})</span>}
    </>
  );
}
