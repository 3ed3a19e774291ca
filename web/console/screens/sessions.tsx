// Sessions of document and of age verification: for operators those of all applications, for integrators those of theirs. No
// picture, no field and no name is in them.

import { useInfiniteQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Button } from "react-aria-components/Button";
import { isOperator } from "../api/session";
import {
  listVerificationSessions,
  SESSION_KINDS,
  type SessionFilter,
  STEP_OUTCOMES,
  type VerificationSession,
} from "../api/verification-sessions";
import { type DataColumn, DataTable, OlderButton } from "../components/data-table";
import { Choice, Field } from "../components/field";
import { Answer, Moment, Screen } from "../components/screen";
import { codeWords, kindWords, SessionBadge } from "../components/session-words";
import { useApplications } from "../components/tenant-links";
import { useDraft } from "../draft";
import { detailHref, navigate, oneOf, placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { useTexts } from "../texts";
import type { ScreenProps } from ".";

const REFRESH_MS = 20_000;
const MAX_REFERENCE_CHARS = 200;
const PLACES = ["", "false", "true"] as const;

export function SessionsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { sessions: words } = texts;
  const { session } = useConsole();
  const applications = useApplications().data;
  const given = {
    kind: oneOf(["", ...SESSION_KINDS], query.get("kind"), ""),
    outcome: oneOf(["", ...STEP_OUTCOMES], query.get("outcome"), ""),
    sandbox: oneOf(PLACES, query.get("sandbox"), ""),
    application_id: query.get("application_id") ?? "",
    reference: query.get("reference") ?? "",
  };
  const filter: SessionFilter = {
    ...(given.kind === "" ? {} : { kind: given.kind }),
    ...(given.outcome === "" ? {} : { outcome: given.outcome }),
    ...(given.sandbox === "" ? {} : { sandbox: given.sandbox === "true" }),
    ...(given.application_id === "" ? {} : { application_id: given.application_id }),
    ...(given.reference === "" ? {} : { reference: given.reference }),
  };
  const answer = useInfiniteQuery({
    queryKey: ["verification-sessions", filter],
    queryFn: ({ pageParam }) => listVerificationSessions({ ...filter, ...(pageParam ? { after: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: REFRESH_MS,
  });
  const applicationOf = ({ application_id }: VerificationSession) =>
    applications?.find(({ id }) => id === application_id)?.name ?? application_id;
  const change = (changed: Partial<typeof given>) => replaceRoute(placeHref("sessions", { ...given, ...changed }));
  const columns: DataColumn<VerificationSession>[] = [
    {
      id: "kind",
      heading: words.session,
      cell: ({ kind, sandbox }) => (
        <span className="strong">
          {kindWords(texts, kind)}
          {sandbox && ` (${words.sandbox})`}
        </span>
      ),
    },
    { id: "outcome", heading: words.outcome, cell: (one) => <SessionBadge session={one} /> },
    { id: "reason", heading: words.reason, cell: ({ reason }) => reason && codeWords(reason) },
    { id: "step", heading: words.lastStep, cell: ({ last_step: step }) => step && codeWords(step) },
    ...(isOperator(session) ? [{ id: "application", heading: texts.tenants.application, cell: applicationOf }] : []),
    { id: "created", heading: texts.tenants.created, cell: ({ created_at }) => <Moment at={created_at} /> },
  ];
  return (
    <Screen
      heading={texts.nav.sessions}
      wide
      actions={
        <a className="button" href={placeHref("funnel", { application_id: given.application_id })}>
          {texts.nav.funnel}
        </a>
      }
    >
      <div className="filters">
        <Choice
          label={words.kind}
          value={given.kind}
          options={[["", words.anyKind] as const, ...SESSION_KINDS.map((one) => [one, kindWords(texts, one)] as const)]}
          onChange={(kind) => change({ kind })}
        />
        <Choice
          label={words.outcome}
          value={given.outcome}
          options={[
            ["", words.anyOutcome] as const,
            ...STEP_OUTCOMES.map((one) => [one, words.outcomes[one]] as const),
          ]}
          onChange={(outcome) => change({ outcome })}
        />
        <Choice
          label={words.sandbox}
          value={given.sandbox}
          options={[
            ["", words.everywhere],
            ["false", words.notSandbox],
            ["true", words.onlySandbox],
          ]}
          onChange={(sandbox) => change({ sandbox })}
        />
        {applications && (
          <Choice
            label={texts.tenants.application}
            value={given.application_id}
            options={[["", words.anyApplication] as const, ...applications.map(({ id, name }) => [id, name] as const)]}
            onChange={(application_id) => change({ application_id })}
          />
        )}
        <ReferenceForm
          reference={given.reference}
          // A reference belongs to an application.
          isEnabled={!isOperator(session) || given.application_id !== ""}
          onFind={(reference) => change({ reference })}
        />
      </div>
      <Answer query={answer}>
        {({ pages }) => (
          <>
            <DataTable
              label={texts.nav.sessions}
              columns={columns}
              rows={pages.flatMap(({ sessions }) => sessions)}
              idOf={({ id }) => id}
              empty={Object.keys(filter).length > 0 ? words.noneMatch : words.none}
              onOpen={({ id }) => navigate(detailHref("session", id))}
            />
            <OlderButton query={answer} />
          </>
        )}
      </Answer>
    </Screen>
  );
}

interface ReferenceFormProps {
  reference: string;
  isEnabled: boolean;
  onFind(reference: string): void;
}

function ReferenceForm({ reference, isEnabled, onFind }: ReferenceFormProps) {
  const { sessions: words, people } = useTexts();
  const [typed, setTyped] = useDraft(reference, reference);
  if (!isEnabled) {
    return <p className="soft">{words.referenceHint}</p>;
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFind(typed.trim());
  };
  return (
    <form className="filters" onSubmit={submit}>
      <Field label={words.reference} type="search" value={typed} onChange={setTyped} maxLength={MAX_REFERENCE_CHARS} />
      <Button className="button" type="submit">
        {people.find}
      </Button>
    </form>
  );
}
