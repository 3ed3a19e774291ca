// Which records of the audit trail: by who acted, what was done, to what, and by day.

import type { FormEvent } from "react";
import { Button } from "react-aria-components/Button";
import { ACTOR_KINDS, type AuditFilter } from "../api/audit";
import { beginOf, dayIn, endOf } from "../days";
import { useDraft } from "../draft";
import { isId, placeHref, replaceRoute } from "../router";
import { useTexts } from "../texts";
import { Choice, Field } from "./field";
import { useAccounts, useApplications } from "./tenant-links";

const MAX_CHARS = 100;

/** What the address asks for, each as it stands there. */
export interface AuditAsked {
  actor: string;
  action: string;
  target: string;
  application_id: string;
  account_id: string;
  from: string;
  until: string;
}

export function auditAskedIn(query: URLSearchParams): AuditAsked {
  const text = (name: string) => (query.get(name) ?? "").slice(0, MAX_CHARS);
  const id = (name: string) => (isId(query.get(name)) ? (query.get(name) ?? "") : "");
  return {
    actor: text("actor"),
    action: text("action"),
    target: text("target"),
    application_id: id("application_id"),
    account_id: id("account_id"),
    from: dayIn(query, "from"),
    until: dayIn(query, "until"),
  };
}

/** What the server is asked: days are those of the reader's clock, and the last one is among them. */
export function auditFilter({
  actor,
  action,
  target,
  application_id,
  account_id,
  from,
  until,
}: AuditAsked): AuditFilter {
  return {
    ...(actor === "" ? {} : { actor }),
    ...(action === "" ? {} : { action }),
    ...(target === "" ? {} : { target }),
    ...(application_id === "" ? {} : { application_id }),
    ...(account_id === "" ? {} : { account_id }),
    ...(from === "" ? {} : { from: beginOf(from) }),
    ...(until === "" ? {} : { to: endOf(until) }),
  };
}

export function AuditFilters({ given }: { given: AuditAsked }) {
  const texts = useTexts();
  const { audit: words } = texts;
  const applications = useApplications().data;
  const accounts = useAccounts().data;
  const [typed, setTyped] = useDraft(given, JSON.stringify([given.action, given.target, given.from, given.until]));
  const type = (changed: Partial<AuditAsked>) => setTyped((before) => ({ ...before, ...changed }));
  const change = (changed: Partial<AuditAsked>) => replaceRoute(placeHref("audit", { ...given, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { action, target, from, until } = typed;
    change({ action: action.trim(), target: target.trim(), from, until });
  };
  const isKind = given.actor === "" || ACTOR_KINDS.some((kind) => kind === given.actor);
  return (
    <search className="part">
      <div className="filters">
        <Choice
          label={words.actor}
          value={given.actor}
          options={[
            ["", words.anyActor] as const,
            ...ACTOR_KINDS.map((kind) => [kind, words.kinds[kind]] as const),
            ...(isKind ? [] : [[given.actor, given.actor] as const]),
          ]}
          onChange={(actor) => change({ actor })}
        />
        <NamedChoice
          label={texts.tenants.application}
          any={texts.sessions.anyApplication}
          value={given.application_id}
          all={applications}
          onChange={(application_id) => change({ application_id })}
        />
        <NamedChoice
          label={texts.tenants.account}
          any={words.anyAccount}
          value={given.account_id}
          all={accounts}
          onChange={(account_id) => change({ account_id })}
        />
      </div>
      <form className="filters" onSubmit={submit}>
        <Field
          label={words.actionFilter}
          type="search"
          value={typed.action}
          onChange={(action) => type({ action })}
          maxLength={MAX_CHARS}
        />
        <Field
          label={words.targetFilter}
          type="search"
          value={typed.target}
          onChange={(target) => type({ target })}
          maxLength={MAX_CHARS}
        />
        <Field label={words.from} type="date" value={typed.from} onChange={(from) => type({ from })} />
        <Field label={words.until} type="date" value={typed.until} onChange={(until) => type({ until })} />
        <Button className="button" type="submit">
          {texts.people.find}
        </Button>
      </form>
    </search>
  );
}

interface NamedChoiceProps {
  label: string;
  any: string;
  value: string;
  all: readonly { id: string; name: string }[] | undefined;
  onChange(value: string): void;
}

/** A choice by name; where the reader may not list them, what was chosen elsewhere, and none. */
function NamedChoice({ label, any, value, all = [], onChange }: NamedChoiceProps) {
  if (value === "" && all.length === 0) {
    return null;
  }
  const isNamed = value === "" || all.some(({ id }) => id === value);
  return (
    <Choice
      label={label}
      value={value}
      options={[
        ["", any] as const,
        ...all.map(({ id, name }) => [id, name] as const),
        ...(isNamed ? [] : [[value, value] as const]),
      ]}
      onChange={onChange}
    />
  );
}
